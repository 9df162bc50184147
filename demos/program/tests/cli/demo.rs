//! `quadrille demo`, `info`: what they write and print.

use std::io::Read;
use std::process::Stdio;

use serde_json::Value;

#[cfg(target_os = "linux")]
use crate::on_es::signals::Running;
use crate::program::{Outcome, Program, values};

const DEMO: &str = "demo reaction-diffusion --headless --size 37x23";

#[test]
fn a_resumed_run_equals_the_uninterrupted_one_bit_for_bit() -> Outcome {
    let program = Program::new()?;
    program.succeed(&format!("{DEMO} --steps 120 --save whole.npy"))?;
    program.succeed(&format!("{DEMO} --steps 50 --save half.npy"))?;
    program.succeed("demo reaction-diffusion --headless --load half.npy --steps 70 --save resumed.npy")?;
    assert_eq!(program.bytes("whole.npy")?, program.bytes("resumed.npy")?);
    // The last of a flag given twice counts.
    program.succeed(&format!("{DEMO} --steps 7 --save again.npy --steps 120"))?;
    assert_eq!(program.bytes("whole.npy")?, program.bytes("again.npy")?);
    Ok(())
}

#[test]
fn zero_steps_save_the_initial_state_and_seeds_differ() -> Outcome {
    let program = Program::new()?;
    program.succeed(&format!("{DEMO} --steps 0 --save a.npy"))?;
    program.succeed(&format!("{DEMO} --steps 0 --seed 1 --save b.npy"))?;
    program.succeed("demo reaction-diffusion --headless --size 128x96 --steps 0 --seed 1 --save c.npy")?;
    program.succeed("demo reaction-diffusion --headless --size 128x96 --steps 0 --seed 2 --save d.npy")?;
    assert_eq!(program.bytes("a.npy")?, program.bytes("b.npy")?);
    assert_ne!(program.bytes("c.npy")?, program.bytes("d.npy")?);
    let state = values(&program.bytes("a.npy")?);
    assert_eq!(state.len(), 37 * 23 * 2);
    assert_eq!(state[..2], [1.0, 0.0]);
    Ok(())
}

#[test]
fn the_check_passes_and_the_json_says_all_it_should() -> Outcome {
    let program = Program::new()?;
    let out = program.succeed(&format!("{DEMO} --steps 130 --F 0.03 --check --json --edges clamp"))?;
    let report: Value = serde_json::from_str(&out)?;
    assert_eq!(report["demo"], "reaction-diffusion");
    assert_eq!(
        (&report["size"], &report["steps"], &report["seed"]),
        (&"37x23".into(), &130.into(), &1.into())
    );
    let parameters = serde_json::json!({
        "F": 0.03, "k": 0.06, "Du": 0.8389, "Dv": 0.4194, "start": "many", "edges": "clamp", "show": "relief",
    });
    assert_eq!(report["parameters"], parameters);
    assert_eq!(report["passes"], 130);
    assert_eq!(report["check"]["passed"], true);
    assert!(report["check"]["error"].as_f64() <= report["check"]["bound"].as_f64());
    assert!(
        report["renderer"].is_string() && report["seconds"].is_f64() && report["steps_per_second"].is_f64()
    );
    Ok(())
}

#[test]
fn every_format_is_written_and_frames_are_numbered() -> Outcome {
    let program = Program::new()?;
    for name in ["a.png", "a.gif", "a.npy", "a.exr"] {
        let out = program.succeed(&format!("{DEMO} --steps 5 --out {name}"))?;
        assert!(out.contains(&format!("wrote {name}")), "{out}");
    }
    program.succeed(&format!("{DEMO} --steps 5 --out frame.png --every 2"))?;
    let expected = ["a.exr", "a.gif", "a.npy", "a.png"];
    let frames = ["frame-000000.png", "frame-000002.png", "frame-000004.png", "frame-000005.png"];
    assert_eq!(program.files()?, [&expected[..], &frames].concat());
    assert!(program.bytes("a.png")?.starts_with(b"\x89PNG"));
    Ok(())
}

#[test]
fn lists_are_printed() -> Outcome {
    let program = Program::new()?;
    assert!(program.succeed("demo")?.contains("reaction-diffusion"));
    assert!(program.succeed("demo reaction-diffusion --preset help")?.contains("dying-spots        epsilon"));
    assert!(program.succeed("demo reaction-diffusion --colours help")?.contains("viridis"));
    let info: Value = serde_json::from_str(&program.succeed("info --json")?)?;
    assert_eq!(info["probes"]["exact_addressing"], info["limits"]["texture_size"]);
    let old: Value = serde_json::from_str(&program.succeed("info --json --limits GEFORCE_FX")?)?;
    assert_eq!((&old["limits"]["texture_size"], &old["limits"]["targets"]), (&4096.into(), &1.into()));
    let info = program.succeed("info")?;
    assert!(info.contains("renderer") && info.contains("opened by"), "{info}");
    Ok(())
}

#[test]
fn threads_of_llvmpipe_are_warned_of() -> Outcome {
    let program = Program::new()?;
    for threads in ["0", "2"] {
        let ended = program.run_with("info --json", "LP_NUM_THREADS", threads)?;
        let info: Value = serde_json::from_str(&ended.out)?;
        let renderer = info["driver"]["renderer"].as_str().unwrap_or_default();
        match info["driver"]["fault"].as_str() {
            Some(fault) => assert_eq!((threads, ended.err), ("2", format!("quadrille: warning: {fault}\n"))),
            None => assert!(
                ended.err.is_empty() && (threads == "0" || !renderer.starts_with("llvmpipe")),
                "{renderer}"
            ),
        }
    }
    Ok(())
}

/// Where nobody has chosen: small fields and systems are drawn without llvmpipe's threads, which are not warned of then; large ones, and a
/// state of unknown size, with them. The same bits come of both.
#[cfg(target_os = "linux")]
#[test]
fn threads_of_llvmpipe_are_chosen_by_the_largest_pass() -> Outcome {
    let program = Program::new()?;
    let poisson = quadrille::numeric::Csr::poisson(9, 7)?;
    let entries =
        poisson.triplets().map(|(i, j, a)| format!("{} {} {a}\n", i + 1, j + 1)).collect::<String>();
    let head = format!("%%MatrixMarket matrix coordinate real general\n63 63 {}\n", poisson.nonzeros());
    std::fs::write(program.path("a.mtx"), head + &entries)?;
    let unset = |arguments: &str| -> Result<String, Box<dyn std::error::Error>> {
        let output = program.command(arguments).env_remove("LP_NUM_THREADS").output()?;
        assert!(output.status.success(), "{arguments}: {output:?}");
        Ok(String::from_utf8_lossy(&output.stderr).into_owned())
    };
    // One core has no threads to warn of, and another driver no fault.
    let warned = unset("info")?.contains("LP_NUM_THREADS");
    let small = "demo reaction-diffusion --headless --steps 3";
    for (arguments, threads) in [
        (format!("{small} --size 64x48 --save few.npy"), false),
        (format!("{small} --size 162x162"), true),
        (format!("{small} --size 161x161"), false),
        (format!("{small} --load few.npy"), true),
        ("demo liquid --headless --size 6 --steps 1".to_owned(), false),
        ("demo nbody --headless --bodies 256 --steps 1".to_owned(), false),
        ("demo nbody --headless --bodies 512 --steps 1".to_owned(), true),
        ("demo clouds --headless --steps 1".to_owned(), false),
        ("solve a.mtx".to_owned(), false),
    ] {
        let err = unset(&arguments)?;
        assert_eq!(err.contains("LP_NUM_THREADS"), warned && threads, "{arguments}: {err}");
    }
    program.succeed(&format!("{small} --size 64x48 --save none.npy"))?;
    assert_eq!(program.bytes("few.npy")?, program.bytes("none.npy")?);
    // A number of the user's stays.
    let two = program.run_with(&format!("{small} --size 8x8"), "LP_NUM_THREADS", "2")?;
    assert_eq!(two.err.contains("LP_NUM_THREADS"), warned, "{}", two.err);
    Ok(())
}

#[test]
fn a_reader_that_leaves_is_no_error() -> Outcome {
    let program = Program::new()?;
    let mut child = program.command("info").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    drop(child.stdout.take());
    let mut err = String::new();
    if let Some(mut pipe) = child.stderr.take() {
        pipe.read_to_string(&mut err)?;
    }
    assert_eq!((child.wait()?.code(), err.as_str()), (Some(0), ""));
    Ok(())
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_run_leaves_nothing_behind() -> Outcome {
    let program = Program::new()?;
    let long = "demo reaction-diffusion --headless --size 64x64 --steps 100000000 --every 50 --out a.gif";
    let mut running = Running::start(&mut program.command(long))?;
    // Its draft: it listens by then.
    running.until(|_| Ok(!program.files()?.is_empty()))?;
    running.signal("-INT")?;
    let (status, err) = running.ended()?;
    assert_eq!(program.files()?, Vec::<String>::new());
    assert_eq!(status, Some(130), "{err}");
    Ok(())
}

#[cfg(target_os = "linux")]
#[test]
fn frames_of_an_interrupted_run_remain_and_are_counted() -> Outcome {
    let program = Program::new()?;
    let long = "demo heat --headless --size 64x64 --steps 100000000 --every 100000 --out a.npy";
    let mut running = Running::start(&mut program.command(long))?;
    running.until(|_| Ok(program.path("a-000000.npy").exists()))?;
    running.signal("-INT")?;
    let (_, err) = running.ended()?;
    let frames = match program.files()?.len() {
        1 => "; 1 frame remains".to_owned(),
        frames => format!("; {frames} frames remain"),
    };
    assert!(err.trim_end().ends_with(&frames), "{err}");
    Ok(())
}

#[cfg(target_os = "linux")]
#[test]
fn whoever_interrupts_a_long_step_is_told_when_it_ends() -> Outcome {
    let program = Program::new()?;
    let long = "demo wall --headless --columns 60 --rows 10 --form dense --steps 1000";
    let mut running = Running::listening(&mut program.command(long))?;
    running.signal("-INT")?;
    // Where a step is short, the run stops before anybody can wonder.
    let first = running.line()?;
    running.signal("-INT")?;
    let (status, rest) = running.ended()?;
    let told = first == "stops after this step; Ctrl-C once more ends it at once\n";
    assert!(told || first.contains("interrupted after"), "{first}{rest}");
    assert_eq!(status, Some(130), "{first}{rest}");
    Ok(())
}

#[test]
fn the_help_of_every_demo_begins_with_its_sentence() -> Outcome {
    let program = Program::new()?;
    let list = program.succeed("demo")?;
    assert!(list.lines().count() >= 14, "{list}");
    let (list, equations) = list.split_once("\n\n").ok_or("no equations")?;
    assert!(
        equations.contains("quadrille pde NAME") && equations.contains(" schrodinger.toml "),
        "{equations}"
    );
    for line in list.lines() {
        let (name, sentence) = line.split_once("  ").ok_or("no sentence")?;
        let help = program.succeed(&format!("demo {name} -h"))?.replace('\n', " ");
        assert!(help.starts_with(sentence.trim()), "{name}: {help}");
    }
    Ok(())
}

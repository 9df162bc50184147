//! `quadrille demo formats`: what it writes and prints.

use serde_json::Value;

use crate::program::{Outcome, Program, values};

/// The names of the formats, the widest first.
const NAMES: [&str; 4] = ["32-bit", "24-bit (ATI)", "16-bit (NVIDIA)", "16-bit (ATI)"];

fn report(program: &Program, arguments: &str) -> Result<Value, Box<dyn std::error::Error>> {
    Ok(serde_json::from_str(&program.succeed(&format!("demo formats --json {arguments}"))?)?)
}

#[test]
fn fewer_bits_err_more_and_the_check_passes_in_both_dialects() -> Outcome {
    let program = Program::new()?;
    for what in ["gray-scott", "wave", "orbit"] {
        for api in ["gl", "gles"] {
            let arguments = format!("--what {what} --size 41x29 --steps 50 --check --api {api}");
            let report = report(&program, &arguments)?;
            assert_eq!((&report["demo"], &report["parameters"]["what"]), (&"formats".into(), &what.into()));
            assert_eq!(report["check"]["passed"], true);
            let error = |name: &str, kind: &str| report["findings"]["formats"][name][kind].as_f64();
            for name in NAMES {
                assert!(error(name, "rms") <= error(name, "largest") && error(name, "rms") > Some(0.0));
            }
            let [wide, middle, half, ati] = NAMES.map(|name| error(name, "rms"));
            assert!(wide < middle && middle < half && middle < ati, "{what}: {report}");
        }
    }
    Ok(())
}

#[test]
fn counters_stop_at_the_last_whole_number_of_their_format() -> Outcome {
    let program = Program::new()?;
    for (steps, from_0) in [(5, 5), (40, 40), (2100, 2048)] {
        let report = report(&program, &format!("--what counter --size 50x40 --steps {steps} --check"))?;
        assert_eq!(report["check"]["passed"], true);
        for (name, last) in NAMES.into_iter().zip([16_777_216, 131_072, 2048, 2048]) {
            let found = &report["findings"]["formats"][name];
            let stopped = (steps > 8).then_some(f64::from(last));
            assert_eq!(found["stopped_at"].as_f64(), stopped, "{name} after {steps}");
            let expected = if last == 2048 { from_0 } else { steps };
            assert_eq!(found["from_0"].as_f64(), Some(f64::from(expected)), "{name} after {steps}");
            let split = ["counting", "stopped", "began_past"].map(|part| found[part].as_u64());
            assert_eq!(split.into_iter().flatten().sum::<u64>(), 25, "{name} after {steps}: {found}");
            assert_eq!((&found["counters"], &found["last_whole_number"]), (&25.into(), &last.into()));
        }
    }
    Ok(())
}

#[test]
fn what_became_of_all_counters_is_said() -> Outcome {
    let program = Program::new()?;
    let out = program.succeed("demo formats --what counter --headless --steps 20")?;
    for line in [
        "32-bit           22 of 25 count, 1 stopped (at 16777216), 2 began past 16777216, which whole numbers end at",
        "24-bit (ATI)     15 of 25 count, 1 stopped (at 131072), 9 began past 131072, which whole numbers end at",
        "16-bit (NVIDIA)   9 of 25 count, 1 stopped (at 2048), 15 began past 2048, which whole numbers end at",
    ] {
        assert!(out.contains(line), "{out}");
    }
    Ok(())
}

#[test]
fn the_help_has_only_flags_that_do_something_and_says_what_they_take() -> Outcome {
    let program = Program::new()?;
    let help = |demo: &str| program.succeed(&format!("demo {demo} --help"));
    let help = |demo: &str| help(demo).map(|help| help.split_whitespace().collect::<Vec<_>>().join(" "));
    assert!(help("formats")?.contains("orbit and counter take none of those"), "{}", help("formats")?);
    for (demo, told) in [
        ("formats", "single steps of each format"),
        ("histogram", "counts of the GPU"),
        ("sort", "Every pass"),
    ] {
        let help = help(demo)?;
        assert!(help.contains(told), "{demo}: {help}");
    }
    Ok(())
}

#[test]
fn errors_are_plotted_and_written_from_the_first_step_to_the_last() -> Outcome {
    let program = Program::new()?;
    let run = "demo formats --headless --what wave --size 20x16 --steps 250 --plot a.png --history a.csv";
    let out = program.succeed(run)?;
    assert!(out.contains("wrote a.png\nwrote a.csv"), "{out}");
    assert!(NAMES.iter().all(|name| out.contains(&format!("{name:16} error against f64: "))), "{out}");
    assert!(program.bytes("a.png")?.starts_with(b"\x89PNG"));
    let table = String::from_utf8(program.bytes("a.csv")?)?;
    let mut lines = table.lines();
    let columns = "step,32_bit_rms,32_bit_largest,24_bit_ati_rms,24_bit_ati_largest,16_bit_nvidia_rms,\
                   16_bit_nvidia_largest,16_bit_ati_rms,16_bit_ati_largest";
    assert_eq!(lines.next(), Some(columns));
    let rows: Vec<Vec<f64>> =
        lines.map(|line| line.split(',').map(str::parse).collect()).collect::<Result<_, _>>()?;
    assert!(rows.len() > 100 && rows.iter().all(|row| row.len() == 9));
    assert!(rows.windows(2).all(|pair| pair[0][0] < pair[1][0]));
    assert_eq!((rows[0][0], rows[0][1], rows[rows.len() - 1][0]), (0.0, 0.0, 250.0));
    Ok(())
}

#[test]
fn panels_are_as_large_as_asked_for_and_begin_with_a_state_of_the_other_demos() -> Outcome {
    let program = Program::new()?;
    program.succeed("demo formats --headless --size 20x16 --steps 3 --out a.npy")?;
    assert_eq!(values(&program.bytes("a.npy")?).len(), 42 * 34 * 2);
    program.succeed("demo formats --headless --what orbit --size 20x16 --steps 3 --out b.npy")?;
    assert_eq!(values(&program.bytes("b.npy")?).len(), 4 * 4 * 4);
    program.succeed("demo formats --headless --what counter --steps 3 --every 1 --out c.gif")?;
    for (demo, what) in [("reaction-diffusion", "gray-scott"), ("wave", "wave")] {
        program.succeed(&format!("demo {demo} --headless --size 20x16 --steps 9 --save state.npy"))?;
        let load =
            format!("demo formats --headless --what {what} --load state.npy --steps 0 --out panels.npy");
        program.succeed(&load)?;
        let (state, panels) = (values(&program.bytes("state.npy")?), values(&program.bytes("panels.npy")?));
        for (row, expected) in state.chunks(40).enumerate() {
            assert_eq!(&panels[row * 84..row * 84 + 40], expected, "32 bits hold {demo}'s state");
        }
    }
    Ok(())
}

#[test]
fn flags_that_mean_nothing_here_are_refused_by_name() -> Outcome {
    let program = Program::new()?;
    for (arguments, told) in [
        ("--save a.npy", "--save: there are four states and one in f64, for which a .npz has room"),
        ("--what orbit --load a.npy", "--load: only gray-scott and wave begin with a state"),
        ("--what counter --load a.npy", "--load: only gray-scott and wave begin with a state"),
        ("--what counter --seed 3", "--seed: counters begin where they begin"),
        ("--what counter --plot a.png", "--plot: a counter is right or stands still"),
        ("--what counter --history a.csv", "--history: a counter is right or stands still"),
    ] {
        let ended = program.run(&format!("demo formats --headless {arguments}"))?;
        assert!(ended.status == Some(2) && ended.err.contains(told), "{arguments}: {}", ended.err);
    }
    for (arguments, told) in [
        ("--plot a.jpg", "a.jpg: holds a picture, so its name must end in .png"),
        ("--history a.txt", "a.txt: holds comma-separated values, so its name must end in .csv"),
        ("--what counter --size 20x40", "size of a panel of counters = 20x40: expected at least 25x32"),
    ] {
        let ended = program.run(&format!("demo formats --headless {arguments}"))?;
        assert!(ended.status == Some(1) && ended.err.contains(told), "{arguments}: {}", ended.err);
    }
    Ok(())
}

//! `quadrille trace`: files, sums, the first difference and the first number that is not finite.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::program::{Ended, Outcome, Program, npy};

const DIFFUSE: &str = "uniform Stream u; uniform float rate; DOMAIN at; RANGE float next;\n\
                       void main() { next = value2(u, at).x + rate * valueOffset(u, at, ivec2(1, 0)).x; }\n";
const ROOT: &str =
    "uniform Stream u; DOMAIN at; RANGE float root;\nvoid main() { root = log(value2(u, at).x); }\n";

fn folder() -> Result<Program, Box<dyn std::error::Error>> {
    let program = Program::new()?;
    std::fs::write(program.path("diffuse.frag"), DIFFUSE)?;
    std::fs::write(program.path("root.frag"), ROOT)?;
    std::fs::write(program.path("u.npy"), npy("3, 5", (0..15).map(|i| (i - 7) as f32)))?;
    Ok(program)
}

#[test]
fn a_kernel_is_traced_into_files_whose_counts_are_those_of_the_run() -> Outcome {
    let program = folder()?;
    let run = "kernel diffuse.frag --stream u=u.npy --feedback u --iterate 4 --out v.npy --float rate=0.25";
    let out = program.succeed(&format!("trace --page t.html --json t.json --chrome c.json --plan {run}"))?;
    for line in ["traced 4 passes", "wrote t.html", "wrote t.json", "wrote v.npy", "geforce-6800: "] {
        assert!(out.contains(line), "{line}: {out}");
    }
    let trace: Value = serde_json::from_slice(&program.bytes("t.json")?)?;
    // The time of this card stands beside its floor, if there are numbers of it.
    let is_known =
        trace["cards"].as_array().is_some_and(|cards| cards.iter().any(|card| card["own"] == true));
    assert_eq!(
        out.contains("without the first run of each kernel") && out.contains(" for 3 passes, "),
        is_known,
        "{out}"
    );
    let sum = &trace["scopes"][0]["sum"];
    assert_eq!((&sum["passes"], &sum["texels"], &sum["uploads"]), (&4.into(), &60.into(), &1.into()));
    assert_eq!(sum["fetches"], serde_json::json!([120, 120]));
    let chrome: Value = serde_json::from_slice(&program.bytes("c.json")?)?;
    let passes = chrome["traceEvents"].as_array().into_iter().flatten();
    assert_eq!(passes.filter(|event| event["name"] == "diffuse.frag").count(), 4);
    let part = program.succeed(&format!("trace --json t.json --from 2 --passes 2 {run}"))?;
    assert!(part.contains("traced 2 passes"), "{part}");
    Ok(())
}

/// Where `bench costs` keeps what it measured of a driver.
fn kept(program: &Program, driver: &Value) -> std::path::PathBuf {
    let text = |key: &str| driver[key].as_str().unwrap_or_default().to_lowercase();
    let name = format!("{} {} gl", text("renderer"), text("version"));
    let words: Vec<&str> =
        name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    program.path("state").join("quadrille/costs").join(format!("{}.json", words.join("-")))
}

/// Mesa's other driver in software is no card of the table.
#[test]
fn a_gpu_that_nobody_knows_has_the_floors_that_were_kept() -> Outcome {
    let program = folder()?;
    let soft = |arguments: &str| -> std::io::Result<Ended> {
        program.run_with(&format!("{arguments} --api gl"), "GALLIUM_DRIVER", "softpipe")
    };
    let info: Value = serde_json::from_str(&soft("info --json")?.out)?;
    let renderer = info["driver"]["renderer"].as_str().unwrap_or_default().to_owned();
    let run = "kernel diffuse.frag --stream u=u.npy --feedback u --iterate 4 --out v.npy --float rate=0.25";
    let traced = || -> Result<(Ended, Value), Box<dyn std::error::Error>> {
        let ended = soft(&format!("trace --plan --json t.json {run}"))?;
        assert_eq!(ended.status, Some(0), "{}", ended.err);
        Ok((ended, serde_json::from_slice(&program.bytes("t.json")?)?))
    };
    let own = |trace: &Value| -> Vec<Value> {
        trace["cards"].as_array().into_iter().flatten().filter(|card| card["own"] == true).cloned().collect()
    };
    let (without, trace) = traced()?;
    let is_unknown = renderer == "softpipe";
    if !is_unknown {
        println!("skipped in part: no softpipe on this machine, but {renderer}");
    }
    let line = format!("{renderer}: its floors are not known; `quadrille bench costs` measures them");
    assert_eq!(
        (without.out.contains(&line), own(&trace).is_empty()),
        (is_unknown, is_unknown),
        "{}",
        without.out
    );

    let file = kept(&program, &info["driver"]);
    std::fs::create_dir_all(file.parent().ok_or("a folder")?)?;
    let costs = "\"pass_ns\":1,\"fetch_ns\":1,\"texel_ns\":1,\"copy_ns\":1,\"packed_ns\":1,\"banded_ns\":1,\
                 \"far_banded_ns\":1,\"dense_ns\":1,\"points_ns\":null,\"width\":null";
    let rates = "\"written_bytes_per_s\":1e12,\"fetches_per_s\":60,\"fetched_bytes_per_s\":1e12,\"moved_bytes_per_s\":1e12";
    std::fs::write(&file, format!("{{{costs},\"floors\":{{\"pass_ns\":2e9,{rates}}}}}"))?;
    let (with, trace) = traced()?;
    // Four passes of 2 s and 30 fetches each, 60 a second.
    assert!(with.out.contains(&format!("{renderer}: 10.00 s or more, measured here ")), "{}", with.out);
    assert!(
        with.out.contains("measured on this machine by quadrille bench costs") && with.err.is_empty(),
        "{}",
        with.err
    );
    let cards = own(&trace);
    assert_eq!(
        (cards.len(), &cards[0]["name"], &cards[0]["seconds"]),
        (1, &renderer.as_str().into(), &10.0.into())
    );
    let floors = trace["steps"].as_array().into_iter().flatten().filter(|step| step["what"] == "pass");
    assert!(floors.map(|pass| &pass["floor"]).all(|floor| *floor == 2.5));
    let alone = soft(&format!("trace --plan --card this {run}"))?.out;
    assert!(alone.contains("10.00 s or more") && !alone.contains("geforce-6800"), "{alone}");

    for (text, warning) in [
        (format!("{{{costs}}}"), "no floors of this GPU; `quadrille bench costs` measures them, too"),
        (
            format!("{{{costs},\"floors\":{{\"pass_ns\":-2}}}}"),
            "floors: pass_ns is -2, expected a number of 0 or more: the floors are those of the driver's name; measure anew with",
        ),
        ("{".to_owned(), "EOF while parsing an object at line 1 column 1: the floors are those of"),
    ] {
        std::fs::write(&file, &text)?;
        let (warned, trace) = traced()?;
        let line = format!("quadrille: warning: {}: {warning}", file.display());
        assert!(warned.err.starts_with(&line) && warned.err.lines().count() == 1, "{line}: {}", warned.err);
        assert_eq!(own(&trace).is_empty(), is_unknown);
    }
    Ok(())
}

/// An equation is stepped without a window, a pass of Euler's scheme a step.
#[test]
fn the_steps_of_an_equation_are_traced() -> Outcome {
    let program = folder()?;
    let passes = |steps: u64| -> Result<Option<u64>, Box<dyn std::error::Error>> {
        let run = format!("pde gray-scott.toml --scheme euler --step 0.1 --size 9x7 --steps {steps}");
        let out = program.succeed(&format!("trace --json t.json {run}"))?;
        assert!(out.contains("wrote t.json"), "{out}");
        let trace: Value = serde_json::from_slice(&program.bytes("t.json")?)?;
        Ok(trace["scopes"][0]["sum"]["passes"].as_u64())
    };
    let (two, five) = (passes(2)?, passes(5)?);
    assert_eq!(two.map(|passes| passes + 3), five, "{two:?}");
    Ok(())
}

/// The words of a strip by their class: n the textures, k the kernels, q what lies below, d and l numbers.
fn words(strip: &str, class: &str) -> Vec<String> {
    let mark = format!("class=\"{class}\">");
    strip.split(&mark).skip(1).filter_map(|rest| rest.split('<').next()).map(str::to_owned).collect()
}

#[test]
fn a_strip_has_each_texture_once_and_an_arrow_for_each_pass() -> Outcome {
    let program = folder()?;
    let run = "kernel diffuse.frag --stream u=1,2,4 --feedback u --iterate 2 --float rate=0.25";
    program.succeed(&format!("trace --strip s.svg {run}"))?;
    let strip = String::from_utf8(program.bytes("s.svg")?)?;
    assert_eq!(words(&strip, "n"), ["1: u", "2: next", "3: next"]);
    assert_eq!(words(&strip, "k"), ["diffuse.frag", "diffuse.frag"]);
    assert_eq!(words(&strip, "q"), ["3 × 1", "of 1", "3 × 1", "of 2", "3 × 1"]);
    let mut numbers = [words(&strip, "d"), words(&strip, "l")].concat();
    numbers.sort();
    // 1 2 4, then 1.5 3 5, then 2.25 4.25 6.25; the right end reads itself.
    assert_eq!(numbers, ["1", "1.5", "2", "2.25", "3", "4", "4.25", "5", "6.25"]);
    // Logarithms of -7 to 7: eight of them are not finite, and their texels are red.
    program.succeed("trace --strip r.svg kernel root.frag --stream u=u.npy --out v.npy")?;
    let strip = String::from_utf8(program.bytes("r.svg")?)?;
    assert_eq!(strip.matches("fill=\"#dd3333\"").count(), 8, "{strip}");
    // A picture is kept where a table has no room.
    let noise = "--stream u=noise:20x20:seed1 --out v.npy --float rate=0.25";
    program.succeed(&format!("trace --strip p.svg kernel diffuse.frag {noise}"))?;
    let strip = String::from_utf8(program.bytes("p.svg")?)?;
    assert_eq!((strip.matches("<image ").count(), words(&strip, "d").len()), (2, 0));
    for (arguments, line) in [
        (format!("--scope step {run}"), "scope = \"step\": expected one of all"),
        (run.replace("--iterate 2", "--iterate 65"), "strip = 65 passes: expected 1 to 64 passes"),
    ] {
        let refused = program.run(&format!("trace --strip t.svg {arguments}"))?;
        assert!(refused.status == Some(1) && refused.err.contains(line), "{arguments}: {}", refused.err);
        assert!(!program.files()?.contains(&"t.svg".to_owned()), "nothing is written");
    }
    Ok(())
}

#[test]
fn the_first_pass_whose_outputs_differ_is_told() -> Outcome {
    let program = folder()?;
    let run = "kernel diffuse.frag --stream u=u.npy --feedback u --iterate 4 --out v.npy --float rate=";
    program.succeed(&format!("trace --json a.json {run}0.25 --api gl"))?;
    program.succeed(&format!("trace --json b.json {run}0.25 --api gles"))?;
    program.succeed(&format!("trace --json c.json {run}0.5"))?;
    let same = program.succeed("trace --compare a.json b.json")?;
    assert_eq!(same.trim(), "all 4 passes have the same outputs");
    let differs = program.run("trace --compare a.json c.json")?;
    assert_eq!(differs.status, Some(1));
    assert!(
        differs.err.contains("pass 1, diffuse.frag (): next differs, of the same inputs"),
        "{}",
        differs.err
    );
    std::fs::write(program.path("d.json"), "{}")?;
    let refused = program.run("trace --compare a.json d.json")?;
    assert!(refused.err.contains("d.json: expected a file that quadrille trace wrote"), "{}", refused.err);
    Ok(())
}

/// The earlier run is given as its page or as its JSON.
#[test]
fn a_page_holds_the_earlier_trace_that_it_is_compared_with() -> Outcome {
    let program = folder()?;
    let run = "kernel diffuse.frag --stream u=u.npy --feedback u --iterate 4 --out v.npy --float rate=";
    program.succeed(&format!("trace --page a.html --json a.json {run}0.25"))?;
    for earlier in ["a.html", "a.json"] {
        program.succeed(&format!("trace --page b.html --against {earlier} {run}0.5"))?;
        let page = String::from_utf8(program.bytes("b.html")?)?;
        let inside = page.split("id=\"earlier\">").nth(1).and_then(|rest| rest.split("</script>").next());
        let held: Value = serde_json::from_str(&inside.unwrap_or_default().replace("<\\/", "</"))?;
        assert_eq!(held["kernels"][0]["name"], "diffuse.frag", "{earlier}");
        assert_eq!(held["scopes"][0]["sum"]["passes"], 4, "{earlier}");
    }
    let same = program.succeed("trace --compare a.html a.json")?;
    assert_eq!(same.trim(), "all 4 passes have the same outputs");
    for (arguments, status, line) in [
        ("trace --page b.html --against u.npy", 1, "u.npy: expected a file that quadrille trace wrote"),
        ("trace --json b.json --against a.json", 2, "--page"),
    ] {
        let refused = program.run(&format!("{arguments} {run}0.5"))?;
        assert_eq!(refused.status, Some(status), "{}", refused.err);
        assert!(refused.err.contains(line), "{}", refused.err);
    }
    Ok(())
}

#[test]
fn the_first_number_that_is_not_finite_is_told_with_what_it_was_made_of() -> Outcome {
    let program = folder()?;
    let found = program.run("trace --nan kernel root.frag --stream u=u.npy --out v.npy")?;
    assert_eq!(found.status, Some(1));
    assert!(found.err.contains("pass 1, root.frag (): root at (0, 0) is "), "{}", found.err);
    assert!(found.err.contains("made of u(0, 0) = -7e0"), "{}", found.err);
    assert!(!program.files()?.contains(&"v.npy".to_owned()), "nothing is written");
    Ok(())
}

#[test]
fn what_cannot_be_traced_is_wrong_usage() -> Outcome {
    let program = folder()?;
    for (arguments, line) in [
        ("trace", "trace: which command?"),
        ("trace demo fluid", "trace: nothing is asked for"),
        ("trace --page t.html demo fluid", "trace: demo: --steps N"),
        ("trace --plan info", "trace: traces demo NAME, pde, solve"),
        ("trace --plan trace --plan demo", "trace: traces demo NAME, pde, solve"),
        ("trace --plan kernel", "trace: the following required arguments"),
    ] {
        let refused = program.run(arguments)?;
        assert_eq!(refused.status, Some(2), "{arguments}: {}", refused.err);
        assert!(refused.err.contains(line), "{arguments}: {}", refused.err);
    }
    Ok(())
}

/// The numbers of the last pass, as a reader of the page finds them, and the first texels of the first pass that one of them came from.
const READ: &str = "<script>
const last = passes.at(-1), values = Array.from(valuesOf(images[last.targets[0]]));
let texels = [[2, 1]], image = null;
for (const pass of [...passes].reverse()) {
    texels = texels.flatMap(texel => sourcesOf(pass, texel).get(0));
    image = images[pass.streams[0].image];
}
document.title = JSON.stringify([values, texels.map(texel => texel.join()).filter((texel, place, all) => all.indexOf(texel) === place), writerOf(image, texels[0])?.what]);
</script>";

#[test]
fn a_page_in_a_browser_has_the_numbers_of_the_file_and_leads_back_to_the_input() -> Outcome {
    let program = folder()?;
    let run = "kernel diffuse.frag --stream u=u.npy --feedback u --iterate 4 --out v.npy --float rate=0.25";
    program.succeed(&format!("trace --page t.html {run}"))?;
    let page = std::fs::read_to_string(program.path("t.html"))?;
    std::fs::write(program.path("t.html"), page.replace("</body>", &format!("{READ}</body>")))?;
    let Some(browser) = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
        .into_iter()
        .find(|path| Path::new(path).exists())
    else {
        println!("skipped: no chromium on this machine");
        return Ok(());
    };
    let shown = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-sync",
            "--disable-quic",
        ])
        .args(["--disable-background-networking", "--disable-component-update", "--virtual-time-budget=5000"])
        .arg(format!("--user-data-dir={}", program.path("profile").display()))
        .arg("--dump-dom")
        .arg(format!("file://{}", program.path("t.html").display()))
        .output()?;
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    let title =
        shown.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next()).ok_or("no title")?;
    let found: Value = serde_json::from_str(&title.replace("&quot;", "\""))?;
    let file = program.bytes("v.npy")?;
    let (numbers, _) = file[file.len() - 60..].as_chunks::<4>();
    let numbers: Vec<f64> = numbers.iter().map(|bytes| f32::from_le_bytes(*bytes).into()).collect();
    let shown = found[0].as_array().into_iter().flatten().map(Value::as_f64).collect::<Option<Vec<_>>>();
    assert_eq!(shown, Some(numbers));
    // Four steps fetch a cell and the one beside it, which ends at the edge.
    assert_eq!((&found[1], &found[2]), (&serde_json::json!(["2,1", "3,1", "4,1"]), &"upload".into()));
    Ok(())
}

/// A picture of each of the passes of a step and of what makes the first, in a page that fits into a mail.
#[test]
fn a_page_of_a_step_of_a_fluid_of_513_nodes_is_at_most_3_mb() -> Outcome {
    let program = Program::new()?;
    program.succeed("trace --page t.html demo fluid --size 513x513 --steps 1")?;
    let bytes = program.bytes("t.html")?.len();
    assert!((100_000..3_000_000).contains(&bytes), "{bytes}");
    Ok(())
}

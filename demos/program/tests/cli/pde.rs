//! `quadrille pde` with shipped files and with mistakes.

use serde_json::Value;

use crate::program::{Outcome, Program, values};

fn shipped(name: &str) -> String {
    format!("{}/../gallery/equations/{name}.toml", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn a_mistake_is_one_line_with_its_place_and_the_part_underlined() -> Outcome {
    let program = Program::new()?;
    let text =
        "grid = { size = 9, length = 1 }\nrun = { step = 0.1 }\nfields.u = { dt = \"lap(q)\", start = 0 }\n";
    std::fs::write(program.path("wrong.toml"), text)?;
    let told = program.run("pde wrong.toml --steps 1")?;
    assert_eq!(told.status, Some(1));
    let lines: Vec<&str> = told.err.lines().collect();
    assert_eq!(lines[0], "wrong.toml:3:24: \"q\" is no field, parameter or let; did you mean \"u\"?");
    assert!(told.err.contains("fields.u = { dt = \"lap(q)\", ") && told.err.contains('^'), "{}", told.err);
    std::fs::write(program.path("right.toml"), text.replace('q', "u"))?;
    for (flags, line) in [
        ("--scheme euler", "how long? [run] has no `until`"),
        ("--scheme euler --steps 1 --set a=1", "right.toml: \"a\" is no parameter; there are none"),
        (
            "--scheme euler --steps 1 --size 9x9",
            "right.toml: size 9x9: the file's domain is a line, expected nodes as in 9",
        ),
        ("--scheme euler --steps 1 --every 2", "--every: of which file? --out or --probes"),
    ] {
        let told = program.run(&format!("pde right.toml {flags}"))?;
        assert_eq!(told.status, Some(2), "{flags}: {}", told.err);
        assert!(told.err.starts_with(&format!("quadrille: {line}")), "{flags}: {}", told.err);
    }
    // Options of implicit schemes say that another scheme has no use for them.
    let file = text.replace("step = 0.1", "step = 0.1, tolerance = 1e-4").replace('q', "u");
    std::fs::write(program.path("option.toml"), file)?;
    let told = program.run("pde option.toml --scheme euler --steps 1 --step 1e-3")?;
    assert_eq!(told.err, "quadrille: warning: option.toml: euler has no use for `tolerance`\n");
    Ok(())
}

/// With like edges the part is singular at Δt = 1/2; with unlike ones it is not.
#[test]
fn a_joined_system_that_runs_is_explained() -> Outcome {
    let program = Program::new()?;
    let text = "grid = { size = [12, 9], length = [11, 8] }\n\
        run = { step = 0.5, scheme = \"imex-euler\", implicit = \"all\" }\n[fields]\n\
        u = { dt = \"lap(u) + 2*v\", start = \"x\", edges = \"neumann\" }\n\
        v = { dt = \"lap(v) + 2*u\", start = \"0\", edges = { value = 0 } }\n";
    std::fs::write(program.path("joined.toml"), text)?;
    program.succeed("pde joined.toml --steps 2")?;
    let told = program.succeed("pde joined.toml --explain")?;
    assert!(told.contains("\nsolved: all fields at once by BiCGSTAB"), "{told}");
    std::fs::write(program.path("like.toml"), text.replace("{ value = 0 }", "\"neumann\""))?;
    let told = program.run("pde like.toml --explain")?;
    assert_eq!(told.status, Some(1), "{}", told.err);
    Ok(())
}

#[test]
fn implicit_steps_are_explained_checked_and_saved() -> Outcome {
    let program = Program::new()?;
    let cahn = shipped("cahn-hilliard");
    let told = program.succeed(&format!("pde {cahn} --explain"))?;
    for line in [
        "scheme imex-euler: J at the end of a step, N from the times reached",
        "u: J = lap([(-kappa)*lap(u) + 2*u]); N = lap(m - [(-kappa)*lap(u) + 2*u])",
        "solved: 1 + 2Λ + Λ²: real roots (1 + Λ)(1 + Λ)",
        "a step: ",
        "nodes 1 x 1 apart; step 1, euler would be stable up to 0.035 at the start",
        "  an iteration: 1 pass, 1.5 fetches a node; ",
        "  all of step 4: ",
        "the same time by euler: 29 steps of 2 passes; implicit: 34 passes",
    ] {
        assert!(told.lines().any(|told| told.starts_with(line)), "{line}\n{told}");
    }
    let told = program.succeed(&format!("pde {cahn} --size 32x32 --steps 5 --check --json"))?;
    let told: Value = serde_json::from_str(&told)?;
    assert!(told["check"].as_f64() < Some(1e-3) && told["steady"] == false, "{told}");
    let gray = shipped("gray-scott");
    let run = |flags: &str| program.succeed(&format!("pde {gray} --size 32x32 {flags}"));
    run("--steps 25 --out whole.npy")?;
    run("--steps 7 --save half.npz")?;
    run("--load half.npz --steps 18 --out halves.npy")?;
    assert!(program.bytes("whole.npy")? == program.bytes("halves.npy")?);
    // 1.5/r, as on the whole grid: nodes are as far apart.
    let few = std::fs::read_to_string(shipped("swift-hohenberg"))?
        .replace("[100.53096, 100.53096]", "[25.13274, 25.13274]");
    std::fs::write(program.path("few.toml"), few)?;
    let told = program.succeed("pde few.toml --size 32x32 --explain")?;
    assert!(told.contains("\nthe implicit part is singular from a step of 5.0 on\n"), "{told}");
    let told = program.run(&format!("pde {} --step 10 --steps 1", shipped("swift-hohenberg")))?;
    assert_eq!(told.status, Some(1));
    assert_eq!(told.err, "quadrille: step 10: implicit part singular from Δt = 5: take less\n");
    let rolls = std::fs::read_to_string(shipped("swift-hohenberg"))?
        .replace("step = 0.5,", "step = 3.3333, tolerance = 1e-7,")
        .replace("0.2*normal()", "0.1*cos(x)")
        .replace("[100.53096, 100.53096]", "[25.13274, 25.13274]");
    std::fs::write(program.path("rolls.toml"), rolls)?;
    let told = program.run("pde rolls.toml --size 32x32 --steps 3")?;
    assert_eq!(told.status, Some(3), "{}", told.err);
    assert!(
        told.err.starts_with("quadrille: the linear system of step 1 has a residual of "),
        "{}",
        told.err
    );
    Ok(())
}

#[test]
fn a_run_that_was_saved_goes_on_bit_for_bit() -> Outcome {
    let program = Program::new()?;
    let file = shipped("gray-scott");
    let run =
        |flags: &str| program.succeed(&format!("pde {file} --size 32x32 --scheme ab2 --step 0.5 {flags}"));
    run("--steps 9 --out whole.npy")?;
    run("--steps 4 --save half.npz")?;
    run("--load half.npz --steps 5 --out halves.npy")?;
    assert!(program.bytes("whole.npy")? == program.bytes("halves.npy")?);
    assert_eq!(values(&program.bytes("whole.npy")?).len(), 2 * 32 * 32);
    Ok(())
}

/// A state brings parameters, scheme, step, size and seed; what the command line says counts, and is told.
#[test]
fn a_loaded_run_has_the_numbers_that_it_was_saved_with() -> Outcome {
    let program = Program::new()?;
    let text = "grid = { size = [12, 9], length = [12, 9] }\nrun = { step = 0.1, seed = 7, scheme = \"euler\" }\n\
                parameters = { a = 1, b = 2 }\n\
                fields.u = { dt = \"a*lap(u) - b*u\", start = \"normal()\", noise = \"0.1\", edges = \"neumann\" }\n";
    std::fs::write(program.path("n.toml"), text)?;
    let numbers = "--set a=0.5 --set b=0.25 --scheme imex-euler --step 0.75 --size 15x11 --seed 3";
    program.succeed(&format!("pde n.toml {numbers} --steps 8 --out whole.npy"))?;
    program.succeed(&format!("pde n.toml {numbers} --steps 5 --save half.npz"))?;
    let told = program.run("pde n.toml --load half.npz --steps 3 --out halves.npy --json")?;
    assert_eq!((told.status, told.err.as_str()), (Some(0), ""), "{}", told.err);
    assert!(program.bytes("whole.npy")? == program.bytes("halves.npy")?);
    let report: Value = serde_json::from_str(&told.out)?;
    assert_eq!(report["parameters"], serde_json::json!({ "a": 0.5, "b": 0.25 }));
    let told = program.run("pde n.toml --load half.npz --set b=1 --step 0.5 --steps 1 --json")?;
    let lines: Vec<&str> = told.err.lines().collect();
    assert_eq!(
        lines,
        [
            "quadrille: --set b=1 counts: half.npz was saved with --set b=0.25",
            "quadrille: --step 0.5 counts: half.npz was saved with --step 0.75"
        ]
    );
    let report: Value = serde_json::from_str(&told.out)?;
    assert_eq!((&report["parameters"]["a"], &report["parameters"]["b"]), (&0.5.into(), &1.0.into()));
    assert_eq!((report["time"].as_f64(), report["step"].as_f64()), (Some(4.25), Some(0.5)));
    Ok(())
}

/// Arrays and pictures that a file names are read by one reader with and without a window.
#[test]
fn arrays_and_pictures_beside_a_file_are_read_and_wrong_ones_are_told() -> Outcome {
    let program = Program::new()?;
    let text = "grid = { size = [6, 4], length = [6, 4] }\nrun = { step = 0.1, scheme = \"euler\" }\n\
                fields.u = { dt = \"0\", start = \"array(\\\"f.npy\\\")\" }\n";
    std::fs::create_dir(program.path("in"))?;
    std::fs::write(program.path("in/a.toml"), text)?;
    let told = program.run("pde in/a.toml --steps 1")?;
    assert!(told.status == Some(1) && told.err.contains("in/f.npy"), "{}", told.err);
    program.succeed("pde gray-scott.toml --size 6x5 --steps 0 --out in/f.npy")?;
    let told = program.run("pde in/a.toml --steps 1")?;
    assert!(told.err.contains("in/f.npy") && told.err.contains("expected (4, 6)"), "{}", told.err);
    std::fs::write(program.path("one.toml"), text.replace("array(\\\"f.npy\\\")", "x + 10*y"))?;
    program.succeed("pde one.toml --steps 0 --out in/f.npy")?;
    program.succeed("pde in/a.toml --steps 1 --out again.npy")?;
    assert!(program.bytes("again.npy")? == program.bytes("in/f.npy")?);
    Ok(())
}

#[test]
fn every_file_of_the_folder_is_packed() -> Outcome {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../equations");
    let mut there = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        there.push(entry?.file_name().to_string_lossy().into_owned());
    }
    let mut names: Vec<&str> = quadrille_gallery::equations::SHIPPED.iter().map(|file| file.name).collect();
    names.sort_unstable();
    there.sort_unstable();
    assert_eq!(names, there);
    Ok(())
}

#[test]
fn a_packed_file_is_known_by_its_name_and_a_picture_has_the_pixels_that_were_asked_for() -> Outcome {
    let program = Program::new()?;
    program.succeed(
        "pde gray-scott.toml --headless --size 16x16 --steps 2 --picture 40x20 --out a.png --save a.npz",
    )?;
    assert_eq!(image::load_from_memory(&program.bytes("a.png")?)?.to_rgb8().dimensions(), (40, 20));
    // A file of that name in the folder comes first.
    std::fs::write(program.path("wave.toml"), "grid = 1")?;
    assert_eq!(program.run("pde wave.toml --steps 1")?.status, Some(1));
    let told = program.run("pde nothing.toml --steps 1")?;
    assert_eq!(
        (told.status, told.err.starts_with("quadrille: nothing.toml: ")),
        (Some(1), true),
        "{}",
        told.err
    );
    let told = program.run("pde heat.toml --size 17x16 --step 0.0001 --steps 1 --load a.npz")?;
    assert!(
        told.err.ends_with("quadrille: a.npz: \"field_u\" has not the 272 numbers of the grid\n"),
        "{}",
        told.err
    );
    let told = program.run("pde wave.toml --picture 40x20")?;
    assert_eq!(told.status, Some(2), "{}", told.err);
    Ok(())
}

#[test]
fn probes_errors_and_checks_are_reported() -> Outcome {
    let program = Program::new()?;
    let (bistable, wave) = (shipped("bistable"), shipped("wave"));
    let text = "grid = { size = 5, length = 4 }\nrun = { step = 0.125, scheme = \"euler\" }\n\
                fields.u = { dt = \"-u\", start = \"1 + x\" }\n\
                probes = [{ name = \"first\", show = \"u\", at = 0 }, { name = \"all\", show = \"integral(u) + t\" }]\n";
    std::fs::write(program.path("fall.toml"), text)?;
    program.succeed("pde fall.toml --steps 5 --every 2 --probes fall.csv")?;
    let table = String::from_utf8(program.bytes("fall.csv")?)?;
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some("step,t,first,all"));
    for step in [0, 2, 4, 5] {
        let row: Vec<f64> =
            lines.next().unwrap_or_default().split(',').filter_map(|part| part.parse().ok()).collect();
        let (left, t) = (0.875_f64.powi(step), 0.125 * f64::from(step));
        for (found, expected) in row.iter().zip([f64::from(step), t, left, 12.0 * left + t]) {
            assert!((found - expected).abs() < 1e-5, "{row:?}, expected {expected}");
        }
        assert_eq!(row.len(), 4, "{table}");
    }
    assert_eq!(lines.next(), None);
    let told = program.succeed(&format!("pde {bistable} --until 2 --check --json"))?;
    let told: Value = serde_json::from_str(&told)?;
    let number = |key: &str| told[key].as_f64().unwrap_or(f64::NAN);
    // Second order at h = 0.2: the front's fourth derivative over 12, times h², grown for two units of time.
    assert!(number("error_max") < 2e-3 && number("error_max") > 1e-6 && number("check") < 1e-5, "{told}");
    assert_eq!((number("steps"), number("time")), (100.0, 2.0));
    let waves = std::fs::read_to_string(wave)?.replace("exp(-((x-0.35)^2+(y-0.4)^2)/0.004)", "cos(2*pi*x)");
    std::fs::write(program.path("waves.toml"), waves)?;
    program.succeed("pde waves.toml --step 0.01 --size 16x16 --steps 20 --probes p.csv --every 10")?;
    let table = String::from_utf8(program.bytes("p.csv")?)?;
    let rows: Vec<Vec<f64>> = table
        .lines()
        .skip(1)
        .map(|line| line.split(',').filter_map(|part| part.parse().ok()).collect())
        .collect();
    assert!(table.starts_with("step,t,energy\n") && rows.len() == 3 && rows[2][1] == 0.2, "{table}");
    // rk4 loses (ω Δt)⁶/72 a step of the energy, here 1e-8.
    assert!((rows[2][2] / rows[0][2] - 1.0).abs() < 1e-5, "{table}");
    Ok(())
}

#[test]
fn a_run_that_blows_up_exits_with_3_and_warns_before() -> Outcome {
    let program = Program::new()?;
    let told = program
        .run(&format!("pde {} --scheme euler --size 16x16 --step 25 --steps 600", shipped("decay")))?;
    assert_eq!(told.status, Some(3), "{}", told.err);
    let lines: Vec<&str> = told.err.lines().collect();
    // h = 128/15: the fastest decay is 8/h², the limit 2 over that.
    assert_eq!(lines[0], "quadrille: warning: step 25 is 1.37 times the limit 18 of euler");
    assert!(lines[1].starts_with("quadrille: u is not finite at step ") && lines.len() == 2, "{}", told.err);
    Ok(())
}

#[test]
fn pictures_of_each_kind_and_kernels_are_written() -> Outcome {
    let program = Program::new()?;
    let text = std::fs::read_to_string(shipped("disc"))?.replace(
        "range = [0, 1] }]",
        "range = [0, 1], contours = [0.5], arrows = [\"dx(u)\", \"dy(u)\"] }, { show = \"u\", kind = \"surface\" }]",
    );
    std::fs::write(program.path("disc.toml"), text)?;
    program.succeed("pde disc.toml --size 45x45 --step 0.0005 --steps 40 --out a.png --view 2")?;
    program.succeed("pde disc.toml --size 45x45 --step 0.0005 --steps 4 --out b.png --view 3")?;
    program.succeed(&format!("pde {} --steps 40 --out c.png", shipped("kuramoto-sivashinsky")))?;
    program.succeed(&format!("pde {} --steps 4 --out d.png", shipped("burgers")))?;
    let sizes = [("a", 45, 45), ("b", 640, 480), ("c", 256, 41), ("d", 640, 480)];
    for (name, width, height) in sizes {
        let picture = image::load_from_memory(&program.bytes(&format!("{name}.png"))?)?.to_rgb8();
        assert_eq!(picture.dimensions(), (width, height), "{name}");
        let first = picture.get_pixel(0, 0);
        assert!(picture.pixels().any(|pixel| pixel != first), "{name} is empty");
    }
    std::fs::create_dir(program.path("made"))?;
    program.succeed("pde disc.toml --kernels made --explain")?;
    assert!(String::from_utf8(program.bytes("made/step.frag")?)?.contains("RANGE float r;"));
    Ok(())
}

/// A formula for arrows may be any size where the mask hides it.
#[test]
fn arrows_are_as_long_as_the_longest_inside_the_mask() -> Outcome {
    let program = Program::new()?;
    let picture = |along: &str| -> Result<Vec<u8>, Box<dyn std::error::Error>> {
        let text = format!(
            "grid = {{ size = [33, 33], length = [1, 1], mask = \"x < 0.6\" }}\nrun = {{ scheme = \"euler\", step = 1e-4 }}\n\
             fields.u = {{ dt = \"lap(u)\", start = \"x\" }}\nviews = [{{ show = \"u\", arrows = [\"{along}\", \"y\"] }}]\n"
        );
        std::fs::write(program.path("a.toml"), text)?;
        program.succeed("pde a.toml --steps 0 --picture 198x198 --out a.png")?;
        Ok(program.bytes("a.png")?)
    };
    let plain = picture("1")?;
    assert!(plain == picture("where(x < 0.6, 1, 100)")?);
    assert!(plain != picture("0")?);
    Ok(())
}

/// Likely slips, and a step that is too long, are a line each before the run.
#[test]
fn slips_and_limits_are_warned_of() -> Outcome {
    let program = Program::new()?;
    let told = |text: &str, flags: &str| -> Result<(String, Option<i32>), Box<dyn std::error::Error>> {
        std::fs::write(program.path("f.toml"), text)?;
        let told = program.run(&format!("pde f.toml {flags}"))?;
        Ok((told.err, told.status))
    };
    let head = |run: &str| format!("grid = {{ size = 128, length = 4 }}\nrun = {{ {run}, until = 6 }}\n");
    let carried = "fields.c = { dt = \"0.005*lap(c) - adv(1, 0, c)\", start = \"gauss((x-2)/0.2)\", edges = \"periodic\" }\n";
    let wave =
        "fields.u = { dt = \"v\", start = \"gauss(x-2)\" }\nfields.v = { dt = \"lap(u)\", start = \"0\" }\n";
    let beam = "fields.u = { dt = \"v\", start = \"gauss(x-2)\" }\nfields.v = { dt = \"-lap(lap(u))\", start = \"0\" }\n";
    for (run, fields, line) in [
        ("scheme = \"euler\", step = 0.03", carried, "step 0.03 is 2.97 times the limit 0.010 of euler"),
        (
            "scheme = \"ab2\", step = 0.03",
            wave,
            "ab2 lets waves that are not damped grow at any step: rk4 is stable up to 0.045",
        ),
        ("scheme = \"rk4\", step = 0.05", wave, "step 0.05 is 1.12 times the limit 0.045 of rk4"),
        (
            "scheme = \"rk4\", step = 0.001",
            "fields.u = { dt = \"-lap(u)\", start = \"x\" }",
            "waves of u grow the faster the shorter they are, the shortest at the rate 4032: is the sign of a second derivative wrong, or are nodes too far apart?",
        ),
    ] {
        let found = told(&(head(run) + fields), "--steps 10")?;
        assert_eq!(found, (format!("quadrille: warning: {line}\n"), Some(0)));
    }
    let (found, _) = told(&(head("scheme = \"sbdf2\", step = 0.01") + beam), "--explain")?;
    assert!(found.contains("implicit = \"all\" takes them at the end of the step"), "{found}");
    let (found, _) = told(&(head("scheme = \"rk4\", step = 0.01") + wave), "--explain")?;
    assert_eq!(found, "");
    // A slow oscillation beside fast diffusion: growth of a thousandth a step is not told of 60 steps.
    let slow = "fields.u = { dt = \"0.5*lap(u) - 0.5*v\", start = 1, edges = \"periodic\" }\n\
                fields.v = { dt = \"0.5*lap(v) + 0.5*u\", start = 0, edges = \"periodic\" }\n";
    let text = head("scheme = \"euler\", step = 0.1").replace("length = 4", "length = 128") + slow;
    assert_eq!(told(&text, "")?, (String::new(), Some(0)));
    let text = head("scheme = \"euler\", step = 0.0001")
        + "parameters = { a = 1, b = 2 }\nlet = { w = \"a\" }\nfields.u = { dt = \"lap(u)\" }\n";
    let (found, status) = told(&text, "--until 0.00025")?;
    let lines = [
        "f.toml: no formula has the parameter \"b\"",
        "f.toml: no formula has the let \"w\"",
        "f.toml: no field has a `start`: all begin as 0",
        "0.00025 is no whole number of steps of 0.0001: the run ends at t = 0.0003",
    ];
    assert_eq!(status, Some(0));
    assert_eq!(found.lines().collect::<Vec<_>>(), lines.map(|line| format!("quadrille: warning: {line}")));
    // 1 - cos(a) of a small a has lost most digits in 32 bits.
    let text = head("scheme = \"euler\", step = 0.0001")
        + "fields.u = { dt = \"lap(u)\", start = 0, edges = { left = { value = \"1 - cos(2*pi*t)\" } } }\n";
    let (found, status) = told(&text, "--steps 1 --check")?;
    assert_eq!(status, Some(1));
    assert!(
        found.starts_with("quadrille: --check: step 1, u at x = 0: ") && found.contains("1 - cos(a)"),
        "{found}"
    );
    let found = program.run("pde nosuch.toml --steps 1")?;
    assert!(
        found.err.starts_with("quadrille: nosuch.toml: no such file; packed are ")
            && found.err.contains("wave.toml")
    );
    Ok(())
}

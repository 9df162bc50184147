//! Bad input of every kind: one clear line, exit status 1 (2 for usage), nothing left behind.

use crate::program::{Ended, Outcome, Program, npy};

const COPY: &str = "uniform Stream a;\nuniform float unused;\nuniform float f;\nDOMAIN c;\nRANGE vec2 r;\n\
                    void main() { r = value2(a, c).xy * f; }\n";

/// Arguments, and what the line must say.
const ERRORS: &[(&str, &str)] = &[
    ("demo reaction-diffusion --headless --size 99999x8", "width is 99999, the limit is 16384"),
    ("demo reaction-diffusion --headless --preset nothing", "no preset \"nothing\": there are coral"),
    (
        "demo reaction-diffusion --headless --out a.png --colours nothing",
        "no colour map \"nothing\": there are",
    ),
    ("demo reaction-diffusion --headless --out a.bmp", "a.bmp: cannot write .bmp"),
    ("demo reaction-diffusion --headless --out missing/a.png", "missing/a.png: "),
    ("demo reaction-diffusion --headless --save missing/a.npy", "missing/a.npy: "),
    ("demo reaction-diffusion --headless --load missing.npy", "missing.npy: No such file"),
    (
        "demo reaction-diffusion --headless --load one.npy",
        "one.npy: 1 components, a state of reaction-diffusion has 2",
    ),
    ("demo reaction-diffusion --headless --load nan.npy", "nan.npy: cell (1, 0) is not a finite number"),
    ("demo reaction-diffusion --headless --load cut.npy", "cut.npy: "),
    ("demo reaction-diffusion --headless --load copy.frag", "copy.frag: is not a .npy file"),
    (
        "demo reaction-diffusion --headless --load two.npy --size 9x9",
        "two.npy: the state is 2x1, --size says 9x9",
    ),
    ("demo wave --headless --size 99999x8", "width is 99999, the limit is 16384"),
    ("demo wave --headless --out a.png --colours nothing", "no colour map \"nothing\": there are"),
    ("demo wave --headless --load one.npy", "one.npy: 1 components, a state of wave has 2 (y, y_last)"),
    ("demo wave --headless --load nan.npy", "nan.npy: cell (1, 0) is not a finite number"),
    ("demo wave --headless --picture 99999x8 --out a.png", "width is 99999, the limit is 16384"),
    (
        "demo wave --headless --view water --limits RADEON_9700",
        "streams of the vertex kernel is 1, the limit is 0",
    ),
    (
        "demo wall --headless --columns 1000 --rows 10 --form dense --steps 1",
        "number of unknowns is 120000, the limit is 16384: fewer cubes, --form groups or --form reference",
    ),
    (
        "demo wall --headless --columns 1000 --rows 10 --form groups --steps 1",
        "number of unknowns is 120000, the limit is 65536: fewer cubes or --form reference",
    ),
    (
        "demo wall --headless --columns 18 --rows 10 --form dense --limits RADEON_9700",
        "number of unknowns is 2160, the limit is 2048: fewer cubes, --form groups",
    ),
    ("demo wall --headless --load missing.npy", "missing.npy: No such file"),
    ("demo wall --headless --load one.npy", "one.npy: 1 x 2 numbers, bodies have 13 each"),
    ("demo wall --headless --picture 99999x8 --out a.png", "width is 99999, the limit is 16384"),
    ("info --device 77", "no device \"77\""),
    ("kernel missing.frag --out o.npy", "missing.frag: No such file"),
    ("kernel copy.frag --stream a=missing.npy --out o.npy", "missing.npy: No such file"),
    ("kernel copy.frag --stream b=two.npy --out o.npy", "has no stream \"b\": it has a"),
    (
        "kernel copy.frag --stream f=two.npy --out o.npy",
        "f is declared as float, and --stream gives it as Stream: write uniform Stream f;",
    ),
    (
        "kernel copy.frag --stream a=two.npy --float f=1,2 --out o.npy",
        "declares \"f\" as float, but vec2 was bound",
    ),
    (
        "kernel copy.frag --stream a=two.npy --float unused=1 --out o.npy",
        "declares constant \"unused\" but never uses it",
    ),
    ("kernel copy.frag --stream a=two.npy --out o.npy", "constant \"f\" is not bound"),
    (
        "kernel copy.frag --stream a=two.npy --float f=1 --domain d=0,0,1,1 --out o.npy",
        "has no domain \"d\": it has c",
    ),
    ("kernel copy.frag --stream a=two.npy --float f=1 --components 3 --out o.npy", "at most 2 components"),
    (
        "kernel copy.frag --stream a=two.npy --float f=1 --range 0,0,3,1 --out o.npy",
        "range 0,0,3,1 leaves the 2x1 target",
    ),
    ("kernel copy.frag --stream a=two.npy --float f=1 --out o.exr", "its name must end in .npy or .png"),
    (
        "demo reaction-diffusion --headless --save o",
        "its name must end in .npz, or in .npy for its numbers alone",
    ),
    ("kernel version.frag --size 2x2 --out o.npy", "expected no #version"),
    ("kernel latin.frag --size 2x2 --out o.npy", "latin.frag: not UTF-8 text"),
    ("kernel /dev/zero --size 2x2 --out o.npy", "/dev/zero: longer than 16 MiB"),
    ("kernel sampler.frag --size 2x2 --out o.npy", "sampler.frag:1: `uniform sampler2D n;"),
    (
        "kernel integer.frag --size 2x2 --out o.npy --float n=2.5",
        "n is declared as int, and --float gives it as float: write uniform float n;",
    ),
    (
        "demo reaction-diffusion --headless --size 4294967295x4294967295",
        "width is 4294967295, the limit is 16384",
    ),
    (
        "kernel copy.frag --stream a=two.npy --float f=1 --size 20000x2 --out o.npy",
        "the limit is 16384 a side",
    ),
    (
        "kernel typo.frag --out o.npy",
        "typo.frag:4: `r = valeu2(a, c);`: valeu2 is not declared. Did you mean value2? (the driver: ",
    ),
    ("kernel copy.frag --stream a=two.npy --float f=1 --out missing/o.npy", "missing/o.npy: "),
];

const USAGE: &[&str] = &[
    "demo reaction-diffusion --check --steps 0",
    "demo --check",
    "demo --steps 5 --json",
    "kernel a.frag --out o.npy --stream a=b.npy --stream a=c.npy",
    "kernel a.frag --out o.npy --stream a=b.npy --float a=1",
    "kernel a.frag --out o.npy --stream a=b.npy --iterate 2",
    "demo reaction-diffusion --headless --beta 1",
    "demo reaction-diffusion --headless --view water",
    "demo reaction-diffusion --headless --edges fixed",
    "demo wave --headless --F 0.1",
    "demo wave --headless --preset coral",
    "demo wave --headless --edges repeat",
    "demo wave --headless --scheme other",
    "demo wave --headless --picture 0x5",
    "demo wave --headless --view flat --picture 80x60 --out a.png",
    "demo wave --watch",
    "demo wave --headless --rows 3",
    "demo reaction-diffusion --headless --friction 1",
    "demo wall --headless --size 9x9",
    "demo wall --headless --edges clamp",
    "demo wall --headless --colours magma",
    "demo wall --headless --view flat",
    "demo wall --headless --tolerance 1",
    "demo wall --headless --k 0.05",
    "demo wall --headless --columns 0",
    "demo wall --headless --form other",
    "demo wall --headless --push -1",
    "demo wall --headless --push nan",
    "demo wall --headless --picture 80x60",
    "demo wave --headless --turn 5",
    "demo wave --headless --out a.png --turn 181",
    "demo wave --headless --out a.png --distance 0.1",
    "demo wave --headless --out a.png --view flat --rise 20",
    "demo wall --headless --out a.npy --rise 20",
    "demo reaction-diffusion --headless --out a.png --turn 5",
    "demo wall --watch",
    "demo reaction-diffusion --size 0x5",
    "demo reaction-diffusion --size 512",
    "demo reaction-diffusion --every 0 --out a.gif",
    "demo reaction-diffusion --every 5",
    "demo reaction-diffusion --steps -1",
    "demo reaction-diffusion --headless --watch",
    "demo reaction-diffusion --nothing",
    "info --api vulkan",
    "info --limits VOODOO",
    "kernel a.frag --out o.npy --edges around",
    "kernel a.frag --out o.npy --edges a=around",
    "kernel a.frag --out o.npy --components 5",
    "kernel a.frag --out o.npy --components a=0",
    "kernel a.frag --out o.npy --size 0",
    "kernel a.frag --out a=",
    "kernel a.frag --out o.npy --feedback a=",
    "kernel a.frag --out o.npy --float f=1,2,3,4,5",
    "kernel a.frag --out o.npy --float f=abc",
    "kernel a.frag --out o.npy --domain d=1,2",
    "kernel a.frag --out o.npy --range 5,5,1,1",
    "kernel a.frag --out o.npy --stream a",
    "nothing",
];

fn folder() -> Result<Program, Box<dyn std::error::Error>> {
    let program = Program::new()?;
    let cut = npy("9, 9, 2", [0.0; 7]);
    for (name, bytes) in [
        ("one.npy", npy("1, 2", [0.0, 1.0])),
        ("two.npy", npy("1, 2, 2", [0.0, 1.0, 2.0, 3.0])),
        ("nan.npy", npy("1, 2, 2", [0.0, 1.0, f32::NAN, 3.0])),
        ("cut.npy", cut),
        ("copy.frag", COPY.into()),
        ("version.frag", "#version 300 es\nRANGE vec4 r;\nvoid main() { r = vec4(1.0); }".into()),
        ("latin.frag", b"// \xe9\nRANGE vec4 r;\nvoid main() { r = vec4(1.0); }".to_vec()),
        (
            "sampler.frag",
            "uniform sampler2D n; RANGE float r;\nvoid main() { r = texture(n, vec2(0.5)).x; }".into(),
        ),
        ("integer.frag", "uniform int n; RANGE float r;\nvoid main() { r = float(n); }".into()),
        ("two.frag", "RANGE vec4 a;\nRANGE vec4 b;\nvoid main() { a = b = vec4(1.0); }".into()),
        (
            "typo.frag",
            "uniform Stream a;\nDOMAIN c; RANGE vec4 r;\nvoid main() {\n    r = valeu2(a, c);\n}".into(),
        ),
    ] {
        std::fs::write(program.path(name), bytes)?;
    }
    Ok(program)
}

#[test]
fn each_error_is_one_line_that_says_what_and_where() -> Outcome {
    let program = folder()?;
    let before = program.files()?;
    for (arguments, words) in ERRORS {
        let ended = program.run(arguments)?;
        assert_eq!(ended.status, Some(1), "{arguments}: {}{}", ended.out, ended.err);
        assert!(ended.err.contains(words), "{arguments}: {}", ended.err);
        assert_eq!(ended.err.lines().count(), 1, "{arguments}: {}", ended.err);
        assert!(ended.err.starts_with("quadrille: "), "{arguments}: {}", ended.err);
    }
    assert_eq!(program.files()?, before, "something was left behind");
    Ok(())
}

/// A wrong value of a flag, and what is said of it with the flag's name.
const VALUES: &[(&str, &str)] = &[
    ("demo reaction-diffusion --Du 2", "'--Du <DU>': expected 0 to 1"),
    ("demo reaction-diffusion --F nan", "'--F <F>': expected 0 to 1"),
    ("demo reaction-diffusion --F -0.1", "'--F <F>': expected 0 to 1"),
    ("demo wave --beta 0", "'--beta <B>': expected above 0, at most 10000"),
    ("demo wave --beta -1", "'--beta <B>': expected above 0, at most 10000"),
    ("demo wave --tolerance 1", "'--tolerance <T>': expected 0.0000001 to 0.1"),
    ("demo wall --friction -1", "'--friction <MU>': expected 0 to 10"),
    ("demo wall --time-step 0", "'--time-step <S>': expected 0.0001 to 0.1"),
    ("demo wall --time-step 1/5", "'--time-step <S>': expected 0.0001 to 0.1"),
    ("demo wall --gravity nan", "'--gravity <G>': expected 0 to 100"),
    ("demo wall --push -6", "'--push <NS>': expected 0 to 1000"),
    ("demo wall --columns -1", "'--columns <N>': expected a whole number from 1 to 10000"),
    ("kernel copy.frag --out o.npy --iterate 0", "'--iterate <N>': expected a whole number, 1 or more"),
    ("smooth a.obj b.obj --steps 0", "'--steps <N>': expected a whole number, 1 or more"),
    ("bench passes --rounds 2", "'--rounds <N>': expected a whole number, 3 or more"),
    ("demo sort --steps -1", "'--steps <N>': expected a whole number, 0 or more"),
    ("demo sort --steps 1e3", "'--steps <N>': expected a whole number, 0 or more"),
    ("demo heat --seed -1", "'--seed <N>': expected a whole number, 0 or more"),
    ("demo sort --out a.png --every 0", "'--every <N>': expected a whole number, 1 or more"),
    ("demo histogram --bins -1", "'--bins <N>': expected a whole number from 1 to 16777216"),
    ("demo wave --drops x", "'--drops <N>': expected a whole number, 0 or more"),
    ("demo nbody --bodies 1", "'--bodies <N>': expected a whole number from 2 to 262144"),
    ("demo sort --size -1x5", "'--size <SIZE>': expected WIDTHxHEIGHT with both above 0"),
    ("demo sort --headless --out a.npy --save ./a.npy", "--out and --save would both write a.npy"),
    (
        "demo heat --headless --out a.npy --every 5 --save a-000010.npy",
        "--out and --save would both write a-000010.npy",
    ),
    ("demo formats --headless --out a.png --plot a.png", "--out and --plot would both write a.png"),
    ("demo wall --turn 400", "'--turn <DEGREES>': expected -180 to 180"),
    (
        "demo wall --headless --columns 200 --rows 51",
        "--columns 200, --rows 51: 10200 cubes, expected 10000 at most",
    ),
    ("demo reaction-diffusion --headless --picture 9x9 --out a.png", "unexpected argument '--picture'"),
    ("demo wav", "similar subcommands exist: 'wall', 'wave'"),
];

#[test]
fn a_wrong_value_is_refused_with_the_name_of_its_flag() -> Outcome {
    let program = Program::new()?;
    for (arguments, words) in VALUES {
        let ended = program.run(arguments)?;
        assert_eq!(ended.status, Some(2), "{arguments}: {}", ended.err);
        assert!(ended.err.contains(words), "{arguments}: {}", ended.err);
    }
    Ok(())
}

#[test]
fn wrong_usage_exits_with_2() -> Outcome {
    let program = Program::new()?;
    for arguments in USAGE {
        let ended = program.run(arguments)?;
        assert_eq!(ended.status, Some(2), "{arguments}: {}", ended.err);
        let ours = ended.err.starts_with("quadrille: ") && ended.err.lines().count() == 1;
        assert!(ended.err.starts_with("error: ") || ours, "{arguments}: {}", ended.err);
    }
    Ok(())
}

#[test]
fn a_kernel_without_size_or_first_state_is_wrong_usage() -> Outcome {
    let program = folder()?;
    for arguments in
        ["kernel copy.frag --out o.npy", "kernel copy.frag --float f=1 --size 2x2 --feedback a --out o.npy"]
    {
        let ended = program.run(arguments)?;
        assert_eq!((ended.status, ended.err.lines().count()), (Some(2), 1), "{arguments}: {}", ended.err);
    }
    Ok(())
}

#[test]
fn no_driver_is_said_with_what_to_install() -> Outcome {
    let program = Program::new()?;
    let empty = program.path("empty");
    std::fs::create_dir(&empty)?;
    // A list of files would win over the folder.
    let mut command = program.command("info");
    let ended = Ended::from(
        command.env("__EGL_VENDOR_LIBRARY_DIRS", empty).env("__EGL_VENDOR_LIBRARY_FILENAMES", "").output()?,
    );
    assert_eq!(ended.status, Some(1));
    assert!(ended.err.starts_with("quadrille: no OpenGL context: "), "{}", ended.err);
    assert!(ended.err.contains("libegl1 libgl1-mesa-dri"), "{}", ended.err);
    assert_eq!(ended.err.lines().count(), 1, "{}", ended.err);
    Ok(())
}

#[test]
fn a_bad_environment_is_named() -> Outcome {
    let program = Program::new()?;
    let ended = program.run_with("info", "QUADRILLE_API", "vulkan")?;
    assert_eq!(
        (ended.status, ended.err.as_str()),
        (Some(1), "quadrille: QUADRILLE_API=vulkan: expected gl or gles\n")
    );
    let ended = program.run_with("info", "QUADRILLE_LIMITS", "VOODOO")?;
    assert_eq!(ended.status, Some(1));
    assert!(ended.err.contains("QUADRILLE_LIMITS=VOODOO: expected RADEON_9700"), "{}", ended.err);
    Ok(())
}

/// There is no device of that number, which is said only by those who get so far.
#[test]
fn flags_without_sense_are_refused_before_there_is_a_context() -> Outcome {
    let program = Program::new()?;
    let run = |arguments: &str| {
        program.run_with(&format!("demo {arguments} --headless"), "QUADRILLE_DEVICE", "no such device")
    };
    let without = run("wave")?;
    assert!(without.status == Some(1) && without.err.contains("no such device"), "{}", without.err);
    for (arguments, told) in [
        ("histogram --out a.png --colours nothing", "no colour map \"nothing\": there are"),
        ("branches --out a.png --colours nothing", "no colour map \"nothing\": there are"),
        ("clouds --walls --wind 3", "--wind: between --walls there is none"),
        ("clouds --scene stable --humidity 0.5", "--humidity: the air of stable is dry"),
        ("reaction-diffusion --preset nothing", "no preset \"nothing\": there are coral"),
        ("wave --view flat --turn 3 --out a.png", "--turn: a flat map has a pixel a cell"),
        ("wave --scheme explicit --tolerance 1e-5", "--tolerance: only for --scheme implicit"),
        ("wave --beside --scheme explicit", "--beside: explicit waves beside --scheme implicit"),
        (
            "sandpile --scene identity --load half.npy",
            "--scene identity: it begins with six grains a cell, and --load with others",
        ),
        ("sandpile --grains 5 --load half.npy", "--grains: it chooses a beginning, and so does --load"),
        ("liquid --lift 3", "--lift: only for --scene smoke"),
        ("liquid --view slices --rise 9 --out a.png", "--rise: slices are flat"),
        ("nbody --bytes 4096", "--bytes is for --forces matrix"),
        ("nbody --scene figure-eight --bodies 9", "--bodies 9: figure-eight has 3 bodies"),
        ("wall --omega -0.3", "--omega does nothing without --method jacobi"),
        ("wall --method jacobi --tolerance 1e-3", "--tolerance does nothing with --method jacobi"),
        ("sandpile --rain 3", "--rain: only for --scene rain"),
    ] {
        let ended = run(arguments)?;
        assert!(matches!(ended.status, Some(1 | 2)), "{arguments}");
        assert!(ended.err.contains(told) && ended.err.lines().count() == 1, "{arguments}: {}", ended.err);
    }
    Ok(())
}

#[test]
fn flags_that_would_change_nothing_of_a_run_are_refused() -> Outcome {
    let program = Program::new()?;
    std::fs::write(program.path("a.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")?;
    program.succeed("demo reaction-diffusion --headless --size 5x4 --steps 1 --save rd.npz")?;
    for (arguments, told) in [
        ("smooth a.obj b.obj --text", "--text: only for .ply, and the output is b.obj"),
        ("demo wave --headless --size 9x7 --out a.png --colours viridis", "--colours: only for --view flat"),
        (
            "demo reaction-diffusion --headless --load rd.npz --seed 2 --steps 1",
            "--seed: it chooses a beginning, and so does --load; rd.npz keeps no seed to go on with",
        ),
    ] {
        let ended = program.run(arguments)?;
        assert_eq!(
            (ended.status, ended.err.as_str()),
            (Some(2), format!("quadrille: {told}\n").as_str()),
            "{arguments}"
        );
    }
    program.succeed("demo wave --headless --size 9x7 --steps 1 --view flat --out a.png --colours viridis")?;
    program.succeed("smooth a.obj b.ply --text --steps 1 --boundary flowing")?;
    Ok(())
}

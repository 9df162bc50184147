//! `--save` and `--load` of a `.npz`: a run that was cut in two is the run that was not.

use crate::program::{Outcome, Program, npy};

/// A demo with flags that are not its usual ones, and how it is cut. Its size comes from the file.
struct Case {
    demo: &'static str,
    flags: &'static str,
    size: &'static str,
    steps: [u32; 2],
}

const fn case(demo: &'static str, flags: &'static str, size: &'static str) -> Case {
    Case { demo, flags, size, steps: [40, 20] }
}

/// Every demo, and of those that differ much every kind.
const CASES: &[Case] = &[
    case("reaction-diffusion", "--preset coral --F 0.05 --edges clamp", "--size 23x17"),
    case("wave", "--drops 7 --seed 5 --beta 0.3 --edges reflecting", "--size 37x23"),
    case("wave", "--scheme implicit --drops 11 --tolerance 1e-4", "--size 17x11"),
    case("wave", "--walls double-slit --source 9", "--size 37x23"),
    case("wave", "--beside --walls pillars --beta 3", "--size 33x29"),
    case("wave", "--beside --beta 3 --drops 5 --ball 0.2 --ball-x 0.3", "--size 17x11"),
    case("formats", "--what gray-scott", "--size 13x11"),
    case("formats", "--what orbit", "--size 33x32"),
    case("formats", "--what counter", "--size 31x33"),
    case(
        "wall",
        "--push 6 --friction 0.3 --time-step 1/50 --form reference --seed 3",
        "--columns 3 --rows 2",
    ),
    case("wall", "--form groups --push 6", "--columns 2 --rows 2"),
    case("wall", "--stack gates --form reference --push 6", "--columns 1 --rows 3"),
    case("wall", "--stack dominoes --form reference --push 0.5", "--columns 4 --rows 1"),
    case("wall", "--method jacobi --omega -0.3 --push 6", "--columns 2 --rows 2"),
    case("heat", "--beta 0.2 --edges cold --flow stencil", "--size 33x21"),
    case("branches", "--way arithmetic --squares 4 --trips 9 --seed 4", "--size 19x13"),
    case("nbody", "--scene collapse --integrator euler --time-step 0.01 --softening 0.07", "--bodies 37"),
    case("nbody", "--scene figure-eight --forces matrix --bytes 4096", ""),
    case("liquid", "--gravity 5 --tolerance 1e-4 --across 0.7", "--size 6x8x5"),
    case("liquid", "--scene smoke --lift 0.3 --cooling 0.2 --preconditioner jacobi", "--size 6x5x8"),
    case(
        "fluid",
        "--scene plume --particles 50 --time-step 0.02 --cycles 3 --grid collocated",
        "--size 17x33",
    ),
    case("fluid", "--scene vortices --pressure cg --tolerance 1e-3 --lossy --viscosity 1e-3", "--size 17x17"),
    case("clouds", "--scene stable --wind 5 --lapse 3.7 --mixing 4 --renewal never", "--size 16x12"),
    case(
        "clouds",
        "--walls --heat 300 --evaporation 90 --humidity 0.7 --pressure jacobi --lossy",
        "--size 12x10",
    ),
    case("histogram", "--bins 37 --rate 0.1 --scene page", "--size 21x17"),
    case("sandpile", "--grains 4000", "--size 11x9"),
    case("sandpile", "--scene rain --rain 3 --seed 5", "--size 21x17"),
    case("sandpile", "--scene avalanches --seed 5", "--size 21x17"),
    Case { demo: "sandpile", flags: "--scene identity", size: "--size 9x7", steps: [45, 130] },
    Case { demo: "sort", flags: "--keys few", size: "--size 9x7", steps: [5, 4] },
    // Seven passes and seven steps of rest: saved in the middle of the passes, and of the rest; step 18 is in the passes after.
    Case { demo: "sort", flags: "--loop yes", size: "--size 9x7", steps: [5, 13] },
    Case { demo: "sort", flags: "--keys noise --loop yes", size: "--size 9x7", steps: [12, 6] },
    case("branches", "--way early-exit --trips 9 --centre-x -0.5 --zoom 3", "--size 19x13"),
    Case {
        demo: "smooth",
        flags: "--mesh sphere --area dual --time-step 0.002 --tolerance 1e-4",
        size: "--size 1",
        steps: [6, 6],
    },
    Case { demo: "smooth", flags: "--mesh knot --volume kept --until 9", size: "--size 4", steps: [4, 5] },
];

/// Runs of those cases whose demo's name begins with one of those letters.
fn are_whole(first: std::ops::RangeInclusive<char>) -> Outcome {
    let program = Program::new()?;
    for Case { demo, flags, size, steps: [before, after] } in CASES {
        if !demo.starts_with(|letter| first.contains(&letter)) {
            continue;
        }
        let (all, run) = (before + after, format!("demo {demo} --headless"));
        program.succeed(&format!("{run} {flags} {size} --steps {all} --save whole.npz"))?;
        program.succeed(&format!("{run} {flags} {size} --steps {before} --save half.npz"))?;
        // Once by the flags of the file, once by the same flags again.
        let own = if *demo == "smooth" { size } else { &"" };
        for flags in [String::new(), format!("{flags} {size}")] {
            let ended =
                program.run(&format!("{run} {flags} --load half.npz --steps {after} --save end.npz"))?;
            let what = format!("{demo} {flags} {own}");
            assert_eq!(ended.status, Some(0), "{what}: {}", ended.err);
            assert!(!ended.err.contains("counts"), "{what}: {}", ended.err);
            assert!(program.bytes("whole.npz")? == program.bytes("end.npz")?, "{what}");
        }
        assert!(program.bytes("whole.npz")? != program.bytes("half.npz")?, "{demo}: nothing happened");
    }
    Ok(())
}

#[test]
fn runs_cut_in_two_are_whole_from_branches_to_fluid() -> Outcome {
    are_whole('a'..='f')
}

#[test]
fn runs_cut_in_two_are_whole_from_heat_to_nbody() -> Outcome {
    are_whole('g'..='n')
}

#[test]
fn runs_cut_in_two_are_whole_from_reaction_diffusion_to_wave() -> Outcome {
    are_whole('o'..='z')
}

#[test]
fn a_flag_that_is_given_counts_and_is_said() -> Outcome {
    let program = Program::new()?;
    program.succeed("demo wave --headless --size 9x7 --beta 0.3 --drops 3 --steps 4 --save a.npz")?;
    let run = "demo wave --headless --load a.npz --steps 1 --json";
    for (flags, said, beta) in [
        ("", "", 0.3),
        ("--beta .30", "", 0.3),
        ("--beta 0.2", "quadrille: --beta 0.2 counts: a.npz was saved with --beta 0.3\n", 0.2),
        // Another scheme has another usual beta.
        (
            "--scheme implicit",
            "quadrille: --scheme implicit counts: a.npz was saved with --scheme explicit\n",
            1.0,
        ),
    ] {
        let ended = program.run(&format!("{run} {flags}"))?;
        assert_eq!((ended.status, ended.err.as_str()), (Some(0), said), "{flags}");
        let report: serde_json::Value = serde_json::from_str(&ended.out)?;
        assert_eq!(report["parameters"]["beta"], beta, "{flags}");
        assert_eq!(report["first_step"], 4);
    }
    let preset = "demo reaction-diffusion --headless --size 9x7 --steps 1";
    program.succeed(&format!("{preset} --F 0.02 --save b.npz"))?;
    let out = program.succeed("demo reaction-diffusion --load b.npz --preset coral --steps 1 --json")?;
    assert!(out.contains("\"F\": 0.037"), "{out}");
    Ok(())
}

#[test]
fn states_that_do_not_fit_are_refused_by_name() -> Outcome {
    let program = Program::new()?;
    program.succeed("demo wave --headless --size 9x7 --steps 1 --save wave.npz")?;
    program.succeed("demo formats --headless --what wave --size 9x7 --steps 1 --save formats.npz")?;
    program.succeed("demo fluid --headless --size 17x33 --steps 1 --save fluid.npz")?;
    std::fs::write(program.path("wave.npy"), npy("7, 9, 2", [0.0; 126]))?;
    std::fs::write(program.path("no.npz"), npy("7, 9, 2", [0.0; 126]))?;
    for (run, expected) in [
        ("heat --load wave.npz", "wave.npz: a state of wave, not of heat"),
        ("wave --load wave.npz --size 7x9", "wave.npz: the state is 9x7, --size says 7x9"),
        (
            "formats --what orbit --load formats.npz",
            "formats.npz: a state of formats of wave, --what says orbit",
        ),
        (
            "formats --what gray-scott --load wave.npz",
            "wave.npz: a state of wave; --what gray-scott begins with",
        ),
        (
            "fluid --grid collocated --load fluid.npz",
            "fluid.npz: the state is of a staggered grid, --grid says",
        ),
        ("wave --load no.npz", "no.npz: is no .npz file, which is a zip"),
        ("wave --load none.npz", "none.npz: No such file or directory"),
    ] {
        let ended = program.run(&format!("demo {run} --headless --steps 1"))?;
        assert_eq!((ended.status, ended.out.as_str()), (Some(1), ""), "{run}: {}", ended.err);
        assert!(
            ended.err.contains(expected)
                && ended.err.lines().last().is_some_and(|line| line.contains(expected)),
            "{run}: {}",
            ended.err
        );
    }
    let ended = program.run("demo wave --load wave.npy --seed 2 --headless --steps 1")?;
    assert_eq!(ended.status, Some(2), "{}", ended.err);
    // A beginning of another demo is one for all formats.
    program.succeed("demo formats --what wave --load wave.npz --headless --steps 1 --check")?;
    Ok(())
}

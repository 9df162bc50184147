//! `quadrille smooth` and the demo of that name: what they read, write and say.

use std::fmt::Write;
use std::fs;

use serde_json::Value;

use crate::program::{Outcome, Program, values};

/// A bumpy sheet of n × n vertices as an .obj file of squares.
fn sheet(n: usize) -> String {
    let mut text = String::from("# a sheet\n");
    for k in 0..n * n {
        let (x, y) = (k % n, k / n);
        let _ = writeln!(text, "v {x} {y} {}", (7 * x + 3 * y) % 5);
    }
    for k in (0..n * (n - 1)).filter(|k| k % n < n - 1).map(|k| k + 1) {
        let _ = writeln!(text, "f {k} {} {} {}", k + 1, k + n + 1, k + n);
    }
    text
}

fn report(program: &Program, command: &str) -> Result<Value, Box<dyn std::error::Error>> {
    Ok(serde_json::from_str(&program.succeed(&format!("{command} --json"))?)?)
}

#[test]
fn a_mesh_is_smoothed_from_file_to_file_and_its_boundary_stays() -> Outcome {
    let program = Program::new()?;
    fs::write(program.path("in.obj"), sheet(9))?;
    let said = report(&program, "smooth in.obj out.obj --steps 3 --time-step 0.3")?;
    assert_eq!((&said["vertices"], &said["triangles"]), (&81.into(), &128.into()));
    assert_eq!((&said["time_step"], &said["converged"]), (&0.3.into(), &true.into()));
    assert_eq!((&said["area_of_vertex"], &said["boundary"]), (&"ring".into(), &"fixed".into()));
    assert!(said["area"][1].as_f64() < said["area"][0].as_f64() && said["volume"][0].is_null());
    let text = String::from_utf8(program.bytes("out.obj")?)?;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines.len(), lines[0], lines[9]), (81 + 128, "v 0 0 0", "v 0 1 3"));
    // Another format is another spelling of the same numbers.
    program.succeed("smooth in.obj out.ply --steps 3 --time-step 0.3")?;
    program.succeed("smooth in.obj text.ply --steps 3 --time-step 0.3 --text")?;
    let again = |file: &str| report(&program, &format!("smooth {file} again.obj --steps 1 --time-step 0.3"));
    let (binary, text) = (again("out.ply")?, again("text.ply")?);
    assert_eq!((&binary["area"], &binary["area"][0]), (&text["area"], &said["area"][1]));
    let line = program.succeed("smooth in.obj out.ply --steps 2 --area dual --boundary flowing")?;
    assert!(line.contains("2 steps in ") && line.contains("wrote out.ply"), "{line}");
    Ok(())
}

#[test]
fn what_cannot_be_smoothed_is_one_line_and_nothing_is_written() -> Outcome {
    let program = Program::new()?;
    fs::write(program.path("in.obj"), sheet(4))?;
    fs::write(program.path("broken.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n")?;
    fs::write(program.path("nowhere.obj"), "v 0 0 0\nv 1 0 0\nv 0 inf 0\nf 1 2 3\n")?;
    let ply =
        "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n";
    fs::write(program.path("text.ply"), ply.to_owned() + "end_header\n0 0\n")?;
    for (command, line) in [
        ("smooth none.obj out.obj", "none.obj: No such file or directory"),
        ("smooth broken.obj out.obj", "broken.obj: line 4: vertex 4, the file has 3"),
        (
            "smooth nowhere.obj out.obj",
            "nowhere.obj: vertex 3 (counted from 1): at 0, inf, 0: expected finite numbers of 32 bits",
        ),
        (
            "smooth text.ply out.obj",
            "text.ply: line 8: expected x (float), y (float), z (float) of element vertex, found \"0 0\"",
        ),
        ("smooth in.obj out.stl", "out.stl: expected a mesh, .obj or .ply"),
        ("smooth in.obj no/out.obj", "no/out.obj: the folder no does not exist"),
        ("smooth in.obj out.obj --time-step 1e30", "in.obj: time step = 1"),
        ("demo smooth --headless --mesh broken.obj", "broken.obj: line 4: vertex 4, the file has 3"),
    ] {
        let ended = program.run(command)?;
        assert_eq!(ended.status, Some(1), "{command}");
        assert!(ended.err.starts_with(&format!("quadrille: {line}")), "{}\nfor {line}", ended.err);
        assert_eq!(ended.err.lines().count(), 1);
    }
    assert_eq!(program.files()?, ["broken.obj", "in.obj", "nowhere.obj", "text.ply"]);
    Ok(())
}

/// A tetrahedron with a fin, a face twice, a face that is an edge, a vertex twice, a loose one, and a face without area.
const SCAN: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 1 1 1\nv 0 0 1\nv 9 9 9\nv 2 0 0\n\
                    f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\nf 2 3 5\nf 3 2 5\nf 2 3 3\nf 5 2 6\nf 6 2 5\nf 1 2 8\nf 8 2 1\n";

#[test]
fn a_scan_is_computed_as_it_is_and_what_is_irregular_is_said() -> Outcome {
    let program = Program::new()?;
    fs::write(program.path("scan.obj"), SCAN)?;
    let said = "quadrille: note: scan.obj has 3 edges of three or more faces, 1 face with a vertex twice, 3 faces that are \
                there already, 2 slivers, 1 vertex at the place of another, 1 vertex without a face: computed as they are\n";
    for command in ["smooth scan.obj out.obj --steps 2", "demo smooth --headless --mesh scan.obj --steps 2"] {
        let ended = program.run(command)?;
        assert_eq!((ended.status, ended.err.as_str()), (Some(0), said), "{command}");
    }
    let report = report(&program, "smooth scan.obj out.obj --steps 2")?;
    assert!(report["area"][1].as_f64() < report["area"][0].as_f64());
    let counts = ["non_manifold_edges", "degenerate_faces", "duplicate_faces", "slivers"];
    assert_eq!(counts.map(|name| report["defects"][name].as_u64()), [Some(3), Some(1), Some(3), Some(2)]);
    let text = String::from_utf8(program.bytes("out.obj")?)?;
    assert_eq!(text.lines().filter(|line| line.starts_with("f ")).count(), 11);
    assert_eq!(text.lines().nth(6), Some("v 9 9 9"));
    Ok(())
}

/// A wire of no area and a step so long that it is not solved: the mesh is the one before it, and the status 3.
#[test]
fn a_step_that_is_not_solved_is_the_last() -> Outcome {
    let program = Program::new()?;
    let mut wire = String::new();
    for k in 0..40 {
        let _ = writeln!(wire, "v {k} 0 0");
    }
    for k in 1..39 {
        let _ = writeln!(wire, "f {k} {} {}\nf {k} {} {}", k + 1, k + 2, k + 2, k + 1);
    }
    fs::write(program.path("wire.obj"), &wire)?;
    // Stalled, or out of iterations: which of them is a matter of roundings.
    let says = |err: &str, then: &str| {
        let last = err.lines().last().unwrap_or_default();
        assert!(last.starts_with("quadrille: step 1 was not solved: ") && last.ends_with(then), "{err}");
    };
    let ended = program.run("smooth wire.obj out.obj --steps 5 --time-step 2e5 --json")?;
    assert_eq!(ended.status, Some(3));
    says(&ended.err, "; the mesh that was written is that before it");
    let said: Value = serde_json::from_str(&ended.out)?;
    assert_eq!((&said["steps"], &said["converged"]), (&0.into(), &false.into()));
    assert_eq!(String::from_utf8(program.bytes("out.obj")?)?, wire);
    let demo = "demo smooth --headless --mesh wire.obj --steps 5 --time-step 2e5 --check --save out.npy";
    let ended = program.run(demo)?;
    assert_eq!(ended.status, Some(3));
    says(&ended.err, "; the mesh is that before it");
    assert!(ended.out.starts_with("smooth, 40 vertices: 0 steps"), "{}", ended.out);
    let saved = values(&program.bytes("out.npy")?);
    assert!((0..40).all(|k| saved[3 * k] == k as f32) && saved.len() == 120);
    Ok(())
}

/// Positions that 32 bits would round to whole numbers: the same steps as near the origin, and no digit less.
#[test]
fn the_demo_keeps_the_digits_of_a_mesh_far_from_the_origin() -> Outcome {
    let program = Program::new()?;
    let sheet = |west: f64| {
        let vertex = |k: i32| (f64::from(k % 9 - 4) * 0.25 + west, k / 9 - 4, (7 * k + k / 9) % 5 - 2);
        let mut text = String::new();
        for (x, y, z) in (0..81).map(vertex) {
            let _ = writeln!(text, "v {x} {y} {z}e-1");
        }
        for k in (1..=72).filter(|k| k % 9 > 0) {
            let _ = writeln!(text, "f {k} {} {} {}", k + 1, k + 10, k + 9);
        }
        text
    };
    fs::write(program.path("near.obj"), sheet(0.0))?;
    fs::write(program.path("far.obj"), sheet(-5e7))?;
    let demo = |name: &str, more: &str| {
        report(&program, &format!("demo smooth --headless --mesh {name}.obj --boundary flowing {more}"))
    };
    demo("near", "--steps 5 --save near.npy")?;
    let said = demo("far", "--steps 5 --save far.npy --check")?;
    assert_eq!((&said["check"]["passed"], &said["findings"]["origin"][0]), (&true.into(), &(-5e7).into()));
    assert_eq!(program.bytes("near.npy")?, program.bytes("far.npy")?);
    demo("far", "--steps 2 --save half.npy")?;
    demo("far", "--steps 3 --load half.npy --save resumed.npy")?;
    assert_eq!(program.bytes("far.npy")?, program.bytes("resumed.npy")?);
    Ok(())
}

#[test]
fn the_demo_keeps_to_the_step_in_f64_and_goes_on_bit_for_bit() -> Outcome {
    let program = Program::new()?;
    for flags in [
        "--mesh cube --size 8",
        "--mesh rabbit --size 16",
        "--mesh knot --size 3",
        "--mesh sphere --size 2 --area dual",
        "--mesh sheet --size 9 --boundary flowing",
    ] {
        let said = report(&program, &format!("demo smooth {flags} --steps 12 --check"))?;
        assert_eq!((&said["demo"], &said["check"]["passed"]), (&"smooth".into(), &true.into()));
        assert!(said["findings"]["area"].as_f64() < said["findings"]["area_at_first"].as_f64());
    }
    let demo = "demo smooth --headless --mesh cube --size 6";
    program.succeed(&format!("{demo} --steps 9 --save whole.npy"))?;
    program.succeed(&format!("{demo} --steps 4 --save half.npy"))?;
    program.succeed(&format!("{demo} --steps 5 --load half.npy --save resumed.npy"))?;
    assert_eq!(program.bytes("whole.npy")?, program.bytes("resumed.npy")?);
    assert_eq!(values(&program.bytes("whole.npy")?).len(), 3 * (6 * 6 * 6 + 2));
    fs::write(program.path("in.obj"), sheet(5))?;
    let out =
        program.succeed("demo smooth --headless --mesh in.obj --steps 2 --wires --curvature --out a.png")?;
    assert!(out.contains("wrote a.png") && program.bytes("a.png")?.starts_with(b"\x89PNG"));
    Ok(())
}

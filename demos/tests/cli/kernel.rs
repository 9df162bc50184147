//! `quadrille kernel` with the two worked examples.

use crate::program::{Outcome, Program, npy, values};

fn example(name: &str) -> String {
    format!("{}/kernels/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Forty generations move a glider ten cells down and ten to the right.
#[test]
fn a_glider_comes_round_the_torus() -> Outcome {
    let program = Program::new()?;
    let (width, height) = (17usize, 13usize);
    let glider = [(1, 0), (2, 1), (0, 2), (1, 2), (2, 2)];
    let alive = |shift: usize| {
        let mut cells = vec![0.0; width * height];
        glider.iter().for_each(|(x, y)| cells[(y + shift) % height * width + (x + shift) % width] = 1.0);
        cells
    };
    std::fs::write(program.path("cells.npy"), npy("13, 17", alive(0)))?;
    let life = example("life.frag");
    let rest = "--stream cells=cells.npy --feedback cells --edges repeat --iterate 40 --out next.npy";
    program.succeed(&format!("kernel {life} {rest}"))?;
    assert_eq!(values(&program.bytes("next.npy")?), alive(10));
    Ok(())
}

#[test]
fn a_blur_of_a_point_is_a_gaussian_and_sums_to_one() -> Outcome {
    let program = Program::new()?;
    let point = |i: usize| if i == 7 * 31 + 15 { 1.0 } else { 0.0 };
    std::fs::write(program.path("image.npy"), npy("15, 31", (0..15 * 31).map(point)))?;
    let blur = example("blur.frag");
    let command = format!(
        "kernel {blur} --stream image=image.npy --float direction=1,0 --float sigma=1.5 --components 1 --out x.npy"
    );
    program.succeed(&command)?;
    let row = &values(&program.bytes("x.npy")?)[7 * 31..8 * 31];
    let weight = |d: f64| (-0.5 * d * d / 2.25).exp();
    let all: f64 = (-5..=5).map(|d| weight(f64::from(d))).sum();
    for (x, &value) in row.iter().enumerate() {
        let d = x as f64 - 15.0;
        let exact = if d.abs() <= 5.0 { weight(d) / all } else { 0.0 };
        // exp may differ by some ULP from driver to driver, and eleven terms are added twice.
        assert!((f64::from(value) - exact).abs() <= 32.0 * 2f64.powi(-24), "{x}: {value} {exact}");
    }
    Ok(())
}

#[test]
fn only_the_range_is_written_and_feedback_keeps_the_rest() -> Outcome {
    let program = Program::new()?;
    std::fs::write(program.path("a.npy"), npy("3, 4", (0..12).map(|i| i as f32)))?;
    std::fs::write(
        program.path("inc.frag"),
        "uniform Stream a; DOMAIN c; RANGE float r; void main() { r = value2(a, c).x + 1.0; }",
    )?;
    program.succeed("kernel inc.frag --stream a=a.npy --range 1,1,3,2 --out once.npy")?;
    assert_eq!(values(&program.bytes("once.npy")?), [0., 0., 0., 0., 0., 6., 7., 0., 0., 0., 0., 0.]);
    program.succeed(
        "kernel inc.frag --stream a=a.npy --range 1,1,3,2 --feedback a --iterate 5 --out five.npy",
    )?;
    assert_eq!(values(&program.bytes("five.npy")?), [0., 1., 2., 3., 4., 10., 11., 7., 8., 9., 10., 11.]);
    Ok(())
}

#[test]
fn a_domain_turned_over_turns_the_picture_over() -> Outcome {
    let program = Program::new()?;
    std::fs::write(program.path("a.npy"), npy("2, 2", [1.0, 2.0, 3.0, 4.0]))?;
    std::fs::write(
        program.path("copy.frag"),
        "uniform Stream a; DOMAIN c; RANGE float r; void main() { r = value2(a, c).x; }",
    )?;
    program.succeed("kernel copy.frag --stream a=a.npy --domain c=0,2,2,0 --out turned.npy")?;
    assert_eq!(values(&program.bytes("turned.npy")?), [3.0, 4.0, 1.0, 2.0]);
    program.succeed("kernel copy.frag --stream a=a.npy --size 4x2 --domain c=0,0,2,2 --out wide.npy")?;
    assert_eq!(values(&program.bytes("wide.npy")?), [1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0]);
    Ok(())
}

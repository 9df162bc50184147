//! The words of a file of equations, each in a line: the help of its editor.

/// A heading, and lines below it: what is written, and what it means.
pub type Words = (&'static str, &'static [(&'static str, &'static str)]);

/// The words of formulas.
pub const FORMULAS: &[Words] = &[
    (
        "Operators",
        &[
            ("lap(u)", "the Laplacian; also of a formula, lap(u^3)"),
            ("dx(u)  dy(u)", "first derivatives"),
            ("dxx(u)  dyy(u)", "second derivatives"),
            ("div(D*grad(u))", "diffusion whose D varies"),
            ("adv(a, b, u)", "what the velocity (a, b) carries along"),
            ("grad2(u)", "the square of the gradient's length"),
            ("integral(u)  mean(u)", "over the domain: one number"),
        ],
    ),
    (
        "Functions",
        &[
            ("sin cos tan asin acos atan atan2", "of angles in radians; atan2(y, x)"),
            ("sinh cosh tanh exp log sqrt", "log to the base e"),
            ("abs sign floor min max mod", "mod(a, b) has the sign of b"),
            ("clamp(a, low, high)", "a within bounds"),
            ("where(c, a, b)", "a where c holds, else b"),
            ("heaviside(a)  gauss(z)", "1 from 0 on; exp(-z^2/2)"),
        ],
    ),
    (
        "Names",
        &[
            ("x y t pi", "place, time, 3.14159"),
            ("Lx Ly hx hy step", "sides, distances of nodes, time step"),
            ("random()  normal()", "in `start` alone: 0 to 1, or of variance 1"),
            ("+ - * / ^  < <= > >= ==", "a comparison is 1 or 0: (0 < x)*(x < 1) is \"and\""),
        ],
    ),
];

/// The rules of edges.
pub const EDGES: Words = (
    "Edges: one rule, or by x y left right bottom top",
    &[
        ("\"periodic\"", "goes on at the other side"),
        ("\"neumann\"", "nothing flows out: the slope is 0"),
        ("{ value = \"sin(t)\" }", "u has that value there"),
        ("{ derivative = \"1\" }", "the slope outward"),
        ("{ robin = \"2\", const = \"1\" }", "slope outward + 2 u = 1"),
    ],
);

/// The tables of a file.
pub const TABLES: Words = (
    "Tables of the file",
    &[
        ("grid = { size, length, origin, mask }", "nodes, sides, first node, formula of the domain"),
        ("parameters = { a = { value = 1, range = [0, 2] } }", "sliders"),
        ("presets = { name = { a = 1.5 } }", "buttons that set parameters"),
        ("let = { q = \"u^2\" }", "formulas by name"),
        ("fields.u = { dt, start, edges, noise, exact }", "up to four that step in time"),
        ("fields.m = { is, edges }", "up to four that are formulas of the others"),
        ("run = { scheme, step, until, repeat, seed }", "how it steps"),
        (
            "views = [{ show, kind, colours, range, contours, arrows }]",
            "pictures; kinds: colour, line, surface",
        ),
        ("probes = [{ name, show, at }]", "numbers over time"),
        ("# Title:  # Try:", "lines of the first comment: the heading, and what to do first"),
    ],
);

#[cfg(test)]
mod tests {
    use anyhow::{Result, ensure};
    use quadrille::pde::{Equations, Function, NoFiles, Overrides, Scheme};

    use super::*;

    /// Reads a file with that right side, that start and that edge.
    fn reads(dt: &str, start: &str, edge: &str) -> Result<(), String> {
        let text = format!(
            "grid = {{ size = [9, 9], length = [1, 1] }}\nrun = {{ step = 0.1 }}\nparameters = {{ D = 1, a = 1, b = 1, c = 1, z = 1, low = 0, high = 1 }}\n\
             fields.u = {{ dt = \"{dt}\", start = \"{start}\", edges = {edge} }}\n"
        );
        let read = Equations::read(&text, &Overrides::default(), &mut NoFiles);
        read.map(drop).map_err(|refusal| format!("{dt} {start} {edge}: {refusal:?}"))
    }

    #[test]
    fn the_help_has_all_functions_and_what_it_shows_can_be_written() -> Result<()> {
        let lines = || FORMULAS.iter().flat_map(|(_, lines)| lines.iter());
        for (name, ..) in Function::ALL {
            let is_word = |text: &str| text.split(|c: char| !c.is_alphanumeric()).any(|word| word == *name);
            ensure!(lines().any(|(written, _)| is_word(written)), "{name}");
        }
        let calls = lines().flat_map(|(written, _)| written.split("  ")).filter(|part| part.ends_with(')'));
        for call in calls {
            let (dt, start) = if call.ends_with("()") { ("0", call) } else { (call, "0") };
            reads(dt, start, "\"periodic\"").map_err(anyhow::Error::msg)?;
        }
        for (edge, _) in EDGES.1 {
            reads("lap(u)", "0", edge).map_err(anyhow::Error::msg)?;
        }
        ensure!(reads("curl(u)", "0", "\"neumann\"").is_err());
        ensure!(Scheme::ALL.iter().all(|(_, scheme)| !scheme.gloss().is_empty()));
        Ok(())
    }
}

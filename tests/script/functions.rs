//! The results of functions.

use quadrille::Result;
use quadrille::linalg::Algebra;
use quadrille::numeric::Random;
use quadrille::script::{FUNCTIONS, Interpreter};

use crate::support::on_gpu;
use crate::{Exact, Memory, placed, ran, told};

#[test]
fn functions_give_what_they_say() -> Result<()> {
    on_gpu(|gpu| {
        for (script, printed) in [
            ("print zeros(2, 3)", "  0  0  0\n  0  0  0"),
            ("print ones(2, 1), identity(2)", "  1\n  1\n  1  0\n  0  1"),
            ("print size(zeros(3, 7)), rows(ones(5, 2)), columns(ones(5, 2))", "  3  7\n5 2"),
            ("print transpose([1 2; 3 4])", "  1  3\n  2  4"),
            ("print dot([1 2; 3 4], [1 1; 1 2]), sum([1 2; 3 4]), norm([2 4; 4 8])", "14 10 10"),
            ("print max([1 5; -9 2]), min([1 5; -9 2]), abs([1 -2])", "5 -9\n  1  2"),
            ("print max([1 0/0 3]), min([1; 0/0]), max(0/0, 1), min(1, 0/0)", "NaN NaN NaN NaN"),
            ("print max([1 0/0 3], 2), min([1 2], 0/0)", "    2  NaN    3\n  NaN  NaN"),
            ("print solve([2 0; 0 4], [2 4 6; 8 4 0])", "  1  2  3\n  2  1  0"),
            ("sum = [1 2]; print sum(sum)", "3"),
            ("size = size([1 2]); print size", "  1  2"),
        ] {
            assert_eq!(told(gpu, script), printed, "{script}");
        }
        Ok(())
    })
}

#[test]
fn random_numbers_are_the_same_in_every_run() -> Result<()> {
    on_gpu(|gpu| {
        let saved = |script: &str| -> Result<Vec<f32>> {
            let mut memory = Memory::default();
            ran(Interpreter::new(&Algebra::new(gpu)).run(&format!("save(\"r\", {script})"), &mut memory))?;
            Ok(memory.files.remove("r").map(|table| table.elements).unwrap_or_default())
        };
        let mut seeded = Random(42);
        let expected: Vec<f32> = (0..35).map(|_| seeded.unit()).collect();
        assert_eq!(saved("random(5, 7, 42)")?, expected);
        assert_eq!(saved("random(5, 7)")?, saved("random(5, 7)")?);
        let two = saved("[random(1, 5) random(1, 5)]")?;
        assert_ne!(two[..5], two[5..], "one call goes on where the one before ended");
        assert!(saved("random(40, 40)")?.iter().all(|r| (0.0..1.0).contains(r)));
        Ok(())
    })
}

#[test]
fn blocks_are_put_together() -> Result<()> {
    on_gpu(|gpu| {
        for (script, printed) in [
            ("A = [1 2; 3 4]; b = [5; 6]; print [A b]", "  1  2  5\n  3  4  6"),
            ("A = [1 2; 3 4]; print [A; 5 6]", "  1  2\n  3  4\n  5  6"),
            ("A = [1 2; 3 4]; x = [5 6]; print [A x'; x 7]", "  1  2  5\n  3  4  6\n  5  6  7"),
            ("print [[1 2] [3]; [4 5 6]]", "  1  2  3\n  4  5  6"),
            ("print [1 2]', [1; 2]', [-1 - 2 -3]", "  1\n  2\n  1  2\n  -3  -3"),
        ] {
            assert_eq!(told(gpu, script), printed, "{script}");
        }
        Ok(())
    })
}

#[test]
fn every_function_is_in_the_help_with_its_name_first() {
    for function in FUNCTIONS {
        assert!(function.usage.starts_with(&format!("{}(", function.name)), "{}", function.usage);
        assert!(!function.about.is_empty() && function.usage.len() + function.about.len() < 90);
    }
}

/// A = M Mᵀ/n + 0.1 I and b, of random numbers.
const SYSTEM: &str =
    "n = 60; M = random(n, n, 5); A = M * M' / n + 0.1 * identity(n); b = random(n, 1, 6) - 0.5\n";

#[test]
fn a_system_is_solved_to_its_tolerance() -> Result<()> {
    on_gpu(|gpu| {
        let mut memory = Memory::default();
        let mut interpreter = Interpreter::new(&Algebra::new(gpu));
        let script = format!(
            "{SYSTEM}save(\"A\", A); save(\"b\", b); save(\"x\", solve(A, b)); save(\"y\", solve(A, b, 1e-3))"
        );
        ran(interpreter.run(&script, &mut memory))?;
        let column = |name: &str| Exact::of(&memory.files[name]);
        let (a, b) = (column("A"), column("b"));
        let norm = |x: &Exact| x.elements.iter().map(|e| e * e).sum::<f64>().sqrt();
        for (name, tolerance) in [("x", 1e-5), ("y", 1e-3)] {
            // The residual was found in f64 from these very numbers.
            let residual = norm(&a.times(&column(name)).zip(&b, |ax, b| ax - b)) / norm(&b);
            assert!(residual <= tolerance * 1.001, "{name}: {residual}");
        }
        assert_eq!(
            told(gpu, "print solve(2, 4), lcp(2, -4), lcp(2, 4), solve([2 0; 0 4], [2; 2])'"),
            "2 2 0\n    1  0.5"
        );
        Ok(())
    })
}

#[test]
fn a_complementarity_problem_is_solved() -> Result<()> {
    on_gpu(|gpu| {
        let mut memory = Memory::default();
        let mut interpreter = Interpreter::new(&Algebra::new(gpu));
        ran(interpreter
            .run(&format!("{SYSTEM}save(\"A\", A); save(\"b\", b); save(\"x\", lcp(A, b))"), &mut memory))?;
        let matrix = |name: &str| Exact::of(&memory.files[name]);
        let (a, b, x) = (matrix("A"), matrix("b"), matrix("x"));
        let largest = |m: &Exact| m.elements.iter().fold(0.0_f64, |largest, e| largest.max(e.abs()));
        let w = a.times(&x).zip(&b, |ax, b| ax + b);
        assert!(largest(&x.zip(&w, f64::min)) <= 1e-5 * 1.001 * largest(&b));
        assert!(x.elements.iter().any(|e| *e > 0.0) && x.elements.contains(&0.0));
        Ok(())
    })
}

#[test]
fn an_interruption_ends_a_solve_within_a_look_and_leaves_the_variables() -> Result<()> {
    on_gpu(|gpu| {
        for call in ["solve(A, b, 1e-30)", "lcp(A, b, 1e-30)"] {
            let mut memory = Memory { patience: 3, ..Memory::default() };
            let mut interpreter = Interpreter::new(&Algebra::new(gpu));
            ran(interpreter.run(SYSTEM, &mut Memory::default()))?;
            let script = format!("x = {call}");
            let fault = interpreter.run(&script, &mut memory).err();
            let line = fault.map(|fault| placed(&script, &fault)).unwrap_or_default();
            let name = &call[..call.find('(').unwrap_or_default()];
            assert!(line.starts_with(&format!("1:5: {name}: interrupted after ")), "{line}");
            assert_eq!(memory.asked.get(), 4, "{line}");
            let names: Vec<&str> = interpreter.names().map(|(name, _)| name).collect();
            assert_eq!(names, ["A", "M", "b", "n"]);
        }
        Ok(())
    })
}

#[test]
fn a_tolerance_that_32_bits_cannot_reach_says_what_they_reach() -> Result<()> {
    on_gpu(|gpu| {
        let line = told(gpu, &format!("{SYSTEM}x = solve(A, b, 1e-12)"));
        assert!(line.starts_with("2:5: solve: did not converge: found a relative residual of "), "{line}");
        assert!(line.contains("expected 1e-12; 32-bit floats reach about "), "{line}");
        assert!(line.ends_with(" here: use a larger tolerance"), "{line}");
        Ok(())
    })
}

//! Operators against f64, at sizes that fill no block of four.

use quadrille::linalg::Algebra;
use quadrille::matrix::Matrix;
use quadrille::script::{Interpreter, Table};
use quadrille::{Gpu, Result};

use crate::support::{self, Random, on_gpu};
use crate::{Exact, Memory, ran, told};

/// Half of the distance between 1 and the next number: what one operation may err.
const U: f64 = 1.0 / (1u64 << 24) as f64;

/// Runs an expression over matrices from files and gives its value.
fn value(gpu: &Gpu, expression: &str, names: &[(&str, &Exact)]) -> Result<Table> {
    let mut memory = Memory::default();
    let mut script = String::new();
    for (name, matrix) in names {
        memory.files.insert((*name).to_owned(), matrix.table());
        script += &format!("{name} = load(\"{name}\")\n");
    }
    script += &format!("save(\"result\", {expression})");
    ran(Interpreter::new(&Algebra::new(gpu)).run(&script, &mut memory))?;
    Ok(memory.files.remove("result").unwrap_or(Table { rows: 0, columns: 0, elements: Vec::new() }))
}

/// That a value is what f64 says, to within a bound for each element.
fn close(gpu: &Gpu, expression: &str, names: &[(&str, &Exact)], exact: &Exact, bound: &Exact) -> Result<()> {
    let found = value(gpu, expression, names)?;
    assert_eq!((found.rows, found.columns), (exact.rows, exact.columns), "{expression}");
    for (i, element) in found.elements.iter().enumerate() {
        let (expected, bound) = (exact.elements[i], bound.elements[i]);
        assert!(
            (f64::from(*element) - expected).abs() <= bound,
            "{expression}: {element}, {expected} +- {bound}"
        );
    }
    Ok(())
}

const SHAPES: [(usize, usize, usize); 6] =
    [(1, 1, 1), (2, 3, 4), (5, 1, 7), (1, 9, 1), (31, 57, 8), (4, 129, 33)];

#[test]
fn products_in_every_form_match_the_reference() -> Result<()> {
    on_gpu(|gpu| {
        let mut random = Random(1);
        for (m, k, n) in SHAPES {
            let (a, b) = (Exact::random(m, k, &mut random), Exact::random(k, n, &mut random));
            let (at, bt) = (a.t(), b.t());
            let exact = a.times(&b);
            let bound = a.magnitudes().times(&b.magnitudes()).map(|size| (k as f64 + 3.0) * U * size);
            let names = [("A", &a), ("B", &b), ("At", &at), ("Bt", &bt)];
            for expression in ["A * B", "At' * B", "A * Bt'", "At' * Bt'", "(A) * (B'')", "(Bt * At)'"] {
                close(gpu, expression, &names, &exact, &bound)?;
            }
            let twice = exact.map(|e| -2.0 * e);
            close(gpu, "-A * B * 2", &names, &twice, &bound.map(|b| 2.0 * b))?;
        }
        Ok(())
    })
}

#[test]
fn element_by_element_operators_match_the_reference() -> Result<()> {
    on_gpu(|gpu| {
        let mut random = Random(2);
        for (m, n, _) in SHAPES {
            let (a, b) =
                (Exact::random(m, n, &mut random), Exact::random(m, n, &mut random).map(|e| e + 2.0));
            let b = b.map(|e| f64::from(e as f32));
            let names = [("A", &a), ("B", &b)];
            type Check<'a> = (&'a str, &'a dyn Fn(f64, f64) -> f64);
            let checks: &[Check] = &[
                ("A + B", &|a, b| a + b),
                ("A - B", &|a, b| a - b),
                ("A .* B", &|a, b| a * b),
                ("A ./ B", &|a, b| a / b),
                ("A + 0.5", &|a, _| a + 0.5),
                ("0.5 + A", &|a, _| a + 0.5),
                ("A - 0.5", &|a, _| a - 0.5),
                ("0.5 - A", &|a, _| 0.5 - a),
                ("A * 3", &|a, _| a * 3.0),
                ("3 .* A", &|a, _| a * 3.0),
                ("A / 3", &|a, _| a / 3.0),
                ("A ./ 3", &|a, _| a / 3.0),
                ("3 ./ B", &|_, b| 3.0 / b),
                ("-A", &|a, _| -a),
                ("A'' + 0", &|a, _| a),
                ("abs(A)", &|a, _| a.abs()),
                ("max(A, 0.25)", &|a, _| a.max(0.25)),
                ("min(0.25, A)", &|a, _| a.min(0.25)),
                ("transpose(A')", &|a, _| a),
            ];
            for (expression, combine) in checks {
                let exact = a.zip(&b, combine);
                // One rounding; a driver may divide by a reciprocal and a product, with three.
                close(gpu, expression, &names, &exact, &exact.map(|e| 3.0 * U * e.abs()))?;
            }
        }
        Ok(())
    })
}

#[test]
fn padding_stays_out_of_sums_whatever_is_divided() -> Result<()> {
    on_gpu(|gpu| {
        for (script, printed) in [
            ("print sum([1 2 3]' / 0)", "inf"),
            ("print sum([1 2 3]' * (1 / 0))", "inf"),
            ("print sum(1 ./ [1 2 4]')", "1.75"),
            ("print sum([1 2 4]' ./ [1 2 4]')", "3"),
            ("print sum([1 2 3]' + 1)", "9"),
            ("print sum(2 - [1 2 3]')", "0"),
            ("print max(-[1 2 3]'), min([1 2 3]'), max(-[1 2 3]), min([1 2 3])", "-1 1 -1 1"),
            ("print sum(max([-1 -2 -3]', 5)), sum(abs([-1 -2 -3]'))", "15 6"),
            ("print sum((1 / 0) * [1 2 3]' - (1 / 0))", "NaN"),
            ("print [1 2 3] * [1 2 3]' / 0", "inf"),
            ("print norm([3 4]'), norm([1e30 1e30]' / 1e30), norm(-2)", "5 1.41421 2"),
        ] {
            assert_eq!(told(gpu, script), printed, "{script}");
        }
        Ok(())
    })
}

#[test]
fn a_transposed_product_draws_no_transpose() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let passes = |work: &mut dyn FnMut() -> Result<()>| -> Result<u64> {
            work()?; // compiles
            let before = gpu.counters().passes;
            work()?;
            Ok(gpu.counters().passes - before)
        };
        let elements = Random(3).floats(15 * 6);
        let a = Matrix::new(&algebra, 15, 6, &elements)?;
        let mut interpreter = Interpreter::new(&algebra);
        let mut memory = Memory::default();
        ran(interpreter.run("A = random(15, 6)", &mut memory))?;
        let mut product = Matrix::zeros(&algebra, 6, 6)?;
        let direct = passes(&mut || product.multiply_transposed(&a, &a))?;
        let scripted = passes(&mut || ran(interpreter.run("C = A' * A", &mut memory)))?;
        assert_eq!(scripted, direct);
        let mut outer = Matrix::zeros(&algebra, 15, 15)?;
        let direct = passes(&mut || outer.gemm(1.0, &a, a.t(), 0.0))?;
        let scripted = passes(&mut || ran(interpreter.run("C = A * A'", &mut memory)))?;
        assert_eq!(scripted, direct);
        Ok(())
    })
}

#[test]
fn a_result_of_one_element_is_a_number() -> Result<()> {
    on_gpu(|gpu| {
        for (script, printed) in [
            ("x = [1; 2]; A = [1 2; 3 4]; print (x' * x) * A", "   5  10\n  15  20"),
            ("x = [1 2 3]; n = x * x'; print n + 1, zeros(n, 1)' * ones(14, 1)", "15 0"),
            ("a = [5]; print a / 2, a', [a; a]'", "2.5 5\n  5  5"),
            ("print ones(1, 1) * [1 2], identity(1) + 1", "  1  2\n2"),
            (
                "print sum(7), max(7), norm(-7), dot(2, 3), rows(7), max(2, 3), abs(-7), transpose(7)",
                "7 7 7 6 1 3 7 7",
            ),
        ] {
            assert_eq!(told(gpu, script), printed, "{script}");
        }
        Ok(())
    })
}

#[test]
fn it_works_within_the_limits_of_an_old_card() -> Result<()> {
    support::on_card(quadrille::Limits::RADEON_9700, |gpu| {
        let script = "A = [1 2 3; 4 5 6; 7 8 10]; print A' * A, A * A', A .* A ./ 2, sum(A), norm([3 4])";
        let lines = told(gpu, script);
        assert!(lines.starts_with("   66   78   97\n   78   93  116\n   97  116  145\n"), "{lines}");
        assert!(lines.ends_with("46 5"), "{lines}");
        assert!(
            told(gpu, "zeros(3, 2049)")
                .contains("at most 8192 rows, 2048 columns and 268435456 elements are allowed")
        );
        Ok(())
    })
}

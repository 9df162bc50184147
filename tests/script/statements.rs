//! How scripts run: what is printed, when it stops, what stays.

use quadrille::linalg::Algebra;
use quadrille::script::{Interpreter, NESTING};
use quadrille::{Gpu, Result};

use crate::support::on_gpu;
use crate::{Memory, placed, ran, told};

#[test]
fn values_are_printed_as_a_person_reads_them() -> Result<()> {
    on_gpu(|gpu| {
        for (script, printed) in [
            ("A = [1 2; 3 4]\nA", "A = (2 x 2)\n  1  2\n  3  4"),
            ("x = 1 / 3; x", "x = 0.333333"),
            ("t = \"a b\"; t", "t = a b"),
            ("2 + 3", "5"),
            ("[1 2] * 2", "  2  4"),
            ("print \"a\", 1, [1 2], \"b\", 2", "a 1\n  1  2\nb 2"),
            ("print -1 / 0, 0 / 0", "-inf NaN"),
            ("time x = 3; x", "took 1.00 ms\nx = 3"),
            ("time print 1", "1\ntook 1.00 ms"),
            ("A = ones(100, 100)", ""),
        ] {
            assert_eq!(told(gpu, script), printed, "{script}");
        }
        Ok(())
    })
}

#[test]
fn what_was_set_before_a_fault_stays() -> Result<()> {
    on_gpu(|gpu| {
        let (mut interpreter, mut memory) = (Interpreter::new(&Algebra::new(gpu)), Memory::default());
        let text = "a = 1\nb = [1 2 3]\nc = load(\"nothing\")\nd = 2";
        let fault = interpreter.run(text, &mut memory).err().map(|fault| placed(text, &fault));
        assert_eq!(fault.as_deref(), Some("3:5: nothing: is not there"));
        let names: Vec<String> =
            interpreter.names().map(|(name, value)| format!("{name}: {value}")).collect();
        assert_eq!(names, ["a: the number 1", "b: 1 x 3"]);
        ran(interpreter.run("b = b + a", &mut memory))
    })
}

#[test]
fn a_variable_keeps_its_value_when_another_changes() -> Result<()> {
    on_gpu(|gpu| {
        let script = "A = [1 2]; B = A; A = 2 * A; A = -A; C = B * 3; print A, B, C";
        assert_eq!(told(gpu, script), "  -2  -4\n  1  2\n  3  6");
        Ok(())
    })
}

#[test]
fn files_of_one_script_are_read_back_by_it() -> Result<()> {
    on_gpu(|gpu| {
        let script = "save(\"a\", [1 2; 3 4]); save(\"n\", 7)\nprint load(\"a\")', load(\"n\") + 1";
        assert_eq!(told(gpu, script), "  1  3\n  2  4\n8");
        Ok(())
    })
}

/// Passes, uploads and lines that a script makes before it is refused.
fn work(gpu: &Gpu, script: &str) -> (u64, u64, usize) {
    let before = gpu.counters();
    let mut memory = Memory::default();
    assert!(Interpreter::new(&Algebra::new(gpu)).run(script, &mut memory).is_err(), "{script}");
    let after = gpu.counters();
    (after.passes - before.passes, after.uploads - before.uploads, memory.printed.len())
}

#[test]
fn shapes_and_names_of_a_whole_script_are_checked_before_any_pass() -> Result<()> {
    on_gpu(|gpu| {
        for script in [
            "A = ones(3, 4); B = A * A'\nprint sum(B)\nC = A * A",
            "A = ones(3, 4); n = rows(A) + 1; B = A * zeros(n, 2); C = B + A",
            "A = [1 2; 3 4]; B = [A; 1 2 3]",
            "A = ones(3, 4)\nprint A\nprint B",
            "print 1\nsqrt(2)",
            "time A = ones(3, 3); print dot(A, [1 2])",
            "A = identity(5); A = A * random(5, 2); A * A",
        ] {
            assert_eq!(work(gpu, script), (0, 0, 0), "{script}");
        }
        Ok(())
    })
}

#[test]
fn what_only_the_run_knows_is_checked_before_its_own_pass() -> Result<()> {
    on_gpu(|gpu| {
        let mut memory = Memory::default();
        let mut interpreter = Interpreter::new(&Algebra::new(gpu));
        ran(interpreter.run("save(\"a\", ones(3, 4)); save(\"n\", 4)", &mut memory))?;
        let mut refused = |text: &str| -> String {
            interpreter.run(text, &mut memory).err().map_or(String::new(), |fault| placed(text, &fault))
        };
        let unfit = "the shapes do not fit `*`: found 3 x 4 and 3 x 4, expected 3 columns on the left or 4 rows on the right";
        assert_eq!(refused("A = load(\"a\")\nx = A * load(\"a\")"), format!("2:5: {unfit}"));
        let before = gpu.counters().passes;
        assert_eq!(refused("B = A * load(\"a\")"), format!("1:5: {unfit}"));
        assert_eq!(gpu.counters().passes, before);
        assert_eq!(
            refused("zeros(load(\"n\") / 3, 2)"),
            "1:7: zeros: found the number 1.33333, expected a whole number of rows"
        );
        Ok(())
    })
}

#[test]
fn what_is_nested_as_deep_as_it_may_be_runs() -> Result<()> {
    on_gpu(|gpu| {
        let nested =
            |open: &str, close: &str| format!("print {}1{}", open.repeat(NESTING), close.repeat(NESTING));
        for (open, close, printed) in
            [("(", ")", "1"), ("[", "]", "1"), ("-(", ")", "1"), ("max(", ", 2)", "2"), ("(2 - ", ")'", "1")]
        {
            assert_eq!(told(gpu, &nested(open, close)), printed, "{open}");
        }
        let deep = format!("A = [1 2]; print {}A{}", "[".repeat(NESTING), "]".repeat(NESTING));
        assert_eq!(told(gpu, &deep), "  1  2");
        let long = format!("A = ones(2, 2); print sum(A{})", " + A".repeat(3000));
        assert_eq!(told(gpu, &long), "12004");
        Ok(())
    })
}

//! Parts of matrices: `A(i, j)`, `A(i:k, :)`.

use quadrille::Result;
use quadrille::linalg::Algebra;
use quadrille::script::Interpreter;

use crate::support::on_gpu;
use crate::{Memory, ran, told};

#[test]
fn parts_are_taken_by_rows_and_columns_from_1() -> Result<()> {
    on_gpu(|gpu| {
        for (part, printed) in [
            ("A(2, 3)", "6"),
            ("A(2, :)", "  4  5  6"),
            ("A(:, 2)'", "  2  5  8"),
            ("A(2:3, 1:2)", "  4  5\n  7  8"),
            ("A(:, :) - A", "  0  0  0\n  0  0  0\n  0  0  0"),
            ("A(1:1, 2:2) + 1", "3"),
            ("[A(3, :); A(1, :)]", "  7  8  9\n  1  2  3"),
            ("A(rows(A), 1 + 1)", "8"),
            ("-A(3, 1)' * 2", "-14"),
            ("n(1, 1) + n(:, 1:1)", "10"),
            ("A(A(1, 2), max([1 2]))", "5"),
            ("A(n - 4:3, (3))'", "  3  6  9"),
        ] {
            let script = format!("A = [1 2 3; 4 5 6; 7 8 9]; n = 5\nprint {part}");
            assert_eq!(told(gpu, &script), printed, "{part}");
        }
        // A name of both is the function where it is called.
        assert_eq!(told(gpu, "rows = [1 2; 3 4]; print rows(rows)"), "2");
        assert!(
            told(gpu, "rows = [1 2]; print rows(1, :)").starts_with("1:29: `:` stands for rows"),
            "{}",
            told(gpu, "rows = [1 2]; print rows(1, :)")
        );
        Ok(())
    })
}

#[test]
fn parts_of_what_is_not_known_beforehand_are_checked_when_they_are_taken() -> Result<()> {
    on_gpu(|gpu| {
        let mut memory = Memory::default();
        let mut interpreter = Interpreter::new(&Algebra::new(gpu));
        ran(interpreter.run("save(\"a\", [1 2 3; 4 5 6])", &mut memory))?;
        ran(interpreter.run("A = load(\"a\"); k = sum([1 1]); print A(k, :), A(1:k, k:3)", &mut memory))?;
        assert_eq!(memory.printed, ["  4  5  6", "  2  3", "  5  6"]);
        let fault = interpreter.run("print 1; B = load(\"a\"); print B(k + 1, 1)", &mut memory).err();
        let message = fault.map(|fault| fault.message);
        assert_eq!(message.as_deref(), Some("found the number 3, expected a row from 1 to 2"));
        assert_eq!(memory.printed.last().map(String::as_str), Some("1"));
        Ok(())
    })
}

use super::*;
use crate::script::NESTING;

/// A tree as one line, every operation in parentheses.
fn shown(expression: &Expression) -> String {
    let all = |expressions: &[Expression]| expressions.iter().map(shown).collect::<Vec<_>>().join(" ");
    match &expression.kind {
        Kind::Number(value) => format!("{value}"),
        Kind::Text(text) => format!("{text:?}"),
        Kind::Variable(name) => name.clone(),
        Kind::Call(name, arguments) => format!("{}({})", name.text, all(arguments)),
        Kind::All => ":".to_owned(),
        Kind::Through(first, last) => format!("{}:{}", shown(first), shown(last)),
        Kind::Elements(rows) => {
            format!("[{}]", rows.iter().map(|row| all(row)).collect::<Vec<_>>().join("; "))
        }
        Kind::Transpose(operand) => format!("{}'", shown(operand)),
        Kind::Minus(operand) => format!("(-{})", shown(operand)),
        Kind::Chain(first, rest) => rest.iter().fold(shown(first), |left, (operator, right)| {
            format!("({left} {} {})", operator.sign(), shown(right))
        }),
    }
}

fn statements(text: &str) -> String {
    fn line(statement: &Statement) -> String {
        match &statement.action {
            Action::Assign(name, value) => format!("{} = {}", name.text, shown(value)),
            Action::Print(items) => {
                format!("print {}", items.iter().map(shown).collect::<Vec<_>>().join(", "))
            }
            Action::Show(value) => shown(value),
            Action::Time(timed) => format!("time {}", line(timed)),
        }
    }
    match parse(text) {
        Ok(statements) => statements.iter().map(line).collect::<Vec<_>>().join(" | "),
        Err(fault) => {
            let (line, column) = fault.span.place(text);
            format!("{line}:{column}: {}", fault.message)
        }
    }
}

#[test]
fn operators_bind_as_in_octave() {
    for (text, tree) in [
        ("a + b * c", "(a + (b * c))"),
        ("a - b - c", "((a - b) - c)"),
        ("a / b * c ./ d .* e", "((((a / b) * c) ./ d) .* e)"),
        ("-a * b", "((-a) * b)"),
        ("a * -b'", "(a * (-b'))"),
        ("--a", "a"),
        ("-+-- a", "(-a)"),
        ("a''", "a"),
        ("a'''", "a'"),
        ("(a + b)' * c", "((a + b)' * c)"),
        ("a '", "a'"),
        ("2.*A", "(2 .* A)"),
        ("2./A", "(2 ./ A)"),
        ("2.'", "2'"),
        ("1e-3 + .5 + 5. + 1E+2", "(((0.001 + 0.5) + 5) + 100)"),
        ("f ( a , b ) (c)", "1:13: found `(`, expected an operator or the end of the statement"),
        ("zeros(3, 4)'", "zeros(3 4)'"),
        ("f()", "f()"),
    ] {
        assert_eq!(statements(text), tree, "{text}");
    }
}

#[test]
fn blanks_and_lines_separate_what_is_between_brackets() {
    for (text, tree) in [
        ("[1 2; 3 4]", "[1 2; 3 4]"),
        ("[1,2;3,4]", "[1 2; 3 4]"),
        ("[1 -2]", "[1 (-2)]"),
        ("[1 - 2]", "[(1 - 2)]"),
        ("[1 -  2]", "[(1 - 2)]"),
        ("[1 -2 - 3]", "[1 ((-2) - 3)]"),
        ("[a' b']", "[a' b']"),
        ("[a *b]", "[(a * b)]"),
        ("[f(1) (2) [3 4]]", "[f(1) 2 [3 4]]"),
        ("[f (1)]", "[f 1]"),
        ("[(1 -2) f(1 -2)]", "[(1 - 2) f((1 - 2))]"),
        ("[1 2\n3 4\n]", "[1 2; 3 4]"),
        ("[\n1 2;\n\n3 4;\n]", "[1 2; 3 4]"),
        ("[1 2 # one\n3 4 % two\n]", "[1 2; 3 4]"),
        ("[ 1 ]", "[1]"),
        ("[1 , 2]", "[1 2]"),
        ("[1\u{a0}2]", "[1 2]"),
        ("[]", "[]"),
        ("[1\r\n2]", "[1; 2]"),
        ("f(1,\n 2 # two\n + 3)", "f(1 (2 + 3))"),
        ("(a\n+\nb)", "(a + b)"),
    ] {
        assert_eq!(statements(text), tree, "{text}");
    }
}

#[test]
fn parts_hold_rows_and_columns() {
    for (text, tree) in [
        ("A(1, :)", "A(1 :)"),
        ("A(i + 1:k, : )'", "A((i + 1):k :)'"),
        ("[A(:, 1) -A(2:3, :)]", "[A(: 1) (-A(2:3 :))]"),
        ("A(1:2:3)", "1:6: `:` stands for rows or columns of a variable, as in A(1:3, :)"),
        ("A(:2)", "1:4: found the number 2, expected an operator, `,` or `)`"),
        ("[1:3]", "1:3: `:` stands for rows or columns of a variable, as in A(1:3, :)"),
    ] {
        assert_eq!(statements(text), tree, "{text}");
    }
}

#[test]
fn statements_end_with_their_line_or_a_semicolon() {
    for (text, all) in [
        ("", ""),
        (" ;; \n # nothing\n", ""),
        ("a = 1; b = a\nb", "a = 1 | b = a | b"),
        ("print a, \"b c\" # d", "print a, \"b c\""),
        ("time x = solve(A, b)", "time x = solve(A b)"),
        ("\u{feff}a\r\nb\r\n", "a | b"),
        ("λ_1 = 2", "λ_1 = 2"),
        ("printed = 1", "printed = 1"),
    ] {
        assert_eq!(statements(text), all, "{text}");
    }
}

#[test]
fn the_first_mistake_of_the_text_is_the_one_that_is_told() {
    for (text, line) in [
        ("a = )\nb = 1 ^ 2", "1:5: `)` closes what was never opened"),
        ("a b\nc = \"d", "1:3: found the name b, expected an operator or the end of the statement"),
        ("a = (1 + \nb c\n", "1:5: `(` is never closed: found the end, expected `)`"),
    ] {
        assert_eq!(statements(text), line, "{text}");
    }
}

/// A wide tree is neither read nor dropped by recursion: on a stack of 512 KiB a frame of 26 bytes for each of its parts would be
/// too much.
#[test]
fn the_depth_of_a_tree_is_bounded_and_its_width_is_not() -> std::io::Result<()> {
    let nested = |depth: usize| format!("{}1{}", "(".repeat(depth), ")".repeat(depth));
    assert_eq!(statements(&nested(NESTING)), "1");
    let message = "1:65: more than 64 brackets are open, one inside the other";
    assert_eq!(statements(&nested(NESTING + 1)), message);
    assert_eq!(statements(&nested(20_000)), message);
    let wide = || {
        for wide in [
            format!("1{}", " + 1".repeat(20_000)),
            format!("{}1", "-".repeat(20_001)),
            format!("a{}", "'".repeat(20_001)),
            format!("[{}]", "1 ".repeat(20_000)),
            format!("[{}]", "1;".repeat(20_000)),
            "a;".repeat(20_000),
        ] {
            assert!(parse(&wide).is_ok(), "{}", &wide[..20]);
        }
        assert!(parse(&"time ".repeat(20_000)).is_err());
    };
    let ended = std::thread::Builder::new().stack_size(512 << 10).spawn(wide)?.join();
    assert!(ended.is_ok());
    Ok(())
}

#[test]
fn spans_cover_what_was_written() -> Result<(), Fault> {
    let text = "x = (a + b)' * -c  # all\ntime print x";
    let found = parse(text)?;
    let part = |span: Span| &text[span.start..span.end];
    assert_eq!(part(found[0].span), "x = (a + b)' * -c");
    assert_eq!(part(found[1].span), "time print x");
    if let Action::Assign(name, Expression { kind: Kind::Chain(first, rest), span }) = &found[0].action {
        assert_eq!((part(name.span), part(*span)), ("x", "(a + b)' * -c"));
        assert_eq!((part(first.span), part(rest[0].1.span)), ("(a + b)'", "-c"));
        return Ok(());
    }
    Err(Fault::new(found[0].span, "another tree"))
}

#[test]
fn a_text_is_open_while_a_bracket_is() {
    for text in ["a = [1 2", "f(1,\n", "[1 2\n(3 ", "["] {
        assert!(is_open(text), "{text}");
    }
    for text in ["", "a", "[1]", "(]", "\"[", "[ ^", "# [", "a)"] {
        assert!(!is_open(text), "{text}");
    }
}

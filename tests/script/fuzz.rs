//! Random words, and right scripts with random damage: never a panic, always a fault with a place inside the text.

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use quadrille::linalg::Algebra;
use quadrille::script::Interpreter;
use quadrille::{Gpu, Result};

use crate::Memory;
use crate::fed::{feed, sound};
use crate::support::on_gpu;

const WORDS: &[&str] = &[
    "1",
    "2",
    "0",
    "-3",
    "2.5",
    "1e9",
    "1e-9",
    "1e300",
    ".5",
    "1e",
    "1.2.3",
    "A",
    "B",
    "x",
    "n",
    "_",
    "print",
    "time",
    "zeros",
    "ones",
    "identity",
    "random",
    "size",
    "rows",
    "sum",
    "max",
    "min",
    "abs",
    "dot",
    "norm",
    "transpose",
    "load",
    "save",
    "solve",
    "lcp",
    "(",
    ")",
    "[",
    "]",
    "(",
    ")",
    "[",
    "]",
    ",",
    ";",
    "\n",
    " ",
    " ",
    " ",
    "  ",
    "+",
    "-",
    "*",
    "/",
    ".*",
    "./",
    "'",
    "=",
    "\"f\"",
    "\"",
    "#",
    "%",
    "^",
    ":",
    ":",
    "A(1, :)",
    "B(:, 1:2)",
    ".",
    "\u{e9}",
    "\u{2212}",
    "\t",
    "\r\n",
    "\0",
    "\u{1F600}",
];

const RIGHT: &[&str] = &[
    "A = [1 2; 3 4]\nB = A' * A + 2\nprint A, B, sum(B)\n",
    "x = random(3, 1, 7); n = x' * x; time y = (x' * x) * x - n / 2; y",
    "A = identity(3) .* 2; save(\"f\", A); B = load(\"f\"); [A; B] ./ 3",
    "s = size(zeros(2, 3)); print \"size\", s, rows(s), max(s), max(s, 2), -s'\n# done",
    "A = [1 -2\n 3 4 # two\n]; norm(A), A",
    "A = ones(4, 4); b = ones(4, 1); print dot(b, A * b), abs(-b), (1\n+ 2)",
    "A = [4 1; 1 3]; b = [1; 2]; x = solve(A, b); y = lcp(A, -b); print x, y",
];

fn runner(cases: u32) -> TestRunner {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

fn soup() -> impl Strategy<Value = String> {
    prop::collection::vec(select(WORDS), 0..60).prop_map(|words| words.concat())
}

/// A right script in which pieces are removed, doubled, or replaced by words.
fn damaged() -> impl Strategy<Value = String> {
    let damage = (any::<prop::sample::Index>(), 0..6_usize, 0..3_u8, select(WORDS));
    (select(RIGHT), prop::collection::vec(damage, 0..4)).prop_map(|(script, damages)| {
        let mut letters: Vec<char> = script.chars().collect();
        for (place, length, kind, word) in damages {
            let start = place.index(letters.len() + 1);
            let end = (start + length).min(letters.len());
            let piece: Vec<char> = letters[start..end].to_vec();
            match kind {
                0 => drop(letters.drain(start..end)),
                1 => drop(letters.splice(start..start, piece)),
                _ => drop(letters.splice(start..end, word.chars())),
            }
        }
        letters.into_iter().collect()
    })
}

fn parsed(strategy: impl Strategy<Value = String>, cases: u32) {
    let outcome = runner(cases).run(&strategy, |text| {
        feed(&text);
        Ok(())
    });
    assert!(outcome.is_ok(), "{}", outcome.err().map_or(String::new(), |error| error.to_string()));
}

#[test]
fn what_fuzzing_found_is_parsed_or_refused() -> std::io::Result<()> {
    let found = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/corpus/script"))?;
    let texts = found.map(|file| std::fs::read(file?.path())).collect::<std::io::Result<Vec<_>>>()?;
    assert!(!texts.is_empty());
    texts.iter().for_each(|text| feed(&String::from_utf8_lossy(text)));
    Ok(())
}

#[test]
fn no_soup_of_words_makes_the_parser_panic() {
    parsed(soup(), 8_000);
    parsed(any::<String>(), 2_000);
}

#[test]
fn no_damage_makes_the_parser_panic() {
    parsed(damaged(), 8_000);
}

/// Runs texts with matrices of at most 64 elements; what an interpreter has been through stays in it.
fn interpreted(gpu: &Gpu, strategy: impl Strategy<Value = String>, cases: u32) {
    let mut interpreter = Interpreter::with_limit(&Algebra::new(gpu), 64);
    let mut memory = Memory::default();
    let shared = std::cell::RefCell::new((&mut interpreter, &mut memory));
    let outcome = runner(cases).run(&strategy, |text| {
        let (interpreter, memory) = &mut *shared.borrow_mut();
        memory.printed.clear();
        interpreter.run(&text, *memory).unwrap_or_else(|fault| sound(&text, &fault));
        Ok(())
    });
    assert!(outcome.is_ok(), "{}", outcome.err().map_or(String::new(), |error| error.to_string()));
}

#[test]
fn no_soup_of_words_makes_the_interpreter_panic() -> Result<()> {
    on_gpu(|gpu| {
        interpreted(gpu, soup(), 5_000);
        Ok(())
    })
}

#[test]
fn no_damage_makes_the_interpreter_panic() -> Result<()> {
    on_gpu(|gpu| {
        interpreted(gpu, damaged(), 2_000);
        Ok(())
    })
}

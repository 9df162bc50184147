//! The commands of the documentation beside the flags that the program has.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::program::{Outcome, Program};

/// The command and the flags of a line such as `quadrille demo wave --beta 2   # implicit`.
fn parts(line: &str) -> Option<(String, Vec<String>)> {
    let line = line.strip_prefix("quadrille ")?.split(" #").next()?;
    let words: Vec<&str> = line.split_whitespace().collect();
    let named = if matches!(words.first(), Some(&("demo" | "bench"))) { 2 } else { 1 };
    let command =
        words.iter().take(named).take_while(|word| !word.starts_with('-')).copied().collect::<Vec<_>>();
    let flags = words.iter().filter(|word| word.starts_with("--")).map(|word| (*word).to_owned()).collect();
    Some((command.join(" "), flags))
}

#[test]
fn every_command_and_flag_of_the_documentation_exists() -> Outcome {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut commands: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for page in
        ["README.md", "docs/demos.md", "docs/kernel-language.md", "docs/solvers.md", "docs/inspector.md", "docs/pde.md"]
    {
        let text = std::fs::read_to_string(root.join(page))?;
        for (command, flags) in text.lines().filter_map(parts) {
            commands.entry(command).or_default().extend(flags);
        }
    }
    assert!(commands.len() > 15, "{commands:?}");
    let program = Program::new()?;
    for (command, flags) in commands {
        let help = program.run(&format!("{command} --help"))?;
        assert_eq!(help.status, Some(0), "{command}: {}", help.err);
        let known: BTreeSet<&str> = help.out.split(|c: char| !(c.is_alphanumeric() || c == '-')).collect();
        for flag in flags {
            assert!(known.contains(flag.as_str()), "quadrille {command} has no {flag}:\n{}", help.out);
        }
    }
    Ok(())
}

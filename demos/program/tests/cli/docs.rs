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
    let mut pages: Vec<_> = [
        "README.md",
        "docs/demos.md",
        "docs/kernel-language.md",
        "docs/solvers.md",
        "docs/inspector.md",
        "docs/pde.md",
    ]
    .map(|page| root.join(page))
    .to_vec();
    for entry in std::fs::read_dir(root.join("docs/book/src"))? {
        pages.push(entry?.path());
    }
    for page in pages {
        let text = std::fs::read_to_string(page)?;
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

/// Each command behind a `$` in the book is run, in the folder of the checkout; the text below it must be what it prints.
#[test]
fn the_commands_of_the_book_print_what_it_says() -> Outcome {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let program = Program::new()?;
    let mut commands = 0;
    for entry in std::fs::read_dir(root.join("docs/book/src"))? {
        let path = entry?.path();
        let text = std::fs::read_to_string(&path)?;
        for block in text
            .split("```console\n")
            .skip(1)
            .filter_map(|rest| rest.split_once("\n```"))
            .map(|(block, _)| block)
        {
            for run in block.split("$ quadrille ").skip(1) {
                let (command, expected) = run.split_once('\n').unwrap_or((run, ""));
                let ended = program.command(&command.replace('"', "")).current_dir(&root).output()?;
                let printed = String::from_utf8_lossy(&ended.stdout);
                let place = format!("{}: {command}", path.display());
                assert!(ended.status.success(), "{place}: {}", String::from_utf8_lossy(&ended.stderr));
                assert_eq!(printed.trim_end(), expected.trim_end(), "{place}");
                commands += 1;
            }
        }
    }
    assert!(commands > 25, "{commands}");
    Ok(())
}

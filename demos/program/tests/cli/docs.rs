//! The commands of the documentation beside the flags that the program has.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::program::{Outcome, Program};

/// The commands and their flags of a line such as `quadrille demo wave --beta 2   # implicit`; two where one is traced.
fn parts(line: &str) -> Option<Vec<(String, Vec<String>)>> {
    let line = line.strip_prefix("quadrille ")?.split(" #").next()?;
    let all: Vec<&str> = line.split_whitespace().collect();
    if all.first() == Some(&"=") {
        return None; // a dependency of a Cargo.toml
    }
    let traced = ["demo", "kernel", "solve", "script", "smooth"];
    let inner = match all.first() {
        Some(&"trace") => all.iter().position(|word| traced.contains(word)).unwrap_or(all.len()),
        _ => all.len(),
    };
    let (outer, inner) = all.split_at(inner);
    let commands = [outer, inner].into_iter().filter(|words| !words.is_empty()).map(|words| {
        let named = if matches!(words[0], "demo" | "bench") { 2 } else { 1 };
        let command: Vec<&str> =
            words.iter().take(named).take_while(|word| !word.starts_with('-')).copied().collect();
        let flags = words.iter().filter(|word| word.starts_with("--")).map(|word| (*word).to_owned());
        (command.join(" "), flags.collect())
    });
    Some(commands.collect())
}

#[test]
fn every_command_and_flag_of_the_documentation_exists() -> Outcome {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut commands: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut pages = vec![root.join("README.md")];
    for folder in ["docs", "docs/commands", "docs/book/src"] {
        pages.extend(texts_of(&root.join(folder))?);
    }
    // The past and its names are told there.
    pages.retain(|page| !page.ends_with("docs/changelog.md"));
    for page in pages {
        let text = std::fs::read_to_string(page)?;
        for (command, flags) in text.lines().filter_map(parts).flatten() {
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

/// The files of a folder whose names end in `.md`.
fn texts_of(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut texts = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        texts.push(entry?.path());
    }
    texts.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    texts.sort();
    Ok(texts)
}

/// The words of a command line; what stands in quotes is one word.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for (i, part) in line.split('"').enumerate() {
        for (j, piece) in part.split(' ').enumerate() {
            match words.last_mut() {
                Some(word) if i % 2 == 1 && j > 0 => *word += &format!(" {piece}"),
                Some(word) if j == 0 => *word += piece,
                _ => words.push(piece.to_owned()),
            }
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Each command behind a `$` in the book, the README and other pages is run, in the folder of the checkout; the text below it
/// must be what it prints.
#[test]
fn the_commands_of_the_book_print_what_it_says() -> Outcome {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let program = Program::new()?;
    let mut commands = 0;
    let mut pages = vec![root.join("README.md")];
    for folder in ["docs", "docs/commands", "docs/book/src"] {
        pages.extend(texts_of(&root.join(folder))?);
    }
    for path in pages {
        let text = std::fs::read_to_string(&path)?;
        for block in text
            .split("```console\n")
            .skip(1)
            .filter_map(|rest| rest.split_once("\n```"))
            .map(|(block, _)| block)
        {
            for run in block.split("$ quadrille ").skip(1) {
                let (command, expected) = run.split_once('\n').unwrap_or((run, ""));
                let ended = program.command("").args(words(command)).current_dir(&root).output()?;
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

/// Each film strip of the book is what the command below it draws: on llvmpipe to the byte, elsewhere the same passes and
/// textures, whose last digits are the driver's own.
#[test]
fn the_strips_of_the_book_are_drawn_by_the_commands_beside_them() -> Outcome {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let program = Program::new()?;
    let exactly = program.succeed("info")?.contains("llvmpipe");
    let mut strips = 0;
    for path in texts_of(&root.join("docs/book/src"))? {
        let text = std::fs::read_to_string(&path)?;
        let prefix = "quadrille trace --strip ";
        for command in text.lines().filter_map(|line| line.strip_prefix(prefix)) {
            let (figure, run) = command.split_once(' ').ok_or("a strip of what?")?;
            let link = format!("](../../{})", figure.trim_start_matches("docs/"));
            assert!(text.contains(&link), "{}: {figure} is not shown", path.display());
            let made = program.path("strip.svg");
            let mut trace = program.command("trace --strip");
            let ended = trace.arg(&made).args(words(run)).current_dir(&root).output()?;
            assert!(ended.status.success(), "{command}: {}", String::from_utf8_lossy(&ended.stderr));
            let (made, kept) = (std::fs::read_to_string(made)?, std::fs::read_to_string(root.join(figure))?);
            let parts = |svg: &str| -> Vec<String> {
                let text = |class| svg.split(class).skip(1).filter_map(|rest| rest.split('<').next());
                ["class=\"n\">", "class=\"k\">"].into_iter().flat_map(text).map(str::to_owned).collect()
            };
            assert_eq!(parts(&made), parts(&kept), "{figure}: make figures");
            assert!(!exactly || made == kept, "{figure}: other numbers: make figures");
            strips += 1;
        }
    }
    assert!(strips >= 14, "{strips}");
    Ok(())
}

/// Lines of `--help` that begin a flag, by their sections.
fn flags_of(help: &str) -> Vec<(String, String)> {
    let (mut section, mut flags) = (String::new(), Vec::new());
    for line in help.lines() {
        if let Some(name) = line.strip_suffix(':').filter(|name| !name.starts_with(' ')) {
            section = name.to_owned();
        }
        // Descriptions are further in.
        let begins = line.strip_prefix("      ").filter(|rest| rest.starts_with("--"));
        if let Some(flag) = begins.and_then(|rest| rest.split([' ', ',']).next()) {
            flags.push((section.clone(), flag.to_owned()));
        }
    }
    flags
}

/// The flags that a page names, without those of commands that it shows, which are held by another test.
fn named_on(page: &str) -> BTreeSet<String> {
    let lines = page.lines().filter(|line| parts(line.trim_start_matches("$ ")).is_none());
    let part = |c: char| !(c.is_ascii_alphanumeric() || c == '-');
    let words = lines
        .flat_map(|line| line.split(part))
        .filter(|word| word.starts_with("--") && word.contains(char::is_alphabetic));
    words.map(str::to_owned).collect()
}

/// Every command and demo has a page; each of its own flags stands there, and no other flag does.
#[test]
fn the_pages_of_commands_have_the_flags_of_their_help() -> Outcome {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/commands");
    let program = Program::new()?;
    let help = |command: &str| program.succeed(&format!("{command} --help"));
    let listed = |text: &str, title: &str| -> Vec<String> {
        let lines =
            text.lines().skip_while(|line| *line != title).skip(1).take_while(|line| !line.is_empty());
        let names = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
        names
            .filter_map(|line| line.split_whitespace().next())
            .filter(|n| *n != "help")
            .map(str::to_owned)
            .collect()
    };
    // A command's own flags and those of its words; then those that it shares.
    let mut pages: BTreeMap<String, (String, Vec<&str>)> = BTreeMap::new();
    let shared = vec!["Context", "Every demo", "Pictures in perspective"];
    for command in listed(&help("")?, "Commands:") {
        let mut text = if command == "demo" { String::new() } else { help(&command)? };
        if matches!(command.as_str(), "bench" | "exercise") {
            for word in listed(&text.clone(), "Commands:") {
                text += &help(&format!("{command} {word}"))?;
            }
        }
        pages.insert(command, (text, shared.clone()));
    }
    let mut demos = String::new();
    for demo in listed(&help("demo")?, "Demos:") {
        let text = help(&format!("demo {demo}"))?;
        demos += &text;
        pages.insert(format!("demo-{demo}"), (text, shared.clone()));
    }
    assert!(pages.len() > 20 && pages.contains_key("demo-wave"), "{:?}", pages.keys());
    pages.insert("demo".to_owned(), (demos, vec!["Context", "Options", "Flow"]));
    pages.insert("README".to_owned(), (help("info")?, vec!["Options"]));
    for (name, (help, elsewhere)) in &pages {
        let path = folder.join(format!("{name}.md"));
        let page = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let named = named_on(&page);
        let mut all: BTreeSet<String> =
            help.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).map(str::to_owned).collect();
        all.insert("--help".to_owned());
        for (section, flag) in flags_of(help) {
            assert!(
                elsewhere.contains(&section.as_str()) || named.contains(&flag),
                "{name}.md has no {flag}"
            );
        }
        let spare: Vec<&String> = named.iter().filter(|flag| !all.contains(*flag)).collect();
        assert!(spare.is_empty(), "{name}.md names {spare:?}, which `{name} --help` does not have");
    }
    let mut files: Vec<String> = Vec::new();
    for path in texts_of(&folder)? {
        files.push(path.file_stem().unwrap_or_default().to_string_lossy().into_owned());
    }
    let spare: Vec<&String> = files.iter().filter(|file| !pages.contains_key(*file)).collect();
    assert!(spare.is_empty(), "pages of no command: {spare:?}");
    Ok(())
}

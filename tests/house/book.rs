//! The book: its chapters, links, exercises and numbers.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;

use super::root;

/// Name and text of each chapter; none in the package of the library, which has no book.
fn chapters() -> io::Result<Vec<(String, String)>> {
    let mut chapters = pages()?;
    chapters.retain(|(name, _)| name.starts_with(|c: char| c.is_ascii_digit()));
    Ok(chapters)
}

fn pages() -> io::Result<Vec<(String, String)>> {
    let mut pages = Vec::new();
    if root().join("docs/book/src").exists() {
        for (path, text) in super::files("docs/book/src", &["md"])? {
            pages.push((path.trim_start_matches("docs/book/src/").to_owned(), text));
        }
    }
    pages.sort();
    Ok(pages)
}

/// The listings of a chapter that are files of the repository: the path that the comment above each names, and the text.
fn listings(text: &str) -> Vec<(&str, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        let path = line.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->"));
        let Some(path) = path.filter(|path| !path.contains(' ')) else { continue };
        let begins = lines.get(i + 1).is_some_and(|fence| fence.starts_with("```"));
        let inside = lines[i + 1..].iter().skip(1).take_while(|line| **line != "```").filter(|_| begins);
        found.push((path, inside.flat_map(|line| [*line, "\n"]).collect()));
    }
    found
}

/// A chapter without the listings that are files.
fn own_words(text: &str) -> String {
    listings(text).iter().fold(text.to_owned(), |rest, (_, listing)| rest.replacen(listing, "", 1))
}

/// Chapters that people open on a forge show the kernels, and not the names of their files.
#[test]
fn each_listing_of_a_chapter_is_the_file_that_it_names() -> io::Result<()> {
    let chapters = chapters()?;
    let mut held = 0;
    for (name, text) in &chapters {
        assert!(!text.contains("{{#include"), "{name}: a listing stands in the chapter itself");
        for (path, listing) in listings(text) {
            let file = fs::read_to_string(root().join(path))
                .map_err(|error| io::Error::other(format!("{name}: {path}: {error}")))?;
            assert_eq!(listing, file, "{name}: the listing of {path} differs from that file");
            held += 1;
        }
    }
    assert!(chapters.is_empty() || held > 30, "{held} listings");
    Ok(())
}

/// The texts between two marks, wherever they stand.
fn between<'a>(text: &'a str, open: &str, close: &str) -> Vec<&'a str> {
    text.split(open).skip(1).filter_map(|rest| rest.split_once(close)).map(|(inside, _)| inside).collect()
}

#[test]
fn fourteen_chapters_have_1200_to_2000_words_and_a_place_in_the_summary() -> io::Result<()> {
    let chapters = chapters()?;
    if chapters.is_empty() {
        return Ok(());
    }
    assert_eq!(chapters.len(), 14);
    for (name, text) in &chapters {
        let words = own_words(text).split_whitespace().count();
        assert!((1200..=2000).contains(&words), "{name}: {words} words");
        // The loop on the CPU, the film strip of its passes, what runs beside it in the site, figures then and now, what to try, the exercises.
        let strip = "\nquadrille trace --strip docs/figures/book/";
        for part in
            ["\n```c\n", strip, "\n<!-- live: ?demo=", "## Then and now", "## What to try", "## Exercises"]
        {
            assert!(text.contains(part), "{name}: no {}", part.trim());
        }
    }
    let summary = fs::read_to_string(root().join("docs/book/src/SUMMARY.md"))?;
    let listed: Vec<&str> = between(&summary, "](", ")");
    let mut names: Vec<String> = vec!["README.md".into()];
    names.extend(chapters.into_iter().map(|(name, _)| name));
    assert_eq!(listed[..15], names);
    let listed: BTreeSet<&str> = listed.into_iter().collect();
    let unlisted: Vec<String> = pages()?.into_iter().map(|(name, _)| name).collect();
    let unlisted: Vec<&String> =
        unlisted.iter().filter(|name| *name != "SUMMARY.md" && !listed.contains(name.as_str())).collect();
    assert!(unlisted.is_empty(), "in no place of the summary: {unlisted:?}");
    Ok(())
}

/// A page with what it includes, as mdBook sets it.
fn whole(name: &str, text: &str) -> io::Result<String> {
    let mut whole = String::new();
    for (i, part) in text.split("{{#include ").enumerate() {
        let Some((path, rest)) = part.split_once("}}").filter(|_| i > 0) else {
            whole += part;
            continue;
        };
        let file = root().join("docs/book/src").join(name).with_file_name("").join(path);
        whole += &fs::read_to_string(&file)
            .map_err(|error| io::Error::other(format!("{name}: {path}: {error}")))?;
        whole += rest;
    }
    Ok(whole)
}

/// The text outside of listings and of code.
fn prose(text: &str) -> String {
    let mut listing = false;
    let lines = text.lines().filter(|line| {
        let mark = line.starts_with("```");
        listing ^= mark;
        !listing && !mark
    });
    lines.map(|line| line.split('`').step_by(2).collect::<String>() + "\n").collect()
}

/// The name of a heading in a link.
fn anchor(heading: &str) -> String {
    let letters = heading.trim().to_lowercase();
    let letters = letters.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    letters.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// A path without its `..`.
fn straight(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Each link, both on the page of the repository that has its text and in the book that mdBook makes of it.
#[test]
fn every_listing_link_and_picture_of_the_book_is_there() -> io::Result<()> {
    let pages = pages()?;
    if pages.is_empty() {
        return Ok(());
    }
    let names: BTreeSet<&str> = pages.iter().map(|(name, _)| name.as_str()).collect();
    let mut links = 0;
    for (name, text) in &pages {
        let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
        let set = whole(name, text)?;
        for link in between(&prose(&set), "](", ")").into_iter().filter(|link| !link.contains("://")) {
            links += 1;
            let (path, heading) = link.split_once('#').unwrap_or((link, ""));
            // Chapters and pages link to pictures as they lie in the repository; `make book` puts these beside the pages.
            if let Some(card) = path.strip_prefix("../../demos/gallery/thumbnails/") {
                let there = root().join("demos/gallery/thumbnails").join(card).exists();
                assert!(there, "{name}: there is no {path}");
                continue;
            }
            let path =
                path.strip_prefix("../../").filter(|path| path.starts_with("figures/")).unwrap_or(path);
            let target = if path.is_empty() { name.clone() } else { straight(&format!("{folder}/{path}")) };
            let there = match target.ends_with(".md") {
                true => names.contains(target.as_str()),
                false => root().join("docs").join(&target).exists(),
            };
            assert!(there, "{name}: there is no {link} in the book");
            if !heading.is_empty() {
                let text = pages.iter().find(|(page, _)| *page == target).map_or("", |(_, text)| text);
                let text = whole(&target, text)?;
                let mut headings = text.lines().filter(|line| line.starts_with('#'));
                let found = headings.any(|line| anchor(line.trim_start_matches('#')) == heading);
                assert!(found, "{name}: {target} has no heading {heading}");
            }
        }
        // Rust in the chapters is shown from programs that tests run.
        let programs = listings(text).iter().filter(|(path, _)| path.starts_with("examples/")).count();
        assert_eq!(text.matches("```rust").count(), programs, "{name}: Rust that no test runs");
    }
    assert!(links > 100, "{links}");
    // The pages themselves, where they lie.
    let mut pages = super::files("docs", &["md"])?;
    pages.retain(|(path, _)| !path.starts_with("docs/book/"));
    pages.push(("README.md".to_owned(), fs::read_to_string(root().join("README.md"))?));
    for (name, text) in pages {
        let folder = root().join(&name).with_file_name("");
        for link in between(&prose(&text), "](", ")").into_iter().filter(|link| !link.contains("://")) {
            let path = link.split('#').next().unwrap_or(link);
            assert!(path.is_empty() || folder.join(path).exists(), "{name}: there is no {link}");
        }
    }
    Ok(())
}

/// A demo, or a kernel of this folder, is named by the line of a chapter of which the site makes a figure that runs (`tools/live.py`).
#[test]
fn every_kernel_that_a_chapter_runs_is_there() -> io::Result<()> {
    let (mut named, mut there) = (BTreeSet::new(), BTreeSet::new());
    for (name, text) in chapters()? {
        let live = between(&text, "<!-- live: ", " -->");
        assert_eq!(live.len(), 1, "{name}");
        let (address, file) = live[0].split_once(' ').unwrap_or((live[0], ""));
        assert_eq!(address.contains("?demo=new-kernel"), !file.is_empty(), "{name}: {}", live[0]);
        named.extend((!file.is_empty()).then(|| file.to_owned()));
    }
    if !named.is_empty() {
        there.extend(super::files("docs/book/live", &["frag"])?.into_iter().map(|(path, _)| path));
    }
    assert_eq!(named, there);
    Ok(())
}

/// The site has 200 lines of script by hand at most: those of the page and of the book.
#[test]
fn the_site_has_200_lines_of_script_at_most() -> io::Result<()> {
    let scripts = [super::files("demos/web/page", &["js"])?, super::files("docs/book", &["js"])?].concat();
    let lines: usize = scripts.iter().map(|(_, text)| text.lines().count()).sum();
    assert!(lines <= 200, "{lines} lines");
    Ok(())
}

#[test]
fn every_exercise_stands_in_its_chapter() -> io::Result<()> {
    let chapters = chapters()?;
    let folder = root().join("exercises");
    if chapters.is_empty() || !folder.exists() {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let told = fs::read_to_string(path.join("exercise.toml"))?;
        let chapter = told.lines().find_map(|line| line.strip_prefix("chapter = ")).unwrap_or_default();
        let text = chapters.iter().find(|(name, _)| name.starts_with(&format!("{chapter:0>2}-")));
        let exercises = text.and_then(|(_, text)| text.split("## Exercises").nth(1)).unwrap_or_default();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        assert!(exercises.contains(&format!("`{name}`")), "{name}: chapter {chapter} does not name it");
    }
    Ok(())
}

#[test]
fn every_row_of_the_papers_has_a_chapter() -> io::Result<()> {
    let row = |line: &str| {
        let id = line.strip_prefix("| ")?.split(' ').next()?;
        let (letter, number) = id.split_at_checked(1)?;
        (("A"..="E").contains(&letter) && number.parse::<u32>().is_ok()).then(|| id.to_owned())
    };
    let rows = |path: &str| -> io::Result<BTreeSet<String>> {
        Ok(fs::read_to_string(root().join(path))?.lines().filter_map(row).collect())
    };
    let appendix = "docs/book/src/papers.md";
    if !root().join(appendix).exists() {
        return Ok(());
    }
    let expected = rows("docs/papers.md")?;
    assert!(expected.len() > 50 && expected.contains("A1") && expected.contains("E11"), "{expected:?}");
    assert_eq!(rows(appendix)?, expected);
    for line in fs::read_to_string(root().join(appendix))?.lines().filter(|line| row(line).is_some()) {
        assert!(line.ends_with(".md) |"), "no chapter: {line}");
    }
    Ok(())
}

/// A number as people write it, thousands apart, and what stands behind it.
fn numbers(text: &str) -> Vec<(String, &str)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let before = rest[..start].chars().next_back();
        let mut end = start;
        loop {
            let digits =
                rest[end..].find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len() - end);
            end += digits;
            let more = rest[end..].strip_prefix(' ').unwrap_or_default();
            let group = more.len() - more.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            if group != 3 || rest[start..end].contains('.') {
                break;
            }
            end += 1;
        }
        let number = rest[start..end].trim_end_matches('.');
        if !before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
            found.push((number.to_owned(), &rest[start + number.len()..]));
        }
        rest = &rest[end..];
    }
    found
}

/// The unit behind a number, and how it is looked for.
fn unit(rest: &str) -> Option<&'static str> {
    let rest = rest.trim_start();
    let ends = |unit: &str| !rest[unit.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '/');
    let units = ["µs", "ms", "s", "steps/s", "frames/s", "GFLOP/s", "%"];
    if let Some(unit) = units.into_iter().find(|unit| rest.starts_with(unit) && ends(unit)) {
        return Some(unit);
    }
    let rates = [
        "steps a second",
        "times a second",
        "products a second",
        "million points",
        "times as long",
        "times as fast",
    ];
    rates.iter().any(|rate| rest.starts_with(rate)).then_some("")
}

/// Returns true if the text has that number, not as a part of a longer one.
fn has(text: &str, number: &str) -> bool {
    let part = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit() || c == '.');
    text.match_indices(number).any(|(at, _)| {
        let after = text[at + number.len()..].trim_start_matches('.');
        !part(text[..at].chars().next_back()) && !after.starts_with(|c: char| c.is_ascii_digit())
    })
}

#[test]
fn numbers_and_their_units_are_found() {
    let found = numbers("On N 22 341 steps/s, 80.0 µs. See 3.4, A1 and 5x3; 12 %.");
    let found: Vec<(&str, Option<&str>)> =
        found.iter().map(|(number, rest)| (number.as_str(), unit(rest))).collect();
    let expected =
        [("22 341", Some("steps/s")), ("80.0", Some("µs")), ("3.4", None), ("5", None), ("12", Some("%"))];
    assert_eq!(found, expected);
    assert!(
        has("a 80.0 µs b", "80.0 µs") && !has("180.0 µs", "80.0 µs") && !has("1.2", "1") && has("1.", "1")
    );
}

/// Measured numbers stand in docs/measured.md with their commands; numbers of the papers, and those that follow from others, in counted.txt with a reason.
#[test]
fn every_measured_number_of_the_book_was_measured() -> io::Result<()> {
    let chapters = pages()?;
    let counted = root().join("docs/book/counted.txt");
    if chapters.is_empty() || !Path::new(&counted).exists() {
        return Ok(());
    }
    let measured = fs::read_to_string(root().join("docs/measured.md"))?;
    let counted = fs::read_to_string(counted)?;
    let mut used = BTreeSet::new();
    let mut missing = Vec::new();
    let mut checked = 0;
    for (name, text) in &chapters {
        for (number, rest) in numbers(&own_words(text)) {
            let Some(unit) = unit(rest) else { continue };
            checked += 1;
            let key = format!("{number} {unit}").trim_end().to_owned();
            let reason = counted.lines().find(|line| line.starts_with(&format!("{key}: ")));
            match reason {
                Some(line) => {
                    used.insert(line);
                }
                None if has(&measured, &key) => {}
                None => missing.push(format!("{name}: {key}")),
            }
        }
    }
    assert_eq!(missing, [""; 0]);
    assert!(checked > 60, "{checked}");
    let spare: Vec<&str> = counted.lines().filter(|line| !used.contains(line)).collect();
    assert_eq!(spare, [""; 0], "counted, and in no chapter");
    Ok(())
}

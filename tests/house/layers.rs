//! The order of the rooms, and files without circles: both read from the imports of the sources.
//!
//! An arrow runs from file to file: from the one that names a path to the one that the path leads into. A module has an
//! arrow to each module inside it, which it declares; the paths of a module into its ancestors do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use super::rust;

/// The rooms of the library, bottom to top. A room names itself and those below it, nothing above.
const ROOMS: &[&str] = &[
    "error",
    "kernel_language",
    "layout",
    "numeric",
    "mesh",
    "gl",
    "kernels",
    "pug",
    "trace",
    "streams",
    "linalg",
    "matrix",
    "solve",
    "sim",
    "script",
    "pde",
    "view",
    "testing",
];

/// Returns true if the room `user` may name the room `used`.
fn is_below(user: &str, used: &str) -> bool {
    let floor = |room: &str| ROOMS.iter().position(|name| *name == room);
    floor(used) <= floor(user)
}

/// A path in the code of a file: its line and its words.
struct Path {
    line: usize,
    words: Vec<String>,
}

/// The code of a text: no comments, no texts between quotes, and nothing from `#[cfg(test)] mod` on.
fn code(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    while let Some(at) = rest.find(['/', '"', '\'']) {
        let (before, after) = rest.split_at(at);
        code.push_str(before);
        let skipped = if after.starts_with("//") {
            after.find('\n').unwrap_or(after.len())
        } else if after.starts_with("'\"'") {
            3
        } else if let Some(inside) = after.strip_prefix('"') {
            let mut escaped = false;
            let end = inside.find(|c| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            });
            end.map_or(after.len(), |end| end + 2)
        } else {
            code.push(after.chars().next().unwrap_or_default());
            1
        };
        code.extend(after[..skipped].chars().filter(|c| *c == '\n'));
        rest = &after[skipped..];
    }
    code.push_str(rest);
    code
}

/// All paths of a code that begin with `crate` or `super`, trees of `use` spread out.
fn paths(code: &str) -> Vec<Path> {
    let mut found = Vec::new();
    for start in ["crate::", "super::"] {
        for (at, _) in code.match_indices(start) {
            let before = code[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
                continue; // inside a longer path, `$crate` aside
            }
            let line = code[..at].matches('\n').count() + 1;
            spread(&code[at..], Vec::new(), &mut |words| found.push(Path { line, words }));
        }
    }
    found
}

/// Hands on each path of a tree like `a::{b::c, d}`, and returns what comes behind the tree.
fn spread<'a>(text: &'a str, mut words: Vec<String>, give: &mut dyn FnMut(Vec<String>)) -> &'a str {
    let mut rest = text;
    loop {
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        if end > 0 {
            words.push(rest[..end].to_owned());
        }
        rest = &rest[end..];
        let Some(after) = rest.strip_prefix("::") else {
            give(words);
            return rest;
        };
        rest = after.trim_start();
        if let Some(inside) = rest.strip_prefix('{') {
            rest = inside.trim_start();
            while !rest.is_empty() && !rest.starts_with('}') {
                rest = spread(rest, words.clone(), give);
                let next = rest.find([',', '}']).unwrap_or(rest.len());
                rest = rest[next..].trim_start_matches(',').trim_start();
            }
            return rest.strip_prefix('}').unwrap_or(rest);
        }
    }
}

/// The module of a file: `src/solve/lcp/sweeps.rs` is `solve::lcp::sweeps`.
fn module(path: &str) -> Vec<String> {
    let path = path.trim_end_matches(".rs");
    let words = path.split('/').skip_while(|word| *word != "src").skip(1);
    words.filter(|word| !["mod", "lib", "main"].contains(word)).map(str::to_owned).collect()
}

/// The module that a path leads into: the longest of those that there are.
fn target<'m>(
    modules: &'m BTreeSet<Vec<String>>,
    from: &[String],
    words: &[String],
) -> Option<&'m Vec<String>> {
    let ups = words.iter().take_while(|word| *word == "super").count();
    let mut to: Vec<String> =
        if words[0] == "crate" { Vec::new() } else { from[..from.len().checked_sub(ups)?].to_vec() };
    to.extend_from_slice(&words[ups.max(usize::from(words[0] == "crate"))..]);
    while !modules.contains(&to) {
        to.pop()?;
    }
    modules.get(&to)
}

type Arrows = BTreeMap<Vec<String>, BTreeSet<Vec<String>>>;

/// The arrows of a crate: from parents to children, and from paths into other families.
fn arrows(files: &[(String, String)]) -> Arrows {
    let modules: BTreeSet<Vec<String>> = files.iter().map(|(path, _)| module(path)).collect();
    let mut arrows = Arrows::new();
    for (path, text) in files {
        let from = module(path);
        for found in paths(&code(text)) {
            let family = |to: &Vec<String>| to.starts_with(&from) || from.starts_with(to);
            if let Some(to) = target(&modules, &from, &found.words).filter(|to| !family(to)) {
                arrows.entry(from.clone()).or_default().insert(to.clone());
            }
        }
        let parent = &from[..from.len().saturating_sub(1)];
        if !parent.is_empty() && modules.contains(parent) {
            arrows.entry(parent.to_vec()).or_default().insert(from);
        }
    }
    arrows
}

/// A circle of files, if there is one: taking away files that name no other, again and again, leaves the circles and what
/// leads to them; walking on from any of those ends in one.
fn circle(arrows: &Arrows) -> Option<String> {
    let mut left = arrows.clone();
    loop {
        let names: BTreeSet<Vec<String>> = left.keys().cloned().collect();
        left.values_mut().for_each(|to| to.retain(|name| names.contains(name)));
        let before = left.len();
        left.retain(|_, to| !to.is_empty());
        if left.len() == before {
            break;
        }
    }
    let mut way = vec![left.keys().next()?.clone()];
    loop {
        let next = left[way.last()?].first()?.clone();
        if let Some(at) = way.iter().position(|name| *name == next) {
            way.push(next);
            let names: Vec<String> = way[at..].iter().map(|name| name.join("::")).collect();
            return Some(names.join(" -> "));
        }
        way.push(next);
    }
}

#[test]
fn the_reader_of_imports_finds_what_there_is() {
    let file = |path: &str, text: &str| (format!("src/{path}.rs"), text.to_owned());
    let files = [
        file("low", "// crate::high::No\nuse crate::{Error, high::{\n    b::Up,\n    c}};\n"),
        file("high/mod", "pub use super::low::Down; const QUOTED: &str = \"crate::low\";"),
        file("high/b", "fn f() { super::c::g(); let c = '\"'; crate::low::h() }"),
        file("high/c", "use super::b::Other;\n#[cfg(test)]\nmod tests {\n    use crate::low::X;\n}\n"),
    ];
    let arrows = arrows(&files);
    let of = |name: &str| -> Vec<String> {
        let name: Vec<String> = name.split("::").map(str::to_owned).collect();
        arrows.get(&name).into_iter().flatten().map(|to| to.join("::")).collect()
    };
    assert_eq!(of("low"), ["high::b", "high::c"]);
    assert_eq!(of("high"), ["high::b", "high::c", "low"]);
    assert_eq!(of("high::b"), ["high::c", "low"]);
    assert_eq!(of("high::c"), ["high::b"]);
    assert!(circle(&arrows).is_some_and(|circle| circle.contains("high::b -> high::c")));
    let mut tree = arrows;
    tree.remove(&vec!["low".to_owned()]);
    tree.remove(&vec!["high".to_owned(), "c".to_owned()]);
    assert_eq!(circle(&tree), None);
}

#[test]
fn rooms_name_only_the_rooms_below_them() -> io::Result<()> {
    let files = rust("src")?;
    let rooms: BTreeSet<String> =
        files.iter().filter_map(|(path, _)| module(path).first().cloned()).collect();
    let listed: BTreeSet<String> = ROOMS.iter().map(|room| (*room).to_owned()).collect();
    assert_eq!(rooms, listed, "the list of rooms is not that of the folders");
    for (path, text) in &files {
        let Some(room) = module(path).first().cloned() else { continue };
        for found in paths(&code(text)) {
            let used = found.words.get(1).filter(|word| found.words[0] == "crate" && listed.contains(*word));
            if let Some(used) = used {
                assert!(is_below(&room, used), "{path}:{} names `{used}`, a room above `{room}`", found.line);
            }
        }
    }
    Ok(())
}

#[test]
fn no_files_name_each_other_in_a_circle() -> io::Result<()> {
    assert_eq!(circle(&arrows(&rust("src")?)), None);
    Ok(())
}

#[test]
fn no_files_of_the_benchmarks_name_each_other_in_a_circle() -> io::Result<()> {
    assert_eq!(circle(&arrows(&rust("demos/bench/src")?)), None);
    Ok(())
}

#[test]
fn no_files_of_the_program_name_each_other_in_a_circle() -> io::Result<()> {
    assert_eq!(circle(&arrows(&rust("demos/program/src")?)), None);
    Ok(())
}

#[test]
fn no_files_of_the_exercises_name_each_other_in_a_circle() -> io::Result<()> {
    assert_eq!(circle(&arrows(&rust("demos/exercises/src")?)), None);
    Ok(())
}

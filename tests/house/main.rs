//! The rules of the house (`docs/architecture.md`), held by reading the sources.

mod book;
mod layers;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// All files below a folder with one of these endings: path from the root, with `/`, and text.
fn files(folder: &str, endings: &[&str]) -> io::Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        if !folder.exists() {
            continue; // the package of the library has no program
        }
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if endings.iter().any(|ending| path.extension().is_some_and(|e| e == *ending)) {
                found.push((from_root(&path), fs::read_to_string(&path)?));
            }
        }
    }
    found.sort();
    Ok(found)
}

fn from_root(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string().replace('\\', "/")
}

fn rust(folder: &str) -> io::Result<Vec<(String, String)>> {
    files(folder, &["rs"])
}

fn glsl() -> io::Result<Vec<(String, String)>> {
    files("glsl", &["glsl", "frag", "vert"])
}

/// Kernels proper: those of a room, not the prelude.
fn kernels() -> io::Result<Vec<(String, String)>> {
    let mut kernels = files("glsl", &["frag", "vert"])?;
    kernels.retain(|(path, _)| path.matches('/').count() == 2);
    Ok(kernels)
}

/// The lines of a text without their comments, from 1.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().map(|line| line.split("//").next().unwrap_or_default()).enumerate().map(|(i, l)| (i + 1, l))
}

/// The places where code holds a word (no letter, digit or _ around it).
fn places(files: &[(String, String)], word: &str) -> Vec<String> {
    let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let mut places = Vec::new();
    for (path, text) in files {
        for (number, line) in code(text) {
            let whole = line.match_indices(word).any(|(at, _)| {
                !part(line[..at].chars().next_back()) && !part(line[at + word.len()..].chars().next())
            });
            if whole {
                places.push(format!("{path}:{number}"));
            }
        }
    }
    places
}

fn outside_gl() -> io::Result<Vec<(String, String)>> {
    let mut files = rust("src")?;
    files.retain(|(path, _)| !path.starts_with("src/gl/"));
    Ok(files)
}

#[test]
fn the_test_itself_finds_files_and_words() -> io::Result<()> {
    assert!(rust("src")?.len() > 20 && kernels()?.len() >= 5 && glsl()?.len() > kernels()?.len());
    let sample = [("a".to_owned(), "// unsafe\nunsafe_code\n  unsafe {\n".to_owned())];
    assert_eq!(places(&sample, "unsafe"), ["a:3"]);
    Ok(())
}

#[test]
fn unsafe_code_is_in_gl_alone() -> io::Result<()> {
    assert_eq!(places(&outside_gl()?, "unsafe"), [""; 0]);
    Ok(())
}

/// The loops that the benchmarks compare the library with call OpenGL by hand, in a room of their own.
#[test]
fn unsafe_code_of_the_demos_is_in_the_bare_loops_alone() -> io::Result<()> {
    let mut files = rust("demos")?;
    let all = files.len();
    files.retain(|(path, _)| !path.starts_with("demos/bench/src/bare/"));
    assert!(all == 0 || all >= files.len() + 10, "the bare loops are elsewhere");
    assert_eq!(places(&files, "unsafe"), [""; 0]);
    Ok(())
}

/// A demo asks its host for what a page does not have; the judge of exercises needs none of it.
#[test]
fn demos_and_exercises_know_no_command_line_files_clock_printing_threads_or_window() -> io::Result<()> {
    let mut files = [rust("demos/gallery/src")?, rust("demos/exercises/src")?].concat();
    // Packed files are found when they are compiled.
    files.iter_mut().for_each(|(_, text)| *text = text.replace("env!(\"OUT_DIR\")", ""));
    for word in [
        "clap",
        "winit",
        "glutin",
        "fs",
        "env",
        "process",
        "thread",
        "Instant",
        "SystemTime",
        "println",
        "eprintln",
    ] {
        assert_eq!(places(&files, word), [""; 0], "{word}");
    }
    Ok(())
}

/// The kernels that the help of a demo names.
#[test]
fn demos_name_kernels_that_there_are() -> io::Result<()> {
    let mut named = 0;
    for (path, text) in rust("demos/gallery/src/demos")? {
        let lists = text.split("    kernels: &[").skip(1).filter_map(|rest| rest.split(']').next());
        for name in lists.flat_map(|list| list.split('"').skip(1).step_by(2)) {
            assert!(root().join("glsl").join(name).is_file(), "{path}: no kernel {name}");
            named += 1;
        }
    }
    assert!(named > 30, "{named} kernels");
    Ok(())
}

/// Hosts know no demo by name: a demo is a file in the gallery, and a line in its list.
#[test]
fn hosts_name_no_demo() -> io::Result<()> {
    let mut hosts = rust("demos/program/src/demo")?;
    hosts.extend(rust("demos/program/src/window")?);
    hosts.extend(rust("demos/web/src")?);
    let named = |text: &str| code(text).any(|(_, line)| line.contains("gallery::demos::"));
    let found: Vec<&String> = hosts.iter().filter(|(_, text)| named(text)).map(|(path, _)| path).collect();
    assert_eq!(found, [""; 0]);
    Ok(())
}

#[test]
fn glow_and_glutin_are_named_in_gl_alone() -> io::Result<()> {
    for name in ["glow::", "glutin::"] {
        let users: Vec<String> = outside_gl()?
            .iter()
            .flat_map(|(path, text)| code(text).map(move |(number, line)| (path, number, line)))
            .filter(|(.., line)| line.contains(name))
            .map(|(path, number, _)| format!("{path}:{number}"))
            .collect();
        assert_eq!(users, [""; 0], "{name}");
    }
    Ok(())
}

/// Features that came after 2005, as OpenGL, glow and GLSL spell them, in small letters.
const AFTER_THE_ERA: &[&str] = &[
    "compute_shader",
    "dispatch_compute",
    "shader_storage",
    "bind_image_texture",
    "imagestore",
    "imageload",
    "image2d",
    "atomic",
    "transform_feedback",
    "geometry_shader",
    "tess_control_shader",
    "tess_evaluation_shader",
    "texture_2d_array",
    "sampler2darray",
    "texture_buffer",
    "samplerbuffer",
    "isampler",
    "usampler",
    "r32ui",
    "rg32ui",
    "rgba32ui",
    "r32i",
    "rg32i",
    "rgba32i",
];

#[test]
fn nothing_is_used_that_the_era_did_not_have() -> io::Result<()> {
    for (path, text) in rust("src")?.iter().chain(&rust("demos/bench/src")?).chain(&glsl()?) {
        for (number, line) in code(text) {
            let line = line.to_lowercase();
            let modern: Vec<_> = AFTER_THE_ERA.iter().filter(|word| line.contains(**word)).collect();
            assert!(modern.is_empty(), "{path}:{number} has {modern:?}");
        }
    }
    Ok(())
}

#[test]
fn no_kernel_names_a_version() -> io::Result<()> {
    for (path, text) in glsl()? {
        assert!(!text.contains("#version"), "{path}: the loader joins the right head");
    }
    Ok(())
}

#[test]
fn every_kernel_starts_with_its_five_lines() -> io::Result<()> {
    const HEAD: [&str; 5] =
        ["// Formula:", "// Inputs:", "// Domain and range:", "// Edges:", "// Reference:"];
    for (path, text) in kernels()? {
        for (i, start) in HEAD.iter().enumerate() {
            let line = text.lines().nth(i).unwrap_or_default();
            let said = line.strip_prefix(start).is_some_and(|rest| !rest.trim().is_empty());
            assert!(said, "{path}:{}: `{line}` is not `{start} ...`", i + 1);
        }
        assert_eq!(text.matches("void main()").count(), 1, "{path}: one main");
    }
    Ok(())
}

/// `%` is for integers only; a division by a number without a point is one of integers, because GLSL ES
/// converts nothing.
#[test]
fn no_kernel_divides_integers() -> io::Result<()> {
    for (path, text) in glsl()? {
        for (number, line) in code(&text) {
            assert!(!line.contains('%'), "{path}:{number}: {line}");
            for divisor in line.split('/').skip(1).map(str::trim_start) {
                let rest = divisor.trim_start_matches(|c: char| c.is_ascii_digit());
                let whole = rest.len() < divisor.len() && !rest.starts_with(['.', 'e']);
                assert!(!whole, "{path}:{number}: {line}");
            }
        }
    }
    Ok(())
}

#[test]
fn every_kernel_is_used() -> io::Result<()> {
    let mut files: Vec<(String, String)> = rust("src")?.into_iter().chain(rust("demos")?).collect();
    files.retain(|(path, _)| path != "src/kernels.rs");
    let has_benchmarks = files.iter().any(|(path, _)| path.starts_with("demos/bench/"));
    for (path, _) in kernels()? {
        let name = path.trim_start_matches("glsl/");
        // The package of the library has no benchmarks, and their kernels.
        let looked_for = has_benchmarks || !name.starts_with("bench/");
        let used = files.iter().any(|(_, text)| text.contains(&format!("{name}\"")));
        assert!(used || !looked_for, "{path} is used by nobody");
    }
    Ok(())
}

/// A package holds all that its build reads; `make package` builds each from what was packed.
#[test]
fn no_crate_includes_a_file_from_outside_of_its_folder() -> io::Result<()> {
    let mut seen = 0;
    for folder in ["demos/bench", "demos/gallery", "demos/program", "tests/oracle"] {
        for (path, text) in rust(folder)? {
            let folders = path[folder.len() + 1..].matches('/').count();
            for call in ["include_str!(", "include_bytes!("] {
                for (at, _) in text.match_indices(call) {
                    let name = text[at..].split('"').nth(1).unwrap_or_default();
                    assert!(name.matches("../").count() <= folders, "{path}: {name}");
                    seen += 1;
                }
            }
        }
    }
    assert!(seen > 5 || !root().join("demos").exists(), "{seen}");
    Ok(())
}

/// The corpus of fuzzing travels with every clone, and tests read all of it.
#[test]
fn what_fuzzing_found_takes_at_most_2_mb() -> io::Result<()> {
    let mut bytes = 0;
    let mut folders = vec![root().join("demos/program/tests/corpus"), root().join("tests/data/corpus")];
    while let Some(folder) = folders.pop() {
        if !folder.exists() {
            continue; // the package of the library has no program
        }
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            match entry.file_type()?.is_dir() {
                true => folders.push(entry.path()),
                false => bytes += entry.metadata()?.len(),
            }
        }
    }
    assert!((1..=2_000_000).contains(&bytes), "{bytes}");
    Ok(())
}

/// The places where the first line of a doc comment begins with a question word, where a noun or a verb belongs.
fn questions(files: &[(String, String)]) -> Vec<String> {
    let doc = |line: &str| line.trim_start().starts_with("///") || line.trim_start().starts_with("//!");
    let mut found = Vec::new();
    for (path, text) in files {
        let mut before = "";
        for (number, line) in text.lines().enumerate() {
            let first = line.trim_start().trim_start_matches(['/', '!']).split_whitespace().next();
            let asks = first.is_some_and(|word| ["What", "Whether", "Of"].contains(&word));
            if asks && doc(line) && !doc(before) {
                found.push(format!("{path}:{}", number + 1));
            }
            before = line;
        }
    }
    found
}

#[test]
fn doc_comments_begin_with_a_noun_or_a_verb() -> io::Result<()> {
    let sample = "//! Whether x\n\nfn f() {}\n    /// What x\n    /// Of y\n/// Solves\n/// What\n// Of\n";
    assert_eq!(questions(&[("a".to_owned(), sample.to_owned())]), ["a:1", "a:4"]);
    for folder in ["src", "demos", "tests", "examples"] {
        assert_eq!(questions(&rust(folder)?), [""; 0]);
    }
    Ok(())
}

/// `make check` names a test of each room: one that is renamed would be left out without a word.
#[test]
fn what_make_check_runs_is_a_test_of_each_room() -> io::Result<()> {
    let makefile = fs::read_to_string(root().join("Makefile")).unwrap_or_default().replace("\\\n", " ");
    let Some(checked) = makefile.lines().find_map(|line| line.strip_prefix("CHECKED = ")) else {
        return Ok(()); // the package of the library has no Makefile
    };
    let mut rooms = Vec::new();
    for test in checked.split_whitespace() {
        let (room, path) = test.split_once('/').unwrap_or_default();
        let (modules, name) = path.rsplit_once("::").unwrap_or_default();
        let file = format!("tests/{room}/{}.rs", modules.replace("::", "/"));
        let text = fs::read_to_string(root().join(&file)).unwrap_or_default();
        assert!(text.contains(&format!("#[test]\nfn {name}()")), "{test}: no test of that name in {file}");
        rooms.push(room.to_owned());
    }
    let mut expected = Vec::new();
    for entry in fs::read_dir(root().join("tests"))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.join("main.rs").exists() && !["examples", "house"].contains(&name.as_str()) {
            expected.push(name);
        }
    }
    expected.sort();
    assert_eq!(rooms, expected);
    Ok(())
}

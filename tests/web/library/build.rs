//! Makes one list of the `#[test]` functions of the library's test programs. Their files stay as they are: copies of them, in
//! which a test is a plain function and each module ends with its part of the list, become modules of this crate.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The programs, as folders of `tests/`.
const PROGRAMS: [&str; 7] = ["gl", "linalg", "matrix", "pug", "sim", "solve", "streams"];

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let web = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or(io::ErrorKind::NotFound)?);
    let tests = web.join("../..").canonicalize()?;
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?);
    let (mut modules, mut lists) = (String::new(), String::new());
    for program in PROGRAMS {
        let files = Files { tests: &tests, out: &out, program };
        let main = files.copy(&tests.join(program).join("main.rs"), &[])?;
        let _ = writeln!(modules, "#[path = {main:?}]\nmod {program};");
        let _ = writeln!(lists, "    {program}::web_tests(list);");
    }
    let all = format!("{modules}\nfn web_tests(list: &mut Vec<Test>) {{\n{lists}}}\n");
    fs::write(out.join("programs.rs"), all)
}

struct Files<'a> {
    tests: &'a Path,
    out: &'a Path,
    program: &'a str,
}

impl Files<'_> {
    /// Copies a file and the modules that it names; `names` are those of the modules it lies in. Returns the copy's path.
    fn copy(&self, file: &Path, names: &[&str]) -> io::Result<PathBuf> {
        println!("cargo::rerun-if-changed={}", file.display());
        let text = fs::read_to_string(file)?;
        let folder = file.parent().ok_or(io::ErrorKind::NotFound)?;
        let own = file.file_name().is_some_and(|name| name == "main.rs" || name == "mod.rs");
        let inside = if own { folder.to_owned() } else { file.with_extension("") };
        let (mut copied, mut list) = (String::new(), String::new());
        let (mut path, mut is_test, mut ignored, mut only) = (None, false, false, "");
        for line in text.lines() {
            if let Some(place) = line.strip_prefix("#[path = \"").and_then(|rest| rest.strip_suffix("\"]")) {
                path = Some(folder.join(place));
                continue;
            }
            let module = line.strip_prefix("mod ").or(line.strip_prefix("pub mod "));
            if let Some(name) = module.and_then(|rest| rest.strip_suffix(';')) {
                let plain = [inside.join(format!("{name}.rs")), inside.join(name).join("mod.rs")];
                let found = path.take().or_else(|| plain.into_iter().find(|path| path.exists()));
                let found =
                    found.ok_or_else(|| io::Error::other(format!("{}: mod {name}?", file.display())))?;
                let copy = self.copy(&found, &[names, &[name]].concat())?;
                let _ = writeln!(copied, "#[path = {copy:?}]\n{line}");
                let _ = writeln!(list, "    {name}::web_tests(list);");
                continue;
            }
            match line {
                "#[test]" => is_test = true,
                line if line.starts_with("#[cfg(") => {
                    only = line;
                    copied.push_str(line);
                }
                line if line.starts_with("#[ignore") => ignored = true,
                line => {
                    if is_test
                        && let Some(name) = line.strip_prefix("fn ").and_then(|rest| rest.split('(').next())
                    {
                        let name_of_all = [&[self.program], names, &[name]].concat().join("::");
                        let _ = writeln!(
                            list,
                            "    {only}\n    list.push(crate::Test {{ name: {name_of_all:?}, ignored: {ignored}, run: || crate::Outcome::line({name}()) }});"
                        );
                        if let Some(condition) =
                            only.strip_prefix("#[cfg(").and_then(|rest| rest.strip_suffix(")]"))
                        {
                            let left_out = format!("left out: there is no {condition} here").replace('"', "");
                            let _ = writeln!(
                                list,
                                "    #[cfg(not({condition}))]\n    list.push(crate::Test {{ name: {name_of_all:?}, ignored: {ignored}, run: || Some({left_out:?}.into()) }});"
                            );
                        }
                        (is_test, ignored) = (false, false);
                    }
                    only = "";
                    copied.push_str(&self.moved(line, folder));
                }
            }
            copied.push('\n');
        }
        let _ = write!(
            copied,
            "\npub(crate) fn web_tests(list: &mut Vec<crate::Test>) {{\n    let _ = &list;\n{list}}}\n"
        );
        let copy = self.out.join(self.program).join(format!("{}.rs", [&["main"], names].concat().join("_")));
        fs::create_dir_all(self.out.join(self.program))?;
        fs::write(&copy, copied)?;
        Ok(copy)
    }

    /// A line as it reads one module further down, in another folder and in a page: files that are packed into this crate
    /// and the clock of the page stand for those of a system (`src/host.rs`).
    fn moved(&self, line: &str, folder: &Path) -> String {
        let line = line.replace("crate::", &format!("crate::{}::", self.program));
        let root = self.tests.join("..");
        let line = line.replace("env!(\"CARGO_MANIFEST_DIR\")", &format!("{root:?}"));
        let line = line.replace("env!(\"CARGO_TARGET_TMPDIR\")", &format!("{:?}", self.out));
        let line = line.replace("api: Some(api)", "api: crate::host::dialect(api)");
        let line = line.replace("use std::fs::{self, File};", "use crate::host::fs::{self, File};");
        let line = line.replace(
            "use std::time::{Duration, Instant};",
            "use {std::time::Duration, crate::host::Instant};",
        );
        let line = line.replace("use std::time::Instant;", "use crate::host::Instant;");
        let line = line.replace("GlowContext::from_loader_function", "crate::host::from_loader_function");
        line.replace("include_str!(\"", &format!("include_str!(\"{}/", folder.display()))
    }
}

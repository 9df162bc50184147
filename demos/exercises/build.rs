//! Packs the exercises: each folder of `exercises/` with the texts in it and in its folder `wrong`, as a table of names and texts.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or(io::ErrorKind::NotFound)?);
    // The link that puts the folder into the package is a file where a checkout has no links, as on Windows.
    let inside_of_package = Some(here.join("exercises")).filter(|folder| folder.is_dir());
    let root = inside_of_package.unwrap_or_else(|| here.join("../../exercises"));
    println!("cargo::rerun-if-changed={}", root.display());
    let mut table = String::from("&[\n");
    for folder in inside(&root)?.iter().filter(|path| path.is_dir()) {
        table += &format!("({:?}, &[\n", name(folder));
        for path in inside(folder)? {
            if path.is_dir() {
                for wrong in inside(&path)? {
                    table += &entry(&format!("{}/{}", name(&path), name(&wrong)), &wrong);
                }
            } else {
                table += &entry(&name(&path), &path);
            }
        }
        table += "]),\n";
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?);
    fs::write(out.join("exercises.rs"), table + "]\n")
}

fn entry(name: &str, path: &Path) -> String {
    format!("({name:?}, include_str!({:?})),\n", path.display().to_string())
}

fn inside(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    paths.sort();
    Ok(paths)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

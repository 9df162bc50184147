//! Lists the kernels under `glsl/<room>/`, for `src/kernels.rs`: a kernel is built in because its file is there, unless `QUADRILLE_WITHOUT` has
//! the beginning of its name, as in `bench/ sim/liquid`.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=glsl");
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or(io::ErrorKind::NotFound)?);
    let mut names = Vec::new();
    for room in inside(&root.join("glsl"))?.iter().filter(|room| room.is_dir()) {
        for kernel in inside(room)? {
            if kernel.extension().is_some_and(|ending| ending == "frag" || ending == "vert") {
                names.push(format!("{}/{}", name(room), name(&kernel)));
            }
        }
    }
    println!("cargo::rerun-if-env-changed=QUADRILLE_WITHOUT");
    let without = env::var("QUADRILLE_WITHOUT").unwrap_or_default();
    names.retain(|name| !without.split_whitespace().any(|begin| name.starts_with(begin)));
    names.sort();
    let entry = |name: &String| {
        format!("({name:?}, include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/glsl/{name}\"))),\n")
    };
    let list: String = names.iter().map(entry).collect();
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?);
    fs::write(out.join("kernels.rs"), format!("&[\n{list}]\n"))
}

fn inside(folder: &Path) -> io::Result<Vec<PathBuf>> {
    fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

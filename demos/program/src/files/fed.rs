//! Inputs of the parsers, and what must hold whatever they are: `make fuzz` feeds what it makes up, the tests what it has found.

use std::fs::{self, File};
use std::path::Path;

use crate::files::table::{self, Kind};
use crate::files::{grey, mesh, npy};

/// Elements and pixels at most: what is larger is refused from the head of a file.
const MOST: usize = 1 << 16;

/// The files that there are parsers for, by their extensions.
pub const KINDS: [&str; 6] = ["npy", "mtx", "csv", "obj", "ply", "png"];

/// Reads `bytes` as a file of that kind in `folder`, and what was read is written and read again.
///
/// # Panics
/// An error that is more than a line or does not begin with the file; what was read is not what is read again.
pub fn feed(kind: &str, folder: &Path, bytes: &[u8]) {
    let path = folder.join("fed").with_extension(kind);
    let fed = fs::write(&path, bytes).map_err(anyhow::Error::from).and_then(|()| match kind {
        "obj" | "ply" => feed_mesh(&path),
        "png" => grey::read(&path, |width, height| match width as usize * height as usize <= MOST {
            true => Ok(()),
            false => anyhow::bail!("too large"),
        })?
        .check(),
        _ => feed_table(&path),
    });
    if let Err(error) = fed {
        let (line, name) = (error.to_string(), path.display().to_string());
        assert!(line.starts_with(&name) && !line.contains('\n'), "{line:?}");
    }
}

fn feed_mesh(path: &Path) -> anyhow::Result<()> {
    let read = mesh::read(path)?;
    let again = path.with_file_name("again").with_extension(path.extension().unwrap_or_default());
    for text in [true, false] {
        read.write(&again, &read.mesh, text)?;
        let twice = mesh::read(&again)?.mesh;
        assert_eq!((twice.positions(), twice.faces()), (read.mesh.positions(), read.mesh.faces()));
    }
    Ok(())
}

fn feed_table(path: &Path) -> anyhow::Result<()> {
    if path.extension().is_some_and(|extension| extension == "npy") {
        npy::read(path).map_or(Ok(()), |array| array.check())?;
    }
    let size = table::look(path, MOST);
    let read = table::read(path, MOST)?;
    assert!(size?.is_none_or(|size| size == (read.rows, read.columns)));
    let again = path.with_file_name("again").with_extension(path.extension().unwrap_or_default());
    table::write_to(&mut File::create(&again)?, Kind::of(path)?, &read)?;
    let bits =
        |table: &quadrille::script::Table| table.elements.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    let twice = table::read(&again, MOST)?;
    assert_eq!((twice.rows, twice.columns, bits(&twice)), (read.rows, read.columns, bits(&read)));
    Ok(())
}

#[cfg(test)]
#[test]
fn what_fuzzing_found_is_read_or_refused() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    for kind in KINDS {
        let found: Vec<_> =
            fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(kind))?.collect();
        assert!(!found.is_empty(), "{kind}");
        for file in found {
            feed(kind, folder.path(), &fs::read(file?.path())?);
        }
    }
    Ok(())
}

use std::path::Path;

use super::*;
use crate::demo::named;

/// Files that `numpy.savez` and `numpy.savez_compressed` made of the same arrays.
const BY_NUMPY: [&[u8]; 2] = [include_bytes!("numpy.npz"), include_bytes!("numpy_compressed.npz")];

fn of_bytes(bytes: &[u8]) -> Result<Vec<Named>> {
    read_from(Cursor::new(bytes)).map_err(|error| named(Path::new("a.npz"), error))
}

/// The error of a file that is refused; nothing of one that is read.
fn said(bytes: &[u8]) -> String {
    of_bytes(bytes).err().map(|error| error.to_string()).unwrap_or_default()
}

fn array(name: &str, shape: &[usize], numbers: Numbers) -> Named {
    Named { name: name.to_owned(), shape: shape.to_vec(), numbers }
}

#[test]
fn what_numpy_saves_is_read_stored_and_deflated() -> Result<()> {
    let expected = [
        array("demo", &[], Numbers::Text("wave".into())),
        array("step", &[], Numbers::Whole(vec![60])),
        array("beta", &[], Numbers::Float64(vec![0.45])),
        array("edges", &[], Numbers::Text("fixed".into())),
        array("lossy", &[], Numbers::Flag(true)),
        array("y", &[2, 3], Numbers::Float32((0..6).map(|v| v as f32).collect())),
        // Saved in Fortran's order and big endian.
        array("columns", &[2, 3, 4], Numbers::Float64((0..24).map(f64::from).collect())),
        array("whole", &[3], Numbers::Whole(vec![1, 2, 1 << 63])),
        array("below", &[2], Numbers::Float64(vec![-1.0, 2.0])),
        array("half", &[1, 1], Numbers::Float32(vec![0.5])),
    ];
    for bytes in BY_NUMPY {
        assert_eq!(of_bytes(bytes)?, expected);
    }
    Ok(())
}

#[test]
fn what_is_written_is_read_and_is_the_same_bytes_each_time() -> Result<()> {
    let arrays = [
        array("text", &[], Numbers::Text("gray-scott √".into())),
        array("empty", &[], Numbers::Text(String::new())),
        array("flag", &[], Numbers::Flag(false)),
        array("step", &[], Numbers::Whole(vec![u64::MAX])),
        array("u", &[2, 1, 2], Numbers::Float32(vec![-0.0, 1e-45, f32::MAX, 3.0])),
        array("w", &[2], Numbers::Float64(vec![0.1, f64::MIN_POSITIVE])),
        array("none", &[0, 3], Numbers::Float32(Vec::new())),
    ];
    let bytes = to_bytes(&arrays)?;
    assert_eq!(of_bytes(&bytes)?, arrays);
    assert_eq!(to_bytes(&arrays)?, bytes);
    Ok(())
}

#[test]
fn a_file_cut_or_with_a_byte_changed_is_an_error_of_one_line_or_the_same_arrays() -> Result<()> {
    for bytes in BY_NUMPY {
        let whole = of_bytes(bytes)?;
        let hurt = (0..bytes.len()).step_by(7).map(|n| bytes[..n].to_vec());
        let changed = (0..bytes.len()).step_by(5).flat_map(|n| {
            [0x01, 0x80, 0xff].map(|mask| {
                let mut other = bytes.to_vec();
                other[n] ^= mask;
                other
            })
        });
        for other in hurt.chain(changed) {
            match of_bytes(&other) {
                Ok(found) => assert_eq!(found.len(), whole.len()),
                Err(error) => {
                    let line = error.to_string();
                    assert!(line.contains("a.npz: ") && !line.contains('\n') && line.len() < 400, "{line}");
                }
            }
        }
    }
    Ok(())
}

/// A zip of one entry by that name.
fn zip_of(name: &str, bytes: &[u8]) -> Result<Vec<u8>> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file(name, SimpleFileOptions::default().compression_method(CompressionMethod::Deflated))?;
    zip.write_all(bytes)?;
    Ok(zip.finish()?.into_inner())
}

#[test]
fn what_is_no_array_is_refused_by_its_name() -> Result<()> {
    let head = |descr: &str, shape: &[u64]| -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        Header { descr: descr.into(), fortran_order: false, shape: shape.to_vec() }.write(&mut bytes)?;
        Ok(bytes)
    };
    // Zeros without end deflate to nothing: what a header claims is not made before it is there.
    let vast = [head("<f4", &[1 << 20, 1 << 20])?, vec![0; 1000]].concat();
    for (name, bytes, expected) in [
        ("readme.txt", b"hello".to_vec(), "holds \"readme.txt\", which is no array"),
        ("a\u{1b}.txt", Vec::new(), "holds \"a\\u{1b}.txt\""),
        (".npy", Vec::new(), "which is no array"),
        ("y.npy", b"hello".to_vec(), "\"y.npy\": is not a .npy file"),
        ("y.npy", head("<f4", &[3])?, "\"y.npy\": is cut short: shape (3,) of <f4 needs 12 bytes"),
        ("y.npy", [head("<f4", &[])?, vec![0; 5]].concat(), "\"y.npy\": is too long: shape () of <f4"),
        ("y.npy", vast, "\"y.npy\": is too large"),
        ("y.npy", head("|O", &[])?, "\"y.npy\": holds Python objects"),
        ("y.npy", head("<c8", &[])?, "complex numbers"),
        ("y.npy", head("<U9", &[2])?, "holds many texts"),
        ("y.npy", head("<U999999999", &[])?, "a text of more than 1048576 letters"),
    ] {
        let error = said(&zip_of(name, &bytes)?);
        assert!(error.contains(expected), "{name}: {error}");
    }
    let many: Vec<Named> =
        (0..=MOST_ARRAYS).map(|i| array(&format!("a{i}"), &[], Numbers::Flag(true))).collect();
    let error = said(&to_bytes(&many)?);
    assert!(error.contains("holds 257 arrays, 256 at most are read"), "{error}");
    // Two of one length, and one of them renamed where the zip names it: before its bytes, and in the list at the end.
    let mut twice = to_bytes(&[array("u", &[], Numbers::Flag(true)), array("v", &[], Numbers::Flag(false))])?;
    for at in 0..twice.len() - 5 {
        if &twice[at..at + 5] == b"v.npy" {
            twice[at] = b'u';
        }
    }
    let error = said(&twice);
    assert!(error.contains("holds an array twice"), "{error}");
    let error = said(b"no zip");
    assert!(error.contains("is no .npz file, which is a zip"), "{error}");
    Ok(())
}

#[test]
fn two_arrays_of_one_name_are_refused_by_it() {
    let arrays = [array("sand", &[1], Numbers::Whole(vec![1])), array("sand", &[], Numbers::Flag(true))];
    let told = to_bytes(&arrays).err().map(|error| error.to_string());
    assert_eq!(told.as_deref(), Some("two arrays are called \"sand\""));
}

//! Files as they are, good and broken.

use std::error::Error;

use quadrille::mesh::Mesh;

use super::{Polygons, obj, ply, read, write};

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

const SQUARE: [[f64; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.5]];

/// The corners of a square in a file that counts its vertices from `first`.
fn square(corners: &[&[u32]], first: u32) -> Polygons {
    Polygons { positions: SQUARE.to_vec(), corners: corners.iter().map(|c| c.to_vec()).collect(), first }
}

const VERTICES: &str = "v 0 0 0\nv 1 0 0 1.0\nv\t1 1 0 0.5 0.5 0.5\nv 0 1 5e-1\n";

#[test]
fn obj_faces_are_read_in_every_spelling() -> Result {
    let cases: [(&str, &[&[u32]]); 9] = [
        ("f 1 2 3 4", &[&[0, 1, 2, 3]]),
        ("f 1/1 2/7 3/9\nf 1//1 3//3 4//4", &[&[0, 1, 2], &[0, 2, 3]]),
        ("f -4 -3 -2", &[&[0, 1, 2]]),
        ("g a\nf 1 2 3\ng b\nusemtl x\ns off\nf 1 3 4", &[&[0, 1, 2], &[0, 2, 3]]),
        ("f 1 2 \\\n 3", &[&[0, 1, 2]]),
        ("# a comment\n\nf 1 2 3 # another\nvn 0 0 1\nvt 0 0\nl 1 2\nmtllib no.mtl", &[&[0, 1, 2]]),
        ("f 1 2 3\r\nf 1 3 4\r\n", &[&[0, 1, 2], &[0, 2, 3]]),
        ("o a\np 1\ncstype bezier\nf 1 2 3", &[&[0, 1, 2]]),
        ("f 1 2", &[&[0, 1]]),
    ];
    for (text, corners) in cases {
        assert_eq!(obj::read(format!("{VERTICES}{text}").as_bytes())?, square(corners, 1), "{text}");
    }
    let marked = format!("\u{feff}{VERTICES}f 1 2 3");
    assert_eq!(obj::read(marked.as_bytes())?, square(&[&[0, 1, 2]], 1));
    let early = format!("f 1 2 3\n{VERTICES}");
    assert_eq!(obj::read(early.as_bytes())?, square(&[&[0, 1, 2]], 1));
    Ok(())
}

#[test]
fn a_broken_obj_file_is_refused_with_its_line() {
    let cases = [
        ("f 0 1 2", "line 5: vertex 0: the first is 1"),
        ("\nf 1 2 5", "line 6: vertex 5, the file has 4"),
        ("f 1 2 -5", "line 5: vertex -5: there are 4 so far"),
        ("f 1 2 x", "line 5: expected the number of a vertex, found \"x\""),
        (
            "f 1 2 99999999999999999999",
            "line 5: expected the number of a vertex, found \"99999999999999999999\"",
        ),
        ("v 0 zero 0", "line 5: expected a number, found \"zero\""),
        ("v 0 1", "line 5: a vertex has x, y and z"),
        ("f 1/x 2 3", "line 5: expected numbers as in 1/2/3, found \"1/x\""),
        ("f 1/1/1/1 2 3", "line 5: expected numbers as in 1/2/3, found \"1/1/1/1\""),
        ("v 0 1 2 junk", "line 5: expected a number, found \"junk\""),
        ("v 0 1 2 1 1 1 1 1", "line 5: 8 numbers: a vertex has 3, and a weight and a colour at most"),
        ("V 0 1 2", "line 5: no statement of .obj: \"V\""),
        ("\nF 1 2 3", "line 6: no statement of .obj: \"F\""),
        ("foo", "line 5: no statement of .obj: \"foo\""),
        ("\0\x01", "line 5: no statement of .obj: \"\\x00\\x01\""),
        ("f 1 \\\n 2 x", "line 6: expected the number of a vertex, found \"x\""),
    ];
    for (text, line) in cases {
        let error = obj::read(format!("{VERTICES}{text}").as_bytes()).err().map(|e| format!("{e:#}"));
        assert_eq!(error.as_deref(), Some(line), "{text}");
    }
}

fn header(format: &str, vertices: u32, faces: u32) -> String {
    format!(
        "ply\nformat {format} 1.0\ncomment made by hand\nelement vertex {vertices}\nproperty float x\n\
         property double y\nproperty float32 z\nproperty uchar red\nelement face {faces}\n\
         property list uchar int vertex_index\nend_header\n"
    )
}

#[test]
fn ply_files_are_read_in_text_and_in_both_binary_orders() -> Result {
    let text = "0 0 0 1\n1 0 0 2\n1 1 0 3\n0 1 0.5 4\n4 0 1 2 3\n";
    let expected = square(&[&[0, 1, 2, 3]], 0);
    assert_eq!(ply::read((header("ascii", 4, 1) + text).as_bytes())?, expected);
    for little in [true, false] {
        let format = if little { "binary_little_endian" } else { "binary_big_endian" };
        let mut bytes = header(format, 4, 1).into_bytes();
        for [x, y, z] in SQUARE {
            for part in [&(x as f32).to_be_bytes()[..], &y.to_be_bytes(), &(z as f32).to_be_bytes(), &[9]] {
                bytes.extend(part.iter().rev().copied().filter(|_| little));
                bytes.extend(part.iter().copied().filter(|_| !little));
            }
        }
        bytes.push(4);
        for corner in 0..4u32 {
            bytes.extend(if little { corner.to_le_bytes() } else { corner.to_be_bytes() });
        }
        assert_eq!(ply::read(&bytes[..])?, expected);
    }
    Ok(())
}

/// Why that is no .ply file, in one line that begins with these words.
fn check_refusal(bytes: impl AsRef<[u8]>, line: &str) {
    let error = ply::read(bytes.as_ref()).err().map_or(String::new(), |e| format!("{e:#}"));
    assert!(error.starts_with(line) && !error.contains('\n'), "{error}\nfor {line}");
}

#[test]
fn a_broken_ply_header_is_refused_with_its_line() {
    for (text, line) in
        [("", "the file ends before end_header"), ("plx\n", "line 1: expected ply, found \"plx\"")]
    {
        check_refusal(text, line);
    }
    check_refusal("ply\nelement vertex 1\nend_header\n", "expected a line \"format ascii 1.0\"");
    for (statements, line) in [
        ("element vertex 1\n", "the file ends before end_header"),
        ("element vertex 1\nproperty float x\nend_header\n0\n", "element vertex has no property y"),
        (
            "element vertex 1\nproperty list int int x\nend_header\n",
            "property x of element vertex: expected a number",
        ),
        ("element edge 18446744073709551615\nend_header\n", "element edge has no properties"),
        ("element face 1\nproperty int flags\nend_header\n", "element face has no property vertex_indices"),
        (
            "element face 1\nproperty list int float vertex_index\nend_header\n",
            "property vertex_index of element face: expected a list of whole numbers",
        ),
    ] {
        check_refusal(format!("ply\nformat binary_big_endian 1.0\n{statements}"), line);
    }
    for statement in ["element vertex", "property float x", "foo", "ply"] {
        let expected = "expected format, comment, element, property of an element, or end_header";
        let text = format!("ply\nformat ascii 1.0\n{statement}\nend_header\n");
        check_refusal(text, &format!("line 3: {expected}, found \"{statement}\""));
    }
}

#[test]
fn a_broken_ply_file_is_refused_with_what_was_expected() {
    let vertex = "expected x (float), y (double), z (float), red (uchar) of element vertex";
    let face = "expected vertex_index (how many, and as many int) of element face";
    for found in ["0 zero 0 0", "0 0 0", "0 0 0 1 1", "0 0 0 256", ""] {
        let text = header("ascii", 1, 1) + found + "\n";
        check_refusal(text, &format!("line 12: {vertex}, found \"{found}\""));
    }
    for found in ["3 0 -1 2", "3 0 1", "3 0 1 2 3", "-1", "3 0 1 2.5"] {
        let text = header("ascii", 1, 1) + "0 0 0 0\n" + found + "\n";
        check_refusal(text, &format!("line 13: {face}, found \"{found}\""));
    }
    check_refusal(header("ascii", 1, 1) + "0 0 0 0\n", "the file ends after 0 of 1 elements face");
    for format in ["ascii", "binary_little_endian", "binary_big_endian"] {
        let line = "the file ends after 0 of 4000000000 elements vertex";
        check_refusal(header(format, 4_000_000_000, 1), line);
    }
    let mut bytes = header("binary_little_endian", 1, 2).into_bytes();
    bytes.extend([0; 17]); // a vertex
    check_refusal(&bytes, "the file ends after 0 of 2 elements face");
    bytes.extend([1, 0, 0, 0, 0]);
    check_refusal(&bytes, "the file ends after 1 of 2 elements face");
    bytes.extend([1, 255, 255, 255, 255]);
    check_refusal(&bytes, &format!("face 1 (counted from 0): {face}"));
}

#[test]
fn what_is_written_is_read_back_to_the_bit() -> Result {
    let folder = tempfile::tempdir()?;
    let mesh = Mesh::sphere(2)?.with_noise(0.1, 1)?;
    for (name, text) in [("a.obj", false), ("a.ply", false), ("b.PLY", true)] {
        let path = folder.path().join(name);
        write(&path, &mesh, text)?;
        assert_eq!(read(&path)?.mesh, mesh, "{name}");
    }
    let path = folder.path().join("c.stl");
    let line = read(&path).err().map_or(String::new(), |error| error.to_string());
    assert!(line.ends_with("c.stl: expected a mesh, .obj or .ply"), "{line}");
    std::fs::write(folder.path().join("d.obj"), format!("{VERTICES}v 0 nan 0\nf 1 2 3\n"))?;
    let line = read(&folder.path().join("d.obj")).err().map_or(String::new(), |error| error.to_string());
    assert!(
        line.ends_with("d.obj: vertex 5 (counted from 1): at 0, NaN, 0: expected finite numbers of 32 bits"),
        "{line}"
    );
    Ok(())
}

/// Positions that 32 bits would round to halves: what stays is written as it was read, what moves by as much as it moves.
#[test]
fn a_mesh_far_from_the_origin_keeps_its_digits() -> Result {
    let folder = tempfile::tempdir()?;
    let (near, far) = (folder.path().join("near.obj"), folder.path().join("far.obj"));
    std::fs::write(&far, "v 5000000.1 0 0\nv 5000001.1 0 0\nv 5000000.1 1.25 0.3\nf 1 2 3\n")?;
    let placed = read(&far)?;
    let mut positions = placed.mesh.positions().to_vec();
    positions[1][2] += 0.125;
    let after = placed.mesh.moved(positions)?;
    placed.write(&near, &after, false)?;
    let text = std::fs::read_to_string(&near)?;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines[0], lines[2]), ("v 5000000.1 0 0", "v 5000000.1 1.25 0.3"));
    let moved = lines[1].split(' ').skip(1).map(str::parse).collect::<std::result::Result<Vec<f64>, _>>()?;
    // Half a unit in the last place of numbers below 1, and of f64 at five millions.
    assert!(moved.iter().zip([5000001.1, 0.0, 0.125]).all(|(a, b)| (a - b).abs() <= 4e-8), "{text}");
    for text in [false, true] {
        let path = folder.path().join("far.ply");
        placed.write(&path, &after, text)?;
        assert_eq!(read(&path)?.mesh, read(&near)?.mesh);
    }
    Ok(())
}

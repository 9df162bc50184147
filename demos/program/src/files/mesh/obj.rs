//! Wavefront .obj: `v x y z` and `f i j k ...`, whose numbers count from 1, or backwards from −1.
//!
//! The reader is our own; two crates were tried. tobj 4.0.5 gives each group vertices of its own, which tears a mesh at
//! its groups, and accepts a face of two corners. obj 0.10 lets indices past the end through and refuses unknown
//! statements. (.ply files are parsed by ply-rs-bw 4, a header or an element at a time; lines, counts and messages are
//! ours.)
//!
//! Other statements of the format are skipped. A line that begins with a word that the format does not have is refused:
//! the file is not an .obj file.

use std::io::{BufRead, Write};

use anyhow::{Context, Result, anyhow, bail, ensure};
use quadrille::mesh::Mesh;

use super::{LONGEST, Polygons};
use crate::files::lines::Lines;
use crate::files::shown;

/// Statements of the format that a mesh of triangles has no use for.
const UNUSED: [&str; 35] = [
    "vt",
    "vn",
    "vp",
    "vc",
    "l",
    "p",
    "g",
    "o",
    "s",
    "mg",
    "usemtl",
    "mtllib",
    "usemap",
    "maplib",
    "deg",
    "bmat",
    "step",
    "cstype",
    "curv",
    "curv2",
    "surf",
    "parm",
    "trim",
    "hole",
    "scrv",
    "sp",
    "end",
    "con",
    "bevel",
    "c_interp",
    "d_interp",
    "lod",
    "shadow_obj",
    "trace_obj",
    "ctech",
];

/// The mark that editors put before a text.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// A face as it stands in the file: resolved numbers, and the line for messages.
struct Face {
    line: u64,
    corners: Vec<usize>,
}

pub fn read(input: impl BufRead) -> Result<Polygons> {
    let mut positions = Vec::new();
    let mut faces = Vec::new();
    let mut lines = Lines::new(input, LONGEST);
    let (mut statement, mut is_first) = (String::new(), true);
    while goes_on(&mut lines, &mut statement).with_context(|| format!("line {}", lines.number()))? {
        let number = lines.number();
        let line = || format!("line {number}");
        let text = statement.split('#').next().unwrap_or_default();
        let text = text.strip_prefix(BYTE_ORDER_MARK).filter(|_| is_first).unwrap_or(text);
        is_first = false;
        let mut words = text.split_whitespace();
        match words.next() {
            Some("v") => positions.push(position(words).with_context(line)?),
            Some("f") => {
                let corners = words.map(|word| corner(word, positions.len())).collect::<Result<_>>();
                faces.push(Face { line: number, corners: corners.with_context(line)? });
            }
            Some(word) if UNUSED.contains(&word) => {}
            Some(word) => bail!("line {number}: no statement of .obj: \"{}\"", shown(word)),
            None => {}
        }
    }
    let corners = faces.iter().map(|face| within(face, positions.len())).collect::<Result<_>>()?;
    Ok(Polygons { positions, corners, first: 1 })
}

/// Goes on to the next line, with those that go on it after a `\`; false at the end.
fn goes_on(lines: &mut Lines<impl BufRead>, statement: &mut String) -> Result<bool> {
    statement.clear();
    if !lines.advance_any()? {
        return Ok(false);
    }
    loop {
        let text = String::from_utf8_lossy(lines.bytes()); // names and comments may be anything
        let text = text.trim();
        let continued = text.strip_suffix('\\');
        statement.push_str(continued.unwrap_or(text));
        ensure!(statement.len() as u64 <= LONGEST, "the statement is longer than {LONGEST} bytes");
        if continued.is_none() || !lines.advance_any()? {
            return Ok(true);
        }
        statement.push(' ');
    }
}

/// Three numbers; a weight and a colour may follow.
fn position<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<[f64; 3]> {
    let mut next = || {
        let word = words.next().context("a vertex has x, y and z")?;
        word.parse().map_err(|_| anyhow!("expected a number, found \"{}\"", shown(word)))
    };
    let position = [next()?, next()?, next()?];
    // A weight, a colour, or one after the other.
    let others = words.map(|word| match word.parse::<f32>() {
        Ok(_) => Ok(()),
        Err(_) => bail!("expected a number, found \"{}\"", shown(word)),
    });
    match others.collect::<Result<Vec<()>>>()?.len() {
        ..=4 => Ok(position),
        more => bail!("{} numbers: a vertex has 3, and a weight and a colour at most", 3 + more),
    }
}

/// A corner's vertex from 0: the number before the first `/`. After it go numbers of a texture and a normal, or nothing.
fn corner(word: &str, vertices: usize) -> Result<usize> {
    let mut parts = word.split('/');
    let number = parts.next().unwrap_or_default();
    let others: Vec<&str> = parts.collect();
    if others.len() > 2 || others.iter().any(|part| !part.is_empty() && part.parse::<i64>().is_err()) {
        bail!("expected numbers as in 1/2/3, found \"{}\"", shown(word));
    }
    match number.parse::<i64>() {
        Ok(index @ 1..) => Ok(index as usize - 1),
        Ok(0) => bail!("vertex 0: the first is 1"),
        Ok(back) => {
            let back = back.unsigned_abs();
            let first = usize::try_from(back).ok().and_then(|back| vertices.checked_sub(back));
            first.with_context(|| format!("vertex -{back}: there are {vertices} so far"))
        }
        Err(_) => bail!("expected the number of a vertex, found \"{}\"", shown(word)),
    }
}

/// A face may come before its vertices, but not without them.
fn within(face: &Face, vertices: usize) -> Result<Vec<u32>> {
    let known = |&corner: &usize| u32::try_from(corner).ok().filter(|_| corner < vertices);
    let wrong =
        |corner: &usize| anyhow!("line {}: vertex {}, the file has {vertices}", face.line, corner + 1);
    face.corners.iter().map(|corner| known(corner).ok_or_else(|| wrong(corner))).collect()
}

pub fn write(out: &mut impl Write, mesh: &Mesh, positions: Option<&[[f64; 3]]>) -> Result<()> {
    match positions {
        Some(exact) => exact.iter().try_for_each(|[x, y, z]| writeln!(out, "v {x} {y} {z}"))?,
        None => mesh.positions().iter().try_for_each(|[x, y, z]| writeln!(out, "v {x} {y} {z}"))?,
    }
    for [a, b, c] in mesh.faces().iter().map(|face| face.map(|corner| corner + 1)) {
        writeln!(out, "f {a} {b} {c}")?;
    }
    Ok(())
}

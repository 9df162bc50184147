//! The Stanford polygon format .ply: elements `vertex` with x, y, z, and `face` with a list of corners.

use std::io::{BufRead, ErrorKind, Write};

use anyhow::{Context, Result, anyhow, bail, ensure};
use ply_rs_bw::parser::{ParseError, Parser, Reader};
use ply_rs_bw::ply::{
    ElementDef, Encoding, Header, Property, PropertyAccess, PropertyAccessResult, PropertyDef, PropertyType,
    ScalarType,
};
use quadrille::mesh::Mesh;

use super::{LONGEST, Polygons};
use crate::files::lines::Lines;
use crate::files::{shown, shown_bytes, shown_message};

/// The names that the corners of a face may have.
const CORNERS: [&str; 2] = ["vertex_indices", "vertex_index"];

/// A vertex as it is read.
#[derive(Default)]
struct Vertex([f64; 3]);

impl PropertyAccess for Vertex {
    fn new() -> Vertex {
        Vertex::default()
    }

    fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
        let axis = ["x", "y", "z"].iter().position(|axis| *axis == name);
        if let (Some(axis), Some(value)) = (axis, number(&property)) {
            self.0[axis] = value;
        }
        PropertyAccessResult::Set
    }
}

/// A number of any of the format's kinds.
fn number(property: &Property) -> Option<f64> {
    Some(match *property {
        Property::Char(v) => v.into(),
        Property::UChar(v) => v.into(),
        Property::Short(v) => v.into(),
        Property::UShort(v) => v.into(),
        Property::Int(v) => v.into(),
        Property::UInt(v) => v.into(),
        Property::Float(v) => v.into(),
        Property::Double(v) => v,
        _ => return None,
    })
}

/// A face as it is read; none if a corner is no number of a vertex.
#[derive(Default)]
struct Face(Option<Vec<u32>>);

impl PropertyAccess for Face {
    fn new() -> Face {
        Face::default()
    }

    fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
        if CORNERS.contains(&name) {
            self.0 = property.to_u32_list();
        }
        PropertyAccessResult::Set
    }
}

/// Any other element.
struct Skipped;

impl PropertyAccess for Skipped {
    fn new() -> Skipped {
        Skipped
    }

    fn set_property(&mut self, _: &str, _: Property) -> PropertyAccessResult {
        PropertyAccessResult::Set
    }
}

pub fn read(input: impl BufRead) -> Result<Polygons> {
    let mut lines = Lines::new(input, LONGEST);
    let header = header(&mut lines)?;
    let mut found = Polygons::default();
    for (name, element) in &header.elements {
        ensure!(
            !element.properties.is_empty() || element.count == 0,
            "element {} has no properties",
            shown(name)
        );
        let body = Body { element, encoding: header.encoding };
        match name.as_str() {
            "vertex" => {
                let is_number = |kind: &PropertyType| matches!(kind, PropertyType::Scalar(_));
                ["x", "y", "z"].iter().try_for_each(|axis| has(element, &[axis], "a number", is_number))?;
                found.positions = body.read(&mut lines, |Vertex(position)| Some(position))?;
            }
            "face" => {
                has(element, &CORNERS, "a list of whole numbers", is_list)?;
                found.corners = body.read(&mut lines, |Face(corners)| corners)?;
            }
            _ => drop(body.read(&mut lines, |Skipped| Some(()))?),
        }
    }
    Ok(found)
}

/// The lines up to end_header, and what they announce.
fn header(lines: &mut Lines<impl BufRead>) -> Result<Header> {
    let mut text = Vec::new();
    while lines.bytes() != b"end_header" {
        ensure!(lines.advance_any()?, "the file ends before end_header");
        if text.is_empty() {
            ensure!(
                lines.bytes() == b"ply",
                "line 1: expected ply, found \"{}\"",
                shown_bytes(lines.bytes())
            );
        }
        text.extend(String::from_utf8_lossy(lines.bytes()).bytes()); // comments may be anything
        text.push(b'\n');
    }
    let mut whole = Reader::new(&text[..]);
    Parser::<Skipped>::new().read_header(&mut whole).map_err(|error| {
        let line = error.line().filter(|&line| line > 0);
        match line.and_then(|line| Some((line, text.split(|&byte| byte == b'\n').nth(line - 1)?))) {
            Some((line, found)) => anyhow!("line {line}: {STATEMENTS}, found \"{}\"", shown_bytes(found)),
            None => anyhow!(
                "expected a line \"format ascii 1.0\", or of binary_little_endian or binary_big_endian"
            ),
        }
    })
}

/// The statements of a header, as an error has them.
const STATEMENTS: &str = "expected format, comment, element, property of an element, or end_header";

/// The elements of a kind as the file holds them.
struct Body<'a> {
    element: &'a ElementDef,
    encoding: Encoding,
}

impl Body<'_> {
    /// Reads what `of` finds in each; it has none for what is not as it should be.
    fn read<E: PropertyAccess, T>(
        &self,
        lines: &mut Lines<impl BufRead>,
        of: impl Fn(E) -> Option<T>,
    ) -> Result<Vec<T>> {
        let count = self.element.count;
        let parser = Parser::<E>::new();
        let mut all = Vec::new(); // as many as there are, and not as the header says
        for number in 0..count {
            let found = match self.encoding {
                Encoding::Ascii => lines.advance_any()?.then(|| self.of_line(lines.bytes())),
                Encoding::BinaryLittleEndian => {
                    there(parser.read_little_endian_element(lines.rest(), self.element))?
                }
                Encoding::BinaryBigEndian => {
                    there(parser.read_big_endian_element(lines.rest(), self.element))?
                }
            };
            let name = &self.element.name;
            let Some(found) = found else {
                bail!("the file ends after {number} of {count} elements {}", shown(name))
            };
            all.push(found.and_then(&of).with_context(|| self.fault(number, lines))?);
        }
        Ok(all)
    }

    /// The element of a line; none if it is another one.
    fn of_line<E: PropertyAccess>(&self, line: &[u8]) -> Option<E> {
        let text = str::from_utf8(line).ok()?;
        let element = Parser::new().read_ascii_element(text, self.element).ok()?;
        let mut words = text.split_ascii_whitespace();
        for (_, property) in &self.element.properties {
            let word = words.next()?;
            if matches!(property.data_type, PropertyType::List(..)) {
                words.by_ref().take(word.parse().ok()?).for_each(drop);
            }
        }
        words.next().is_none().then_some(element)
    }

    /// The line that says what was expected, and of a text what is there.
    fn fault(&self, number: usize, lines: &Lines<impl BufRead>) -> String {
        let word = |kind: &ScalarType| format!("{kind:?}").to_lowercase();
        let property = |(name, property): (&String, &PropertyDef)| match &property.data_type {
            PropertyType::Scalar(kind) => format!("{} ({})", shown(name), word(kind)),
            PropertyType::List(_, kind) => format!("{} (how many, and as many {})", shown(name), word(kind)),
        };
        let expected: Vec<String> = self.element.properties.iter().map(property).collect();
        let expected = format!(
            "expected {} of element {}",
            shown_message(expected.join(", ")),
            shown(&self.element.name)
        );
        match self.encoding {
            Encoding::Ascii => {
                format!("line {}: {expected}, found \"{}\"", lines.number(), shown_bytes(lines.bytes()))
            }
            _ => format!("{} {number} (counted from 0): {expected}", shown(&self.element.name)),
        }
    }
}

/// None at the end of the file, and none inside if an element is another one.
fn there<E>(read: Result<E, ParseError>) -> Result<Option<Option<E>>> {
    match read {
        Ok(element) => Ok(Some(Some(element))),
        Err(error) => match error.kind() {
            ErrorKind::UnexpectedEof => Ok(None),
            ErrorKind::InvalidInput | ErrorKind::InvalidData => Ok(Some(None)),
            _ => Err(error.into()), // of the disk
        },
    }
}

/// Checks that an element has a property of one of these names, and that it is of the right type.
fn has(element: &ElementDef, names: &[&str], expected: &str, fits: fn(&PropertyType) -> bool) -> Result<()> {
    let found = names.iter().find_map(|name| element.properties.get(*name));
    let Some(property) = found else {
        bail!("element {} has no property {}", shown(&element.name), names[0])
    };
    ensure!(
        fits(&property.data_type),
        "property {} of element {}: expected {expected}",
        shown(&property.name),
        shown(&element.name)
    );
    Ok(())
}

/// Returns true for a list of whole numbers.
fn is_list(kind: &PropertyType) -> bool {
    matches!(kind, PropertyType::List(_, kind) if !matches!(kind, ScalarType::Float | ScalarType::Double))
}

pub fn write(out: &mut impl Write, mesh: &Mesh, positions: Option<&[[f64; 3]]>, text: bool) -> Result<()> {
    let format = if text { "ascii" } else { "binary_little_endian" };
    let (vertices, faces) = (mesh.positions().len(), mesh.faces().len());
    write!(out, "ply\nformat {format} 1.0\nelement vertex {vertices}\n")?;
    let number = if positions.is_some() { "double" } else { "float" };
    write!(out, "property {number} x\nproperty {number} y\nproperty {number} z\n")?;
    write!(out, "element face {faces}\nproperty list uchar int vertex_indices\nend_header\n")?;
    if text {
        match positions {
            Some(exact) => exact.iter().try_for_each(|[x, y, z]| writeln!(out, "{x} {y} {z}"))?,
            None => mesh.positions().iter().try_for_each(|[x, y, z]| writeln!(out, "{x} {y} {z}"))?,
        }
        mesh.faces().iter().try_for_each(|[a, b, c]| writeln!(out, "3 {a} {b} {c}"))?;
        return Ok(());
    }
    match positions {
        Some(exact) => exact.as_flattened().iter().try_for_each(|x| out.write_all(&x.to_le_bytes()))?,
        None => mesh.positions().as_flattened().iter().try_for_each(|x| out.write_all(&x.to_le_bytes()))?,
    }
    for face in mesh.faces() {
        out.write_all(&[3])?;
        face.iter().try_for_each(|corner| out.write_all(&corner.to_le_bytes()))?;
    }
    Ok(())
}

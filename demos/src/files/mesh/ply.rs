//! The Stanford polygon format .ply: elements `vertex` with x, y, z, and `face` with a list of corners.

use std::io::{BufRead, Write};

use anyhow::{Context, Result, anyhow, ensure};
use ply_rs_bw::parser::{Parser, Reader};
use ply_rs_bw::ply::{ElementDef, Property, PropertyAccess, PropertyAccessResult};
use quadrille::mesh::Mesh;

use super::Polygons;

/// What the corners of a face may be called.
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
    let mut input = Reader::new(input);
    let header = Parser::<Skipped>::new().read_header(&mut input).map_err(one_line)?;
    let mut found = Polygons::default();
    for (name, element) in &header.elements {
        match name.as_str() {
            "vertex" => {
                ["x", "y", "z"].iter().try_for_each(|axis| has(element, &[axis]))?;
                let read = Parser::<Vertex>::new().read_payload_for_element(&mut input, element, &header);
                found.positions = read.map_err(one_line)?.into_iter().map(|vertex| vertex.0).collect();
            }
            "face" => {
                has(element, &CORNERS)?;
                let read = Parser::<Face>::new().read_payload_for_element(&mut input, element, &header);
                for (number, face) in read.map_err(one_line)?.into_iter().enumerate() {
                    let fault = || format!("face {number}: expected a list of numbers of vertices");
                    found.corners.push(face.0.with_context(fault)?);
                }
            }
            _ => {
                let read = Parser::<Skipped>::new().read_payload_for_element(&mut input, element, &header);
                read.map_err(one_line)?;
            }
        }
    }
    Ok(found)
}

fn has(element: &ElementDef, names: &[&str]) -> Result<()> {
    let known = names.iter().any(|name| element.properties.contains_key(*name));
    ensure!(known, "element {} has no property {}", element.name, names[0]);
    Ok(())
}

/// The first line of the parser's words, as ours begin.
fn one_line(error: impl std::fmt::Display) -> anyhow::Error {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default().trim_end_matches('.');
    let mut letters = line.chars();
    let first = letters.next().map(|c| c.to_lowercase().to_string()).unwrap_or_default();
    anyhow!("{first}{}", letters.as_str())
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

//! Which mesh, and how it begins.

use std::path::Path;

use anyhow::{Result, bail};
use quadrille::Gpu;
use quadrille::mesh::Mesh;
use quadrille::sim::GeometricFlow;
use serde_json::Value;

use super::super::{Chosen, Simulation};
use super::{NAME, PARTS, Smoothing};
use crate::cli::{Look, MeshName, SmoothDemoArguments};
use crate::files::mesh::{self, Placed};
use crate::files::npz::Named;
use crate::files::{named, npy};
use crate::output::Usage;

/// Three vertices of each triangle, in a state.
pub const FACES: &str = "faces";

/// Of half the longest side.
const NOISE: f32 = 0.04;

/// Cuts past which a sphere has more faces than a picture has pixels.
const MOST_CUTS: u32 = 8;

pub fn chosen(own: SmoothDemoArguments) -> Chosen {
    let arguments = own.demo.clone();
    let look =
        Look { camera: own.camera.clone(), wires: own.wires, curvature: own.curvature, ..Look::default() };
    Chosen { name: NAME, arguments, look, watch: false, start: Box::new(move |gpu| start(gpu, &own)) }
}

fn start(gpu: &Gpu, given: &SmoothDemoArguments) -> Result<Box<dyn Simulation>> {
    let placed = clean(given)?;
    let (origin, clean) = (placed.origin(), placed.mesh);
    let noise = noise(given, &clean);
    let first = match &given.demo.load {
        Some(path) => load(path, given, &clean)?,
        None => clean.with_noise(noise, given.demo.seed())?,
    };
    let flow =
        GeometricFlow::new(gpu, &first, given.flow.parameters(&clean)).map_err(|error| {
            match &given.mesh {
                MeshName::File(path) => named(path, error),
                _ => error.into(),
            }
        })?;
    Ok(Box::new(Smoothing::new(flow, clean, origin, first, noise, given)))
}

/// The mesh that the noise goes onto.
fn clean(given: &SmoothDemoArguments) -> Result<Placed> {
    let squares = given.size.unwrap_or(24);
    match &given.mesh {
        MeshName::Cube => Ok(Mesh::cube(at_least_one(squares)?)?.into()),
        MeshName::Sheet => Ok(Mesh::sheet(at_least_one(squares)?, squares)?.into()),
        MeshName::Sphere => match given.size.unwrap_or(4) {
            cuts @ ..=MOST_CUTS => Ok(Mesh::sphere(cuts)?.into()),
            cuts => Err(Usage(format!("--size {cuts}: a sphere is cut 0 to {MOST_CUTS} times")).into()),
        },
        MeshName::File(path) => match given.size {
            None => {
                let placed = mesh::read(path)?;
                mesh::remark_on(path, &placed.mesh);
                Ok(placed)
            }
            Some(size) => Err(Usage(format!("--size {size}: a mesh from a file has its own")).into()),
        },
    }
}

fn at_least_one(squares: u32) -> Result<u32> {
    match squares {
        0 => Err(Usage("--size 0: expected 1 to 500 squares along a side".to_owned()).into()),
        squares => Ok(squares),
    }
}

/// In the mesh's unit.
fn noise(given: &SmoothDemoArguments, mesh: &Mesh) -> f32 {
    let share = given.noise.unwrap_or(if matches!(given.mesh, MeshName::File(_)) { 0.0 } else { NOISE });
    let [low, high] = mesh.bounds();
    share * (0..3).map(|k| (high[k] - low[k]) / 2.0).fold(0.0, f32::max)
}

/// The same mesh with positions from a file: a row of x, y, z for each vertex; with triangles in the file they must be the same.
fn load(path: &Path, given: &SmoothDemoArguments, mesh: &Mesh) -> Result<Mesh> {
    if let Some(loaded) = given.demo.state() {
        let faces =
            loaded.state.array(FACES, 2).and_then(Named::wholes).map_err(|error| named(path, error))?;
        if !faces.iter().eq(mesh
            .faces()
            .as_flattened()
            .iter()
            .map(|&vertex| u64::from(vertex))
            .collect::<Vec<_>>()
            .iter())
        {
            let mesh = given.mesh.word();
            bail!(
                "{}: its triangles are not those of --mesh {mesh}: name the mesh that it was saved of",
                path.display()
            );
        }
    }
    let Some(array) = given.demo.array(&PARTS, npy::read)? else { return Ok(mesh.clone()) };
    let npy::Array { height, width, components, values } = array;
    let vertices = mesh.positions().len();
    if (height, width * components) != (vertices, 3) {
        let found = format!("{height} x {}", width * components);
        return Err(named(path, anyhow::anyhow!("{found} numbers, the mesh has {vertices} x 3")));
    }
    mesh.moved(values.as_chunks::<3>().0.to_vec()).map_err(|error| named(path, error))
}

/// A shape and its size as their flags say them; none of a file.
pub fn words((mesh, size): &(MeshName, Option<u32>)) -> (Value, Value) {
    match mesh {
        MeshName::File(_) => (Value::Null, Value::Null),
        mesh => (mesh.word().into(), (*size).into()),
    }
}

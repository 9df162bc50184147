//! Which mesh, how it begins, and the parameters of that.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::{Result, anyhow, bail};
use quadrille::Gpu;
use quadrille::mesh::Mesh;
use quadrille::sim::GeometricFlow;
use quadrille::sim::geometric_flow::{Area, Boundary, Parameters};

use super::beside::{SHOWN, Shown};
use super::brush::Hand;
use super::rabbit::{LEAST, rabbit};
use super::{PARTS, SmoothDemo, Smoothing, shapes};
use crate::demo::{Host, PlacedMesh, Request, Usage, named};
use crate::param::{Kept, Kind, Live, Param, Range, Section, Slider, Values, choices};
use crate::picture::MeshView;
use crate::state::{Array, Named};

pub const PARAMETERS: &[Param] = &[MESH, SIZE, NOISE];

const MESH: Param = Param {
    name: "mesh",
    symbol: "rabbit|dumbbell|gyroid|knot|cube|sphere|sheet|FILE",
    kind: Kind::Text,
    default: "rabbit",
    help: "A noisy rabbit, dumbbell, ball of a gyroid's passages, trefoil knot, cube, sphere or sheet, or a file, .obj or .ply. Positions of a file's mesh that lies far from its origin are \
           about its middle, also with --save and --load: --json has it as `origin`",
    kept: Kept::Yes,
    live: Live::Some(&["rabbit", "dumbbell", "gyroid", "knot", "cube", "sphere", "sheet"]),
    section: Section::Scene,
    ..Param::NEW
};

const SIZE: Param = Param {
    name: "size",
    symbol: "N",
    kind: Kind::Whole { low: 0, high: 500 },
    help: "Of a rabbit cells along its cube, 16 to 256, of a dumbbell or a gyroid 36 to 256 [default: 40]; of a knot half the squares around its tube, 2 to 500 [default: \
           18]; of a cube or a sheet squares along a side, 1 to 500 [default: 24]; of a sphere how often its 20 faces are cut in \
           four, 0 to 8 [default: 4]",
    kept: Kept::With("mesh"),
    ..Param::NEW
};

const NOISE: Param = Param {
    name: "noise",
    symbol: "A",
    kind: Kind::real(0.0, 0.5),
    default: "0.02, of a file 0",
    help: "How far vertices are moved along their normals, at random, as a share of half the mesh's longest side: 0 to 0.5",
    live: Live::Slider(Slider::to(0.0, 0.1).decimals(3)),
    ..Param::NEW
};

/// The parameters of the flow.
pub const FLOW: &[Param] = &[TIME_STEP, AREA, BOUNDARY, TOLERANCE];

const OF_FLOW: Param = Param { heading: "Flow", kept: Kept::Yes, ..Param::NEW };

pub const TIME_STEP: Param = Param {
    name: "time-step",
    symbol: "S",
    kind: Kind::Real(Range { low: 0.0, high: f64::MAX, open: true, double: true, word: "" }),
    default: "a thousandth of the square of half that side",
    help: "S = lambda dt of the implicit step (M + L) x' = M x, where L has -S (cot alpha + cot beta) for an edge and M has four \
           times the area of a vertex; in squares of the mesh's unit of length. Above 0, and up to 256 squares of the power of \
           two next to the mesh's longest side",
    live: Live::Slider(Slider::to(1e-6, 1.0).logarithmic()),
    ..OF_FLOW
};

pub const AREA: Param = Param {
    name: "area",
    kind: Kind::Choice(|| choices(&AREAS)),
    default: "ring",
    help: "The area that a vertex stands for, in which its way is measured: with the larger one the flow is three times slower",
    live: Live::Words,
    section: Section::Solver,
    ..OF_FLOW
};

pub const AREAS: [(&str, &str, Area); 2] = [
    (
        "ring",
        "that of all triangles around the vertex, as the paper has it: a third of mean-curvature flow",
        Area::Ring,
    ),
    ("dual", "a third of that, the part nearest to the vertex: mean-curvature flow", Area::Dual),
];

pub const BOUNDARY: Param = Param {
    name: "boundary",
    kind: Kind::Choice(|| choices(&BOUNDARIES)),
    default: "fixed",
    help: "What boundaries do. fixed: they stay, to the bit; flowing: they shrink as curves that flow by their curvature",
    live: Live::Words,
    section: Section::Physics,
    ..OF_FLOW
};

pub const BOUNDARIES: [(&str, &str, Boundary); 2] =
    [("fixed", "", Boundary::Fixed), ("flowing", "", Boundary::Flowing)];

pub const TOLERANCE: Param = Param {
    name: "tolerance",
    symbol: "T",
    kind: Kind::real(1e-7, 0.1),
    default: "1e-5",
    help: "When a step is solved: the residual, what its equations still miss, relative to that at its start, 1e-7 to 0.1",
    live: Live::Slider(Slider::to(1e-7, 0.1).logarithmic()),
    section: Section::Solver,
    ..OF_FLOW
};

/// The volume of a closed mesh.
pub const VOLUME: Param = Param {
    name: "volume",
    kind: Kind::Choice(|| choices(&VOLUMES)),
    default: "shrinks",
    help: "Lets the volume of a closed mesh shrink, or keeps it",
    live: Live::Words,
    ..OF_FLOW
};

pub const VOLUMES: [(&str, &str, bool); 2] = [
    ("shrinks", "the flow lessens it: in the end a body is a ball, and then a point", false),
    ("kept", "after each step the mesh is blown up about its middle to the volume that it began with", true),
];

/// The end of a run.
pub const UNTIL: Param = Param {
    name: "until",
    symbol: "N",
    kind: Kind::Whole { low: 0, high: 1_000_000 },
    default: "12 in a window, else 0",
    help: "Steps after which the mesh rests, since the beginning or the last stroke of the brush; 0 for no end",
    live: Live::Slider(Slider::to(0.0, 60.0)),
    label: "rests after steps",
    ..OF_FLOW
};

/// Steps of [`UNTIL`] in a window: the noise is gone, and the shape is not.
pub const REST: u64 = 12;

pub const SHOW: Param = Param {
    name: "show",
    kind: Kind::Choice(|| choices(&SHOWN)),
    default: "now",
    help: "The mesh that is seen",
    live: Live::Words,
    section: Section::Shown,
    ..Param::NEW
};

/// The look of the mesh.
pub const LOOK: &[Param] = &[
    SHOW,
    Param { name: "wires", help: "Draw the edges of triangles", ..Param::NEW },
    Param { name: "curvature", help: "Colour the mesh by the magnitude of its mean curvature", ..Param::NEW },
    Param {
        name: "facets",
        help: "Light each triangle by its own normal, not by the normals of its vertices",
        ..Param::NEW
    },
    Param { name: "bare", help: "Draw neither ground nor shadows", ..Param::NEW },
];

/// The parameters of the flow of that mesh.
pub fn flow(values: &Values, mesh: &Mesh) -> Parameters {
    let half = half(mesh);
    // A mesh that is a point has no size to go by.
    let time_step = (half * half * 1e-3).max(f64::MIN_POSITIVE);
    let (area, boundary) = (Area::default(), Boundary::default());
    changed(values, Parameters { time_step, area, boundary, tolerance: 1e-5 })
}

/// Those parameters, but where `values` says otherwise.
pub fn changed(values: &Values, before: Parameters) -> Parameters {
    Parameters {
        time_step: values.double("time-step").unwrap_or(before.time_step),
        area: values.choice("area", &AREAS).unwrap_or(before.area),
        boundary: values.choice("boundary", &BOUNDARIES).unwrap_or(before.boundary),
        tolerance: values.real("tolerance").unwrap_or(before.tolerance),
    }
}

/// Half the longest side of a mesh.
pub fn half(mesh: &Mesh) -> f64 {
    let [low, high] = mesh.bounds();
    (0..3).map(|k| (f64::from(high[k]) - f64::from(low[k])) / 2.0).fold(0.0, f64::max)
}

/// Three vertices of each triangle, in a state.
pub const FACES: &str = "faces";

/// A share of half the longest side.
const USUAL_NOISE: f32 = 0.02;

/// Cuts past which a sphere has more faces than a picture has pixels.
const MOST_CUTS: u32 = 8;

/// The mesh that is asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum MeshName {
    Rabbit,
    Dumbbell,
    Gyroid,
    Knot,
    Cube,
    Sphere,
    Sheet,
    File(PathBuf),
}

/// The meshes that are made here, as they are typed.
const NAMES: [(&str, MeshName); 7] = [
    ("rabbit", MeshName::Rabbit),
    ("dumbbell", MeshName::Dumbbell),
    ("gyroid", MeshName::Gyroid),
    ("knot", MeshName::Knot),
    ("cube", MeshName::Cube),
    ("sphere", MeshName::Sphere),
    ("sheet", MeshName::Sheet),
];

impl MeshName {
    /// The noise of such a mesh where none is said.
    pub fn noise(&self) -> f32 {
        if matches!(self, MeshName::File(_)) { 0.0 } else { USUAL_NOISE }
    }

    pub fn of(text: &str) -> MeshName {
        let made = NAMES.into_iter().find(|(name, _)| *name == text);
        made.map_or_else(|| MeshName::File(text.into()), |(_, mesh)| mesh)
    }

    /// As it is typed.
    pub fn word(&self) -> String {
        match self {
            MeshName::File(path) => path.display().to_string(),
            made => NAMES.iter().find(|(_, mesh)| mesh == made).map_or("", |(name, _)| *name).to_owned(),
        }
    }
}

impl SmoothDemo {
    /// The demo that is asked for.
    pub(super) fn new(gpu: &Gpu, request: &Rc<Request>) -> Result<SmoothDemo> {
        let (values, seed) = (&request.values, request.seed());
        let of = (MeshName::of(values.text("mesh").unwrap_or("rabbit")), values.whole("size"));
        let placed = clean(&*request.host, &of)?;
        let file = kept(&of.0, &placed);
        let PlacedMesh { mesh: clean, origin } = placed;
        let noise = values.real("noise").unwrap_or(of.0.noise());
        let first = match request.path() {
            Some(path) => load(path, request, &of.0, &clean)?,
            None => noisy(&clean, noise, seed)?,
        };
        let flow = begin(gpu, &of.0, &first, flow(values, &clean))?;
        let smoothing = Smoothing { flow, clean, first: (first, seed), before: None, layouts: 0 };
        let view = MeshView::new(gpu, request, &smoothing.shown())?;
        let (gpu, host, anew) = (gpu.clone(), request.host.clone(), false);
        let usual = if request.draws && !request.windowless { REST } else { 0 };
        let volume = smoothing.first.0.volume();
        Ok(SmoothDemo {
            smoothing,
            origin,
            noise,
            of,
            file,
            show: values.choice(SHOW.name, &SHOWN).unwrap_or(Shown::Now),
            seed,
            report: None,
            #[cfg(feature = "panel")]
            left: None,
            solved: 0,
            keeps: values.choice(VOLUME.name, &VOLUMES).unwrap_or(false),
            volume,
            blown: None,
            until: values.whole(UNTIL.name).unwrap_or(usual),
            touched: 0,
            hand: Hand::FIRST,
            dabbed: None,
            #[cfg(feature = "panel")]
            curves: Default::default(),
            anew,
            view,
            gpu,
            host,
        })
    }

    /// Begins anew with another mesh, or with other noise.
    pub(super) fn change(&mut self, of: (MeshName, Option<u32>), noise: f32, values: &Values) -> Result<()> {
        let placed = match &self.file {
            Some((name, placed)) if of == (name.clone(), None) => placed.clone(),
            _ => clean(&*self.host, &of)?,
        };
        let file = kept(&of.0, &placed);
        let PlacedMesh { mesh: clean, origin } = placed;
        let (seed, now) = (self.seed, self.smoothing.flow.parameters());
        let first = noisy(&clean, noise, seed)?;
        let time_step = if of == self.of { now.time_step } else { flow(values, &clean).time_step };
        let flow = begin(&self.gpu, &of.0, &first, changed(values, Parameters { time_step, ..now }))?;
        let layouts = self.smoothing.layouts + 1;
        self.smoothing = Smoothing { flow, clean, first: (first, seed), before: None, layouts };
        (self.origin, self.noise, self.of) = (origin, noise, of);
        self.file = file.or(self.file.take());
        self.anew = true;
        self.begin();
        Ok(())
    }
}

/// A mesh of a file, to be gone back to: the file may be another then, or gone.
fn kept(name: &MeshName, placed: &PlacedMesh) -> Option<(MeshName, PlacedMesh)> {
    matches!(name, MeshName::File(_)).then(|| (name.clone(), placed.clone()))
}

/// The flow of that mesh.
fn begin(gpu: &Gpu, name: &MeshName, first: &Mesh, parameters: Parameters) -> Result<GeometricFlow> {
    GeometricFlow::new(gpu, first, parameters).map_err(|error| match name {
        MeshName::File(path) => named(path, error),
        _ => error.into(),
    })
}

/// The mesh that the noise goes onto.
fn clean(host: &dyn Host, (name, size): &(MeshName, Option<u32>)) -> Result<PlacedMesh> {
    let squares = size.unwrap_or(24);
    let mesh = match name {
        MeshName::Rabbit => match size.unwrap_or(40) {
            cells @ LEAST.. => rabbit(cells)?,
            cells => return Err(Usage(format!("--size {cells}: a rabbit has {LEAST} cells or more")).into()),
        },
        MeshName::Dumbbell | MeshName::Gyroid => match size.unwrap_or(40) {
            cells @ shapes::LEAST.. if *name == MeshName::Gyroid => shapes::gyroid(cells)?,
            cells @ shapes::LEAST.. => shapes::dumbbell(cells)?,
            cells => {
                let (name, least) = (name.word(), shapes::LEAST);
                return Err(Usage(format!("--size {cells}: a {name} has {least} cells or more")).into());
            }
        },
        MeshName::Knot => match size.unwrap_or(18) {
            squares @ 2.. => Mesh::knot(squares)?,
            squares => return Err(Usage(format!("--size {squares}: a knot has 2 or more")).into()),
        },
        MeshName::Cube => Mesh::cube(at_least_one(squares)?)?,
        MeshName::Sheet => Mesh::sheet(at_least_one(squares)?, squares)?,
        MeshName::Sphere => match size.unwrap_or(4) {
            cuts @ ..=MOST_CUTS => Mesh::sphere(cuts)?,
            cuts => {
                return Err(Usage(format!("--size {cuts}: a sphere is cut 0 to {MOST_CUTS} times")).into());
            }
        },
        MeshName::File(path) => match size {
            None => return host.mesh(path),
            Some(size) => {
                return Err(Usage(format!("--size {size}: a mesh from a file has its own")).into());
            }
        },
    };
    Ok(PlacedMesh { mesh, origin: [0.0; 3] })
}

fn at_least_one(squares: u32) -> Result<u32> {
    match squares {
        0 => Err(Usage("--size 0: expected 1 to 500 squares along a side".to_owned()).into()),
        squares => Ok(squares),
    }
}

/// The mesh with its vertices moved by that share of half its longest side.
pub fn noisy(mesh: &Mesh, share: f32, seed: u64) -> quadrille::Result<Mesh> {
    let [low, high] = mesh.bounds();
    let half = (0..3).map(|k| (high[k] - low[k]) / 2.0).fold(0.0, f32::max);
    mesh.with_noise(share * half, seed)
}

/// The same mesh with positions from a file: a row of x, y, z for each vertex; triangles in the file must be the same.
fn load(path: &Path, request: &Request, name: &MeshName, mesh: &Mesh) -> Result<Mesh> {
    if let Some(state) = request.state() {
        let faces = state.array(FACES, 2).and_then(Named::wholes).map_err(|error| named(path, error))?;
        let own = mesh.faces().as_flattened();
        if faces.len() != own.len() || faces.iter().zip(own).any(|(&a, &b)| a != u64::from(b)) {
            let mesh = name.word();
            bail!(
                "{}: its triangles are not those of --mesh {mesh}: name the mesh that it was saved of",
                path.display()
            );
        }
    }
    let Some(array) = request.array(&PARTS, |path| request.host.array(path, None))? else {
        return Ok(mesh.clone());
    };
    let Array { height, width, components, values } = array;
    let vertices = mesh.positions().len();
    if (height, width * components) != (vertices, 3) {
        let found = format!("{height} x {}", width * components);
        return Err(named(path, anyhow!("{found} numbers, the mesh has {vertices} x 3")));
    }
    mesh.moved(values.as_chunks::<3>().0.to_vec()).map_err(|error| named(path, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mesh_that_is_offered_has_its_name() {
        let names = NAMES.map(|(name, _)| name);
        assert!(matches!(MESH.live, Live::Some(offered) if offered == names));
        assert_eq!(MESH.symbol, format!("{}|FILE", names.join("|")));
        assert_eq!(names.map(|name| MeshName::of(name).word()), names);
    }
}

//! The command line of `quadrille smooth`, and what it shares with the demo of that name.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use quadrille::mesh::Mesh;
use quadrille::sim::geometric_flow::{Area, Boundary, Parameters};

use super::ContextArguments;
use quadrille_gallery::number::within;

#[derive(Args)]
pub struct SmoothArguments {
    /// The mesh: .obj or .ply; polygons are cut into triangles. Vertices and faces keep their order; what else a file has
    /// (normals, textures, colours, groups) is dropped
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// Where the smoother one goes: .obj or .ply
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
    /// Steps of the flow
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    pub steps: u64,
    #[command(flatten)]
    pub flow: FlowArguments,
    /// A .ply as text instead of binary
    #[arg(long)]
    pub text: bool,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub context: ContextArguments,
}

/// The flags of the flow.
#[derive(Args, Clone)]
#[command(next_help_heading = "Flow")]
pub struct FlowArguments {
    /// S = lambda dt of the implicit step (M + L) x' = M x, where L has -S (cot alpha + cot beta) for an edge and M has four
    /// times the area of a vertex; in squares of the mesh's unit of length. Above 0, and up to 256 squares of the power of two
    /// next to the mesh's longest side [default: a thousandth of the square of half that side]
    #[arg(long, allow_negative_numbers = true, value_name = "S", value_parser = positive)]
    pub time_step: Option<f64>,
    /// The area that a vertex stands for. ring: of its triangles, a third of mean-curvature flow; dual: a third of that,
    /// mean-curvature flow
    #[arg(long, value_enum, default_value = "ring")]
    pub area: AreaName,
    /// What boundaries do. fixed: they stay, to the bit; flowing: they shrink as curves that flow by their curvature
    #[arg(long, value_enum, default_value = "fixed")]
    pub boundary: BoundaryName,
    /// When a step is solved: the residual relative to that at its start, 1e-7 to 0.1
    #[arg(long, allow_negative_numbers = true, value_name = "T", default_value = "1e-5", value_parser = within(1e-7f32, 0.1))]
    pub tolerance: f32,
}

impl FlowArguments {
    /// For that mesh.
    pub fn parameters(&self, mesh: &Mesh) -> Parameters {
        let [low, high] = mesh.bounds();
        let half = (0..3).map(|k| (f64::from(high[k]) - f64::from(low[k])) / 2.0).fold(0.0, f64::max);
        // A mesh that is a point has no size to go by.
        let usual = (half * half * 1e-3).max(f64::MIN_POSITIVE);
        Parameters {
            time_step: self.time_step.unwrap_or(usual),
            area: match self.area {
                AreaName::Ring => Area::Ring,
                AreaName::Dual => Area::Dual,
            },
            boundary: match self.boundary {
                BoundaryName::Fixed => Boundary::Fixed,
                BoundaryName::Flowing => Boundary::Flowing,
            },
            tolerance: self.tolerance,
        }
    }
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(value) if value > 0.0 && f64::is_finite(value) => Ok(value),
        _ => Err("expected a finite number above 0, as in 1e-3".to_owned()),
    }
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum AreaName {
    Ring,
    Dual,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum BoundaryName {
    Fixed,
    Flowing,
}

//! The flags of the mesh that is smoothed.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;

use super::super::number::{whole, within};
use super::super::smooth::FlowArguments;
use super::{CameraArguments, DemoArguments};

#[derive(Args, Clone)]
pub struct SmoothDemoArguments {
    /// A noisy cube, sphere or sheet, or a file, .obj or .ply. Positions of a file's mesh that lies far from its origin are
    /// about its middle, also with --save and --load: --json has it as `origin`
    #[arg(long, value_name = "cube|sphere|sheet|FILE", default_value = "cube")]
    pub mesh: MeshName,
    /// Of a cube or a sheet squares along a side, 1 to 500 [default: 24]; of a sphere how often its 20 faces are cut in
    /// four, 0 to 8 [default: 4]
    #[arg(long, allow_negative_numbers = true, value_name = "N", value_parser = whole::<u32>(0, 500))]
    pub size: Option<u32>,
    /// How far vertices are moved along their normals, at random, as a share of half the mesh's longest side: 0 to 0.5
    /// [default: 0.04, of a file 0]
    #[arg(long, allow_negative_numbers = true, value_name = "A", value_parser = within(0.0f32, 0.5))]
    pub noise: Option<f32>,
    #[command(flatten)]
    pub flow: FlowArguments,
    /// Draw the edges of triangles
    #[arg(long)]
    pub wires: bool,
    /// Colour the mesh by the magnitude of its mean curvature
    #[arg(long)]
    pub curvature: bool,
    #[command(flatten)]
    pub camera: CameraArguments,
    #[command(flatten)]
    pub demo: DemoArguments,
}

#[derive(Clone, Debug, PartialEq)]
pub enum MeshName {
    Cube,
    Sphere,
    Sheet,
    File(PathBuf),
}

impl MeshName {
    /// As it is typed.
    pub fn word(&self) -> String {
        match self {
            MeshName::Cube => "cube".to_owned(),
            MeshName::Sphere => "sphere".to_owned(),
            MeshName::Sheet => "sheet".to_owned(),
            MeshName::File(path) => path.display().to_string(),
        }
    }
}

impl FromStr for MeshName {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<MeshName, Self::Err> {
        Ok(match text {
            "cube" => MeshName::Cube,
            "sphere" => MeshName::Sphere,
            "sheet" => MeshName::Sheet,
            file => MeshName::File(file.into()),
        })
    }
}

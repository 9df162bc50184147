//! The flags of liquid and smoke in a box of voxels.

use std::str::FromStr;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};

use super::super::number::within;
use super::{CameraArguments, DemoArguments};

/// What files hold, how slices lie, what a check looks at, and what a card needs.
const AFTER: &str = "\
--save, and --out of .npy or .exr, write the state: a row for each of (NX + 1)(NY + 1)(NZ + 1) elements, x fastest, then y, then z \
(up). A row of water is u, v, w (m/s, on the faces before the voxel), pressure, signed distance from the surface (voxels, below 0 \
in water); of smoke u, v, w, pressure, density, temperature. What lies beyond the box is 0, but the last row, the clock: seconds \
since the start, steps, seconds of the last step, and, as its last number, the voxels of water that are kept. --load tells the \
scene by the length of rows, and refuses speeds above 1e7 m/s and a clock below 0.
--view slices: the slices of the box, the lowest in the upper left corner, the next to its right, row after row; in each x leads \
to the right and y downward, to the front. Lines of mauve lie between them. A voxel is a square of as many pixels as make the \
longer side of the picture about 512.
--check, each step that it looks at: divergence left, of the velocity in f64, at most --tolerance or where 32 bits end, which is said; of water, unless --lossy, the part of its volume that \
came or went, at most 1/40 of a voxel for each that the surface runs through; of smoke, how far a density is from what f64 \
fetches, at most 24 e + 6 e (4 N + 24 D)(1 + 6 D), e = 2^-24, N voxels along the longest side, D voxels crossed in the step.
Old cards (--limits): a step needs 58 fetches a pass, and water two render targets; --view volume needs loops of 320 iterations. \
So GEFORCE_FX has smoke, in slices, and RADEON_9700 has neither.";

#[derive(Args, Clone)]
#[command(after_help = AFTER)]
#[command(mut_arg("save", |arg| arg.help("Write the state at the end: float32, a row of 5 (smoke: 6) numbers an element, see below")))]
#[command(mut_arg("check", |arg| arg.help("Without a window; exit 1 past a bound, see below")))]
#[command(mut_arg("seed", |arg| arg.help("Of dam, how far each side of the water is moved, by a twentieth of the box at most; 1 leaves them. Of smoke, where its six flames burn, and how strongly [default: 1]")))]
pub struct LiquidArguments {
    /// Water behind a dam that has just broken, or smoke that rises from a fire; with --load, what the file holds; the
    /// fire is that of seed 1 then [default: dam]
    #[arg(long, value_enum)]
    pub scene: Option<LiquidScene>,
    /// Voxels along x, y and z (up), as NXxNYxNZ, or one number for all three; with --load, what the file must hold
    /// [default: 64 on a GPU, 32 on a CPU that plays one, or of --load if that is a cube]
    #[arg(long, visible_alias = "cells", allow_hyphen_values = true, value_name = "NXxNYxNZ")]
    pub size: Option<Size3>,
    /// Longest side of the box, in metres [default: 1]
    #[arg(long, allow_negative_numbers = true, value_name = "M", value_parser = within(1e-3f32, 1e6))]
    pub length: Option<f32>,
    /// Acceleration downwards, in m/s^2 [default: 9.81]
    #[arg(long, allow_negative_numbers = true, value_name = "G", value_parser = within(0.0f32, 1e3))]
    pub gravity: Option<f32>,
    /// How much smoke of temperature 1 is lifted, times gravity, 0 to 10 [default: 1]
    #[arg(long, allow_negative_numbers = true, value_name = "L", value_parser = within(0.0f32, 10.0))]
    pub lift: Option<f32>,
    /// How much smoke of density 1 is pulled down, times gravity, 0 to 10 [default: 0.125]
    #[arg(long, allow_negative_numbers = true, value_name = "W", value_parser = within(0.0f32, 10.0))]
    pub weight: Option<f32>,
    /// What smoke loses of its temperature, in 1/s, 0 to 100 [default: 0.5]
    #[arg(long, allow_negative_numbers = true, value_name = "C", value_parser = within(0.0f32, 100.0))]
    pub cooling: Option<f32>,
    /// Voxels that nothing crosses more of in a step, 0.1 to 5 [default: 1.5]
    #[arg(long, allow_negative_numbers = true, value_name = "N", value_parser = within(0.1f32, 5.0))]
    pub across: Option<f32>,
    /// The longest step, in seconds, though it crossed fewer voxels: 1e-6 to 10 [default: 0.02]
    #[arg(long, allow_negative_numbers = true, value_name = "DT", value_parser = within(1e-6f32, 10.0))]
    pub longest: Option<f32>,
    /// Tolerance of the divergence after a step, relative to that before it, 1e-7 to 0.1 [default: 1e-4]
    #[arg(long, allow_negative_numbers = true, value_name = "T", value_parser = within(1e-7f32, 0.1))]
    pub tolerance: Option<f32>,
    /// What stands for the inverse of the pressure's matrix [default: multigrid]
    #[arg(long, value_enum)]
    pub preconditioner: Option<LiquidPreconditioner>,
    /// Let the volume of water go that the level set loses
    #[arg(long)]
    pub lossy: bool,
    /// Light on its way through the box, or its slices as a flat map [default: volume]
    #[arg(long, value_enum)]
    pub view: Option<VolumeView>,
    /// Colour map of --view slices; `help` lists them [default: red_blue for water, inferno for smoke]
    #[arg(long, value_name = "NAME")]
    pub colours: Option<String>,
    #[command(flatten)]
    pub camera: CameraArguments,
    #[command(flatten)]
    pub demo: DemoArguments,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, ValueEnum)]
pub enum LiquidScene {
    #[default]
    Dam,
    Smoke,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, ValueEnum)]
pub enum LiquidPreconditioner {
    /// A V-cycle of coarser boxes
    #[default]
    Multigrid,
    /// The inverse of its diagonal
    Jacobi,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, ValueEnum)]
pub enum VolumeView {
    #[default]
    Volume,
    Slices,
}

/// Voxels along x, y and z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size3(pub [u32; 3]);

impl FromStr for Size3 {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Size3> {
        let sides: Vec<u32> =
            text.split(['x', 'X', '×']).filter_map(|side| side.trim().parse().ok()).collect();
        let given = text.split(['x', 'X', '×']).count();
        match sides[..] {
            [n] if given == 1 && n > 0 => Ok(Size3([n; 3])),
            [x, y, z] if given == 3 && x > 0 && y > 0 && z > 0 => Ok(Size3([x, y, z])),
            _ => bail!("expected NXxNYxNZ or N, all above 0, as in 64x32x48"),
        }
    }
}

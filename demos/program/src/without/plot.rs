//! Plots of a build that draws none: `refuse` ends it before there is anything to draw.

use std::path::Path;

use anyhow::Result;
pub use quadrille_gallery::plot::{Curve, Plot};

use crate::files::atomic::Draft;
use crate::without::missing;

pub fn write(_: &Path, _: &Plot) -> Result<()> {
    Err(missing("plots", "plots"))
}

pub fn draft(_: &Path, _: &Plot) -> Result<Draft> {
    Err(missing("plots", "plots"))
}

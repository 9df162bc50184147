//! Fetches, which share out a pass.

use super::Terms;
use crate::gl::{Format, Shape};
use crate::{Gpu, Result};

#[test]
fn an_element_takes_a_fetch_of_each_texture() -> Result<()> {
    let gpu = Gpu::headless()?;
    let texture = gpu.context().texture(Shape { width: 1, height: 1, format: Format::R32F })?;
    let t = &texture;
    let terms = [
        Terms::Values(t),
        Terms::Magnitudes(t),
        Terms::Pair(t, t),
        Terms::Products(t, t),
        Terms::Residuals([t; 3], None),
        Terms::Residuals([t; 3], Some(t)),
    ];
    assert_eq!(terms.map(Terms::fetches), [1, 1, 2, 2, 3, 4]);
    Ok(())
}

//! States from files, and how far one is from another.

use std::path::Path;

use anyhow::{Result, bail};
use quadrille::{Error, Gpu};

use crate::cli::Size;
use crate::files::npy;

/// The state of a demo of some numbers a cell from a file, with its size, which must be `size` if that is given.
pub fn load_state<const N: usize>(
    path: &Path,
    size: Option<Size>,
    demo: &str,
    numbers: [&str; N],
) -> Result<(Size, Vec<f32>)> {
    let shape = if N == 1 { "(height, width)".to_owned() } else { format!("(height, width, {N})") };
    let npy::Array { width, height, components, values } =
        npy::read_shape(path, |shape| (2..=3).contains(&shape.len()), &shape)?;
    if components != N {
        let numbers = numbers.join(", ");
        bail!(
            "{}: {components} components, a state of {demo} has {N} ({numbers}): shape {shape}",
            path.display()
        );
    }
    let loaded = Size { width: u32::try_from(width)?, height: u32::try_from(height)? };
    if let Some(size) = size.filter(|&size| size != loaded) {
        let (w, h) = (size.width, size.height);
        bail!("{}: the state is {width}x{height}, --size says {w}x{h}", path.display());
    }
    if let Some(cell) = values.iter().position(|v| !v.is_finite()) {
        let (x, y) = (cell / N % width, cell / N / width);
        bail!("{}: cell ({x}, {y}) is not a finite number", path.display());
    }
    Ok((loaded, values))
}

/// That a picture or an array of that size can be an array of numbers on the GPU: asked before it is made.
///
/// # Errors
/// A side that no texture has, and more numbers than the GPU can count. `what` begins the line.
pub fn check_size(gpu: &Gpu, what: &str, Size { width, height }: Size) -> quadrille::Result<()> {
    let (side, elements) = (u64::from(gpu.limits().texture_size), u64::from(width) * u64::from(height));
    let what = format!("{what} of {width}x{height}");
    for (quantity, found, limit) in [
        ("width", width.into(), side),
        ("height", height.into(), side),
        ("number of elements", elements, MOST_ELEMENTS),
    ] {
        if found > limit {
            return Err(Error::OverLimit { what, quantity, found, limit });
        }
    }
    Ok(())
}

/// The most whole numbers that 32-bit floats tell apart.
const MOST_ELEMENTS: u64 = 1 << 24;

/// The largest of them. A NaN must not hide: it is larger than every bound.
pub fn worst(errors: impl Iterator<Item = f64>) -> f64 {
    errors.fold(0.0, |worst, error| if worst.is_nan() || error <= worst { worst } else { error })
}

#[cfg(test)]
mod tests {
    use super::worst;

    #[test]
    fn a_nan_is_worse_than_any_error_wherever_it_stands() {
        assert_eq!(worst([1.0, 3.0, 2.0].into_iter()), 3.0);
        for errors in [[f64::NAN, 1.0, 2.0], [1.0, f64::NAN, 2.0], [1.0, 2.0, f64::NAN]] {
            assert!(worst(errors.into_iter()).is_nan());
        }
    }
}

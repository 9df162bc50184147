//! Files of equations: arrays and pictures that they name, and states.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use quadrille::pde::{Equations, Files, Saved, Simulation};
use quadrille_gallery::equations;

use crate::demo::state;
use crate::files::{grey, named, npy, shown};

/// Files that an equation file names lie beside it.
pub struct Disk(PathBuf);

impl Disk {
    pub fn beside(file: &Path) -> Disk {
        Disk(file.parent().unwrap_or(Path::new("")).to_owned())
    }
}

impl Files for Disk {
    fn picture(&mut self, name: &str, size: [u32; 2]) -> Result<Vec<f32>, String> {
        let fits = |width: u32, height: u32| {
            ensure!([width, height] == size, "is {width}x{height}, the grid is {}x{}", size[0], size[1]);
            Ok(())
        };
        let array = grey::read(&self.0.join(name), fits).map_err(|error| format!("{error:#}"))?;
        Ok(array.values)
    }

    fn array(&mut self, name: &str, size: [u32; 2]) -> Result<Vec<f32>, String> {
        let path = self.0.join(name);
        let (array, _) = npy::read_any(&path).map_err(|error| format!("{error:#}"))?;
        let [width, height] = size.map(|side| side as usize);
        if (array.width, array.height, array.components) != (width, height, 1) {
            let found = format!("{} x {} x {}", array.height, array.width, array.components);
            return Err(format!(
                "{}: has {found} numbers, the grid has {height} x {width} nodes",
                shown(&path)
            ));
        }
        Ok(array.values)
    }
}

/// Writes all that is needed to go on.
///
/// # Errors
/// Those of the file.
pub fn save(path: &Path, name: &str, simulation: &Simulation) -> Result<()> {
    state::write(path, &equations::state(name, simulation)?)
}

/// Reads it again.
///
/// # Errors
/// Another file; fields of other names or sizes; what is no finite number.
pub fn load(path: &Path, equations: &Equations) -> Result<Saved> {
    equations::saved(&state::read(path)?, equations).map_err(|error| named(path, error))
}

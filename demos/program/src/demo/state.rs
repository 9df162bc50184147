//! States as `.npz` files.

use std::path::Path;

use anyhow::Result;
use quadrille_gallery::demo::named;
use quadrille_gallery::state::State;

use crate::files::npz;

/// Writes a state.
///
/// # Errors
/// Those of [`npz::write`].
pub fn write(path: &Path, state: &State) -> Result<()> {
    npz::write(path, &state.named())
}

/// Reads a state.
///
/// # Errors
/// Those of [`npz::read`]; a file without a demo or a step.
pub fn read(path: &Path) -> Result<State> {
    State::of_named(npz::read(path)?).map_err(|error| named(path, error))
}

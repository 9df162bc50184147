//! The costs of products on this driver, measured once by `quadrille bench costs` and kept in a file.
//!
//! `solve --storage auto` and the layout of a gather matrix go by the file where there is one and by structure alone where
//! there is none: a choice changes when somebody measures, never by itself.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow};
use quadrille::Gpu;
use quadrille::linalg::DriverCosts;
use serde_json::{Map, Value};

use crate::files::{atomic, named, state_folder};

/// The JSON of a file of costs.
pub fn json(costs: &DriverCosts) -> Value {
    let mut object = Map::new();
    let mut put = |name: &str, value: Option<f64>| object.insert(name.to_owned(), value.into());
    put("pass_ns", Some(costs.pass));
    put("fetch_ns", Some(costs.fetch));
    put("texel_ns", Some(costs.texel));
    put("copy_ns", Some(costs.copy));
    put("packed_ns", Some(costs.packed));
    put("banded_ns", Some(costs.banded));
    put("far_banded_ns", Some(costs.far_banded));
    put("dense_ns", Some(costs.dense));
    put("points_ns", costs.points);
    object.insert("width".to_owned(), costs.width.into());
    Value::Object(object)
}

fn read(text: &str) -> Result<DriverCosts> {
    let value: Value = serde_json::from_str(text)?;
    let optional = |name: &str| match &value[name] {
        Value::Null => Ok(None),
        Value::Number(number) => match number.as_f64() {
            Some(number) if number >= 0.0 => Ok(Some(number)),
            _ => Err(anyhow!("{name} is {number}, expected a number of 0 or more")),
        },
        other => Err(anyhow!("{name} is {other}, expected a number of 0 or more")),
    };
    let number = |name: &str| optional(name)?.with_context(|| format!("{name} is missing"));
    Ok(DriverCosts {
        pass: number("pass_ns")?,
        fetch: number("fetch_ns")?,
        texel: number("texel_ns")?,
        copy: number("copy_ns")?,
        packed: number("packed_ns")?,
        banded: number("banded_ns")?,
        far_banded: number("far_banded_ns")?,
        dense: number("dense_ns")?,
        points: optional("points_ns")?,
        width: optional("width")?.map(|width| width as u32),
    })
}

/// Costs and the file that they are kept in.
pub struct Kept {
    pub costs: DriverCosts,
    pub path: PathBuf,
}

impl Kept {
    /// The costs of this driver, if somebody measured them. Under the limits of an old card there are none: its passes are
    /// not the driver's.
    ///
    /// # Errors
    /// A file that is there and cannot be read or understood.
    pub fn of(gpu: &Gpu) -> Result<Option<Kept>> {
        let Some(path) = path(gpu) else { return Ok(None) };
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(named(&path, error)),
        };
        let costs = read(&text).map_err(|error| named(&path, error))?;
        Ok(Some(Kept { costs, path }))
    }

    /// Writes costs to the [`place`] of their driver.
    ///
    /// # Errors
    /// Those of [`atomic::write`].
    pub fn keep(path: PathBuf, costs: DriverCosts) -> Result<Kept> {
        atomic::write(&path, |file| Ok(writeln!(file, "{:#}", json(&costs))?))?;
        Ok(Kept { costs, path })
    }
}

/// Where the costs of this driver can be written: asked before they are measured.
///
/// # Errors
/// No folder for it, or none that can be written to.
pub fn place(gpu: &Gpu) -> Result<PathBuf> {
    let path = path(gpu).context("there is no folder to keep costs in: HOME is not set")?;
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| named(folder, error))?;
    }
    atomic::check(&path)?;
    Ok(path)
}

/// Returns true if the limits in force are the driver's own.
pub fn own_limits(gpu: &Gpu) -> bool {
    gpu.limits() == gpu.driver_limits()
}

/// Where the costs of a driver are kept: a file for each renderer, version and dialect.
fn path(gpu: &Gpu) -> Option<PathBuf> {
    let driver = gpu.driver();
    let api = if driver.embedded { "gles" } else { "gl" };
    let name = format!("{} {} {api}", driver.renderer, driver.version).to_lowercase();
    let words: Vec<&str> =
        name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let file = state_folder()?.join("costs").join(format!("{}.json", words.join("-")));
    own_limits(gpu).then_some(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    const COSTS: DriverCosts = DriverCosts {
        pass: 5000.0,
        fetch: 0.05,
        texel: 0.25,
        copy: 0.1,
        packed: 0.02,
        banded: 0.025,
        far_banded: 0.08,
        dense: 0.01,
        points: None,
        width: Some(64),
    };

    #[test]
    fn costs_are_read_as_they_were_written() -> Result<()> {
        assert_eq!(read(&json(&COSTS).to_string())?, COSTS);
        let blended = DriverCosts { points: Some(10.0), width: None, ..COSTS };
        assert_eq!(read(&json(&blended).to_string())?, blended);
        assert_eq!(COSTS.of_gather().pass, 100_000.0);
        Ok(())
    }

    #[test]
    fn what_are_no_costs_is_refused_by_name() {
        let refused = |text: &str| read(text).err().map(|error| error.to_string());
        assert_eq!(refused("{}").as_deref(), Some("pass_ns is missing"));
        let text = json(&COSTS).to_string().replace("5000.0", "-1");
        assert_eq!(refused(&text).as_deref(), Some("pass_ns is -1, expected a number of 0 or more"));
        assert!(refused("nonsense").is_some());
    }
}

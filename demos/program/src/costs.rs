//! The costs of products on this driver and the floors of its GPU, measured once by `quadrille bench costs` and kept in a file.
//!
//! `solve --storage auto` and the layout of a gather matrix go by the file where there is one and by structure alone where
//! there is none: a choice changes when somebody measures, never by itself. `trace` takes the floors before those of its own table.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use quadrille::Gpu;
use quadrille::linalg::DriverCosts;
use quadrille::trace::Card;
use serde_json::{Map, Value, json};

use crate::files::{atomic, named, shown, state_folder};
use crate::output;

/// The JSON of a file of costs.
fn json_of(costs: &DriverCosts, floors: &Floors) -> Value {
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
    object.insert("floors".to_owned(), floors.json());
    Value::Object(object)
}

/// A number of an object that may be missing.
fn optional(object: &Value, name: &str) -> Result<Option<f64>> {
    match &object[name] {
        Value::Null => Ok(None),
        Value::Number(number) => match number.as_f64() {
            Some(number) if number >= 0.0 => Ok(Some(number)),
            _ => Err(anyhow!("{name} is {number}, expected a number of 0 or more")),
        },
        other => Err(anyhow!("{name} is {other}, expected a number of 0 or more")),
    }
}

/// The floors of a [`Card`], without its name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floors {
    pass_ns: f64,
    written: f64,
    fetches: f64,
    fetched: f64,
    bytes: f64,
}

impl Floors {
    pub fn of(card: &Card) -> Floors {
        let Card { pass, written, fetches, fetched, bytes, .. } = *card;
        Floors { pass_ns: 1e9 * pass, written, fetches, fetched, bytes }
    }

    /// The quicker of both in everything.
    pub fn or_quicker(self, other: &Floors) -> Floors {
        Floors {
            pass_ns: self.pass_ns.min(other.pass_ns),
            written: self.written.max(other.written),
            fetches: self.fetches.max(other.fetches),
            fetched: self.fetched.max(other.fetched),
            bytes: self.bytes.max(other.bytes),
        }
    }

    pub fn json(&self) -> Value {
        json!({
            "pass_ns": self.pass_ns,
            "written_bytes_per_s": self.written,
            "fetches_per_s": self.fetches,
            "fetched_bytes_per_s": self.fetched,
            "moved_bytes_per_s": self.bytes,
        })
    }

    /// Reads what [`Floors::json`] wrote.
    ///
    /// # Errors
    /// The first number that is missing or none.
    pub fn read(value: &Value) -> Result<Floors> {
        let number = |name: &str| optional(value, name)?.with_context(|| format!("{name} is missing"));
        let rate = |name: &str| match number(name)? {
            0.0 => Err(anyhow!("{name} is 0, expected more")),
            rate => Ok(rate),
        };
        Ok(Floors {
            pass_ns: number("pass_ns")?,
            written: rate("written_bytes_per_s")?,
            fetches: rate("fetches_per_s")?,
            fetched: rate("fetched_bytes_per_s")?,
            bytes: rate("moved_bytes_per_s")?,
        })
    }

    fn card(&self, gpu: &Gpu) -> Card {
        let Floors { pass_ns, written, fetches, fetched, bytes } = *self;
        let driver = gpu.driver();
        Card {
            name: driver.renderer.clone().into(),
            pass: 1e-9 * pass_ns,
            written,
            fetches,
            fetched,
            bytes,
            source: format!("measured on this machine by quadrille bench costs, through {}", driver.version)
                .into(),
        }
    }
}

/// The costs, and the floors, which files that were written before them lack.
fn read(text: &str) -> Result<(DriverCosts, Option<Floors>)> {
    let value: Value = serde_json::from_str(text)?;
    let optional = |name: &str| optional(&value, name);
    let number = |name: &str| optional(name)?.with_context(|| format!("{name} is missing"));
    let costs = DriverCosts {
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
    };
    let floors = match &value["floors"] {
        Value::Null => None,
        floors => Some(Floors::read(floors).context("floors")?),
    };
    Ok((costs, floors))
}

/// Costs, floors and the file that they are kept in.
pub struct Kept {
    pub costs: DriverCosts,
    pub floors: Option<Floors>,
    pub path: PathBuf,
}

impl Kept {
    /// Reads what somebody measured of this driver.
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
        let (costs, floors) = read(&text).map_err(|error| named(&path, error))?;
        Ok(Some(Kept { costs, floors, path }))
    }
}

/// Writes costs and floors to the [`place`] of their driver, and returns the JSON that is there now.
///
/// # Errors
/// Those of [`atomic::write`].
pub fn keep(path: &Path, costs: &DriverCosts, floors: &Floors) -> Result<Value> {
    let json = json_of(costs, floors);
    atomic::write(path, |file| Ok(writeln!(file, "{json:#}")?))?;
    Ok(json)
}

/// The floors of this driver's GPU that were kept. Those that cannot be read are done without.
pub fn floors(gpu: &Gpu) -> Option<Card> {
    let kept = Kept::of(gpu).unwrap_or_else(|error| {
        let remedy = "the floors are those of the driver's name; measure anew with `quadrille bench costs`, or remove the file";
        output::complain(&format!("warning: {error:#}: {remedy}"));
        None
    })?;
    if kept.floors.is_none() {
        let file = shown(&kept.path);
        output::complain(&format!(
            "warning: {file}: no floors of this GPU; `quadrille bench costs` measures them, too"
        ));
    }
    kept.floors.map(|floors| floors.card(gpu))
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
    Some(state_folder()?.join("costs").join(format!("{}.json", words.join("-"))))
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

    const FLOORS: Floors =
        Floors { pass_ns: 3000.0, written: 16e9, fetches: 2e9, fetched: 32e9, bytes: 28e9 };

    #[test]
    fn costs_are_read_as_they_were_written() -> Result<()> {
        assert_eq!(read(&json_of(&COSTS, &FLOORS).to_string())?, (COSTS, Some(FLOORS)));
        let blended = DriverCosts { points: Some(10.0), width: None, ..COSTS };
        assert_eq!(read(&json_of(&blended, &FLOORS).to_string())?, (blended, Some(FLOORS)));
        assert_eq!(COSTS.of_gather().pass, 100_000.0);
        Ok(())
    }

    #[test]
    fn what_are_no_costs_is_refused_by_name() {
        let refused = |text: &str| read(text).err().map(|error| error.to_string());
        assert_eq!(refused("{}").as_deref(), Some("pass_ns is missing"));
        let text = json_of(&COSTS, &FLOORS).to_string().replace("5000.0", "-1");
        assert_eq!(refused(&text).as_deref(), Some("pass_ns is -1, expected a number of 0 or more"));
        assert!(refused("nonsense").is_some());
    }

    #[test]
    fn a_file_from_before_the_floors_has_costs_alone() -> Result<()> {
        let mut old = json_of(&COSTS, &FLOORS);
        old["floors"] = Value::Null;
        assert_eq!(read(&old.to_string())?, (COSTS, None));
        for (wrong, line) in [
            (json!({ "pass_ns": 1.0 }), "floors: written_bytes_per_s is missing"),
            (json!({ "pass_ns": "1" }), "floors: pass_ns is \"1\", expected a number of 0 or more"),
            (json!(7), "floors: pass_ns is missing"),
            (
                json!({ "pass_ns": 0, "written_bytes_per_s": 0 }),
                "floors: written_bytes_per_s is 0, expected more",
            ),
        ] {
            old["floors"] = wrong;
            assert_eq!(read(&old.to_string()).err().map(|error| format!("{error:#}")).as_deref(), Some(line));
        }
        Ok(())
    }

    /// A GPU is as quick as it was in its quicker half: that of llvmpipe's threads, or that without them.
    #[test]
    fn of_two_measurements_the_quicker_counts() {
        let other = Floors { pass_ns: 50_000.0, written: 20e9, fetches: 1e9, fetched: 40e9, bytes: 10e9 };
        let both = Floors { written: 20e9, fetched: 40e9, ..FLOORS };
        assert_eq!((FLOORS.or_quicker(&other), other.or_quicker(&FLOORS)), (both, both));
    }
}

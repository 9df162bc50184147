//! `quadrille trace --compare`: the first pass at which two runs part.

use std::path::Path;

use anyhow::{Result, anyhow, bail};
use serde_json::Value;

use super::passes;
use crate::files::{named, shown};
use crate::output;

/// The passes of a file: number, kernel, scopes, outputs with their hashes.
struct Passes {
    trace: Value,
    path: String,
}

/// Where a page holds its trace.
const INSIDE: (&str, &str) = ("id=\"trace\">", "</script>");

/// The trace of a file of `--json`, or of a page.
pub fn read(path: &Path) -> Result<Value> {
    let bytes = std::fs::read(path).map_err(|error| named(path, error))?;
    let text = String::from_utf8_lossy(&bytes);
    let inside = text.split_once(INSIDE.0).and_then(|(_, rest)| rest.split_once(INSIDE.1));
    let trace: Value = match inside.filter(|_| !text.starts_with('{')) {
        Some((trace, _)) => serde_json::from_str(&trace.replace("<\\/", "</")),
        None => serde_json::from_str(&text),
    }
    .map_err(|_| not_a_trace(path))?;
    match trace["quadrille_trace"] == 1 && trace["steps"].is_array() && trace["images"].is_array() {
        true => Ok(trace),
        false => Err(not_a_trace(path)),
    }
}

fn not_a_trace(path: &Path) -> anyhow::Error {
    anyhow!("{}: expected a file that quadrille trace wrote by --json or --page", shown(path))
}

impl Passes {
    fn read(path: &Path) -> Result<Passes> {
        Ok(Passes { trace: read(path)?, path: shown(path).to_string() })
    }

    fn each(&self) -> impl Iterator<Item = &Value> {
        self.trace["steps"].as_array().into_iter().flatten().filter(|step| step["what"] == "pass")
    }

    fn item(&self, list: &str, place: &Value) -> &Value {
        let place = place.as_u64().and_then(|place| usize::try_from(place).ok());
        place.map_or(&Value::Null, |place| &self.trace[list][place])
    }

    fn kernel(&self, pass: &Value) -> &Value {
        &self.item("kernels", &pass["kernel"])["name"]
    }

    fn outputs<'a>(&'a self, pass: &'a Value) -> impl Iterator<Item = &'a Value> {
        pass["targets"].as_array().into_iter().flatten().map(|image| self.item("images", image))
    }

    /// "pass 17, sim/x.frag (step / pressure)".
    fn name(&self, pass: &Value) -> String {
        let mut names = Vec::new();
        let mut scope = pass["scope"].as_u64().unwrap_or(0);
        while scope > 0 {
            let item = self.item("scopes", &scope.into());
            names.push(item["name"].as_str().unwrap_or("?").to_owned());
            // A scope lies in one before it: a file that says otherwise ends the walk.
            scope = item["parent"].as_u64().filter(|parent| *parent < scope).unwrap_or(0);
        }
        names.reverse();
        let kernel = self.kernel(pass).as_str().unwrap_or("?");
        format!("pass {}, {} ({})", pass["number"], shown(kernel), shown(names.join(" / ")))
    }
}

/// Compares passes in order, by kernel and by the hash of each output.
pub fn run(one: &Path, other: &Path) -> Result<()> {
    let (one, other) = (Passes::read(one)?, Passes::read(other)?);
    let mut count = 0_u64;
    let (mut left, mut right) = (one.each(), other.each());
    loop {
        let (a, b) = match (left.next(), right.next()) {
            (None, None) => break,
            (Some(a), Some(b)) => (a, b),
            (a, _) => {
                let longer = if a.is_some() { &one } else { &other };
                let passes = passes(count);
                bail!("the first {passes} are alike, then only {} goes on", longer.path);
            }
        };
        count += 1;
        if one.kernel(a) != other.kernel(b) {
            bail!("{}: {}, and {}: {}: other kernels", one.path, one.name(a), other.path, other.name(b));
        }
        for (place, (p, q)) in one.outputs(a).zip(other.outputs(b)).enumerate() {
            let without = [(&one, p), (&other, q)].into_iter().find(|(_, image)| !image["hash"].is_string());
            if let Some((passes, _)) = without {
                return Err(anyhow!("{}: {}: its outputs were not read", passes.path, passes.name(a)));
            }
            if p["hash"] != q["hash"] {
                let name = &one.item("kernels", &a["kernel"])["outputs"][place];
                let name = name.as_str().map_or_else(|| place.to_string(), shown);
                let same_inputs = one.inputs(a) == other.inputs(b);
                let inputs = if same_inputs {
                    "of the same inputs"
                } else {
                    "and so do its inputs, made by no pass of these"
                };
                bail!(
                    "{}: {name} differs, {inputs}: ranges {} and {}",
                    one.name(a),
                    p["ranges"],
                    q["ranges"]
                );
            }
        }
    }
    output::say(&format!("all {} have the same outputs", passes(count)))
}

impl Passes {
    fn inputs(&self, pass: &Value) -> Vec<&Value> {
        let streams = pass["streams"].as_array().into_iter().flatten();
        streams.map(|stream| &self.item("images", &stream["image"])["hash"]).collect()
    }
}

//! The report of the formats: errors, as lines, JSON, numbers and a plot.

use std::fmt::Write;

use anyhow::Result;
use quadrille::pug::Precision;
use quadrille::sim::formats::{Count, Counter, FORMATS, Look};
use serde_json::{Map, Value as Json, json};

use super::STYLES;
use super::subject::{Subject, SubjectName};
use crate::plot::{Curve, Plot};

/// Errors over the steps as comma-separated values: root mean square and largest of each format.
pub fn history(looks: &[Look]) -> Result<String> {
    let mut text = String::new();
    let names = FORMATS.map(|format| format!("{0}_rms,{0}_largest", column(format.name())));
    writeln!(text, "step,{}", names.join(","))?;
    for look in looks {
        let misses = look.misses.map(|miss| format!("{:e},{:e}", miss.rms, miss.max));
        writeln!(text, "{},{}", look.steps, misses.join(","))?;
    }
    Ok(text)
}

/// A name as the column of a table has it: 24-bit (ATI) is 24_bit_ati.
fn column(name: &str) -> String {
    let words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("_").to_lowercase()
}

/// The root mean square of each format at each look.
pub fn points(looks: &[Look], format: usize) -> Vec<(f64, f64)> {
    looks.iter().map(|look| (look.steps as f64, look.misses[format].rms)).collect()
}

/// The same as curves of the root mean square.
pub fn plot(subject: &Subject, looks: &[Look]) -> Plot {
    let what = match subject {
        Subject::Comparison { what: SubjectName::GrayScott, .. } => "Gray-Scott",
        Subject::Comparison { what: SubjectName::Wave, .. } => "explicit wave",
        Subject::Comparison { .. } => "four planets",
        Subject::Counter(_) => "counters",
    };
    let curve = |(format, (colour, width)): (usize, ([u8; 3], u32))| {
        let name = FORMATS[format].name();
        Curve { name, colour, width, points: points(looks, format) }
    };
    Plot {
        title: format!("{what}: number formats against f64"),
        over: "step",
        measure: "error, root mean square".to_owned(),
        curves: STYLES.into_iter().enumerate().map(curve).collect(),
        bound: None,
    }
}

/// The numbers of all counters, of those that have stopped, and of those that began past the format's last whole number, where none counts.
struct Split {
    all: usize,
    stopped: usize,
    past: usize,
}

impl Split {
    fn of(count: &Count, format: Precision) -> Split {
        let starts = Counter::starts();
        let last = format.whole_numbers() as f32;
        let past = starts.iter().filter(|&&start| start > last).count();
        Split { all: starts.len(), stopped: starts.len() - past - count.right, past }
    }
}

/// The way in which the driver stores 16-bit numbers of NVIDIA's kind.
fn stores(to_nearest: bool) -> &'static str {
    if to_nearest { "rounded to nearest" } else { "chopped" }
}

/// The error of each format against f64 now, or where its counters stop.
pub fn findings(subject: &Subject, to_nearest: bool) -> Result<Json> {
    let mut formats = Map::new();
    match subject {
        Subject::Counter(counter) => {
            for (count, format) in counter.look()?.iter().zip(FORMATS) {
                let Split { all, stopped, past } = Split::of(count, format);
                let found = json!({
                    "from_0": count.counted[0], "counters": all, "counting": count.right, "stopped": stopped,
                    "stopped_at": count.stopped, "began_past": past, "last_whole_number": format.whole_numbers()
                });
                formats.insert(format.name().to_owned(), found);
            }
        }
        Subject::Comparison { comparison, .. } => {
            for (miss, format) in comparison.measure()?.misses.iter().zip(FORMATS) {
                formats.insert(format.name().to_owned(), json!({ "rms": miss.rms, "largest": miss.max }));
            }
        }
    }
    Ok(json!({ "formats": formats, "driver_stores_16_bit": stores(to_nearest) }))
}

/// The same for a reader.
pub fn lines(subject: &Subject, to_nearest: bool) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    match subject {
        Subject::Counter(counter) => {
            for (count, format) in counter.look()?.iter().zip(FORMATS) {
                let (Split { all, stopped, past }, right) = (Split::of(count, format), count.right);
                let at = count.stopped.map_or(String::new(), |last| format!(" (at {last})"));
                let past =
                    format!("{past} began past {}, which whole numbers end at", format.whole_numbers());
                let name = format.name();
                lines.push(format!("{name:16} {right:2} of {all} count, {stopped} stopped{at}, {past}"));
            }
        }
        Subject::Comparison { comparison, .. } => {
            for (miss, format) in comparison.measure()?.misses.iter().zip(FORMATS) {
                let (name, rms, max) = (format.name(), miss.rms, miss.max);
                lines.push(format!("{name:16} error against f64: {rms:.2e} rms, {max:.2e} at most"));
            }
        }
    }
    lines.push(format!("this driver's 16-bit stores are {}", stores(to_nearest)));
    Ok(lines)
}

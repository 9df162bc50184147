//! The figures as a table and as JSON.

use comfy_table::{CellAlignment, Table, presets};
use serde_json::{Map, Value, json};

use super::interleave::Figure;
use super::row::{Bench, Measured};
use super::{feedback, fluids, intensity};

/// The card of Table 44-1.
const PAPER_CARD: &str = "GeForce 6800 GT, 2005";

/// The figures, a row a line, under the driver's name.
pub fn table(bench: &Bench, rows: &[Measured]) -> String {
    let gpu_times = rows.iter().any(|measured| measured.timing.gpu.is_some());
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    let two_sides = rows.iter().any(|measured| !measured.timing.wall.bare.is_nan());
    let card = rows.iter().any(|measured| measured.row.paper_ms.is_some());
    let sides = if two_sides { 3 } else { 1 };
    let mut header = vec!["", ""];
    header.extend(&["library", "bare", "ratio"][..sides]);
    if gpu_times {
        header.extend(&["GPU library", "GPU bare", "GPU ratio"][..sides]);
    }
    header.extend(card.then_some("6800 GT").into_iter().chain([""]));
    table.set_header(&header);
    for measured in rows {
        let row = &measured.row;
        let mut cells = vec![row.name.clone(), row.size.clone()];
        cells.extend(figures(Some(measured.figure())).into_iter().take(sides));
        if gpu_times {
            cells.extend(figures(measured.timing.gpu.filter(|_| !row.submission)).into_iter().take(sides));
        }
        cells.extend(card.then(|| row.paper_ms.map_or(String::new(), |ms| format!("{ms:.2} ms"))));
        cells.push(note(measured));
        table.add_row(cells);
    }
    for column in table.column_iter_mut().skip(2).take(header.len() - 3) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let driver = bench.gpu.driver();
    let mut lines = vec![format!("{}; {}", driver.renderer, driver.version)];
    let turns = if two_sides { ", the two sides taking turns" } else { "" };
    lines.push(format!("medians of {} rounds{turns}", bench.rounds));
    lines.push(table.trim_fmt());
    lines.extend(closing(rows));
    lines.join("\n")
}

/// Library, bare, ratio; empty where there is nothing.
fn figures(figure: Option<Figure>) -> [String; 3] {
    let cells = |f: Figure| match f.bare.is_nan() {
        true => [duration(f.library), String::new(), String::new()],
        false => [duration(f.library), duration(f.bare), format!("{:.3}", f.ratio)],
    };
    figure.map_or(Default::default(), cells)
}

fn duration(milliseconds: f64) -> String {
    match milliseconds {
        ms if ms < 0.1 => format!("{:.2} µs", ms * 1e3),
        ms if ms < 10.0 => format!("{ms:.3} ms"),
        ms => format!("{ms:.1} ms"),
    }
}

/// The note of a row: rate a second, the meaning of "bare" where it differs, figures of others.
fn note(measured: &Measured) -> String {
    let Figure { library, bare, .. } = measured.figure();
    let mut said = Vec::new();
    for (amount, what) in measured.row.counted.into_iter().chain(measured.row.also) {
        said.push(format!("{} {what}/s", count(amount * 1e3 / library)));
        if !bare.is_nan() {
            said.push(format!("bare {}", count(amount * 1e3 / bare)));
        }
    }
    said.extend(measured.timing.said.clone());
    said.extend(measured.row.remark.map(str::to_owned));
    said.extend(measured.timing.beside.iter().map(|(name, ms)| format!("{name} {}", duration(*ms))));
    said.join("; ")
}

/// Three digits, or all of a number that has more.
fn count(number: f64) -> String {
    if number < 100.0 { format!("{number:.1}") } else { format!("{number:.0}") }
}

/// The closing lines that follow from several rows.
fn closing(rows: &[Measured]) -> Vec<String> {
    let mut lines = Vec::new();
    if rows.iter().flat_map(|measured| &measured.timing.beside).any(|(name, _)| name.starts_with("loop")) {
        lines.push("loop: plain loops on the CPU, on one thread unless it says on how many; ndarray: that library there.".into());
    }
    lines.extend(fluids::closing(rows));
    if let Some((library, bare)) = intensity::ridge(rows) {
        let at = |ridge: Option<u32>| ridge.map_or("more than 256".to_owned(), |k| k.to_string());
        lines.push(format!(
            "A pass takes half as long again at {} multiply-adds a word (bare: {}).",
            at(library),
            at(bare)
        ));
    }
    if let Some((library, bare)) = feedback::cost(rows) {
        lines.push(format!(
            "Feedback by copy to texture takes {library:.2} times as long as by render to texture (bare: {bare:.2})."
        ));
    }
    lines
}

/// The same as one JSON object.
pub fn json(bench: &Bench, rows: &[Measured]) -> String {
    let driver = bench.gpu.driver();
    let mut report = json!({
        "renderer": driver.renderer,
        "version": driver.version,
        "api": if driver.embedded { "gles" } else { "gl" },
        "rounds": bench.rounds,
        "rows": rows.iter().map(row).collect::<Vec<Value>>(),
    });
    if let Some((library, bare)) = intensity::ridge(rows) {
        report["ridge"] = json!({ "library": library, "bare": bare });
    }
    if let Some((library, bare)) = feedback::cost(rows) {
        report["copy_over_render"] = json!({ "library": rounded(library), "bare": rounded(bare) });
    }
    let lines = fluids::closing(rows);
    if !lines.is_empty() {
        report["fluids"] = json!(lines);
    }
    format!("{report:#}")
}

/// Six digits behind the point: nanoseconds.
fn rounded(value: f64) -> Value {
    json!((value * 1e6).round() / 1e6)
}

fn row(measured: &Measured) -> Value {
    let row = &measured.row;
    let figure = measured.figure();
    let mut object = Map::new();
    let mut put = |name: &str, value: Value| object.insert(name.to_owned(), value);
    put("name", json!(row.name));
    put("size", json!(row.size));
    put("library_ms", rounded(figure.library));
    if !figure.bare.is_nan() {
        put("bare_ms", rounded(figure.bare));
        put("ratio", rounded(figure.ratio));
    }
    if let Some(gpu) = measured.timing.gpu.filter(|_| !row.submission) {
        put("gpu_library_ms", rounded(gpu.library));
        if !gpu.bare.is_nan() {
            put("gpu_bare_ms", rounded(gpu.bare));
            put("gpu_ratio", rounded(gpu.ratio));
        }
    }
    if let Some(ms) = row.paper_ms {
        put("paper_ms", rounded(ms));
        put("paper_card", json!(PAPER_CARD));
    }
    if !measured.timing.beside.is_empty() {
        let others = measured.timing.beside.iter().map(|(name, ms)| (format!("{name}_ms"), rounded(*ms)));
        put("beside", Value::Object(others.collect()));
    }
    put("note", json!(note(measured)));
    Value::Object(object)
}

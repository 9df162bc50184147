//! `quadrille info`: the driver, its limits, and what tests of it found.

use anyhow::Result;
use comfy_table::{Table, presets};
use quadrille::gl::{self, Driver, Limits, Probes};
use serde_json::{Value, json};

use crate::cli::InfoArguments;
use crate::output;

pub fn run(arguments: &InfoArguments) -> Result<()> {
    let gpu = arguments.context.headless()?;
    let report = json!({
        "devices": gl::devices()?,
        "driver": driver(gpu.driver()),
        "limits": limits(gpu.limits()),
        "probes": probes(gpu.probes()?),
    });
    if arguments.json {
        return output::say(&format!("{report:#}"));
    }
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    for (section, values) in report.as_object().into_iter().flatten() {
        table.add_row([section.as_str(), ""]);
        let named =
            values.as_object().into_iter().flatten().map(|(name, value)| (name.replace('_', " "), value));
        for (name, value) in named {
            table.add_row([format!("  {name}"), words(value)]);
        }
        for value in values.as_array().into_iter().flatten() {
            table.add_row([format!("  {}", words(value)), String::new()]);
        }
    }
    output::say(&table.trim_fmt())
}

/// A value as a person reads it.
fn words(value: &Value) -> String {
    match value {
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Null => "none met".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn driver(driver: &Driver) -> Value {
    let Driver {
        renderer,
        vendor,
        version,
        glsl,
        by,
        device,
        embedded,
        float_render,
        subpixel_bits,
        timers,
        parallel_compile,
        ..
    } = driver;
    json!({
        "renderer": renderer,
        "vendor": vendor,
        "version": version,
        "glsl": glsl,
        "opened_by": by.unwrap_or("somebody else"),
        "device": device.as_deref().unwrap_or("none to choose"),
        "embedded": embedded,
        "float_render": float_render,
        "subpixel_bits": subpixel_bits,
        "timers": timers,
        "parallel_compile": parallel_compile,
        "fault": driver.fault(),
    })
}

fn limits(limits: &Limits) -> Value {
    json!({
        "of": limits.name,
        "texture_size": limits.texture_size,
        "streams": limits.streams,
        "vertex_streams": limits.vertex_streams,
        "targets": limits.targets,
        "fetches": limits.fetches,
        "dependent_fetches": limits.dependent_fetches,
        "instructions": limits.instructions,
        "loop_iterations": limits.loop_iterations,
        "float_blend": limits.float_blend,
        "float_filter": limits.float_filter,
    })
}

fn probes(probes: &Probes) -> Value {
    json!({
        "loop_cap": probes.loop_cap,
        "exact_addressing": probes.exact_addressing,
        "highp": probes.highp,
        "infinity": probes.infinity,
        "nan": probes.nan,
        "denormals": probes.denormals,
        "fused_multiply_add": probes.fused_multiply_add,
        "double_single": probes.double_single,
    })
}

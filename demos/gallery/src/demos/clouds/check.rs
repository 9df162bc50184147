//! A state against what must hold of it.

use anyhow::Result;
use quadrille::sim::clouds::physics::{exner, saturation};
use quadrille::sim::clouds::{Clouds, STATE, Scene};
use serde_json::{Value as Json, json};

use super::CloudsDemo;
use crate::demo::Measure;
use crate::state::{Array, worst};

/// The share of vapour and cloud water that may be missing.
const WATER: f64 = 1e-3;

/// The part that rounding and exp() in 32 bits leave beyond saturation: ten times what llvmpipe leaves.
const SATURATION: f64 = 1e-4;

/// How far clouds may begin from the condensation level of the air at the ground, in cells: the median of that many looks or
/// more. At a single one there may be nothing but what is left of a cloud, far above.
const BASE: f64 = 2.0;
const LOOKS: usize = 5;

/// The part of the ground's warmth that may be missing beyond rounding.
const WARMTH: f64 = 0.02;

/// Air at rest, m/s.
const REST: f64 = 1e-4;

/// Measures a state against what must hold of it.
pub fn measures(demo: &CloudsDemo, before: &Array) -> Result<Vec<Measure>> {
    let clouds = &demo.clouds;
    let parameters = clouds.parameters();
    let mut measures =
        vec![Measure { name: "vapour beyond saturation", error: beyond(clouds)?, bound: SATURATION }];
    if parameters.keep_water {
        let error = clouds.water_total()?.lost().abs();
        measures.push(Measure { name: "water lost", error, bound: WATER });
    }
    measures.extend(warmed(clouds, before)?);
    let mut offs = demo.offs.borrow_mut();
    offs.extend(clouds.survey()?.base_off(clouds.setting()));
    offs.sort_by(f64::total_cmp);
    if offs.len() >= LOOKS {
        let name = "median of cells from cloud base to condensation level";
        measures.push(Measure { name, error: offs[offs.len() / 2].abs(), bound: BASE });
    }
    // Evaporation from the ground moves the air, too: vapour is lighter.
    let gives = parameters.heat != 0.0 || parameters.evaporation.is_some_and(|given| given != 0.0);
    let calm = parameters.wind == 0.0 && !gives && demo.loaded.is_none() && !demo.touched;
    if demo.scene == Scene::Stable && calm {
        measures.push(Measure { name: "speed at rest", error: clouds.survey()?.fastest, bound: REST });
    }
    Ok(measures)
}

/// How far the warmth of a step is from what the ground gave it and renewal took, as a part of what it gave: Σ θ' − Σ θ − Σ given −
/// r (Σ θ₀ − Σ θ), of air without a cloud, whose heat is kept. Each of n cells is rounded some times by 2⁻²⁴ of its θ. `None`
/// where nothing is given or kept, or where there are clouds, whose warmth goes by the height at which they form.
fn warmed(clouds: &Clouds, before: &Array) -> Result<Option<Measure>> {
    let (setting, parameters) = (clouds.setting(), clouds.parameters());
    let [width, height] = setting.cells.map(|n| n as usize);
    let (columns, rows) = (before.width, before.height / STATE);
    let plane = |k: usize| &before.values[k * columns * rows..(k + 1) * columns * rows];
    let cells = |k: usize| {
        plane(k).chunks(columns).take(height).flat_map(|row| row[..width].iter().map(|&v| f64::from(v)))
    };
    let air = clouds.air().data()?;
    let giving: f64 = plane(2)[(rows - 1) * columns..][..width].iter().map(|&v| f64::from(v)).sum();
    let given = giving * parameters.given(setting)[0];
    let is_clear = cells(4).all(|q| q == 0.0) && air.chunks(4).all(|cell| cell[2] == 0.0);
    if !parameters.keep_water || given <= 0.0 || !is_clear {
        return Ok(None);
    }
    let at_rest = |row: u32| setting.air.at(setting.height_of(row)).theta - setting.theta();
    let rest: f64 = (0..setting.cells[1]).map(|row| width as f64 * at_rest(row)).sum();
    let (old, new): (f64, f64) = (cells(2).sum(), air.chunks(4).map(|cell| f64::from(cell[0])).sum());
    let mixed = f64::from(parameters.renewed()) * (rest - old);
    let error = (new - old - given - mixed).abs() / given;
    let rounding: f64 = cells(2).map(f64::abs).sum::<f64>() * 2f64.powi(-24) / given;
    Ok(Some(Measure {
        name: "warmth that the ground did not give, as a part of what it gave",
        error,
        bound: WARMTH + 4.0 * rounding,
    }))
}

/// The largest q_v/q_vs − 1 of a cell, 0 where none is beyond.
fn beyond(clouds: &Clouds) -> Result<f64> {
    let (setting, air) = (clouds.setting(), clouds.air().data()?);
    let (theta, width) = (setting.theta(), setting.cells[0] as usize);
    let pressures: Vec<f64> =
        (0..setting.cells[1]).map(|row| setting.air.pressure_at(setting.height_of(row))).collect();
    let excess = |(n, cell): (usize, &[f32])| {
        let pressure = pressures[n / width];
        let temperature = (theta + f64::from(cell[0])) * exner(pressure);
        f64::from(cell[1]) / saturation(temperature, pressure) - 1.0
    };
    Ok(worst(air.chunks(4).enumerate().map(excess)).max(0.0))
}

/// Cells that the fastest air may cross in a step: past them what is carried is not what was there, whatever the limiter does.
const CELLS_A_STEP: f64 = 4.0;

/// Says so where a step carries air too far.
pub fn too_far(clouds: &Clouds) -> Option<String> {
    let (survey, spacing) = (clouds.survey().ok()?, f64::from(clouds.setting().spacing));
    let time_step = clouds.parameters().time_step;
    let cells = survey.fastest * f64::from(time_step) / spacing;
    (cells.is_nan() || cells > CELLS_A_STEP).then(|| {
        let better = 0.5 * CELLS_A_STEP * spacing / survey.fastest;
        format!(
            "the fastest air, {:.1} m/s, crosses {cells:.1} cells in a step: --time-step is {time_step}, try {better:.2}",
            survey.fastest
        )
    })
}

/// The findings of the last state, by their names in a report.
pub fn findings(clouds: &Clouds) -> Result<Json> {
    let (survey, setting) = (clouds.survey()?, clouds.setting());
    Ok(json!({
        "time": clouds.time(),
        "fastest": survey.fastest,
        "updraught": survey.updraught,
        "vapour": survey.vapour,
        "cloud_water": survey.cloud,
        "densest": survey.densest,
        "cloud_base": survey.base,
        "cloud_top": survey.top,
        "condensation_level": survey.condensation_level,
        "base_off_cells": survey.base_off(setting),
        "water_lost": clouds.water_total()?.lost(),
        "water_lost_by_advection": clouds.lost_by_advection()?,
    }))
}

/// The same in lines.
pub fn remarks(clouds: &Clouds) -> Result<Vec<String>> {
    let (survey, setting) = (clouds.survey()?, clouds.setting());
    let metres = |height: Option<f64>| height.map_or("none".to_owned(), |z| format!("{z:.0} m"));
    let off = survey.base_off(setting).map_or(String::new(), |off| format!(", {off:+.1} cells from it"));
    let (base, level) = (metres(survey.base), metres(survey.condensation_level));
    let (lost, by_advection) = (clouds.water_total()?.lost(), clouds.lost_by_advection()?);
    let lost_or_made = |part: f64| format!("{:.1e} {}", part.abs(), if part < 0.0 { "made" } else { "lost" });
    let mut water = format!("{} of it", lost_or_made(lost));
    if let Some(more) = by_advection {
        water += &format!(", {} by advection before it was put back", lost_or_made(more));
    }
    Ok(vec![
        format!("cloud base {base}, condensation level of the air at the ground {level}{off}"),
        format!("{:.2} g/kg vapour and {:.4} g/kg cloud; {water}", 1e3 * survey.vapour, 1e3 * survey.cloud),
    ])
}

//! Clouds over a warm ground (row C12): the running example of chapter 31.

mod check;
mod panel;
mod start;

use std::cell::RefCell;

use anyhow::Result;
use quadrille::sim::clouds::{Clock, Clouds, Parameters, STATE, Scene, Setting};
use quadrille::view::Tint;
use quadrille::{Buffer, Gpu};
use serde_json::{Value, json};

use self::panel::Told;
use super::shown::{Coloured, Flat, Heavens, Shown, Touch};
use super::state::{Kept, Parts, State};
use super::{Measure, Simulation, short};
use crate::cli::CloudsShow;
use crate::files::Array;
use crate::files::npz::Named;

pub use start::chosen;

pub const NAME: &str = "clouds";

/// The flags that a state keeps.
pub const KEPT: &[Kept] = &[
    ("scene", ""),
    ("spacing", ""),
    ("walls", ""),
    ("time-step", ""),
    ("wind", ""),
    ("heat", "scene"),
    ("evaporation", "scene"),
    ("temperature", "scene"),
    ("humidity", "scene"),
    ("lapse", "scene"),
    ("confinement", ""),
    ("mixing", ""),
    ("renewal", ""),
    ("advection", ""),
    ("pressure", ""),
    ("lossy", ""),
];

/// Rows from the ground up; the last one has what a state has besides, as `--help` says.
const PARTS: Parts = Parts::Planes(&["u", "v", "theta", "vapour", "cloud_water", "pressure_velocity"]);

/// What the mouse gives the air under its middle for each time that it is seen there: K, and kg/kg.
const TOUCH: [f32; 2] = [0.25, 5e-4];

/// Seconds in which a day becomes a steady one.
const WHOLE_RUN: f32 = 3600.0;

struct Day {
    gpu: Gpu,
    /// What is shown of them may have to be computed first.
    clouds: RefCell<Clouds>,
    /// Nothing is solid: for pictures of numbers.
    open: Buffer,
    show: CloudsShow,
    /// What the ends of its colours stand for, times this.
    range: f32,
    scene: Scene,
    seed: u64,
    /// A state from a file, which a reset of that seed brings back.
    loaded: Option<Vec<f32>>,
    loaded_seed: u64,
    /// The mouse has warmed the air.
    touched: bool,
    /// The panel has put it back to a beginning.
    begun_anew: bool,
    /// How many cells the clouds' base was above the condensation level, at all looks of a check.
    offs: RefCell<Vec<f64>>,
    /// What the panel tells.
    told: Option<Told>,
}

impl Day {
    /// The same as it is shown.
    fn ends(&self) -> Option<([f32; 2], &'static str)> {
        ends(self.show).map(|(ends, unit)| (ends.map(|end| end * self.range), unit))
    }

    /// The same box on a day of another kind.
    fn set_scene(&mut self, scene: Scene) -> Result<()> {
        let (setting, parameters) = scene.start();
        let clouds = self.clouds.get_mut();
        let (old, now) = (*clouds.setting(), clouds.parameters());
        let setting = Setting { air: setting.air, ..old };
        let parameters = Parameters { heat: parameters.heat, evaporation: parameters.evaporation, ..now };
        *clouds = Clouds::new(&self.gpu, setting, parameters, self.seed)?;
        // What was loaded was another one.
        (self.scene, self.loaded, self.touched) = (scene, None, false);
        (self.told, self.begun_anew) = (None, true);
        Ok(())
    }
}

/// What the first and the last colour of a number stand for, and in what unit.
fn ends(show: CloudsShow) -> Option<([f32; 2], &'static str)> {
    match show {
        CloudsShow::Clouds => None,
        CloudsShow::Theta => Some(([-3.0, 3.0], "K")),
        CloudsShow::Vapour => Some(([0.0, 15.0], "g/kg")),
        CloudsShow::CloudWater => Some(([0.0, 2.0], "g/kg")),
        CloudsShow::Speed => Some(([0.0, 10.0], "m/s")),
        CloudsShow::Vorticity => Some(([-0.1, 0.1], "1/s")),
    }
}

impl Simulation for Day {
    fn name(&self) -> &'static str {
        NAME
    }

    fn size(&self) -> (String, &'static str) {
        let [width, height] = self.clouds.borrow().setting().cells;
        (format!("{width}x{height}"), "cells")
    }

    fn arrays(&self) -> Result<Vec<Named>> {
        Ok(PARTS.split(&self.state()?, [0; 3]))
    }

    /// Air of its own is said as its flags have it, in 32 bits; what the scene has is the scene's.
    fn values(&self) -> Result<Value> {
        let clouds = self.clouds.borrow();
        let (air, usual) = (clouds.setting().air, self.scene.start().0.air);
        let own = |now: f64, usual: f64, of_flag: f64| (now != usual).then(|| short(of_flag as f32));
        let mut values = self.parameters();
        values["lossy"] = (!clouds.parameters().keep_water).into();
        values["temperature"] = own(air.temperature, usual.temperature, air.temperature - 273.15).into();
        values["humidity"] = own(air.humidity, usual.humidity, air.humidity).into();
        values["lapse"] = own(air.lapse, usual.lapse, 1e3 * air.lapse).into();
        if clouds.parameters().renewal.is_none() {
            values["renewal"] = "never".into();
        }
        let Clock { time, expected, lost, .. } = clouds.clock()?;
        (values["time"], values["water"]) = (time.into(), expected.into());
        (values["lost_vapour"], values["lost_cloud_water"]) = (lost[1].into(), lost[2].into());
        Ok(values)
    }

    /// Time goes on, and the account of the water.
    fn restore(&mut self, state: &State) -> Result<()> {
        let lost = [0.0, state.number("lost_vapour")? as f32, state.number("lost_cloud_water")? as f32, 0.0];
        let (time, expected) = (state.number("time")?, state.number("water")?);
        Ok(self.clouds.get_mut().set_clock(&Clock { steps: state.step, time, expected, lost })?)
    }

    fn parameters(&self) -> Value {
        let clouds = self.clouds.borrow();
        let (p, setting) = (clouds.parameters(), clouds.setting());
        let air = setting.air;
        json!({
            "scene": self.scene.name(), "spacing": short(setting.spacing), "walls": !setting.periodic,
            "time_step": short(p.time_step), "wind": short(p.wind), "heat": short(p.heat),
            "evaporation": p.evaporation.map(short), "confinement": short(p.confinement),
            "mixing": short(p.mixing), "renewal": p.renewal.map(short),
            "temperature": air.temperature, "humidity": air.humidity, "lapse": air.lapse,
            "advection": p.advection.name(), "pressure": p.pressure.name(), "keeps_water": p.keep_water,
        })
    }

    fn state(&self) -> Result<Array> {
        let clouds = self.clouds.borrow();
        let [columns, rows] = clouds.setting().grid().nodes().map(|n| n as usize);
        Ok(Array { height: STATE * rows, width: columns, components: 1, values: clouds.state()? })
    }

    fn reset(&mut self, seed: u64) -> Result<()> {
        (self.seed, self.touched) = (seed, false);
        let clouds = self.clouds.get_mut();
        clouds.reset(seed)?;
        match &self.loaded {
            Some(state) if self.loaded_seed == seed => Ok(clouds.set_state(state)?),
            _ => Ok(()),
        }
    }

    fn step(&mut self) -> Result<()> {
        Ok(self.clouds.get_mut().step()?)
    }

    fn whole_run(&self) -> u64 {
        (WHOLE_RUN / self.clouds.borrow().parameters().time_step).round().clamp(1.0, 1e5) as u64
    }

    fn looks(&self) -> u64 {
        20
    }

    fn pace(&self) -> u64 {
        2
    }

    fn check(&self, before: &Array) -> Result<Vec<Measure>> {
        check::measures(self, before)
    }

    fn warning(&self, _: &Array) -> Option<String> {
        check::too_far(&self.clouds.borrow())
    }

    fn findings(&self) -> Result<Value> {
        check::findings(&self.clouds.borrow())
    }

    fn remarks(&self) -> Result<Vec<String>> {
        check::remarks(&self.clouds.borrow())
    }

    fn shown(&self) -> Result<Shown<'_>> {
        let mut clouds = self.clouds.borrow_mut();
        let most = self.ends().map_or(0.0, |([_, most], _)| most);
        let coloured = match self.show {
            CloudsShow::Clouds => Coloured::Dark,
            CloudsShow::Theta => Coloured::Signed(clouds.deviation()?.clone(), most),
            CloudsShow::Vapour => Coloured::Between(clouds.air().clone(), 1, [0.0, 1e-3 * most]),
            CloudsShow::CloudWater => Coloured::Between(clouds.air().clone(), 2, [0.0, 1e-3 * most]),
            CloudsShow::Speed => Coloured::Speed(most),
            CloudsShow::Vorticity => Coloured::Signed(clouds.vorticity()?.clone(), most),
        };
        let flat = Flat {
            grid: clouds.setting().grid(),
            velocity: clouds.velocity().clone(),
            solids: self.open.clone(),
            coloured,
            positions: None,
            tint: Tint::Number,
        };
        let (air, in_colours) = (clouds.air().clone(), self.show != CloudsShow::Clouds);
        Ok(Shown::Sky(Heavens { air, flat, in_colours }))
    }

    fn has_begun_anew(&mut self) -> bool {
        std::mem::take(&mut self.begun_anew)
    }

    fn panel(&mut self, ui: &mut egui::Ui) -> Result<()> {
        self.widgets(ui)
    }

    fn is_touchable(&self) -> bool {
        true
    }

    /// Warms and moistens the air there. Rows of the picture are counted from its top.
    fn touch(&mut self, touch: Touch) -> Result<()> {
        if let Touch::Cell { x, y, radius, .. } = touch {
            let clouds = self.clouds.get_mut();
            let up = clouds.setting().cells[1] as f32 - y;
            clouds.warm([x, up], radius, TOUCH)?;
            self.touched = true;
        }
        Ok(())
    }
}

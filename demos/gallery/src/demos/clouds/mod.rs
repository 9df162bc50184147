//! Clouds over a warm ground (row C12): the running example of chapter 31.

mod check;
#[cfg(feature = "panel")]
mod panel;
mod parameters;
mod shown;
mod start;

use std::cell::RefCell;

use anyhow::Result;
use quadrille::sim::clouds::{Clock, Clouds, Parameters, Parcel, STATE, Scene, Setting, Survey};
use quadrille::view::SkyContent;
use quadrille::{Buffer, Gpu};
use serde_json::{Map, Value as Json};

use self::parameters::{BALANCED, HOUR, NEVER, PLAIN, SHOWN, changed};
use self::shown::{Show, Shown};
use crate::demo::{About, Demo, Measure, View};
use crate::param::{Offer, Param, Value, Values, name_of};
use crate::picture::{Mark, Picture, SkyPicture, SkyView, Touch, WITHIN};
use crate::state::{Array, Named, Parts, State};

pub const ABOUT: About = About {
    name: "clouds",
    shows: "Clouds that rise from a warm ground, with flat bases where air condenses (GPU Gems 2, chapter 31)",
    keywords: "weather sky cumulus convection condensation humidity air",
    first: "Drag to warm and moisten the air; the right button cools it",
    computes: "A vertical slice of the air over warm ground. Heat and vapour rise, cool, and condense where air is saturated; what \
               condenses gives its heat back and makes the cloud rise on. The flow is that of the demo fluid, with buoyancy.",
    formula: "∂u/∂t = −(u · ∇) u − ∇p + B,   div u = 0,   B = g (Δθ / θ + 0.61 Δq − cloud), q vapour\n\
              what condenses, d: q − d = most(T + d L / c),  cloud + d,  θ + d L / (c Π)",
    kernels: &[
        "sim/fluid_advect.frag",
        "sim/clouds_accelerate.frag",
        "sim/clouds_push.frag",
        "sim/clouds_settle.frag",
        "sim/fluid_divergence.frag",
        "sim/fluid_project.frag",
    ],
    paper: "Harris, Baxter, Scheuermann and Lastra 2003; GPU Gems 2, chapter 31",
    more: parameters::MORE,
    parameters: &[parameters::ALL, &[WITHIN]],
    flags: parameters::FLAGS,
    check: start::check,
    start: |gpu, request| Ok(Box::new(CloudsDemo::new(gpu, request)?)),
    ..About::NEW
};

/// Rows from the ground up; the last one has what a state has besides, as `--help` says.
const PARTS: Parts = Parts::Planes(&["u", "v", "theta", "vapour", "cloud_water", "pressure_velocity"]);

/// The warmth (K) and the vapour (kg/kg) that the mouse gives the air under its middle for each time that it is seen there.
const TOUCH: [f32; 2] = [0.25, 5e-4];

/// The strength of the brush, in shares of [`TOUCH`].
struct Strength(f32);

/// Seconds in which a day becomes a steady one.
const WHOLE_RUN: f32 = 3600.0;

/// The height of a picture of the sky, in those of the inversion, which clouds hardly pass.
const ABOVE_INVERSION: f64 = 1.05;

/// The reason why the scene `stable` has no cloud, over its picture.
const WHY_NO_CLOUD: &str =
    "Dry, stable air, and no cloud: warm it with the mouse; what rises sinks back, in waves that theta shows";

struct CloudsDemo {
    gpu: Gpu,
    clouds: Clouds,
    shown: Shown,
    view: SkyView,
    scene: Scene,
    /// Bubbles that are on their way at the beginning, if somebody has chosen how many.
    thermals: Option<u32>,
    /// It is seen while it runs: then a scene may have bubbles of its own.
    in_window: bool,
    seed: u64,
    /// A state from a file, which a reset of that seed brings back.
    loaded: Option<Vec<f32>>,
    loaded_seed: u64,
    /// The time of day of its light.
    hour: f32,
    /// The condensation level is not drawn.
    plain: bool,
    /// The mouse has warmed the air.
    touched: bool,
    /// Where it has, of late.
    glows: Vec<Glow>,
    strength: Strength,
    /// It was put back to a beginning while it ran.
    begun_anew: bool,
    /// How many cells the clouds' base was above the condensation level, at all looks of a check.
    offs: RefCell<Vec<f64>>,
    /// The air as the panel read it last.
    reading: Option<Reading>,
}

/// A place of the brush: a ring in the picture that fades within so many steps.
struct Glow {
    at: [f32; 2],
    radius: f32,
    cools: bool,
    step: u64,
}

/// Steps after which a ring is gone, and rings at most.
const GLOWS: u64 = 20;
const MOST_GLOWS: usize = 24;

/// The air at some step.
struct Reading {
    step: u64,
    survey: Survey,
    lost: f64,
}

impl CloudsDemo {
    /// Begins a day of another kind in the same box.
    fn set_scene(&mut self, scene: Scene) -> Result<()> {
        let (setting, parameters) = scene.start();
        let (old, now) = (*self.clouds.setting(), self.clouds.parameters());
        let setting = Setting { air: setting.air, ..old };
        let parameters = Parameters { heat: parameters.heat, evaporation: parameters.evaporation, ..now };
        self.clouds = Clouds::new(&self.gpu, setting, parameters, self.seed)?;
        // The loaded state belonged to another scene.
        (self.scene, self.loaded, self.touched) = (scene, None, false);
        let thermals = self.thermals();
        start::warm(&mut self.clouds, thermals, self.seed)?;
        (self.reading, self.begun_anew) = (None, true);
        Ok(())
    }
}

impl CloudsDemo {
    /// Bubbles that are on their way at the beginning.
    fn thermals(&self) -> u32 {
        self.thermals.unwrap_or(start::usual_thermals(self.scene, self.in_window))
    }

    /// How far the wind has carried the air, in cells, around a periodic box.
    fn drift(&self) -> f32 {
        let setting = self.clouds.setting();
        let cells =
            f64::from(self.clouds.parameters().wind) * self.clouds.time() / f64::from(setting.spacing);
        cells.rem_euclid(f64::from(setting.cells[0])) as f32
    }

    /// The condensation level of the air at the ground as it was at first, in cells: warmth and vapour from the ground are
    /// balanced so that it stays.
    fn level(&self) -> Option<f32> {
        let setting = self.clouds.setting();
        let Parcel { theta, vapour, .. } = setting.air.at(0.0);
        let level = setting.air.condensation_level(theta, vapour, setting.top())?;
        Some(level as f32 / setting.spacing)
    }
}

impl Demo for CloudsDemo {
    fn size(&self) -> (String, &'static str) {
        let [width, height] = self.clouds.setting().cells;
        (format!("{width}x{height}"), "cells")
    }

    fn arrays(&self) -> Result<Vec<Named>> {
        Ok(PARTS.split(&self.numbers()?, [0; 3]))
    }

    /// Air of its own is said as its flags have it, in 32 bits; what the scene has is the scene's.
    fn values(&self) -> Values {
        let (p, setting) = (self.clouds.parameters(), self.clouds.setting());
        let (air, usual) = (setting.air, self.scene.start().0.air);
        let own = |now: f64, usual: f64, of_flag: f64| (now != usual).then_some(of_flag as f32);
        Values::new()
            .with("scene", self.scene.name())
            .with("spacing", setting.spacing)
            .with("walls", !setting.periodic)
            .with("time-step", p.time_step)
            .with_some("wind", setting.periodic.then_some(p.wind))
            .with("heat", p.heat)
            .with_some("evaporation", p.evaporation)
            .with("confinement", p.confinement)
            .with("mixing", p.mixing)
            .with("renewal", p.renewal.map_or(Value::Word(NEVER), Value::Real))
            .with_some("temperature", own(air.temperature, usual.temperature, air.temperature - 273.15))
            .with_some("humidity", own(air.humidity, usual.humidity, air.humidity))
            .with_some("lapse", own(air.lapse, usual.lapse, 1e3 * air.lapse))
            .with("thermals", self.thermals())
            .with("advection", p.advection.name())
            .with("pressure", p.pressure.name())
            .with("lossy", !p.keep_water)
            .with("show", name_of(&SHOWN, &self.shown.show))
            .with("hour", self.hour)
            .with("plain", self.plain)
    }

    fn set(&mut self, values: &Values) -> Result<()> {
        if let Some(scene) = parameters::scene(values).filter(|&scene| scene != self.scene) {
            self.set_scene(scene)?;
        }
        let before = self.clouds.parameters();
        let now = changed(values, before);
        if now != before {
            self.clouds.set_parameters(now)?;
        }
        self.shown.show = values.choice("show", &SHOWN).unwrap_or(self.shown.show);
        self.hour = values.real(HOUR.name).unwrap_or(self.hour);
        if let Some(&Value::Flag(plain)) = values.get(PLAIN.name) {
            self.plain = plain;
        }
        Ok(())
    }

    fn extras(&self) -> Result<Map<String, Json>> {
        let Clock { time, expected, lost, .. } = self.clouds.clock()?;
        let extras: [(&str, Json); 4] = [
            ("time", time.into()),
            ("water", expected.into()),
            ("lost_vapour", lost[1].into()),
            ("lost_cloud_water", lost[2].into()),
        ];
        Ok(extras.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// Time goes on, and the account of the water.
    fn restore(&mut self, state: &State) -> Result<()> {
        let lost = [0.0, state.number("lost_vapour")? as f32, state.number("lost_cloud_water")? as f32, 0.0];
        let (time, expected) = (state.number("time")?, state.number("water")?);
        Ok(self.clouds.set_clock(&Clock { steps: state.step, time, expected, lost })?)
    }

    fn numbers(&self) -> Result<Array> {
        let clouds = &self.clouds;
        let [columns, rows] = clouds.setting().grid().nodes().map(|n| n as usize);
        Ok(Array { height: STATE * rows, width: columns, components: 1, values: clouds.state()? })
    }

    fn reset(&mut self, seed: u64) -> Result<()> {
        (self.seed, self.touched) = (seed, false);
        self.glows.clear();
        let thermals = self.thermals();
        let clouds = &mut self.clouds;
        clouds.reset(seed)?;
        match &self.loaded {
            Some(state) if self.loaded_seed == seed => Ok(clouds.set_state(state)?),
            _ => start::warm(clouds, thermals, seed),
        }
    }

    fn step(&mut self) -> Result<()> {
        Ok(self.clouds.step()?)
    }

    fn whole_run(&self) -> u64 {
        (WHOLE_RUN / self.clouds.parameters().time_step).round().clamp(1.0, 1e5) as u64
    }

    fn looks(&self) -> u64 {
        20
    }

    fn pace(&self) -> u64 {
        1
    }

    fn check(&self, before: &Array) -> Result<Vec<Measure>> {
        check::measures(self, before)
    }

    fn warning(&self, _: &Array) -> Option<String> {
        check::too_far(&self.clouds)
    }

    fn findings(&self) -> Result<Json> {
        check::findings(&self.clouds)
    }

    fn remarks(&self) -> Result<Vec<String>> {
        check::remarks(&self.clouds)
    }

    fn drawn(&self) -> Option<Buffer> {
        Some(self.clouds.air().clone())
    }

    fn prepare(&mut self) -> Result<()> {
        self.shown.prepare(&mut self.clouds)
    }

    fn views(&mut self) -> Vec<&mut dyn View> {
        vec![&mut self.view, &mut self.strength]
    }

    fn picture(&mut self) -> Box<dyn Picture + '_> {
        let (grid, hour, level) = (self.clouds.setting().grid(), self.hour, self.level());
        let (setting, line) = (self.clouds.setting(), level.filter(|_| !self.plain));
        let shown = [0.0; 3]; // the picture knows
        let air = SkyContent { grid, air: self.clouds.air(), hour, level, line, drift: self.drift(), shown };
        let cloudy = (ABOVE_INVERSION * setting.air.inversion / f64::from(setting.spacing)).ceil();
        let cloudy = (cloudy as u32).clamp(setting.cells[1].min(8), setting.cells[1]);
        let (numbers, in_colours) = (self.shown.basin(&self.clouds), self.shown.show != Show::Clouds);
        let (shows, unit) = (name_of(&SHOWN, &self.shown.show), self.shown.unit());
        Box::new(SkyPicture { view: &mut self.view, air, cloudy, numbers, shows, unit, in_colours })
    }

    /// The name of the dashed line.
    fn marks(&self) -> Vec<Mark> {
        let is_drawn = self.shown.show == Show::Clouds && !self.plain;
        let level = self.level().filter(|_| is_drawn);
        let at = |level: f32| [0.0, 1.0 - level / self.view.rows() as f32];
        let level =
            level.map(|level| Mark::Name { at: at(level), text: "condensation level of the front row" });
        let stable = (self.scene == Scene::Stable && self.shown.show == Show::Clouds)
            .then_some(Mark::Name { at: [0.02, 0.04], text: WHY_NO_CLOUD });
        let glow = |glow: &Glow| {
            let age = self.clouds.steps().saturating_sub(glow.step).min(GLOWS);
            let alpha = (180 * (GLOWS - age) / GLOWS) as u8;
            let [r, g, b] = if glow.cools { [120, 180, 255] } else { [255, 150, 60] };
            Mark::Ring { at: glow.at, radius: glow.radius, colour: [r, g, b, alpha] }
        };
        level.into_iter().chain(stable).chain(self.glows.iter().map(glow)).collect()
    }

    fn offer(&self, param: &Param) -> Offer {
        let (p, setting) = (self.clouds.parameters(), self.clouds.setting());
        let offer = Offer::of(param);
        match param.name {
            "heat" => offer.usual(self.scene.start().1.heat),
            "evaporation" => {
                let beside = f64::from(p.heat) * setting.air.vapour_beside_heat();
                offer.first(beside).usual(BALANCED).now(BALANCED)
            }
            "mixing" => offer.between(0.0, p.most_mixing(setting).into()),
            "renewal" => offer.between(p.time_step.max(300.0).into(), 36_000.0),
            _ => offer,
        }
    }

    fn has_begun_anew(&mut self) -> bool {
        std::mem::take(&mut self.begun_anew)
    }

    #[cfg(feature = "panel")]
    fn panel(&mut self, ui: &mut egui::Ui) -> Result<()> {
        self.widgets(ui)
    }

    fn is_touchable(&self) -> bool {
        true
    }

    fn has_second_touch(&self) -> bool {
        true
    }

    /// Warms and moistens the air there, or cools it. Rows of the picture are counted from its top.
    fn touch(&mut self, touch: Touch) -> Result<()> {
        if let Touch::Cell { x, y, tip, drag } = touch {
            let radius = tip.radius;
            let share = [x / self.view.columns() as f32, y / self.view.rows() as f32];
            let clouds = &mut self.clouds;
            let glow = Glow {
                at: share,
                radius: radius / self.view.rows() as f32,
                cools: drag.right,
                step: clouds.steps(),
            };
            self.glows.retain(|old| glow.step.saturating_sub(old.step) < GLOWS);
            if self.glows.len() == MOST_GLOWS {
                self.glows.remove(0);
            }
            self.glows.push(glow);
            let (x, up) = (x + self.view.first_column() as f32, self.view.rows() as f32 - y);
            let [warmth, vapour] = TOUCH.map(|amount| amount * self.strength.0);
            // Vapour that is not there cannot be taken away.
            let amount = if drag.right { [-warmth, 0.0] } else { [warmth, vapour] };
            clouds.warm([x, up], radius, amount)?;
            self.touched = true;
        }
        Ok(())
    }
}

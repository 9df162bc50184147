//! A canvas as the host of a demo: steps and frames as the page asks for them, parameters from its address.
//!
//! The crate is empty on other targets than wasm32.
#![cfg(target_arch = "wasm32")]

mod host;

use std::rc::Rc;

use anyhow::{Context, Result, anyhow};
use quadrille::gl::Context as Gl;
use quadrille::{Gpu, Rect};
use quadrille_gallery::demo::{Demo, Request};
use quadrille_gallery::list;
use quadrille_gallery::picture::{Layout, Touch};
use wasm_bindgen::prelude::*;
use web_sys::{HtmlCanvasElement, WebGl2RenderingContext};

/// A demo on a canvas.
#[wasm_bindgen]
pub struct CanvasHost {
    canvas: HtmlCanvasElement,
    demo: Box<dyn Demo>,
    step: u64,
}

#[wasm_bindgen]
impl CanvasHost {
    /// Starts the demo of that name with the parameters of an address: `F=0.037&edges=clamp`.
    ///
    /// # Errors
    /// No such demo; no WebGL 2; those of the parameters and of the demo.
    #[wasm_bindgen(constructor)]
    pub fn new(canvas: HtmlCanvasElement, name: &str, address: &str) -> Result<CanvasHost, JsError> {
        CanvasHost::start(canvas, name, address).map_err(thrown)
    }

    /// Makes so many steps, fewer at the end of the run, and draws the picture.
    ///
    /// # Errors
    /// Those of the demo.
    pub fn frame(&mut self, steps: u32) -> Result<(), JsError> {
        self.draw(steps).map_err(thrown)
    }

    /// Presses the pointer at a place of the canvas, shares of it from its upper left corner.
    ///
    /// # Errors
    /// Those of the demo.
    pub fn press(&mut self, x: f32, y: f32) -> Result<(), JsError> {
        self.touch([x, y]).map_err(thrown)
    }

    /// Goes back to the initial state of that seed.
    ///
    /// # Errors
    /// Those of the demo.
    pub fn reset(&mut self, seed: u32) -> Result<(), JsError> {
        self.step = 0;
        self.demo.reset(seed.into()).map_err(thrown)
    }

    /// Steps since the beginning or the last reset.
    pub fn step(&self) -> f64 {
        self.step as f64
    }
}

impl CanvasHost {
    fn start(canvas: HtmlCanvasElement, name: &str, address: &str) -> Result<CanvasHost> {
        let about = list::named(name).with_context(|| format!("no demo \"{name}\""))?;
        let values = about.values_of(address).map_err(|line| anyhow!(line))?;
        let context = canvas.get_context("webgl2").ok().flatten().context("no WebGL 2 in this browser")?;
        let context: WebGl2RenderingContext =
            context.dyn_into().map_err(|_| anyhow!("no WebGL 2 context"))?;
        let gpu = Gpu::of(Gl::from_webgl2(context, None)?);
        let request = Request { draws: true, ..Request::new(values, Rc::new(host::Browser::new())) };
        about.refuse(&request)?;
        let demo = (about.start)(&gpu, &Rc::new(request))?;
        Ok(CanvasHost { canvas, demo, step: 0 })
    }

    fn draw(&mut self, steps: u32) -> Result<()> {
        for _ in 0..steps {
            if self.demo.is_over() {
                break;
            }
            self.demo.before_step(self.step + 1)?;
            self.demo.step()?;
            self.demo.solved()?;
            self.step += 1;
        }
        self.demo.prepare()?;
        let place = Rect::whole(self.canvas.width(), self.canvas.height());
        self.demo.picture().draw(place)
    }

    fn touch(&mut self, [x, y]: [f32; 2]) -> Result<()> {
        let aspect = f64::from(self.canvas.width()) / f64::from(self.canvas.height().max(1));
        let picture = self.demo.picture();
        let (layout, radius) = (picture.layout(aspect)?, picture.brush());
        drop(picture);
        let touch = match layout {
            Layout::Map { columns, rows } => {
                let (x, y) = (x * columns as f32, y * rows as f32);
                Touch::Cell { x, y, radius, drag: Default::default() }
            }
            Layout::Water { perspective, .. } => match perspective.cell_of([x.into(), y.into()]) {
                Some([x, y]) => Touch::Cell { x: x as f32, y: y as f32, radius, drag: Default::default() },
                None => return Ok(()),
            },
            Layout::Space(lens) => Touch::Along(lens.ray([x.into(), y.into()])),
        };
        self.demo.touch(touch)
    }
}

/// One line, as the page shows it.
fn thrown(error: anyhow::Error) -> JsError {
    JsError::new(&format!("{error:#}"))
}

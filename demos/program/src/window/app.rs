//! The callbacks of winit. A callback cannot return an error: the first is kept, and the loop ends.

use anyhow::{Error, Result};
use quadrille::Options;
use winit::application::ApplicationHandler;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, ControlFlow};
use winit::window::WindowId;

use super::view::View;
use crate::demo::chosen::Chosen;
use crate::demo::record::Recorder;
use crate::output;

pub struct App<'a> {
    chosen: &'a Chosen,
    options: Options,
    /// Until the window opens.
    recorder: Option<Recorder>,
    view: Option<View>,
    outcome: Result<()>,
    /// Somebody ended it from outside.
    interrupted: bool,
}

impl App<'_> {
    pub fn new(chosen: &Chosen, options: Options, recorder: Recorder) -> App<'_> {
        App { chosen, options, recorder: Some(recorder), view: None, outcome: Ok(()), interrupted: false }
    }

    /// How it went, when the loop has ended.
    pub fn outcome(self) -> Result<()> {
        self.outcome
    }

    fn fail(&mut self, event_loop: &ActiveEventLoop, error: Error) {
        if self.outcome.is_ok() {
            self.outcome = Err(error);
        }
        event_loop.exit();
    }
}

impl ApplicationHandler for App<'_> {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if let Some(recorder) = self.recorder.take() {
            match View::open(event_loop, self.chosen, &self.options, recorder) {
                Ok(view) => self.view = Some(view),
                Err(error) => self.fail(event_loop, error),
            }
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(view) = self.view.as_mut().filter(|_| !event_loop.exiting()) else { return };
        match event {
            WindowEvent::CloseRequested | WindowEvent::Destroyed => event_loop.exit(),
            WindowEvent::RedrawRequested => match view.frame() {
                Ok(false) => {}
                Ok(true) => event_loop.exit(),
                Err(error) => self.fail(event_loop, error),
            },
            _ => view.event(&event),
        }
    }

    /// The program was interrupted: as if the window had been closed, but for the exit status.
    fn user_event(&mut self, event_loop: &ActiveEventLoop, (): ()) {
        self.interrupted = true;
        event_loop.exit();
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        let wake = self.view.as_mut().and_then(View::tick);
        event_loop.set_control_flow(wake.map_or(ControlFlow::Wait, ControlFlow::WaitUntil));
    }

    /// The window must go while the loop still has its connection.
    fn exiting(&mut self, _: &ActiveEventLoop) {
        if let Some(view) = self.view.take()
            && self.outcome.is_ok()
        {
            let steps = output::counted(view.steps(), "step");
            self.outcome = view.finish();
            if self.outcome.is_ok() && self.interrupted {
                self.outcome = Err(output::Interrupted(format!("interrupted after {steps}")).into());
            }
        }
    }
}

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
    /// The demo that the window begins with, until it opens.
    first: Option<(&'a Chosen, Recorder)>,
    options: Options,
    /// The window has been asked for.
    opened: bool,
    view: Option<View<'a>>,
    outcome: Result<()>,
    /// Somebody ended it from outside.
    interrupted: bool,
}

impl App<'_> {
    pub fn new(first: Option<(&Chosen, Recorder)>, options: Options) -> App<'_> {
        App { first, options, opened: false, view: None, outcome: Ok(()), interrupted: false }
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
        if std::mem::replace(&mut self.opened, true) {
            return;
        }
        match View::open(event_loop, self.first.take(), &self.options) {
            Ok(view) => self.view = Some(view),
            Err(error) => self.fail(event_loop, error),
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(view) = self.view.as_mut().filter(|_| !event_loop.exiting()) else { return };
        let done = match event {
            WindowEvent::CloseRequested => Ok(view.may_leave()),
            WindowEvent::Destroyed => Ok(true),
            WindowEvent::RedrawRequested => view.frame(),
            _ => view.event(&event).map(|()| false),
        };
        match done {
            Ok(false) => {}
            Ok(true) => event_loop.exit(),
            Err(error) => self.fail(event_loop, error),
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
            let steps = view.steps().map(|steps| format!(" after {}", output::counted(steps, "step")));
            self.outcome = view.finish();
            if self.outcome.is_ok() && self.interrupted {
                let line = format!("interrupted{}", steps.unwrap_or_default());
                self.outcome = Err(output::Interrupted(line).into());
            }
        }
    }
}

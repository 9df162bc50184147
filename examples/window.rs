//! A window of one's own, by winit: Gray and Scott's reaction, eight steps a frame. Escape closes it.

use std::{error::Error, rc::Rc};

use quadrille::gl::window::Screen;
use quadrille::sim::gray_scott::{GrayScott, Parameters};
use quadrille::view::{ColourMap, Mapping, keep_aspect};
use quadrille::{Api, Edges, Gpu};
use winit::event_loop::{ActiveEventLoop, EventLoop};
use winit::window::{Window, WindowId};
use winit::{application::ApplicationHandler, event::WindowEvent, keyboard::NamedKey::Escape};

type Outcome = Result<(), Box<dyn Error>>;
type Frame = Box<dyn FnMut() -> Outcome>;

/// Opens a window, and returns what draws its frames.
fn open(events: &ActiveEventLoop) -> Result<Frame, Box<dyn Error>> {
    // OpenGL comes first: the window has to fit what it draws.
    let screen = Screen::native(events.owned_display_handle(), Api::Gl)?;
    let attributes = Window::default_attributes().with_title("quadrille: reaction");
    let window = Rc::new(glutin_winit::finalize_window(events, attributes, screen.config())?);
    let surface = screen.open(window.clone(), 1, 1)?;
    let gpu = Gpu::of(surface.context(None)?);
    let mut reaction = GrayScott::new(&gpu, 160, 120, Parameters::default(), Edges::Repeat, 1)?;
    let mut colours = ColourMap::new(&gpu, &std::array::from_fn(|n| [n as u8, (n * n / 255) as u8, 60]))?;
    Ok(Box::new(move || {
        (0..8).try_for_each(|_| reaction.step())?;
        let (width, height) = window.inner_size().into();
        surface.resize(width, height);
        let place = keep_aspect(160, 120, width, height);
        colours.draw(reaction.state(), Mapping::of_component(1, 0.0, 0.4), None, place)?;
        window.request_redraw();
        Ok(surface.show()?)
    }))
}

/// The function that draws a frame, and how the last thing that was tried ended.
struct App(Frame, Outcome);

impl ApplicationHandler for App {
    fn resumed(&mut self, events: &ActiveEventLoop) {
        self.1 = open(events).map(|frame| self.0 = frame).inspect_err(|_| events.exit());
    }

    fn window_event(&mut self, events: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let App(draw, outcome) = self;
        match event {
            WindowEvent::RedrawRequested => *outcome = draw().inspect_err(|_| events.exit()),
            WindowEvent::KeyboardInput { event, .. } if event.logical_key == Escape => events.exit(),
            WindowEvent::CloseRequested => events.exit(),
            _ => {}
        }
    }
}

pub fn main() -> Outcome {
    let mut app = App(Box::new(|| Ok(())), Ok(()));
    EventLoop::new()?.run_app(&mut app)?;
    app.1
}

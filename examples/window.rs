//! A window of one's own, by winit: Gray and Scott's reaction, eight steps a frame. Escape closes it.

use std::{error::Error, rc::Rc};

use quadrille::gl::window::{Screen, Surface};
use quadrille::sim::gray_scott::{GrayScott, Parameters};
use quadrille::view::{ColourMap, Mapping, keep_aspect};
use quadrille::{Api, Edges, Gpu};
use winit::application::ApplicationHandler;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, EventLoop};
use winit::keyboard::{Key, NamedKey};
use winit::window::{Window, WindowId};

struct Scene {
    window: Rc<Window>,
    surface: Surface,
    reaction: GrayScott,
    colours: ColourMap,
}

impl Scene {
    fn open(events: &ActiveEventLoop) -> Result<Scene, Box<dyn Error>> {
        // OpenGL comes first: the window has to fit what it draws.
        let screen = Screen::native(events.owned_display_handle(), Api::Gl)?;
        let attributes = Window::default_attributes().with_title("quadrille: reaction");
        let window = Rc::new(glutin_winit::finalize_window(events, attributes, screen.config())?);
        let surface = screen.open(window.clone(), 1, 1)?;
        let gpu = Gpu::of(surface.context(None)?);
        let reaction = GrayScott::new(&gpu, 160, 120, Parameters::default(), Edges::Repeat, 1)?;
        let colours = ColourMap::new(&gpu, &std::array::from_fn(|n| [n as u8, (n * n / 255) as u8, 60]))?;
        window.request_redraw();
        Ok(Scene { window, surface, reaction, colours })
    }

    fn frame(&mut self) -> quadrille::Result<()> {
        (0..8).try_for_each(|_| self.reaction.step())?;
        let size = self.window.inner_size();
        self.surface.resize(size.width, size.height);
        let place = keep_aspect(160, 120, size.width, size.height);
        self.colours.draw(self.reaction.state(), Mapping::of_component(1, 0.0, 0.4), None, place)?;
        self.window.request_redraw();
        self.surface.show()
    }
}

/// The scene once there is one, or why there is none.
struct App(Result<Option<Scene>, Box<dyn Error>>);

impl ApplicationHandler for App {
    fn resumed(&mut self, events: &ActiveEventLoop) {
        self.0 = Scene::open(events).map(Some);
        if self.0.is_err() {
            events.exit();
        }
    }

    fn window_event(&mut self, events: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let ends = match (event, &mut self.0) {
            (WindowEvent::RedrawRequested, Ok(Some(scene))) => {
                scene.frame().map_err(|error| self.0 = Err(error.into())).is_err()
            }
            (WindowEvent::KeyboardInput { event, .. }, _) => {
                event.logical_key == Key::Named(NamedKey::Escape)
            }
            (event, _) => event == WindowEvent::CloseRequested,
        };
        if ends {
            events.exit();
        }
    }
}

pub fn main() -> Result<(), Box<dyn Error>> {
    let mut app = App(Ok(None));
    EventLoop::new()?.run_app(&mut app)?;
    app.0.map(drop)
}

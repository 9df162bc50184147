//! A window of one's own, by winit: Life, a step a frame, in which a cell that died fades. Escape closes it.

use std::{error::Error, rc::Rc};

use glutin::display::DisplayApiPreference as Way;
use quadrille::gl::window::{Screen, Surface};
use quadrille::view::{ColourMap, Mapping, keep_aspect};
use quadrille::{Api, DoubleBuffer, Edges, Gpu, Program, numeric::Random};
use winit::application::ApplicationHandler;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, EventLoop};
use winit::keyboard::{Key, NamedKey};
use winit::window::{Window, WindowId};

const KERNEL: &str = "
    uniform Stream cells;
    DOMAIN here;
    RANGE float next;
    float lives(vec2 at) { return float(value2(cells, at).x == 1.0); }
    void main() {
        float around = -lives(here);
        for (float y = -1.0; y <= 1.0; y += 1.0)
            for (float x = -1.0; x <= 1.0; x += 1.0) around += lives(here + vec2(x, y));
        bool stays = around == 3.0 || (around == 2.0 && lives(here) == 1.0);
        next = stays ? 1.0 : 0.95 * value2(cells, here).x;
    }";

#[cfg(windows)]
const WAY: Way = Way::Wgl(None);
#[cfg(target_vendor = "apple")]
const WAY: Way = Way::Cgl;
#[cfg(not(any(windows, target_vendor = "apple")))]
const WAY: Way = Way::Egl;

struct Life {
    window: Rc<Window>,
    surface: Surface,
    cells: DoubleBuffer,
    step: Program,
    colours: ColourMap,
}

impl Life {
    fn open(events: &ActiveEventLoop) -> Result<Life, Box<dyn Error>> {
        // OpenGL comes first: the window has to fit what it draws.
        let screen = Screen::new(events.owned_display_handle(), Api::Gl, [WAY])?;
        let attributes = Window::default_attributes().with_title("quadrille: life");
        let window = Rc::new(glutin_winit::finalize_window(events, attributes, screen.config())?);
        let surface = screen.open(window.clone(), 1, 1)?;
        let gpu = Gpu::of(surface.context(None)?);
        let start: Vec<f32> = Random(1).floats(160 * 120).into_iter().map(|n| f32::from(n > 0.5)).collect();
        let cells = gpu.buffer(160, 120).edges(Edges::Repeat).double().init(&start)?;
        let colours = std::array::from_fn(|n| [n as u8, (n * n / 255) as u8, 60]);
        let (step, colours) = (gpu.program("life", KERNEL)?, ColourMap::new(&gpu, &colours)?);
        Ok(Life { window, surface, cells, step, colours })
    }

    fn frame(&mut self) -> quadrille::Result<()> {
        self.step.bind_stream("cells", self.cells.front())?.run(self.cells.back())?;
        self.cells.swap();
        let size = self.window.inner_size();
        self.surface.resize(size.width, size.height);
        let place = keep_aspect(160, 120, size.width, size.height);
        self.colours.draw(self.cells.front(), Mapping::of_component(0, 0.0, 1.0), None, place)?;
        self.window.request_redraw();
        self.surface.show()
    }
}

#[derive(Default)]
struct App {
    life: Option<Life>,
    failed: Option<Box<dyn Error>>,
}

impl ApplicationHandler for App {
    fn resumed(&mut self, events: &ActiveEventLoop) {
        match Life::open(events) {
            Ok(life) => self.life.insert(life).window.request_redraw(),
            Err(error) => {
                self.failed = Some(error);
                events.exit();
            }
        }
    }

    fn window_event(&mut self, events: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let closes = match &event {
            WindowEvent::KeyboardInput { event, .. } => event.logical_key == Key::Named(NamedKey::Escape),
            other => *other == WindowEvent::CloseRequested,
        };
        if let (WindowEvent::RedrawRequested, Some(life)) = (event, &mut self.life) {
            self.failed = life.frame().err().map(Into::into);
        }
        if closes || self.failed.is_some() {
            events.exit();
        }
    }
}

pub fn main() -> Result<(), Box<dyn Error>> {
    let mut app = App::default();
    EventLoop::new()?.run_app(&mut app)?;
    app.failed.map_or(Ok(()), Err)
}

//! An X server of the test's own, a program in it, and the hand and eye of its user.

use std::error::Error;
use std::fs;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use x11rb::connection::Connection;
use x11rb::protocol::xproto::{
    AtomEnum, BUTTON_PRESS_EVENT, BUTTON_RELEASE_EVENT, ClientMessageEvent, ConfigureWindowAux,
    ConnectionExt, CreateWindowAux, EventMask, ImageFormat, InputFocus, KEY_PRESS_EVENT, KEY_RELEASE_EVENT,
    MOTION_NOTIFY_EVENT, MapState, PropMode, Window, WindowClass,
};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;
use x11rb::{CURRENT_TIME, NONE};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

pub const ESCAPE: u32 = 0xff1b;
pub const SPACE: u32 = 0x20;
pub const RETURN: u32 = 0xff0d;
pub const RIGHT: u32 = 0xff53;
pub const TAB: u32 = 0xff09;
pub const BACKSPACE: u32 = 0xff08;
pub const END: u32 = 0xff57;
pub const CONTROL: u32 = 0xffe3;
pub const SHIFT: u32 = 0xffe1;
pub const F1: u32 = 0xffbe;
pub const R: u32 = 0x72;
pub const S: u32 = 0x73;

const WIDTH: u16 = 1000;
const HEIGHT: u16 = 700;
/// Much longer than anything takes, even drawn by a CPU with much else to do: only what hangs meets it.
const PATIENCE: Duration = Duration::from_secs(600);

/// In so many looks, one after the other, what rests is at rest.
const LOOKS: usize = 10;

/// Looks again and again until there is something.
pub fn wait_for<T>(what: &str, mut look: impl FnMut() -> Result<Option<T>>) -> Result<T> {
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        if let Some(found) = look()? {
            return Ok(found);
        }
        sleep(Duration::from_millis(30));
    }
    Err(format!("{what}: not within {} s", PATIENCE.as_secs()).into())
}

/// Returns true if no thread of a process runs, or would if it could: one that waits for a busy CPU does not sleep.
fn sleeps(process: u32) -> Result<bool> {
    for thread in fs::read_dir(format!("/proc/{process}/task"))? {
        let stat = fs::read_to_string(thread?.path().join("stat"))?;
        let (_, after_name) = stat.rsplit_once(") ").ok_or("no name")?;
        if !after_name.starts_with('S') {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Lets Mesa's CPU driver draw, whatever the machine has: with a window and without one the same.
pub fn on_cpu(command: &mut Command) -> &mut Command {
    let mesa = "/usr/share/glvnd/egl_vendor.d/50_mesa.json";
    if Path::new(mesa).exists() {
        command.env("__EGL_VENDOR_LIBRARY_FILENAMES", mesa);
    }
    command.env("LIBGL_ALWAYS_SOFTWARE", "1").env_remove("QUADRILLE_DEVICE")
}

/// A process that does not outlive the test.
struct Guarded(Child);

impl Guarded {
    fn ended(mut self) -> Result<ExitStatus> {
        wait_for("the program to end", || Ok(self.0.try_wait()?))
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A screen that nobody sees.
pub struct Screen {
    connection: RustConnection,
    root: Window,
    display: String,
    server: Guarded,
}

impl Screen {
    /// Starts Xvfb on a display of its own choice.
    pub fn start() -> Result<Screen> {
        let size = format!("{WIDTH}x{HEIGHT}x24");
        let server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", &size, "-nolisten", "tcp", "-noreset"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let mut server = Guarded(server.map_err(|error| match error.kind() {
            ErrorKind::NotFound => io::Error::other(
                "Xvfb is not in PATH, and the window is tested on it: install xvfb (Debian, Ubuntu), \
                 xorg-x11-server-Xvfb (Fedora) or xorg-server-xvfb (Arch)",
            ),
            _ => error,
        })?);
        let mut number = String::new();
        if let Some(out) = server.0.stdout.take() {
            BufReader::new(out).read_line(&mut number)?;
        }
        if number.trim().is_empty() {
            return Err("Xvfb ended without a display".into());
        }
        let display = format!(":{}", number.trim());
        let (connection, screen) = x11rb::connect(Some(&display))?;
        let root = connection.setup().roots[screen].root;
        Ok(Screen { connection, root, display, server })
    }

    /// Starts a command that opens a window here, of that many pixels a point.
    fn spawn(&self, command: &mut Command, scale: &str, stdout: Stdio) -> Result<Guarded> {
        on_cpu(command)
            .env("DISPLAY", &self.display)
            .env("WINIT_X11_SCALE_FACTOR", scale)
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("WAYLAND_SOCKET")
            .stdout(stdout);
        Ok(Guarded(command.spawn()?))
    }

    /// Runs a command whose window closes by itself.
    pub fn run(&self, command: &mut Command) -> Result<ExitStatus> {
        self.run_to(command, Stdio::null())
    }

    /// Runs a command that prints there.
    pub fn run_to(&self, command: &mut Command, stdout: Stdio) -> Result<ExitStatus> {
        self.spawn(command, "1", stdout)?.ended()
    }

    /// Starts a command and waits for its window.
    pub fn open(&self, command: &mut Command, scale: &str) -> Result<Opened<'_>> {
        self.open_to(command, scale, Stdio::null())
    }

    /// Starts a command that prints there and waits for its window.
    pub fn open_to(&self, command: &mut Command, scale: &str, stdout: Stdio) -> Result<Opened<'_>> {
        let mut process = self.spawn(command, scale, stdout)?;
        let window = wait_for("a window", || {
            if let Some(status) = process.0.try_wait()? {
                return Err(format!("the program ended before its window opened: {status}").into());
            }
            self.window_titled("quadrille: ")
        })?;
        self.connection.set_input_focus(InputFocus::POINTER_ROOT, window, CURRENT_TIME)?.check()?;
        Ok(Opened { screen: self, process, window })
    }

    fn window_titled(&self, beginning: &str) -> Result<Option<Window>> {
        for window in self.connection.query_tree(self.root)?.reply()?.children {
            // A window may go between two questions.
            let Ok(attributes) = self.connection.get_window_attributes(window)?.reply() else { continue };
            let title =
                self.connection.get_property(false, window, AtomEnum::WM_NAME, AtomEnum::ANY, 0, 100)?;
            let title = title.reply().map(|title| title.value).unwrap_or_default();
            if attributes.map_state == MapState::VIEWABLE && title.starts_with(beginning.as_bytes()) {
                return Ok(Some(window));
            }
        }
        Ok(None)
    }

    /// The picture on the screen.
    pub fn look(&self) -> Result<Screenshot> {
        let all = self.connection.get_image(ImageFormat::Z_PIXMAP, self.root, 0, 0, WIDTH, HEIGHT, !0)?;
        let pixels = all.reply()?.data.chunks_exact(4).map(|bgrx| [bgrx[2], bgrx[1], bgrx[0]]).collect();
        Ok(Screenshot { pixels })
    }

    fn fake(&self, event: u8, detail: u8, [x, y]: [i16; 2]) -> Result<()> {
        self.connection.xtest_fake_input(event, detail, CURRENT_TIME, NONE, x, y, 0)?.check()?;
        Ok(())
    }

    /// Presses the left button at the first place, moves straight to the second and lets go there.
    pub fn drag(&self, from: [i16; 2], to: [i16; 2]) -> Result<()> {
        self.drag_by(1, from, to)
    }

    /// The same with another button: 3 is the right one.
    pub fn drag_by(&self, button: u8, from: [i16; 2], to: [i16; 2]) -> Result<()> {
        self.fake(MOTION_NOTIFY_EVENT, 0, from)?;
        self.fake(BUTTON_PRESS_EVENT, button, from)?;
        self.fake(MOTION_NOTIFY_EVENT, 0, to)?;
        self.fake(BUTTON_RELEASE_EVENT, button, to)
    }

    /// Presses the left button there and holds it until `done`: a slider follows a button that is down in a frame.
    pub fn hold_until(&self, at: [i16; 2], done: impl FnOnce() -> Result<()>) -> Result<()> {
        self.fake(MOTION_NOTIFY_EVENT, 0, at)?;
        self.fake(BUTTON_PRESS_EVENT, 1, at)?;
        done()?;
        self.fake(BUTTON_RELEASE_EVENT, 1, at)
    }

    /// Presses Escape twice: back to the gallery, and out.
    pub fn close(&self) -> Result<()> {
        self.key(ESCAPE)?;
        self.key(ESCAPE)
    }

    /// Presses a key that does nothing, so that the line about what to do first goes.
    pub fn dismiss(&self) -> Result<()> {
        self.key('x'.into())
    }

    /// Puts a window over all others and the whole screen.
    pub fn cover(&self) -> Result<Window> {
        let cover = self.connection.generate_id()?;
        let above = CreateWindowAux::new().override_redirect(1).background_pixel(0);
        let (class, depth) = (WindowClass::INPUT_OUTPUT, x11rb::COPY_DEPTH_FROM_PARENT);
        let (connection, visual) = (&self.connection, x11rb::COPY_FROM_PARENT);
        let made = connection
            .create_window(depth, cover, self.root, 0, 0, WIDTH, HEIGHT, 0, class, visual, &above)?;
        made.check()?;
        connection.map_window(cover)?.check()?;
        Ok(cover)
    }

    /// Takes such a window away.
    pub fn uncover(&self, cover: Window) -> Result<()> {
        Ok(self.connection.destroy_window(cover)?.check()?)
    }

    /// Presses a key and lets it go.
    pub fn key(&self, keysym: u32) -> Result<()> {
        let keycode = self.keycode(keysym)?;
        self.fake(KEY_PRESS_EVENT, keycode, [0, 0])?;
        self.fake(KEY_RELEASE_EVENT, keycode, [0, 0])
    }

    /// Presses a key while another one is held, as [`CONTROL`].
    pub fn key_with(&self, held: u32, keysym: u32) -> Result<()> {
        let keycode = self.keycode(held)?;
        self.fake(KEY_PRESS_EVENT, keycode, [0, 0])?;
        self.key(keysym)?;
        self.fake(KEY_RELEASE_EVENT, keycode, [0, 0])
    }

    fn atom(&self, name: &str) -> Result<u32> {
        Ok(self.connection.intern_atom(false, name.as_bytes())?.reply()?.atom)
    }

    fn keycode(&self, keysym: u32) -> Result<u8> {
        let setup = self.connection.setup();
        let (first, last) = (setup.min_keycode, setup.max_keycode);
        let keys = self.connection.get_keyboard_mapping(first, last - first + 1)?.reply()?;
        let mut keys = keys.keysyms.chunks(usize::from(keys.keysyms_per_keycode));
        let place = keys.position(|keysyms| keysyms.contains(&keysym)).ok_or("no such key")?;
        Ok(first + place as u8)
    }
}

/// The program with its window open.
pub struct Opened<'a> {
    screen: &'a Screen,
    process: Guarded,
    window: Window,
}

impl Opened<'_> {
    pub fn resize(&self, width: u32, height: u32) -> Result<()> {
        let size = ConfigureWindowAux::new().width(width).height(height);
        self.screen.connection.configure_window(self.window, &size)?.check()?;
        Ok(())
    }

    /// Minimises the window as a window manager does: it says so and takes the window from the screen. Or brings it back.
    pub fn minimise(&self, minimised: bool) -> Result<()> {
        let (connection, screen) = (&self.screen.connection, self.screen);
        let (state, hidden) = (screen.atom("_NET_WM_STATE")?, screen.atom("_NET_WM_STATE_HIDDEN")?);
        let states = if minimised { vec![hidden] } else { Vec::new() };
        let (mode, kind) = (PropMode::REPLACE, AtomEnum::ATOM);
        connection.change_property32(mode, self.window, state, kind, &states)?.check()?;
        match minimised {
            true => connection.unmap_window(self.window)?.check()?,
            false => connection.map_window(self.window)?.check()?,
        }
        Ok(())
    }

    /// Presses the window's own button to close it, as a window manager does.
    pub fn ask_to_close(&self) -> Result<()> {
        let (connection, screen) = (&self.screen.connection, self.screen);
        let (kind, delete) = (screen.atom("WM_PROTOCOLS")?, screen.atom("WM_DELETE_WINDOW")?);
        let message = ClientMessageEvent::new(32, self.window, kind, [delete, CURRENT_TIME, 0, 0, 0]);
        Ok(connection.send_event(false, self.window, EventMask::NO_EVENT, message)?.check()?)
    }

    /// The title of the window.
    pub fn title(&self) -> Result<String> {
        let connection = &self.screen.connection;
        let title = connection.get_property(false, self.window, AtomEnum::WM_NAME, AtomEnum::ANY, 0, 100)?;
        let title = String::from_utf8(title.reply()?.value)?;
        Ok(title.trim_end_matches('\0').to_owned())
    }

    /// Waits for that title after "quadrille: ".
    pub fn shows(&self, name: &str) -> Result<()> {
        wait_for(name, || Ok((self.title()? == format!("quadrille: {name}")).then_some(())))
    }

    /// Waits until neither the program nor the screen has anything left to do: all keys and clicks have had their effect, and what
    /// can be seen stays.
    pub fn settled(&self) -> Result<()> {
        let mut looks = 0;
        wait_for("a program at rest", || {
            // A thread that ends between two questions was not asleep.
            let rest = sleeps(self.process.0.id())
                .and_then(|asleep| Ok(asleep && sleeps(self.screen.server.0.id())?));
            looks = if rest.unwrap_or(false) { looks + 1 } else { 0 };
            Ok((looks == LOOKS).then_some(()))
        })
    }

    /// Sends the program a signal, as "-INT".
    pub fn signal(&self, signal: &str) -> Result<()> {
        let id = self.process.0.id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status()?.success();
        if sent { Ok(()) } else { Err("kill".into()) }
    }

    /// Waits for the program to end; what it wrote to its stderr, which is a pipe.
    pub fn ended_with_words(mut self) -> Result<(ExitStatus, String)> {
        let pipe = self.process.0.stderr.take();
        let status = self.process.ended()?;
        let mut words = String::new();
        if let Some(mut pipe) = pipe {
            pipe.read_to_string(&mut words)?;
        }
        Ok((status, words))
    }

    /// Waits for the program to end.
    pub fn ended(self) -> Result<ExitStatus> {
        self.process.ended()
    }
}

/// The screen as it was at one moment.
pub struct Screenshot {
    pixels: Vec<[u8; 3]>,
}

impl Screenshot {
    pub fn at(&self, [x, y]: [i16; 2]) -> [u8; 3] {
        self.pixels[y as usize * usize::from(WIDTH) + x as usize]
    }

    /// The pixels of those columns.
    pub fn columns(&self, columns: std::ops::Range<usize>) -> impl Iterator<Item = [u8; 3]> {
        let rows = self.pixels.chunks(usize::from(WIDTH));
        rows.flat_map(move |row| row[columns.clone()].iter().copied())
    }

    /// Left, top, right and bottom of all pixels of that kind.
    pub fn bounds(&self, kind: impl Fn([u8; 3]) -> bool) -> Option<[i16; 4]> {
        self.bounds_from(0, kind)
    }

    /// The same of the columns from `first` on: the panel has a bar of all colours.
    pub fn bounds_from(&self, first: i16, kind: impl Fn([u8; 3]) -> bool) -> Option<[i16; 4]> {
        let rows = self.pixels.chunks(usize::from(WIDTH)).zip(0..);
        let places = rows.flat_map(|(row, y)| row.iter().zip(0..).map(move |(&pixel, x)| (pixel, x, y)));
        places.filter(|&(pixel, x, _)| x >= first && kind(pixel)).fold(None, |bounds, (_, x, y)| {
            let [left, top, right, bottom] = bounds.unwrap_or([x, y, x + 1, y + 1]);
            Some([left.min(x), top.min(y), right.max(x + 1), bottom.max(y + 1)])
        })
    }
}

//! The program for Windows under Wine, beside that for Linux (`make wine`, which builds it and says where it is).

use std::error::Error;
use std::fs::File;
use std::process::{Command, Stdio};

use crate::program::{Outcome, Program, values};
use crate::screen::{Screen, on_cpu, wait_for};
use crate::{STILL, is_empty, is_full};

/// The program for Windows with these arguments, in that folder.
fn windows(program: &Program, arguments: &str) -> Result<Command, Box<dyn Error>> {
    let built = std::env::var_os("QUADRILLE_EXE").ok_or("QUADRILLE_EXE names no program: make wine")?;
    let linux = program.command(arguments);
    let mut command = Command::new("wine");
    command.arg(built).args(linux.get_args()).env("LP_NUM_THREADS", "0");
    command.current_dir(linux.get_current_dir().ok_or("no folder")?);
    Ok(command)
}

/// The status of a run, and what it wrote. Wine's own processes keep a pipe open for longer than the program runs: files do not wait.
fn run(program: &Program, screen: &Screen, arguments: &str) -> Result<(i32, String, String), Box<dyn Error>> {
    let mut command = windows(program, arguments)?;
    command.stderr(File::create(program.path("err"))?);
    let status = screen.run_to(&mut command, File::create(program.path("out"))?.into())?;
    let text =
        |name: &str| -> Result<String, Box<dyn Error>> { Ok(String::from_utf8(program.bytes(name)?)?) };
    Ok((status.code().ok_or("killed")?, text("out")?, text("err")?))
}

/// One test on one screen: Wine's programs share a desktop, which ends with the screen that it began on.
#[test]
#[ignore = "make wine"]
fn wine_runs_the_program_for_windows() -> Outcome {
    let screen = Screen::start()?;
    states_and_pictures_have_the_bytes_of_linux(&screen)?;
    mistakes_have_their_status_and_a_line(&screen)?;
    a_window_opens_is_painted_on_and_closes(&screen)
}

fn states_and_pictures_have_the_bytes_of_linux(screen: &Screen) -> Outcome {
    let program = Program::new()?;
    let (status, out, err) = run(&program, screen, "info")?;
    assert_eq!(status, 0, "{err}");
    assert!(out.contains("WGL in a hidden window") && out.contains("llvmpipe"), "{out}");
    for demo in ["reaction-diffusion", "fluid", "wave"] {
        let run_of = |system| {
            format!("demo {demo} --headless --steps 50 --size 65x33 --out {system}.png --save {system}.npy")
        };
        let status = on_cpu(&mut program.command(&run_of("linux"))).stdout(Stdio::null()).status()?;
        assert!(status.success(), "{demo} on Linux: {status}");
        let (status, _, err) = run(&program, screen, &run_of("windows"))?;
        assert_eq!(status, 0, "{demo}: {err}");
        for kind in ["png", "npy"] {
            let of = |system| program.bytes(&format!("{system}.{kind}"));
            assert!(of("windows")? == of("linux")?, "{demo}: another .{kind} than on Linux");
        }
    }
    Ok(())
}

fn mistakes_have_their_status_and_a_line(screen: &Screen) -> Outcome {
    let program = Program::new()?;
    for (arguments, expected) in [
        ("demo heat --nonsense", 2),
        ("demo heat --headless --size 0x3", 2),
        ("demo wave --headless --steps 1 --load no.npy", 1),
        ("info --device 1", 1),
    ] {
        let (status, _, err) = run(&program, screen, arguments)?;
        assert_eq!(status, expected, "{arguments}: {err}");
        assert!(!err.contains("panicked") && !err.is_empty(), "{arguments}: {err}");
    }
    Ok(())
}

fn a_window_opens_is_painted_on_and_closes(screen: &Screen) -> Outcome {
    let program = Program::new()?;
    let arguments = format!("{STILL} --colours viridis --save state.npy");
    let window = screen.open(&mut windows(&program, &arguments)?, "1")?;
    let [left, top, right, bottom] = wait_for("a square picture", || {
        let bounds = screen.look()?.bounds_from(290, is_empty);
        Ok(bounds.filter(|&[left, top, right, bottom]| right - left > 500 && right - left == bottom - top))
    })?;
    let pixel = |x: i16, y: i16| {
        let [width, height] = [right - left, bottom - top].map(i32::from);
        [
            left + ((2 * i32::from(x) + 1) * width / 128) as i16,
            top + ((2 * i32::from(y) + 1) * height / 128) as i16,
        ]
    };
    screen.drag(pixel(8, 8), pixel(8, 8))?;
    wait_for("a dot", || Ok(is_full(screen.look()?.at(pixel(8, 8))).then_some(())))?;
    screen.close()?;
    assert_eq!(window.ended()?.code(), Some(0));
    let state = values(&program.bytes("state.npy")?);
    let v = |x: usize, y: usize| state[(y * 64 + x) * 2 + 1];
    assert!(v(8, 8) > 0.4 && v(2, 8) > 0.4 && v(8, 2) > 0.4 && v(8, 18) == 0.0 && v(18, 8) == 0.0);
    Ok(())
}

//! The window as a person meets it: looked at, clicked on, closed. Each test has a screen of its own.

mod arrays;
mod clouds;
mod equations;
mod example;
mod fluid;
mod gallery;
mod heat;
mod liquid;
#[path = "../cli/program.rs"]
#[expect(dead_code)]
mod program;
mod screen;
mod strip;
mod wine;

use std::collections::HashSet;
use std::error::Error;
use std::fs;

use program::{Outcome, Program, npy, values};
use quadrille::view::{Camera, Perspective};
use screen::{R, S, SPACE, Screen, on_cpu, wait_for};

/// The first columns that the panel has not.
const BESIDE_PANEL: usize = 300;

/// Nothing flows and nothing is fed: what is painted stays, in the last colour.
const STILL: &str = "demo reaction-diffusion --size 64x64 --F 0 --k 0 --Du 0 --Dv 0 --edges clamp --show v";

/// The first colour of viridis, where nothing is, and the last.
fn is_empty([r, g, b]: [u8; 3]) -> bool {
    r.abs_diff(68) < 4 && g < 5 && b.abs_diff(84) < 4
}

fn is_full([r, g, b]: [u8; 3]) -> bool {
    r.abs_diff(253) < 4 && g.abs_diff(231) < 4 && b.abs_diff(37) < 4
}

/// How many colours there are.
fn count(pixels: &[[u8; 3]]) -> usize {
    pixels.iter().collect::<HashSet<_>>().len()
}

#[test]
fn a_picture_of_many_colours_moves_until_it_is_paused_and_escape_closes_it() -> Outcome {
    let (program, screen) = (Program::new()?, Screen::start()?);
    let window = screen.open(&mut program.command("demo reaction-diffusion --size 128x128"), "1")?;
    let picture = || -> Result<Vec<[u8; 3]>, Box<dyn Error>> {
        Ok(screen.look()?.columns(BESIDE_PANEL..1000).collect())
    };
    wait_for("a picture of many colours", || Ok((count(&picture()?) > 50).then_some(())))?;
    let before = picture()?;
    wait_for("the picture to move", || Ok((picture()? != before).then_some(())))?;
    screen.key(SPACE)?;
    window.settled()?;
    assert!(picture()? == picture()?, "it stands still");
    screen.close()?;
    assert_eq!(window.ended()?.code(), Some(0));
    Ok(())
}

#[test]
fn the_mouse_paints_where_it_points_without_gaps() -> Outcome {
    let (program, screen) = (Program::new()?, Screen::start()?);
    let arguments = format!("{STILL} --colours viridis --save state.npy");
    let window = screen.open(&mut program.command(&arguments), "1.25")?;
    window.resize(900, 500)?;
    let [left, top, right, bottom] = wait_for("a square picture as high as the window", || {
        let bounds = screen.look()?.bounds_from(345, is_empty);
        Ok(bounds.filter(|&[left, top, right, bottom]| right - left == 500 && bottom - top == 500))
    })?;
    let pixel = |x: f32, y: f32| {
        let (width, height) = (f32::from(right - left), f32::from(bottom - top));
        [left + (x / 64.0 * width) as i16, top + (y / 64.0 * height) as i16]
    };
    screen.drag(pixel(8.5, 8.5), pixel(8.5, 8.5))?;
    wait_for("a dot", || Ok(is_full(screen.look()?.at(pixel(8.5, 8.5))).then_some(())))?;
    screen.drag(pixel(52.5, 4.5), pixel(52.5, 58.5))?;
    wait_for("a line", || {
        let sight = screen.look()?;
        Ok((4..59).all(|y| is_full(sight.at(pixel(52.5, y as f32 + 0.5)))).then_some(()))
    })?;
    assert!(is_empty(screen.look()?.at(pixel(8.5, 55.5))));
    screen.close()?;
    assert_eq!(window.ended()?.code(), Some(0));
    let state = values(&program.bytes("state.npy")?);
    let v = |x: usize, y: usize| state[(y * 64 + x) * 2 + 1];
    // Radius 8: row 0 of the state is the top row of the picture.
    assert!(v(8, 8) > 0.4 && v(2, 8) > 0.4 && v(8, 2) > 0.4);
    assert!((4..59).all(|y| v(52, y) > 0.4 && v(46, y) > 0.4 && v(58, y) > 0.4));
    assert!(v(8, 18) == 0.0 && v(18, 8) == 0.0 && v(8, 55) == 0.0);
    Ok(())
}

/// The panel's buttons of a window of 960x640, at a point a pixel.
const SQUARE: [i16; 2] = [180, 527];

/// The colour of the chosen one of several in the panel.
fn is_chosen([r, g, b]: [u8; 3]) -> bool {
    r < 30 && g.abs_diff(92) < 10 && b.abs_diff(128) < 10
}

#[test]
fn a_click_of_a_square_brush_changes_the_cells_of_a_square_and_no_other() -> Outcome {
    let (program, screen) = (Program::new()?, Screen::start()?);
    let arguments = format!("{STILL} --colours viridis --save state.npy");
    let window = screen.open(&mut program.command(&arguments), "1")?;
    window.resize(960, 640)?;
    wait_for("a square picture as high as the window", || {
        let bounds = screen.look()?.bounds_from(290, is_empty);
        Ok(bounds.filter(|&[left, top, right, bottom]| [left, top, right, bottom] == [300, 0, 940, 640]))
    })?;
    screen.drag(SQUARE, SQUARE)?;
    let beside = [SQUARE[0] - 7, SQUARE[1]];
    wait_for("the square tip to be chosen", || Ok(is_chosen(screen.look()?.at(beside)).then_some(())))?;
    // Ten pixels a cell: the middle of column 10 and row 50.
    let middle = [300 + 105, 505];
    screen.drag(middle, middle)?;
    wait_for("its corner", || Ok(is_full(screen.look()?.at([300 + 25, 425])).then_some(())))?;
    screen.close()?;
    assert_eq!(window.ended()?.code(), Some(0));
    // There was something in the middle, which reacts and does not spread.
    program.succeed(&format!("{STILL} --headless --steps 0 --save begun.npy"))?;
    let [begun, state] = ["begun.npy", "state.npy"].map(|name| program.bytes(name));
    for (cell, (found, old)) in values(&state?).chunks(2).zip(values(&begun?).chunks(2)).enumerate() {
        let (x, y) = (cell % 64, cell / 64);
        // Radius 8.
        let inside = x.abs_diff(10) <= 8 && y.abs_diff(50) <= 8;
        assert_eq!(found[1] > 0.0, inside || old[1] > 0.0, "{x}, {y}: {found:?}");
    }
    Ok(())
}

#[test]
fn the_left_button_throws_a_body_in_among_those_that_glow() -> Outcome {
    let (program, screen) = (Program::new()?, Screen::start()?);
    let window =
        screen.open(&mut program.command("demo nbody --scene figure-eight --save bodies.npy"), "1")?;
    let picture = || -> Result<Vec<[u8; 3]>, Box<dyn Error>> {
        Ok(screen.look()?.columns(BESIDE_PANEL..1000).collect())
    };
    let lit = |pixels: &[[u8; 3]]| pixels.iter().filter(|pixel| pixel.iter().any(|&part| part > 90)).count();
    wait_for("bodies with tails", || Ok((lit(&picture()?) > 300).then_some(())))?;
    screen.key(SPACE)?;
    window.settled()?;
    let still = picture()?;
    screen.drag([700, 300], [600, 400])?;
    wait_for("a body more", || {
        let now = picture()?;
        Ok((now != still && lit(&now) > lit(&still)).then_some(()))
    })?;
    screen.close()?;
    assert_eq!(window.ended()?.code(), Some(0));
    // Three bodies of mass 1, and a twentieth of that; seven numbers each, the mass the last.
    let numbers = values(&program.bytes("bodies.npy")?);
    let masses: Vec<f32> = numbers.chunks(7).filter_map(|body| body.last().copied()).collect();
    assert_eq!(masses.len(), 4, "{masses:?}");
    assert!((masses.iter().sum::<f32>() - 3.15).abs() < 1e-5, "{masses:?}");
    Ok(())
}

/// The panel is dark, the terrace in haze is not.
fn is_terrace([r, _, _]: [u8; 3]) -> bool {
    r > 100
}

#[test]
fn a_drop_falls_where_the_water_is_clicked() -> Outcome {
    let (program, screen) = (Program::new()?, Screen::start()?);
    fs::write(program.path("still.npy"), npy("40, 64, 2", [0.0; 40 * 64 * 2]))?;
    let arguments = "demo wave --load still.npy --edges reflecting --save state.npy";
    let window = screen.open(&mut program.command(arguments), "1.25")?;
    let (width, height) = (900i16, 500i16);
    window.resize(width as u32, height as u32)?;
    let sight_is_whole = |x: i16| {
        let sight = screen.look()?;
        // The upper row of the panel is empty, and the window is as large as it was asked to be.
        // A screen without a window is black.
        let whole = sight.at([width - 1, height - 1]) != [0; 3] && sight.at([width, height - 1]) == [0; 3];
        let first = (x..width).find(|&x| is_terrace(sight.at([x, 0])));
        Ok(first.filter(|&left| whole && left > 200))
    };
    wait_for("water beside the panel", || sight_is_whole(0))?;
    screen.key(SPACE)?;
    // A picture that is still on its way to the window's new size has its water elsewhere, and must not be taken for the drop.
    window.settled()?;
    let left = sight_is_whole(0)?.ok_or("no water beside the panel")?;
    let [across, down] = [f64::from(width - left), f64::from(height)];
    let perspective = Perspective::new(&Camera::default(), 64, 40, across / down)?;
    let cell = [45.5, 12.5];
    let [x, y] = perspective.picture_of(cell);
    let pixel = [left + (x * across) as i16, (y * down) as i16];
    let before = screen.look()?;
    screen.drag(pixel, pixel)?;
    wait_for("a drop", || Ok((screen.look()?.at(pixel) != before.at(pixel)).then_some(())))?;
    screen.close()?;
    assert_eq!(window.ended()?.code(), Some(0));
    let state = values(&program.bytes("state.npy")?);
    // A drop has no volume, so its heights weigh by their squares.
    let heights: Vec<f64> = state.iter().step_by(2).map(|&h| f64::from(h).powi(2)).collect();
    let weight: f64 = heights.iter().sum();
    let mean = |place: fn(usize) -> usize| {
        let moment = heights.iter().enumerate().map(|(i, &h)| h * (place(i) as f64 + 0.5));
        moment.sum::<f64>() / weight
    };
    // Waves from a drop keep its middle, unless they have met an edge.
    let middle = [mean(|i| i % 64), mean(|i| i / 64)];
    assert!(weight > 0.1, "{weight}");
    assert!((middle[0] - cell[0]).abs() < 1.0 && (middle[1] - cell[1]).abs() < 1.0, "{middle:?}");
    Ok(())
}

#[test]
fn formats_move_side_by_side_and_leave_their_plot_when_the_window_closes() -> Outcome {
    let (program, screen) = (Program::new()?, Screen::start()?);
    let arguments = "demo formats --what orbit --size 96x96 --plot errors.png";
    let window = screen.open(&mut program.command(arguments), "1.25")?;
    let picture = || -> Result<Vec<[u8; 3]>, Box<dyn Error>> {
        Ok(screen.look()?.columns(BESIDE_PANEL..1000).collect())
    };
    wait_for("trails of many colours", || Ok((count(&picture()?) > 20).then_some(())))?;
    let before = picture()?;
    wait_for("the planets to move", || Ok((picture()? != before).then_some(())))?;
    screen.close()?;
    assert_eq!(window.ended()?.code(), Some(0));
    assert!(program.bytes("errors.png")?.starts_with(b"\x89PNG"));
    Ok(())
}

/// Cubes are of the colours of brick; the ground and the sky are greyer.
fn is_brick([r, g, _]: [u8; 3]) -> bool {
    r.saturating_sub(g) > 13
}

#[test]
fn a_stone_flies_at_the_cube_that_is_clicked_and_a_reset_takes_it_away() -> Outcome {
    let (program, screen) = (Program::new()?, Screen::start()?);
    let cube = |x: f32| [x, 0.5, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    fs::write(program.path("two.npy"), npy("2, 13", [cube(-4.0), cube(4.0)].concat()))?;
    // Nothing moves that is not pushed.
    let arguments = "demo wall --load two.npy --gravity 0 --friction 0 --save state.npy";
    let window = screen.open(&mut program.command(arguments), "1")?;
    wait_for("cubes", || Ok(screen.look()?.bounds(is_brick)))?;
    screen.key(SPACE)?;
    let picture = || -> Result<Vec<[u8; 3]>, Box<dyn Error>> {
        Ok(screen.look()?.columns(BESIDE_PANEL..1000).collect())
    };
    let still = || -> Result<Vec<[u8; 3]>, Box<dyn Error>> {
        window.settled()?;
        picture()
    };
    let before = still()?;
    // Seen from the right, the right cube is the nearer: it lies lower.
    let [_, top, right, bottom] = screen.look()?.bounds(is_brick).ok_or("no cubes")?;
    let right_cube = [right - (bottom - top) / 6, bottom - (bottom - top) / 6];
    screen.drag(right_cube, right_cube)?;
    wait_for("a glow", || Ok((picture()? != before).then_some(())))?;
    let glowing = still()?;
    screen.key(S)?;
    wait_for("a step", || Ok((picture()? != glowing).then_some(())))?;
    screen.key(R)?;
    wait_for("the cubes as they were", || Ok((picture()? == before).then_some(())))?;
    screen.drag(right_cube, right_cube)?;
    wait_for("a glow", || Ok((picture()? == glowing).then_some(())))?;
    for _ in 0..3 {
        screen.key(S)?;
    }
    wait_for("steps", || Ok((picture()? != glowing).then_some(())))?;
    still()?;
    screen.close()?;
    assert_eq!(window.ended()?.code(), Some(0));
    let state = values(&program.bytes("state.npy")?);
    // Half sides and mass besides, where not all are cubes; nothing is hit yet.
    assert_eq!((state.len(), &state[..13]), (3 * 17, &cube(-4.0)[..]), "the left cube");
    let (speed, mass) = (&state[2 * 17 + 7..2 * 17 + 10], state[3 * 17 - 1]);
    // Away from a viewer who stands to the right of the front.
    assert!(mass == 40.0 && speed[2] < -5.0 && speed[0] < -2.0, "{speed:?}");
    Ok(())
}

#[test]
fn the_blast_of_the_panel_has_the_strength_of_its_slider() -> Outcome {
    let (program, screen) = (Program::new()?, Screen::start()?);
    let arguments =
        "demo wall --columns 3 --rows 3 --gravity 0 --friction 0 --form reference --save state.npy";
    let window = screen.open(&mut program.command(arguments), "1")?;
    wait_for("cubes", || Ok(screen.look()?.bounds(is_brick)))?;
    screen.key(SPACE)?;
    let picture = || -> Result<Vec<[u8; 3]>, Box<dyn Error>> {
        Ok(screen.look()?.columns(BESIDE_PANEL..1000).collect())
    };
    let before = picture()?;
    // The button lies in the eighth row of the panel; nothing else there changes a cube's motion.
    screen.drag([30, 218], [30, 218])?;
    for _ in 0..5 {
        screen.key(S)?;
    }
    wait_for("cubes that move", || Ok((picture()? != before).then_some(())))?;
    screen.close()?;
    assert_eq!(window.ended()?.code(), Some(0));
    let state = values(&program.bytes("state.npy")?);
    let middle = &state[4 * 13 + 7..][..3];
    assert!((-6.1..=-4.0).contains(&middle[2]) && middle[0].abs() < 0.5, "{middle:?}");
    Ok(())
}

#[test]
fn a_run_in_a_window_writes_the_same_files_as_one_without() -> Outcome {
    for demo in [
        "reaction-diffusion --size 100x60",
        "wave --size 100x60",
        "wave --size 100x60 --view flat --scheme implicit",
        "wall --columns 4 --rows 3 --push 6 --picture 200x150",
        "heat --size 100x60 --flow depth",
    ] {
        let (with, without, screen) = (Program::new()?, Program::new()?, Screen::start()?);
        let arguments = format!("demo {demo} --steps 60 --save state.npy --out a.png --every 25");
        assert_eq!(screen.run(&mut with.command(&arguments))?.code(), Some(0));
        let headless = on_cpu(&mut without.command(&arguments)).arg("--headless").output()?;
        assert_eq!(headless.status.code(), Some(0));
        let files = ["a-000000.png", "a-000025.png", "a-000050.png", "a-000060.png", "state.npy"];
        assert_eq!(with.files()?, files);
        assert_eq!(without.files()?, files);
        for file in files {
            assert!(with.bytes(file)? == without.bytes(file)?, "{file} of {demo} differs");
        }
    }
    Ok(())
}

#[test]
fn a_kernel_that_does_not_compile_is_shown_in_red_until_it_does() -> Outcome {
    let (program, screen) = (Program::new()?, Screen::start()?);
    let kernel =
        fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../glsl/sim/gray_scott_step.frag"))?;
    fs::create_dir_all(program.path("glsl/sim"))?;
    // As an editor writes: never half a file.
    let write = |text: &str| {
        fs::write(program.path("draft"), text)?;
        fs::rename(program.path("draft"), program.path("glsl/sim/gray_scott_step.frag"))
    };
    write(&kernel)?;
    let window = screen.open(&mut program.command(&format!("{STILL} --colours viridis --watch")), "1")?;
    let panel = || -> Result<Vec<[u8; 3]>, Box<dyn Error>> { Ok(screen.look()?.columns(0..270).collect()) };
    let red = || -> Result<usize, Box<dyn Error>> {
        // The dots on the map of F and k are orange.
        let is_red = |&&[r, g, b]: &&[u8; 3]| r > 150 && f32::from(g.max(b)) < 0.4 * f32::from(r);
        Ok(panel()?.iter().filter(is_red).count())
    };
    wait_for("the panel", || Ok((count(&panel()?) > 20).then_some(())))?;
    assert_eq!(red()?, 0);
    write(&kernel.replace("void main", "nonsense void main"))?;
    wait_for("an error in red", || Ok((red()? > 100).then_some(())))?;
    write(&kernel)?;
    wait_for("the error to go", || Ok((red()? == 0).then_some(())))?;
    screen.close()?;
    assert_eq!(window.ended()?.code(), Some(0));
    Ok(())
}

#[test]
fn without_a_display_there_is_one_line_with_the_way_out() -> Outcome {
    let program = Program::new()?;
    let mut command = program.command("demo reaction-diffusion --out a.png");
    for variable in ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"] {
        command.env_remove(variable);
    }
    let output = command.output()?;
    let err = String::from_utf8(output.stderr)?;
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert!(err.starts_with("quadrille: no window: ") && err.contains("--headless"), "{err}");
    assert_eq!(err.lines().count(), 1, "{err}");
    assert!(output.stdout.is_empty() && program.files()?.is_empty());
    Ok(())
}

//! The plate of heat: drawn on by hand, switched from way to way, and stopped when nothing changes any more.

use std::fs;

use quadrille_oracle::heat::Plate;

use crate::program::{Outcome, Program, npy, values};
use crate::screen::{R, Screen, wait_for};

/// The colour of obstacles.
fn is_slate([r, g, b]: [u8; 3]) -> bool {
    r.abs_diff(92) < 4 && g.abs_diff(110) < 4 && b.abs_diff(128) < 4
}

/// The last colour of inferno, where all is hot.
fn is_hot([r, g, b]: [u8; 3]) -> bool {
    r.abs_diff(252) < 4 && g > 250 && b.abs_diff(164) < 4
}

/// The colour of the chosen one of several in the panel.
fn is_chosen([r, g, b]: [u8; 3]) -> bool {
    r < 30 && g.abs_diff(92) < 10 && b.abs_diff(128) < 10
}

#[test]
fn obstacles_are_drawn_by_hand_while_heat_spreads_around_them() -> Outcome {
    let (program, screen) = (Program::new()?, Screen::start()?);
    fs::write(program.path("bare.npy"), npy("64, 64, 3", [1.0, 1.0, 1.0].repeat(64 * 64)))?;
    let arguments = "demo heat --load bare.npy --edges insulated --save state.npy";
    let window = screen.open(&mut program.command(arguments), "1.25")?;
    window.resize(900, 500)?;
    let [left, top, right, bottom] = wait_for("a square plate as high as the window", || {
        let bounds = screen.look()?.bounds_from(280, is_hot);
        Ok(bounds.filter(|&[left, top, right, bottom]| right - left == 500 && bottom - top == 500))
    })?;
    let pixel = |x: f32, y: f32| {
        let (width, height) = (f32::from(right - left), f32::from(bottom - top));
        [left + (x / 64.0 * width) as i16, top + (y / 64.0 * height) as i16]
    };
    screen.drag(pixel(40.5, 4.5), pixel(40.5, 58.5))?;
    wait_for("a wall", || {
        let sight = screen.look()?;
        Ok((4..59).all(|y| is_slate(sight.at(pixel(40.5, y as f32 + 0.5)))).then_some(()))
    })?;
    screen.close()?;
    assert_eq!(window.ended()?.code(), Some(0));
    let state = values(&program.bytes("state.npy")?);
    let open = |x: usize, y: usize| state[(y * 64 + x) * 3 + 1] > 0.0;
    assert!((4..59).all(|y| !open(40, y) && !open(33, y) && open(31, y) && open(50, y)));
    assert!(state.chunks(3).all(|cell| cell[0] == 1.0), "an obstacle neither heats nor cools");
    Ok(())
}

/// A plate that is held hot, with a cold square in the middle of it: columns and rows 28 to 35.
#[test]
fn the_cells_that_an_isotherm_crosses_have_white_edges() -> Outcome {
    let (program, screen) = (Program::new()?, Screen::start()?);
    let is_cold = |i: usize| (28..36).contains(&(i % 64)) && (28..36).contains(&(i / 64));
    let cells = (0..64 * 64).flat_map(|i| [f32::from(u8::from(!is_cold(i))), 1.0, 0.0]);
    fs::write(program.path("held.npy"), npy("64, 64, 3", cells))?;
    let window = screen.open(&mut program.command("demo heat --load held.npy --isotherm 0.5"), "1")?;
    window.resize(900, 512)?;
    let [left, top, ..] = wait_for("a square plate as high as the window", || {
        let bounds = screen.look()?.bounds_from(280, is_hot);
        Ok(bounds.filter(|&[left, top, right, bottom]| right - left == 512 && bottom - top == 512))
    })?;
    // A texel has eight pixels, an edge is drawn inside its cell.
    let first_of = |x: i16, y: i16| [left + 8 * x, top + 8 * y + 4];
    let is_white = |colour: [u8; 3]| colour.into_iter().all(|part| part > 200);
    wait_for("four cells of 8x8 around the corners of the square", || {
        let sight = screen.look()?;
        let edges: Vec<i16> = (1..64).filter(|&x| is_white(sight.at(first_of(x, 26)))).collect();
        Ok((edges == [24, 32]).then_some(()))
    })?;
    let sight = screen.look()?;
    assert!((0..64).all(|x| !is_white(sight.at(first_of(x, 20)))), "no cell there");
    screen.close()?;
    assert_eq!(window.ended()?.code(), Some(0));
    Ok(())
}

/// The ways stand below scene, edges and colours, three in the first row: the middles of their words.
const PLACES: [[i16; 2]; 6] = [[69, 150], [143, 150], [216, 150], [53, 173], [94, 173], [153, 173]];

#[test]
fn a_click_switches_the_way_while_it_runs() -> Outcome {
    let (program, screen) = (Program::new()?, Screen::start()?);
    let window = screen.open(&mut program.command("demo heat --size 96x64"), "1")?;
    wait_for("the panel", || Ok(screen.look()?.bounds(is_chosen)))?;
    // Above a word.
    let above = |[x, y]: [i16; 2]| [x, y - 8];
    for place in PLACES {
        screen.drag(place, place)?;
        wait_for(
            "the way that was clicked",
            || Ok(is_chosen(screen.look()?.at(above(place))).then_some(())),
        )?;
    }
    assert!(!is_chosen(screen.look()?.at(above(PLACES[0]))), "one at a time");
    screen.close()?;
    assert_eq!(window.ended()?.code(), Some(0));
    Ok(())
}

#[test]
fn it_stops_by_itself_when_it_is_steady_and_a_reset_starts_it_again() -> Outcome {
    let (program, screen) = (Program::new()?, Screen::start()?);
    let (side, epsilon) = (48, 1e-3);
    let arguments = format!("demo heat --size {side}x{side} --until {epsilon} --save state.npy");
    let window = screen.open(&mut program.command(&arguments), "1")?;
    wait_for("a picture", || Ok(screen.look()?.bounds(is_slate)))?;
    window.settled()?;
    screen.key(R)?;
    window.settled()?;
    screen.close()?;
    assert_eq!(window.ended()?.code(), Some(0));
    let state = values(&program.bytes("state.npy")?);
    let part = |i: usize| state.iter().skip(i).step_by(3).map(|&v| f64::from(v));
    let sides = [Some(1.0), Some(0.0), None, None];
    let (open, free) = (part(1).map(|v| v > 0.0).collect(), part(2).map(|v| v > 0.0).collect());
    let plate = Plate { width: side, height: side, beta: 0.25, sides, open, free };
    let u: Vec<f64> = part(0).collect();
    assert!(u.iter().sum::<f64>() > 100.0, "heat came in");
    // A step makes no change larger but for its roundings.
    assert!(plate.step(&u).iter().zip(&u).all(|(next, u)| (next - u).abs() <= epsilon + 1e-6));
    Ok(())
}

#[test]
fn it_is_steady_after_the_same_step_as_without_a_window() -> Outcome {
    let (program, screen) = (Program::new()?, Screen::start()?);
    let heat = "demo heat --size 32x32 --until 1e-3";
    program.succeed(&format!("{heat} --headless --save alone.npy"))?;
    // With --steps it closes by itself.
    let ended = screen.run(&mut program.command(&format!("{heat} --steps 100000 --save window.npy")))?;
    assert_eq!(ended.code(), Some(0));
    assert_eq!(program.bytes("alone.npy")?, program.bytes("window.npy")?);
    Ok(())
}

#[test]
fn an_interrupted_window_writes_its_files_and_says_so_by_its_status() -> Outcome {
    for signal in ["-INT", "-TERM"] {
        let (program, screen) = (Program::new()?, Screen::start()?);
        let mut command = program.command("demo heat --size 32x32 --save state.npy");
        let window = screen.open(command.stderr(std::process::Stdio::piped()), "1")?;
        wait_for("a plate", || Ok(screen.look()?.bounds(is_slate)))?;
        window.signal(signal)?;
        let (status, err) = window.ended_with_words()?;
        assert_eq!(status.code(), Some(130), "{err}");
        // Whoever waits for the end because the machine is busy is told so, before the line that is meant.
        let told = "stops after this step; Ctrl-C once more ends it at once\n";
        let last = err.strip_prefix(told).unwrap_or(&err);
        assert!(last.starts_with("quadrille: interrupted after ") && last.lines().count() == 1, "{err}");
        assert_eq!(values(&program.bytes("state.npy")?).len(), 32 * 32 * 3);
    }
    Ok(())
}

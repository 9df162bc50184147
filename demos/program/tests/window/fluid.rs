//! A fluid: walled in, pushed and dyed by the mouse.

use crate::program::{Outcome, Program, values};
use crate::screen::{SPACE, Screen, wait_for};

/// The grey of solids, away from their rim.
fn is_solid([r, g, b]: [u8; 3]) -> bool {
    r.abs_diff(91) < 8 && g.abs_diff(106) < 8 && b.abs_diff(120) < 8
}

/// Where nothing is: bluish, which what lies around the picture is not.
fn is_dark([r, g, b]: [u8; 3]) -> bool {
    r < 30 && g < 34 && b < 45 && b > r + 5
}

/// A square box of 32 cells on 640 pixels, in which hardly anything moves of itself.
#[test]
fn the_right_button_draws_solids_and_the_left_one_pours_dye_where_they_point() -> Outcome {
    let (program, screen) = (Program::new()?, Screen::start()?);
    let run = "demo fluid --scene vortices --size 33x33 --time-step 1e-6 --save state.npy";
    let window = screen.open(&mut program.command(run), "1")?;
    window.resize(920, 640)?;
    // A thin line along its walls covers a pixel or two of each side.
    let [left, _, right, _] = wait_for("a square box as high as the window", || {
        let bounds = screen.look()?.bounds(is_dark);
        let is_whole = |side: i16| (636..=640).contains(&side);
        Ok(bounds.filter(|&[left, top, right, bottom]| is_whole(right - left) && is_whole(bottom - top)))
    })?;
    let left = (left + right) / 2 - 320;
    let pixel = |x: f32, y: f32| [left + (x * 20.0) as i16, (640.0 - y * 20.0) as i16];
    screen.drag_by(3, pixel(3.0, 24.0), pixel(3.0, 10.0))?;
    wait_for("a wall", || {
        let sight = screen.look()?;
        Ok([24.0, 20.0, 15.0, 10.0].iter().all(|&y| is_solid(sight.at(pixel(3.0, y)))).then_some(()))
    })?;
    let sight = screen.look()?;
    assert!(is_dark(sight.at(pixel(3.0, 4.0))) && is_dark(sight.at(pixel(29.0, 29.0))));
    // While it rests, too.
    screen.key(SPACE)?;
    screen.drag_by(3, pixel(20.0, 28.0), pixel(28.0, 28.0))?;
    wait_for("a second wall", || Ok(is_solid(screen.look()?.at(pixel(24.0, 28.0))).then_some(())))?;
    screen.drag(pixel(22.0, 5.0), pixel(28.0, 5.0))?;
    wait_for("dye", || Ok((!is_dark(screen.look()?.at(pixel(25.0, 5.0)))).then_some(())))?;
    screen.close()?;
    assert_eq!(window.ended()?.code(), Some(0));
    let state = values(&program.bytes("state.npy")?);
    let number = |plane: usize, x: usize, y: usize| state[(plane * 33 + y) * 33 + x];
    // Rows count from the south.
    assert!((10..24).all(|y| number(6, 2, y) == 1.0 && number(6, 3, y) == 1.0));
    assert!(number(6, 24, 28) == 1.0 && number(6, 3, 4) == 0.0 && number(6, 28, 20) == 0.0);
    assert!((2..5).any(|colour| number(colour, 25, 5) > 0.05), "dye is there");
    assert!((2..5).all(|colour| number(colour, 25, 24) < 1e-3), "and not at its mirror image");
    Ok(())
}

#[test]
fn a_click_on_another_scene_begins_it_anew() -> Outcome {
    let (program, screen) = (Program::new()?, Screen::start()?);
    let run = "demo fluid --scene taylor-green --size 24x24 --save state.npy";
    let window = screen.open(&mut program.command(run), "1")?;
    let is_chosen = |[r, g, b]: [u8; 3]| r < 30 && g > 70 && b > 100;
    wait_for("the panel", || Ok(screen.look()?.bounds(is_chosen)))?;
    // The first of the scenes, the plume.
    screen.drag([70, 48], [70, 48])?;
    wait_for("the plume", || Ok(is_chosen(screen.look()?.at([70, 40])).then_some(())))?;
    screen.close()?;
    assert_eq!(window.ended()?.code(), Some(0));
    assert_eq!(values(&program.bytes("state.npy")?).len(), 12 * 161 * 193);
    Ok(())
}

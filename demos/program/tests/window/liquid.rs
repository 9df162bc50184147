//! A box of water: seen from another side, stepped, and as its slices.

use std::error::Error;

use crate::BESIDE_PANEL;
use crate::program::{Outcome, Program, values};
use crate::screen::{S, SPACE, Screen, wait_for};

#[test]
fn a_dam_breaks_the_left_button_pushes_it_and_the_right_one_turns_the_camera() -> Outcome {
    let (program, screen) = (Program::new()?, Screen::start()?);
    let run = "demo liquid --size 10 --save state.npy";
    let window = screen.open(&mut program.command(run), "1")?;
    let picture = || -> Result<Vec<[u8; 3]>, Box<dyn Error>> {
        Ok(screen.look()?.columns(BESIDE_PANEL..1000).collect())
    };
    let lit = |pixels: &[[u8; 3]]| pixels.iter().filter(|pixel| pixel.iter().any(|&part| part > 90)).count();
    wait_for("water on its floor", || Ok((lit(&picture()?) > 300).then_some(())))?;
    screen.key(SPACE)?;
    window.settled()?;
    let still = picture()?;
    // A push is not seen before the next step.
    screen.drag([700, 300], [600, 400])?;
    window.settled()?;
    assert!(picture()? == still, "the left button turned the camera");
    screen.drag_by(3, [700, 300], [600, 400])?;
    let turned = wait_for("another view of it", || {
        let now = picture()?;
        Ok((now != still && lit(&now) > 100).then_some(now))
    })?;
    screen.key(S)?;
    wait_for("a step", || Ok((picture()? != turned).then_some(())))?;
    screen.close()?;
    assert_eq!(window.ended()?.code(), Some(0));
    assert_eq!(values(&program.bytes("state.npy")?).len(), 11 * 11 * 11 * 5);
    Ok(())
}

#[test]
fn slices_are_a_flat_map() -> Outcome {
    let (program, screen) = (Program::new()?, Screen::start()?);
    let run = "demo liquid --size 16 --scene smoke --view slices";
    let window = screen.open(&mut program.command(run), "1")?;
    // No map has the colour of the lines between slices.
    wait_for("lines between slices", || {
        let mauve = |pixel: &[u8; 3]| *pixel == [120, 96, 112];
        Ok((screen.look()?.columns(BESIDE_PANEL..1000).filter(mauve).count() > 300).then_some(()))
    })?;
    screen.close()?;
    assert_eq!(window.ended()?.code(), Some(0));
    Ok(())
}

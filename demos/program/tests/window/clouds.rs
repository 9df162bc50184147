//! Clouds: a sky that the mouse makes one in.

use std::error::Error;

use crate::BESIDE_PANEL;
use crate::program::{Outcome, Program, values};
use crate::screen::{S, SPACE, Screen, wait_for};

#[test]
fn the_mouse_makes_a_cloud_in_a_clear_sky() -> Outcome {
    let (program, screen) = (Program::new()?, Screen::start()?);
    let window = screen.open(&mut program.command("demo clouds --size 48x28 --save state.npy"), "1")?;
    let count = |is: fn(&[u8; 3]) -> bool| -> Result<usize, Box<dyn Error>> {
        Ok(screen.look()?.columns(BESIDE_PANEL..1000).filter(is).count())
    };
    let blue = |&[r, _, b]: &[u8; 3]| b > 150 && b > r.saturating_add(50);
    let white = |pixel: &[u8; 3]| pixel.iter().all(|&part| part > 205);
    wait_for("a blue sky", || Ok((count(blue)? > 10_000).then_some(())))?;
    screen.key(SPACE)?;
    window.settled()?;
    let clear = count(white)?;
    for _ in 0..6 {
        screen.drag([550, 300], [750, 300])?;
    }
    wait_for("a cloud", || {
        screen.key(S)?;
        Ok((count(white)? > clear + 200).then_some(()))
    })?;
    screen.close()?;
    assert_eq!(window.ended()?.code(), Some(0));
    assert_eq!(values(&program.bytes("state.npy")?).len(), 6 * 29 * 48);
    Ok(())
}

#[test]
fn numbers_are_shown_and_another_scene_has_air_of_its_own() -> Outcome {
    let (program, screen) = (Program::new()?, Screen::start()?);
    let run = "demo clouds --size 48x28 --show speed --save state.npy";
    let window = screen.open(&mut program.command(run), "1")?;
    // The first colours of inferno; a screen without a window is black.
    let slow = |&[r, g, b]: &[u8; 3]| b > 2 && b < 90 && g < 30 && b > r / 2 + g;
    wait_for("air that is slow", || {
        let shown = screen.look()?.columns(BESIDE_PANEL..1000).filter(slow).count();
        Ok((shown > 10_000).then_some(()))
    })?;
    // The third scene of the panel is stable, and dry.
    screen.drag([211, 48], [211, 48])?;
    // It stands still when the keys and the click before them have had their effect.
    screen.key(SPACE)?;
    window.settled()?;
    screen.close()?;
    assert_eq!(window.ended()?.code(), Some(0));
    let state = values(&program.bytes("state.npy")?);
    let plane = 29 * 48;
    assert!(state[2 * plane..3 * plane].iter().any(|&theta| theta > 5.0));
    assert!(state[3 * plane..4 * plane].iter().all(|&vapour| vapour == 0.0));
    Ok(())
}

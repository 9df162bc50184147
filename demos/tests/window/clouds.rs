//! Clouds: a sky that the mouse makes one in.

use std::error::Error;

use crate::BESIDE_PANEL;
use crate::program::{Outcome, Program, values};
use crate::screen::{ESCAPE, S, SPACE, Screen, wait_for};

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
    let clear = count(white)?;
    for _ in 0..6 {
        screen.drag([550, 300], [750, 300])?;
    }
    wait_for("a cloud", || {
        screen.key(S)?;
        Ok((count(white)? > clear + 200).then_some(()))
    })?;
    screen.key(ESCAPE)?;
    assert_eq!(window.ended()?.code(), Some(0));
    assert_eq!(values(&program.bytes("state.npy")?).len(), 6 * 29 * 48);
    Ok(())
}

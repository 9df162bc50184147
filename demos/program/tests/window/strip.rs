//! The strip of passes: opened by its key, a pass opened by a click, and its kernel edited.

use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use crate::STILL;
use crate::program::{Outcome, Program};
use crate::screen::{ESCAPE, SPACE, Screen, wait_for};

const I: u32 = 0x69;

/// The last colour of magma, in the middle of the picture.
fn is_bright([r, g, b]: [u8; 3]) -> bool {
    r > 245 && g > 245 && b.abs_diff(191) < 8
}

/// The ground of a line that fetches.
fn is_fetch([r, g, b]: [u8; 3]) -> bool {
    r.abs_diff(62) < 3 && g.abs_diff(52) < 3 && b.abs_diff(22) < 3
}

/// The edge of a texel that was marked.
fn is_pink([r, g, b]: [u8; 3]) -> bool {
    r > 240 && g.abs_diff(45) < 12 && b.abs_diff(149) < 12
}

fn is_red([r, g, b]: [u8; 3]) -> bool {
    r > 240 && g.abs_diff(85) < 12 && b.abs_diff(75) < 12
}

#[test]
fn a_click_freezes_the_step_shows_its_pass_and_a_wrong_kernel_is_told() -> Outcome {
    let (program, screen) = (Program::new()?, Screen::start()?);
    let window = screen.open(program.command(STILL).stderr(Stdio::piped()), "1")?;
    window.resize(1000, 700)?;
    screen.dismiss()?;
    let bottom = || bottom(&screen);
    // As it was opened, 640 pixels high, it ends at 402.
    // Frames of a layout that has not come to rest end a row higher.
    let whole = wait_for("a picture that stays", || {
        let first = bottom()?;
        for _ in 0..4 {
            sleep(Duration::from_millis(150));
            if bottom()? != first {
                return Ok(None);
            }
        }
        Ok(Some(first).filter(|&bottom| bottom > 420))
    })?;
    screen.key(I)?;
    wait_for("a picture above the strip", || Ok((1..300).contains(&bottom()?).then_some(())))?;
    // The one pass of a step: the first frame of the film.
    let frame = [600, 434];
    wait_for("a frame", || Ok((screen.look()?.at(frame)[0] > 45).then_some(())))?;
    let seen = |kind: fn([u8; 3]) -> bool| -> Result<Option<[i16; 4]>, Box<dyn std::error::Error>> {
        Ok(screen.look()?.bounds_from(300, kind))
    };
    assert!(seen(is_fetch)?.is_none());
    screen.drag(frame, frame)?;
    wait_for("the kernel with its fetches", || seen(is_fetch))?;
    // The step stands still: the program comes to rest.
    window.settled()?;
    assert!(seen(is_pink)?.is_none());
    screen.drag([640, 500], [640, 500])?;
    wait_for("the texel and what it was made of", || seen(is_pink))?;
    // The words on the texel push the kernel down.
    window.settled()?;
    let [_, top, right, _] = seen(is_fetch)?.ok_or("no fetch")?;
    let end = [right - 40, top + 6];
    screen.drag(end, end)?;
    assert!(seen(is_red)?.is_none());
    // A letter of the same frame as the click would come before the keyboard does.
    window.settled()?;
    screen.key('x'.into())?;
    wait_for("an error in red", || seen(is_red))?;
    // The first takes the keyboard from the kernel: a key of the same frame would still be the kernel's.
    window.settled()?;
    screen.key(ESCAPE)?;
    window.settled()?;
    assert!(seen(is_fetch)?.is_some(), "the pass is open");
    screen.key(SPACE)?;
    wait_for("a run that goes on, without its pass", || Ok(seen(is_fetch)?.is_none().then_some(())))?;
    screen.key(I)?;
    wait_for("the whole picture", || Ok((bottom()? == whole).then_some(())))?;
    screen.close()?;
    let (status, words) = window.ended_with_words()?;
    // The strip gives back all that it had on the GPU.
    assert_eq!((status.code(), words.as_str()), (Some(0), ""));
    Ok(())
}

/// The last row of the bright square.
fn bottom(screen: &Screen) -> Result<i16, Box<dyn std::error::Error>> {
    Ok(screen.look()?.bounds_from(300, is_bright).map_or(0, |[.., bottom]| bottom))
}

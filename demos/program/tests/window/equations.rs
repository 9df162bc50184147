//! Files of equations in the window: from the gallery, painted on, their sliders moved, edited while they run.

use std::error::Error;

use crate::program::{Outcome, Program};
use crate::screen::{BACKSPACE, CONTROL, END, ESCAPE, RETURN, S, SHIFT, SPACE, Screen, wait_for};
use crate::{BESIDE_PANEL, count, is_empty, is_full};

/// Nothing moves until the slider does.
const TEXT: &str = "grid = { size = [32, 32], length = [32, 32] }\nrun = { scheme = \"euler\", step = 0.01 }\n\
                    parameters = { k = { value = 0, range = [0, 1] } }\n\
                    views = [{ show = \"u\", colours = \"viridis\", range = [0, 1] }]\nfields.u = { dt = \"k\" }\n";

/// How many pixels of the panel have the colour of an error.
fn red(screen: &Screen) -> Result<usize, Box<dyn Error>> {
    let is_red = |[r, g, b]: &[u8; 3]| *r > 200 && *g < 130 && *b < 130;
    Ok(screen.look()?.columns(0..BESIDE_PANEL - 25).filter(is_red).count())
}

#[test]
fn an_equation_of_the_gallery_is_found_entered_and_left() -> Outcome {
    let (program, screen) = (Program::new()?, Screen::start()?);
    let window = screen.open(&mut program.command(""), "1")?;
    window.shows("gallery")?;
    // Keys that come before the gallery stands are nobody's.
    wait_for("cards", || {
        Ok((count(&screen.look()?.columns(0..960).collect::<Vec<_>>()) > 200).then_some(()))
    })?;
    window.settled()?;
    "quantum".chars().try_for_each(|letter| screen.key(letter.into()))?;
    window.settled()?;
    screen.key(RETURN)?;
    window.shows("schrodinger.toml")?;
    wait_for("a picture of many colours", || {
        Ok((count(&screen.look()?.columns(BESIDE_PANEL..1000).collect::<Vec<_>>()) > 50).then_some(()))
    })?;
    screen.key(ESCAPE)?;
    window.shows("gallery")?;
    screen.close()?;
    assert_eq!(window.ended()?.code(), Some(0));
    Ok(())
}

#[test]
fn a_file_is_painted_on_its_slider_moves_it_and_a_mistake_in_it_is_told_until_it_is_mended() -> Outcome {
    let (program, screen) = (Program::new()?, Screen::start()?);
    std::fs::write(program.path("still.toml"), TEXT)?;
    let window = screen.open(&mut program.command("pde still.toml"), "1")?;
    window.shows("still.toml")?;
    let [left, top, right, bottom] = wait_for("a square picture", || {
        let bounds = screen.look()?.bounds_from(BESIDE_PANEL as i16, is_empty);
        Ok(bounds.filter(|&[left, top, right, bottom]| right - left == bottom - top && bottom - top > 400))
    })?;
    let (middle, corner) = ([(left + right) / 2, (top + bottom) / 2], [left + 20, top + 20]);
    screen.drag(middle, middle)?;
    // Three quarters up the range, which has this colour in the map.
    let is_painted = |pixel: [u8; 3]| pixel.iter().zip([92, 200, 99]).all(|(a, b)| a.abs_diff(b) <= 4);
    wait_for("paint", || Ok(is_painted(screen.look()?.at(middle)).then_some(())))?;
    assert!(is_empty(screen.look()?.at(corner)), "paint lies under the pointer alone");
    // The slider of k stands below the colours: all of u grows by it.
    screen.hold_until([100, 80], || {
        wait_for("the slider", || Ok(is_full(screen.look()?.at(corner)).then_some(())))
    })?;
    assert_eq!(red(&screen)?, 0);
    std::fs::write(program.path("still.toml"), TEXT.replace("\"k\"", "\"k*q\""))?;
    wait_for("the mistake", || Ok((red(&screen)? > 100).then_some(())))?;
    assert!(is_full(screen.look()?.at(corner)), "the last good equation goes on");
    // It goes on from what it was, in other colours.
    std::fs::write(program.path("still.toml"), TEXT.replace("viridis", "grey"))?;
    wait_for("the mended file", || {
        Ok((red(&screen)? == 0 && screen.look()?.at(corner) == [255; 3]).then_some(()))
    })?;
    screen.close()?;
    assert_eq!(window.ended()?.code(), Some(0));
    Ok(())
}

/// The first column of the editor beside a picture.
const EDITOR: usize = 560;

#[test]
fn an_equation_is_edited_saved_and_kept_where_another_program_has_written_it() -> Outcome {
    let (program, screen) = (Program::new()?, Screen::start()?);
    std::fs::write(program.path("still.toml"), TEXT)?;
    let window = screen.open(&mut program.command("pde still.toml"), "1")?;
    window.shows("still.toml")?;
    let marked = |is_marked: fn(&[u8; 3]) -> bool| -> Result<usize, Box<dyn Error>> {
        Ok(screen.look()?.columns(EDITOR..1000).filter(is_marked).count())
    };
    let red = |[r, g, b]: &[u8; 3]| *r > 200 && *g < 130 && *b < 130 && *b > 20;
    let orange = |[r, g, b]: &[u8; 3]| *r > 230 && (110..180).contains(g) && *b < 40;
    let text = || Ok::<String, Box<dyn Error>>(std::fs::read_to_string(program.path("still.toml"))?);
    wait_for("the picture", || Ok(is_empty(screen.look()?.at([900, 400])).then_some(())))?;
    screen.key(SPACE)?;
    window.settled()?;
    screen.key('e'.into())?;
    wait_for("the editor", || Ok((!is_empty(screen.look()?.at([900, 400]))).then_some(())))?;
    screen.drag([800, 160], [800, 160])?;
    // Keys that come with the click are not the text's yet.
    window.settled()?;
    screen.key_with(CONTROL, END)?;
    // A key that no file has is marked, and the equation before goes on.
    "q=1".chars().try_for_each(|letter| screen.key(letter.into()))?;
    wait_for("the mistake", || Ok((marked(red)? > 100).then_some(())))?;
    assert_eq!(text()?, TEXT, "nobody has saved it");
    (0..3).try_for_each(|_| screen.key(BACKSPACE))?;
    screen.key_with(SHIFT, '3'.into())?;
    "mine".chars().try_for_each(|letter| screen.key(letter.into()))?;
    wait_for("the mended text", || Ok((marked(red)? == 0).then_some(())))?;
    screen.key_with(CONTROL, S)?;
    wait_for("the file", || Ok((text()? == format!("{TEXT}#mine")).then_some(())))?;
    // A text of another program is read where nothing else was typed, and asked about where something was.
    std::fs::write(program.path("still.toml"), format!("{TEXT}#theirs"))?;
    window.settled()?;
    screen.key_with(CONTROL, END)?;
    screen.key('x'.into())?;
    window.settled()?;
    screen.key_with(CONTROL, S)?;
    wait_for("the file with both", || Ok((text()? == format!("{TEXT}#theirsx")).then_some(())))?;
    screen.key('y'.into())?;
    window.settled()?;
    assert_eq!(marked(orange)?, 0);
    std::fs::write(program.path("still.toml"), format!("{TEXT}#again"))?;
    wait_for("the question", || Ok((marked(orange)? > 50).then_some(())))?;
    screen.key_with(CONTROL, S)?;
    window.settled()?;
    assert_eq!(text()?, format!("{TEXT}#again"), "nothing is written over another program's text");
    // The window's own button is told that the text is not saved, too, and what is typed after that is asked about again.
    window.ask_to_close()?;
    window.settled()?;
    assert_eq!(window.title()?, "quadrille: still.toml");
    screen.key('z'.into())?;
    window.settled()?;
    // Escape leaves the text, is told that it is not saved, and then leaves the demo.
    // Keys of the frame in which the text is left are lost.
    screen.key(ESCAPE)?;
    window.settled()?;
    screen.key(ESCAPE)?;
    window.settled()?;
    assert_eq!(window.title()?, "quadrille: still.toml");
    window.ask_to_close()?;
    assert_eq!(window.ended()?.code(), Some(0));
    Ok(())
}

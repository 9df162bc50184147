//! The gallery as a person meets it: into each demo and back, by keys and by the mouse.

use std::process::Stdio;

use crate::program::{Outcome, Program};
use crate::screen::{ESCAPE, F1, RETURN, RIGHT, S, SPACE, Screen, TAB, wait_for};
use crate::{BESIDE_PANEL, STILL, count};

/// The names of all demos, in order, as a program without a display lists them.
fn names(program: &Program) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let listed = program.run("demo")?;
    assert_eq!((listed.status, listed.err.as_str()), (Some(0), ""));
    assert_eq!(program.run("")?.out, listed.out);
    let demos = listed.out.lines().take_while(|line| !line.is_empty());
    Ok(demos.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect())
}

#[test]
fn every_demo_is_entered_and_left_twice_and_gives_back_what_it_had() -> Outcome {
    let (program, screen) = (Program::new()?, Screen::start()?);
    let names = names(&program)?;
    assert!(names.len() > 12, "{names:?}");
    let window = screen.open(program.command("").stderr(Stdio::piped()), "1")?;
    window.resize(640, 400)?;
    window.shows("gallery")?;
    for name in &names {
        for _ in 0..2 {
            screen.key(RETURN)?;
            window.shows(name)?;
            screen.key(ESCAPE)?;
            window.shows("gallery")?;
        }
        screen.key(RIGHT)?;
    }
    screen.key(ESCAPE)?;
    let (status, words) = window.ended_with_words()?;
    // Objects that a demo has not given back would be told.
    assert_eq!((status.code(), words.as_str()), (Some(0), ""));
    Ok(())
}

#[test]
fn a_card_is_clicked_and_searched_and_escape_leads_back_from_a_command_line_too() -> Outcome {
    let (program, screen) = (Program::new()?, Screen::start()?);
    let window = screen.open(&mut program.command(&format!("{STILL} --save state.npy")), "1")?;
    window.shows("reaction-diffusion")?;
    screen.key(ESCAPE)?;
    window.shows("gallery")?;
    assert_eq!(program.files()?.len(), 1, "its file was written when it was left");
    wait_for("cards", || {
        Ok((count(&screen.look()?.columns(0..960).collect::<Vec<_>>()) > 200).then_some(()))
    })?;
    // The second card of the first row.
    screen.drag([330, 120], [330, 120])?;
    window.shows("sandpile")?;
    screen.key(ESCAPE)?;
    window.shows("gallery")?;
    window.settled()?;
    "sort".chars().try_for_each(|letter| screen.key(letter.into()))?;
    window.settled()?;
    screen.key(RETURN)?;
    window.shows("sort")?;
    screen.key(ESCAPE)?;
    window.shows("gallery")?;
    // The first takes the words of the search away.
    screen.close()?;
    assert_eq!(window.ended()?.code(), Some(0));
    Ok(())
}

#[test]
fn tab_folds_the_panel_a_narrow_window_has_none_and_help_closes_before_the_demo() -> Outcome {
    let (program, screen) = (Program::new()?, Screen::start()?);
    let window = screen.open(&mut program.command(STILL), "1")?;
    screen.key(SPACE)?;
    // Left of the picture lies the panel, or the background.
    let panel = || -> Result<usize, Box<dyn std::error::Error>> {
        Ok(count(&screen.look()?.columns(0..BESIDE_PANEL - 30).collect::<Vec<_>>()))
    };
    wait_for("the panel", || Ok((panel()? > 60).then_some(())))?;
    window.settled()?;
    let shown = panel()?;
    screen.key(TAB)?;
    wait_for("no panel", || Ok((panel()? < shown / 2).then_some(())))?;
    screen.key(TAB)?;
    wait_for("the panel again", || Ok((panel()? > shown / 2).then_some(())))?;
    window.settled()?;
    let before: Vec<_> = screen.look()?.columns(BESIDE_PANEL..1000).collect();
    screen.key(F1)?;
    wait_for("help", || {
        Ok((screen.look()?.columns(BESIDE_PANEL..1000).collect::<Vec<_>>() != before).then_some(()))
    })?;
    screen.key(ESCAPE)?;
    wait_for("no help", || {
        Ok((screen.look()?.columns(BESIDE_PANEL..1000).collect::<Vec<_>>() == before).then_some(()))
    })?;
    window.shows("reaction-diffusion")?;
    screen.close()?;
    assert_eq!(window.ended()?.code(), Some(0));
    Ok(())
}

#[test]
fn a_covered_window_stops_and_goes_on_when_it_is_seen_again() -> Outcome {
    let (program, screen) = (Program::new()?, Screen::start()?);
    let window = screen.open(&mut program.command("demo reaction-diffusion --size 64x64"), "1")?;
    let picture = || -> Result<Vec<[u8; 3]>, Box<dyn std::error::Error>> {
        Ok(screen.look()?.columns(BESIDE_PANEL..1000).collect())
    };
    wait_for("a picture", || Ok((count(&picture()?) > 20).then_some(())))?;
    let cover = screen.cover()?;
    // A run that goes on is never at rest.
    window.settled()?;
    screen.uncover(cover)?;
    let before = wait_for("a picture", || Ok(Some(picture()?).filter(|picture| count(picture) > 20)))?;
    wait_for("the picture to move", || Ok((picture()? != before).then_some(())))?;
    screen.close()?;
    assert_eq!(window.ended()?.code(), Some(0));
    Ok(())
}

#[test]
fn a_minimised_window_stops_and_goes_on_when_it_is_back() -> Outcome {
    let (program, screen) = (Program::new()?, Screen::start()?);
    let window = screen.open(&mut program.command("demo reaction-diffusion --size 64x64"), "1")?;
    let picture = || -> Result<Vec<[u8; 3]>, Box<dyn std::error::Error>> {
        Ok(screen.look()?.columns(BESIDE_PANEL..1000).collect())
    };
    wait_for("a picture", || Ok((count(&picture()?) > 20).then_some(())))?;
    window.minimise(true)?;
    // A run that goes on is never at rest.
    window.settled()?;
    window.minimise(false)?;
    let before = wait_for("a picture", || Ok(Some(picture()?).filter(|picture| count(picture) > 20)))?;
    wait_for("the picture to move", || Ok((picture()? != before).then_some(())))?;
    window.signal("-INT")?;
    assert_eq!(window.ended()?.code(), Some(130));
    Ok(())
}

#[test]
fn a_state_is_saved_by_its_button() -> Outcome {
    let (program, screen) = (Program::new()?, Screen::start()?);
    let window = screen.open(&mut program.command(STILL), "1")?;
    wait_for("the panel", || {
        Ok((count(&screen.look()?.columns(0..270).collect::<Vec<_>>()) > 60).then_some(()))
    })?;
    screen.key(SPACE)?;
    screen.key(S)?;
    window.settled()?;
    screen.drag(FILES, FILES)?;
    window.settled()?;
    screen.drag(STATE, STATE)?;
    wait_for("a state", || {
        let files = program.files()?;
        Ok(files
            .iter()
            .any(|name| name.starts_with("reaction-diffusion-") && name.ends_with(".npz"))
            .then_some(()))
    })?;
    screen.close()?;
    assert_eq!(window.ended()?.code(), Some(0));
    Ok(())
}

/// The middles of buttons in the lowest rows of the panel: the one that opens those of files, those of recordings, and those that save.
const FILES: [i16; 2] = [192, 621];
const GIF: [i16; 2] = [64, 553];
const PICTURE: [i16; 2] = [63, 575];
const STATE: [i16; 2] = [112, 575];
const COMMAND: [i16; 2] = [169, 575];

#[test]
fn a_recording_is_an_animation_and_a_key_leads_back_to_the_saved_step() -> Outcome {
    let (program, screen) = (Program::new()?, Screen::start()?);
    let said = std::fs::File::create(program.path("said.txt"))?;
    let window = screen.open_to(&mut program.command(STILL), "1", said.into())?;
    wait_for("the panel", || {
        Ok((count(&screen.look()?.columns(0..270).collect::<Vec<_>>()) > 60).then_some(()))
    })?;
    screen.key(SPACE)?;
    window.settled()?;
    let file = |ending: &str| -> Result<Vec<String>, Box<dyn std::error::Error>> {
        Ok(program.files()?.into_iter().filter(|name| name.ends_with(ending)).collect())
    };
    screen.drag(FILES, FILES)?;
    window.settled()?;
    screen.drag(GIF, GIF)?;
    for _ in 0..25 {
        screen.key(S)?;
    }
    window.settled()?;
    // The button that ends it stands where the one was that began it.
    screen.drag(GIF, GIF)?;
    let gif = wait_for("an animation", || Ok(file(".gif")?.pop()))?;
    let bytes = program.bytes(&gif)?;
    // Each frame has a block of its own for its delay.
    let frames = bytes.windows(3).filter(|block| block == b"\x21\xf9\x04").count();
    assert!(
        bytes.starts_with(b"GIF89a") && (1..=2).contains(&frames),
        "{frames} frames, one every twenty steps"
    );
    window.settled()?;
    screen.drag(STATE, STATE)?;
    let state = wait_for("a state", || Ok(file(".npz")?.pop()))?;
    for _ in 0..3 {
        screen.key(S)?;
    }
    // The panel has a row more now.
    window.settled()?;
    screen.drag(PICTURE, PICTURE)?;
    wait_for("a picture three steps on", || Ok((file(".png")?.len() == 1).then_some(())))?;
    screen.key('b'.into())?;
    window.settled()?;
    screen.drag(PICTURE, PICTURE)?;
    let there = state.replace(".npz", ".png");
    wait_for("a picture of the saved step", || Ok(file(".png")?.contains(&there).then_some(())))?;
    // From there on it is the saved file that leads to what is seen.
    window.settled()?;
    for _ in 0..2 {
        screen.key(S)?;
    }
    window.settled()?;
    screen.drag(COMMAND, COMMAND)?;
    let ends = format!(" --load {state} --steps 2 --out reaction-diffusion.png");
    wait_for("the command", || {
        let said = String::from_utf8_lossy(&program.bytes("said.txt")?).into_owned();
        Ok(said.lines().any(|line| line.ends_with(&ends)).then_some(()))
    })?;
    screen.close()?;
    assert_eq!(window.ended()?.code(), Some(0));
    Ok(())
}

#[test]
fn a_window_says_that_it_compiles_before_its_demo_is_there() -> Outcome {
    let (program, screen) = (Program::new()?, Screen::start()?);
    // Compiled anew, it takes longer than a look.
    let mut command = program.command("demo fluid --size 64x64");
    let window = screen.open(command.env("MESA_SHADER_CACHE_DISABLE", "true"), "1")?;
    // One line in the middle of an empty window: neither panel nor picture.
    wait_for("a line in the middle", || {
        let sight = screen.look()?;
        let is_light = |pixel: [u8; 3]| pixel.iter().all(|&part| part > 150);
        let Some([left, top, right, bottom]) = sight.bounds(is_light) else { return Ok(None) };
        let middle = left > 300 && right < 660 && top > 290 && bottom < 350;
        Ok((middle && right - left > 100).then_some(()))
    })?;
    wait_for("the panel", || {
        Ok((count(&screen.look()?.columns(0..270).collect::<Vec<_>>()) > 60).then_some(()))
    })?;
    screen.close()?;
    assert_eq!(window.ended()?.code(), Some(0));
    Ok(())
}

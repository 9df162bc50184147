//! The demos on arrays: numbers that come into order, and an image that is painted on.

use std::error::Error;

use crate::BESIDE_PANEL;
use crate::program::{Outcome, Program, values};
use crate::screen::{R, SPACE, Screen, wait_for};

type Pixels = Vec<[u8; 3]>;

fn picture(screen: &Screen) -> Result<Pixels, Box<dyn Error>> {
    Ok(screen.look()?.columns(BESIDE_PANEL..1000).collect())
}

#[test]
fn numbers_come_into_order_and_a_reset_brings_them_out_of_it() -> Outcome {
    let (program, screen) = (Program::new()?, Screen::start()?);
    let arguments = "demo sort --keys noise --size 64x64 --loop no --colours grey --save sorted.npy";
    let window = screen.open(&mut program.command(arguments), "1")?;
    screen.dismiss()?;
    // From black to white without a step back, down the middle of the picture.
    let sorted = || -> Result<Option<Pixels>, Box<dyn Error>> {
        let sight = screen.look()?;
        let column: Vec<u8> = (0..600).map(|y| sight.at([620, y])[0]).collect();
        Ok((column.is_sorted() && column[0] < 20 && column[599] > 200)
            .then_some(sight.columns(BESIDE_PANEL..1000).collect()))
    };
    // Its last passes may look sorted already: what is meant is the picture that stays.
    wait_for("the order", sorted)?;
    window.settled()?;
    let in_order = sorted()?.ok_or("no order")?;
    screen.key(SPACE)?;
    screen.key(R)?;
    wait_for("disorder", || Ok((picture(&screen)? != in_order).then_some(())))?;
    screen.key(SPACE)?;
    wait_for("the same order", || Ok((picture(&screen)? == in_order).then_some(())))?;
    screen.close()?;
    assert_eq!(window.ended()?.code(), Some(0));
    assert!(values(&program.bytes("sorted.npy")?).is_sorted());
    Ok(())
}

#[test]
fn light_is_painted_where_the_mouse_points() -> Outcome {
    let (program, screen) = (Program::new()?, Screen::start()?);
    let arguments = "demo histogram --size 64x64 --rate 0 --save painted.npy";
    let window = screen.open(&mut program.command(arguments), "1")?;
    let before = wait_for("a picture", || {
        let now = picture(&screen)?;
        Ok((now.iter().filter(|[r, g, b]| r == g && g == b && *r > 40).count() > 10_000).then_some(now))
    })?;
    screen.drag([600, 100], [600, 100])?;
    wait_for("light", || {
        Ok((picture(&screen)? != before && screen.look()?.at([600, 100]) == [255; 3]).then_some(()))
    })?;
    screen.close()?;
    assert_eq!(window.ended()?.code(), Some(0));
    let painted = values(&program.bytes("painted.npy")?);
    let light = painted.iter().filter(|&&pixel| pixel == 1.0).count();
    assert!((150..=210).contains(&light), "a disc of radius 8 has about 201 pixels, not {light}");
    Ok(())
}

//! The camera in the hand: the right button turns it around what is seen, the left one too where it has nothing else to do,
//! and the wheel brings it nearer.

use egui::{Event, MouseWheelUnit, PointerButton, Pos2};
use quadrille::view::Camera;

use super::Input;
use super::place::Place;

/// Degrees for a drag as long as the picture is high.
const TURN: f32 = 180.0;

#[derive(Default)]
pub struct Orbit {
    last: Option<Pos2>,
    /// Where the pointer was last.
    at: Pos2,
}

impl Orbit {
    /// Moves the camera by these events. A drag begins on the picture, where nothing else has the mouse, with the right
    /// button or, if it turns `by_left`, with any.
    pub fn follow(&mut self, input: &Input, place: &Place, camera: &mut Camera, by_left: bool) {
        let covers = |at: Pos2| !input.taken && place.covers(at.x * input.scale, at.y * input.scale);
        for event in &input.events {
            match *event {
                Event::PointerButton { pos, button, pressed, .. }
                    if by_left || button == PointerButton::Secondary =>
                {
                    self.last = Some(pos).filter(|&pos| pressed && covers(pos));
                }
                Event::PointerMoved(pos) => {
                    if let Some(from) = self.last {
                        let degrees = TURN * input.scale / place.height().max(1.0);
                        turn(camera, (from.x - pos.x) * degrees, (pos.y - from.y) * degrees);
                        self.last = Some(pos);
                    }
                    self.at = pos;
                }
                Event::MouseWheel { unit, delta, .. } if covers(self.at) => {
                    let times = 0.9f32.powf(notches(unit, delta.y));
                    camera.distance = (camera.distance * times).clamp(0.2, 3.0);
                }
                _ => {}
            }
        }
    }
}

/// Notches of a wheel.
pub fn notches(unit: MouseWheelUnit, delta: f32) -> f32 {
    if unit == MouseWheelUnit::Point { delta / 50.0 } else { delta }
}

fn turn(camera: &mut Camera, right: f32, up: f32) {
    camera.azimuth = (camera.azimuth + right + 180.0).rem_euclid(360.0) - 180.0;
    camera.elevation = (camera.elevation + up).clamp(5.0, 90.0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_camera_goes_round_and_stays_above_the_water() {
        let mut camera = Camera { azimuth: 170.0, elevation: 80.0, ..Camera::default() };
        turn(&mut camera, 20.0, 20.0);
        assert_eq!((camera.azimuth, camera.elevation), (-170.0, 90.0));
        turn(&mut camera, -30.0, -200.0);
        assert_eq!((camera.azimuth, camera.elevation), (160.0, 5.0));
    }
}

//! Boxes of a build that finds no contacts between them: the demo's check refuses it before any is asked for.

use quadrille::sim::contact::{Body, Collide, Contact};

#[derive(Clone, Copy, Debug, Default)]
pub struct Boxes;

impl Collide for Boxes {
    fn contacts(&mut self, _: &[Body], _: f64, _: &mut Vec<Contact>) {}
}

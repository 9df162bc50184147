//! Equation files: mistakes by their places, kernels against the interpreter in f64, orders, laws.

#[path = "../support/mod.rs"]
mod support;

mod implicit;
mod kernels;
mod laws;
mod paint;
mod shipped;
mod stability;
mod wrong;

use std::rc::Rc;

use quadrille::pde::{Equations, NoFiles, Overrides, Refusal, Scheme, Simulation};
use quadrille::{Error, Gpu, Result};

/// The equations of a text that is right.
fn read(text: &str, overrides: &Overrides) -> Result<Rc<Equations>> {
    match Equations::read(text, overrides, &mut NoFiles) {
        Ok(equations) => Ok(Rc::new(equations)),
        Err(refusal) => {
            let found = match refusal {
                Refusal::Fault(fault) => format!("{:?}: {fault}", fault.span.place(text)),
                Refusal::Override(line) => line,
            };
            Err(Error::BadParameter { name: "file", found, expected: "a right one".into() })
        }
    }
}

/// A text as it starts, by a scheme.
fn started(gpu: &Gpu, text: &str, scheme: Scheme) -> Result<Simulation> {
    Simulation::new(gpu, read(text, &Overrides { scheme: Some(scheme), ..Overrides::default() })?)
}

/// The largest distance of the state after a step from what f64 expects, relative to the largest value.
fn distance(simulation: &mut Simulation) -> Result<f64> {
    let expected = simulation.expected()?;
    simulation.step()?;
    let (mut most, mut scale) = (0.0_f64, 1e-30_f64);
    for (found, expected) in simulation.fields()?.iter().zip(&expected) {
        for (found, expected) in found.iter().zip(expected) {
            let off = (f64::from(*found) - expected).abs();
            most = if off.is_finite() { most.max(off) } else { f64::INFINITY };
            scale = scale.max(expected.abs());
        }
    }
    Ok(most / scale)
}

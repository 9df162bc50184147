//! Bodies and parameters that make no sense: one line each.

use quadrille::Result;
use quadrille::sim::nbody::{Body, NBody, Parameters};

use super::cloud;
use crate::support::{on_gpu, refusal};

#[test]
fn bodies_that_are_none_are_refused_by_their_number() -> Result<()> {
    on_gpu(|gpu| {
        let made = |bodies: &[Body]| refusal(NBody::new(gpu, bodies, Parameters::default()));
        assert_eq!(made(&[]), "array of 0 elements: size 0x0 has no elements");
        let good = cloud(3, 1);
        let with = |change: fn(&mut Body)| {
            let mut bodies = good.clone();
            change(&mut bodies[2]);
            made(&bodies)
        };
        let line = with(|body| body.position[1] = f64::NAN);
        assert_eq!(line, "position y = NaN of body 2: expected -1e15 to 1e15");
        let line = with(|body| body.velocity[2] = f64::NEG_INFINITY);
        assert_eq!(line, "velocity z = -inf of body 2: expected -1e15 to 1e15");
        assert_eq!(with(|body| body.mass = -1.0), "mass = -1 of body 2: expected 0 to 1e15");
        assert!(with(|body| body.mass = f64::INFINITY).starts_with("mass = inf of body 2"));
        assert!(with(|body| body.mass = f64::NAN).starts_with("mass = NaN of body 2"));
        assert_eq!(with(|body| body.mass = 0.0), "");
        Ok(())
    })
}

#[test]
fn parameters_that_make_no_step_are_refused_and_change_nothing() -> Result<()> {
    on_gpu(|gpu| {
        let mut nbody = NBody::new(gpu, &cloud(3, 1), Parameters::default())?;
        let good = nbody.parameters();
        for (time_step, found) in [(0.0, "0"), (f32::NAN, "NaN"), (f32::INFINITY, "inf")] {
            let line = refusal(nbody.set_parameters(Parameters { time_step, ..good }));
            assert_eq!(line, format!("time step = {found}: expected -1e15 to 1e15, not 0"));
        }
        for (softening, found) in [(-0.1, "-0.1"), (f32::NAN, "NaN"), (f32::INFINITY, "inf")] {
            let bad = Parameters { softening, ..good };
            let line = format!("softening = {found}: expected 0 to 1e15");
            assert_eq!(refusal(nbody.set_parameters(bad)), line);
            assert_eq!(refusal(NBody::new(gpu, &cloud(3, 1), bad)), line);
        }
        assert_eq!(nbody.parameters(), good);
        let line = refusal(nbody.set_bodies(&cloud(2, 1)));
        assert_eq!(line, "bodies: 2 values given, 3 expected (as many as there are)");
        Ok(())
    })
}

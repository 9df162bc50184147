//! The largest stable steps, against those that are known in closed form.

use quadrille::Result;
use quadrille::pde::{Overrides, Scheme};

use crate::support::on_gpu;
use crate::{read, started};

fn line(fields: &str) -> String {
    format!(
        "grid = {{ size = 128, length = 4 }}\nrun = {{ scheme = \"rk4\", step = 0.01, until = 1 }}\n[fields]\n{fields}\n"
    )
}

const WAVE: &str = "u = { dt = \"v\", start = \"sin(pi*x/2)\", edges = \"periodic\" }\n\
                    v = { dt = \"lap(u)\", start = \"0\", edges = \"periodic\" }";

/// h = 1/32: λ = −4D/h² of what flows, ±2i/h of waves, and 2D/v² of what is carried (Hundsdorfer and Verwer, I.3.4).
#[test]
fn limits_are_those_of_the_eigenvalues() -> Result<()> {
    let (h, zero) = (1.0_f64 / 32.0, 0.0);
    let flow = "u = { dt = \"0.005*lap(u)\", start = \"x\", edges = \"periodic\" }";
    let carried = "u = { dt = \"0.005*lap(u) - adv(1, 0, u)\", start = \"1\", edges = \"periodic\" }";
    let slope = "u = { dt = \"-dx(u)\", start = \"1\", edges = \"periodic\" }";
    let twisted = "p = { dt = \"-lap(q)\", start = \"1\", edges = \"periodic\" }\nq = { dt = \"lap(p)\", edges = \"periodic\" }";
    let twice = "u = { dt = \"-lap(lap(u))\", start = \"x\", edges = \"periodic\" }";
    let varying = "u = { dt = \"(1 + x)*dxx(u)\", start = \"0\", edges = \"neumann\" }";
    let rk4 = 8.0_f64.sqrt();
    for (fields, scheme, expected, bound) in [
        (flow, Scheme::Euler, h * h / 0.01, 1e-3),
        (flow, Scheme::Ab2, h * h / 0.02, 1e-3),
        (flow, Scheme::Rk4, 2.7853 * h * h / 0.02, 1e-3),
        // The longest wave's, where a wave of the grid is a little slower than v.
        (carried, Scheme::Euler, 0.01, 0.02),
        (slope, Scheme::Euler, zero, 0.0),
        (slope, Scheme::Ab2, zero, 0.0),
        (slope, Scheme::Rk4, rk4 * h, 2e-3),
        (WAVE, Scheme::Euler, zero, 0.0),
        (WAVE, Scheme::Rk4, rk4 * h / 2.0, 2e-3),
        (twisted, Scheme::Euler, zero, 0.0),
        (twisted, Scheme::Rk4, rk4 * h * h / 4.0, 2e-3),
        (twice, Scheme::Euler, h.powi(4) / 8.0, 1e-3),
        // The stencil near the right end.
        (varying, Scheme::Euler, (4.0_f64 / 127.0).powi(2) / 10.0, 0.05),
    ] {
        let found = read(&line(fields), &Overrides::default())?.spectrum().limit(scheme);
        assert!(
            (found - expected).abs() <= bound * expected,
            "{fields}, {}: {found}, not {expected}",
            scheme.name()
        );
    }
    // Growth bounds no step: it is that of the equation.
    let growth = read(&line("u = { dt = \"u\", start = \"1\" }"), &Overrides::default())?.spectrum();
    assert_eq!(growth.limit(Scheme::Euler), f64::INFINITY);
    assert_eq!(growth.ill_posed(), None);
    Ok(())
}

/// Just within the limit waves stay as they are, and just past it they are gone.
#[test]
fn a_step_past_the_limit_grows_and_one_within_does_not() -> Result<()> {
    on_gpu(|gpu| {
        let text = line(WAVE).replace("sin(pi*x/2)", "normal()");
        let limit = read(&text, &Overrides::default())?.spectrum().limit(Scheme::Rk4);
        for (share, grows) in [(0.97, false), (1.03, true)] {
            let mut simulation = started(gpu, &text, Scheme::Rk4)?;
            simulation.set_step(share * limit)?;
            (0..200).try_for_each(|_| simulation.step())?;
            let largest = simulation.fields()?[0].iter().fold(0.0, |most: f32, value| most.max(value.abs()));
            assert_eq!(largest > 1e3, grows, "{share}: {largest}");
        }
        Ok(())
    })
}

#[test]
fn a_robin_edge_that_is_faster_than_the_inside_bounds_the_step() -> Result<()> {
    let text = line("u = { dt = \"lap(u)\", start = \"1\", edges = { robin = \"1000\", const = \"0\" } }");
    let grid = 4.0 / 127.0;
    let found = read(&text, &Overrides::default())?.spectrum().limit(Scheme::Euler);
    let expected = 2.0 / (2.0 / (grid * grid) + 2000.0 / grid);
    assert!((found / expected - 1.0).abs() < 1e-3, "{found}, not {expected}");
    Ok(())
}

/// sbdf2 leaves ∂u/∂t = v to N beside J = −∇⁴u of v; with `all` the beam swings. Of what N has alone, a short step is stable.
#[test]
fn an_implicit_scheme_knows_what_n_does() -> Result<()> {
    on_gpu(|gpu| {
        let beam = |more: &str| {
            format!(
                "grid = {{ size = 65, length = 1 }}\nrun = {{ scheme = \"sbdf2\", step = 0.005, until = 1{more} }}\n[fields]\n\
             u = {{ dt = \"v\", start = \"sin(pi*x)\", edges = {{ value = 0 }} }}\n\
             v = {{ dt = \"-lap(m)\", edges = {{ value = 0 }} }}\nm = {{ is = \"lap(u)\", edges = {{ value = 0 }} }}"
            )
        };
        let growth = read(&beam(""), &Overrides::default())?.spectrum().growth(Scheme::Sbdf2, 0.005);
        assert!(growth.factor > 10.0 && growth.all_helps, "{growth:?}");
        let growth = read(&beam(", implicit = \"all\""), &Overrides::default())?
            .spectrum()
            .growth(Scheme::Sbdf2, 0.005);
        assert_eq!(growth.factor, 1.0);
        let price = |step: f64| {
            format!(
                "grid = {{ size = 33, length = 400 }}\nrun = {{ scheme = \"sbdf2\", step = {step}, until = 1 }}\n\
             fields.V = {{ dt = \"0.05*x^2*dxx(V)\", start = \"max(x - 100, 0)\", edges = {{ left = {{ value = 0 }} }} }}"
            )
        };
        let growth = read(&price(0.1), &Overrides::default())?.spectrum().growth(Scheme::Sbdf2, 0.1);
        assert!(growth.factor > 2.0 && !growth.all_helps && growth.limit > 0.0, "{growth:?}");
        for (step, grows) in [(0.1, true), (0.9 * growth.limit, false)] {
            let growth = read(&price(step), &Overrides::default())?.spectrum().growth(Scheme::Sbdf2, step);
            assert_eq!(growth.factor > 1.0, grows, "{step}: {growth:?}");
            let mut simulation = started(gpu, &price(step), Scheme::Sbdf2)?;
            (0..60).try_for_each(|_| simulation.step()).or(Ok::<_, quadrille::Error>(()))?;
            let is_gone = simulation.fields()?[0].iter().any(|value| value.is_nan() || value.abs() > 1e4);
            assert_eq!(is_gone, grows, "{step}");
        }
        Ok(())
    })
}

#[test]
fn short_waves_that_grow_the_fastest_are_told_of_their_field() -> Result<()> {
    let of = |fields: &str| {
        Ok::<_, quadrille::Error>(read(&line(fields), &Overrides::default())?.spectrum().ill_posed())
    };
    let found = of("p = { dt = \"lap(p)\" }\nu = { dt = \"-0.5*lap(u)\", start = \"0.1*normal()\" }")?;
    let h = 4.0_f64 / 127.0;
    let rate = 0.5 * 4.0 / (h * h);
    assert!(
        found.is_some_and(|found| found.field == 1 && (found.rate / rate - 1.0).abs() < 1e-3),
        "{found:?}"
    );
    // Long waves grow, and short ones fade.
    assert_eq!(of("u = { dt = \"-lap(u) - lap(lap(u))\", start = \"x\", edges = \"periodic\" }")?, None);
    Ok(())
}

/// The column of a variable speed shows its slope as growth of the shortest wave. Re λ of the whole matrix is 0, or that of u' at most.
#[test]
fn a_variable_speed_is_not_ill_posed() -> Result<()> {
    for formula in
        ["-(1 + 0.5*sin(2*pi*x/4))*dx(u)", "-(1 + 0.5*sin(2*pi*x/4))*dx(u) + 1e-4*lap(u)", "-u*dx(u)"]
    {
        let fields =
            format!("u = {{ dt = \"{formula}\", start = \"1 + 0.5*sin(pi*x/2)\", edges = \"periodic\" }}");
        let found = read(&line(&fields), &Overrides::default())?.spectrum().ill_posed();
        assert_eq!(found, None, "{formula}");
    }
    Ok(())
}

#[test]
fn auto_takes_rk4_for_waves_that_are_not_damped() -> Result<()> {
    for (step, scheme) in [(0.01, Scheme::Rk4), (0.5, Scheme::Sbdf2)] {
        let overrides = Overrides { scheme: Some(Scheme::Auto), step: Some(step), ..Overrides::default() };
        let equations = read(&line(WAVE), &overrides)?;
        assert_eq!(equations.run.scheme, scheme, "{:?}", equations.choice);
    }
    Ok(())
}

/// Noise under ∇⁶: R of the first step is a thousand times c₀ δ, nearly all of it in waves that the step takes away.
#[test]
fn the_first_step_from_noise_is_solved_to_the_tolerance_of_its_change() -> Result<()> {
    let text = "grid = { size = [64, 64], length = [50, 50] }\nrun = { scheme = \"sbdf2\", step = 0.5, until = 100 }\n\
                fields.u = { dt = \"lap(0.75*u + 2*lap(u) + lap(lap(u)) + u^3)\", start = \"0.1*normal() - 0.285\", edges = \"periodic\" }";
    on_gpu(|gpu| {
        let mut simulation = started(gpu, text, Scheme::Sbdf2)?;
        for step in 1..=3 {
            let expected = simulation.expected()?.concat();
            let before = simulation.fields()?.concat();
            simulation.step()?;
            let found = simulation.fields()?.concat();
            let square = |a: f64| a * a;
            let off: f64 = found.iter().zip(&expected).map(|(a, b)| square(f64::from(*a) - b)).sum();
            let change: f64 = before.iter().zip(&expected).map(|(a, b)| square(f64::from(*a) - b)).sum();
            // The tolerance is 10⁻³; the roundings of R, six differences of u, are as large.
            assert!(
                (off / change).sqrt() <= 2e-3,
                "step {step}: {:.1e} of the change",
                (off / change).sqrt()
            );
        }
        Ok(())
    })
}

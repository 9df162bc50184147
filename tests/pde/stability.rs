//! The largest stable steps, against those that are known in closed form.

use quadrille::Result;
use quadrille::pde::{Overrides, Scheme, Simulation};

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

/// The mode (−r)ʲ beside the edge: h² λ = −2 − 2 √(1 + b² h²), beside −4 along it or the same of the other edge at a corner.
#[test]
fn robin_edges_that_are_faster_than_the_inside_bound_the_step() -> Result<()> {
    let euler = |text: &str| {
        Ok::<_, quadrille::Error>(read(text, &Overrides::default())?.spectrum().limit(Scheme::Euler))
    };
    let close =
        |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 1e-3, "{found}, not {expected}");
    let h = 4.0_f64 / 127.0;
    for b in [1.0 / h, 1000.0] {
        let text = line(&format!(
            "u = {{ dt = \"lap(u)\", start = \"1\", edges = {{ robin = \"{b}\", const = \"0\" }} }}"
        ));
        close(euler(&text)?, 2.0 * h * h / (2.0 + 2.0 * (b * h).hypot(1.0)));
    }
    let flat = |edges: &str| {
        format!(
            "grid = {{ size = [17, 13], length = [16, 12] }}\nrun = {{ scheme = \"euler\", step = 0.01 }}\n\
             fields.u = {{ dt = \"lap(u)\", start = \"1\", edges = {edges} }}\n"
        )
    };
    let robin = "{ robin = 2, const = 0 }";
    let mode = 2.0 + 2.0 * 5.0_f64.sqrt();
    close(euler(&flat(&format!("{{ left = {robin} }}")))?, 2.0 / (mode + 4.0));
    close(euler(&flat(&format!("{{ left = {robin}, top = {robin} }}")))?, 2.0 / (2.0 * mode));
    Ok(())
}

/// Beside a jump of c the column of c ∇²u has a slope of c that no mode has: h²/2 of the larger c is the limit.
#[test]
fn jumps_of_a_coefficient_do_not_bound_the_step() -> Result<()> {
    let h = 1.0_f64 / 32.0;
    for (formula, largest, bound) in [
        ("where(x < 1, 1, 0.01)*lap(u)", 1.0, 1e-3),
        ("(x < 1)*lap(u)", 1.0, 1e-3),
        ("max(0, 1 - (x - 2)^2)*lap(u)", 1.0, 0.02),
        ("lap(where(x < 1, 1, 0.01)*u)", 1.0, 1e-3),
        // A peak of three nodes.
        ("(1 + 50*(abs(x - 1.3) < 0.04))*dxx(u)", 51.0, 1e-3),
    ] {
        let fields = format!("u = {{ dt = \"{formula}\", start = \"x\", edges = \"periodic\" }}");
        let found = read(&line(&fields), &Overrides::default())?.spectrum().limit(Scheme::Euler);
        let expected = h * h / (2.0 * largest);
        assert!((found / expected - 1.0).abs() <= bound, "{formula}: {found}, not {expected}");
    }
    Ok(())
}

/// 2/(4 D/hx² + 4 D/hy²), with nodes that are not as far apart on both axes, also in a disc that all evenly chosen nodes miss; 2/(4 D/hy²) in a
/// channel of one node.
#[test]
fn a_small_mask_bounds_the_step_as_the_plane_does() -> Result<()> {
    let [hx, hy] = [10.0 / 200.0, 20.0 / 100.0_f64];
    let both = 1.0 / (2.0 / (hx * hx) + 2.0 / (hy * hy));
    for (mask, expected) in [
        ("", both),
        (", mask = \"((x - 5.4)/0.2)^2 + ((y - 10.8)/0.8)^2 < 1\"", both),
        (", mask = \"abs(x - 5.4) < 0.03\"", hy * hy / 2.0),
    ] {
        let text = format!(
            "grid = {{ size = [201, 101], length = [10, 20]{mask} }}\nrun = {{ scheme = \"euler\", step = 1e-4 }}\n\
             fields.u = {{ dt = \"lap(u)\", start = \"x\" }}\n"
        );
        let spectrum = read(&text, &Overrides::default())?.spectrum();
        let found = spectrum.limit(Scheme::Euler);
        assert!(
            spectrum.is_known() && (found / expected - 1.0).abs() < 1e-3,
            "{mask}: {found}, not {expected}"
        );
    }
    Ok(())
}

/// u' = f − mean(f) moves no mean, and u' = −mean(u) only that.
#[test]
fn totals_move_with_all_nodes() -> Result<()> {
    let of = |formula: &str| {
        let fields = format!("u = {{ dt = \"{formula}\", start = \"1\", edges = \"periodic\" }}");
        Ok::<_, quadrille::Error>(
            read(&line(&fields), &Overrides::default())?.spectrum().limit(Scheme::Euler),
        )
    };
    let found = of("-10*mean(u)")?;
    assert!((found / 0.2 - 1.0).abs() < 1e-3, "{found}");
    let found = of("-u - 10*mean(u)")?;
    assert!((found / (2.0 / 11.0) - 1.0).abs() < 1e-3, "{found}");
    Ok(())
}

/// sbdf2 leaves ∂u/∂t = v to N beside J = −∇⁴u of v; with `all` the beam swings. A short step is stable for what N has alone.
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

/// Past the limit of rk4 both v and ∇²u are implicit: sbdf2 of v from the times reached would make each wave 900 times as large in a step.
#[test]
fn auto_takes_rk4_for_waves_that_are_not_damped() -> Result<()> {
    on_gpu(|gpu| {
        for (step, scheme, implicit) in [(0.01, Scheme::Rk4, None), (0.5, Scheme::Sbdf2, Some("all"))] {
            let overrides =
                Overrides { scheme: Some(Scheme::Auto), step: Some(step), ..Overrides::default() };
            let equations = read(&line(WAVE), &overrides)?;
            assert_eq!(equations.run.scheme, scheme, "{:?}", equations.choice);
            assert_eq!(equations.run.implicit.as_deref(), implicit, "{:?}", equations.choice);
            let mut simulation = Simulation::new(gpu, equations)?;
            (0..20).try_for_each(|_| simulation.step())?;
            let largest = simulation.fields()?[0].iter().fold(0.0, |most: f32, value| most.max(value.abs()));
            // The start is 1 at most; roundings of solves are a thousandth of a step's change.
            assert!(largest < 1.1, "{step}: {largest}");
        }
        Ok(())
    })
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

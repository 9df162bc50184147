//! Orders of convergence, conservation, fronts, and what is said of a run that blows up.

use quadrille::Result;
use quadrille::pde::{Overrides, Scheme, Simulation};

use crate::support::{on_gpu, refusal};
use crate::{distance, read, started};

pub fn shipped(name: &str) -> String {
    let path = format!("{}/demos/gallery/equations/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| format!("{path}: {error}"))
}

/// The largest error of the first field at the end.
pub fn error_at(gpu: &quadrille::Gpu, text: &str, overrides: Overrides) -> Result<f64> {
    let mut simulation = Simulation::new(gpu, read(text, &overrides)?)?;
    let run = simulation.equations().run.clone();
    for _ in 0..(run.until / run.step).round() as u64 {
        simulation.step()?;
    }
    simulation.settle()?;
    let evaluation = simulation.evaluation()?;
    let exact = simulation.equations().fields[0].exact.clone();
    let exact = exact.map(|formula| evaluation.values(&formula)).unwrap_or_default();
    let found = &simulation.fields()?[0];
    Ok(found.iter().zip(&exact).map(|(a, b)| (f64::from(*a) - b).abs()).fold(0.0, f64::max))
}

#[test]
fn burgers_front_converges_by_the_order_of_its_advection() -> Result<()> {
    on_gpu(|gpu| {
        for (way, at_257, least, most) in
            [("minmod", 1.04e-4, 1.7, 2.6), ("central", 2.28e-4, 1.8, 2.4), ("upwind", 5.73e-3, 0.75, 1.0)]
        {
            let text = shipped("burgers").replace("\"minmod\"", &format!("\"{way}\""));
            let error = |nodes: u32| {
                let h = 1.0 / f64::from(nodes - 1);
                // rk4 is stable up to 2.785 h²/(4 nu).
                let step = 0.5 / (0.5 / (h / 5.0).min(25.0 * h * h)).ceil();
                let (size, scheme) = (Some([nodes, 1]), Some(Scheme::Rk4));
                error_at(gpu, &text, Overrides { size, scheme, step: Some(step), ..Overrides::default() })
            };
            let (coarse, fine) = (error(129)?, error(257)?);
            let order = (coarse / fine).log2();
            assert!((least..most).contains(&order), "{way}: {coarse:e} {fine:e}, order {order}");
            assert!((fine / at_257 - 1.0).abs() < 0.1, "{way}: {fine:e}, expected {at_257:e}");
        }
        Ok(())
    })
}

#[test]
fn heat_with_robin_edges_converges_by_the_second_order() -> Result<()> {
    on_gpu(|gpu| {
        let text = shipped("heat");
        let error = |nodes: u32| {
            let step = 1.0 / f64::from(nodes - 1).powi(2) / 4.0;
            let overrides = Overrides {
                size: Some([nodes; 2]),
                scheme: Some(Scheme::Rk4),
                step: Some(step),
                until: Some(0.25),
                ..Overrides::default()
            };
            error_at(gpu, &text, overrides)
        };
        let (coarse, fine) = (error(9)?, error(17)?);
        assert!((1.85..2.3).contains(&(coarse / fine).log2()), "{coarse:e} {fine:e}");
        Ok(())
    })
}

#[test]
fn barenblatt_spreads_and_keeps_its_mass() -> Result<()> {
    on_gpu(|gpu| {
        let text = shipped("barenblatt");
        let mut errors = Vec::new();
        for nodes in [121, 241] {
            let overrides = Overrides { size: Some([nodes, 1]), ..Overrides::default() };
            let h = 12.0 / f64::from(nodes - 1);
            let steps = (1.0 / (0.3 * h * h)).ceil();
            let overrides = Overrides { step: Some(1.0 / steps), scheme: Some(Scheme::Rk4), ..overrides };
            let mut simulation = Simulation::new(gpu, read(&text, &overrides)?)?;
            let mass = |simulation: &Simulation| -> Result<f64> {
                let grid = &simulation.equations().grid;
                let fields = simulation.fields()?;
                Ok(fields[0]
                    .iter()
                    .enumerate()
                    .map(|(node, value)| grid.area(node) * f64::from(*value))
                    .sum())
            };
            let before = mass(&simulation)?;
            for _ in 0..steps as u64 {
                simulation.step()?;
            }
            simulation.settle()?;
            // Fluxes leave one cell as they enter the next but for the rounding of each step.
            assert!((mass(&simulation)? / before - 1.0).abs() < 2e-6);
            let evaluation = simulation.evaluation()?;
            let exact = simulation.equations().fields[0].exact.clone();
            let exact = exact.map(|formula| evaluation.values(&formula)).unwrap_or_default();
            let found = &simulation.fields()?[0];
            errors.push(found.iter().zip(&exact).map(|(a, b)| h * (f64::from(*a) - b).abs()).sum::<f64>());
        }
        assert!(errors[0] < 2.6e-2 && errors[1] < 0.6 * errors[0], "{errors:?}");
        Ok(())
    })
}

#[test]
fn a_front_of_fisher_runs_at_its_speed() -> Result<()> {
    on_gpu(|gpu| {
        // h = 0.2 and t up to 40 instead of 100: the speed is 2 − 1.5/t on its way to 2, a mean of 1.95 from t = 20 to 40.
        let size = Some([601, 1]);
        let overrides =
            Overrides { size, step: Some(0.018), scheme: Some(Scheme::Ab2), ..Overrides::default() };
        let mut simulation = Simulation::new(gpu, read(&shipped("fisher"), &overrides)?)?;
        let mut front = |until: f64| -> Result<f64> {
            while simulation.time() < until {
                simulation.step()?;
            }
            let values = &simulation.fields()?[0];
            assert!(values.iter().all(|value| (-1e-6..1.001).contains(value)));
            let at = values.iter().position(|value| *value < 0.5).unwrap_or(0).max(1);
            let share = (values[at - 1] - 0.5) / (values[at - 1] - values[at]);
            Ok(0.4 * (at as f64 - 1.0 + f64::from(share)))
        };
        let (early, late) = (front(20.0)?, front(40.0)?);
        let speed = (late - early) / 20.0;
        assert!((1.93..1.97).contains(&speed), "{speed}");
        Ok(())
    })
}

#[test]
fn a_run_that_blows_up_names_field_step_and_node() -> Result<()> {
    on_gpu(|gpu| {
        // The shortest wave grows by 1 − 2·1.1 = −1.2 a step; its Laplacian, 8 times as large, overflows first.
        let text = "grid = { size = [16, 8], length = [16, 8] }\nrun = { step = 0.275 }\n\
                    fields.u = { dt = \"0\", start = \"1\", edges = \"periodic\" }\n\
                    fields.v = { dt = \"lap(v)\", start = \"1e-3*cos(pi*x)*cos(pi*y)\", edges = \"periodic\" }\n";
        let mut simulation = started(gpu, text, Scheme::Euler)?;
        let run = |simulation: &mut Simulation| -> Result<()> {
            for _ in 0..1000 {
                simulation.step()?;
            }
            simulation.settle()
        };
        let line = refusal(run(&mut simulation));
        let growth = (f64::from(f32::MAX) / 8e-3).ln() / 1.2_f64.ln();
        let expected = format!("v is not finite at step {}, x = 0, y = 0", growth.ceil() + 1.0);
        assert_eq!(line, expected);
        Ok(())
    })
}

#[test]
fn a_snapshot_goes_on_bit_for_bit_and_a_slider_compiles_nothing() -> Result<()> {
    on_gpu(|gpu| {
        let text = shipped("gray-scott").replace("[128, 128]", "[32, 32]").replace("step = 2", "step = 1");
        let mut simulation = started(gpu, &text, Scheme::Ab2)?;
        for _ in 0..5 {
            simulation.step()?;
        }
        let snapshot = simulation.snapshot()?;
        for _ in 0..5 {
            simulation.step()?;
        }
        let after = simulation.fields()?;
        simulation.restore(&snapshot)?;
        let compiled = gpu.counters().compiles;
        simulation.set_parameter(0, 0.05)?;
        simulation.set_parameter(0, 0.037)?;
        for _ in 0..5 {
            simulation.step()?;
        }
        assert!(simulation.fields()? == after && simulation.time() == 10.0);
        assert_eq!(gpu.counters().compiles, compiled);
        simulation.set_parameter(0, 0.05)?;
        simulation.step()?;
        assert_eq!(gpu.counters().compiles, compiled);
        Ok(())
    })
}

#[test]
fn heat_in_a_disc_decays_by_the_zeros_of_bessel_functions() -> Result<()> {
    on_gpu(|gpu| {
        // Slowest decays: the first zero of J0 squared where the rim is held at 0, that of J1' squared where it is shut and the start is odd.
        // Staircases are of first order: at h = 2.2/64 they are 2.6 % and 1 % off, as at half of it they were found 1.3 % and 0.5 % off.
        let text = shipped("disc");
        for (rim, start, rate, off) in
            [("{ value = 0 }", "start = \"1\"", 5.783, 0.035), ("\"neumann\"", "start = \"x\"", 3.390, 0.015)]
        {
            let text = text.replace("{ value = 0 }", rim).replace("start = \"1\"", start);
            let overrides = Overrides { size: Some([65; 2]), step: Some(0.005), ..Overrides::default() };
            let mut simulation = Simulation::new(gpu, read(&text, &overrides)?)?;
            let mut norm = |steps: u64| -> Result<(f64, f64)> {
                for _ in 0..steps {
                    simulation.step()?;
                }
                let sum = simulation.fields()?[0].iter().map(|value| f64::from(*value).powi(2)).sum::<f64>();
                Ok((simulation.time(), sum.sqrt()))
            };
            let (early, late) = (norm(50)?, norm(14)?);
            let found = (early.1 / late.1).ln() / (late.0 - early.0);
            assert!((found / rate - 1.0).abs() < off, "{rim}: {found}, expected {rate}");
        }
        Ok(())
    })
}

#[test]
fn arrays_of_other_lengths_are_refused_and_counts_without_end_are_not_taken() -> Result<()> {
    on_gpu(|gpu| {
        let text = shipped("gray-scott").replace("[128, 128]", "[16, 12]");
        let mut simulation = started(gpu, &text, Scheme::Sbdf2)?;
        (0..3).try_for_each(|_| simulation.step())?;
        let line = refusal(simulation.set_fields(&[vec![0.5; 192], vec![0.5; 191]]));
        assert_eq!(line, "state of equations: 382 values given, 384 expected (2 fields of 192 nodes)");
        assert!(refusal(simulation.set_fields(&[vec![0.5; 192]])).contains("192 values given, 384 expected"));
        let mut saved = simulation.saved()?;
        for wrong in [0, 1 << 40] {
            for count in saved.solved.iter_mut().flat_map(|solved| &mut solved.cycles) {
                count[1] = wrong;
            }
            simulation.load(&saved)?;
            assert!(distance(&mut simulation)? <= 1e-3, "{wrong}");
        }
        Ok(())
    })
}

//! Generated kernels against the interpreter, step by step, over every rule of an edge and every operator.

use quadrille::Result;
use quadrille::pde::Scheme;

use crate::support::on_gpu;
use crate::{distance, started};

/// Rounding of a step whose terms are not much larger than its result; and what the drivers' sin and exp are off.
const CLOSE: f64 = 4e-6;

const SCHEMES: [Scheme; 3] = [Scheme::Euler, Scheme::Ab2, Scheme::Rk4];

fn close(text: &str) -> Result<()> {
    on_gpu(|gpu| {
        for scheme in SCHEMES {
            let mut simulation = started(gpu, text, scheme)?;
            for step in 1..=3 {
                let off = distance(&mut simulation)?;
                assert!(off <= CLOSE, "{} step {step}: {off:e}\n{text}", scheme.name());
            }
        }
        Ok(())
    })
}

/// A file of two fields over a grid of odd sides with right sides, edges, and more keys of [run].
fn file(u: &str, edges: &str, run: &str) -> String {
    format!(
        "grid = {{ size = [13, 11], length = [1.2, 0.9], origin = [-0.3, 0.1] }}
run = {{ step = 0.0004, scheme = \"euler\"{run} }}
parameters = {{ a = 0.7, b = {{ value = 1.5, range = [0, 2] }} }}
let = {{ w = \"0.3*sin(3*x)*cos(2*y + 0.4) + 0.5*t\" }}
[fields]
u = {{ dt = \"{u}\", start = \"1 + w + 0.1*normal()\", edges = {edges} }}
v = {{ dt = \"lap(v) - u*v^2\", start = \"0.5 + 0.2*cos(4*x + y)\", edges = \"neumann\" }}
"
    )
}

const OPERATORS: &[&str] = &[
    "lap(u) + b*v",
    "a*lap(u^2 + x*v)",
    "dx(u) - 2*dy(u*v)",
    "dxx(u) - 0.5*dyy(v)",
    "div((1 + u^2)*grad(u + v))",
    "-div(x*grad(u)*v/2)",
    "adv(1 + x, v - u, u)",
    "grad2(u*v) - mean(u) + 0.3*integral(v^2)",
    "step*u + hx*Lx + hy*Ly + where(u < v, u, x) + heaviside(x - 0.23)",
    "min(u, v) + max(x, y) + clamp(u, 0.9, 1.1) + abs(u - 1) + sign(x - 0.05) + floor(4*x + 0.13) + mod(7*x + 0.05, 0.9)",
    "exp(-u) + log(u) + sqrt(u) + tanh(30*u) + sinh(v) + cosh(v) + tan(v) + gauss(u)",
    "asin(v/2) + acos(v/2) + atan(u) + atan2(y, x) + sin(u)*cos(v)",
    "u^2 + u^3 - u^5 + u^-1 + u^0 + u^1.5 + u^b + (x <= 0.12) + (y >= 0.42) + (u > v) + (floor(x + 0.01) == 0)",
    "lap(u) + 1e-4*lap(lap(v))",
];

#[test]
fn every_operator_is_that_of_f64_on_closed_edges() -> Result<()> {
    for operator in OPERATORS {
        close(&file(operator, "\"neumann\"", ""))?;
    }
    Ok(())
}

#[test]
fn every_operator_is_that_of_f64_on_a_torus() -> Result<()> {
    for operator in OPERATORS {
        close(&file(operator, "\"periodic\"", "").replace("edges = \"neumann\"", "edges = \"periodic\""))?;
    }
    Ok(())
}

/// Formulas that leave nothing for a compiler to take: no step, no parameter, no field.
#[test]
fn a_formula_of_nothing_stays_what_it_was() -> Result<()> {
    for nothing in ["0", "0*b", "0*u", "b - b"] {
        close(&format!(
            "grid = {{ size = [6, 4], length = [6, 4] }}\nrun = {{ step = 0.1 }}\nparameters = {{ b = 2 }}\n\
             fields.u = {{ dt = \"{nothing}\", start = \"x\" }}\n"
        ))?;
    }
    Ok(())
}

#[test]
fn every_rule_of_an_edge_is_that_of_f64() -> Result<()> {
    for edges in [
        "{ value = \"1 + w\" }",
        "{ derivative = \"y - 2*t\" }",
        "{ robin = \"b\", const = \"a*y + x + t\" }",
        "{ left = { value = \"w\" }, right = { robin = 2, const = \"y\" }, top = { derivative = \"1\" }, bottom = { value = 1 } }",
        "{ x = { robin = \"1 + y\" }, bottom = { derivative = \"x\" } }",
    ] {
        for way in ["central", "upwind", "minmod"] {
            let run = format!(", advection = \"{way}\"");
            close(&file("0.1*lap(u) - adv(u - 1, 0.5 - x, u) + div(v*grad(u))", edges, &run))?;
        }
    }
    Ok(())
}

#[test]
fn a_ring_along_one_axis_alone_is_that_of_f64() -> Result<()> {
    for axes in
        ["x = \"periodic\", y = { robin = 1, const = \"x\" }", "y = \"periodic\", left = { value = \"y\" }"]
    {
        let edges = format!("{{ {axes} }}");
        let text = file("lap(u) - adv(u, v, u)", &edges, ", advection = \"minmod\"");
        close(&text.replace("edges = \"neumann\"", &format!("edges = {edges}")))?;
    }
    Ok(())
}

#[test]
fn auxiliary_fields_have_edges_of_their_own() -> Result<()> {
    let text = file("lap(m) - dx(n)", "{ value = \"1 + w\" }", "")
        + "m = { is = \"u^3 - u - 0.01*lap(u)\", edges = { x = { value = \"y\" }, y = { derivative = \"1\" } } }\n\
           n = { is = \"m*integral(m) + dy(u)\" }\n";
    close(&text)
}

#[test]
fn a_mask_shuts_its_faces_or_holds_its_values() -> Result<()> {
    for edges in
        ["\"neumann\"", "{ value = \"0.5 + t\" }", "{ mask = { value = \"x\" }, left = { robin = 1 } }"]
    {
        let text =
            file("lap(u) - adv(1, u, u) + div(u*grad(v)) + mean(u)", edges, ", advection = \"minmod\"");
        close(&text.replace(
            "origin = [-0.3, 0.1] }",
            "origin = [-0.3, 0.1], mask = \"(x-0.3)^2 + (y-0.5)^2 < 0.2\" }",
        ))?;
    }
    Ok(())
}

#[test]
fn a_line_is_that_of_f64() -> Result<()> {
    for edges in [
        "\"periodic\"",
        "\"neumann\"",
        "{ left = { value = \"1 + t\" }, right = { robin = 1, const = \"x\" } }",
    ] {
        for way in ["central", "upwind", "minmod"] {
            close(&format!(
                "grid = {{ size = 17, length = 2 }}\nrun = {{ step = 0.002, advection = \"{way}\" }}\n\
                 fields.u = {{ dt = \"0.3*lap(u) - adv(u/2, 0, u) + dx(u)^2 + grad2(u)\", \
                 start = \"1 + 0.4*sin(pi*x)\", edges = {edges} }}\n"
            ))?;
        }
    }
    Ok(())
}

#[test]
fn noise_is_the_same_on_both_sides_and_in_every_run() -> Result<()> {
    on_gpu(|gpu| {
        let text = "grid = { size = [31, 17], length = [15.5, 8.5] }\nrun = { step = 0.01, seed = 7 }\n\
                    fields.u = { dt = \"0\", noise = \"2 + x/15.5\", edges = \"periodic\" }\n\
                    fields.v = { dt = \"0\", noise = \"1\", edges = \"periodic\" }\n";
        let run = || -> Result<Vec<Vec<f32>>> {
            let mut simulation = started(gpu, text, Scheme::Euler)?;
            // cos and log of drivers are off by some 1e-6 of values up to 5.
            assert!(distance(&mut simulation)? < 2e-5);
            for _ in 1..400 {
                simulation.step()?;
            }
            simulation.fields()
        };
        let (one, two) = (run()?, run()?);
        assert_eq!(one, two);
        // 527 nodes: the variance of v is t/(hx hy) = 16, its estimate off by a factor of 1 ± 0.06, taken three times.
        let variance = one[1].iter().map(|v| f64::from(*v).powi(2)).sum::<f64>() / 527.0;
        assert!((variance / 16.0 - 1.0).abs() < 0.18, "{variance}");
        // Both fields and neighbours are independent.
        let joint = one[0].iter().zip(&one[1]).map(|(a, b)| f64::from(a * b)).sum::<f64>() / 527.0;
        assert!(joint.abs() < 3.0 * 10.0 * 4.0 / 527_f64.sqrt() * 2.0, "{joint}");
        Ok(())
    })
}

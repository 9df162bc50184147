//! Implicit steps of files: held against f64, their orders, decay, energies, and what they are refused for.

use quadrille::numeric::Random;
use quadrille::pde::{Evaluation, Overrides, Scheme, Simulation};
use quadrille::{Gpu, Result};

use crate::laws::{error_at, shipped};
use crate::support::{on_gpu, refusal};
use crate::{distance, read, started};

const IMPLICIT: [Scheme; 4] = [Scheme::ImexEuler, Scheme::Sbdf2, Scheme::Cnab2, Scheme::Cn];

/// Five steps beside the same in f64: the first, those that remember, and one that is not looked at. Solves to 10⁻⁶ of R, and R is some
/// times the change; four roundings of the state on top.
fn close(text: &str, schemes: &[Scheme]) -> Result<()> {
    on_gpu(|gpu| {
        for scheme in schemes {
            let mut simulation = started(gpu, text, *scheme)?;
            for step in 1..=5 {
                let off = distance(&mut simulation)?;
                assert!(off <= 1e-5, "{} step {step}: {off:e}\n{text}", scheme.name());
            }
        }
        Ok(())
    })
}

/// A file of two fields whose steps are far beyond the explicit limit.
fn file(u: &str, v: &str, edges: &str) -> String {
    format!(
        "grid = {{ size = [21, 14], length = [1.2, 0.9], origin = [-0.3, 0.1] }}
run = {{ step = 0.02, scheme = \"sbdf2\", tolerance = 1e-6 }}
parameters = {{ a = 0.7, b = {{ value = 1.5, range = [0, 2] }} }}
let = {{ w = \"0.3*sin(3*x)*cos(2*y + 0.4) + 0.5*t\" }}
[fields]
u = {{ dt = \"{u}\", start = \"1 + w + 0.1*normal()\", edges = {edges} }}
v = {{ dt = \"{v}\", start = \"0.5 + 0.2*cos(4*x + y)\", edges = {edges} }}
"
    )
}

/// Edges of every kind, alike for both fields.
const EDGES: [&str; 6] = [
    "\"periodic\"",
    "\"neumann\"",
    "{ value = \"1 + w\" }",
    "{ derivative = \"y - 2*t\" }",
    "{ robin = \"b\", const = \"a*y + x + t\" }",
    "{ left = { value = \"w\" }, right = { robin = 2, const = \"y\" }, top = { derivative = \"1\" }, bottom = { value = 1 } }",
];

#[test]
fn steps_with_every_kind_of_edge_are_those_of_f64() -> Result<()> {
    for edges in EDGES {
        let text = file("a*lap(u) - 30*u + 0.2*lap(v) - u^3 + w", "lap(v) + b*u - u*v^2 + dx(u)", edges);
        close(&text, &IMPLICIT[..3])?;
        close(&file("a*lap(u) - 3*u + w*cos(t)", "lap(v) + b*u + 0.5", edges), &IMPLICIT[3..])?;
    }
    Ok(())
}

/// A field that is the same everywhere is an ordinary equation, u' = −6u + u²/2 + cos 3t, whose steps are written here by hand: weights of
/// both halves, the first step, and the times at which sources count. By `cn` without the square.
#[test]
fn steps_of_each_scheme_are_those_by_hand() -> Result<()> {
    on_gpu(|gpu| {
        for scheme in IMPLICIT {
            let square = if scheme == Scheme::Cn { 0.0 } else { 0.5 };
            let term = if scheme == Scheme::Cn { "" } else { " + 0.5*u^2" };
            let text = format!(
                "grid = {{ size = [4, 3], length = [4, 3] }}\nrun = {{ step = 0.25, tolerance = 1e-7 }}\n\
                 fields.u = {{ dt = \"lap(u) - 6*u{term} + cos(3*t)\", start = \"1\", edges = \"periodic\" }}\n"
            );
            let mut simulation = started(gpu, &text, scheme)?;
            let (h, k) = (0.25, 6.0);
            let source = |t: f64| (3.0 * t).cos();
            let (mut u, mut change, mut past) = (1.0_f64, 0.0, 0.0);
            for n in 0..6 {
                let (t, end) = (f64::from(n) * h, f64::from(n + 1) * h);
                let explicit = square * u * u;
                let mean = 0.5 * (source(t) + source(end));
                change = match (scheme, n) {
                    (Scheme::Cn, _) => h * (mean - k * u) / (1.0 + 0.5 * h * k),
                    (Scheme::ImexEuler, _) | (_, 0) => h * (source(end) - k * u + explicit) / (1.0 + h * k),
                    (Scheme::Cnab2, _) => {
                        h * (mean - k * u + 1.5 * explicit - 0.5 * past) / (1.0 + 0.5 * h * k)
                    }
                    _ => {
                        let right = source(end) - k * u + 2.0 * explicit - past;
                        (0.5 * change + h * right) / (1.5 + h * k)
                    }
                };
                (u, past) = (u + change, explicit);
                simulation.step()?;
                for found in &simulation.fields()?[0] {
                    // A few roundings of values up to 1 each step.
                    let off = (f64::from(*found) - u).abs();
                    assert!(off <= 2e-6, "{} step {}: {found}, expected {u}", scheme.name(), n + 1);
                }
            }
        }
        Ok(())
    })
}

/// J u + S + N is the right side: no term is in two halves or in none, whatever moves it from one to the other.
#[test]
fn the_halves_of_a_right_side_add_up_to_it() -> Result<()> {
    let m = "m = { is = \"0.02*u^3 - 0.05*u - 0.01*lap(u)\", edges = \"neumann\", stabilise = { u = 0.2 } }\n\
             n = { is = \"0.3*m + v - 2*lap(v)\", edges = \"neumann\" }\n";
    let d = "(1 + 0.3*x)";
    let mut texts: Vec<String> = [
        file("a*lap(u) - 30*u + 0.2*lap(v) - u^3 + w", "lap(v) + b*u - u*v^2 + dx(u)", EDGES[1]),
        file("-3*(a*lap(u)/2 - u - cos(t)) + v*t", "lap(v/b - 2*u) + 0.5 - (u - v)", EDGES[4]),
        file("lap(m) + a*u", "-lap(lap(v))/1000 - u*v", EDGES[1]) + m,
        file("lap(n) + 2*m - u", "lap(v) - lap(m)/b", EDGES[1]) + m,
        file(&format!("div({d}*grad(u)) - 20*u + u*v"), &format!("2*div({d}*grad(v)) - v"), EDGES[4]),
        file("div((0.1 + u^2)*grad(u - 3*v)) - u", "lap(v) - 40*v + div(x*grad(v + u^2))", EDGES[1]),
    ]
    .into();
    let names = ["swift-hohenberg", "cahn-hilliard", "ginzburg-landau", "thin-film", "klausmeier"];
    texts.extend(names.map(|name| shipped(name).replace("size = [128, 128]", "size = [16, 12]")));
    let mut random = Random(7);
    for text in &texts {
        for (scheme, implicit) in [(Scheme::Sbdf2, ""), (Scheme::Cnab2, "all"), (Scheme::ImexEuler, "none")] {
            if implicit == "none" && text.contains("stabilise") {
                continue;
            }
            let key = format!("run = {{ implicit = \"{implicit}\",");
            let text = if implicit.is_empty() { text.clone() } else { text.replace("run = {", &key) };
            let text = text.replace("scheme = \"rk4\"", "scheme = \"sbdf2\"");
            let equations = read(&text, &Overrides { scheme: Some(scheme), ..Overrides::default() })?;
            let nodes = equations.grid.nodes();
            let mut field =
                || random.floats(nodes).into_iter().map(|value| 0.75 + 0.5 * f64::from(value)).collect();
            let fields = equations.fields.iter().map(|_| field());
            let (values, step) = (equations.values(), equations.run.step);
            let now = Evaluation::new(&equations, &values, step, 0.3, fields.collect());
            let Some(split) = &equations.split else { continue };
            for (at, field) in equations.fields.iter().enumerate() {
                let parts =
                    [Some(&split.linear[at]), split.sources[at].as_ref(), split.explicit[at].as_ref()];
                let parts: Vec<Vec<f64>> = parts.into_iter().flatten().map(|part| now.values(part)).collect();
                for (node, whole) in now.values(&field.dt).into_iter().enumerate() {
                    let (mut sum, mut size) = (0.0, whole.abs());
                    for part in &parts {
                        (sum, size) = (sum + part[node], size + part[node].abs());
                    }
                    // Roundings of f64, those of ∇⁴ over h⁴ among them.
                    assert!(
                        (sum - whole).abs() <= 1e-9 * (1.0 + size),
                        "{}: {sum}, not {whole}\n{text}",
                        field.name
                    );
                }
            }
        }
    }
    Ok(())
}

/// Each field solves with its own edges where the implicit part does not mix them: diffusion, a field without any, a mask, weights.
#[test]
fn fields_with_unlike_edges_are_solved_with_their_own() -> Result<()> {
    for (of_u, of_v) in [(2, 1), (5, 4)] {
        let text = file("a*lap(u) - 30*u - u^3*v + w", "lap(v) + b*u - u*v^2 + dx(u)", EDGES[of_u]);
        let (head, tail) = text.split_at(text.find("\nv = ").unwrap_or(0));
        let text = head.to_owned() + &tail.replace(EDGES[of_u], EDGES[of_v]);
        close(&text, &IMPLICIT[2..3])?;
        // A field that does not diffuse has no use for edges, and another two of one kind are one group.
        let more = format!(
            "p = {{ dt = \"u - p\", start = \"x\" }}\nq = {{ dt = \"0.2*lap(q) + v\", start = \"y\", edges = {} }}\n",
            EDGES[of_u]
        );
        close(&(text + &more), &IMPLICIT[1..2])?;
    }
    // Four kinds, each its own.
    let field = |name: &str, dt: &str, edges: usize| {
        let edges = EDGES[edges];
        format!("{name} = {{ dt = \"{dt}\", start = \"0.5 + 0.2*cos(4*x + y)\", edges = {edges} }}\n")
    };
    let text = file("a*lap(u) - 30*u - u^3*v + w", "", EDGES[1]);
    let head = text.split_at(text.find("\nv = ").unwrap_or(0) + 1).0.to_owned();
    let rest = [
        field("v", "lap(v) - u*q", 2),
        field("p", "2*lap(p) - p*u", 4),
        field("q", "0.5*lap(q) + 0.3*u*p", 5),
    ];
    close(&(head + &rest.concat()), &IMPLICIT[1..2])?;
    for rims in [["\"neumann\"", "{ value = \"0.5 + t\" }"], ["{ value = \"x\" }", "\"neumann\""]] {
        let text = file("a*lap(u) - u^3", "lap(v) + u", rims[0]);
        let (head, tail) = text.split_at(text.find("\nv = ").unwrap_or(0));
        let text = head.to_owned() + &tail.replace(rims[0], rims[1]);
        let mask = "origin = [-0.3, 0.1], mask = \"(x-0.3)^2 + (y-0.5)^2 < 0.15\" }";
        close(&text.replace("origin = [-0.3, 0.1] }", mask), &IMPLICIT[1..2])?;
    }
    for [u, v] in
        [["div((0.1 + u^2)*grad(u)) - u", "u - v"], ["div((1 + x)*grad(u))", "2*div((1 + x)*grad(v))"]]
    {
        let text = file(u, v, EDGES[4]);
        let (head, tail) = text.split_at(text.find("\nv = ").unwrap_or(0));
        close(&(head.to_owned() + &tail.replace(EDGES[4], "{ value = 1 }")), &IMPLICIT[..1])?;
    }
    // A field that another one of its kind needs through an auxiliary field, beside one of another kind.
    let text = file("lap(u) + lap(m)", "lap(v) - v", EDGES[1])
        + "m = { is = \"0.3*v - 0.002*lap(v)\", edges = \"neumann\" }\n"
        + "p = { dt = \"lap(p) + u\", start = \"x\", edges = { value = 1 } }\n";
    close(&text, &IMPLICIT[..1])?;
    Ok(())
}

/// Each field has its own D: systems of their own where fields do not depend on each other, else one for all. What is implicit is so
/// beyond the explicit limit, 60 times here.
#[test]
fn each_field_has_its_own_conductivity() -> Result<()> {
    let (d, e) = ("(1 + 0.5*sin(2*pi*x/Lx)*cos(2*pi*y/Ly))", "(0.6 + 0.3*x)");
    let swapped = |text: String, from: &str, to: &str| {
        let (head, tail) = text.split_at(text.find("\nv = ").unwrap_or(0));
        head.to_owned() + &tail.replacen(from, to, 1)
    };
    // True if all fields are one system, and the number of groups.
    let split = |text: &str| -> Result<(bool, usize)> {
        let equations = read(text, &Overrides::default())?;
        let split = equations.split.as_ref();
        Ok(split.map_or((false, 0), |split| (split.joined, split.groups.len())))
    };
    // D of the state beside ∇² and a D of places.
    let text = file("div((0.1 + u^2)*grad(u - 2*v)) - u", "lap(v) - v", EDGES[1])
        + &format!(
            "p = {{ dt = \"div({d}*grad(p + 3)) + u\", start = \"x\", edges = {{ value = \"x\" }} }}\n"
        );
    assert_eq!(split(&text)?, (false, 3));
    close(&text, &IMPLICIT[1..2])?;
    // Fields that conduct into each other, with the same edges and with others.
    let v = format!("2*div({e}*grad(v)) - v + u");
    let text = file(&format!("div({d}*grad(u)) + 0.3*div({e}*grad(v)) - u^3"), &v, EDGES[4]);
    assert_eq!(split(&text)?, (true, 2));
    let unlike = swapped(text, EDGES[4], EDGES[1]);
    close(&unlike, &IMPLICIT[..1])?;
    // The preconditioner is two cycles for each field, twice an iteration, without gradients around them.
    on_gpu(|gpu| {
        let mut simulation = started(gpu, &unlike.replace("0.02", "0.1"), Scheme::ImexEuler)?;
        (0..4).try_for_each(|_| simulation.step())?;
        let effort = simulation.effort().unwrap_or_default();
        assert_eq!(effort.cycles, 8 * effort.iterations, "{effort:?}");
        Ok(())
    })?;
    let text = file("div((0.1 + u^2)*grad(u)) + 0.2*lap(v)", "lap(v) - v + u", EDGES[1]);
    assert_eq!(split(&text)?, (true, 2));
    close(&text, &IMPLICIT[..1])?;
    // A D between an operator's argument and its field; a field without second derivatives goes with the one that it depends on.
    let text = file(&format!("div({d}*grad(m))"), "lap(v)", EDGES[1]).replace("1e-6", "1e-7");
    let text = text + "m = { is = \"-0.002*lap(u)\", edges = \"neumann\" }\n";
    assert!(split(&text)?.0);
    close(&text, &IMPLICIT[..1])?;
    let text = file(&format!("div({d}*grad(u)) - 30*v"), "20*u - 3*v", EDGES[1]);
    assert_eq!(split(&text.replace("1e-6", "1e-6, implicit = \"all\""))?, (false, 1));
    // Both integrals are kept in a closed box, wherever D lies.
    let u = format!("div({d}*grad(u)) + 0.3*div({e}*grad(v))");
    let v = format!("div({e}*grad(v)) - 0.2*div({d}*grad(u))");
    let equations = read(&file(&u, &v, EDGES[1]), &Overrides::default())?;
    assert_eq!(equations.split.as_ref().map(|split| split.conserves.clone()), Some(vec![true; 2]));
    // One D for two of unlike edges. ∇·D∇ of a field that holds values is no 0 there, where another row asks for it.
    let text = file(&format!("div({d}*grad(u)) + div({d}*grad(v))"), &format!("div({d}*grad(v))"), EDGES[1]);
    assert_eq!(split(&text.replacen(EDGES[1], EDGES[2], 1))?, (true, 2));
    let line = refusal(read(&swapped(text, EDGES[1], EDGES[2]), &Overrides::default()));
    assert!(line.contains("v holds values at an edge where u does not"), "{line}");
    Ok(())
}

/// Cross-diffusion between fields of unlike edges, and auxiliary fields whose edges are not those of their field: one system for all.
#[test]
fn fields_that_depend_on_each_other_keep_their_own_edges() -> Result<()> {
    let swapped = |text: String, from: &str, to: &str| {
        let (head, tail) = text.split_at(text.find("\nv = ").unwrap_or(0));
        head.to_owned() + &tail.replacen(from, to, 1)
    };
    for (of_u, of_v, schemes) in [(1, 2, 1..3), (5, 4, 0..1)] {
        let text =
            file("a*lap(u) - 30*u + 0.2*lap(v) - u^3 + w", "lap(v) + b*u - u*v^2 + dx(u)", EDGES[of_u]);
        close(&swapped(text, EDGES[of_u], EDGES[of_v]), &IMPLICIT[schemes])?;
    }
    // All that is linear, and a third field that has nothing to do with them.
    let text = file("a*lap(u) - 3*u + 0.5*v", "lap(v) + b*u + 0.4*lap(u)", EDGES[1])
        .replace("1e-6", "1e-6, implicit = \"all\"")
        + "p = { dt = \"lap(p) + u*v\", start = \"x\", edges = { value = 1 } }\n";
    close(&swapped(text, EDGES[1], EDGES[2]), &IMPLICIT[..1])?;
    // An auxiliary field that holds values beside a closed field, and the other way round; stabilised.
    for [of_u, of_m] in [["\"neumann\"", "{ value = 0 }"], ["{ value = 0.5 }", "\"neumann\""]] {
        let m = format!(
            "m = {{ is = \"0.02*u^3 - 0.05*u - 0.01*lap(u)\", edges = {of_m}, stabilise = {{ u = 0.2 }} }}\n"
        );
        // R is some times the change here, and so is its rounding: an H200 ends at 2.9e-7.
        let text = file("lap(m) + a*u", "lap(v) - u*v", of_u).replace("1e-6", "5e-7");
        close(&(text + &m), &IMPLICIT[1..2])?;
    }
    // A field that keeps its integral has nothing to do with the others.
    let text = file("lap(u)", "lap(p) - v", "\"neumann\"").replace("1e-6", "3e-6")
        + "p = { is = \"0.3*v\", edges = { value = 0 } }\n";
    close(&text, &IMPLICIT[1..2])?;
    // Linear beside cn, a line, and odd sizes.
    let text = file("a*lap(u) + 0.3*lap(v)", "lap(v) + b*u", EDGES[1]);
    let text = swapped(text, EDGES[1], EDGES[4]);
    close(&text, &IMPLICIT[3..])?;
    close(
        &text
            .replace("[21, 14]", "33")
            .replace("[1.2, 0.9]", "1.2")
            .replace("[-0.3, 0.1]", "-0.3")
            .replace("y", "x"),
        &IMPLICIT[1..2],
    )
}

#[test]
fn auxiliary_fields_are_solved_with_and_stabilised() -> Result<()> {
    for edges in ["\"periodic\"", "\"neumann\""] {
        for stabilise in ["", ", stabilise = { u = 0.2 }"] {
            let text = file("lap(m) + a*u", "-lap(lap(v))/1000 - u*v", edges);
            let m =
                format!("m = {{ is = \"0.02*u^3 - 0.05*u - 0.01*lap(u)\", edges = {edges}{stabilise} }}\n");
            close(&(text + &m), &IMPLICIT[..3])?;
        }
    }
    // One that is linear but for what stabilises it.
    let text = file("lap(m) + a*u", "lap(v)", EDGES[1])
        + "m = { is = \"-0.05*u - 0.01*lap(u)\", edges = \"neumann\", stabilise = { u = 0.2 } }\n";
    close(&text, &IMPLICIT[..1])?;
    // Auxiliary fields with values at their edges, one out of another.
    let text = file("-lap(n)/500", "lap(v) - v", "{ value = 1 }")
        + "m = { is = \"0.1*lap(u) - u^2\", edges = { value = \"y\" } }\nn = { is = \"m + u\", edges = { value = \"x\" } }\n";
    close(&text, &IMPLICIT[..3])
}

#[test]
fn nodes_outside_a_mask_take_no_part() -> Result<()> {
    for edges in ["\"neumann\"", "{ value = \"0.5 + t\" }"] {
        let text = file("a*lap(u) - u^3", "lap(v) + u", edges);
        close(
            &text.replace(
                "origin = [-0.3, 0.1] }",
                "origin = [-0.3, 0.1], mask = \"(x-0.3)^2 + (y-0.5)^2 < 0.15\" }",
            ),
            &IMPLICIT[..3],
        )?;
    }
    Ok(())
}

/// A node, and a ring one node thin on odd rows and columns, by steps that want cycles.
#[test]
fn masks_of_few_nodes_are_solved_too() -> Result<()> {
    let [along, up] = ["abs(x - 0.24)/0.06", "abs(y - 0.1 - 7*hy)/hy"];
    for mask in [format!("({along} < 0.5)*({up} < 0.5)"), format!("abs(max({along}, {up}) - 2) < 0.5")] {
        for edges in ["\"neumann\"", "{ value = \"0.5 + t\" }"] {
            let text = file("a*lap(u) - 0.1*u", "lap(v) + u", edges).replace("step = 0.02", "step = 0.5");
            // Noise would make an R of which the tolerance is more than the bound.
            let text = text.replace(" + 0.1*normal()", "");
            let inside = format!("origin = [-0.3, 0.1], mask = \"{mask}\" }}");
            close(&text.replace("origin = [-0.3, 0.1] }", &inside), &IMPLICIT[..1])?;
        }
    }
    Ok(())
}

#[test]
fn options_move_terms_from_one_half_to_the_other() -> Result<()> {
    let text = file("a*lap(u) + 2*u - v", "lap(v) + b*u - u*v^2", "\"neumann\"");
    for option in ["none", "all"] {
        let text = text.replace("tolerance = 1e-6", &format!("tolerance = 1e-6, implicit = \"{option}\""));
        let text = if option == "none" { text.replace("0.02", "0.0002") } else { text };
        close(&text, &IMPLICIT[..3])?;
        let equations = read(&text, &Overrides::default())?;
        let part = equations.split.as_ref().map(|split| split.part(2, &equations.values(), 0.02));
        let part = part.map(|part| (part.constant, part.lap));
        let expected = match option {
            "none" => (vec![0.0; 4], vec![0.0; 4]),
            _ => (vec![2.0, -1.0, 1.5, 0.0], vec![0.7, 0.0, 0.0, 1.0]),
        };
        assert_eq!(part, Some(expected));
    }
    // Without an option: fast decay is implicit, slow decay is not.
    let equations = read(&shipped("gray-scott"), &Overrides::default())?;
    for (step, kept) in [(2.0, [0.0, 0.0]), (6.0, [0.0, -0.097]), (20.0, [-0.037, -0.097])] {
        let part = equations.split.as_ref().map(|split| split.part(2, &equations.values(), step));
        assert_eq!(part.map(|part| part.constant), Some(vec![kept[0], 0.0, 0.0, kept[1]]), "{step}");
    }
    // Beside ∇⁴ growth is explicit, decay implicit, whichever the parameter makes of it.
    for (r, kept) in [(0.3, -0.7), (1.5, 0.0)] {
        let set = vec![("r".to_owned(), r)];
        let text = shipped("swift-hohenberg").replace("range = [-0.1, 1]", "range = [-0.1, 2]");
        let equations = read(&text, &Overrides { set, ..Overrides::default() })?;
        let part = equations.split.as_ref().map(|split| split.part(1, &equations.values(), 0.5));
        assert_eq!(
            part.map(|part| (part.constant, part.lap)),
            Some((vec![kept, 0.0, 0.0, 0.0], vec![-2.0, -1.0, 1.0, 0.0]))
        );
    }
    Ok(())
}

/// Diffusion with a D that differs from place to place, or that follows the state.
#[test]
fn conductivities_make_the_weights() -> Result<()> {
    for edges in ["\"periodic\"", "{ robin = \"b\", const = \"a*y + x + t\" }", "{ value = 1 }"] {
        let d = "(1 + 0.5*sin(2*pi*x/Lx)*cos(2*pi*y/Ly))";
        close(
            &file(&format!("div({d}*grad(u)) - u"), &format!("2*div({d}*grad(v))"), edges),
            &IMPLICIT[..3],
        )?;
        close(&file("div((0.1 + u^2)*grad(u)) - u", "u - v", edges), &IMPLICIT[..2])?;
    }
    Ok(())
}

#[test]
fn heat_by_large_steps_converges_by_the_order_of_its_scheme() -> Result<()> {
    on_gpu(|gpu| {
        let text = shipped("heat");
        let error = |scheme, nodes: u32, step| {
            let size = Some([nodes; 2]);
            let overrides =
                Overrides { size, scheme: Some(scheme), step: Some(step), ..Overrides::default() };
            error_at(gpu, &text, overrides)
        };
        for (scheme, at_17) in [(Scheme::Sbdf2, 1.28e-3), (Scheme::Cnab2, 1.29e-3)] {
            let (coarse, fine) = (error(scheme, 17, 0.0625)?, error(scheme, 33, 0.03125)?);
            assert!((coarse / at_17 - 1.0).abs() < 0.01, "{}: {coarse:e}", scheme.name());
            let order = (coarse / fine).log2();
            assert!((1.9..2.1).contains(&order), "{}: {coarse:e} {fine:e}", scheme.name());
        }
        let (coarse, fine) = (error(Scheme::ImexEuler, 33, 0.125)?, error(Scheme::ImexEuler, 33, 0.0625)?);
        assert!((0.9..1.05).contains(&(coarse / fine).log2()), "imex-euler: {coarse:e} {fine:e}");
        Ok(())
    })
}

/// The area mean of a field, and how far it differs from it.
fn spread(simulation: &Simulation) -> Result<(f64, f64)> {
    let grid = &simulation.equations().grid;
    let values = &simulation.fields()?[0];
    let sum: f64 = values.iter().enumerate().map(|(node, value)| grid.area(node) * f64::from(*value)).sum();
    let mean = sum / grid.whole();
    Ok((mean, values.iter().map(|value| (f64::from(*value) - mean).abs()).fold(0.0, f64::max)))
}

#[test]
fn large_steps_damp_keep_the_mean_and_come_to_rest() -> Result<()> {
    on_gpu(|gpu| {
        for (times, last) in [(100.0, 0.05), (1e4, 1e-4)] {
            let text = shipped("decay").replace("length = [128, 128]", "length = [48, 48]");
            let overrides =
                Overrides { size: Some([49; 2]), step: Some(times * 0.25), ..Overrides::default() };
            let mut simulation = Simulation::new(gpu, read(&text, &overrides)?)?;
            let (mean, first) = spread(&simulation)?;
            let mut newest = first;
            for step in 1..=50 {
                simulation.step()?;
                if step % 5 == 0 {
                    let (now, off) = spread(&simulation)?;
                    assert!((now - mean).abs() <= 1e-6, "{times} step {step}: mean {now} after {mean}");
                    assert!(off <= first, "{times} step {step}: {off} after {first}");
                    newest = off;
                }
            }
            simulation.settle()?;
            assert!(newest <= last, "{times}: {newest:e}");
            assert_eq!(simulation.is_steady()?, times > 1e3);
        }
        Ok(())
    })
}

/// Cahn and Hilliard's energy falls with every step, and the mass stays.
#[test]
fn energy_falls_and_mass_stays() -> Result<()> {
    on_gpu(|gpu| {
        for step in [1.0, 10.0, 100.0] {
            let text = shipped("cahn-hilliard").replace("length = [128, 128]", "length = [40, 27]");
            let overrides = Overrides { size: Some([40, 27]), step: Some(step), ..Overrides::default() };
            let mut simulation = Simulation::new(gpu, read(&text, &overrides)?)?;
            let probe = |simulation: &Simulation, at: usize| -> Result<f64> {
                Ok(simulation.evaluation()?.value(&simulation.equations().probes[at].show, 0))
            };
            let (begin, mass) = (probe(&simulation, 0)?, probe(&simulation, 1)?);
            let mut energy = begin;
            for _ in 0..25 {
                simulation.step()?;
                let next = probe(&simulation, 0)?;
                assert!(next <= energy + 1e-6 * begin, "step {step}: {next} after {energy}");
                energy = next;
            }
            assert!((probe(&simulation, 1)? - mass).abs() <= 1e-6 && energy < begin, "step {step}: {energy}");
        }
        Ok(())
    })
}

/// The shipped waves as one that stands, by steps of 20 times the limit.
fn standing_wave() -> String {
    let [mut text, start] = [shipped("wave"), "exp(-((x-0.35)^2+(y-0.4)^2)/0.004)".to_owned()];
    for (old, new) in [
        ("size = [128, 128]", "size = [64, 64]"),
        ("scheme = \"rk4\", step = 0.004", "scheme = \"cn\", step = 0.3125"),
        (&start, "cos(2*pi*x)"),
    ] {
        assert!(text.contains(old), "{old}");
        text = text.replace(old, new);
    }
    text
}

/// A wave at Courant number 20: energy and phase after 32 steps, those of the scheme.
#[test]
fn waves_keep_energy_and_phase() -> Result<()> {
    on_gpu(|gpu| {
        let overrides = Overrides { size: Some([64, 8]), ..Overrides::default() };
        let text = standing_wave().replace("length = [1, 1]", "length = [1, 0.125]");
        wave(gpu, &text, overrides, 32)
    })
}

pub fn wave(gpu: &Gpu, text: &str, overrides: Overrides, steps: u32) -> Result<()> {
    let mut simulation = Simulation::new(gpu, read(text, &overrides)?)?;
    let energy = |simulation: &Simulation| -> Result<f64> {
        Ok(simulation.evaluation()?.value(&simulation.equations().probes[0].show, 0))
    };
    let before = energy(&simulation)?;
    (0..steps).try_for_each(|_| simulation.step())?;
    let (h, step) = (simulation.equations().grid.cell[0], simulation.time_step());
    let omega = 2.0 / h * (std::f64::consts::PI * h).sin();
    let phase = 2.0 / step * (omega * step / 2.0).atan() * simulation.time();
    let width = simulation.equations().grid.size[0] as usize;
    let fields = simulation.fields()?;
    let off = fields[0].iter().enumerate().map(|(node, value)| {
        let x = (node % width) as f64 * h;
        (f64::from(*value) - (std::f64::consts::TAU * x).cos() * phase.cos()).abs()
    });
    let off = off.fold(0.0, f64::max);
    let lost = (energy(&simulation)? / before - 1.0).abs();
    // Each solve leaves a residual of a rounding of 1 + 2 c², the largest sum in it, and roundings of many steps add up as their root.
    let courant = step / h;
    let bound = 2f64.powi(-24) * (1.0 + 2.0 * courant * courant) * f64::from(steps).sqrt();
    assert!(off <= bound && lost <= 1e-4, "{off:e} off, {bound:e} allowed; energy {lost:e} off");
    Ok(())
}

/// Waves of two fields whose blocks have complex roots: solves that are not looked at must not let roundings grow.
#[test]
fn a_plane_wave_converges_by_the_second_order() -> Result<()> {
    on_gpu(|gpu| {
        let text = shipped("plane-wave");
        let error = |step| error_at(gpu, &text, Overrides { step: Some(step), ..Overrides::default() });
        let (coarse, fine) = (error(0.1)?, error(0.05)?);
        assert!(coarse <= 2.8e-3 && (coarse / fine).log2() >= 1.9, "{coarse:e} {fine:e}");
        Ok(())
    })
}

#[test]
fn a_saved_run_and_a_snapshot_go_on_bit_for_bit() -> Result<()> {
    on_gpu(|gpu| {
        let text = shipped("gray-scott").replace("[128, 128]", "[32, 32]");
        for scheme in [Scheme::Sbdf2, Scheme::Cnab2, Scheme::ImexEuler] {
            let mut simulation = started(gpu, &text, scheme)?;
            (0..5).try_for_each(|_| simulation.step())?;
            let (saved, snapshot) = (simulation.saved()?, simulation.snapshot()?);
            (0..14).try_for_each(|_| simulation.step())?;
            let after = simulation.fields()?;
            simulation.restore(&snapshot)?;
            (0..14).try_for_each(|_| simulation.step())?;
            assert!(simulation.fields()? == after, "{} from a snapshot", scheme.name());
            let mut other = started(gpu, &text, scheme)?;
            other.load(&saved)?;
            (0..14).try_for_each(|_| other.step())?;
            assert!(other.fields()? == after, "{} from what was saved", scheme.name());
            assert_eq!((other.time(), other.count()), (simulation.time(), simulation.count()));
        }
        Ok(())
    })
}

/// A rough start: R is a hundred times the change, to which the tolerance is held all the same.
#[test]
fn a_tolerance_of_unlike_edges_is_one_of_the_change() -> Result<()> {
    on_gpu(|gpu| {
        let text = "grid = { size = [64, 49], length = [6, 5] }\nrun = { scheme = \"sbdf2\", step = 0.5 }\n[fields]\n\
            u = { dt = \"lap(u) + 0.4*lap(v) - 0.1*u^3\", start = \"sin(3*x)+y\", edges = \"neumann\" }\n\
            v = { dt = \"2*lap(v) - 0.3*lap(u) + u\", start = \"0.5\", edges = { value = \"y\" } }\n";
        let mut simulation = started(gpu, text, Scheme::Sbdf2)?;
        for step in 1..=5 {
            let expected = simulation.expected()?;
            simulation.step()?;
            let slack = simulation.slack()?;
            for (found, expected) in simulation.fields()?.iter().flatten().zip(expected.iter().flatten()) {
                let off = (f64::from(*found) - expected).abs();
                assert!(off <= 1e-5 + slack, "step {step}: {off:e} of {slack:e}");
            }
        }
        Ok(())
    })
}

/// The same of fields of unlike edges that are one system, and of a slider that makes it anew.
#[test]
fn a_run_of_unlike_edges_goes_on_bit_for_bit() -> Result<()> {
    on_gpu(|gpu| {
        let text =
            file("a*lap(u) + 0.2*lap(v) - u^3", "lap(v) + b*u", EDGES[1]).replacen(EDGES[1], EDGES[2], 1);
        let mut simulation = started(gpu, &text, Scheme::Sbdf2)?;
        (0..5).try_for_each(|_| simulation.step())?;
        let (saved, snapshot) = (simulation.saved()?, simulation.snapshot()?);
        (0..3).try_for_each(|_| simulation.step())?;
        let after = simulation.fields()?;
        simulation.restore(&snapshot)?;
        (0..3).try_for_each(|_| simulation.step())?;
        assert!(simulation.fields()? == after, "from a snapshot");
        let mut other = started(gpu, &text, Scheme::Sbdf2)?;
        other.load(&saved)?;
        (0..3).try_for_each(|_| other.step())?;
        assert!(other.fields()? == after, "from what was saved");
        simulation.set_parameter(0, 1.4)?;
        let off = distance(&mut simulation)?;
        assert!(off <= 1e-5, "{off:e}");
        Ok(())
    })
}

#[test]
fn a_slider_makes_new_matrices_and_compiles_nothing() -> Result<()> {
    on_gpu(|gpu| {
        let text = file("a*lap(u) - u^3", "lap(v) + b*u", "{ robin = \"b\", const = 1 }");
        let mut simulation = started(gpu, &text, Scheme::Sbdf2)?;
        (0..3).try_for_each(|_| simulation.step())?;
        let compiled = gpu.counters().compiles;
        for (at, value) in [(0, 2.0), (1, 0.5)] {
            simulation.set_parameter(at, value)?;
            for _ in 0..2 {
                let off = distance(&mut simulation)?;
                assert!(off <= 1e-5, "{off:e}");
            }
        }
        assert_eq!(gpu.counters().compiles, compiled);
        // One that stands in an edge of an auxiliary field alone.
        let of_edge = file("lap(m)", "lap(v) - u*v", "\"neumann\"").replace("1e-6", "1e-7")
            + "m = { is = \"-0.05*u - 0.01*lap(u)\", edges = { robin = \"b\" } }\n";
        let mut simulation = started(gpu, &of_edge, Scheme::Sbdf2)?;
        (0..3).try_for_each(|_| simulation.step())?;
        simulation.set_parameter(1, 5.0)?;
        for _ in 0..2 {
            let off = distance(&mut simulation)?;
            assert!(off <= 1e-5, "{off:e}");
        }
        // A parameter of N alone, or one that is set again, is no new beginning.
        let mut other = started(gpu, &text, Scheme::Sbdf2)?;
        let mut same = started(gpu, &text, Scheme::Sbdf2)?;
        for _ in 0..4 {
            same.set_parameter(0, 0.7)?;
            same.step()?;
            other.step()?;
        }
        assert!(other.fields()? == same.fields()?);
        Ok(())
    })
}

#[test]
fn runs_that_cannot_go_on_say_why() -> Result<()> {
    on_gpu(|gpu| {
        let text = shipped("swift-hohenberg").replace("[100.53096, 100.53096]", "[25.13274, 25.13274]");
        let made = |step, scheme| {
            let size = Some([32, 32]);
            let overrides = Overrides { size, step: Some(step), scheme, ..Overrides::default() };
            read(&text, &overrides).and_then(|equations| Simulation::new(gpu, equations))
        };
        assert_eq!(refusal(made(10.0, None)), "step 10: implicit part singular from Δt = 5: take less");
        let in_first = "step 4: implicit part singular from Δt = 3.333 in the first step: take less";
        assert_eq!(refusal(made(4.0, None)), in_first);
        // A slider that goes too far is told at the next step.
        let text = text.replace("step = 0.5", "step = 2").replace("range = [-0.1, 1]", "range = [-0.1, 3]");
        let size = Some([32, 32]);
        let mut simulation = Simulation::new(gpu, read(&text, &Overrides { size, ..Overrides::default() })?)?;
        simulation.step()?;
        // r above 1 grows, which is explicit; what is left to J, 2Λ − Λ², grows by 1 at Λ = 1.
        simulation.set_parameter(0, 2.5)?;
        assert_eq!(refusal(simulation.step()), "step 2: implicit part singular from Δt = 1.5: take less");
        // Close to the limit the two factors of the preconditioner are far from the block.
        let text = shipped("swift-hohenberg")
            .replace("step = 0.5,", "step = 3.3333, tolerance = 1e-7,")
            .replace("[100.53096, 100.53096]", "[25.13274, 25.13274]");
        let mut simulation =
            Simulation::new(gpu, read(&text, &Overrides { size: Some([32, 32]), ..Overrides::default() })?)?;
        let line = refusal((0..3).try_for_each(|_| simulation.step()));
        let expected = "the linear system of step 1 has a residual of ";
        assert!(
            line.starts_with(expected) && line.ends_with("above the tolerance 1e-7: take a smaller step"),
            "{line}"
        );
        // Growth that is explicit: u doubles some times a step, and u³ ends it.
        let text = "grid = { size = [16, 8], length = [16, 8] }\nrun = { scheme = \"sbdf2\", step = 3 }\n\
                    fields.u = { dt = \"lap(u) + u^3\", start = \"1\", edges = \"periodic\" }\n";
        let mut simulation = started(gpu, text, Scheme::Sbdf2)?;
        let run = (0..100).try_for_each(|_| simulation.step()).and_then(|()| simulation.settle());
        let line = refusal(run);
        assert!(line.starts_with("u is not finite at step ") && line.ends_with(", x = 0, y = 0"), "{line}");
        // The start again, after values that are no numbers.
        simulation.restart()?;
        assert!(distance(&mut simulation)? < 1e-5);
        Ok(())
    })
}

/// Solves are looked at in the first three steps and in every sixteenth; on a ring of an odd number of nodes and
/// beside a mask, where cycles alone are slow, they are preconditioners.
#[test]
fn solves_are_looked_at_by_count_and_seams_want_gradients() -> Result<()> {
    on_gpu(|gpu| {
        let text = "grid = { size = [32, 27], length = [32, 27] }\nrun = { scheme = \"sbdf2\", step = 20 }\n\
                    fields.u = { dt = \"lap(u)\", start = \"normal()\", edges = \"periodic\" }\n";
        let even = text.replace("27", "28");
        let with_mask = even.replace("length = [32, 28]", "length = [32, 28], mask = \"x < 20\"");
        for (text, has_seam) in [(even, false), (text.to_owned(), true), (with_mask, true)] {
            let mut simulation = started(gpu, &text, Scheme::Sbdf2)?;
            for step in 1..=18 {
                simulation.step()?;
                let effort = simulation.effort().unwrap_or_default();
                assert_eq!(effort.residual.is_some(), step <= 3 || step == 17, "step {step}");
                assert_eq!((effort.iterations > 0, effort.cycles > 0), (has_seam, true), "step {step}");
            }
        }
        Ok(())
    })
}

/// An explicit step of less than half a rounding changes nothing, and says so; one of more does not, nor does one that was not made.
#[test]
fn an_explicit_step_below_the_rounding_is_told() -> Result<()> {
    on_gpu(|gpu| {
        for scheme in [Scheme::Euler, Scheme::Ab2, Scheme::Rk4] {
            for (rate, is_steady) in [("1e-6", false), ("1e-9", true)] {
                let text = format!(
                    "grid = {{ size = [8, 5], length = [8, 5] }}\nrun = {{ step = 1 }}\n\
                     fields.u = {{ dt = \"{rate}*u\", start = \"1 + x\", edges = \"neumann\" }}\n"
                );
                let mut simulation = started(gpu, &text, scheme)?;
                assert!(!simulation.is_steady()?, "before the first step");
                simulation.step()?;
                assert_eq!(simulation.is_steady()?, is_steady, "{} {rate}", scheme.name());
            }
        }
        Ok(())
    })
}

/// Changes of 2⁻²⁵ and less are rest, those of 2⁻²⁰ are none.
#[test]
fn rest_is_a_rounding_of_each_value() -> Result<()> {
    on_gpu(|gpu| {
        for (rate, is_steady) in [("1e-6", false), ("1e-8", true)] {
            let text = format!(
                "grid = {{ size = [8, 5], length = [8, 5] }}\nrun = {{ step = 1 }}\n\
                 fields.u = {{ dt = \"{rate}*u\", start = \"1 + x\", edges = \"neumann\" }}\n"
            );
            let mut simulation = started(gpu, &text, Scheme::ImexEuler)?;
            simulation.step()?;
            assert_eq!(simulation.is_steady()?, is_steady, "{rate}");
        }
        Ok(())
    })
}

/// A step whose solves end above their tolerance is made: clock and count are those of the state.
#[test]
fn a_step_that_is_not_solved_has_its_time() -> Result<()> {
    on_gpu(|gpu| {
        let text = shipped("swift-hohenberg")
            .replace("step = 0.5,", "step = 3.3333, tolerance = 1e-7,")
            .replace("[100.53096, 100.53096]", "[25.13274, 25.13274]");
        let size = Some([32, 32]);
        let mut simulation = Simulation::new(gpu, read(&text, &Overrides { size, ..Overrides::default() })?)?;
        let line = refusal(simulation.step());
        assert!(line.starts_with("the linear system of step 1 has a residual of "), "{line}");
        assert_eq!((simulation.count(), simulation.time()), (1, 3.3333));
        Ok(())
    })
}

/// A look that comes after a slider was moved finds the step that was made before: by the numbers of then.
#[test]
fn steps_are_looked_through_again_by_their_own_numbers() -> Result<()> {
    on_gpu(|gpu| {
        // u doubles in ten steps and grows by a half in each after those: 1e30·2¹⁰·1.5³² is too large. Edges hold the growth.
        let text = "grid = { size = [9, 5], length = [8, 4] }\nrun = { scheme = \"euler\", step = 1 }\n\
                    parameters = { a = 1 }\n\
                    fields.u = { dt = \"a*u\", start = \"1e30\", edges = { x = { value = \"1e30*a\" } } }\n\
                    fields.v = { dt = \"lap(v)\", edges = { x = { value = 0 } } }\n";
        for (scheme, expected) in [
            (Scheme::Euler, "u is not finite at step 42, x = 1, y = 0"),
            (Scheme::ImexEuler, "u is not finite at step 42, x = 1, y = 0"),
        ] {
            let mut simulation = started(gpu, text, scheme)?;
            (0..10).try_for_each(|_| simulation.step())?;
            simulation.set_parameter(0, 0.5)?;
            (0..40).try_for_each(|_| simulation.step())?;
            simulation.set_parameter(0, 0.25)?;
            simulation.set_step(0.01)?;
            let line = refusal((0..200).try_for_each(|_| simulation.step()));
            assert_eq!(line, expected);
            assert_eq!((simulation.parameters(), simulation.time_step()), (&[0.25][..], 0.01));
        }
        Ok(())
    })
}

/// A step after paint knows nothing of those before: it is the first step of a new run from the painted fields.
#[test]
fn a_step_after_paint_is_a_first_one() -> Result<()> {
    on_gpu(|gpu| {
        let text = file("a*lap(u) - u^3", "lap(v) + b*u", "\"neumann\"");
        for (scheme, step) in [(Scheme::Ab2, "0.0005"), (Scheme::Sbdf2, "0.02")] {
            let text = text.replace("0.02", step);
            let (mut painted, mut fresh) = (started(gpu, &text, scheme)?, started(gpu, &text, scheme)?);
            (0..5).try_for_each(|_| painted.step())?;
            painted.state().write(&vec![0.25; 2 * 21 * 14])?;
            painted.state_painted()?;
            fresh.set_fields(&[vec![0.25; 21 * 14], vec![0.25; 21 * 14]])?;
            for run in [&mut painted, &mut fresh] {
                (0..2).try_for_each(|_| run.step())?;
            }
            assert!(painted.fields()? == fresh.fields()?, "{}", scheme.name());
        }
        Ok(())
    })
}

/// The next step knows all that is set from outside while a run goes on, and a save before that step changes nothing.
#[test]
fn edges_hold_new_values_at_once_and_a_save_goes_on_as_the_run() -> Result<()> {
    on_gpu(|gpu| {
        let text = file("a*lap(u) - u^3", "lap(v) + b*u", "{ value = \"b*y + 1\" }");
        for scheme in [Scheme::Ab2, Scheme::Sbdf2] {
            let text = if scheme == Scheme::Ab2 { text.replace("0.02", "0.0005") } else { text.clone() };
            let made = || -> Result<Simulation> {
                let mut simulation = started(gpu, &text, scheme)?;
                (0..5).try_for_each(|_| simulation.step())?;
                Ok(simulation)
            };
            // A slider of edges, one of the solver, fields from outside, paint, and another step.
            for change in 0..5 {
                let mut simulation = made()?;
                match change {
                    0 => simulation.set_parameter(1, 0.5)?,
                    1 => simulation.set_parameter(0, 0.3)?,
                    2 => {
                        let fields = simulation.fields()?;
                        simulation
                            .set_fields(&fields.iter().map(|u| vec![0.25; u.len()]).collect::<Vec<_>>())?;
                    }
                    3 => {
                        simulation.state().write(&vec![0.25; 2 * 21 * 14])?;
                        simulation.state_painted()?;
                    }
                    _ => simulation.set_step(if scheme == Scheme::Ab2 { 0.0004 } else { 0.015 })?,
                }
                let b = simulation.parameters()[1];
                let fields = simulation.fields()?;
                for field in &fields {
                    for row in 0..14 {
                        let expected = b * (0.1 + 0.9 * f64::from(row) / 13.0) + 1.0;
                        let found = f64::from(field[21 * row as usize]);
                        assert!(
                            (found - expected).abs() < 1e-6,
                            "{change} row {row}: {found}, expected {expected}"
                        );
                    }
                }
                let saved = simulation.saved()?;
                (0..6).try_for_each(|_| simulation.step())?;
                let (step, set) =
                    (Some(saved.step), vec![("a".to_owned(), saved.parameters[0]), ("b".to_owned(), b)]);
                let overrides = Overrides { step, set, scheme: Some(scheme), ..Overrides::default() };
                let mut other = Simulation::new(gpu, read(&text, &overrides)?)?;
                other.load(&saved)?;
                (0..6).try_for_each(|_| other.step())?;
                assert!(other.fields()? == simulation.fields()?, "{} {change}", scheme.name());
                assert_eq!(other.time(), simulation.time());
                // A state that is of other numbers than the solver has.
                let mut third = made()?;
                third.set_parameter(0, saved.parameters[0])?;
                third.set_parameter(1, b)?;
                third.set_step(saved.step)?;
                third.load(&saved)?;
                (0..6).try_for_each(|_| third.step())?;
                assert!(third.fields()? == simulation.fields()?, "{} {change} into a run", scheme.name());
            }
        }
        Ok(())
    })
}

/// A state is taken into a run whose solver is of other numbers: the solver is made first.
#[test]
fn a_state_goes_on_in_a_run_that_has_gone_elsewhere() -> Result<()> {
    on_gpu(|gpu| {
        let text = file("a*lap(u) - u^3", "lap(v) + b*u", EDGES[1]);
        let mut simulation = started(gpu, &text, Scheme::Sbdf2)?;
        (0..5).try_for_each(|_| simulation.step())?;
        let saved = simulation.saved()?;
        (0..3).try_for_each(|_| simulation.step())?;
        let after = simulation.fields()?;
        simulation.set_parameter(0, 0.3)?;
        simulation.step()?;
        simulation.set_parameter(0, 0.7)?;
        simulation.load(&saved)?;
        (0..3).try_for_each(|_| simulation.step())?;
        assert!(simulation.fields()? == after);
        Ok(())
    })
}

/// The weights of a growing state change how systems are solved: the first solve of another way is looked at.
#[test]
fn another_way_of_solving_takes_no_counts_over() -> Result<()> {
    on_gpu(|gpu| {
        let text = "grid = { size = [33, 24], length = [33, 24] }\n\
                    run = { scheme = \"imex-euler\", step = 1, tolerance = 1e-6 }\n\
                    fields.u = { dt = \"div((1.6*u)*grad(u)) + 0.1*u\", start = \"1 + 0.3*random()\", edges = \"neumann\" }\n";
        let mut simulation = started(gpu, text, Scheme::ImexEuler)?;
        let mut ways = Vec::new();
        for step in 1..=16 {
            let off = distance(&mut simulation)?;
            // A solve that is not looked at goes on for as long as one of a D that was some times smaller.
            assert!(off <= 1e-4, "step {step}: {off:e}");
            let effort = simulation.effort().unwrap_or_default();
            ways.push((effort.cycles > 0, effort.residual.is_some()));
        }
        let changed = ways.windows(2).position(|pair| pair[0].0 != pair[1].0).unwrap_or(0) + 1;
        assert!(changed > 3 && ways[changed].1 && !ways[changed - 1].1, "{ways:?}");
        Ok(())
    })
}

/// A D that is no number is named as what it is in the file, or as the value that it follows from.
#[test]
fn a_wrong_conductivity_is_named_with_its_place() -> Result<()> {
    on_gpu(|gpu| {
        let text = |d: &str, more: &str| {
            format!(
                "grid = {{ size = [9, 5], length = [8, 4] }}\nrun = {{ scheme = \"imex-euler\", step = 1 }}\n\
                 fields.u = {{ dt = \"div(({d})*grad(u)){more}\", start = \"x - 1\", edges = \"neumann\" }}\n"
            )
        };
        let line = refusal(started(gpu, &text("1/u^2", ""), Scheme::ImexEuler));
        assert_eq!(
            line,
            "D = inf at x = 1, y = 0: expected a finite number, 0 or more, of D in div(D*grad(u))"
        );
        // A D of the place alone is refused beside one of the state, too.
        let two = text("0.1 + u^2", "")
            + "fields.v = { dt = \"div((x - 0.5)*grad(v))\", start = \"x\", edges = \"neumann\" }\n";
        let line = refusal(started(gpu, &two, Scheme::ImexEuler));
        assert!(line.starts_with("D = -0.5 at x = 0"), "{line}");
        let mut simulation = started(gpu, &text("u^2", " + exp(40*u)"), Scheme::ImexEuler)?;
        let line = refusal((0..9).try_for_each(|_| simulation.step()));
        assert!(line.starts_with("u is not finite at step 1, x = "), "{line}");
        Ok(())
    })
}

/// A recorder counts the passes of a step that the context counts, and those that do not depend on data are the same in each step.
#[test]
fn the_cost_of_a_step_is_counted() -> Result<()> {
    on_gpu(|gpu| {
        let small = |name: &str| {
            shipped(name)
                .replace("[128, 128]", "[32, 32]")
                .replace("[100.53096, 100.53096]", "[25.13274, 25.13274]")
        };
        // Explicit: a pass a stage, and an auxiliary field's; the fetches are those that the kernels say.
        for (scheme, stages) in [(Scheme::Euler, 1), (Scheme::Ab2, 1), (Scheme::Rk4, 4)] {
            for (name, passes) in [("gray-scott", 1), ("cahn-hilliard", 2)] {
                let mut simulation = started(gpu, &small(name), scheme)?;
                simulation.set_step(1e-3)?;
                simulation.step()?;
                let cost = simulation.counted_step()?;
                let fetches: u32 = simulation.kernels().map(|kernel| kernel.fetches).sum();
                let expected = (stages * passes, f64::from(stages as u32 * fetches));
                assert_eq!((cost.passes, cost.fetches), expected, "{name} by {}", scheme.name());
                assert!(cost.parts.is_empty());
            }
        }
        // Cycles of uniform matrices on four levels, as `docs/pde.md` counts them at 512 x 512: four passes on the finest, three and three,
        // and two for the four sweeps of the last, of which restriction makes the first. Chebyshev's steps fetch no entries.
        let mut simulation = started(gpu, &shipped("cahn-hilliard"), Scheme::ImexEuler)?;
        simulation.set_step(10.0)?;
        (0..3).try_for_each(|_| simulation.step())?;
        let cost = simulation.counted_step()?;
        for part in &cost.parts {
            let expected = if part.name == "V-cycle" { (14, 13.0) } else { (1, 1.75) };
            assert_eq!(part.passes, expected.0, "{cost:?}");
            assert!((part.fetches - expected.1).abs() <= 0.3, "{cost:?}");
        }
        assert!(cost.parts.iter().any(|part| part.name == "V-cycle") && cost.fixed().0 == 6, "{cost:?}");
        // Implicit: cycles, iterations of both kinds, and what is left of each step without them.
        for (name, step, part) in [
            ("gray-scott", 200.0, "V-cycle"),
            ("gray-scott", 1.0, "iteration"),
            ("swift-hohenberg", 0.5, "iteration"),
            ("unlike edges", 0.02, "iteration"),
        ] {
            let unlike = file("a*lap(u) + 0.2*lap(v)", "lap(v)", EDGES[1]).replacen(EDGES[1], EDGES[2], 1);
            let text = if name == "unlike edges" { unlike } else { small(name) };
            let mut simulation = started(gpu, &text, Scheme::Sbdf2)?;
            simulation.set_step(step)?;
            (0..3).try_for_each(|_| simulation.step())?;
            let mut fixed = Vec::new();
            for _ in 0..2 {
                let before = gpu.counters().passes;
                let cost = simulation.counted_step()?;
                assert_eq!(gpu.counters().passes - before, cost.passes, "{name} {step}");
                let effort = simulation.effort().unwrap_or_default();
                let times = |name: &str| -> u64 {
                    cost.parts.iter().filter(|part| part.name == name).map(|part| part.times).sum()
                };
                // The cycles of preconditioners lie in iterations.
                assert_eq!(times("iteration"), effort.iterations as u64, "{name} {step}: {cost:?}");
                assert!(
                    times("V-cycle") <= effort.cycles as u64 && times(part) > 0,
                    "{name} {step}: {cost:?}"
                );
                fixed.push(cost.fixed());
            }
            assert_eq!(fixed[0], fixed[1], "{name} {step}");
        }
        Ok(())
    })
}

#[test]
fn auto_takes_the_cheaper_of_two_schemes() -> Result<()> {
    let text = "grid = { size = [16, 16], length = [16, 16] }\nrun = { scheme = \"auto\", step = 0.04 }\n\
                fields.u = { dt = \"lap(u)\", start = \"normal()\", edges = \"periodic\" }\n";
    let equations = read(text, &Overrides::default())?;
    for (scheme, limit) in [(Scheme::Euler, 0.25), (Scheme::Ab2, 0.125), (Scheme::Rk4, 0.348_16)] {
        // The wave that alternates is among those looked at.
        assert!((equations.spectrum().limit(scheme) / limit - 1.0).abs() < 1e-2, "{}", scheme.name());
    }
    // λ = 8: ab2 is stable up to 0.125, and 0.4 of that is 0.05.
    for (step, scheme) in [(0.04, Scheme::Ab2), (0.06, Scheme::Sbdf2)] {
        let equations = read(text, &Overrides { step: Some(step), ..Overrides::default() })?;
        assert_eq!(equations.run.scheme, scheme, "{:?}", equations.choice);
        let choice = equations.choice.clone().unwrap_or_default();
        assert!(choice.starts_with(&format!("auto takes {}: step {step} is ", scheme.name())), "{choice}");
    }
    Ok(())
}

/// White noise through diffusion and a spring: the variance of the exact spectrum, at steps up to twice the explicit limit.
#[test]
fn noise_by_crank_and_nicolson_has_the_exact_variance() -> Result<()> {
    on_gpu(|gpu| {
        let overrides = Overrides { step: Some(0.2), size: Some([64, 64]), ..Overrides::default() };
        let (mean, error) = variance(gpu, overrides, 10.0, 60.0)?;
        // The spectrum on this grid and its correlation in time: 50 times of decay, each over some 200 patches.
        assert!((mean / 0.437 - 1.0).abs() < 0.03, "{mean} ± {error}");
        let mut first = started(gpu, &shipped("ou"), Scheme::Cn)?;
        let mut second = started(gpu, &shipped("ou"), Scheme::Cn)?;
        for _ in 0..4 {
            first.step()?;
            second.step()?;
        }
        assert!(first.fields()? == second.fields()?);
        Ok(())
    })
}

/// The mean of u² over nodes and times from `from` to `until`, and the deviation of that mean.
pub fn variance(gpu: &Gpu, overrides: Overrides, from: f64, until: f64) -> Result<(f64, f64)> {
    let mut simulation = Simulation::new(gpu, read(&shipped("ou"), &overrides)?)?;
    let mut found = Vec::new();
    let every = (1.0 / simulation.time_step()).round() as u64;
    while simulation.time() < until - 1e-9 {
        simulation.step()?;
        if simulation.time() > from && simulation.count().is_multiple_of(every) {
            let values = &simulation.fields()?[0];
            found.push(
                values.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>() / values.len() as f64,
            );
        }
    }
    let mean = found.iter().sum::<f64>() / found.len() as f64;
    let square = found.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / found.len() as f64;
    Ok((mean, (square / found.len() as f64).sqrt()))
}

/// Porous ground by weights of the last state: the error at 121 and 241 nodes, and the mass.
#[test]
fn barenblatt_by_large_steps_keeps_its_mass() -> Result<()> {
    on_gpu(|gpu| barenblatt(gpu, &[(121, 0.05), (241, 0.025)]))
}

pub fn barenblatt(gpu: &Gpu, runs: &[(u32, f64)]) -> Result<()> {
    let mut errors = Vec::new();
    for (nodes, step) in runs.iter().copied() {
        let overrides = Overrides { size: Some([nodes, 1]), step: Some(step), ..Overrides::default() };
        let mut simulation = Simulation::new(gpu, read(&shipped("barenblatt"), &overrides)?)?;
        let mass = |simulation: &Simulation| -> Result<f64> {
            Ok(simulation.evaluation()?.value(&simulation.equations().probes[0].show, 0))
        };
        let before = mass(&simulation)?;
        (0..(1.0 / step).round() as u64).try_for_each(|_| simulation.step())?;
        let off = (mass(&simulation)? / before - 1.0).abs();
        assert!(off <= 1e-6, "{nodes} nodes: mass {off:e} off");
        let evaluation = simulation.evaluation()?;
        let exact = simulation.equations().fields[0].exact.as_ref().map(|formula| evaluation.values(formula));
        let found = &simulation.fields()?[0];
        let h = simulation.equations().grid.cell[0];
        let error: f64 =
            found.iter().zip(exact.iter().flatten()).map(|(a, b)| h * (f64::from(*a) - b).abs()).sum();
        errors.push(error);
    }
    assert!(errors[0] <= 2.6e-2 && errors.windows(2).all(|pair| pair[1] < 0.55 * pair[0]), "{errors:?}");
    Ok(())
}

/// The fronts of a line's field at some times, where it passes ½.
fn fronts(simulation: &mut Simulation, times: &[f64]) -> Result<Vec<f64>> {
    let h = simulation.equations().grid.cell[0];
    times
        .iter()
        .map(|time| {
            while simulation.time() < time - 1e-9 {
                simulation.step()?;
            }
            let values = &simulation.fields()?[0];
            assert!(values.iter().all(|value| (-1e-6..1.001).contains(value)), "t = {time}");
            let at = values.iter().position(|value| *value < 0.5).unwrap_or(0).max(1);
            let share = (values[at - 1] - 0.5) / (values[at - 1] - values[at]);
            Ok(h * (at as f64 - 1.0 + f64::from(share)))
        })
        .collect()
}

#[test]
#[ignore = "long: 2000 steps of 2401 nodes"]
fn a_front_runs_at_bramsons_speed_from_t_50_to_100() -> Result<()> {
    on_gpu(|gpu| {
        let mut simulation = Simulation::new(gpu, read(&shipped("fisher"), &Overrides::default())?)?;
        let found = fronts(&mut simulation, &[50.0, 100.0])?;
        let speed = (found[1] - found[0]) / 50.0;
        assert!((speed - 1.978).abs() <= 0.004, "{speed}");
        Ok(())
    })
}

#[test]
#[ignore = "long: 129 x 129 nodes, and 1000 steps of the energy of 128 x 128 nodes"]
fn shipped_files_meet_their_figures() -> Result<()> {
    on_gpu(|gpu| {
        // Heat, four grids: the error at 65 x 65 nodes.
        let error = |nodes: u32| {
            let step = Some(1.0 / f64::from(nodes - 1));
            error_at(
                gpu,
                &shipped("heat"),
                Overrides { size: Some([nodes; 2]), step, ..Overrides::default() },
            )
        };
        let errors = [error(17)?, error(33)?, error(65)?, error(129)?];
        assert!(
            errors[2] <= 1.0e-4 && errors.windows(2).all(|pair| (pair[0] / pair[1]).log2() >= 1.9),
            "{errors:?}"
        );
        // Decay at 100 and 10⁴ times the limit.
        for (step, last) in [(25.0, 0.01), (2500.0, 1e-4)] {
            let overrides = Overrides { step: Some(step), ..Overrides::default() };
            let mut simulation = Simulation::new(gpu, read(&shipped("decay"), &overrides)?)?;
            let (mean, first) = spread(&simulation)?;
            for _ in 0..50 {
                simulation.step()?;
                let (now, off) = spread(&simulation)?;
                assert!((now - mean).abs() <= 1e-6 && off <= first, "{step}: {now} {off}");
            }
            assert!(spread(&simulation)?.1 <= last, "{step}: {:?}", spread(&simulation)?);
        }
        // Rolls of one amplitude.
        let text = shipped("swift-hohenberg").replace("[100.53096, 100.53096]", "[25.132741, 25.132741]");
        let overrides = Overrides { size: Some([64; 2]), ..Overrides::default() };
        let mut simulation = Simulation::new(gpu, read(&text, &overrides)?)?;
        (0..400).try_for_each(|_| simulation.step())?;
        let fields = simulation.fields()?;
        let first = fields[0].iter().enumerate().map(|(node, value)| {
            f64::from(*value) * (std::f64::consts::TAU * 4.0 * (node % 64) as f64 / 64.0).cos()
        });
        let amplitude = 2.0 * first.sum::<f64>() / 4096.0;
        assert!((amplitude - 0.6329).abs() <= 0.0005, "{amplitude}");
        // The energy of a mixture that parts.
        let mut simulation = Simulation::new(gpu, read(&shipped("cahn-hilliard"), &Overrides::default())?)?;
        let probe = |simulation: &Simulation, at: usize| -> Result<f64> {
            Ok(simulation.evaluation()?.value(&simulation.equations().probes[at].show, 0))
        };
        let (begin, mass) = (probe(&simulation, 0)?, probe(&simulation, 1)?);
        let mut energy = begin;
        for step in 0..1000 {
            simulation.step()?;
            if step % 10 == 9 {
                let next = probe(&simulation, 0)?;
                assert!(next <= energy + 1e-6 * begin, "{step}: {next} after {energy}");
                energy = next;
            }
        }
        assert!(
            (probe(&simulation, 1)? - mass).abs() <= 1e-6 && (1.0e3..1.3e3).contains(&energy),
            "{energy}"
        );
        wave(gpu, &standing_wave(), Overrides::default(), 64)
    })
}

#[test]
#[ignore = "long: 4000 steps of four stages"]
fn worms_by_large_steps_are_those_of_small_ones() -> Result<()> {
    on_gpu(|gpu| {
        let after = |scheme, step: f64, until: f64| -> Result<Vec<f32>> {
            let overrides = Overrides { scheme: Some(scheme), step: Some(step), ..Overrides::default() };
            let mut simulation = Simulation::new(gpu, read(&shipped("gray-scott"), &overrides)?)?;
            (0..(until / step).round() as u64).try_for_each(|_| simulation.step())?;
            Ok(simulation.fields()?.swap_remove(1))
        };
        let exact = after(Scheme::Rk4, 0.25, 1000.0)?;
        for (step, most) in [(1.0, 1.3e-3), (2.0, 4.6e-3), (4.0, 1.7e-2)] {
            let found = after(Scheme::Sbdf2, step, 1000.0)?;
            let off = found.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(off <= most, "step {step}: {off:e}");
        }
        Ok(())
    })
}

/// The wavelength at which a field's spectrum has its peak: rings of wave numbers, weighted around the largest.
fn wavelength(values: &[f32], side: usize, length: f64) -> f64 {
    let mean = values.iter().map(|value| f64::from(*value)).sum::<f64>() / values.len() as f64;
    let most = side / 8;
    let wave = |k: usize, at: usize| (std::f64::consts::TAU * (k * at % side) as f64 / side as f64).sin_cos();
    // Along x first, then along y, for wave numbers up to 1/8 of the grid's.
    let mut rows = vec![[0.0; 2]; side * (most + 1)];
    for (j, row) in values.chunks(side).enumerate() {
        for k in 0..=most {
            for (i, value) in row.iter().enumerate() {
                let (sin, cos) = wave(k, i);
                let value = f64::from(*value) - mean;
                rows[j * (most + 1) + k][0] += value * cos;
                rows[j * (most + 1) + k][1] -= value * sin;
            }
        }
    }
    let mut rings = vec![0.0; most + 1];
    for k in 0..=most {
        for l in -(most as i64)..=most as i64 {
            let ring = ((k as f64).powi(2) + (l as f64).powi(2)).sqrt().round() as usize;
            if ring > most {
                continue;
            }
            let (mut re, mut im) = (0.0, 0.0);
            for j in 0..side {
                let (sin, cos) = wave(l.rem_euclid(side as i64) as usize, j);
                let [a, b] = rows[j * (most + 1) + k];
                re += a * cos + b * sin;
                im += b * cos - a * sin;
            }
            rings[ring] += re * re + im * im;
        }
    }
    let peak = (1..most).max_by(|a, b| rings[*a].total_cmp(&rings[*b])).unwrap_or(1);
    length / peak as f64
}

#[test]
#[ignore = "long: three runs of 500 steps of 256 x 256 nodes"]
fn spots_have_their_distance_and_height() -> Result<()> {
    on_gpu(|gpu| (1..=3).try_for_each(|seed| spots(gpu, seed, 0.2)))
}

#[test]
#[ignore = "long: three runs of 5000 steps of 256 x 256 nodes"]
fn spots_are_the_same_by_a_tenth_of_the_step() -> Result<()> {
    on_gpu(|gpu| (1..=3).try_for_each(|seed| spots(gpu, seed, 0.02)))
}

fn spots(gpu: &Gpu, seed: u64, step: f64) -> Result<()> {
    let overrides = Overrides { seed: Some(seed), step: Some(step), ..Overrides::default() };
    let mut simulation = Simulation::new(gpu, read(&shipped("schnakenberg"), &overrides)?)?;
    (0..(100.0 / step).round() as u64).try_for_each(|_| simulation.step())?;
    let u = simulation.fields()?.swap_remove(0);
    let (apart, most) = (wavelength(&u, 256, 100.0), u.iter().copied().fold(0.0, f32::max));
    let is_right = (11.8..=13.2).contains(&apart) && (4.3..=4.7).contains(&most);
    assert!(is_right, "seed {seed}, step {step}: {apart} {most}");
    Ok(())
}

#[test]
#[ignore = "long: three grids, and 3000 steps with noise"]
fn noise_and_porous_ground_meet_their_figures() -> Result<()> {
    on_gpu(|gpu| {
        for step in [0.05, 0.2] {
            let (mean, error) =
                variance(gpu, Overrides { step: Some(step), ..Overrides::default() }, 10.0, 160.0)?;
            assert!((mean / 0.436 - 1.0).abs() <= 0.02, "step {step}: {mean} ± {error}");
        }
        barenblatt(gpu, &[(121, 0.05), (241, 0.025), (481, 0.0125)])
    })
}

#[test]
#[ignore = "long: grids of up to 513 nodes, and a disc of 129 x 129"]
fn fronts_and_discs_meet_their_figures() -> Result<()> {
    on_gpu(|gpu| {
        for (way, at_257, least) in
            [("minmod", 1.04e-4, 1.85), ("central", 2.28e-4, 1.85), ("upwind", 5.73e-3, 0.85)]
        {
            let text = shipped("burgers").replace("\"minmod\"", &format!("\"{way}\""));
            let error = |nodes: u32| {
                let (size, step) = (Some([nodes, 1]), Some(0.2 / f64::from(nodes - 1)));
                error_at(gpu, &text, Overrides { size, step, ..Overrides::default() })
            };
            let errors = [error(65)?, error(129)?, error(257)?, error(513)?];
            assert!(errors.windows(2).all(|pair| (pair[0] / pair[1]).log2() >= least), "{way}: {errors:?}");
            assert!((errors[2] / at_257 - 1.0).abs() <= 0.1, "{way}: {errors:?}");
        }
        let text = shipped("disc");
        for (rim, start, rate, off) in
            [("{ value = 0 }", "start = \"1\"", 5.783, 0.02), ("\"neumann\"", "start = \"x\"", 3.390, 0.01)]
        {
            let text = text.replace("{ value = 0 }", rim).replace("start = \"1\"", start);
            let mut simulation = Simulation::new(gpu, read(&text, &Overrides::default())?)?;
            let mut norm = |steps: u64| -> Result<f64> {
                (0..steps).try_for_each(|_| simulation.step())?;
                Ok(simulation.fields()?[0].iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt())
            };
            let (early, late) = (norm(40)?, norm(20)?);
            let found = (early / late).ln() / 0.2;
            assert!((found / rate - 1.0).abs() < off, "{rim}: {found}, expected {rate}");
        }
        Ok(())
    })
}

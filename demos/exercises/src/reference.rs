//! Each exercise again, as the loop that its task tells, in f64: the solutions, which judge the learners, are held to these.

use quadrille::sim::nbody::Body;
use quadrille::{Edges, Gpu};
use quadrille_gallery::state::Array;
use quadrille_oracle::{nbody, streams};

use crate::judge::Runner;
use crate::told::{Case, Exercise, built_in};

/// A stream of a case: its numbers by column, row and component, with its edge rule.
struct Table {
    array: Array,
    edges: Edges,
}

impl Table {
    fn at(&self, x: i64, y: i64, component: usize) -> f64 {
        let Array { width, height, components, ref values } = self.array;
        let (x, y) = (beyond(self.edges, x, width), beyond(self.edges, y, height));
        f64::from(values[(y * width + x) * components + component])
    }

    /// 0 beyond the edge.
    fn inside(&self, x: i64, y: i64) -> f64 {
        let there = (0..self.array.width as i64).contains(&x) && (0..self.array.height as i64).contains(&y);
        if there { self.at(x, y, 0) } else { 0.0 }
    }

    fn nth(&self, i: usize) -> f64 {
        f64::from(self.array.values[i])
    }

    /// The four neighbours, added.
    fn around(&self, x: i64, y: i64, c: usize) -> f64 {
        self.at(x - 1, y, c) + self.at(x + 1, y, c) + self.at(x, y - 1, c) + self.at(x, y + 1, c)
    }
}

fn beyond(edges: Edges, i: i64, side: usize) -> usize {
    let n = side as i64;
    let i = match edges {
        Edges::Clamp => i.clamp(0, n - 1),
        Edges::Repeat => i.rem_euclid(n),
        Edges::Mirror => {
            let i = i.rem_euclid(2 * n);
            if i < n { i } else { 2 * n - 1 - i }
        }
    };
    i as usize
}

/// The numbers of one step's output, in rows.
fn step(exercise: &str, case: &Case, tables: &[(String, Table)]) -> Vec<f64> {
    let of = |name: &str| {
        let found = tables.iter().position(|(known, _)| known == name);
        assert!(found.is_some(), "{exercise}: no stream {name}");
        &tables[found.unwrap_or_default()].1
    };
    let constant = |name: &str, component: usize| {
        let found = case.floats.iter().position(|(known, _)| known == name);
        assert!(found.is_some(), "{exercise}: no constant {name}");
        f64::from(case.floats[found.unwrap_or_default()].1[component])
    };
    let [width, height] = case.size.map(i64::from);
    let each = |texel: &dyn Fn(i64, i64) -> Vec<f64>| -> Vec<f64> {
        (0..height).flat_map(|y| (0..width).flat_map(move |x| texel(x, y))).collect()
    };
    let one = |texel: &dyn Fn(i64, i64) -> f64| each(&|x, y| vec![texel(x, y)]);
    match exercise {
        "double" => one(&|x, y| 2.0 * of("x").at(x, y, 0)),
        "axpy" => one(&|x, y| constant("a", 0) * of("x").at(x, y, 0) + of("y").at(x, y, 0)),
        "mirror" => one(&|x, y| of("image").at(width - 1 - x, y, 0)),
        "pick" => one(&|x, y| of("v").nth(of("index").at(x, y, 0) as usize)),
        "mean4" => one(&|x, y| of("image").around(x, y, 0) / 4.0),
        "life" => one(&|x, y| {
            let cells = of("cells");
            let nine = (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy)));
            let all: f64 = nine.map(|(dx, dy)| cells.at(x + dx, y + dy, 0)).sum();
            let own = cells.at(x, y, 0);
            f64::from(all - own == 3.0 || (all - own == 2.0 && own == 1.0))
        }),
        "heat" => one(&|x, y| {
            let u = of("u");
            u.at(x, y, 0) + constant("k", 0) * (u.around(x, y, 0) - 4.0 * u.at(x, y, 0))
        }),
        "gray-scott" => each(&|x, y| {
            let c = of("c");
            let (u, v) = (c.at(x, y, 0), c.at(x, y, 1));
            let spread = |i: usize| constant("DuDv", i) * (c.around(x, y, i) / 4.0 - c.at(x, y, i));
            let (feed, kill) = (constant("F", 0), constant("k", 0));
            vec![u + spread(0) - u * v * v + feed * (1.0 - u), v + spread(1) + u * v * v - (feed + kill) * v]
        }),
        "pair-sum" => one(&|x, _| of("x").at(2 * x, 0, 0) + of("x").inside(2 * x + 1, 0)),
        "max" => one(&|x, _| {
            let right = (2 * x + 1).min(of("x").array.width as i64 - 1);
            of("x").at(2 * x, 0, 0).max(of("x").at(right, 0, 0))
        }),
        "reverse" => (0..(width * height) as usize)
            .map(|i| of("x").array.values.get((constant("n", 0) as usize).wrapping_sub(1 + i)))
            .map(|value| value.map_or(0.0, |value| f64::from(*value)))
            .collect(),
        "pack" => (0..4 * width as usize)
            .map(|i| if i < constant("n", 0) as usize { of("x").nth(i) } else { 0.0 })
            .collect(),
        "histogram" => {
            let counts = streams::histogram(&of("x").array.values, width as usize, 0.0, 1.0);
            counts.into_iter().take(width as usize).map(|count| count as f64).collect()
        }
        "scan-step" => one(&|x, y| of("x").at(x, y, 0) + of("x").inside(x - constant("hop", 0) as i64, y)),
        "exchange" => one(&|x, y| {
            let left = (x + constant("phase", 0) as i64) % 2 == 0;
            let other = (if left { x + 1 } else { x - 1 }).clamp(0, width - 1);
            let (own, there) = (of("x").at(x, y, 0), of("x").at(other, y, 0));
            let alone = if left { x + 1 >= width } else { x == 0 };
            match (alone, left) {
                (true, _) => own,
                (false, true) => own.min(there),
                (false, false) => own.max(there),
            }
        }),
        "obstacle" => one(&|x, y| match of("mask").at(x, y, 0) == 1.0 {
            true => 0.0,
            false => of("x").at(x, y, 0) / of("d").at(x, y, 0),
        }),
        "always" => one(&|x, y| if of("x").at(x, y, 0) > 3.0 { of("x").at(x, y, 0) } else { 0.0 }),
        "count" => each(&|x, y| {
            let base = constant("base", 0);
            let number = of("c").at(x, y, 1) * base + of("c").at(x, y, 0) + 1.0;
            vec![number % base, (number / base).floor()]
        }),
        "pull" => {
            let (p, m) = (of("p"), of("m"));
            let bodies = (0..width).map(|i| Body {
                position: [p.at(i, 0, 0), p.at(i, 0, 1), 0.0],
                velocity: [0.0; 3],
                mass: m.at(i, 0, 0),
            });
            let pulls = nbody::accelerations(&bodies.collect::<Vec<_>>(), 0.0);
            pulls.into_iter().flat_map(|[x, y, _]| [x, y]).collect()
        }
        "matvec" => one(&|_, y| {
            (0..of("x").array.width as i64).map(|j| of("A").at(j, y, 0) * of("x").at(j, 0, 0)).sum()
        }),
        "tridiagonal" => one(&|x, y| {
            let v = of("x");
            2.0 * v.at(x, y, 0) - v.inside(x - 1, y) - v.inside(x + 1, y)
        }),
        "direction" => one(&|x, y| {
            let (above, below) = (of("rho_new").nth(0), of("rho_old").nth(0));
            let beta = if below == 0.0 { 0.0 } else { above / below };
            of("r").at(x, y, 0) + beta * of("p").at(x, y, 0)
        }),
        "push" => one(&|x, y| {
            let number = |name| of(name).at(x, y, 0);
            (number("x") + constant("omega", 0) * (number("b") - number("q")) / number("d")).max(0.0)
        }),
        "restrict" => one(&|x, y| {
            let fine = of("fine");
            let weighted = |dx: i64, dy: i64| {
                fine.inside(2 * x + dx, 2 * y + dy) * 0.5f64.powi((2 + dx.abs() + dy.abs()) as i32)
            };
            (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy))).map(|(dx, dy)| weighted(dx, dy)).sum()
        }),
        "backtrace" => one(&|x, y| {
            let dye = of("dye");
            let from = |c, at: i64| at as f64 - constant("dt", 0) * of("velocity").at(x, y, c);
            let (fx, fy) = (from(0, x), from(1, y));
            let (cx, cy) = (fx.floor() as i64, fy.floor() as i64);
            let (tx, ty) = (fx - fx.floor(), fy - fy.floor());
            let row = |y| (1.0 - tx) * dye.at(cx, y, 0) + tx * dye.at(cx + 1, y, 0);
            (1.0 - ty) * row(cy) + ty * row(cy + 1)
        }),
        other => {
            assert_eq!(other, "", "write its loop in f64 here");
            Vec::new()
        }
    }
}

/// The numbers of the last step, and the largest that any step had.
fn reference(exercise: &Exercise, case: &Case) -> (Vec<f64>, f64) {
    let table = |array: &Array| Table { array: array.clone(), edges: case.edges };
    let mut tables: Vec<(String, Table)> =
        case.streams.iter().map(|(name, array)| (name.clone(), table(array))).collect();
    let mut values = Vec::new();
    for _ in 0..case.steps {
        values = step(&exercise.name, case, &tables);
        let fed = tables.iter_mut().find(|(name, _)| exercise.feedback.as_ref() == Some(name));
        if let Some((_, fed)) = fed {
            // The state between two steps is one of f32, as on the card.
            fed.array.values = values.iter().map(|value| *value as f32).collect();
        }
    }
    let largest = values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    (values, largest)
}

#[test]
fn every_solution_gives_what_its_loop_gives_in_f64() -> anyhow::Result<()> {
    let gpu = Gpu::headless()?;
    let exercises = built_in()?;
    let mut checked = 0;
    for exercise in &exercises {
        let mut solution = Runner::new(&gpu, exercise, &exercise.solution)?;
        for (number, case) in exercise.cases.iter().enumerate() {
            let found = solution.answer(case)?.result;
            let (wanted, largest) = reference(exercise, case);
            assert_eq!(found.values.len(), wanted.len(), "{} case {}", exercise.name, number + 1);
            // As many units in the last place of the largest number as learners may be off, and half a one for rounding.
            // A value between elements is as wrong as its place, which a card has to a unit in the last place of the longest side.
            let side =
                if exercise.name == "backtrace" { case.size.into_iter().max().unwrap_or(0) } else { 0 };
            let units = f64::from(exercise.ulps) + 0.5 + f64::from(side);
            let bound = units * f64::from(f32::EPSILON) * largest;
            for (i, (found, wanted)) in found.values.iter().zip(&wanted).enumerate() {
                let place =
                    format!("{} case {}, number {i}: {found} and {wanted}", exercise.name, number + 1);
                assert!((f64::from(*found) - wanted).abs() <= bound, "{place}, bound {bound:e}");
            }
            checked += 1;
        }
    }
    assert!(exercises.len() >= 25 && checked >= 100, "{} exercises, {checked} cases", exercises.len());
    Ok(())
}

//! `quadrille solve --method multigrid` and `mgcg`: grids found, cycles chosen, null spaces, and what is refused.

use quadrille::numeric::Csr;
use serde_json::Value;

use super::{Result, coordinates, json, vector};
use crate::program::{Outcome, Program};

/// d x minus the sum of the neighbours, on a grid whose axes may be periodic; d = neighbours + shift.
fn grid(width: usize, height: usize, periodic: [bool; 2], shift: f64) -> Result<Csr> {
    let along = |place: usize, step: i64, length: usize, periodic: bool| {
        let to = place as i64 + step;
        let to = if periodic { to.rem_euclid(length as i64) } else { to };
        usize::try_from(to).ok().filter(|&to| to < length)
    };
    let mut entries = Vec::new();
    for i in 0..width * height {
        let (x, y) = (i % width, i / width);
        let beside = [-1, 1].map(|step| along(x, step, width, periodic[0]).map(|x| y * width + x));
        let above = [-1, 1].map(|step| along(y, step, height, periodic[1]).map(|y| y * width + x));
        let others: Vec<usize> = beside.into_iter().chain(above).flatten().collect();
        entries.push((i, i, others.len() as f64 + shift));
        entries.extend(others.into_iter().map(|j| (i, j, -1.0)));
    }
    Ok(Csr::from_triplets(width * height, width * height, entries)?)
}

/// Poisson's with conductances of 1 across and 0.002 along: cycles take 2 or 3 % of the residual there.
fn stretched(side: usize) -> Result<Csr> {
    let weight = |row: usize, column: usize| match row.abs_diff(column) {
        0 => 0.501,
        1 => 1.0,
        _ => 0.002,
    };
    // The diagonal of Poisson's is 4.
    let entries = Csr::poisson(side, side)?;
    let entries = entries.triplets().map(|(row, column, value)| (row, column, value * weight(row, column)));
    Ok(Csr::from_triplets(side * side, side * side, entries)?)
}

fn folder() -> Result<Program> {
    let program = Program::new()?;
    // Carried along the rows, as much by one neighbour more as by the other less.
    let windy = |(row, column, value): (usize, usize, f64)| {
        let wind = if column == row + 1 { 0.25 } else { 0.0 } - if row == column + 1 { 0.25 } else { 0.0 };
        (row, column, value + wind)
    };
    let poisson = Csr::poisson(33, 33)?;
    let windy = Csr::from_triplets(1089, 1089, poisson.triplets().map(windy))?;
    for (name, csr) in [
        ("poisson.mtx", &poisson),
        ("uneven.mtx", &Csr::poisson(31, 57)?),
        ("closed.mtx", &grid(33, 17, [false; 2], 0.0)?),
        ("torus.mtx", &grid(16, 16, [true; 2], 0.0)?),
        ("channel.mtx", &grid(32, 17, [true, false], 0.1)?),
        ("line.mtx", &Csr::poisson(65, 1)?),
        ("diagonal.mtx", &Csr::from_triplets(63, 63, (0..63).map(|i| (i, i, 1.0 + (i % 5) as f64)))?),
        ("long.mtx", &Csr::poisson(4098, 1)?),
        ("windy.mtx", &windy),
        ("nearly.mtx", &grid(12, 12, [false; 2], 1e-12)?),
        ("stretched.mtx", &stretched(33)?),
    ] {
        std::fs::write(program.path(name), coordinates(csr, false))?;
    }
    // A zero far away, and two entries that cancel.
    let far = (0..1089 * 1089).step_by(1088 * 37).map(|i| (i / 1089, i % 1089));
    let far = far.filter(|&(row, column)| poisson.entry(row, column) == 0.0);
    let far: String =
        far.map(|(i, j)| format!("{0} {1} 0\n{0} {1} 2.5\n{0} {1} -2.5\n", i + 1, j + 1)).collect();
    let count = far.lines().count();
    let (head, entries) = (coordinates(&poisson, false), poisson.nonzeros());
    let sized = head.replacen(&format!("1089 1089 {entries}"), &format!("1089 1089 {}", entries + count), 1);
    std::fs::write(program.path("zeros.mtx"), format!("{}\n{far}", sized.trim_end()))?;
    let far = Csr::from_triplets(36, 36, (0..36).flat_map(|i| [(i, i, 4.0), (i, 35 - i, 1.0)]))?;
    std::fs::write(program.path("far.mtx"), coordinates(&far, true))?;
    let rhs = |n: usize| {
        let values: String = (0..n).map(|i| format!("{}\n", 1 + i % 7)).collect();
        format!("%%MatrixMarket matrix array real general\n{n} 1\n{values}")
    };
    std::fs::write(program.path("closed_b.mtx"), rhs(33 * 17))?;
    let wavy: String = (0..33 * 17).map(|i| format!("{}\n", (i % 7) as f64 - 2.5)).collect();
    let head = "%%MatrixMarket matrix array real general";
    std::fs::write(program.path("wavy_b.mtx"), format!("{head}\n{} 1\n{wavy}", 33 * 17))?;
    std::fs::write(program.path("torus_b.mtx"), rhs(256))?;
    std::fs::write(program.path("twelve_b.mtx"), rhs(144))?;
    std::fs::write(program.path("stretched_b.mtx"), rhs(1089))?;
    Ok(program)
}

#[test]
fn grids_are_found_and_solved_in_few_cycles() -> Outcome {
    let program = folder()?;
    for (matrix, size, sides) in [
        ("poisson.mtx", "33x33 grid", "no side is periodic"),
        ("uneven.mtx", "31x57 grid", "no side is periodic"),
        ("channel.mtx", "32x17 grid", "rows are periodic"),
        ("line.mtx", "65x1 grid", "no side is periodic"),
        ("line.mtx --grid 1x65", "1x65 grid", "no side is periodic"),
        ("diagonal.mtx", "9x7 grid for want of entries that suggest any", "no side is periodic"),
        ("zeros.mtx", "33x33 grid", "no side is periodic"),
    ] {
        for method in ["multigrid", "mgcg"] {
            let arguments = format!("{matrix} --method {method}");
            let (status, report) = json(&program, &arguments)?;
            assert_eq!((status, &report["converged"]), (Some(0), &true.into()), "{arguments}: {report}");
            let reason = report["storage_reason"].as_str().unwrap_or_default();
            assert!(reason.starts_with(size) && reason.contains(sides), "{arguments}: {reason}");
            assert_eq!((&report["storage"], &report["null_space"]), (&"nine points".into(), &Value::Null));
            assert!(
                report["cycle"].as_str().is_some_and(|cycle| cycle.starts_with("V(2,2), jacobi")),
                "{report}"
            );
            // A cycle gains 7.5 or more, six digits take seven or eight of them; refinements begin anew.
            assert!(report["iterations"].as_u64() <= Some(20), "{arguments}: {report}");
            assert!(report["error"].as_f64() < Some(1e-3), "{arguments}: {report}");
        }
    }
    Ok(())
}

#[test]
fn cycles_sweeps_and_smoothers_are_those_asked_for() -> Outcome {
    let program = folder()?;
    for (flags, cycle) in [
        ("multigrid --cycle w", "W(2,2), jacobi"),
        ("multigrid --cycle full", "full, then V(2,2), jacobi"),
        ("multigrid --sweeps 4,2", "V(4,2), jacobi"),
        ("multigrid --sweeps 1 --smoother red-black", "V(1,1), red-black"),
        ("mgcg --cycle w --sweeps 1 --smoother red-black", "W(1,1), red-black"),
    ] {
        let arguments = format!("poisson.mtx --tolerance 1e-5 --method {flags}");
        let (status, report) = json(&program, &arguments)?;
        assert_eq!((status, report["cycle"].as_str()), (Some(0), Some(cycle)), "{arguments}: {report}");
        assert!(report["error"].as_f64() < Some(1e-2), "{arguments}: {report}");
    }
    let said =
        program.succeed("solve poisson.mtx --method multigrid --out x.mtx --history h.csv --plot p.png")?;
    assert!(said.contains("multigrid, V(2,2), jacobi: "), "{said}");
    assert!(vector(&program, "x.mtx")?.iter().all(|x| (x - 1.0).abs() < 1e-3));
    let history = String::from_utf8(program.bytes("h.csv")?)?;
    assert!(history.starts_with("iteration,relative_residual\n0,1e0\n"), "{history}");
    Ok(())
}

#[test]
fn what_no_x_makes_is_taken_out_of_b_and_told() -> Outcome {
    let program = folder()?;
    for (matrix, rhs) in [("closed.mtx", "closed_b.mtx"), ("torus.mtx", "torus_b.mtx")] {
        for method in ["multigrid", "mgcg"] {
            let arguments = format!("{matrix} --rhs {rhs} --method {method} --out x.mtx");
            let (status, report) = json(&program, &arguments)?;
            assert_eq!(status, Some(0), "{arguments}: {report}");
            assert_eq!(report["null_space"]["parts"], 1, "{arguments}: {report}");
            // b runs from 1 to 7: its mean is 4, its norm √20 a node.
            let taken = report["null_space"]["taken_out_of_b"].as_f64().unwrap_or(0.0);
            assert!((taken - 4.0 / f64::sqrt(20.0)).abs() < 0.01, "{arguments}: {report}");
            assert_eq!(report["error"], Value::Null);
            let x = vector(&program, "x.mtx")?;
            let (sum, size) = x.iter().fold((0.0, 0.0), |(sum, size), x| (sum + x, size + x.abs()));
            assert!(size > 1.0 && f64::abs(sum) <= 1e-12 * size, "{arguments}: mean {sum}");
        }
    }
    // More than half of b is worth a warning, a quarter is not.
    for (rhs, taken, warned) in [("closed_b.mtx", "8.9", true), ("wavy_b.mtx", "2.39", false)] {
        let ended = program.run(&format!("solve closed.mtx --rhs {rhs} --method multigrid"))?;
        let (out, err) = (&ended.out, &ended.err);
        assert_eq!(ended.status, Some(0), "{err}");
        assert!(out.contains(&format!("singular by a constant: {taken}")), "{out}");
        assert!(out.contains("x has mean 0"), "{out}");
        let warning = "quadrille: warning: the matrix is singular and 89.";
        assert_eq!((err.starts_with(warning), err.lines().count()), (warned, usize::from(warned)), "{err}");
    }
    Ok(())
}

/// −u'' = 0 between 1 and 3, both ends fixed by rows of zeros.
#[test]
fn rows_of_zeros_keep_their_guess_and_are_told() -> Outcome {
    let program = folder()?;
    let inside = (1..16).flat_map(|i| [(i, i - 1, -1.0), (i, i, 2.0), (i, i + 1, -1.0)]);
    std::fs::write(program.path("held.mtx"), coordinates(&Csr::from_triplets(17, 17, inside)?, false))?;
    let file = |name: &str, value: &dyn Fn(usize) -> f64| {
        let values: String = (0..17).map(|i| format!("{}\n", value(i))).collect();
        std::fs::write(
            program.path(name),
            format!("%%MatrixMarket matrix array real general\n17 1\n{values}"),
        )
    };
    file("guess.mtx", &|i| if i == 0 { 1.0 } else { 3.0 })?;
    file("zero.mtx", &|_| 0.0)?;
    file("ends.mtx", &|i| f64::from(u8::from(i % 16 == 0)))?;
    for (rhs, taken) in [("zero.mtx", "b is compatible"), ("ends.mtx", "1.000e0 of b is taken out")] {
        let said = program.succeed(&format!(
            "solve held.mtx --rhs {rhs} --guess guess.mtx --method multigrid --out x.mtx"
        ))?;
        let line = format!("2 rows of zeros: {taken}, and x stays as it is guessed there");
        assert!(said.contains(&line), "{said}");
        for (i, x) in vector(&program, "x.mtx")?.into_iter().enumerate() {
            assert!((x - 1.0 - i as f64 / 8.0).abs() < 1e-4, "{i}: {x}");
        }
    }
    Ok(())
}

#[test]
fn slow_cycles_go_on_while_the_residual_falls() -> Outcome {
    let program = folder()?;
    for method in ["multigrid", "mgcg"] {
        let arguments = format!("stretched.mtx --rhs stretched_b.mtx --tolerance 1e-4 --method {method}");
        let (status, report) = json(&program, &arguments)?;
        assert_eq!((status, &report["converged"]), (Some(0), &true.into()), "{arguments}: {report}");
    }
    Ok(())
}

#[test]
fn a_matrix_that_is_regular_in_64_bits_is_not_taken_as_singular() -> Outcome {
    let program = folder()?;
    for method in ["multigrid", "mgcg"] {
        let arguments = format!("nearly.mtx --rhs twelve_b.mtx --max-iterations 200 --method {method}");
        let (status, report) = json(&program, &arguments)?;
        assert_eq!(report["null_space"], Value::Null, "{arguments}: {report}");
        let honest = if report["converged"] == true { 0 } else { 3 };
        assert_eq!(status, Some(honest), "{arguments}: {report}");
        let residual = report["relative_residual"].as_f64();
        assert_eq!(residual <= Some(1e-6), honest == 0, "{arguments}: {report}");
    }
    Ok(())
}

#[test]
fn conjugate_gradients_by_cycles_run_on_one_target() -> Outcome {
    let program = folder()?;
    let arguments = "solve poisson.mtx --method mgcg --json";
    let ended = program.run_with(arguments, "QUADRILLE_LIMITS", "geforce_fx")?;
    let report: Value = serde_json::from_str(&ended.out)?;
    assert_eq!((ended.status, &report["preconditioner"]), (Some(0), &"multigrid".into()), "{report}");
    Ok(())
}

#[test]
fn a_matrix_that_is_not_symmetric_is_for_multigrid_alone() -> Outcome {
    let program = folder()?;
    let (status, report) = json(&program, "windy.mtx --method multigrid")?;
    assert_eq!((status, &report["converged"]), (Some(0), &true.into()), "{report}");
    let ended = program.run("solve windy.mtx --method mgcg")?;
    assert_eq!(ended.status, Some(1));
    assert!(ended.err.contains("mgcg needs it symmetric, --method multigrid does not"), "{}", ended.err);
    Ok(())
}

#[test]
fn verbose_says_which_grid_it_is() -> Outcome {
    let program = folder()?;
    let ended = program.run("solve poisson.mtx --method multigrid --verbose")?;
    let found = "storage nine points: 33x33 grid as the entries suggest, no side is periodic; ";
    assert!(ended.err.contains(found) && ended.err.contains(" levels"), "{}", ended.err);
    let ended = program.run("solve poisson.mtx --method multigrid --grid 33x33 --verbose")?;
    assert!(ended.err.contains("33x33 grid as asked, "), "{}", ended.err);
    Ok(())
}

#[test]
fn what_lies_on_no_grid_is_refused_with_its_entry() -> Outcome {
    let program = folder()?;
    for (arguments, words) in [
        (
            "long.mtx --method multigrid --limits radeon_9700",
            "long.mtx: a 4098x1 grid has a side of more nodes than a texture holds, 4096: ",
        ),
        ("far.mtx --method multigrid", "far.mtx: the matrix is not nine-point on any grid of 36 nodes"),
        (
            "poisson.mtx --method mgcg --grid 11x99",
            "poisson.mtx: entry (1, 34) is not nine-point on a 11x99 grid: it reaches 0 columns and 3 rows away",
        ),
        (
            "poisson.mtx --method multigrid --grid 30x33",
            "poisson.mtx: --grid 30x33: the matrix has 1089 rows",
        ),
    ] {
        let ended = program.run(&format!("solve {arguments} --out x.mtx"))?;
        assert_eq!(ended.status, Some(1), "{arguments}: {}", ended.err);
        assert!(ended.err.starts_with(&format!("quadrille: {words}")), "{arguments}: {}", ended.err);
        assert_eq!(ended.err.lines().count(), 1, "{arguments}: {}", ended.err);
        assert!(!program.path("x.mtx").exists());
    }
    Ok(())
}

#[test]
fn flags_that_contradict_each_other_exit_with_2() -> Outcome {
    let program = folder()?;
    for arguments in [
        "--method multigrid --storage dense",
        "--method mgcg --storage banded",
        "--method multigrid --preconditioner jacobi",
        "--method cg --grid 33x33",
        "--cycle v",
        "--method bicgstab --sweeps 2",
        "--method cgls --smoother jacobi",
        "--method mgcg --sweeps 4,2",
        "--method mgcg --cycle full",
        "--method multigrid --cycle full --guess closed_b.mtx",
        "--method multigrid --sweeps 0",
        "--method multigrid --sweeps 1,2,3",
        "--method multigrid --sweeps 101",
        "--method multigrid --grid 33",
        "--method multigrid --grid 0x33",
        "--method multigrid --cycle x",
        "--method multigrid --smoother gauss",
    ] {
        let ended = program.run(&format!("solve poisson.mtx {arguments}"))?;
        assert_eq!((ended.status, ended.out.as_str()), (Some(2), ""), "{arguments}: {}", ended.err);
    }
    Ok(())
}

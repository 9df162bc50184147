//! One choice made in four ways, and a loop that ends early: the same results as in f64.

use quadrille::numeric::Random;
use quadrille::sim::Branches;
use quadrille::sim::branches::{BOUND, Branching, Parameters, Part};
use quadrille::{Error, Gpu, Result};
use quadrille_oracle::branches::{results, results_of};

use crate::support::{SIZES, on_gpu};

#[test]
fn branch_arithmetic_and_masks_agree_with_f64_for_regions_of_every_side() -> Result<()> {
    on_gpu(|gpu| {
        for &(width, height) in SIZES {
            let x: Vec<f32> = Random(3).floats((width * height) as usize).iter().map(|x| 2.0 * x).collect();
            let values = gpu.buffer(width, height).init(&x)?;
            let target = gpu.buffer(width, height).build()?;
            for (trips, square) in
                [2, 100].into_iter().flat_map(|t| [1, 2, 4, 7, 8, 16, 32, 64].map(|s| (t, s)))
            {
                for way in Branching::ALL.into_iter().filter(|way| !way.is_loop()) {
                    let branches = Branches::new(gpu, &values, Parameters { way, square, trips })?;
                    target.write(&vec![f32::NAN; x.len()])?;
                    branches.draw(&target)?;
                    for (i, (found, exact)) in
                        target.data()?.into_iter().zip(results(branches.parameters(), &x, width)).enumerate()
                    {
                        let error = exact.map_or(f64::NAN, |exact| (f64::from(found) - exact).abs());
                        let place = format!("{i} of {width}x{height}, squares of {square}, {trips} trips");
                        assert!(error <= BOUND, "{}, {place}: {error}", way.name());
                    }
                }
            }
        }
        Ok(())
    })
}

/// The counts of each certain orbit, and how many are certain.
fn certain(gpu: &Gpu, width: u32, height: u32, trips: u32) -> Result<usize> {
    let x = vec![0.0; (width * height) as usize];
    let values = gpu.buffer(width, height).build()?;
    let target = gpu.buffer(width, height).build()?;
    let mut certain = 0;
    for way in [Branching::EarlyExit, Branching::AllTrips] {
        let orbits = Branches::new(gpu, &values, Parameters { way, square: 1, trips })?;
        orbits.draw(&target)?;
        certain = 0;
        for (i, (found, exact)) in
            target.data()?.into_iter().zip(results(orbits.parameters(), &x, width)).enumerate()
        {
            if let Some(exact) = exact {
                certain += 1;
                assert_eq!(f64::from(found), exact, "{}, texel {i} of {width}x{height}", way.name());
            }
        }
    }
    Ok(certain)
}

#[test]
fn a_loop_that_ends_early_counts_as_the_one_that_goes_on() -> Result<()> {
    on_gpu(|gpu| {
        for &(width, height) in SIZES {
            certain(gpu, width, height, 20)?;
        }
        let sure = certain(gpu, 83, 80, 256)?;
        assert!(sure > 83 * 80 / 2, "{sure}: an orbit that stays forever may be in doubt");
        println!("{sure} of {} orbits are certain in f32", 83 * 80);
        Ok(())
    })
}

#[test]
fn squares_of_nothing_and_loops_that_a_driver_would_stop_are_refused() -> Result<()> {
    on_gpu(|gpu| {
        let values = gpu.buffer(3, 2).build()?;
        let fine = Parameters::default();
        for (wrong, told) in [
            (Parameters { square: 0, ..fine }, "square = 0: expected 1 at least"),
            (Parameters { trips: 0, ..fine }, "trips = 0: expected 1 to 65535"),
            (Parameters { trips: 65_536, ..fine }, "trips = 65536: expected 1 to 65535"),
        ] {
            let refused = Branches::new(gpu, &values, wrong).err();
            assert!(matches!(refused, Some(Error::BadParameter { .. })));
            assert_eq!(refused.map(|error| error.to_string()).as_deref(), Some(told));
        }
        Ok(())
    })
}

#[test]
fn orbits_of_a_part_of_the_plane_are_those_of_its_own_c() -> Result<()> {
    on_gpu(|gpu| {
        let (width, height) = (37, 24);
        let values = gpu.buffer(width, height).build()?;
        let target = gpu.buffer(width, height).build()?;
        let parameters = Parameters { way: Branching::EarlyExit, square: 1, trips: 200 };
        let mut orbits = Branches::new(gpu, &values, parameters)?;
        for (centre, zoom) in [([-0.75, 0.0], 1.0), ([-0.745, 0.113], 60.0), ([0.3, 0.5], 0.5)] {
            let part = Part { centre, zoom };
            orbits.set_part(part)?;
            orbits.draw(&target)?;
            let found = target.data()?;
            let exact = results_of(parameters, part, &vec![0.0; found.len()], width);
            let certain = exact.iter().flatten().count();
            assert!(certain > found.len() / 2, "{certain} at {zoom}");
            assert!(
                found
                    .iter()
                    .zip(&exact)
                    .all(|(&found, exact)| exact.is_none_or(|exact| exact == f64::from(found)))
            );
            let mut counts: Vec<u32> = found.iter().map(|&count| count as u32).collect();
            counts.sort_unstable();
            counts.dedup();
            assert!(counts.len() > 8, "{counts:?} at {zoom}");
            // The middle of the grid is the centre.
            let (origin, pitch) = part.plane(width, height);
            assert!(
                (origin[0] + pitch * 18.5 - centre[0]).abs() < 1e-6
                    && (origin[1] + pitch * 12.0 - centre[1]).abs() < 1e-6
            );
        }
        let wrong = Part { zoom: 0.0, ..Part::default() };
        assert!(matches!(orbits.set_part(wrong), Err(Error::BadParameter { name: "part of the plane", .. })));
        Ok(())
    })
}

//! A survey of a box of clouds, in f64 on the CPU.

use super::Setting;
use crate::numeric::larger;

/// Cloud water that is seen, kg/kg: a hundredth of a gram in a kilogram.
pub const SEEN: f64 = 1e-5;

/// Air rises, m/s.
const RISES: f64 = 0.5;

/// Columns of which the cloud base is the mean.
const LOWEST: usize = 5;

/// The summary of a state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Survey {
    /// The largest |u| or |v| of a face, m/s.
    pub fastest: f64,
    /// The largest v, m/s.
    pub updraught: f64,
    /// Mean q_v, kg/kg.
    pub vapour: f64,
    /// Mean q_c, kg/kg.
    pub cloud: f64,
    /// The largest q_c, kg/kg.
    pub densest: f64,
    /// Where clouds begin, m: between the lowest cell of a column that rises and has [`SEEN`] of cloud water and the cell below it,
    /// in the mean of the five columns where that is lowest. One alone may be a thread of air that was in a cloud before, and is
    /// moister than what comes from the ground.
    pub base: Option<f64>,
    /// Middle of the highest cell that has [`SEEN`], m.
    pub top: Option<f64>,
    /// Where the mean air of the lowest row would condense if it were lifted, m; `None` if not in the box.
    pub condensation_level: Option<f64>,
}

impl Survey {
    /// How many cells the base lies above the condensation level, if there are both.
    pub fn base_off(&self, setting: &Setting) -> Option<f64> {
        Some((self.base? - self.condensation_level?) / f64::from(setting.spacing))
    }
}

/// Summarises velocities (u, v) and air (θ less that of the ground, q_v, q_c, and one more), row after row.
pub(super) fn survey(setting: &Setting, velocity: &[f32], air: &[f32]) -> Survey {
    let (velocity, air) = (velocity.as_chunks::<2>().0, air.as_chunks::<4>().0);
    let [width, height] = setting.cells.map(|n| n as usize);
    let columns = velocity.len() / (height + 1);
    let mut found = Survey::default();
    for (n, uv) in velocity.iter().enumerate() {
        // The last row has no u, the last column of a closed box no v.
        let u = if n / columns < height { f64::from(uv[0]) } else { 0.0 };
        let v = if n % columns < width { f64::from(uv[1]) } else { 0.0 };
        found.fastest = larger(found.fastest, larger(u.abs(), v.abs()));
        found.updraught = found.updraught.max(v);
    }
    let mut bases = vec![None; width];
    for (n, cell) in air.iter().enumerate() {
        let (i, j) = (n % width, n / width);
        let cloud = f64::from(cell[2]);
        found.vapour += f64::from(cell[1]) / air.len() as f64;
        found.cloud += cloud / air.len() as f64;
        found.densest = larger(found.densest, cloud);
        if cloud >= SEEN {
            let here = setting.height_of(j as u32);
            found.top = Some(here);
            let faces = [j, j + 1].map(|row| f64::from(velocity[row * columns + i][1]));
            if 0.5 * (faces[0] + faces[1]) >= RISES {
                bases[i].get_or_insert(here - 0.5 * f64::from(setting.spacing));
            }
        }
    }
    found.base = mean_of_lowest(bases.into_iter().flatten().collect());
    let lowest = &air[..width];
    let mean = |k: usize| lowest.iter().map(|cell| f64::from(cell[k])).sum::<f64>() / width as f64;
    let (theta, vapour) = (setting.theta() + mean(0), mean(1));
    found.condensation_level = setting.air.condensation_level(theta, vapour, setting.top());
    found
}

fn mean_of_lowest(mut bases: Vec<f64>) -> Option<f64> {
    bases.sort_by(f64::total_cmp);
    bases.truncate(LOWEST);
    let sum: f64 = bases.iter().sum();
    (!bases.is_empty()).then(|| sum / bases.len() as f64)
}

//! Particles that show a flow: they go with it, and are born again.

use super::Grid;
use super::transport::check_loops;
use crate::numeric::Random;
use crate::pug::{Buffer, ConstantHandle, Gpu, Program, StreamHandle};
use crate::{Error, Result, kernels};

const KERNEL: &str = "sim/fluid_particles.frag";

/// A particle's number is a float: exact up to here.
const MOST: usize = 1 << 24;

/// Texels of the table that a birth is looked up in: regions fill as many as their area asks for.
const BIRTHS: usize = 256;

/// A rectangle in which particles are born, any place of it alike. Lengths, from the south-western corner of the box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Region {
    /// Its south-western corner.
    pub low: [f32; 2],
    /// Its north-eastern corner: the same for a point, on one line with it for an inlet.
    pub high: [f32; 2],
}

/// Any number of particles up to 2²⁴, a texel each of an array folded into a texture.
///
/// A step is one pass by the midpoint rule, x' = x + Δt u(x + Δt u(x)/2), bilinear in u: 10 fetches a particle on a collocated
/// grid, 18 on a staggered one, and about as many again near solids. Paths end at them, as those of
/// [`Transport`](super::Transport) do.
///
/// A particle is born again where its box ends, but at a side that nothing flows through it stays; where a solid was put on it;
/// and at the age of [`Particles::set_life`]. Where, is a hash of seed, step and number: the same in every run, and without
/// a read-back.
///
/// # Units
/// Places are lengths from the corner of the box, so none is far from the origin: a step rounds a place to 2⁻²⁴ of the box.
/// The length below which a particle stands still in a step.
///
/// # Example
/// ```
/// # fn main() -> quadrille::Result<()> {
/// use quadrille::Gpu;
/// use quadrille::sim::fluid::{Grid, Kind, Particles};
///
/// let gpu = Gpu::headless()?;
/// let grid = Grid { kind: Kind::Staggered, cells: [8, 8], spacing: 0.125, periodic: [true, true] };
/// let wind = grid.velocity(&gpu).init(&[0.25, 0.0].repeat(64))?;
/// let mut particles = Particles::new(&gpu, grid, 1001, 1)?;
/// particles.advance(&wind, 0.5)?;
/// assert_eq!(particles.positions().len(), 1001);
/// # Ok(())
/// # }
/// ```
pub struct Particles {
    gpu: Gpu,
    grid: Grid,
    /// (x, y, age, number): now, as of the steps before it, newest first, and what the next step writes into, last.
    moments: Vec<Buffer>,
    /// Steps that are remembered, of those that fit.
    remembered: usize,
    births: Buffer,
    begin: Begin,
    /// Without solids and with them; compiled when first asked for.
    passes: [Option<Pass>; 2],
    seed: f32,
    steps: u64,
    life: f32,
}

/// The pass that gives birth to all.
struct Begin {
    program: Program,
    luck: ConstantHandle,
    oldest: ConstantHandle,
}

/// The pass of a step.
struct Pass {
    program: Program,
    particles: StreamHandle,
    velocity: StreamHandle,
    open: Option<StreamHandle>,
    time_step: ConstantHandle,
    life: ConstantHandle,
    luck: ConstantHandle,
}

impl Particles {
    /// So many, anywhere in the box, and of no age that ends a life.
    ///
    /// # Errors
    /// Those of [`Grid::check`]; [`Error::Empty`] for none; [`Error::OverLimit`] past 2²⁴ or the texture limit;
    /// [`Error::OutOfMemory`].
    pub fn new(gpu: &Gpu, grid: Grid, count: usize, seed: u64) -> Result<Particles> {
        grid.check()?;
        if count > MOST {
            let (found, limit) = (count as u64, MOST as u64);
            return Err(Error::OverLimit { what: "particles".into(), quantity: "number", found, limit });
        }
        let moments = vec![moment(gpu, count)?, moment(gpu, count)?];
        let births = gpu.buffer(BIRTHS as u32, 1).components(4).named("births").build()?;
        let mut program = gpu.load(kernel(&grid, true, false)?)?;
        program.bind_stream("births", &births)?.bind_float("width", moments[0].width() as f32)?;
        let (luck, oldest) = (program.constant("luck")?, program.constant("oldest")?);
        let mut particles = Particles {
            gpu: gpu.clone(),
            grid,
            moments,
            remembered: 0,
            births,
            begin: Begin { program, luck, oldest },
            passes: [None, None],
            seed: (Random(seed).bits() >> 40) as f32,
            steps: 0,
            life: f32::INFINITY,
        };
        particles.set_births(&[])?;
        particles.scatter()?;
        Ok(particles)
    }

    /// From now on they are born in these regions, in each as often as its share of their area, to a 256th; in the whole box if
    /// there are none.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for more than 256, and for a region that does not lie in the box.
    pub fn set_births(&mut self, regions: &[Region]) -> Result<()> {
        let whole = [Region { low: [0.0; 2], high: self.grid.size() }];
        let regions = if regions.is_empty() { &whole } else { regions };
        if regions.len() > BIRTHS {
            let (found, expected) = (regions.len().to_string(), format!("at most {BIRTHS}"));
            return Err(Error::BadParameter { name: "regions of births", found, expected });
        }
        regions.iter().try_for_each(|region| region.check(self.grid.size()))?;
        self.births.write(&table(regions))
    }

    /// How long they live at most, a time; for ever unless said. Those that there are keep their age: see [`Particles::scatter`].
    ///
    /// # Errors
    /// [`Error::BadParameter`] for no time.
    pub fn set_life(&mut self, life: f32) -> Result<()> {
        if life.is_nan() || life <= 0.0 {
            let (found, expected) = (life.to_string(), "above 0".to_owned());
            return Err(Error::BadParameter { name: "life of particles", found, expected });
        }
        self.life = life;
        Ok(())
    }

    /// Lets all be born anew, at any age up to the longest so that they do not die together: one pass.
    pub fn scatter(&mut self) -> Result<()> {
        let oldest = if self.life.is_finite() { self.life } else { 0.0 };
        let luck = self.luck(self.steps);
        let Begin { program, luck: of_luck, oldest: of_oldest } = &mut self.begin;
        program.bind_float(*of_luck, luck)?.bind_float(*of_oldest, oldest)?;
        program.run(&self.moments[0])?;
        self.remembered = 0;
        Ok(())
    }

    /// One step along a velocity: one pass.
    ///
    /// # Errors
    /// [`Error::WrongShape`]; [`Error::BadParameter`] for a time step that is none.
    pub fn advance(&mut self, velocity: &Buffer, time_step: f32) -> Result<()> {
        self.advance_among(velocity, None, time_step)
    }

    /// The same among solids: those of [`Transport::open`](super::Transport::open).
    ///
    /// # Errors
    /// As [`Particles::advance`]; [`Error::OverLimit`] for a card without loops.
    pub fn advance_among(&mut self, velocity: &Buffer, open: Option<&Buffer>, time_step: f32) -> Result<()> {
        self.grid.check_velocity(velocity)?;
        if !time_step.is_finite() {
            let (found, expected) = (time_step.to_string(), "a finite time".to_owned());
            return Err(Error::BadParameter { name: "time step", found, expected });
        }
        let luck = self.luck(self.steps + 1);
        let pass = match &mut self.passes[usize::from(open.is_some())] {
            Some(pass) => pass,
            none => none.insert(Pass::new(&self.gpu, &self.grid, &self.births, open.is_some())?),
        };
        let program = &mut pass.program;
        program.bind_stream(pass.particles, &self.moments[0])?.bind_stream(pass.velocity, velocity)?;
        if let (Some(stream), Some(open)) = (pass.open, open) {
            self.grid.check_open(open)?;
            program.bind_stream(stream, open)?;
        }
        // Not every GLSL has infinity.
        program.bind_float(pass.time_step, time_step)?.bind_float(pass.life, self.life.min(f32::MAX))?;
        program.bind_float(pass.luck, luck)?;
        let oldest = self.moments.len() - 1;
        program.run(&self.moments[oldest])?;
        self.moments.rotate_right(1);
        self.remembered = (self.remembered + 1).min(oldest - 1);
        self.steps += 1;
        Ok(())
    }

    /// Where they are: a folded array of (x, y, age, number), lengths and times.
    pub fn positions(&self) -> &Buffer {
        &self.moments[0]
    }

    /// Remembers where they were in so many steps before this one, from now on; none unless said. It costs memory, 16 bytes a
    /// particle and step, and no pass: a step writes over the oldest.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; then nothing has changed.
    pub fn set_memory(&mut self, steps: usize) -> Result<()> {
        let wanted = steps.saturating_add(2);
        let missing = wanted.saturating_sub(self.moments.len());
        let more = (0..missing).map(|_| moment(&self.gpu, self.len())).collect::<Result<Vec<Buffer>>>()?;
        // The moment that a step writes into stays behind those that are remembered.
        self.moments.truncate(wanted);
        self.moments.extend(more);
        self.remembered = self.remembered.min(steps);
        Ok(())
    }

    /// Where they were before the last steps, as [`Particles::positions`], newest first: as many moments as are remembered, fewer
    /// after a beginning.
    pub fn past(&self) -> &[Buffer] {
        &self.moments[1..=self.remembered]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.positions().len()
    }

    /// Never: there is one at least.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Steps made, which the places of births hang on.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Reads all back: x, y, age and number of each.
    pub fn state(&self) -> Result<Vec<f32>> {
        self.positions().data()
    }

    /// Goes on from another state, after that many steps: bit for bit as the one that it was read from.
    ///
    /// # Errors
    /// [`Error::WrongLength`]; [`Error::BadParameter`] for a place or age that is none, and for another number than the place in
    /// the array.
    pub fn set_state(&mut self, state: &[f32], steps: u64) -> Result<()> {
        let (particles, _) = state.as_chunks::<4>();
        for (i, &[x, y, age, number]) in particles.iter().enumerate() {
            if ![x, y, age].into_iter().all(f32::is_finite) || number != i as f32 {
                let found = format!("({x}, {y}, {age}, {number})");
                let expected = format!("finite x, y and age, and number {i}");
                return Err(Error::BadParameter { name: "particle", found, expected });
            }
        }
        self.moments[0].write(state)?;
        (self.steps, self.remembered) = (steps, 0);
        Ok(())
    }

    /// Two numbers below 2²⁴: of the seed, of the step.
    fn luck(&self, step: u64) -> [f32; 2] {
        [self.seed, (step % MOST as u64) as f32]
    }
}

/// Room for all of them at a moment.
fn moment(gpu: &Gpu, count: usize) -> Result<Buffer> {
    gpu.array(count).components(4).named("particles").build()
}

impl Pass {
    fn new(gpu: &Gpu, grid: &Grid, births: &Buffer, solids: bool) -> Result<Pass> {
        if solids {
            check_loops(gpu)?;
        }
        let mut program = gpu.load(kernel(grid, false, solids)?)?;
        program
            .bind_stream("births", births)?
            .bind_float("cells", grid.cells_f32())?
            .bind_float("periodic", grid.periodic_f32())?
            .bind_float("spacing", grid.spacing)?;
        Ok(Pass {
            particles: program.stream("particles")?,
            velocity: program.stream("velocity")?,
            open: if solids { Some(program.stream("open")?) } else { None },
            time_step: program.constant("time_step")?,
            life: program.constant("life")?,
            luck: program.constant("luck")?,
            program,
        })
    }
}

fn kernel(grid: &Grid, start: bool, solids: bool) -> Result<crate::pug::Kernel> {
    let kernel = grid.kernel(kernels::named(KERNEL)?);
    Ok(kernel.define("START", u32::from(start)).define("SOLIDS", u32::from(solids)))
}

impl Region {
    fn check(&self, size: [f32; 2]) -> Result<()> {
        let fits = |axis: usize| {
            let (low, high) = (self.low[axis], self.high[axis]);
            0.0 <= low && low <= high && high <= size[axis]
        };
        if fits(0) && fits(1) {
            return Ok(());
        }
        let found = format!("{:?} to {:?}", self.low, self.high);
        let expected = format!("from low to high in the box of {} by {}", size[0], size[1]);
        Err(Error::BadParameter { name: "region of births", found, expected })
    }

    fn area(&self) -> f64 {
        (0..2).map(|axis| f64::from(self.high[axis]) - f64::from(self.low[axis])).product()
    }
}

/// Each region in as many texels as its part of the area asks for, one at least; all alike if they have none.
fn table(regions: &[Region]) -> Vec<f32> {
    let areas: f64 = regions.iter().map(Region::area).sum();
    let spare = (BIRTHS - regions.len()) as f64;
    let mut sum = 0.0;
    let mut texels = Vec::with_capacity(4 * BIRTHS);
    for (i, region) in regions.iter().enumerate() {
        sum += if areas > 0.0 { region.area() / areas } else { 1.0 / regions.len() as f64 };
        // The rounding of one region is made up for by the next.
        let end = if i + 1 == regions.len() { BIRTHS } else { i + 1 + (spare * sum).round() as usize };
        while texels.len() < 4 * end {
            texels.extend([region.low[0], region.low[1], region.high[0], region.high[1]]);
        }
    }
    texels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_share_the_table_by_their_areas() {
        let square = |x: f32, side: f32| Region { low: [x, 0.0], high: [x + side, side] };
        let texels = |regions: &[Region]| {
            let table = table(regions);
            assert_eq!(table.len(), 4 * BIRTHS);
            let of = |region: &Region| table.chunks(4).filter(|texel| texel[0] == region.low[0]).count();
            regions.iter().map(of).collect::<Vec<_>>()
        };
        assert_eq!(texels(&[square(0.0, 1.0)]), [256]);
        assert_eq!(texels(&[square(0.0, 1.0), square(2.0, 2.0)]), [52, 204]);
        assert_eq!(texels(&[square(0.0, 0.0), square(2.0, 0.0), square(3.0, 1e-3)]), [1, 1, 254]);
        assert_eq!(texels(&[square(0.0, 0.0), square(2.0, 0.0)]), [128, 128]);
        let many: Vec<Region> = (0..256).map(|i| square(i as f32, 1.0)).collect();
        assert_eq!(texels(&many), [1; 256]);
    }
}

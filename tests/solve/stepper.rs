//! Steps in time: orders, decay, energies and conservation, all measured from the state in f64.

use std::rc::Rc;

use super::coupled::{cahn_hilliard, part, relative, wave};
use super::numbers;
use super::support::{on_gpu, refusal};
use quadrille::linalg::Algebra;
use quadrille::solve::{
    At, Edge, FiniteVolumes, Grid, Group, LinearPart, RightSide, Scheme, Stepper, StepperSettings,
};
use quadrille::{Buffer, Gpu, Program, Result};

/// R and N by one kernel, which reads u, or what a first kernel makes of it.
struct Kernel {
    program: Program,
    before: Option<(Program, Buffer)>,
}

/// Neighbours: around the edges, or mirrored at closed ones; h = 1.
const NEAR: &str = "
uniform Stream u;
uniform vec2 size;
uniform float closed;
DOMAIN at;
vec2 beside(vec2 hop) {
    vec2 to = at + hop;
    bvec2 off = bvec2(to.x < 0.0 || to.x > size.x, to.y < 0.0 || to.y > size.y);
    return closed > 0.5 ? mix(to, at - hop, off) : mod(to, size);
}
// Differences first: neighbours that are almost alike lose nothing by that, their sum would.
vec4 lap() {
    vec4 w = value2(u, at);
    return ((value2(u, beside(vec2(1.0, 0.0))) - w) + (value2(u, beside(vec2(-1.0, 0.0))) - w))
        + ((value2(u, beside(vec2(0.0, 1.0))) - w) + (value2(u, beside(vec2(0.0, -1.0))) - w));
}
";

const COMBINE: &str = "
uniform Stream change, before;
uniform vec4 k;
RANGE vec4 r;
RANGE vec4 n;
void combine(vec4 linear, vec4 explicit_part) {
    r = k.x * value2(change, at) + k.y * linear + k.z * explicit_part + k.w * value2(before, at);
    n = explicit_part;
}
";

impl Kernel {
    fn new(gpu: &Gpu, body: &str, grid: &Grid) -> Result<Kernel> {
        let program = near(gpu, &format!("{NEAR}{COMBINE}void main() {{ {body} }}"), grid)?;
        Ok(Kernel { program, before: None })
    }

    /// The same of m, which has two values a node.
    fn after(self, gpu: &Gpu, body: &str, grid: &Grid) -> Result<Kernel> {
        let program = near(gpu, &format!("{NEAR}RANGE vec4 m;\nvoid main() {{ {body} }}"), grid)?;
        let m = gpu.buffer(grid.size[0], grid.size[1]).components(2).build()?;
        Ok(Kernel { before: Some((program, m)), ..self })
    }
}

fn near(gpu: &Gpu, text: &str, grid: &Grid) -> Result<Program> {
    let mut program = gpu.program("right_side.frag", text)?;
    program.bind_float("size", grid.size.map(|size| size as f32))?;
    program.bind_float("closed", f32::from(u8::from(grid.edges[0] == Edge::Neumann)))?;
    Ok(program)
}

impl RightSide for Kernel {
    fn draw(&mut self, at: &At, targets: [&Buffer; 2]) -> Result<()> {
        match &mut self.before {
            Some((program, m)) => {
                program.bind_stream("u", at.u)?;
                program.run(m)?;
                self.program.bind_stream("u", m)?;
            }
            None => {
                self.program.bind_stream("u", at.u)?;
            }
        }
        self.program.bind_stream("change", at.change)?;
        self.program.bind_stream("before", at.explicit)?;
        self.program.bind_float("k", at.k)?;
        self.program.onto(&targets).run()
    }
}

fn stepper(
    gpu: &Gpu,
    grid: &Grid,
    part: LinearPart,
    settings: StepperSettings,
    start: &[f32],
) -> Result<Stepper> {
    let volumes = Rc::new(FiniteVolumes::new(&Algebra::new(gpu), grid)?);
    let u = gpu.buffer(grid.size[0], grid.size[1]).components(part.fields).init(start)?;
    Stepper::new(&volumes, part, settings, u)
}

fn wide(values: &[f32]) -> Vec<f64> {
    values.iter().copied().map(f64::from).collect()
}

/// ∇² on a periodic grid with h = 1.
fn lap(u: &[f64], [across, down]: [usize; 2]) -> Vec<f64> {
    let at = |i: usize, j: usize| u[j % down * across + i % across];
    let nodes = (0..down).flat_map(|j| (0..across).map(move |i| (i, j)));
    nodes
        .map(|(i, j)| {
            at(i + 1, j) + at(i + across - 1, j) + at(i, j + 1) + at(i, j + down - 1) - 4.0 * at(i, j)
        })
        .collect()
}

/// u_t = 3∇²u − u/2 + u − u³ at t = 1: the error of each halved Δt beside Runge and Kutta's steps in f64 on the same nodes.
#[test]
fn second_order_in_time_is_kept() -> Result<()> {
    const SIZE: [usize; 2] = [16, 12];
    let start: Vec<f64> = (0..SIZE[0] * SIZE[1])
        .map(|node| {
            let (x, y) = ((node % SIZE[0]) as f64, (node / SIZE[0]) as f64);
            0.6 + 0.8 * (std::f64::consts::FRAC_PI_8 * x).sin() * (std::f64::consts::FRAC_PI_6 * y).cos()
        })
        .collect();
    let slope = |u: &[f64]| -> Vec<f64> {
        lap(u, SIZE).iter().zip(u).map(|(lap, u)| 3.0 * lap - 0.5 * u + u - u * u * u).collect()
    };
    let added =
        |u: &[f64], by: f64, k: &[f64]| -> Vec<f64> { u.iter().zip(k).map(|(u, k)| u + by * k).collect() };
    let mut exact = start.clone();
    for _ in 0..200 {
        let h = 1.0 / 200.0;
        let k1 = slope(&exact);
        let k2 = slope(&added(&exact, h / 2.0, &k1));
        let k3 = slope(&added(&exact, h / 2.0, &k2));
        let k4 = slope(&added(&exact, h, &k3));
        for (i, u) in exact.iter_mut().enumerate() {
            *u += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        }
    }
    let start: Vec<f32> = start.into_iter().map(|u| u as f32).collect();
    let grid = Grid::new(SIZE.map(|size| size as u32), [1.0, 1.0], &Edge::Periodic);
    on_gpu(|gpu| {
        let body = "vec4 w = value2(u, at); combine(3.0 * lap() - 0.5 * w, w - w * w * w);";
        for (scheme, least, most) in
            [(Scheme::Sbdf2, 1.9, 2.2), (Scheme::Cnab2, 1.9, 2.2), (Scheme::ImexEuler, 0.9, 1.1)]
        {
            let mut errors = Vec::new();
            for steps in [16u32, 32] {
                let settings = StepperSettings {
                    scheme,
                    step: 1.0 / f64::from(steps),
                    tolerance: 1e-5,
                    ..StepperSettings::default()
                };
                let mut kernel = Kernel::new(gpu, body, &grid)?;
                let mut run = stepper(gpu, &grid, part(1, 0, &[-0.5], &[3.0]), settings, &start)?;
                (0..steps).try_for_each(|_| run.step(&mut kernel).map(|_| ()))?;
                assert_eq!(run.time(), 1.0);
                errors.push(relative(&wide(&run.state().data()?), &exact));
            }
            let order = (errors[0] / errors[1]).log2();
            assert!((least..=most).contains(&order), "{scheme:?}: {errors:?}, order {order:.2}");
        }
        Ok(())
    })
}

/// Steps of 100 and 10⁴ times the explicit limit between closed edges: what differs from the mean decays and never grows, and the mean stays.
#[test]
fn large_steps_damp_and_keep_the_mean() -> Result<()> {
    const N: usize = 49;
    let start: Vec<f32> = numbers(N * N, 2).into_iter().map(|u| u as f32).collect();
    let weight = |at: usize| if at == 0 || at == N - 1 { 0.5 } else { 1.0 };
    let mean = |u: &[f64]| {
        let sum: f64 = u.iter().enumerate().map(|(node, u)| weight(node % N) * weight(node / N) * u).sum();
        sum / ((N - 1) * (N - 1)) as f64
    };
    let grid = Grid::new([N as u32; 2], [1.0, 1.0], &Edge::Neumann);
    on_gpu(|gpu| {
        for (times, last) in [(100.0, 0.01), (1e4, 1e-4)] {
            let body = "combine(lap(), vec4(0.0));";
            let mut kernel = Kernel::new(gpu, body, &grid)?;
            let settings =
                StepperSettings { step: times * 0.25, conserves: vec![true], ..StepperSettings::default() };
            let mut run = stepper(gpu, &grid, part(1, 0, &[0.0], &[1.0]), settings, &start)?;
            let begin = mean(&wide(&start));
            let off = |u: &[f64]| u.iter().fold(0.0, |most: f64, u| most.max((u - begin).abs()));
            let first = off(&wide(&start));
            let (mut newest, mut efforts) = (first, Vec::new());
            for number in 1..=50 {
                let effort = run.step(&mut kernel)?;
                assert!(!effort.is_short, "{times} times the limit, step {number}: {effort:?}");
                efforts.push(effort.cycles);
                if number % 10 == 0 || number < 3 {
                    let u = wide(&run.state().data()?);
                    newest = off(&u);
                    assert!(
                        newest <= first,
                        "{times} times the limit, step {number}: {newest} after {first}"
                    );
                    let drift = (mean(&u) - begin).abs();
                    assert!(
                        drift <= 1e-6,
                        "{times} times the limit, step {number}: the mean moved by {drift:e}"
                    );
                }
            }
            assert!(newest <= last, "{times} times the limit: {newest:e} is left, {efforts:?}");
        }
        Ok(())
    })
}

/// Cahn–Hilliard: the energy of the state falls in each step, the mass stays, at Δt up to 3200 times the explicit limit.
#[test]
fn energy_falls_and_mass_stays() -> Result<()> {
    const SIZE: [usize; 2] = [40, 27];
    let start: Vec<f32> = numbers(SIZE[0] * SIZE[1], 4).into_iter().map(|u| 0.1 * u as f32).collect();
    let grid = Grid::new(SIZE.map(|size| size as u32), [1.0, 1.0], &Edge::Periodic);
    let energy = |u: &[f64]| -> f64 {
        let gradients: f64 = lap(u, SIZE).iter().zip(u).map(|(lap, u)| -0.5 * u * lap).sum();
        gradients + u.iter().map(|u| (u * u - 1.0).powi(2) / 4.0).sum::<f64>()
    };
    let mean = |u: &[f64]| u.iter().sum::<f64>() / u.len() as f64;
    on_gpu(|gpu| {
        for (step, most) in [(1.0, 0.95), (10.0, 0.7), (100.0, 0.9)] {
            // J u = ∇²(2u − ∇²u) and N = ∇²(u³ − 3u), m in two channels.
            let m = "float w = value2(u, at).x; m = vec4(2.0 * w - lap().x, w * w * w - 3.0 * w, 0.0, 0.0);";
            let body = "vec4 l = lap(); combine(vec4(l.x), vec4(l.y));";
            let mut kernel = Kernel::new(gpu, body, &grid)?.after(gpu, m, &grid)?;
            let settings = StepperSettings {
                scheme: Scheme::ImexEuler,
                step,
                conserves: vec![true],
                ..StepperSettings::default()
            };
            let mut run = stepper(gpu, &grid, cahn_hilliard(), settings, &start)?;
            let u = wide(&start);
            let (begin, mass) = (energy(&u), mean(&u));
            let mut newest = begin;
            for number in 1..=30 {
                let effort = run.step(&mut kernel)?;
                assert!(!effort.is_short, "Δt = {step}, step {number}: {effort:?}");
                let u = wide(&run.state().data()?);
                let next = energy(&u);
                assert!(next <= newest + 1e-6 * begin, "Δt = {step}, step {number}: {next} after {newest}");
                let drift = (mean(&u) - mass).abs();
                assert!(drift <= 1e-6, "Δt = {step}, step {number}: the mean moved by {drift:e}");
                newest = next;
            }
            assert!(newest <= most * begin, "Δt = {step}: {begin} to {newest}");
        }
        Ok(())
    })
}

/// A standing wave by Crank and Nicolson at Courant number 20: its phase after 64 steps is that of the scheme, and its energy stays.
#[test]
fn waves_keep_their_energy() -> Result<()> {
    const N: usize = 64;
    let h = 1.0 / N as f64;
    let start: Vec<f32> = (0..N * 16)
        .flat_map(|node| [(std::f64::consts::TAU * (node % N) as f64 * h).cos() as f32, 0.0])
        .collect();
    let grid = Grid::new([N as u32, 16], [h, h], &Edge::Periodic);
    on_gpu(|gpu| {
        let body = "combine(vec4(value2(u, at).y, 4096.0 * lap().x, 0.0, 0.0), vec4(0.0));";
        let mut kernel = Kernel::new(gpu, body, &grid)?;
        let step = 20.0 * h;
        // Far below what rounding leaves, so that the count of cycles does not decide.
        let settings =
            StepperSettings { scheme: Scheme::Cn, step, tolerance: 1e-6, ..StepperSettings::default() };
        let mut run = stepper(gpu, &grid, wave(), settings, &start)?;
        (0..64).try_for_each(|_| run.step(&mut kernel).map(|_| ()))?;
        let state = wide(&run.state().data()?);
        let omega = 2.0 * (std::f64::consts::PI * h).sin() / h;
        let turned = (2.0 / step) * (omega * step / 2.0).atan() * run.time();
        let (mut worst, mut energy) = (0.0f64, 0.0);
        for node in 0..N * 16 {
            let shape = (std::f64::consts::TAU * (node % N) as f64 * h).cos();
            worst = worst.max((state[2 * node] - shape * turned.cos()).abs());
            let east = node / N * N + (node + 1) % N;
            let slope = (state[2 * east] - state[2 * node]) / h;
            energy += (state[2 * node + 1].powi(2) + slope * slope) / (0.5 * omega * omega * (N * 16) as f64);
        }
        // A residual of 1 + γL, γ = 100, is rounded by (1 + 8γ) 2⁻²⁴ of δ; δ is 1.4 of u; of 64 nodes the wave takes the mean, an eighth.
        let rounded = 64.0 * 1.4 * 801.0 / 8.0 * f64::from(f32::EPSILON) / 2.0;
        assert!(worst <= rounded && (energy - 1.0).abs() <= 1e-4, "{worst:e}, {energy}");
        Ok(())
    })
}

/// A run that is saved goes on to the same bits in another stepper; a moved parameter begins anew.
#[test]
fn a_saved_run_goes_on_to_the_same_bits() -> Result<()> {
    let grid = Grid::new([21, 10], [1.0, 1.0], &Edge::Neumann);
    let start: Vec<f32> = numbers(420, 8).into_iter().map(|u| u as f32).collect();
    let linear = || part(2, 0, &[-0.1, 0.0, 0.2, -0.3], &[4.0, -1.0, 2.0, 3.0]);
    on_gpu(|gpu| {
        let body = "vec4 w = value2(u, at), l = lap();
            combine(vec4(4.0 * l.x - l.y - 0.1 * w.x, 2.0 * l.x + 3.0 * l.y + 0.2 * w.x - 0.3 * w.y, 0.0, 0.0), 0.1 * w * w);";
        let mut kernel = Kernel::new(gpu, body, &grid)?;
        let settings = StepperSettings { step: 0.5, ..StepperSettings::default() };
        let mut run = stepper(gpu, &grid, linear(), settings.clone(), &start)?;
        (0..5).try_for_each(|_| run.step(&mut kernel).map(|_| ()))?;
        let saved = run.save()?;
        (0..14).try_for_each(|_| run.step(&mut kernel).map(|_| ()))?;
        let mut other = stepper(gpu, &grid, linear(), settings, &vec![0.0; 420])?;
        other.restore(&saved)?;
        (0..14).try_for_each(|_| other.step(&mut kernel).map(|_| ()))?;
        assert_eq!(run.state().data()?, other.state().data()?);
        assert_eq!((run.time(), run.number()), (other.time(), other.number()));
        run.set_step(0.25)?;
        run.step(&mut kernel)?;
        assert_eq!((run.time(), run.number()), (9.75, 20));
        assert_eq!(refusal(run.set_step(0.0)), "step = 0: expected a number above 0");
        Ok(())
    })
}

/// Other weights after few steps of a solve for small ones: a solve that is not looked at is still as long as their condition wants.
#[test]
fn larger_weights_get_as_many_steps_as_they_want() -> Result<()> {
    let start: Vec<f32> = numbers(192, 6).into_iter().map(|u| u as f32).collect();
    on_gpu(|gpu| {
        let grid = |d: f64| Grid {
            conductivity: Some(vec![d; 192]),
            ..Grid::new([16, 12], [1.0, 1.0], &Edge::Periodic)
        };
        let settings = StepperSettings { scheme: Scheme::ImexEuler, ..StepperSettings::default() };
        let mut run = stepper(gpu, &grid(0.01), part(1, 0, &[0.0], &[1.0]), settings, &start)?;
        let mut few = Kernel::new(gpu, "combine(0.01 * lap(), vec4(0.0));", &grid(0.01))?;
        (0..3).try_for_each(|_| run.step(&mut few).map(|_| ()))?;
        let before = wide(&run.state().data()?);
        let volumes = Rc::new(FiniteVolumes::new(&Algebra::new(gpu), &grid(3.9))?);
        let group = Group { volumes: volumes.clone(), fields: vec![0], auxiliaries: Vec::new() };
        run.set_groups(vec![group])?;
        let effort = run.step(&mut Kernel::new(gpu, "combine(3.9 * lap(), vec4(0.0));", &grid(3.9))?)?;
        assert!(effort.residual.is_none() && effort.cycles == 0, "{effort:?}");
        let after = wide(&run.state().data()?);
        let given: Vec<f64> = after.iter().zip(volumes.multiply(&after)).map(|(u, l)| u + l).collect();
        let size = |of: &[f64]| of.iter().map(|u| u * u).sum::<f64>().sqrt();
        let left: Vec<f64> = given.iter().zip(&before).map(|(given, u)| given - u).collect();
        let left = size(&left) / size(&volumes.multiply(&before));
        // A thousandth of what the last δ leaves, which is that of weights of a 390th, times 32 at most.
        assert!(left <= 1.2e-3, "{left:e}, {effort:?}");
        Ok(())
    })
}

/// Fixed values that move: u = t x² solves u_t = ∇²u + x² − 2t, and so it does by differences of second order in space and of any in time.
#[test]
fn fixed_values_move_with_time() -> Result<()> {
    let grid = Grid { spacing: [0.125, 0.25], ..Grid::new([13, 7], [1.0, 1.0], &Edge::Dirichlet) };
    on_gpu(|gpu| {
        let text = format!(
            "uniform Stream u; uniform vec2 times; DOMAIN at;
            {COMBINE}
            float square() {{ return (at.x - 0.5) * (at.x - 0.5) / 64.0; }}
            float held(vec2 hop) {{
                vec2 to = at + hop;
                bool edge = to.x < 1.0 || to.x > 12.0 || to.y < 1.0 || to.y > 6.0;
                return edge ? times.y * (to.x - 0.5) * (to.x - 0.5) / 64.0 : value2(u, to).x;
            }}
            void main() {{
                float w = held(vec2(0.0));
                float l = 64.0 * ((held(vec2(1.0, 0.0)) - w) + (held(vec2(-1.0, 0.0)) - w))
                    + 16.0 * ((held(vec2(0.0, 1.0)) - w) + (held(vec2(0.0, -1.0)) - w));
                combine(vec4(l + square() - 2.0 * times.y), vec4(0.0));
                bool edge = at.x < 1.0 || at.x > 12.0 || at.y < 1.0 || at.y > 6.0;
                if (edge) r = vec4(times.y * square() - value2(u, at).x);
            }}"
        );
        let program = gpu.program("right_side.frag", &text)?;
        let mut kernel = Moving(Kernel { program, before: None });
        for scheme in [Scheme::ImexEuler, Scheme::Sbdf2] {
            let settings =
                StepperSettings { scheme, step: 0.25, tolerance: 1e-6, ..StepperSettings::default() };
            let mut run = stepper(gpu, &grid, part(1, 0, &[0.0], &[1.0]), settings, &[0.0; 91])?;
            (0..8).try_for_each(|_| run.step(&mut kernel).map(|_| ()))?;
            for (node, u) in wide(&run.state().data()?).into_iter().enumerate() {
                let expected = 2.0 * ((node % 13) as f64 / 8.0).powi(2);
                // Eight solves to 10⁻⁶, of values up to 4.5.
                assert!((u - expected).abs() <= 1e-4, "{scheme:?}, node {node}: {u}, {expected}");
            }
        }
        Ok(())
    })
}

/// A kernel that takes the times of its edge data.
struct Moving(Kernel);

impl RightSide for Moving {
    fn draw(&mut self, at: &At, targets: [&Buffer; 2]) -> Result<()> {
        self.0.program.bind_float("times", at.edge_times.map(|time| time as f32))?;
        self.0.draw(at, targets)
    }
}

/// A blind step is the right side, a pass that splits it, as many cycles for each field, and a pass that merges. A cycle of 1 + 6.7Λ is 7 passes on
/// 64 x 64 nodes, 6 on 32 x 32, and three sweeps beside the first on 16 x 16, where 1 + 0.42Λ is nearly diagonal; one of 1 + 10Λ has 6 on
/// 16 x 16, and two of a product with the inverse of 8 x 8. Nothing is read back.
#[test]
fn passes_of_a_step_are_those_of_its_cycles() -> Result<()> {
    let grid = Grid::new([64, 64], [1.0, 1.0], &Edge::Periodic);
    let start: Vec<f32> = numbers(8192, 6).into_iter().map(|u| u as f32).collect();
    on_gpu(|gpu| {
        let body = "combine(lap() * vec4(2.0, 3.0, 0.0, 0.0), vec4(0.0));";
        let mut kernel = Kernel::new(gpu, body, &grid)?;
        let settings = StepperSettings { step: 5.0, ..StepperSettings::default() };
        let mut run = stepper(gpu, &grid, part(2, 0, &[0.0; 4], &[2.0, 0.0, 0.0, 3.0]), settings, &start)?;
        (0..4).try_for_each(|_| run.step(&mut kernel).map(|_| ()))?;
        let before = gpu.counters();
        let effort = run.step(&mut kernel)?;
        let after = gpu.counters();
        assert_eq!((effort.residual, effort.iterations), (None, 0));
        assert_eq!((after.read_backs, after.uploads), (before.read_backs, before.uploads));
        assert_eq!(after.passes - before.passes, 3 + (10 + 14) * effort.cycles as u64 / 2, "{effort:?}");
        Ok(())
    })
}

/// A Δt from which on the implicit part is singular is refused before anything runs, and named: for the scheme, and for its first step.
#[test]
fn a_singular_step_is_refused() -> Result<()> {
    let grid = Grid::new([16, 16], [0.785, 0.785], &Edge::Periodic);
    on_gpu(|gpu| {
        let swift_hohenberg = || part(1, 1, &[-0.7, 0.0, 0.0, 0.0], &[-2.0, -1.0, 1.0, 0.0]);
        let made = |step: f64| {
            let settings = StepperSettings { step, ..StepperSettings::default() };
            refusal(stepper(gpu, &grid, swift_hohenberg(), settings, &[0.0; 256]))
        };
        assert_eq!(made(10.0), "step 10: implicit part singular from Δt = 5: take less");
        assert_eq!(made(4.0), "step 4: implicit part singular from Δt = 3.333 in the first step: take less");
        assert_eq!(made(0.5), "");
        Ok(())
    })
}

#[test]
fn groups_of_what_is_no_field_are_refused() -> Result<()> {
    on_gpu(|gpu| {
        let grid = Grid::new([5, 4], [1.0; 2], &Edge::Neumann);
        let volumes = Rc::new(FiniteVolumes::new(&Algebra::new(gpu), &grid)?);
        let groups = vec![Group { volumes, fields: vec![5], auxiliaries: Vec::new() }];
        let u = gpu.buffer(5, 4).build()?;
        let line = refusal(
            Stepper::of_groups(groups, LinearPart::none(1), StepperSettings::default(), u).map(|_| ()),
        );
        assert!(line.contains("field 5") && line.contains("one of 1 fields"), "{line}");
        Ok(())
    })
}

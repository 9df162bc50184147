use quadrille::gl::Edges;
use quadrille::sim::gray_scott::{GrayScott, Parameters};
use quadrille::{Gpu, Result};

#[test]
fn smoke() -> Result<()> {
    let gpu = Gpu::headless()?;
    println!("{:?} {:?}", gpu.driver(), gpu.limits());
    let t = std::time::Instant::now();
    println!("{:?} {:?}", gpu.probes()?, t.elapsed());
    let mut sim = GrayScott::new(&gpu, 64, 48, Parameters::default(), Edges::Repeat, 1)?;
    let before: Vec<f64> = sim.state().data()?.iter().map(|&v| v.into()).collect();
    let want = quadrille::reference::gray_scott::step(
        &before,
        64,
        48,
        Parameters::default().as_f64(),
        Edges::Repeat,
    );
    sim.step()?;
    let got = sim.state().data()?;
    let worst = got.iter().zip(&want).map(|(&g, w)| (f64::from(g) - w).abs()).fold(0.0, f64::max);
    println!("worst {worst:e} in ulps {}", worst * 2f64.powi(24));
    let sum = gpu.reduction(quadrille::Operator::sum());
    println!("{:?}", sum.value(sim.state())?);
    println!("{:?}", gpu.counters());
    let mut sim = GrayScott::new(&gpu, 512, 512, Parameters::default(), Edges::Repeat, 1)?;
    for _ in 0..3 {
        let t = std::time::Instant::now();
        for _ in 0..300 {
            sim.step()?;
        }
        sim.state().data_of(quadrille::Rect::whole(1, 1))?;
        println!("{} steps/s", 300.0 / t.elapsed().as_secs_f64());
    }
    Ok(())
}

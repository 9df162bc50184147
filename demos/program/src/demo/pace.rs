//! Steps in batches: the GPU is never more than two batches behind, so that progress is real and a clock
//! that stops at the last texel measures the work.

use std::time::{Duration, Instant};

use anyhow::Result;
use quadrille::gl::ReadBack;
use quadrille::{Gpu, Rect};

use quadrille_gallery::demo::Demo;

/// A batch should take about this long.
const BATCH: Duration = Duration::from_millis(40);

pub struct Pace {
    gpu: Gpu,
    running: Option<Instant>,
    time: Duration,
    batch: u64,
    steps: u64,
    batch_began: Instant,
    pending: Option<ReadBack>,
    synced: bool,
}

impl Pace {
    /// Waits until all that was set up is done.
    pub fn new(gpu: &Gpu, demo: &dyn Demo) -> Result<Pace> {
        wait(demo)?;
        let now = Instant::now();
        let (running, pending) = (None, None);
        Ok(Pace {
            gpu: gpu.clone(),
            running,
            time: Duration::ZERO,
            batch: 1,
            steps: 0,
            batch_began: now,
            pending,
            synced: false,
        })
    }

    /// The clock runs from here, if it did not already.
    pub fn resume(&mut self) {
        if self.running.is_none() {
            let now = Instant::now();
            self.running = Some(now);
            self.batch_began = now;
        }
        self.synced = false;
    }

    /// A step is drawn. At the end of a batch, waits for the batch before.
    pub fn stepped(&mut self, demo: &dyn Demo) -> Result<()> {
        self.steps += 1;
        if self.steps < self.batch {
            return Ok(());
        }
        if let Some(drawn) = demo.drawn() {
            let texel = drawn.texture().read_async(Rect::whole(1, 1))?;
            if let Some(pending) = self.pending.replace(texel) {
                pending.wait()?;
            }
        }
        if self.batch_began.elapsed() < BATCH {
            self.batch *= 2;
        }
        self.steps = 0;
        self.batch_began = Instant::now();
        self.synced = true;
        Ok(())
    }

    /// Returns true if the last step ended a batch.
    pub fn just_synced(&self) -> bool {
        self.synced
    }

    /// Waits for everything drawn, and stops the clock.
    pub fn pause(&mut self, demo: &dyn Demo) -> Result<()> {
        if let Some(since) = self.running.take() {
            self.gpu.flush();
            wait(demo)?;
            self.time += since.elapsed();
            self.pending = None;
            self.steps = 0;
        }
        Ok(())
    }

    /// How long the clock ran.
    pub fn time(&self) -> Duration {
        self.time
    }
}

/// Reads one texel of what the last step made.
fn wait(demo: &dyn Demo) -> Result<()> {
    if let Some(drawn) = demo.drawn() {
        drawn.data_of(Rect::whole(1, 1))?;
    }
    Ok(())
}

//! A step of a fluid.
//!
//! With MacCormack advection, half of the forces acts before the advection and is moved along: the last pressure,
//! external forces and a little less than half of viscosity. Everything moves along 1.5 u − 0.5 of the step before. So
//! a step is of second order in Δt, for one more pass and no second solve. Two steps of first order follow every other
//! change of the velocity.

use std::mem::swap;

use super::transport::check_loops;
use super::viscosity::Viscosity;
use super::{Advection, Fluid, Parameters};
use crate::Result;

impl Fluid {
    /// One step.
    ///
    /// # Errors
    /// Those of memory. What a solver leaves is in the [`divergence`](Fluid::divergence).
    pub fn step(&mut self) -> Result<()> {
        let _scope = self.gpu.scope("step");
        self.refresh()?;
        let time_step = self.parameters.time_step;
        let made = if self.knows_the_step_before() { self.second_order() } else { self.first_order() };
        if made.is_err() {
            self.projector.disturb(); // `previous` may be half made: it is not looked ahead from
        }
        made?;
        // The projected velocity is the newest, and the newest becomes that of the step before.
        swap(&mut self.velocity, &mut self.previous);
        if !self.second {
            self.carry_dye()?;
        }
        self.steps += 1;
        self.time += f64::from(time_step);
        Ok(())
    }

    /// Forces and pressure act at one end of the step, viscosity at the other: what was pushed, or has just begun, is not
    /// to be looked ahead from. The new velocity is `previous`.
    fn first_order(&mut self) -> Result<()> {
        self.second = false;
        let Fluid { velocity, previous, spare, forces, projector, dye, parameters, transport, .. } = self;
        let (walls, time_step) = (&projector.walls, parameters.time_step);
        let turning = Some(&*velocity);
        let driven = forces.apply(walls, parameters, time_step, (dye.front(), turning), velocity, spare)?;
        let moved = if driven { &*spare } else { &*velocity };
        transport.velocity(parameters.advection, moved, time_step, previous)?;
        swap(previous, spare);
        self.viscous_and_projected(false)
    }

    /// Along the velocity half a step ahead; half of what drives the fluid acts before, and moves along, the other half
    /// after. The new velocity is `previous`.
    fn second_order(&mut self) -> Result<()> {
        self.second = true;
        let Fluid { velocity, previous, spare, along, half, forces, projector, dye, transport, .. } = self;
        let (parameters, time_step) = (&self.parameters, self.parameters.time_step);
        forces.mix(velocity, previous, [0.5, -0.5], along)?;
        let (walls, turning) = (&projector.walls, Some(&*along));
        let driven =
            forces.apply(walls, parameters, 0.5 * time_step, (dye.front(), turning), velocity, spare)?;
        let moved = if driven { &*spare } else { &*velocity };
        transport.other_velocity(parameters.advection, along, time_step, moved, previous)?;
        let [one, other] = half;
        projector.half_gradient(time_step, one)?;
        if let Some(viscosity) = &self.viscosity {
            viscosity.before(&projector.walls, velocity, one, other)?;
            swap(one, other);
        }
        transport.other_velocity(Advection::SemiLagrangian, along, time_step, one, other)?;
        transport.take_ripples_of_velocity(previous, time_step, other, spare)?;
        self.carry_dye()?;
        let Fluid { previous, spare, forces, projector, dye, parameters, .. } = self;
        let walls = &projector.walls;
        if forces.apply(walls, parameters, 0.5 * time_step, (dye.front(), None), spare, previous)? {
            swap(previous, spare);
        }
        self.viscous_and_projected(true)
    }

    /// The rest of a step, from `spare` to `previous`.
    fn viscous_and_projected(&mut self, halved: bool) -> Result<()> {
        let Fluid { previous, spare, projector, viscosity, parameters, .. } = self;
        if let Some(viscosity) = viscosity {
            let _scope = spare.context().scope("viscosity");
            viscosity.apply(&projector.walls, spare, previous)?;
            swap(previous, spare);
        }
        projector.project_moved(spare, parameters.time_step, halved, previous)
    }

    /// The dye of the end of the step.
    fn carry_dye(&mut self) -> Result<()> {
        let _scope = self.gpu.scope("dye");
        let Parameters { time_step, advection, fading, .. } = self.parameters;
        let Fluid { dye, transport, total, .. } = self;
        let along = if self.second { &self.along } else { &self.velocity };
        transport.scalar(advection, along, time_step, dye.front(), dye.back())?;
        dye.swap();
        if self.second {
            transport.take_ripples_of_scalar(along, time_step, dye.front(), dye.back())?;
            dye.swap();
        }
        if let Some(total) = total {
            total.keep(dye.front(), dye.back())?;
            dye.swap();
        }
        if fading > 0.0 {
            let remaining = self.parameters.remaining();
            self.fade.run(dye.front(), remaining, dye.back())?;
            dye.swap();
            total.as_mut().map_or(Ok(()), |total| total.fade(remaining))?;
        }
        Ok(())
    }

    /// Returns true if a step can be of second order: two steps of this length were made since anything else changed the velocity.
    fn knows_the_step_before(&self) -> bool {
        let Parameters { advection, time_step, .. } = self.parameters;
        advection == Advection::MacCormack && self.projector.knows_its_pressure(time_step)
    }

    /// Brings solids that were drawn, and the matrices that follow from them, up to date, as the next step would.
    ///
    /// # Errors
    /// As [`Fluid::set_solids`]; those of memory.
    pub fn refresh(&mut self) -> Result<()> {
        let walls = &self.projector.walls;
        if walls.is_outdated() && walls.has_solids() {
            check_loops(&self.gpu)?; // before anything has changed
        }
        let changed = self.projector.refresh()?;
        let second = self.knows_the_step_before();
        let walls = &self.projector.walls;
        if changed {
            let solids = walls.has_solids().then(|| walls.solids());
            self.transport.set_solids(solids)?;
        }
        let Parameters { viscosity, time_step, pressure, .. } = self.parameters;
        if viscosity == 0.0 {
            self.viscosity = None;
            return Ok(());
        }
        let of_step = viscosity * time_step;
        let after = if second { share_after(of_step, self.grid().size()) } else { 1.0 };
        let [strength, before] =
            [after, 1.0 - after].map(|share| share * of_step / self.setting.spacing.powi(2));
        match &mut self.viscosity {
            None => {
                self.viscosity = Some(Viscosity::new(&self.algebra, walls, [strength, before], pressure)?);
            }
            Some(known) => known.set_strength(walls, [strength, before], changed)?,
        }
        Ok(())
    }
}

/// The part of viscosity that acts at the end of a step: ½ (1 + νΔt(π/L)²), 1 at most, L the longest side of the box.
///
/// With ½, Crank & Nicolson's, the shortest waves would turn their sign each step and hardly decay where νΔt/h² is large. So
/// they fall by (1 − ε)/(1 + ε), ε = νΔt(π/L)², in which time the longest wave of the box falls by e^−ε: none outlives it. ε is
/// of first order in Δt, and so what it changes is of second.
fn share_after(of_step: f32, size: [f32; 2]) -> f32 {
    let longest = size[0].max(size[1]);
    0.5 * (1.0 + (of_step * (std::f32::consts::PI / longest).powi(2)).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::share_after;
    use crate::pug::Gpu;
    use crate::sim::fluid::scenes::{Name, Scene};
    use crate::sim::fluid::{Fluid, Kind};
    use crate::{Error, Result};

    fn four_steps(gpu: &Gpu, kind: Kind) -> Result<Fluid> {
        let scene = Scene::new(Name::Vortices, kind, [12, 8])?;
        let mut fluid = scene.fluid(gpu)?;
        (0..4).try_for_each(|_| scene.step(&mut fluid))?;
        assert!(fluid.second);
        Ok(fluid)
    }

    /// The velocity of the step before is half made then. As after a push, two steps of first order follow.
    #[test]
    fn after_a_step_that_failed_nothing_is_looked_ahead_from() -> Result<()> {
        let gpu = Gpu::headless()?;
        for kind in Kind::ALL {
            let (mut failed, mut pushed) = (four_steps(&gpu, kind)?, four_steps(&gpu, kind)?);
            let velocity = failed.velocity.data()?;
            let wrong = gpu.buffer(1, 1).components(2).build()?;
            let right = std::mem::replace(&mut failed.half[1], wrong);
            assert!(matches!(failed.step(), Err(Error::WrongShape { .. })));
            assert_eq!((failed.velocity.data()?, failed.steps), (velocity.clone(), 4));
            failed.half.iter_mut().filter(|half| half.width() == 1).for_each(|half| *half = right.clone());
            pushed.set_velocity(&velocity)?;
            for second in [false, false, true] {
                failed.step()?;
                pushed.step()?;
                assert_eq!([failed.second, pushed.second], [second; 2]);
                assert_eq!(failed.velocity.data()?, pushed.velocity.data()?);
                assert_eq!(failed.dye().data()?, pushed.dye().data()?);
            }
        }
        Ok(())
    }

    /// A change from outside is not extrapolated: two steps of first order follow, as from the beginning.
    #[test]
    fn what_is_pushed_or_walled_in_is_not_looked_ahead_from() -> Result<()> {
        let gpu = Gpu::headless()?;
        let changes: [fn(&mut Fluid) -> Result<()>; 4] = [
            |fluid| fluid.set_velocity(&fluid.velocity.data()?),
            |fluid| fluid.push(0.5, 0.5, 0.2, [0.1, 0.0]),
            |fluid| fluid.set_solids(&(0..fluid.solids().len()).map(|at| at == 40).collect::<Vec<_>>()),
            |fluid| {
                fluid.draw_solid(0.5, 0.5, 0.1, true);
                Ok(())
            },
        ];
        for (kind, (number, change)) in
            Kind::ALL.into_iter().flat_map(|kind| changes.into_iter().enumerate().map(move |one| (kind, one)))
        {
            let mut fluid = four_steps(&gpu, kind)?;
            change(&mut fluid)?;
            for second in [false, false, true] {
                fluid.step()?;
                assert_eq!(fluid.second, second, "change {number}, {kind:?}");
            }
        }
        Ok(())
    }

    #[test]
    fn half_of_viscosity_acts_at_either_end_of_short_steps_and_all_of_it_at_the_end_of_long_ones() {
        assert_eq!(share_after(0.0, [1.0, 2.0]), 0.5);
        assert_eq!(share_after(1.0, [1.0, 2.0]), 1.0);
        // Twice the step, twice the way from a half.
        let [one, two] = [1e-3, 2e-3].map(|of_step| share_after(of_step, [1.0, 0.5]) - 0.5);
        assert!((two / one - 2.0).abs() < 1e-4 && (one / 4.9348e-3 - 1.0).abs() < 1e-3, "{one} {two}");
    }
}

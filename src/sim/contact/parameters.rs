//! The numbers of a step, with their units.

use crate::{Error, Result};

/// Where the contact LCP is solved, and as how many systems.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// On the GPU as one dense system.
    Dense,
    /// On the GPU, each group of bodies that touch one another as a system of its own, all in the same passes. By
    /// [`Method::Accelerated`] a contact knows those alone that it shares a body with; by [`Method::Jacobi`], and on cards with
    /// fewer than four targets or without loops, a group is a dense matrix.
    #[default]
    Groups,
    /// In f64 on the CPU, group after group, and without a matrix.
    Reference,
}

/// How the GPU solves the contact LCP.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Method {
    /// Accelerated projected gradients, until [`Parameters::tolerance`] is met; of groups in f64, and looked at after every eighth
    /// sweep.
    #[default]
    Accelerated,
    /// The paper's own: 2n sweeps of projected Jacobi, n the unknowns of the system, or of the largest group, which all take
    /// their sweeps in the same passes. Nothing is looked at on the way, so it ends wherever that is: the residual is in the
    /// report, and the laws of contact hold as far as it is small.
    Jacobi {
        /// ω, below 0; the paper has [`OMEGA`].
        omega: f64,
    },
}

/// ω of the paper's wall.
pub const OMEGA: f64 = -0.1;

/// The parameters of a step. Metres, kilograms, seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// Seconds.
    pub time_step: f64,
    /// Metres a second squared, against y.
    pub gravity: f64,
    /// μ: a contact's friction along each of its two tangents is at most μ times its normal impulse.
    pub friction: f64,
    /// ε: A's diagonal is made so much larger, as part of itself, because A is only semidefinite.
    pub regularisation: f64,
    /// How deep two bodies may lie in one another before they are pushed apart, metres.
    pub slop: f64,
    /// The part of a penetration past the slop that a step undoes.
    pub recovery: f64,
    /// How fast at most, metres a second: to push apart is to lift, and that takes energy from nowhere.
    pub recovery_speed: f64,
    /// Bodies closer than this are in contact, metres; those farther off join in once they would meet in the step.
    pub margin: f64,
    /// How it is solved there; [`Form::Reference`] has a way of its own, by Gauss–Seidel.
    pub method: Method,
    /// Where a solve of the LCP ends, but of [`Method::Jacobi`]: its residual relative to the largest velocity in its right-hand side; for each
    /// group, but in [`Form::Dense`].
    pub tolerance: f64,
    /// Where it ends at the latest.
    pub max_sweeps: usize,
    /// How often the LCP is solved in a step: each time from the last solution, which gives friction its bounds.
    pub rounds: usize,
    /// Where it is solved.
    pub form: Form,
    /// A floor at y = 0 if set.
    pub ground: bool,
}

impl Default for Parameters {
    /// For cubes of about a metre: sixty steps a second, friction as of wood.
    fn default() -> Parameters {
        Parameters {
            time_step: 1.0 / 60.0,
            gravity: 9.81,
            friction: 0.5,
            regularisation: 3e-3,
            slop: 0.002,
            recovery: 0.2,
            recovery_speed: 0.01,
            margin: 0.01,
            method: Method::Accelerated,
            tolerance: 3e-4,
            max_sweeps: 500,
            rounds: 2,
            form: Form::Groups,
            ground: true,
        }
    }
}

impl Parameters {
    /// Checks that a step is one.
    ///
    /// # Errors
    /// [`Error::BadParameter`].
    pub fn check(&self) -> Result<()> {
        let within = |name, value: f64, low: f64, high: f64| match (low..=high).contains(&value) {
            true => Ok(()),
            false => {
                let (found, expected) = (value.to_string(), format!("{low} to {high}"));
                Err(Error::BadParameter { name, found, expected })
            }
        };
        within("time step", self.time_step, 1e-6, 0.1)?;
        within("gravity", self.gravity, 0.0, 1000.0)?;
        within("friction", self.friction, 0.0, 10.0)?;
        within("regularisation", self.regularisation, 1e-7, 1.0)?;
        within("slop", self.slop, 0.0, 1000.0)?;
        within("recovery", self.recovery, 0.0, 1.0)?;
        within("recovery speed", self.recovery_speed, 0.0, 1000.0)?;
        within("margin", self.margin, 0.0, 1000.0)?;
        within("tolerance", self.tolerance, 1e-12, 0.1)?;
        if let Method::Jacobi { omega } = self.method {
            within("omega", omega, -2.0, -1e-6)?;
            if self.form == Form::Reference {
                let (found, expected) =
                    ("projected Jacobi".to_owned(), "Gauss-Seidel, as the reference is solved".to_owned());
                return Err(Error::BadParameter { name: "method", found, expected });
            }
        }
        for (name, count) in [("max sweeps", self.max_sweeps), ("rounds", self.rounds)] {
            if count == 0 {
                return Err(Error::BadParameter {
                    name,
                    found: "0".to_owned(),
                    expected: "1 or more".to_owned(),
                });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_that_make_no_step_are_refused_by_name() {
        let good = Parameters::default();
        let bad = [
            (Parameters { time_step: 0.0, ..good }, "time step"),
            (Parameters { time_step: -0.01, ..good }, "time step"),
            (Parameters { gravity: f64::NAN, ..good }, "gravity"),
            (Parameters { friction: -0.1, ..good }, "friction"),
            (Parameters { friction: f64::INFINITY, ..good }, "friction"),
            (Parameters { regularisation: 0.0, ..good }, "regularisation"),
            (Parameters { slop: -1e-3, ..good }, "slop"),
            (Parameters { recovery: 2.0, ..good }, "recovery"),
            (Parameters { recovery_speed: f64::NAN, ..good }, "recovery speed"),
            (Parameters { margin: f64::NAN, ..good }, "margin"),
            (Parameters { tolerance: 0.0, ..good }, "tolerance"),
            (Parameters { max_sweeps: 0, ..good }, "max sweeps"),
            (Parameters { rounds: 0, ..good }, "rounds"),
            (Parameters { method: Method::Jacobi { omega: 0.0 }, ..good }, "omega"),
            (Parameters { method: Method::Jacobi { omega: 0.1 }, ..good }, "omega"),
            (Parameters { method: Method::Jacobi { omega: -2.5 }, ..good }, "omega"),
            (Parameters { method: Method::Jacobi { omega: f64::NAN }, ..good }, "omega"),
            (Parameters { method: Method::Jacobi { omega: OMEGA }, form: Form::Reference, ..good }, "method"),
        ];
        assert!(good.check().is_ok());
        assert!(Parameters { method: Method::Jacobi { omega: OMEGA }, ..good }.check().is_ok());
        for (parameters, name) in bad {
            let line = parameters.check().err().map_or(String::new(), |error| error.to_string());
            assert!(line.starts_with(&format!("{name} = ")), "{name}: {line}");
        }
    }
}

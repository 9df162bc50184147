//! The parameters of a plate: how fast heat spreads, and the condition at its sides.

use crate::{Error, Result};

/// The largest β at which the weights of a step, 1 − 4β and four times β, are none of them negative.
pub const STABLE: f32 = 0.25;

/// The largest temperature, so that no difference of two is infinite.
const HOTTEST: f32 = 1e30;

/// How heat spreads over a plate of unit cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// β = κΔt/h², the share of a difference that flows in a step; above 0, at most [`STABLE`]. At 1/4 a cell becomes
    /// the mean of its four neighbours, and a step is one sweep of Jacobi's relaxation.
    pub beta: f32,
    /// The condition beyond the sides.
    pub sides: Sides,
}

/// For each side of the plate the temperature that is held one cell beyond it, in any unit; or `None`, and the side is
/// insulated. Row 0 is the top row, as in a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sides {
    /// Beyond column 0.
    pub left: Option<f32>,
    /// Beyond the last column.
    pub right: Option<f32>,
    /// Beyond row 0.
    pub top: Option<f32>,
    /// Beyond the last row.
    pub bottom: Option<f32>,
}

impl Default for Parameters {
    /// Heat goes from left to right, as fast as a step is stable.
    fn default() -> Parameters {
        Parameters { beta: STABLE, sides: Sides::HOT_TO_COLD }
    }
}

impl Parameters {
    /// Checks that no step makes a cell hotter than the hottest or colder than the coldest around it.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for β outside 0 to 1/4 and for a side that is not finite.
    pub fn check(&self) -> Result<()> {
        if !(self.beta > 0.0 && self.beta <= STABLE) {
            let (found, expected) = (self.beta.to_string(), format!("above 0, at most {STABLE}"));
            return Err(Error::BadParameter { name: "beta", found, expected });
        }
        self.sides.in_order().into_iter().flatten().try_for_each(check_temperature)
    }
}

/// Checks that a temperature is one to reckon with.
///
/// # Errors
/// [`Error::BadParameter`] unless it is a number, of 10³⁰ at most.
pub(super) fn check_temperature(found: f32) -> Result<()> {
    match found.abs() <= HOTTEST {
        true => Ok(()),
        false => {
            let (found, expected) = (found.to_string(), format!("-{HOTTEST:e} to {HOTTEST:e}"));
            Err(Error::BadParameter { name: "temperature", found, expected })
        }
    }
}

impl Sides {
    /// 1 on the left, 0 on the right, the others insulated.
    pub const HOT_TO_COLD: Sides = Sides { left: Some(1.0), right: Some(0.0), top: None, bottom: None };

    /// 0 all around.
    pub const COLD: Sides = Sides { left: Some(0.0), right: Some(0.0), top: Some(0.0), bottom: Some(0.0) };

    /// No heat gets in or out.
    pub const INSULATED: Sides = Sides { left: None, right: None, top: None, bottom: None };

    /// Left, right, top, bottom: the order of all the kernels.
    pub fn in_order(&self) -> [Option<f32>; 4] {
        [self.left, self.right, self.top, self.bottom]
    }

    /// The temperatures beyond; 0 beyond an insulated side.
    pub(super) fn beyond(&self) -> [f32; 4] {
        self.in_order().map(Option::unwrap_or_default)
    }

    /// 1 for a side that holds a temperature, 0 for an insulated one.
    pub(super) fn holds(&self) -> [f32; 4] {
        self.in_order().map(|side| f32::from(u8::from(side.is_some())))
    }
}

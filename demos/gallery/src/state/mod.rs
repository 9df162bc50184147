//! The state that a demo is saved as and goes on from, and the distance between two states.
//!
//! A state is one type: the demo's name, the step, values by the keys of parameters, named arrays. Its file is NumPy's
//! `.npz` (`files/npz.rs`).
//! Values are read by the same rules as their parameters' flags (`demo/resume.rs`), so a file cannot say anything that
//! a flag could not. Only values marked as `kept` are taken from it.
//!
//! ```text
//! Array      numbers on a grid: a .npy
//! State      the demo, the step, values by the keys of parameters, arrays by their names: a .npz
//! parts      the named arrays of a state <-> the one array that a plain .npy has
//! ```

mod parts;

use anyhow::{Context, Result, bail, ensure};
use quadrille::{Error, Gpu};
use serde_json::{Map, Value};

pub use parts::Parts;

/// Steps that a state may lie behind.
pub const MOST_STEPS: u64 = 1 << 53;

/// height × width texels of 1 to 4 components, row 0 first, a texel's components side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    pub height: usize,
    pub width: usize,
    pub components: usize,
    /// `values[(row * width + column) * components + component]`
    pub values: Vec<f32>,
}

impl Array {
    /// Confirms the shape: no size is zero, 1 to 4 components, and height × width × components values.
    ///
    /// # Errors
    /// Names the sizes and the number of values that do not agree.
    pub fn check(&self) -> Result<()> {
        let Array { height, width, components, .. } = *self;
        let count = height.checked_mul(width).and_then(|texels| texels.checked_mul(components));
        ensure!(
            height > 0 && width > 0 && (1..=4).contains(&components) && count == Some(self.values.len()),
            "an array of {height} x {width} x {components} cannot be made of {} values",
            self.values.len()
        );
        Ok(())
    }
}

/// An array by its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    pub name: String,
    /// Sizes, the last index fastest; of a single value none.
    pub shape: Vec<usize>,
    pub numbers: Numbers,
}

/// The numbers of an array.
#[derive(Clone, Debug, PartialEq)]
pub enum Numbers {
    Float32(Vec<f32>),
    Float64(Vec<f64>),
    /// Whole numbers from 0 on.
    Whole(Vec<u64>),
    /// A truth value, of a single value alone.
    Flag(bool),
    Text(String),
}

/// All that a demo needs to go on bit for bit.
///
/// In a file `demo` and `step` are single values beside the others, each a `.npy` without dimensions.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// The demo's name.
    pub demo: String,
    /// Steps since its beginning.
    pub step: u64,
    /// Numbers, texts and truth values by their keys, `time_step` for the parameter `time-step`.
    pub values: Map<String, Value>,
    pub arrays: Vec<Named>,
}

impl State {
    /// All that its file holds, in order: the demo, the step and the values without dimensions, and the arrays.
    pub fn named(&self) -> Vec<Named> {
        let single = |name: &str, numbers| Named { name: name.to_owned(), shape: Vec::new(), numbers };
        let head = [
            single("demo", Numbers::Text(self.demo.clone())),
            single("step", Numbers::Whole(vec![self.step])),
        ];
        let values = self.values.iter().filter_map(|(name, value)| {
            let numbers = match value {
                Value::Null | Value::Array(_) | Value::Object(_) => return None,
                Value::Bool(flag) => Numbers::Flag(*flag),
                Value::String(text) => Numbers::Text(text.clone()),
                Value::Number(number) => match number.as_u64() {
                    Some(whole) => Numbers::Whole(vec![whole]),
                    None => Numbers::Float64(vec![number.as_f64()?]),
                },
            };
            Some(single(name, numbers))
        });
        head.into_iter().chain(values).chain(self.arrays.iter().cloned()).collect()
    }

    /// The state of a file's arrays.
    ///
    /// # Errors
    /// No demo, or no step.
    pub fn of_named(arrays: Vec<Named>) -> Result<State> {
        let mut state = State { demo: String::new(), step: 0, values: Map::new(), arrays: Vec::new() };
        for array in arrays {
            if array.shape.is_empty() {
                state.values.insert(array.name, single(array.numbers));
            } else {
                state.arrays.push(array);
            }
        }
        let wanted = "expected a state as --save of such a name writes it";
        let mut take = |name: &str| state.values.shift_remove(name);
        match (take("demo"), take("step").and_then(|step| step.as_u64())) {
            (Some(Value::String(demo)), Some(step @ ..=MOST_STEPS)) => {
                (state.demo, state.step) = (demo, step)
            }
            (Some(Value::String(_)), _) => bail!("no step, a whole number up to 2^53; {wanted}"),
            _ => bail!("no demo, the name of one; {wanted}"),
        }
        Ok(state)
    }

    /// The array of that name, of so many dimensions.
    ///
    /// # Errors
    /// There is none, or another; a size of 0.
    pub fn array(&self, name: &str, dimensions: usize) -> Result<&Named> {
        let found = self.arrays.iter().find(|array| array.name == name);
        let found = found.with_context(|| {
            let names: Vec<&str> = self.arrays.iter().map(|array| array.name.as_str()).collect();
            format!("no array \"{name}\" of {dimensions} dimensions: there are {}", names.join(", "))
        })?;
        ensure!(
            found.shape.len() == dimensions && !found.shape.contains(&0),
            "array \"{name}\" has shape {:?}; expected {dimensions} dimensions, none of them 0",
            found.shape
        );
        Ok(found)
    }

    /// Returns true if there is an array of that name.
    pub fn has(&self, name: &str) -> bool {
        self.arrays.iter().any(|array| array.name == name)
    }

    /// The number of that name.
    ///
    /// # Errors
    /// There is none, or something else.
    pub fn number(&self, name: &str) -> Result<f64> {
        let found = self.values.get(name).and_then(Value::as_f64);
        found.with_context(|| format!("no value \"{name}\", a finite number"))
    }
}

/// A value without dimensions; what is no finite number is none.
fn single(numbers: Numbers) -> Value {
    match numbers {
        Numbers::Text(text) => text.into(),
        Numbers::Flag(flag) => flag.into(),
        Numbers::Whole(all) => all.first().copied().into(),
        Numbers::Float64(all) => all.first().copied().into(),
        Numbers::Float32(all) => all.first().copied().into(),
    }
}

impl Named {
    /// In 32 bits.
    pub fn of_f32(name: &str, shape: &[usize], values: Vec<f32>) -> Named {
        Named { name: name.to_owned(), shape: shape.to_vec(), numbers: Numbers::Float32(values) }
    }

    /// In 64 bits.
    pub fn of_f64(name: &str, shape: &[usize], values: Vec<f64>) -> Named {
        Named { name: name.to_owned(), shape: shape.to_vec(), numbers: Numbers::Float64(values) }
    }

    /// Whole numbers.
    pub fn of_whole(name: &str, shape: &[usize], values: Vec<u64>) -> Named {
        Named { name: name.to_owned(), shape: shape.to_vec(), numbers: Numbers::Whole(values) }
    }

    /// Its numbers in 32 bits, whatever they are.
    pub fn any_f32s(&self) -> Vec<f32> {
        match &self.numbers {
            Numbers::Float32(all) => all.clone(),
            Numbers::Float64(all) => all.iter().map(|&v| v as f32).collect(),
            Numbers::Whole(all) => all.iter().map(|&v| v as f32).collect(),
            Numbers::Flag(_) | Numbers::Text(_) => Vec::new(),
        }
    }

    /// Its numbers in 64 bits, whatever they are.
    pub fn any_f64s(&self) -> Vec<f64> {
        match &self.numbers {
            Numbers::Float32(all) => all.iter().map(|&v| v.into()).collect(),
            Numbers::Float64(all) => all.clone(),
            Numbers::Whole(all) => all.iter().map(|&v| v as f64).collect(),
            Numbers::Flag(_) | Numbers::Text(_) => Vec::new(),
        }
    }

    /// Its numbers in 32 bits, all finite.
    ///
    /// # Errors
    /// The first that is not, by its place.
    pub fn f32s(&self) -> Result<Vec<f32>> {
        let values = self.any_f32s();
        self.finite(values.iter().position(|v| !v.is_finite()))?;
        Ok(values)
    }

    /// Its numbers in 64 bits, all finite.
    ///
    /// # Errors
    /// The first that is not, by its place.
    pub fn f64s(&self) -> Result<Vec<f64>> {
        let values = self.any_f64s();
        self.finite(values.iter().position(|v| !v.is_finite()))?;
        Ok(values)
    }

    /// Its numbers, all whole.
    ///
    /// # Errors
    /// It holds others.
    pub fn wholes(&self) -> Result<&[u64]> {
        match &self.numbers {
            Numbers::Whole(all) => Ok(all),
            _ => bail!("array \"{}\" does not hold whole numbers from 0 on", self.name),
        }
    }

    fn finite(&self, wild: Option<usize>) -> Result<()> {
        let Some(mut at) = wild else { return Ok(()) };
        let mut place: Vec<String> = Vec::new();
        for &n in self.shape.iter().rev() {
            place.insert(0, (at % n).to_string());
            at /= n;
        }
        bail!("{}[{}] is not a finite number", self.name, place.join(", "))
    }
}

/// Confirms before it is made that a picture or an array of that size fits the GPU.
///
/// # Errors
/// A side that no texture has, and more numbers than the GPU can count. `what` begins the line.
pub fn check_size(gpu: &Gpu, what: &str, [width, height]: [u32; 2]) -> quadrille::Result<()> {
    let (side, elements) = (u64::from(gpu.limits().texture_size), u64::from(width) * u64::from(height));
    let what = format!("{what} of {width}x{height}");
    for (quantity, found, limit) in [
        ("width", width.into(), side),
        ("height", height.into(), side),
        ("number of elements", elements, MOST_ELEMENTS),
    ] {
        if found > limit {
            return Err(Error::OverLimit { what, quantity, found, limit });
        }
    }
    Ok(())
}

/// The most whole numbers that 32-bit floats tell apart.
const MOST_ELEMENTS: u64 = 1 << 24;

/// The largest of them. A NaN must not hide: it is larger than every bound.
pub fn worst(errors: impl Iterator<Item = f64>) -> f64 {
    errors.fold(0.0, |worst, error| if worst.is_nan() || error <= worst { worst } else { error })
}

#[cfg(test)]
mod tests {
    use super::worst;

    #[test]
    fn a_nan_is_worse_than_any_error_wherever_it_stands() {
        assert_eq!(worst([1.0, 3.0, 2.0].into_iter()), 3.0);
        for errors in [[f64::NAN, 1.0, 2.0], [1.0, f64::NAN, 2.0], [1.0, 2.0, f64::NAN]] {
            assert!(worst(errors.into_iter()).is_nan());
        }
    }
}

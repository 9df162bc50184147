//! Runs a kernel on the cases of an exercise, and finds out whether, where and why it is wrong.

use anyhow::{Context, Result};
use quadrille::pug::Kernel;
use quadrille::{Buffer, Error, Gpu, Program};

use super::explain::{self, Explained};
use super::told::{Case, Exercise};
use crate::files::Array;
use crate::kernel::printed;

/// Outputs hold these numbers before a kernel runs: what differs between two runs was not written.
const PRESETS: [f32; 2] = [-777.0, 41234.5];
/// Counts the points that land on a texel.
const MARK: &str = "RANGE float count; void main() { count = 1.0; }";

/// The output of a kernel for a case.
#[derive(Clone, Debug)]
pub struct Answer {
    pub result: Array,
    /// True where a texel was not written.
    pub unwritten: Vec<bool>,
    /// The result of each step before the last.
    pub before: Vec<Array>,
}

/// A kernel that may be run on cases.
pub struct Runner<'a> {
    gpu: &'a Gpu,
    exercise: &'a Exercise,
    program: Program,
    components: usize,
}

/// How a kernel did.
pub enum Verdict {
    /// It does not compile, or does not take what the cases have.
    Refused(Explained),
    Wrong(Box<Mistake>),
    Solved,
}

/// The first case whose answer is wrong.
pub struct Mistake {
    /// From 0.
    pub case: usize,
    pub answer: Answer,
    pub expected: Array,
    /// Texels that are wrong or not written.
    pub wrong: Vec<bool>,
    /// The hint for just this mistake, if it is known.
    pub hint: Option<String>,
    /// The file of the wrong kernel that gives the same answers.
    pub like: Option<String>,
}

impl<'a> Runner<'a> {
    /// Compiles a text as the answer to an exercise.
    ///
    /// # Errors
    /// Those of compiling.
    pub fn new(gpu: &'a Gpu, exercise: &'a Exercise, text: &str) -> Result<Runner<'a>, Error> {
        if exercise.points {
            let vertex = Kernel::new(exercise.file(), text);
            let program = gpu.load_scatter(vertex, Kernel::new("mark.frag", MARK))?;
            return Ok(Runner { gpu, exercise, program, components: 1 });
        }
        // The kernel alone first, so that errors are those of its own text.
        let plain = gpu.program(&exercise.file(), text)?;
        let names = plain.names();
        let components = names.outputs.first().map_or(1, |(_, components)| *components);
        let types = ["float", "vec2", "vec3", "vec4"];
        let set: String = names
            .outputs
            .iter()
            .map(|(output, components)| format!("{output} = {}(exercise_preset); ", types[components - 1]))
            .collect();
        let whole = format!(
            "{text}\n#undef main\nuniform float exercise_preset;\nvoid main() {{ {set}exercise_main(); }}\n"
        );
        let program = gpu.load(Kernel::new(exercise.file(), whole).define("main", "exercise_main"))?;
        Ok(Runner { gpu, exercise, program, components })
    }

    /// Runs all steps of a case.
    ///
    /// # Errors
    /// A stream or constant of the case that the kernel does not have; those of passes.
    pub fn answer(&mut self, case: &Case) -> Result<Answer, Error> {
        let (first, before) = self.run(case, PRESETS[0])?;
        let (second, _) = self.run(case, PRESETS[1])?;
        let components = first.components;
        let texels = first.values.chunks_exact(components).zip(second.values.chunks_exact(components));
        let unwritten = texels.map(|(a, b)| {
            a.iter().zip(b).any(|(a, b)| a.to_bits() != b.to_bits() && !(a.is_nan() && b.is_nan()))
        });
        let unwritten = unwritten.collect();
        Ok(Answer { result: first, unwritten, before })
    }

    fn run(&mut self, case: &Case, preset: f32) -> Result<(Array, Vec<Array>), Error> {
        let mut streams: Vec<(&str, Buffer)> = Vec::new();
        for (name, array) in &case.streams {
            let buffer =
                self.buffer(array.width as u32, array.height as u32, array.components, case, &array.values)?;
            streams.push((name, buffer));
        }
        for (name, buffer) in &streams {
            self.program.bind_stream(*name, buffer)?;
        }
        for (name, values) in &case.floats {
            let name = name.as_str();
            match values[..] {
                [x] => self.program.bind_float(name, x)?,
                [x, y] => self.program.bind_float(name, [x, y])?,
                [x, y, z] => self.program.bind_float(name, [x, y, z])?,
                [x, y, z, w, ..] => self.program.bind_float(name, [x, y, z, w])?,
                [] => continue,
            };
        }
        if self.program.names().constants.iter().any(|(name, _)| *name == "exercise_preset") {
            self.program.bind_float("exercise_preset", preset)?;
        }
        let (width, height) = (case.size.width, case.size.height);
        let texels = width as usize * height as usize;
        let mut before: Vec<Array> = Vec::new();
        for step in 0..case.steps {
            let begun = if self.exercise.points { 0.0 } else { preset };
            let target =
                self.buffer(width, height, self.components, case, &vec![begun; texels * self.components])?;
            if self.exercise.points {
                let points = case.streams.first().map_or(0, |(_, array)| array.width * array.height) as u32;
                self.program.onto(&[&target]).counted_points(points).adding().run()?;
            } else {
                self.program.run(&target)?;
            }
            let result = Array {
                height: height as usize,
                width: width as usize,
                components: self.components,
                values: target.data()?,
            };
            if step + 1 == case.steps {
                return Ok((result, before));
            }
            before.push(result);
            if let Some(stream) = &self.exercise.feedback {
                self.program.bind_stream(stream.as_str(), &target)?;
            }
        }
        Err(Error::BadOption { name: "steps", found: "0".into(), expected: "at least 1" })
    }

    /// A buffer for a stream or an output of a case.
    fn buffer(
        &self,
        width: u32,
        height: u32,
        components: usize,
        case: &Case,
        values: &[f32],
    ) -> Result<Buffer, Error> {
        // Results that are shorter than the arrays they are made of are a row of texels.
        let longest = case.streams.iter().map(|(_, array)| array.width).max().unwrap_or(0);
        let is_array = self.exercise.arrays && height == 1 && width as usize == longest;
        let builder = if is_array { self.gpu.array(width as usize) } else { self.gpu.buffer(width, height) };
        builder.components(components).edges(case.edges).init(values)
    }
}

/// Holds a text against all cases, or against the one that is named (from 0).
///
/// # Errors
/// A solution that does not run, or a device that fails: nothing that the learner did.
pub fn judge(gpu: &Gpu, exercise: &Exercise, text: &str, only: Option<usize>) -> Result<Verdict> {
    let mut runner = match Runner::new(gpu, exercise, text) {
        Ok(runner) => runner,
        Err(error) => return Ok(Verdict::Refused(explain::error(exercise, text, &error))),
    };
    if let Some(explained) = explain::refused_elsewhere(text) {
        return Ok(Verdict::Refused(explained));
    }
    let mut solution = Runner::new(gpu, exercise, &exercise.solution)?;
    let mut answers = Vec::new();
    let mut first = None;
    for (number, case) in exercise.cases.iter().enumerate() {
        let answer = match runner.answer(case) {
            Ok(answer) => answer,
            Err(error) => return Ok(Verdict::Refused(explain::error(exercise, text, &error))),
        };
        let expected = match &case.expect {
            Some(expect) => expect.clone(),
            None => solution.answer(case)?.result,
        };
        let wrong = wrong_texels(&answer, &expected, exercise.ulps);
        if first.is_none() && only.is_none_or(|only| only == number) && wrong.contains(&true) {
            first = Some(Mistake {
                case: number,
                answer: answer.clone(),
                expected,
                wrong,
                hint: None,
                like: None,
            });
        }
        answers.push(answer);
    }
    let Some(mut mistake) = first else { return Ok(Verdict::Solved) };
    for known in &exercise.wrong {
        let name = || format!("wrong/{}", known.file);
        let mut runner = Runner::new(gpu, exercise, &known.text).with_context(name)?;
        let mut same = true;
        for (case, answer) in exercise.cases.iter().zip(&answers) {
            let other = runner.answer(case).with_context(name)?;
            // The same texels are not written; what happens to be in them says nothing.
            let differs = wrong_texels(
                &Answer { unwritten: vec![false; other.unwritten.len()], ..answer.clone() },
                &other.result,
                exercise.ulps,
            );
            same &= answer.result.components == other.result.components
                && answer.unwritten == other.unwritten
                && differs.iter().zip(&other.unwritten).all(|(differs, unwritten)| !differs || *unwritten);
            if !same {
                break;
            }
        }
        if same {
            mistake.like = Some(known.file.clone());
            mistake.hint = (!known.hint.is_empty()).then(|| filled(&known.hint, exercise, &mistake));
            break;
        }
    }
    if mistake.hint.is_none() && mistake.like.is_none() && mistake.answer.unwritten.contains(&true) {
        let places = mistake.answer.unwritten.iter().filter(|unwritten| **unwritten).count();
        mistake.hint = Some(format!(
            "{} of {} texels were not written: every path through main() has to set the output.",
            places,
            mistake.wrong.len()
        ));
    }
    Ok(Verdict::Wrong(Box::new(mistake)))
}

/// True for each texel that is not what is expected.
pub fn wrong_texels(answer: &Answer, expected: &Array, ulps: u32) -> Vec<bool> {
    let (found, wanted) = (&answer.result, expected);
    if (found.width, found.height, found.components) != (wanted.width, wanted.height, wanted.components) {
        return vec![true; found.width * found.height];
    }
    let texels =
        found.values.chunks_exact(found.components).zip(wanted.values.chunks_exact(found.components));
    texels
        .zip(&answer.unwritten)
        .map(|((found, wanted), unwritten)| {
            *unwritten || !found.iter().zip(wanted).all(|(a, b)| alike(*a, *b, ulps))
        })
        .collect()
}

/// Returns true if two numbers are so many units in the last place apart, at most.
fn alike(found: f32, wanted: f32, ulps: u32) -> bool {
    let unit = wanted.abs().max(f32::MIN_POSITIVE) * f32::EPSILON;
    found == wanted || (found.is_nan() && wanted.is_nan()) || (found - wanted).abs() <= ulps as f32 * unit
}

/// A hint with what its braces name.
fn filled(hint: &str, exercise: &Exercise, mistake: &Mistake) -> String {
    let place = mistake.wrong.iter().position(|wrong| *wrong).unwrap_or(0);
    let width = mistake.answer.result.width.max(1);
    let (x, y) = (place % width, place / width);
    let elements =
        exercise.cases[mistake.case].streams.first().map_or(0, |(_, array)| array.width * array.height);
    let texel = if mistake.answer.result.height == 1 { x.to_string() } else { format!("({x}, {y})") };
    let wanted = match mistake.expected.components == mistake.answer.result.components {
        true => printed::element(&mistake.expected, x, y),
        false => "another number".to_owned(),
    };
    hint.replace("{i}", &texel)
        .replace("{n}", &elements.to_string())
        .replace("{last}", &elements.saturating_sub(1).to_string())
        .replace("{yours}", &printed::element(&mistake.answer.result, x, y))
        .replace("{expected}", &wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_alike_within_units_in_the_last_place() {
        let next = f32::from_bits(3.0f32.to_bits() + 1);
        for (found, wanted, ulps, same) in [
            (3.0, 3.0, 0, true),
            (next, 3.0, 0, false),
            (next, 3.0, 1, true),
            (-0.0, 0.0, 0, true),
            (f32::NAN, f32::NAN, 0, true),
            (f32::NAN, 1.0, 4, false),
            (f32::INFINITY, f32::INFINITY, 0, true),
            (f32::INFINITY, 1.0, 4, false),
        ] {
            assert_eq!(alike(found, wanted, ulps), same, "{found} {wanted} {ulps}");
        }
    }
}

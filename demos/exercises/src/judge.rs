//! Runs a kernel on the cases of an exercise, and finds out whether, where and why it is wrong.
//!
//! A [`Judging`] does so little by little, so that a page is never held up: it hands kernels over to the driver, draws, and comes back
//! for what is there. [`judge`] is the same at one go.

use anyhow::{Context, Result};
use quadrille::pug::{Compiling, Kernel, Pending};
use quadrille::{Buffer, Error, Gpu, Program};
use quadrille_gallery::printed;
use quadrille_gallery::state::Array;

use crate::explain::{self, Explained};
use crate::told::{Case, Exercise};
use crate::words::Words;

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
    /// The number of elements of a row, where the streams are arrays that are folded.
    pub folded: Option<usize>,
}

/// A kernel that may be run on cases.
pub struct Runner<'a> {
    gpu: Gpu,
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

/// Types by their numbers.
pub const TYPES: [&str; 4] = ["float", "vec2", "vec3", "vec4"];

/// A kernel with a beginning that writes `exercise_preset` to the outputs with those names and types.
fn preset<'n>(
    exercise: &Exercise,
    text: &str,
    outputs: impl IntoIterator<Item = (&'n str, &'n str)>,
) -> Kernel {
    let set = |(output, of_type)| format!("{output} = {of_type}(exercise_preset); ");
    let set: String = outputs.into_iter().map(set).collect();
    let whole = format!(
        "{text}\n#undef main\nuniform float exercise_preset;\nvoid main() {{ {set}exercise_main(); }}\n"
    );
    Kernel::new(exercise.file(), whole).define("main", "exercise_main")
}

/// [`preset`] of a learner's kernel, whose outputs are those that the driver found.
fn preset_of_program(exercise: &Exercise, text: &str, plain: &Program) -> Kernel {
    let outputs = plain.names().outputs;
    preset(exercise, text, outputs.iter().map(|(output, components)| (*output, TYPES[components - 1])))
}

/// [`preset`] of a kernel of the exercise itself, whose text says its outputs, and the components of the first.
fn preset_of_text(exercise: &Exercise, text: &str) -> (Kernel, usize) {
    let words = Words::of(text);
    let outputs = words.ranges();
    let first = outputs.first().and_then(|(_, first)| TYPES.iter().position(|known| known == first));
    (preset(exercise, text, outputs), first.map_or(1, |place| place + 1))
}

impl<'a> Runner<'a> {
    /// Compiles a text as the answer to an exercise.
    ///
    /// # Errors
    /// Those of compiling.
    pub fn new(gpu: &Gpu, exercise: &'a Exercise, text: &str) -> Result<Runner<'a>, Error> {
        let kernel = Kernel::new(exercise.file(), text);
        let (program, components) = if exercise.points {
            (gpu.load_scatter(kernel, Kernel::new("mark.frag", MARK))?, 1)
        } else {
            // The kernel alone first, so that errors are those of its own text.
            let plain = gpu.load(kernel)?;
            let components = plain.names().outputs.first().map_or(1, |(_, components)| *components);
            (gpu.load(preset_of_program(exercise, text, &plain))?, components)
        };
        Ok(Runner { gpu: gpu.clone(), exercise, program, components })
    }

    /// Compiles a kernel of the exercise itself, which is known to compile: one program, where a learner's takes two.
    fn of_exercise(gpu: &Gpu, exercise: &'a Exercise, text: &str) -> Result<Runner<'a>, Error> {
        if exercise.points {
            return Runner::new(gpu, exercise, text);
        }
        let (kernel, components) = preset_of_text(exercise, text);
        Ok(Runner { gpu: gpu.clone(), exercise, program: gpu.load(kernel)?, components })
    }

    /// Runs all steps of a case.
    ///
    /// # Errors
    /// A stream or constant of the case that the kernel does not have; those of passes.
    pub fn answer(&mut self, case: &Case) -> Result<Answer, Error> {
        self.begin(case)?.take()
    }

    /// Draws all steps of a case, and asks for what comes out.
    fn begin(&mut self, case: &Case) -> Result<Running, Error> {
        let [first, second] = PRESETS;
        let steps = self.run(case, first, case.steps)?;
        let again = self.run(case, second, 1)?;
        let folded = match case.streams.first() {
            Some((_, array)) if self.exercise.arrays => {
                Some(self.gpu.array(array.width).build()?.width() as usize)
            }
            _ => None,
        };
        Ok(Running { shape: case.size, components: self.components, steps, again, folded })
    }

    /// The results of the last so many steps.
    fn run(&mut self, case: &Case, preset: f32, kept: u32) -> Result<Vec<Pending>, Error> {
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
        let [width, height] = case.size;
        let texels = width as usize * height as usize;
        let mut results = Vec::new();
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
            if step + kept >= case.steps {
                results.push(target.data_async()?);
            }
            if let Some(stream) = &self.exercise.feedback {
                self.program.bind_stream(stream.as_str(), &target)?;
            }
        }
        Ok(results)
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

/// The results of a case, on their way from the card.
struct Running {
    shape: [u32; 2],
    components: usize,
    /// Those of all steps.
    steps: Vec<Pending>,
    /// That of the last step once more, with other numbers beforehand.
    again: Vec<Pending>,
    folded: Option<usize>,
}

impl Running {
    fn ready(&self) -> bool {
        self.steps.iter().chain(&self.again).all(Pending::ready)
    }

    fn take(self) -> Result<Answer, Error> {
        let Running { shape: [width, height], components, steps, again, folded } = self;
        let array = |values| Array { height: height as usize, width: width as usize, components, values };
        let read = |pending: Pending| pending.wait().map(array);
        let mut before = steps.into_iter().map(read).collect::<Result<Vec<Array>, Error>>()?;
        let second = again.into_iter().map(read).next_back().transpose()?;
        let (Some(result), Some(second)) = (before.pop(), second) else {
            return Err(Error::BadOption { name: "steps", found: "0".into(), expected: "at least 1" });
        };
        let texels = result.values.chunks_exact(components).zip(second.values.chunks_exact(components));
        let unwritten = texels.map(|(a, b)| {
            a.iter().zip(b).any(|(a, b)| a.to_bits() != b.to_bits() && !(a.is_nan() && b.is_nan()))
        });
        Ok(Answer { unwritten: unwritten.collect(), result, before, folded })
    }
}

/// Holds a text against all cases, or against the one that is named (from 0).
///
/// # Errors
/// A solution that does not run, or a device that fails: nothing that the learner did.
pub fn judge(gpu: &Gpu, exercise: &Exercise, text: &str, only: Option<usize>) -> Result<Verdict> {
    let mut judging = Judging::new(gpu, exercise, text, only);
    loop {
        if let Some(verdict) = judging.go_on(true)? {
            return Ok(verdict);
        }
    }
}

/// A text that is being held against the cases of an exercise.
pub struct Judging<'a> {
    gpu: Gpu,
    exercise: &'a Exercise,
    text: String,
    /// The case alone that counts, from 0.
    only: Option<usize>,
    whose: Whose,
    work: Work<'a>,
    /// The learner's answers.
    own: Vec<Answer>,
    expected: Vec<Array>,
    mistake: Option<Box<Mistake>>,
}

/// The text that is compiled or runs.
#[derive(Clone, Copy, PartialEq)]
enum Whose {
    Learner,
    Solution,
    /// A wrong answer that is known, by its place.
    Known(usize),
}

enum Work<'a> {
    Begins,
    /// With true for the last kernel that the text needs.
    Compiles(Compiling, bool),
    /// The cases, from that one on.
    Runs(Runner<'a>, usize),
    /// That case.
    Reads(Runner<'a>, usize, Running),
}

impl<'a> Judging<'a> {
    /// Begins with a text; `only` names the case alone that counts, from 0.
    pub fn new(gpu: &Gpu, exercise: &'a Exercise, text: &str, only: Option<usize>) -> Judging<'a> {
        let (gpu, text) = (gpu.clone(), text.to_owned());
        let (own, expected, mistake) = (Vec::new(), Vec::new(), None);
        Judging {
            gpu,
            exercise,
            text,
            only,
            whose: Whose::Learner,
            work: Work::Begins,
            own,
            expected,
            mistake,
        }
    }

    /// Does what can be done without waiting, at most one kernel or one case; gives the verdict at the end.
    ///
    /// # Errors
    /// A solution that does not run, or a device that fails: nothing that the learner did.
    pub fn advance(&mut self) -> Result<Option<Verdict>> {
        self.go_on(false)
    }

    /// The mistake, once it is found: its hint may still be looked for, which takes a kernel for each wrong answer that is known.
    pub fn mistake(&self) -> Option<&Mistake> {
        self.mistake.as_deref()
    }

    /// Returns true while the driver compiles: whoever gives up then leaves it a kernel that nobody takes over.
    pub fn compiles(&self) -> bool {
        matches!(self.work, Work::Compiles(..))
    }

    fn go_on(&mut self, waits: bool) -> Result<Option<Verdict>> {
        let error = match self.step(waits) {
            Ok(verdict) => return Ok(verdict),
            Err(error @ Error::ContextLost { .. }) => return Err(error.into()),
            Err(error) => error,
        };
        match self.whose {
            Whose::Learner => Ok(Some(Verdict::Refused(explain::error(self.exercise, &self.text, &error)))),
            Whose::Solution => Err(error).context("the solution"),
            Whose::Known(n) => Err(error).context(self.exercise.wrong[n].named()),
        }
    }

    fn step(&mut self, waits: bool) -> Result<Option<Verdict>, Error> {
        let (gpu, exercise) = (self.gpu.clone(), self.exercise);
        let text = match self.whose {
            Whose::Learner => &self.text,
            Whose::Solution => &exercise.solution,
            Whose::Known(n) => match exercise.wrong.get(n) {
                Some(known) => &known.text,
                None => return Ok(self.unknown()),
            },
        };
        let learners = self.whose == Whose::Learner;
        let runner = || match learners {
            true => Runner::new(&gpu, exercise, text),
            false => Runner::of_exercise(&gpu, exercise, text),
        };
        self.work = match std::mem::replace(&mut self.work, Work::Begins) {
            Work::Begins if waits => Work::Runs(runner()?, 0),
            Work::Begins => {
                let kernel = || Kernel::new(exercise.file(), text.as_str());
                let compiling = match (exercise.points, learners) {
                    (true, _) => gpu.start_scatter(&kernel(), &Kernel::new("mark.frag", MARK))?,
                    (false, true) => gpu.start(&kernel())?,
                    (false, false) => gpu.start(&preset_of_text(exercise, text).0)?,
                };
                Work::Compiles(compiling, exercise.points || !learners)
            }
            Work::Compiles(compiling, last) if !compiling.ready() => Work::Compiles(compiling, last),
            Work::Compiles(_, true) => Work::Runs(runner()?, 0),
            Work::Compiles(_, false) => {
                let plain = gpu.program(&exercise.file(), text)?;
                Work::Compiles(gpu.start(&preset_of_program(exercise, text, &plain))?, true)
            }
            Work::Runs(mut runner, number) => {
                if number == 0
                    && learners
                    && let Some(explained) = explain::refused_elsewhere(text)
                {
                    return Ok(Some(Verdict::Refused(explained)));
                }
                match exercise.cases.get(number) {
                    None => return Ok(self.ran()),
                    Some(Case { expect: Some(expect), .. }) if self.whose == Whose::Solution => {
                        self.expected.push(expect.clone());
                        Work::Runs(runner, number + 1)
                    }
                    Some(case) => {
                        let running = runner.begin(case)?;
                        Work::Reads(runner, number, running)
                    }
                }
            }
            Work::Reads(runner, number, running) if !waits && !running.ready() => {
                Work::Reads(runner, number, running)
            }
            Work::Reads(runner, number, running) => {
                let answer = running.take()?;
                match self.whose {
                    Whose::Learner => self.own.push(answer),
                    Whose::Solution => self.expected.push(answer.result),
                    Whose::Known(n) if !same(&self.own[number], &answer, exercise.ulps) => {
                        self.whose = Whose::Known(n + 1);
                        return Ok(None);
                    }
                    Whose::Known(_) => {}
                }
                Work::Runs(runner, number + 1)
            }
        };
        Ok(None)
    }

    /// A text has run on all cases.
    fn ran(&mut self) -> Option<Verdict> {
        match self.whose {
            Whose::Learner => self.whose = Whose::Solution,
            Whose::Solution => {
                self.mistake = self.first_mistake().map(Box::new);
                if self.mistake.is_none() {
                    return Some(Verdict::Solved);
                }
                self.whose = Whose::Known(0);
            }
            Whose::Known(n) => {
                let mut mistake = self.mistake.take()?;
                let known = &self.exercise.wrong[n];
                mistake.like = Some(known.file.clone());
                mistake.hint = (!known.hint.is_empty()).then(|| filled(&known.hint, self.exercise, &mistake));
                return Some(Verdict::Wrong(mistake));
            }
        }
        None
    }

    /// The first case of those that count whose answer is wrong.
    fn first_mistake(&self) -> Option<Mistake> {
        let counts = |number: usize| self.only.is_none_or(|only| only == number);
        let answers = self.own.iter().zip(&self.expected).enumerate().filter(|(number, _)| counts(*number));
        answers
            .map(|(case, (answer, expected))| {
                let wrong = wrong_texels(answer, expected, self.exercise.ulps);
                Mistake {
                    case,
                    answer: answer.clone(),
                    expected: expected.clone(),
                    wrong,
                    // In the words of a wrong answer that is known, where there is one.
                    hint: explain::half_twice(&self.text).map(|fault| fault.sentence),
                    like: None,
                }
            })
            .find(|mistake| mistake.wrong.contains(&true))
    }

    /// None of the known wrong answers is the learner's.
    fn unknown(&mut self) -> Option<Verdict> {
        let mut mistake = self.mistake.take()?;
        let places = mistake.answer.unwritten.iter().filter(|unwritten| **unwritten).count();
        mistake.hint = (places > 0).then(|| {
            let all = mistake.wrong.len();
            format!(
                "{places} of {all} texels were not written: every path through main() has to set the output."
            )
        });
        Some(Verdict::Wrong(mistake))
    }
}

/// Returns true if a learner's answer is that of a known kernel. The same texels are not written; what happens to be in them says nothing.
fn same(own: &Answer, known: &Answer, ulps: u32) -> bool {
    let written = Answer { unwritten: vec![false; known.unwritten.len()], ..own.clone() };
    let differs = wrong_texels(&written, &known.result, ulps);
    own.result.components == known.result.components
        && own.unwritten == known.unwritten
        && differs.iter().zip(&known.unwritten).all(|(differs, unwritten)| !differs || *unwritten)
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
    use crate::show;
    use crate::told::built_in;

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

    /// A text of an exercise says what the driver finds in its program.
    #[test]
    fn kernels_of_exercises_say_their_outputs_as_the_driver_does() -> Result<()> {
        let gpu = Gpu::headless()?;
        for exercise in built_in()?.iter().filter(|exercise| !exercise.points) {
            let last = exercise.wrong.last().map(|wrong| &wrong.text);
            for text in [&exercise.start, &exercise.solution].into_iter().chain(last) {
                let plain = gpu.program(&exercise.file(), text)?;
                let (by_text, components) = preset_of_text(exercise, text);
                assert_eq!(by_text.text, preset_of_program(exercise, text, &plain).text, "{}", exercise.name);
                assert_eq!(
                    plain.names().outputs.first().map(|(_, c)| *c),
                    Some(components),
                    "{}",
                    exercise.name
                );
            }
        }
        Ok(())
    }

    /// The start of each is wrong and its solution right, and of those that do not compile the sentence is the same.
    #[test]
    fn little_by_little_comes_to_the_same_verdict_as_at_one_go() -> Result<()> {
        let gpu = Gpu::headless()?;
        let exercises = built_in()?;
        let mut looks = 0;
        for name in ["double", "heat", "histogram"] {
            let exercise = exercises.iter().find(|exercise| exercise.name == name).context(name)?;
            let broken = exercise.broken.first().map_or("nonsense", |broken| &broken.text);
            let known = exercise.wrong.last().map_or("", |wrong| &wrong.text);
            for text in [&exercise.start, &exercise.solution, known, broken] {
                let mut judging = Judging::new(&gpu, exercise, text, None);
                let slowly = loop {
                    looks += 1;
                    if let Some(verdict) = judging.advance()? {
                        break verdict;
                    }
                };
                let lines = |verdict| show::verdict(exercise, &verdict, None, "");
                assert_eq!(lines(slowly), lines(judge(&gpu, exercise, text, None)?), "{name}");
            }
        }
        // A kernel, a drawing of a case and its reading are three.
        assert!(looks > 100, "{looks}");
        Ok(())
    }

    /// A page shows the mistake while the kernels of the known wrong answers are still to be compiled.
    #[test]
    fn a_mistake_is_there_before_its_hint() -> Result<()> {
        let gpu = Gpu::headless()?;
        let exercises = built_in()?;
        for name in ["double", "heat", "histogram"] {
            let exercise = exercises.iter().find(|exercise| exercise.name == name).context(name)?;
            let known = exercise.wrong.last().context(name)?;
            let mut judging = Judging::new(&gpu, exercise, &known.text, None);
            let (mut before, mut after, mut early) = (0, 0, None);
            let verdict = loop {
                let verdict = judging.advance()?;
                match judging.mistake() {
                    None if verdict.is_none() => before += 1,
                    Some(found) => {
                        assert!(found.hint.is_none(), "{name}: a hint in between");
                        early = Some((found.case, found.wrong.clone()));
                        after += 1;
                    }
                    None => {}
                }
                if let Some(verdict) = verdict {
                    break verdict;
                }
            };
            let Verdict::Wrong(found) = verdict else { anyhow::bail!("{name}: not wrong") };
            assert_eq!(early, Some((found.case, found.wrong)), "{name}");
            assert!(found.hint.is_some() && before > 0, "{name}");
            // A kernel and a case of each that is known, at least.
            assert!(after > 2 * exercise.wrong.len(), "{name}: {after}");
            let mut judging = Judging::new(&gpu, exercise, &exercise.solution, None);
            while judging.advance()?.is_none() {
                assert!(judging.mistake().is_none(), "{name}: a mistake in the solution");
            }
        }
        Ok(())
    }
}

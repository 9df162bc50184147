//! `quadrille exercise`: kernels to finish, and what is wrong with them.

mod state;
mod teach;
mod watch;

use std::path::Path;

use anyhow::Result;
use quadrille::{Api, Gpu, Options};
use quadrille_exercises::judge::{Answer, Runner, Verdict, judge};
use quadrille_exercises::progress::Stage;
use quadrille_exercises::show::{self, wrapped};
use quadrille_exercises::told::{self, Exercise};
use serde_json::{Value, json};

use crate::cli::{ExerciseArguments, ExerciseTask};
use crate::files::shown;
use crate::output::{NotSolved, Usage, say};
use state::State;

pub fn run(arguments: &ExerciseArguments) -> Result<()> {
    if let (Some(name), Some(_)) = (&arguments.name, &arguments.task) {
        let line = "an exercise is named behind its command, as in `quadrille exercise run double`";
        return Err(Usage(format!("{}: {line}", shown(name))).into());
    }
    match &arguments.task {
        None => {
            if let Some(name) = &arguments.name {
                choose(name)?;
            }
            watch::run(&Desk::open(arguments)?)
        }
        Some(ExerciseTask::Init { dir }) => init(dir),
        Some(ExerciseTask::Run { name, case, json }) => {
            Desk::open(arguments)?.check(name.as_deref(), *case, *json)
        }
        Some(ExerciseTask::List) => list(),
        Some(ExerciseTask::Hint { name }) => hint(name.as_deref()),
        Some(ExerciseTask::Next) => next(),
        Some(ExerciseTask::Reset { name }) => reset(name),
        Some(ExerciseTask::Solution { name, give_up }) => solution(name, *give_up),
        Some(ExerciseTask::CheckAll) => Desk::open(arguments)?.check_all(),
        Some(ExerciseTask::New { name }) => teach::new(Path::new(name)),
        Some(ExerciseTask::Test { dir }) => teach::test(&device(arguments)?, dir.as_deref()),
    }
}

/// OpenGL ES where there is one: it converts nothing, as the browser. A kernel that it takes runs everywhere.
fn device(arguments: &ExerciseArguments) -> Result<Gpu> {
    let chosen = arguments.context.api.is_some() || std::env::var_os("QUADRILLE_API").is_some();
    if !chosen {
        let options = Options {
            api: Some(Api::Gles),
            device: arguments.context.device.clone(),
            limits: arguments.context.limits,
        };
        if let Ok(gpu) = Gpu::headless_with(options) {
            return Ok(gpu);
        }
    }
    arguments.context.headless()
}

/// All that a check needs.
pub struct Desk {
    gpu: Gpu,
    exercises: Vec<Exercise>,
}

impl Desk {
    fn open(arguments: &ExerciseArguments) -> Result<Desk> {
        State::find()?;
        Ok(Desk { gpu: device(arguments)?, exercises: told::built_in()? })
    }

    /// Checks one exercise once.
    fn check(&self, name: Option<&str>, case: Option<usize>, as_json: bool) -> Result<()> {
        let mut state = State::find()?;
        let exercise = find(&self.exercises, name.unwrap_or(&state.progress.current))?;
        let only = match case {
            Some(case) if case == 0 || case > exercise.cases.len() => {
                let line =
                    format!("--case {case}: {} has cases 1 to {}", exercise.name, exercise.cases.len());
                return Err(Usage(line).into());
            }
            case => case.map(|case| case - 1),
        };
        let text = state.text(exercise)?;
        let verdict = judge(&self.gpu, exercise, &text, only)?;
        let solved = matches!(verdict, Verdict::Solved);
        if solved && only.is_none() {
            passed(&mut state, exercise, &text)?;
        }
        if as_json {
            say(&report(exercise, &verdict).to_string())?;
        } else {
            self.tell(exercise, &verdict, &state, only)?;
            if solved && only.is_none() {
                say("  `quadrille exercise next` goes on.")?;
            }
        }
        if solved { Ok(()) } else { Err(NotSolved.into()) }
    }

    /// Says how a kernel did.
    fn tell(&self, exercise: &Exercise, verdict: &Verdict, state: &State, only: Option<usize>) -> Result<()> {
        let done = format!("{} of {} done", state.done(&self.exercises), self.exercises.len());
        let lines = show::verdict(exercise, verdict, only, &done);
        lines.iter().try_for_each(|line| say(line))
    }

    fn check_all(&self) -> Result<()> {
        let mut state = State::find()?;
        let mut solved = 0;
        for exercise in &self.exercises {
            let text = state.text(exercise)?;
            let verdict = judge(&self.gpu, exercise, &text, None)?;
            if matches!(verdict, Verdict::Solved) {
                passed(&mut state, exercise, &text)?;
                solved += 1;
            }
            say(&show::in_a_line(exercise, &verdict))?;
        }
        say(&format!("{solved} of {} are solved", self.exercises.len()))?;
        if solved == self.exercises.len() { Ok(()) } else { Err(NotSolved.into()) }
    }
}

/// Notes that a text is right.
fn passed(state: &mut State, exercise: &Exercise, text: &str) -> Result<()> {
    state.progress.passed(exercise, text);
    state.save()
}

/// The result of a check for other programs.
fn report(exercise: &Exercise, verdict: &Verdict) -> Value {
    let mut report = json!({ "exercise": exercise.name, "solved": matches!(verdict, Verdict::Solved), "cases": exercise.cases.len() });
    match verdict {
        Verdict::Solved => {}
        Verdict::Refused(explained) => {
            report["error"] = json!({
                "line": explained.line, "column": explained.column, "sentence": explained.sentence, "driver": explained.driver,
            });
        }
        Verdict::Wrong(mistake) => {
            let width = mistake.answer.result.width;
            let place = mistake.wrong.iter().position(|wrong| *wrong).unwrap_or(0);
            report["case"] = json!(mistake.case + 1);
            report["texel"] = json!([place % width, place / width]);
            report["wrong"] = json!(mistake.wrong.iter().filter(|wrong| **wrong).count());
            report["not_written"] =
                json!(mistake.answer.unwritten.iter().filter(|unwritten| **unwritten).count());
            report["hint"] = json!(mistake.hint);
        }
    }
    report
}

fn find<'a>(exercises: &'a [Exercise], name: &str) -> Result<&'a Exercise, Usage> {
    let name = name.strip_suffix(".frag").or(name.strip_suffix(".vert")).unwrap_or(name);
    exercises.iter().find(|exercise| exercise.name == name).ok_or_else(|| {
        let names: Vec<&str> = exercises.iter().map(|exercise| exercise.name.as_str()).collect();
        Usage(format!("no exercise \"{}\": there are {}", shown(name), names.join(", ")))
    })
}

fn init(folder: &Path) -> Result<()> {
    let exercises = told::built_in()?;
    let state = State::begin(folder, &exercises)?;
    let first = find(&exercises, &state.progress.current)?;
    say(&format!("{} exercises in {}. The first one:", exercises.len(), shown(folder)))?;
    introduce(&state, first)?;
    say("  `quadrille exercise` watches the file and says what came out, each time you save it.")
}

/// The file of an exercise and its task.
fn introduce(state: &State, exercise: &Exercise) -> Result<()> {
    say(&format!("\n{}   chapter {}\n", shown(state.path(exercise)), exercise.chapter))?;
    exercise.text.trim_end().lines().try_for_each(|line| say(format!("  {line}").trim_end()))?;
    say("")
}

fn list() -> Result<()> {
    let (state, exercises) = (State::find()?, told::built_in()?);
    let mut chapter = 0;
    for exercise in &exercises {
        if exercise.chapter != chapter {
            chapter = exercise.chapter;
            say(&format!("chapter {chapter}"))?;
        }
        let mark = if exercise.name == state.progress.current { ">" } else { " " };
        let stage = state.progress.said(exercise, state.text(exercise).ok().as_deref());
        say(format!("{mark} {:<13} {stage:<14} {}", exercise.name, exercise.summary).trim_end())?;
    }
    say(&format!("{} of {} done", state.done(&exercises), exercises.len()))
}

/// The next hint of the current exercise; after the last one it is told again.
fn next_hint(state: &mut State, exercise: &Exercise) -> Result<Vec<String>> {
    let hint = state.progress.next_hint(exercise);
    state.save()?;
    Ok(wrapped(&hint, 2))
}

fn hint(name: Option<&str>) -> Result<()> {
    let (mut state, exercises) = (State::find()?, told::built_in()?);
    let current = state.progress.current.clone();
    next_hint(&mut state, find(&exercises, name.unwrap_or(&current))?)?.iter().try_for_each(|line| say(line))
}

/// Goes to the next exercise that is not done. False at the end.
fn advance(state: &mut State, exercises: &[Exercise]) -> Result<bool> {
    let goes = state.progress.advance(exercises);
    state.save()?;
    Ok(goes)
}

/// Makes an exercise the current one.
fn choose(name: &str) -> Result<()> {
    let (mut state, exercises) = (State::find()?, told::built_in()?);
    state.progress.current.clone_from(&find(&exercises, name)?.name);
    state.save()
}

fn next() -> Result<()> {
    let (mut state, exercises) = (State::find()?, told::built_in()?);
    if !advance(&mut state, &exercises)? {
        return say("No other exercise is left. `quadrille exercise check-all` looks at all of them again.");
    }
    introduce(&state, find(&exercises, &state.progress.current)?)
}

fn reset(name: &str) -> Result<()> {
    let (mut state, exercises) = (State::find()?, told::built_in()?);
    let exercise = find(&exercises, name)?;
    let kept = state.reset(exercise)?;
    let kept = kept.map_or(String::new(), |old| format!("; your text is in {}", shown(&old)));
    say(&format!("{} is as it began{kept}", shown(state.path(exercise))))
}

fn solution(name: &str, give_up: bool) -> Result<()> {
    let (mut state, exercises) = (State::find()?, told::built_in()?);
    let exercise = find(&exercises, name)?;
    let seen = state.progress.stage(&exercise.name);
    if !state.progress.may_see_solution(exercise, give_up) {
        let line = format!(
            "{name} is not done: `quadrille exercise solution {name} --give-up` shows it all the same"
        );
        return Err(Usage(line).into());
    }
    if seen == Stage::Pending {
        state.save()?;
    }
    exercise.solution.trim_end().lines().try_for_each(say)
}

/// The answer of the learner's kernel to a case, for the strip.
fn answer(gpu: &Gpu, exercise: &Exercise, text: &str, case: usize) -> Option<Answer> {
    Runner::new(gpu, exercise, text).ok()?.answer(&exercise.cases[case]).ok()
}

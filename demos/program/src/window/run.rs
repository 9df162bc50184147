//! A run in a window: the demo, how far it is, and the files it leaves.

use std::cell::RefCell;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::{Error, Result, ensure};
use quadrille::{Gpu, Rect};
use quadrille_gallery::demo::{About, Demo, Request, Source, all_values, hand_over, named, saved, stamp};
use quadrille_gallery::param::{Kept, Kind, Param, Values};
use quadrille_gallery::play::{Play, Tape, editor};
use quadrille_gallery::state::State;

use crate::demo::chosen::Chosen;
use crate::demo::record::Recorder;
use crate::demo::resume::resume;
use crate::demo::state;
use crate::files::picture::write_png;
use crate::files::{Output, atomic, grey, shown};
use crate::output;

pub struct Run {
    pub about: &'static About,
    pub demo: Box<dyn Demo>,
    recorder: Recorder,
    step: u64,
    /// Passes of the last step.
    passes: Option<u64>,
    /// Passes of all demos before it.
    before: u64,
    /// The step after which the window closes.
    limit: Option<u64>,
    /// The request that it started from.
    request: Rc<Request>,
    /// The step that a reset to the seed of a loaded state leads to, while there is one.
    loaded: Option<u64>,
    /// The file that the run began with still leads here: a reset to another seed begins elsewhere.
    based: bool,
    /// The demo began with the state before a step that was made once more: its own beginning is that.
    repeated: bool,
    /// Kernels are reloaded when their files change.
    watch: bool,
    /// The file that the equation is saved to, which is looked at too; none yet for a packed one.
    equation: Option<PathBuf>,
    /// The state that was saved last, and its file.
    saved: Option<(PathBuf, State)>,
    tape: Option<Recording>,
}

/// Pictures on their way to files, from a button.
struct Recording {
    output: Output,
    file: PathBuf,
    /// Pictures are half as wide and half as high.
    half: bool,
    /// The first error: it ends the recording, and not the run.
    failed: Option<Error>,
}

/// The parameter of demos that begin with a picture.
const IMAGE: &str = "image";

impl Run {
    pub fn new(gpu: &Gpu, chosen: &Chosen, recorder: Recorder) -> Result<Run> {
        // Kernels that were edited in the demo before are not this one's.
        editor::forget()?;
        let before = gpu.counters().passes;
        let demo = chosen.start(gpu)?;
        let step = chosen.first_step;
        let limit = chosen.arguments.steps.map(|steps| step.saturating_add(steps));
        let loaded = chosen.goes_on().then_some(step);
        let (about, request) = (chosen.about, chosen.request.clone());
        let (watch, saved, tape) = (chosen.watch, None, None);
        let equation = (watch && about.equation.is_some()).then(|| PathBuf::from(about.kernel));
        let mut run = Run {
            about,
            demo,
            recorder,
            step,
            passes: None,
            before,
            limit,
            request,
            loaded,
            based: true,
            repeated: false,
            watch,
            equation,
            saved,
            tape,
        };
        run.record()?;
        Ok(run)
    }

    /// At most that many steps, fewer at the end of the run, when the demo is over, and when they have taken `enough`; says how many.
    pub fn advance(&mut self, gpu: &Gpu, steps: u64, enough: Duration, play: &mut Play) -> Result<u64> {
        let left = self.limit.map_or(u64::MAX, |limit| limit.saturating_sub(self.step));
        let (mut made, began) = (0, Instant::now());
        for _ in 0..steps.min(left) {
            if self.demo.is_over() {
                break;
            }
            self.demo.before_step(self.step + 1)?;
            let passes = gpu.counters().passes;
            match play.strip.step(gpu, self.about, self.demo.as_mut(), self.step, play.paused) {
                // It has not been made, and the window closes.
                Err(error) if error.is::<output::Interrupted>() => break,
                made => made?,
            }
            if self.demo.solved().is_err() {
                break;
            }
            if self.follow()? {
                play.begin_again();
                break;
            }
            self.passes = Some(gpu.counters().passes - passes);
            (self.step, made) = (self.step + 1, made + 1);
            self.record()?;
            if began.elapsed() > enough {
                break;
            }
        }
        Ok(made)
    }

    /// Steps since the beginning or the last reset.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// The demo has gone to the state of that step.
    pub fn count_from(&mut self, step: u64) {
        self.step = step;
    }

    /// Passes since it began.
    pub fn passes(&self, gpu: &Gpu) -> u64 {
        gpu.counters().passes - self.before
    }

    /// Passes of the last step, if there was one.
    pub fn passes_a_step(&self) -> Option<u64> {
        self.passes
    }

    /// Returns true if it was asked for so many steps.
    pub fn has_limit(&self) -> bool {
        self.limit.is_some()
    }

    /// The file that a run to the same state begins with, and the steps from there. The state that a picture was drawn into is in no
    /// file yet: it is written.
    ///
    /// # Errors
    /// Those of the file.
    pub fn origin(&self) -> Result<(Option<PathBuf>, u64)> {
        let Some(Source { path, state }) = self.request.load.as_ref().filter(|_| self.based) else {
            return Ok((None, self.step));
        };
        let Some(state) = state else { return Ok((Some(path.clone()), self.step)) };
        let steps = self.step.saturating_sub(state.step);
        if path.extension().is_some_and(|ending| ending == "npz") {
            return Ok((Some(path.clone()), steps));
        }
        let stem = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        let written = PathBuf::from(format!("{}-{}-{stem}.npz", self.about.name, state.step));
        state::write(&written, state)?;
        Ok((Some(written), steps))
    }

    /// Returns true if all steps that were asked for are done, or there are no more.
    pub fn is_done(&self) -> bool {
        self.limit.is_some_and(|limit| self.step >= limit || self.demo.is_over())
    }

    /// Back to the initial state of that seed, and to step 0; or to what the run went on from, and its step.
    pub fn reset(&mut self, gpu: &Gpu, seed: u64) -> Result<()> {
        if self.repeated && self.based {
            let (live, begun) = (self.demo.values(), self.request.clone());
            self.start(gpu, begun.values.clone(), begun.seed, begun.load.clone(), true)?;
            self.demo.set(&live)?;
        } else if self.repeated {
            let all = self.about.anew(&self.values(), &Values::new());
            self.start(gpu, all, Some(seed).filter(|_| self.demo.uses_seed()), None, true)?;
        }
        self.demo.reset(seed)?;
        (self.step, self.based) = (0, self.request.seed_of(self.about) == seed);
        if let (Some(step), Some(Source { path, state: Some(state) })) = (self.loaded, &self.request.load)
            && self.request.seed_of(self.about) == seed
        {
            self.demo.restore(state).map_err(|error| named(path, error))?;
            self.step = step;
        }
        self.record()
    }

    /// The demo may have gone back to a beginning by itself, or by its widgets: then this is step 0, and it returns true.
    pub fn follow(&mut self) -> Result<bool> {
        let has_begun = self.demo.has_begun_anew();
        if has_begun {
            (self.step, self.loaded, self.based) = (0, None, false);
            self.record()?;
        }
        Ok(has_begun)
    }

    /// The demo was changed by a file: its description may be another.
    pub fn describe(&mut self) -> &'static About {
        self.about = self.demo.about().unwrap_or(self.about);
        self.about
    }

    /// Draws the state into that part of the window.
    pub fn draw(&mut self, place: Rect) -> Result<()> {
        self.demo.picture().draw(place)
    }

    /// The name of a file of this step in the current folder.
    fn file(&self, ending: &str) -> PathBuf {
        let stem = self.demo.file_stem().unwrap_or_else(|| self.about.name.to_owned());
        PathBuf::from(format!("{stem}-{}{ending}", self.step))
    }

    /// Writes all that the demo needs to go on, as `--save` does; says where.
    pub fn save_state(&mut self) -> Result<PathBuf> {
        let path = self.file(".npz");
        self.demo.sound()?;
        let state = saved(self.about, self.demo.as_ref(), self.step)?;
        state::write(&path, &state)?;
        self.saved = Some((path.clone(), state));
        Ok(path)
    }

    /// The step that was saved last.
    pub fn saved(&self) -> Option<u64> {
        self.saved.as_ref().map(|(_, state)| state.step)
    }

    /// Goes back to what was saved last; says whether there was anything.
    pub fn go_back(&mut self, gpu: &Gpu) -> Result<bool> {
        let Some((path, state)) = self.saved.clone() else { return Ok(false) };
        self.go_on_from(gpu, &path, state)?;
        Ok(true)
    }

    /// Goes on from the state as it is now, with what a picture draws into it.
    pub fn take_picture(&mut self, gpu: &Gpu, path: &Path) -> Result<()> {
        if self.about.param(IMAGE).is_some() {
            let image = Values::new().with(IMAGE, path.display().to_string());
            return self.begin_anew(gpu, &image, None);
        }
        let mut state = saved(self.about, self.demo.as_ref(), self.step)?;
        let image = grey::read(path, |_, _| Ok(()))?;
        stamp(self.about, &mut state, &image)?;
        self.go_on_from(gpu, path, state)
    }

    /// Goes on from that state, with the values that a state does not keep as they were asked for.
    fn go_on_from(&mut self, gpu: &Gpu, path: &Path, state: State) -> Result<()> {
        let (mut values, now) = (Values::new(), self.values());
        // A file that the state does not name, as that of a mesh, is the one that there is.
        let stays = |param: &Param| match param.kept {
            Kept::No => !is_of_size(param),
            _ => matches!(param.kind, Kind::Text) && !state.values.contains_key(&param.key()),
        };
        for param in self.about.params().filter(|param| stays(param)) {
            if let Some(value) = now.get(param.name).or(self.request.values.get(param.name)) {
                values.set(param.name, value.clone());
            }
        }
        let mut seed = None;
        resume(self.about, &mut values, &mut seed, &state, path)?;
        let step = state.step;
        let load = Some(Source { path: path.to_owned(), state: Some(state) });
        self.start(gpu, values, seed, load, true)?;
        (self.step, self.loaded) = (step, Some(step));
        Ok(())
    }

    /// Begins anew with these values in place of those that there are now.
    ///
    /// # Errors
    /// Values that make no sense together; those of the demo. The run is as it was then.
    pub fn begin_anew(&mut self, gpu: &Gpu, changed: &Values, seed: Option<u64>) -> Result<()> {
        let all = self.about.anew(&self.values(), changed);
        self.start(gpu, all, seed.filter(|_| self.demo.uses_seed()), None, false)?;
        (self.step, self.loaded) = (0, None);
        self.record()
    }

    /// Makes the last step once more, if the strip of its passes asks for that.
    pub fn again(&mut self, gpu: &Gpu, play: &mut Play, now: f64) -> Result<()> {
        let (request, seed) = (self.request.clone(), play.seed);
        let values = self.values();
        let camera = self.demo.picture().camera().copied();
        let restart = |state: State| {
            let seed = Some(seed).filter(|_| self.demo.uses_seed());
            let load = Some(Source { path: PathBuf::from("the step before"), state: Some(state) });
            self.begin(gpu, &Rc::new(again(&request, self.about.anew(&values, &Values::new()), seed, load)))
        };
        let Some((mut demo, step)) = play.again(gpu, now, restart) else { return Ok(()) };
        if let (Some(from), Some(camera)) = (camera, demo.picture().camera()) {
            *camera = from;
        }
        hand_over(self.demo.as_mut(), demo.as_mut());
        (self.demo, self.step, self.repeated) = (demo, step, true);
        self.record()
    }

    /// Starts the demo from a state of this run, which leads on from where it began all the same.
    ///
    /// # Errors
    /// Those of the state. The run is as it was then.
    pub fn stand_at(&mut self, gpu: &Gpu, seed: u64, state: State) -> Result<()> {
        let step = state.step;
        let values = self.about.back_at(&self.values(), &state);
        let seed = Some(seed).filter(|_| self.demo.uses_seed());
        let load = Some(Source { path: PathBuf::from("the state at the stroke"), state: Some(state) });
        let mut demo = self.begin(gpu, &Rc::new(again(&self.request, values, seed, load)))?;
        let camera = self.demo.picture().camera().copied();
        if let (Some(from), Some(camera)) = (camera, demo.picture().camera()) {
            *camera = from;
        }
        hand_over(self.demo.as_mut(), demo.as_mut());
        (self.demo, self.step, self.repeated) = (demo, step, true);
        Ok(())
    }

    /// The parameters as they are, and those that only the start was told.
    pub fn values(&self) -> Values {
        all_values(self.about, self.demo.as_ref(), &self.request.values)
    }

    /// Starts a demo, where it was saved if it goes on.
    fn begin(&self, gpu: &Gpu, request: &Rc<Request>) -> Result<Box<dyn Demo>> {
        self.about.refuse(request)?;
        let mut demo = self.about.begin(gpu, request)?;
        if let Some(Source { path, state: Some(state) }) = &request.load {
            demo.restore(state).map_err(|error| named(path, error))?;
        }
        match &self.equation {
            Some(file) => demo.watch(file),
            None if self.watch => demo.watch(Path::new(self.about.kernel)),
            None => {}
        }
        Ok(demo)
    }

    /// Starts the demo in place of the one that there is, seen from the same side, and in all ways as before where it is the `same` run.
    fn start(
        &mut self,
        gpu: &Gpu,
        values: Values,
        seed: Option<u64>,
        load: Option<Source>,
        same: bool,
    ) -> Result<()> {
        let request = Rc::new(again(&self.request, values, seed, load));
        let mut demo = self.begin(gpu, &request)?;
        let camera = self.demo.picture().camera().copied();
        if let (Some(from), Some(camera)) = (camera, demo.picture().camera()) {
            *camera = from;
        }
        if same {
            hand_over(self.demo.as_mut(), demo.as_mut());
        }
        (self.based, self.repeated) = (true, false);
        (self.demo, self.request, self.passes) = (demo, request, None);
        Ok(())
    }

    /// Begins a recording of a picture every so many steps; says where.
    pub fn begin_tape(&mut self, tape: Tape, every: u64, half: bool) -> Result<PathBuf> {
        let file = self.file(match tape {
            Tape::Gif => ".gif",
            Tape::Pictures => ".png",
        });
        let output = Output::create(&file, Some(every))?;
        self.tape = Some(Recording { output, file: file.clone(), half, failed: None });
        self.record_tape();
        Ok(file)
    }

    /// The file of a recording under way, and what is in it.
    pub fn tape_line(&self) -> Option<String> {
        Some(self.tape.as_ref()?.output.progress())
    }

    /// The file of a recording under way, and the error that it has ended with.
    pub fn tape(&mut self) -> Option<(&Path, Option<Error>)> {
        self.tape.as_mut().map(|tape| (tape.file.as_path(), tape.failed.take()))
    }

    /// Ends a recording, if there is one: its files, first and last.
    pub fn end_tape(&mut self) -> Result<Option<Vec<PathBuf>>> {
        let Some(tape) = self.tape.take() else { return Ok(None) };
        tape.output.finish().map(Some)
    }

    fn record_tape(&mut self) {
        let (step, demo) = (self.step, RefCell::new(&mut self.demo));
        let Some(Recording { output, half, failed, .. }) = &mut self.tape else { return };
        if failed.is_some() || !output.due(step) {
            return;
        }
        let picture = || {
            let mut demo = demo.borrow_mut();
            demo.sound()?;
            demo.prepare()?;
            let image = demo.picture().image()?;
            Ok(if *half { image.halved() } else { image })
        };
        *failed = output.frame(step, picture, || demo.borrow().numbers()).err();
    }

    /// The text that the file of the equation has now; none where there is no file.
    ///
    /// # Errors
    /// Those of reading.
    pub fn equation_text(&self) -> Result<Option<String>> {
        match self.equation.as_ref().filter(|path| path.exists()) {
            Some(path) => self.request.host.text(path).map(Some),
            None => Ok(None),
        }
    }

    /// Writes the text of the equation to its file, or to one of that `name`, which is looked at from then on; that of a packed one to a file
    /// of a new name in the current folder. Says where.
    ///
    /// # Errors
    /// Those of the file; a name that another file has.
    pub fn save_equation(&mut self, text: &str, name: Option<&str>) -> Result<PathBuf> {
        let path = match (name.map(str::trim), &self.equation) {
            (Some(name), own) => {
                ensure!(!name.is_empty(), "not saved: a file needs a name");
                let mut path = PathBuf::from(name);
                if path.extension().is_none() {
                    path.set_extension("toml");
                }
                let is_free = own.as_ref() == Some(&path) || path.symlink_metadata().is_err();
                ensure!(is_free, "not saved: {} is there already, expected another name", shown(&path));
                path
            }
            (None, Some(path)) => path.clone(),
            (None, None) => free_name(self.about.name),
        };
        atomic::write(&path, |file| Ok(file.write_all(text.as_bytes())?))?;
        self.demo.watch(&path);
        self.equation = Some(path.clone());
        Ok(path)
    }

    /// Writes curves of findings; says where.
    pub fn save_curves(&mut self, csv: &str) -> Result<PathBuf> {
        let path = self.file(".csv");
        atomic::write(&path, |file| Ok(file.write_all(csv.as_bytes())?))?;
        Ok(path)
    }

    /// Writes the picture, as `--out` does, into the current folder; says where.
    pub fn save_picture(&mut self) -> Result<PathBuf> {
        let path = self.file(".png");
        self.demo.prepare()?;
        write_png(&path, &self.demo.picture().image()?)?;
        Ok(path)
    }

    /// Writes what `--out` and `--save` ask for, and ends a recording.
    pub fn finish(mut self) -> Result<()> {
        self.end_tape()?;
        let written = self.recorder.finish(self.demo.as_mut(), self.step)?;
        written.iter().try_for_each(|path| output::say(&output::wrote(path)))?;
        self.demo.solved()
    }

    fn record(&mut self) -> Result<()> {
        if self.recorder.due(self.step) {
            self.recorder.frame(self.demo.as_mut(), self.step)?;
        }
        self.record_tape();
        Ok(())
    }
}

/// The name of a file that is not there yet: NAME.toml, else NAME-2.toml and so on.
fn free_name(name: &str) -> PathBuf {
    let stem = name.trim_end_matches(".toml");
    let more = (2..).map(|number| PathBuf::from(format!("{stem}-{number}.toml")));
    let mut all = std::iter::once(PathBuf::from(format!("{stem}.toml"))).chain(more);
    all.find(|path| path.symlink_metadata().is_err()).unwrap_or_else(|| PathBuf::from(name))
}

/// A request like that one, with other values and another beginning.
fn again(like: &Request, values: Values, seed: Option<u64>, load: Option<Source>) -> Request {
    let Request { draws, windowless, saves_one_array, ref exports, ref host, .. } = *like;
    let (exports, host) = (exports.clone(), host.clone());
    Request { values, seed, load, draws, windowless, saves_one_array, exports, host }
}

/// Returns true for a size, which a state has in its arrays.
fn is_of_size(param: &Param) -> bool {
    matches!(param.kind, Kind::Size | Kind::Size3) && param.name == "size"
}

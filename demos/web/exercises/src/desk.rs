//! The exercise that is open, its text, and the judge at work.

use anyhow::{Result, anyhow};
use quadrille::{Error, Gpu};
use quadrille_exercises::judge::{Judging, Mistake, Verdict};
use quadrille_exercises::progress::{Progress, Stage};
use quadrille_exercises::show::{self, wrapped};
use quadrille_exercises::told::{self, Exercise};

use crate::kept;
use crate::page::{self, Page};

/// Seconds without a new letter, after which the text is judged.
const QUIET: f64 = 0.4;
/// Seconds until the judge looks again for what the card has not finished.
const LOOK: f64 = 0.004;

pub struct Desk {
    pub page: Page,
    /// They live as long as the page.
    exercises: &'static [Exercise],
    open: &'static Exercise,
    gpu: Option<Gpu>,
    /// When the text is to be judged.
    due: Option<f64>,
    judging: Option<Judging<'static>>,
    /// The exercise that is judged now of all, at the end.
    all: Option<usize>,
    lines: Vec<String>,
    /// Lines that stay below all else.
    notes: Vec<String>,
    verdict: Option<Verdict>,
    /// The mistake of the text that is judged is shown, without its hint.
    hint_to_come: bool,
    /// The solution was asked for once, of an exercise that is not done.
    asked: bool,
}

impl Desk {
    /// # Errors
    /// A page without the elements that belong to it.
    pub fn open() -> Result<Desk> {
        let page = Page::new().map_err(|error| anyhow!("{error:?}"))?;
        let exercises: &'static [Exercise] = Vec::leak(told::built_in()?);
        let asked = web_sys::window().and_then(|window| window.location().search().ok()).unwrap_or_default();
        let named = |name: &str| exercises.iter().find(|exercise| exercise.name == name);
        let asked = asked.trim_start_matches('?');
        let open = named(asked).or_else(|| named(&kept::progress(exercises).0.current));
        let open = open.or(exercises.first()).ok_or_else(|| anyhow!("there are no exercises"))?;
        let gpu = Gpu::headless();
        let mut notes = Vec::new();
        if let Err(error) = &gpu {
            notes.push(format!("Nothing is checked here: {error}"));
        }
        if named(asked).is_none() && !asked.is_empty() {
            notes.push(format!("No exercise is called {asked}."));
        }
        page::say(&notes.join(" "));
        Ok(Desk {
            page,
            exercises,
            open,
            gpu: gpu.ok(),
            due: None,
            judging: None,
            all: None,
            lines: Vec::new(),
            notes,
            verdict: None,
            hint_to_come: false,
            asked: false,
        })
    }

    /// Shows the exercise that is open, and judges its text.
    pub fn begin(&mut self) {
        self.progress(|progress, open| progress.current.clone_from(&open.name));
        self.page.task(self.open);
        self.page.edit(&kept::text(self.open));
        self.page.answer("", &[]);
        self.changed(0.0);
    }

    /// The text is another one, to be judged after so many seconds.
    fn changed(&mut self, after: f64) {
        (self.asked, self.all, self.verdict) = (false, None, None);
        self.due = self.gpu.as_ref().map(|_| page::now() + after);
        match self.due {
            Some(_) => self.page.answer("busy", &["...".to_owned()]),
            None => self.page.answer("", &[]),
        }
        self.page.show(&[]);
        self.page.offer_back(kept::old_text(self.open).is_some());
    }

    /// Changes the progress that is kept, and shows it.
    fn progress<T>(&mut self, change: impl FnOnce(&mut Progress, &Exercise) -> T) -> T {
        let (mut progress, unreadable) = kept::progress(self.exercises);
        let result = change(&mut progress, self.open);
        let keeps_nothing = "This browser keeps nothing for the page: texts and progress are gone with it.";
        let refused = (!kept::keep_progress(&progress)).then(|| keeps_nothing.to_owned());
        for note in unreadable.into_iter().chain(refused) {
            if !self.notes.contains(&note) {
                self.notes.push(note);
                page::say(&self.notes.join(" "));
            }
        }
        self.page.list(self.exercises, &progress, self.open);
        self.page.name_hint(progress.hints(&self.open.name), self.open.hints.len());
        result
    }

    /// Seconds until [`Desk::tick`] has something to do.
    pub fn wait(&self) -> Option<f64> {
        match (&self.judging, self.due) {
            (Some(_), _) => Some(LOOK),
            (None, due) => due.map(|due| (due - page::now()).max(0.0)),
        }
    }

    /// Judges a little, if there is something to judge.
    pub fn tick(&mut self) {
        let compiles = self.judging.as_ref().is_some_and(Judging::compiles);
        if self.due.is_some_and(|due| due <= page::now()) && !compiles {
            // A run over all that is under way ends here: the verdict to come is that of the open text.
            (self.due, self.all, self.hint_to_come) = (None, None, false);
            let text = self.page.text.value();
            self.judging = self.gpu.as_ref().map(|gpu| Judging::new(gpu, self.open, &text, None));
        }
        let Some(judging) = &mut self.judging else { return };
        match judging.advance() {
            Ok(None) => self.tell_mistake(),
            Ok(Some(verdict)) => self.judged(verdict),
            Err(error) => {
                (self.judging, self.all) = (None, None);
                // A context that was lost stays lost; another one may be had.
                if matches!(error.downcast_ref(), Some(Error::ContextLost { .. })) {
                    self.gpu = Gpu::headless().ok();
                    self.due = self.gpu.as_ref().map(|_| page::now() + 1.0);
                }
                if self.due.is_none() {
                    self.page.answer("", &[]);
                }
                page::say(&format!("{error:#}"));
            }
        }
    }

    fn judged(&mut self, verdict: Verdict) {
        self.judging = None;
        if let Some(number) = self.all {
            return self.judged_of_all(number, verdict);
        }
        // Typed since: it is said of the text that is there.
        if self.due.is_some() {
            return;
        }
        page::say(&self.notes.join(" "));
        self.tell(verdict);
    }

    /// The mistake of the open text whose hint is still looked for.
    fn unexplained(&self) -> Option<&Mistake> {
        // Typed since, or one of all at the end: another text is there.
        if self.due.is_some() || self.all.is_some() {
            return None;
        }
        self.judging.as_ref()?.mistake()
    }

    /// Says the mistake of the open text as soon as it is found; its hint takes longer.
    fn tell_mistake(&mut self) {
        let Some(mistake) = self.unexplained().filter(|_| !self.hint_to_come) else { return };
        let done = kept::done(&kept::progress(self.exercises).0, self.exercises);
        let mut lines = show::mistake(self.open, mistake, &self.done(done));
        lines.push("  ...".to_owned());
        page::say(&self.notes.join(" "));
        self.page.answer("wrong unexplained", &lines);
        self.hint_to_come = true;
    }

    fn done(&self, done: usize) -> String {
        format!("{done} of {} done", self.exercises.len())
    }

    /// Says how the open text did.
    fn tell(&mut self, verdict: Verdict) {
        let (exercises, text) = (self.exercises, self.page.text.value());
        let done = self.progress(|progress, open| {
            if matches!(verdict, Verdict::Solved) {
                progress.passed(open, &text);
            }
            kept::done(progress, exercises)
        });
        let done = self.done(done);
        let (class, line) = match &verdict {
            Verdict::Solved => ("solved", 0),
            Verdict::Wrong(_) => ("wrong", 0),
            Verdict::Refused(explained) => ("refused", explained.line),
        };
        self.page.answer(class, &show::verdict(self.open, &verdict, None, &done));
        self.page.mark(line);
        self.verdict = Some(verdict);
    }

    /// Says how an exercise did at the end, and goes on with the next one.
    fn judged_of_all(&mut self, number: usize, verdict: Verdict) {
        self.lines.push(show::in_a_line(&self.exercises[number], &verdict));
        if self.exercises[number].name == self.open.name {
            self.tell(verdict);
        }
        self.all = Some(number + 1);
        match (self.exercises.get(number + 1), &self.gpu) {
            (Some(next), Some(gpu)) => self.judging = Some(Judging::new(gpu, next, &kept::text(next), None)),
            _ => {
                let solved = self.lines.iter().filter(|line| line.ends_with(" solved")).count();
                self.lines.push(format!("{solved} of {} are solved", self.exercises.len()));
                self.all = None;
            }
        }
        self.page.show(&self.lines);
    }

    pub fn typed(&mut self) {
        kept::keep_text(self.open, &self.page.text.value());
        self.page.number();
        self.page.mark(0);
        self.changed(QUIET);
    }

    /// Another exercise was chosen from the list.
    pub fn chosen(&mut self) {
        let name = self.page.which.value();
        if let Some(open) = self.exercises.iter().find(|exercise| exercise.name == name) {
            self.go_to(open);
        }
    }

    fn go_to(&mut self, open: &'static Exercise) {
        self.open = open;
        if self.gpu.is_some() {
            self.notes.clear();
            page::say("");
        }
        page::show_address(&open.name);
        self.page.mark(0);
        self.begin();
    }

    pub fn hint(&mut self) {
        let hint = self.progress(|progress, open| progress.next_hint(open));
        self.page.show(&wrapped(&hint, 0));
    }

    /// Shows the numbers of the case that is wrong, or of the first one.
    pub fn numbers(&mut self) {
        let mistake = match &self.verdict {
            Some(Verdict::Wrong(mistake)) => Some(&**mistake),
            _ => self.unexplained(),
        };
        let mut lines = show::inputs(&self.open.cases[mistake.map_or(0, |mistake| mistake.case)]);
        lines.extend(mistake.into_iter().flat_map(|mistake| show::strip(&mistake.answer)));
        self.page.show(&lines);
    }

    /// Begins the exercise again; the text that was there is kept.
    pub fn reset(&mut self) {
        let text = self.page.text.value();
        if text != self.open.start {
            kept::keep_old_text(self.open, &text);
        }
        self.progress(|progress, open| progress.forget(open));
        self.put(&self.open.start);
    }

    /// Brings the text back that was there before the beginning.
    pub fn back(&mut self) {
        let Some(old) = kept::old_text(self.open) else { return };
        kept::keep_old_text(self.open, &self.page.text.value());
        self.put(&old);
    }

    fn put(&mut self, text: &str) {
        kept::keep_text(self.open, text);
        self.page.edit(text);
        self.page.mark(0);
        self.changed(0.0);
    }

    /// Shows the solution: of an exercise that is not done to whoever asks twice.
    pub fn solution(&mut self) {
        let gives_up = std::mem::replace(&mut self.asked, true);
        if self.progress(|progress, open| progress.may_see_solution(open, gives_up)) {
            self.page.show(&self.open.solution.lines().map(str::to_owned).collect::<Vec<_>>());
        } else {
            let line =
                format!("{} is not done. Press Solution once more to see it all the same.", self.open.name);
            self.page.show(&[line]);
        }
    }

    /// Goes to the next exercise that is not done; at the end all are judged once more.
    pub fn next(&mut self) {
        let exercises = self.exercises;
        let (goes, name) = self.progress(|progress, open| {
            progress.current.clone_from(&open.name);
            (progress.advance(exercises), progress.current.clone())
        });
        if let Some(next) = self.exercises.iter().find(|exercise| goes && exercise.name == name) {
            return self.go_to(next);
        }
        let open = self.progress(|progress, open| progress.stage(&open.name) == Stage::Pending);
        self.lines = vec![match open {
            true => "No other exercise is left. All of them once more:".to_owned(),
            false => "All are done. All of them once more:".to_owned(),
        }];
        self.page.show(&self.lines);
        if let (Some(first), Some(gpu)) = (self.exercises.first(), &self.gpu) {
            self.judging = Some(Judging::new(gpu, first, &kept::text(first), None));
            // The open text is one of them, and is told of when its turn comes.
            (self.all, self.due) = (Some(0), None);
        }
    }
}

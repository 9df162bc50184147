//! Watching the current exercise: its contents are compared four times a second, because events of file systems get lost on
//! network drives and with editors that replace files.

use std::io::Read;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use anyhow::Result;
use quadrille_exercises::judge::{Verdict, judge};
use quadrille_exercises::show;

use super::state::State;
use super::{Desk, advance, answer, find, introduce, list, next_hint, passed};
use crate::interrupt;
use crate::output::{Usage, say};

const LOOK: Duration = Duration::from_millis(250);

/// Checks the current exercise whenever its file changes, until q or Ctrl-C.
///
/// # Errors
/// Errors of the files and of the device; [`Usage`] where the input ends.
pub fn run(desk: &Desk) -> Result<()> {
    interrupt::note(|| {});
    let _keys_at_once = Keys::at_once();
    let keys = keys();
    let mut seen: Option<(String, String)> = None;
    let mut failed = 0;
    introduce(&State::find()?, find(&desk.exercises, &State::find()?.progress.current)?)?;
    while !interrupt::asked() {
        let mut state = State::find()?;
        let exercise = find(&desk.exercises, &state.progress.current)?;
        // A file that is being replaced is not there for a moment.
        let text = state.text(exercise).ok();
        if let Some(text) = text.filter(|text| seen.as_ref() != Some(&(exercise.name.clone(), text.clone())))
        {
            let verdict = judge(&desk.gpu, exercise, &text, None)?;
            failed = match &verdict {
                Verdict::Wrong(mistake) => mistake.case,
                _ => 0,
            };
            if matches!(verdict, Verdict::Solved) {
                passed(&mut state, exercise, &text)?;
            }
            say("")?;
            desk.tell(exercise, &verdict, &state, None)?;
            let hints = (state.progress.hints(&exercise.name), exercise.hints.len());
            say(&format!(
                "  [h]int {}/{}  [i]nputs  [s]trip  [r]un  [n]ext  [l]ist  [q]uit",
                (hints.0 + 1).min(hints.1),
                hints.1
            ))?;
            seen = Some((exercise.name.clone(), text));
        }
        match keys.recv_timeout(LOOK) {
            Ok(b'q') => return Ok(()),
            Ok(b'h') => next_hint(&mut state, exercise)?.iter().try_for_each(|line| say(line))?,
            Ok(b'i') => show::inputs(&exercise.cases[failed]).iter().try_for_each(|line| say(line))?,
            Ok(b's') => {
                let answer = answer(&desk.gpu, exercise, &state.text(exercise)?, failed);
                show::inputs(&exercise.cases[failed]).iter().try_for_each(|line| say(line))?;
                let strip = answer
                    .map_or(vec!["  The kernel does not run yet.".to_owned()], |answer| show::strip(&answer));
                strip.iter().try_for_each(|line| say(line))?;
            }
            Ok(b'r') => seen = None,
            Ok(b'n') => match advance(&mut state, &desk.exercises)? {
                true => introduce(&state, find(&desk.exercises, &state.progress.current)?)?,
                false => {
                    say("No other exercise is left. All of them once more:")?;
                    return desk.check_all();
                }
            },
            Ok(b'l') => list()?,
            Ok(_) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                let line = "the input has ended, and no key can end the watching: `quadrille exercise run` checks once";
                return Err(Usage(line.to_owned()).into());
            }
        }
    }
    Ok(())
}

/// The typed keys, letter by letter.
fn keys() -> Receiver<u8> {
    let (send, receive) = channel();
    thread::spawn(move || {
        for key in std::io::stdin().lock().bytes().map_while(Result::ok) {
            if send.send(key.to_ascii_lowercase()).is_err() {
                return;
            }
        }
    });
    receive
}

/// A terminal that hands over each key without waiting for Enter; at the end it is as it was.
struct Keys {
    #[cfg(unix)]
    before: Option<nix::sys::termios::Termios>,
}

impl Keys {
    #[cfg(unix)]
    fn at_once() -> Keys {
        use nix::sys::termios::{LocalFlags, SetArg, tcgetattr, tcsetattr};
        let stdin = std::io::stdin();
        let before = tcgetattr(&stdin).ok();
        if let Some(before) = &before {
            let mut now = before.clone();
            now.local_flags.remove(LocalFlags::ICANON | LocalFlags::ECHO);
            // Where that is refused, keys come with Enter.
            let _ = tcsetattr(&stdin, SetArg::TCSANOW, &now);
        }
        Keys { before }
    }

    #[cfg(not(unix))]
    fn at_once() -> Keys {
        Keys {}
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(before) = &self.before {
            use nix::sys::termios::{SetArg, tcsetattr};
            let _ = tcsetattr(std::io::stdin(), SetArg::TCSANOW, before);
        }
    }
}

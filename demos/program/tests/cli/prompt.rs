//! The prompt of `quadrille script`, typed at through a terminal that `script(1)` of util-linux pretends; without it there
//! is no test.
#![cfg(target_os = "linux")]

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use crate::program::{Outcome, Program};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// How long a screen may say nothing: much longer than anything takes, so that only what hangs meets it.
const PATIENCE: Duration = Duration::from_secs(600);

/// A terminal with the program in it.
struct Terminal {
    child: Child,
    keys: ChildStdin,
    screen: Receiver<Vec<u8>>,
    /// The output since the last key.
    seen: String,
    /// The output between what was waited for and the last prompt.
    before: String,
}

impl Terminal {
    /// Opens it in the program's folder, which is also the home; `None` where there is no `script(1)`.
    fn open(program: &Program) -> Result<Option<Terminal>> {
        let mut command = Command::new("script");
        // A shell that stayed between would take Ctrl-C for its own end: dash does.
        command.args(["-qec", concat!("exec ", env!("CARGO_BIN_EXE_quadrille"), " script"), "/dev/null"]);
        command.current_dir(program.path("")).env("HOME", program.path("")).env("TERM", "xterm");
        command.env_remove("XDG_STATE_HOME").env("NO_COLOR", "1");
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let Ok(mut child) = spawned else { return Ok(None) };
        let keys = child.stdin.take().ok_or("no keyboard")?;
        let mut output = child.stdout.take().ok_or("no screen")?;
        let (sender, screen) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                if sender.send(bytes[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        let mut terminal = Terminal { child, keys, screen, seen: String::new(), before: String::new() };
        terminal.wait_for("> ")?;
        Ok(Some(terminal))
    }

    /// Waits until the screen has shown that since the last key.
    fn wait_for(&mut self, words: &str) -> Result<()> {
        while !self.seen.contains(words) {
            let bytes =
                self.screen.recv_timeout(PATIENCE).map_err(|_| format!("no {words:?} in {:?}", self.seen))?;
            self.seen += &String::from_utf8_lossy(&bytes);
        }
        Ok(())
    }

    /// Types, waits for what is to come of it, and then for the next prompt.
    fn types(&mut self, keys: impl AsRef<[u8]>, shown: &str) -> Result<()> {
        self.seen.clear();
        self.keys.write_all(keys.as_ref())?;
        self.keys.flush()?;
        self.prompts_after(shown)
    }

    /// Waits for that, and then for the next prompt.
    fn prompts_after(&mut self, shown: &str) -> Result<()> {
        self.wait_for(shown)?;
        let after = self.seen.find(shown).unwrap_or_default() + shown.len();
        self.seen.drain(..after);
        // Input that is typed before the terminal listens again is lost; it says so when it does.
        self.wait_for("> ")?;
        self.before.clone_from(&self.seen);
        Ok(())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_prompt_answers_goes_on_after_mistakes_and_remembers() -> Outcome {
    let program = Program::new()?;
    let Some(mut terminal) = Terminal::open(&program)? else { return Ok(()) };
    terminal.types("A = [1 2\r", "A = [1 2")?;
    terminal.types("3 4]; print sum(A)\r", "10\r\n")?;
    terminal.types(
        "A * [1 2 3]\r",
        "<prompt>:1:1: the shapes do not fit `*`: found 2 x 2 and 1 x 3, expected 1 column on",
    )?;
    terminal.types("zeros(3, \x03", "\r\n")?;
    terminal.types("zeros(3,\r", "zeros(3,")?;
    terminal.types("\x04", "\r\n")?;
    terminal.types("help norm\r", "norm(A)  root of the sum of squares")?;
    terminal.types("x = A * A; who\r", "`who` has no value")?;
    terminal.types("who\r", "A  2 x 2\r\n")?;
    terminal.types("help;\r", "At the prompt:")?;
    terminal.types("save(\"a.csv\", A)\r", "\r\n")?;
    assert_eq!(program.bytes("a.csv")?, b"1,2\n3,4\n", "it is there at once");
    terminal.types("\x1b[A\x1b[A\x1b[A\r", "A  2 x 2\r\n")?;
    terminal.keys.write_all(b"\x04")?;
    assert_eq!(terminal.child.wait()?.code(), Some(0));
    let history = std::fs::read_to_string(program.path(".local/state/quadrille/script-history"))?;
    assert!(history.contains("save(\"a.csv\", A)") && history.contains("A = [1 2\\n3 4]"), "{history}");
    Ok(())
}

#[test]
fn neither_strange_bytes_nor_an_interrupted_solve_cost_the_variables() -> Outcome {
    let program = Program::new()?;
    let Some(mut terminal) = Terminal::open(&program)? else { return Ok(()) };
    terminal
        .types("n = 300; i = random(n, n); A = i * i' + 1e-3 * identity(n); b = random(n, 1)\r", "\r\n")?;
    terminal.types(b"abc\xff", "<prompt>: found a byte that is not UTF-8")?;
    loop {
        terminal.seen.clear();
        terminal.keys.write_all(b"print 1 + 1; x = solve(A, b, 1e-30)\r")?;
        terminal.wait_for("\r\n2\r\n")?;
        terminal.keys.write_all(b"\x03")?;
        terminal.prompts_after("interrupted: stops after this operation")?;
        // It may have come in time for the check before the statement that is meant.
        match terminal.before.contains("interrupted before this statement") {
            true => {}
            false => {
                break assert!(terminal.before.contains("solve: interrupted after "), "{}", terminal.before);
            }
        }
    }
    terminal.types("who\r", "A  300 x 300\r\n")?;
    terminal.seen.clear();
    terminal.keys.write_all(b"quit()\r")?;
    assert_eq!(terminal.child.wait()?.code(), Some(0));
    Ok(())
}

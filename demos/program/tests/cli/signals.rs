//! Programs that are interrupted: what is waited for is what can be observed of them, never time.
#![cfg(target_os = "linux")]

use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, SystemTime};

use crate::program::{Outcome, Program};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// A program that runs, and what it says on stderr.
pub struct Running {
    child: Child,
    err: BufReader<ChildStderr>,
}

impl Running {
    pub fn start(command: &mut Command) -> Result<Running> {
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let err = BufReader::new(child.stderr.take().ok_or("no stderr")?);
        Ok(Running { child, err })
    }

    /// Starts it and waits until it has a handler for SIGINT.
    pub fn listening(command: &mut Command) -> Result<Running> {
        let mut running = Running::start(command)?;
        running.until(|id| {
            let status = std::fs::read_to_string(format!("/proc/{id}/status"))?;
            let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).ok_or("no SigCgt")?;
            Ok(u64::from_str_radix(caught.trim(), 16)? & 1 << 1 != 0)
        })?;
        Ok(running)
    }

    /// Waits until its process, by its number, is seen to have come so far. A program that ends before is an error.
    pub fn until(&mut self, mut seen: impl FnMut(u32) -> Result<bool>) -> Outcome {
        loop {
            if seen(self.child.id()).unwrap_or(false) {
                return Ok(());
            }
            if let Some(status) = self.child.try_wait()? {
                let mut words = String::new();
                self.err.read_to_string(&mut words)?;
                return Err(format!("it ended early, with {status}: {words}").into());
            }
            sleep(Duration::from_millis(5));
        }
    }

    /// Waits until it has computed so many hundredths of a second, however long that takes beside other programs.
    fn until_it_has_worked(&mut self, hundredths: u64) -> Outcome {
        self.until(|id| {
            let stat = std::fs::read_to_string(format!("/proc/{id}/stat"))?;
            let after_name = stat.rsplit_once(") ").ok_or("no name")?.1;
            let times: Vec<u64> = after_name
                .split(' ')
                .skip(11)
                .take(2)
                .map(str::parse)
                .collect::<std::result::Result<_, _>>()?;
            Ok(times.iter().sum::<u64>() >= hundredths)
        })
    }

    pub fn signal(&self, signal: &str) -> Outcome {
        let sent = Command::new("kill").args([signal, &self.child.id().to_string()]).status()?;
        if sent.success() { Ok(()) } else { Err("kill".into()) }
    }

    /// The next line of stderr; empty at its end.
    pub fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        self.err.read_line(&mut line)?;
        Ok(line)
    }

    /// Waits for its end: its exit status, none after a signal, and the rest of what it says.
    pub fn ended(mut self) -> Result<(Option<i32>, String)> {
        let mut rest = String::new();
        self.err.read_to_string(&mut rest)?;
        Ok((self.child.wait()?.code(), rest))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A kernel that keeps the driver's compiler busy for seconds.
fn long_to_compile() -> String {
    let step =
        |k: usize| format!("    x = sin(x * {k}.5 + vec4(x.yzw, {k}.25)) * fract(x.wzyx + {k}.125);\n");
    let steps: String = (1..=200).map(step).collect();
    format!("DOMAIN at;\nRANGE vec4 r;\nvoid main() {{\n    vec4 x = at.xyxy;\n{steps}    r = x;\n}}\n")
}

/// Handlers of the exit take down the compiler while it works, so they must not be run: that of each library is reported by the
/// loader of glibc, if it is asked to.
#[cfg(target_env = "gnu")]
#[test]
fn a_second_interruption_ends_a_run_that_compiles_by_status_130_and_without_handlers_of_the_exit() -> Outcome
{
    let program = Program::new()?;
    std::fs::write(program.path("long.frag"), long_to_compile())?;
    std::fs::write(program.path("short.frag"), "RANGE float r; void main() { r = 1.0; }")?;
    let reports = tempfile::tempdir()?;
    let command = |name: &str| {
        let mut command = program.command(&format!("kernel {name} --size 8x8 --out a.npy"));
        command.env("LD_DEBUG", "files").env("LD_DEBUG_OUTPUT", reports.path().join("ld"));
        command.env("MESA_SHADER_CACHE_DISABLE", "true");
        command
    };
    let handlers = |id: u32| -> Result<usize> {
        let report = std::fs::read(reports.path().join(format!("ld.{id}")))?;
        Ok(String::from_utf8_lossy(&report).matches("calling fini").count())
    };
    let short = Running::start(&mut command("short.frag"))?;
    let id = short.child.id();
    assert_eq!(short.ended()?, (Some(0), String::new()));
    assert!(handlers(id)? > 10, "a run that ends by itself runs them");
    std::fs::remove_file(program.path("a.npy"))?;
    let heard = "interrupted: stops after this run of the kernel; Ctrl-C once more ends it at once\n";
    for worked in (50..).step_by(50) {
        let mut long = Running::listening(&mut command("long.frag"))?;
        let id = long.child.id();
        long.until_it_has_worked(worked)?;
        long.signal("-INT")?;
        assert_eq!(long.line()?, heard);
        long.signal("-INT")?;
        let (status, rest) = long.ended()?;
        assert_eq!(status, Some(130), "{rest}");
        assert_eq!(program.files()?, ["long.frag", "short.frag"]);
        // Before the kernel runs it ends by itself.
        if rest.is_empty() {
            assert_eq!(handlers(id)?, 0);
            break;
        }
    }
    Ok(())
}

#[test]
fn the_first_interruption_is_heard_at_once() -> Outcome {
    let program = Program::new()?;
    let kernel = "uniform Stream a; DOMAIN c; RANGE float r; void main() { r = value2(a, c).x + 1.0; }";
    std::fs::write(program.path("inc.frag"), kernel)?;
    std::fs::write(program.path("a.npy"), crate::program::npy("2, 2", [0.0; 4]))?;
    std::fs::write(program.path("in.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 1\nf 1 2 3\nf 2 4 3\n")?;
    std::fs::write(
        program.path("s"),
        "n = 300; i = random(n, n); A = i * i' + 1e-3 * identity(n); b = random(n, 1)\nx = solve(A, b, 1e-30)\n",
    )?;
    let line: String = (1..=3000).map(|i| format!("{i} {i} 2\n{} {i} -1\n", i + 1)).collect();
    let size = "%%MatrixMarket matrix coordinate real symmetric\n3001 3001 6001\n";
    std::fs::write(program.path("line.mtx"), format!("{size}{line}3001 3001 2\n"))?;
    let before = program.files()?;
    for (arguments, part) in [
        (
            "kernel inc.frag --stream a=a.npy --feedback a --iterate 1000000000 --out b.npy",
            "this run of the kernel",
        ),
        ("smooth in.obj out.obj --steps 1000000000 --boundary flowing", "this step"),
        ("solve line.mtx --max-iterations 1000000000 --tolerance 1e-15 --out x.mtx", "these iterations"),
        ("script s", "this operation"),
    ] {
        loop {
            let mut running = Running::listening(&mut program.command(arguments))?;
            running.signal("-INT")?;
            let first = running.line()?;
            let (status, last) = running.ended()?;
            assert_eq!(status, Some(130), "{arguments}: {first}{last}");
            assert_eq!(program.files()?, before, "{arguments}");
            // Work that is done at once, such as reading, ends there and then, and says that.
            if first.starts_with("quadrille: interrupted while ") {
                continue;
            }
            assert_eq!(first, format!("interrupted: stops after {part}; Ctrl-C once more ends it at once\n"));
            assert!(last.contains("interrupted "), "{last}");
            break;
        }
    }
    Ok(())
}

#[test]
fn drafts_of_a_killed_run_are_swept_by_the_next_and_those_of_the_living_are_not() -> Outcome {
    let program = Program::new()?;
    let long = "demo reaction-diffusion --headless --size 8x8 --steps 100000000 --every 50000000 --out";
    let drafts = || -> Result<Vec<String>> {
        let names = program.files()?.into_iter();
        Ok(names.filter(|name| name.starts_with(".quadrille-") && name.ends_with(".part")).collect())
    };
    let mut killed = Running::start(&mut program.command(&format!("{long} killed.gif")))?;
    killed.until(|_| Ok(drafts()?.len() == 1))?;
    killed.signal("-KILL")?;
    assert_eq!(killed.ended()?.0, None);
    assert_eq!(drafts()?.len(), 1, "nobody could remove it");
    let short = "demo reaction-diffusion --headless --size 8x8 --steps 1 --save a.npy";
    program.succeed(short)?;
    assert_eq!(drafts()?.len(), 1, "of today: where locks are each machine's own, it may be somebody's");
    let yesterday = SystemTime::now() - Duration::from_secs(25 * 60 * 60);
    for draft in drafts()? {
        File::options().write(true).open(program.path(&draft))?.set_modified(yesterday)?;
    }
    program.succeed(short)?;
    assert_eq!(drafts()?, [""; 0]);
    let mut living = Running::start(&mut program.command(&format!("{long} living.gif")))?;
    living.until(|_| Ok(drafts()?.len() == 1))?;
    let of_the_living = drafts()?;
    program.succeed(short)?;
    assert_eq!(drafts()?, of_the_living);
    living.signal("-INT")?;
    living.ended()?;
    assert_eq!(program.files()?, ["a.npy"]);
    Ok(())
}

#[test]
fn a_second_interruption_takes_its_drafts_along() -> Outcome {
    let program = Program::new()?;
    // A step of minutes that looks at nothing on its way.
    let long =
        "demo wall --headless --columns 60 --rows 10 --form dense --steps 1000 --every 500 --out a.gif";
    let mut running = Running::start(&mut program.command(long))?;
    running.until(|_| Ok(!program.files()?.is_empty()))?;
    running.signal("-INT")?;
    running.signal("-INT")?;
    assert_eq!(running.ended()?.0, Some(130));
    assert_eq!(program.files()?, [""; 0]);
    Ok(())
}

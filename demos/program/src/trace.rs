//! `quadrille trace`: any command, and the passes that it was.

mod compare;
mod plan;

use std::ffi::OsString;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Result, bail};
use clap::Parser as _;
use quadrille::trace::{Recorder, Trace, Watch};
use serde_json::Value;

use crate::cli::{Cli, Command, TraceArguments};
use crate::costs;
use crate::files::{Written, atomic, check_extension, distinct};
use crate::output::{self, Usage};

/// Runs the command that is traced by `perform`, then writes and prints what was asked for, even if the command failed.
///
/// # Errors
/// [`Usage`] for what cannot be traced; those of the command; those of the files.
pub fn run(arguments: &TraceArguments, perform: &dyn Fn(Command) -> Result<()>) -> Result<()> {
    if let Some([one, other]) = arguments.compare.as_deref() {
        return compare::run(one, other);
    }
    let command = traced(arguments)?;
    check_files(arguments)?;
    let earlier = arguments.against.as_deref().map(compare::read).transpose()?;
    let (outcome, recorder) = Recorder::of_first(watch(arguments), || perform(command));
    let Some(recorder) = recorder else {
        outcome?;
        bail!("trace: the command drew nothing: it opened no context");
    };
    let wants_floors = arguments.plan || arguments.page.is_some() || arguments.json.is_some();
    let measured = wants_floors.then(|| costs::floors(recorder.gpu())).flatten();
    let mut trace = recorder.end();
    trace.card = measured.or(trace.card);
    let written = tell(arguments, &trace, earlier.as_ref());
    outcome.and(written)
}

/// The command, read as if it had been given by itself.
fn traced(arguments: &TraceArguments) -> Result<Command> {
    let TraceArguments { page, strip, json, chrome, plan, nan, .. } = arguments;
    if arguments.command.is_empty() {
        return Err(Usage(
            "trace: which command? As in quadrille trace --page trace.html demo fluid --steps 1".to_owned(),
        )
        .into());
    }
    if [page, strip, json, chrome].iter().all(|file| file.is_none()) && !plan && !nan {
        let line = "trace: nothing is asked for: --page, --strip, --json, --chrome, --plan or --nan";
        return Err(Usage(line.to_owned()).into());
    }
    let words = [OsString::from("quadrille")].into_iter().chain(arguments.command.iter().cloned());
    let mut command = Cli::try_parse_from(words).map_err(|told| Usage(first_line(&told)))?.command();
    match &mut command {
        Command::Demo { demo: Some(demo) } => {
            demo.arguments.headless = true;
            if demo.arguments.steps.is_none() {
                let line = "trace: demo: --steps N says how many of its steps are traced";
                return Err(Usage(line.to_owned()).into());
            }
        }
        Command::Pde(pde) => pde.headless = true,
        Command::Kernel(_) | Command::Solve(_) | Command::Smooth(_) | Command::Script(_) => {}
        _ => {
            return Err(
                Usage("trace: traces demo NAME, pde, solve, kernel, script and smooth".to_owned()).into()
            );
        }
    }
    Ok(command)
}

/// The first line of what clap says.
fn first_line(told: &clap::Error) -> String {
    let text = told.to_string();
    let line = text.lines().next().unwrap_or_default();
    format!("trace: {}", line.trim_start_matches("error: "))
}

/// "1 pass", "2 passes".
fn passes(count: u64) -> String {
    if count == 1 { "1 pass".to_owned() } else { format!("{count} passes") }
}

fn check_files(arguments: &TraceArguments) -> Result<()> {
    let TraceArguments { page, strip, json, chrome, .. } = arguments;
    let files = [("--page", page), ("--strip", strip), ("--json", json), ("--chrome", chrome)];
    let written: Vec<Written> = files
        .iter()
        .filter_map(|(flag, path)| path.as_deref().map(|path| Written { flag, path, numbered: false }))
        .collect();
    distinct(&written)?;
    for Written { flag, path, .. } in &written {
        let (extension, holds) = match *flag {
            "--page" => ("html", "a page"),
            "--strip" => ("svg", "a strip"),
            _ => ("json", "JSON"),
        };
        check_extension(path, extension, holds)?;
        atomic::check(path)?;
    }
    Ok(())
}

fn watch(arguments: &TraceArguments) -> Watch {
    let TraceArguments { page, strip, json, chrome, plan, from, passes, copy, memory, nan, .. } = arguments;
    let shown = match (page, strip) {
        (Some(_), _) => Watch::page(),
        (None, Some(_)) => Watch::strip(),
        (None, None) => Watch::default(),
    };
    Watch {
        from: *from,
        passes: *passes,
        times: page.is_some() || chrome.is_some() || *plan,
        hashes: page.is_some() || json.is_some(),
        copies: *copy,
        memory: *memory << 20,
        stop_at_not_finite: *nan,
        ..shown
    }
}

fn tell(arguments: &TraceArguments, trace: &Trace, earlier: Option<&Value>) -> Result<()> {
    if arguments.plan {
        plan::print(trace, arguments.card)?;
    }
    let mut drafts = Vec::new();
    let mut lines = Vec::new();
    let mut write = |path: &Path, text: String| -> Result<()> {
        drafts.push(atomic::draft(path, |file| Ok(file.write_all(text.as_bytes())?))?);
        lines.push(output::wrote(path));
        Ok(())
    };
    if let Some(path) = &arguments.page {
        write(path, earlier.map_or_else(|| trace.page(), |earlier| trace.page_against(earlier)))?;
    }
    if let Some(path) = &arguments.strip {
        write(path, trace.strip(arguments.scope.as_deref())?)?;
    }
    if let Some(path) = &arguments.json {
        write(path, format!("{}\n", trace.json()))?;
    }
    if let Some(path) = &arguments.chrome {
        write(path, format!("{}\n", trace.chrome()))?;
    }
    atomic::commit_all(drafts)?;
    let passes = passes(trace.sums()[0].passes);
    if trace.left_out > 0 {
        let (out, most) = (trace.left_out, trace.memory.1 >> 20);
        lines.push(format!("{out} copies had no room in {most} MB: --memory"));
    }
    output::say(&format!("traced {passes}"))?;
    lines.iter().try_for_each(|line| output::say(line))
}

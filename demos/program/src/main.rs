//! `quadrille`: demos in a window or without one, anybody's kernels over NumPy files, linear systems, equations, meshes, scripts of
//! matrices, benchmarks.

// A build that is without a part has what only that part asks for.
#![cfg_attr(
    not(all(
        feature = "bench",
        feature = "plots",
        feature = "prompt",
        feature = "wall",
        feature = "window"
    )),
    allow(dead_code, unused_imports)
)]

#[cfg_attr(not(feature = "bench"), path = "without/bench.rs")]
mod bench;
mod cli;
mod costs;
mod demo;
mod exercise;
mod expected;
mod files;
#[cfg(feature = "bench")]
mod growth;
mod info;
mod interrupt;
mod kernel;
mod output;
mod pde;
#[cfg_attr(not(feature = "plots"), path = "without/plot.rs")]
mod plot;
mod script;
mod smooth;
mod solve;
mod trace;
#[cfg_attr(not(feature = "window"), path = "without/window.rs")]
mod window;
mod without;

use std::ffi::OsStr;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;

use files::{named, shown, shown_message};

/// 0 done, 1 an error (one line on stderr), 2 wrong usage (clap says how), 3 a solve that did not converge, 130 an interruption.
fn main() -> ExitCode {
    interrupt::full_files_are_errors();
    let command = match cli::Cli::try_parse() {
        Ok(cli) => cli.command(),
        Err(told) => return tell(&with_flag(told)),
    };
    let outcome = perform(command);
    interrupt::over();
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.is::<output::Usage>() => {
            output::complain(&format!("{error:#}"));
            ExitCode::from(2)
        }
        Err(error) if error.is::<output::NotConverged>() => {
            output::complain(&format!("{error:#}"));
            ExitCode::from(3)
        }
        Err(error) if error.is::<output::Interrupted>() => {
            output::complain(&format!("{error:#}"));
            ExitCode::from(interrupt::STATUS)
        }
        Err(error) if error.is::<output::Pointed>() => {
            output::draw(&format!("{error}"));
            if interrupt::asked() { ExitCode::from(interrupt::STATUS) } else { ExitCode::FAILURE }
        }
        Err(error) if error.is::<output::NotSolved>() => ExitCode::FAILURE,
        Err(error) if output::reader_is_gone(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::complain(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Runs a command.
fn perform(command: cli::Command) -> anyhow::Result<()> {
    without::refuse(&command)?;
    expected::choose(&command);
    match command {
        cli::Command::Info(arguments) => info::run(&arguments),
        cli::Command::Demo { demo } => demo::run(demo),
        cli::Command::Kernel(arguments) => kernel::run(&arguments),
        cli::Command::Exercise(arguments) => exercise::run(&arguments),
        cli::Command::Solve(arguments) => solve::run(&arguments),
        cli::Command::Smooth(arguments) => smooth::run(&arguments),
        cli::Command::Pde(arguments) => pde::run(&arguments),
        cli::Command::Script(arguments) => script::run(&arguments),
        cli::Command::Trace(arguments) => trace::run(&arguments, &perform),
        cli::Command::Bench(arguments) => bench::run(&arguments),
    }
}

/// An input of a kernel without its flag, with the flag.
fn with_flag(mut told: clap::Error) -> clap::Error {
    use clap::error::{ContextKind, ContextValue};
    let words: Vec<String> = std::env::args().skip(1).collect();
    if told.kind() == clap::error::ErrorKind::UnknownArgument
        && words.first().is_some_and(|command| command == "kernel")
        && let Some(ContextValue::String(name)) = told.get(ContextKind::InvalidArg)
        && let Some(place) = words.iter().position(|word| word.starts_with(name.as_str()))
    {
        let (word, next) = (words[place].as_str(), words.get(place + 1).map_or("", String::as_str));
        let bare = word.trim_start_matches('-');
        let number = next.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+'));
        let input = match word {
            // `t = 0.5`, `t =0.5`, and a flag that is none.
            _ if word.starts_with('=') => None,
            _ if word.contains('=') => Some(bare.to_owned()),
            "--const" | "--constant" | "--uniform" if next.contains('=') => Some(next.to_owned()),
            _ if !word.starts_with("--") || told.get(ContextKind::SuggestedArg).is_some() => return told,
            _ if next.contains('=') && !next.starts_with('-') => Some(next.to_owned()),
            _ if number => Some(format!("{bare}={next}")),
            _ => return told,
        };
        let tip = match input.map(|input| shown(&input).to_string()) {
            Some(input) => {
                format!("an input of a kernel is given by '--float {input}' or '--stream {input}'")
            }
            None => "a name, its = and its numbers stand without spaces, as in '--float t=0.5'".to_owned(),
        };
        told.remove(ContextKind::SuggestedArg);
        told.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    told
}

/// Prints help or the version, or what is wrong with the arguments.
fn tell(told: &clap::Error) -> ExitCode {
    let strange: Vec<_> = std::env::args_os().filter(|word| OsStr::new(&shown(word)) != word).collect();
    if told.use_stderr() && !strange.is_empty() {
        // clap repeats arguments as they are.
        let words = strange.iter().map(|word| word.to_string_lossy());
        let text = words.fold(told.render().to_string(), |text, word| text.replace(&*word, &shown(&*word)));
        text.lines().for_each(|line| output::draw(&shown_message(line)));
    } else if let Err(error) = told.print().and_then(|()| std::io::stdout().flush())
        && error.kind() != ErrorKind::BrokenPipe
        && !told.use_stderr()
    {
        output::complain(&format!("{:#}", named(Path::new("standard output"), error)));
        return ExitCode::FAILURE;
    }
    u8::try_from(told.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from)
}

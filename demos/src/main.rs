//! `quadrille`: demos in a window or without one, anybody's kernels over NumPy files, linear systems, meshes, scripts of
//! matrices, benchmarks.

mod bench;
mod cli;
mod collide;
mod costs;
mod demo;
mod files;
mod info;
mod interrupt;
mod kernel;
mod output;
mod palette;
mod plot;
mod script;
mod smooth;
mod solve;
mod window;

use std::process::ExitCode;

use clap::Parser;

/// 0 done, 1 an error (one line on stderr), 2 wrong usage (clap says how), 3 a solve that did not converge, 130 an interruption.
fn main() -> ExitCode {
    interrupt::full_files_are_errors();
    let outcome = match cli::Cli::parse().command {
        cli::Command::Info(arguments) => info::run(&arguments),
        cli::Command::Demo { demo } => demo::run(demo),
        cli::Command::Kernel(arguments) => kernel::run(&arguments),
        cli::Command::Solve(arguments) => solve::run(&arguments),
        cli::Command::Smooth(arguments) => smooth::run(&arguments),
        cli::Command::Script(arguments) => script::run(&arguments),
        cli::Command::Bench(arguments) => bench::run(&arguments),
    };
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
            output::remark(&format!("{error}"));
            if interrupt::asked() { ExitCode::from(interrupt::STATUS) } else { ExitCode::FAILURE }
        }
        Err(error) if output::reader_is_gone(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::complain(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

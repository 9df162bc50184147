//! The words of `exercise`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::ContextArguments;

#[derive(Args)]
pub struct ExerciseArguments {
    /// The exercise to go to and watch [default: the current one]
    pub name: Option<String>,
    #[command(subcommand)]
    pub task: Option<ExerciseTask>,
    #[command(flatten)]
    pub context: ContextArguments,
}

#[derive(Subcommand)]
pub enum ExerciseTask {
    /// Make a folder with a kernel to finish for each exercise
    Init {
        #[arg(default_value = "exercises")]
        dir: PathBuf,
    },
    /// Check the current exercise once, or the one that is named: 0 solved, 1 not, 2 wrong usage
    Run {
        name: Option<String>,
        /// This case alone, from 1
        #[arg(long, value_name = "N")]
        case: Option<usize>,
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// Show all exercises, and which are done
    List,
    /// Show the next hint of the current exercise, or of the one that is named
    Hint { name: Option<String> },
    /// Go on to the next exercise that is not done
    Next,
    /// Begin an exercise again; your text is kept beside it
    Reset { name: String },
    /// Show the solution of an exercise that is done
    Solution {
        name: String,
        /// Show it although the exercise is not done
        #[arg(long)]
        give_up: bool,
    },
    /// Check all exercises
    CheckAll,
    /// For teachers: make a folder with the parts of an exercise
    New { name: String },
    /// For teachers: check that each solution passes, and that each wrong answer is told by its own hint
    Test {
        /// A folder of exercises, or one of them [default: those of the program]
        dir: Option<PathBuf>,
    },
}

//! The command line of `quadrille smooth`.

use std::path::PathBuf;

use clap::{ArgMatches, Args, Command, FromArgMatches};
use quadrille_gallery::demos::smooth::FLOW;
use quadrille_gallery::number::whole;
use quadrille_gallery::param::Values;

use super::{ContextArguments, params};

#[derive(Args)]
pub struct SmoothArguments {
    /// The mesh: .obj or .ply; polygons are cut into triangles. Vertices and faces keep their order; what else a file has
    /// (normals, textures, colours, groups) is dropped
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// Where the smoother one goes: .obj or .ply
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
    /// Steps of the flow
    #[arg(long, value_name = "N", default_value_t = 10, allow_negative_numbers = true, value_parser = whole::<u64>(1, u64::MAX))]
    pub steps: u64,
    #[command(flatten)]
    pub flow: FlowArguments,
    /// A .ply as text instead of binary
    #[arg(long)]
    pub text: bool,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub context: ContextArguments,
}

/// The flags of the flow: the parameters that the demo of that name has.
#[derive(Clone)]
pub struct FlowArguments(pub Values);

impl Args for FlowArguments {
    fn augment_args(command: Command) -> Command {
        command.args(FLOW.iter().map(params::flag))
    }

    fn augment_args_for_update(command: Command) -> Command {
        FlowArguments::augment_args(command)
    }
}

impl FromArgMatches for FlowArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<FlowArguments, clap::Error> {
        Ok(FlowArguments(params::values(FLOW.iter(), matches)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = FlowArguments::from_arg_matches(matches)?;
        Ok(())
    }
}

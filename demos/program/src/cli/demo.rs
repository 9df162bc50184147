//! The flags of demos: those of all, and those that the parameters of each are.

use std::path::PathBuf;

use clap::builder::PathBufValueParser;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, Subcommand};
use quadrille_gallery::demo::{About, Export};
use quadrille_gallery::list::DEMOS;
use quadrille_gallery::number::whole;
use quadrille_gallery::param::Values;

use super::{ContextArguments, params};
use crate::files::Written;
use crate::files::output::Format;

/// A demo and its flags.
#[derive(Clone)]
pub struct DemoCommand {
    pub about: &'static About,
    /// Its own.
    pub values: Values,
    /// Those that every demo has.
    pub arguments: DemoArguments,
    /// Kernels are reloaded when their files change.
    pub watch: bool,
    /// The files of [`About::exports`] that are asked for.
    pub exports: Vec<(&'static Export, PathBuf)>,
}

/// The flags of a demo.
fn command(about: &'static About) -> Command {
    let own = about.params().map(params::flag);
    let command = Command::new(about.name).args_override_self(true).args(own);
    let command = if about.more.is_empty() { command } else { command.after_help(about.more) };
    let file = |export: &'static Export| {
        let place = if export.plot { "FILE.png" } else { "FILE.csv" };
        let file = Arg::new(export.flag).long(export.flag).help(export.help).value_name(place);
        file.value_parser(PathBufValueParser::new())
    };
    let command = command.args(about.exports.iter().map(file));
    let watch = Arg::new("watch").long("watch").action(ArgAction::SetTrue);
    let watch = watch.help("Reload the kernel when its file under glsl/ changes, in a window");
    let watch = watch.conflicts_with_all(["headless", "check", "json"]);
    let command = if about.kernel.is_empty() { command } else { command.arg(watch) };
    // The flags of every demo bring an `about` of their own, which is replaced by the demo's.
    let command = DemoArguments::augment_args(command).about(about.shows);
    about.flags.iter().fold(command, |command, &(name, help)| command.mut_arg(name, |arg| arg.help(help)))
}

impl DemoCommand {
    /// A file of equations in a window, without flags; one that somebody may edit is read again when it changes.
    pub fn of_equation(about: &'static About, context: ContextArguments) -> DemoCommand {
        let arguments = DemoArguments {
            steps: None,
            headless: false,
            out: None,
            every: None,
            seed: None,
            check: false,
            json: false,
            save: None,
            load: None,
            context,
        };
        let watch = !about.kernel.is_empty();
        DemoCommand { about, values: Values::new(), arguments, watch, exports: Vec::new() }
    }
}

impl Subcommand for DemoCommand {
    fn augment_subcommands(parent: Command) -> Command {
        parent.subcommands(DEMOS.iter().map(|about| command(about)))
    }

    fn augment_subcommands_for_update(parent: Command) -> Command {
        DemoCommand::augment_subcommands(parent)
    }

    fn has_subcommand(name: &str) -> bool {
        quadrille_gallery::list::named(name).is_some()
    }
}

impl FromArgMatches for DemoCommand {
    fn from_arg_matches(matches: &ArgMatches) -> Result<DemoCommand, clap::Error> {
        let missing = || clap::Error::new(clap::error::ErrorKind::MissingSubcommand);
        let (name, own) = matches.subcommand().ok_or_else(missing)?;
        let about = quadrille_gallery::list::named(name).ok_or_else(missing)?;
        let file = |export: &'static Export| Some((export, own.get_one::<PathBuf>(export.flag)?.clone()));
        Ok(DemoCommand {
            about,
            values: params::values(about.params(), own),
            arguments: DemoArguments::from_arg_matches(own)?,
            watch: !about.kernel.is_empty() && own.get_flag("watch"),
            exports: about.exports.iter().filter_map(file).collect(),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = DemoCommand::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The flags of every demo.
#[derive(Args, Clone)]
#[command(next_help_heading = "Every demo")]
pub struct DemoArguments {
    /// Steps to run: without a window 1000 unless said, of histogram and liquid 200, of fluid by its scene, of sort as many
    /// as it takes; a window then closes, else runs for ever
    #[arg(long, allow_negative_numbers = true, value_name = "N", value_parser = whole::<u64>(0, u64::MAX))]
    pub steps: Option<u64>,
    /// Without a window
    #[arg(long)]
    pub headless: bool,
    /// Picture or data at the end, by extension: .png, .gif, .npy, .exr. Frames of a .gif last 0.04 s, of a demo with a
    /// time as long as their steps, at least 0.02 s
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// A frame every N steps: numbered files, or one .gif
    #[arg(long, allow_negative_numbers = true, value_name = "N", value_parser = whole::<u64>(1, u64::MAX), requires = "out")]
    pub every: Option<u64>,
    /// Which of the initial states; of wall, which colours; of smooth, which noise [default: 1]
    #[arg(long, allow_negative_numbers = true, value_name = "N", value_parser = whole::<u64>(0, u64::MAX))]
    pub seed: Option<u64>,
    /// Without a window; exit 1 past a bound. Of fields, compare about a hundred single steps, each from the GPU's own
    /// state, with f64 on the CPU, and of nbody and smooth too, whose boundary must stay where it is fixed; of wall, watch
    /// penetration, energy and, without gravity and ground, momentum; of liquid, divergence and volume, of its smoke density
    #[arg(long)]
    pub check: bool,
    /// Print one JSON object, without a window
    #[arg(long)]
    pub json: bool,
    /// Write the state at the end. FILE.npz holds all that the demo needs to go on: the step, parameters, and named arrays, as
    /// numpy.savez writes them. FILE.npy holds its numbers as one array, float32, height x width x channels; of wall, cubes x 13:
    /// position (m), quaternion x y z w, velocity (m/s), angular velocity (rad/s), with x to the right, y up and z to the
    /// front; of nbody, bodies x 7: position, velocity, mass; of smooth, vertices x 3; of liquid, (NX + 1)(NY + 1)(NZ + 1)
    /// elements x 5: u, v, w (m/s), pressure and distance (voxels), of its smoke x 6 with density and temperature; the last
    /// element is the clock
    #[arg(long, value_name = "STATE.npz|.npy")]
    pub save: Option<PathBuf>,
    /// Start from such a state. With FILE.npz every demo goes on bit for bit, at the step and with the parameters of the file; a
    /// flag that is given counts, and where the file says otherwise that is said. FILE.npy is a beginning: step, parameters
    /// and rain are those of the flags
    #[arg(long, value_name = "STATE.npz|.npy")]
    pub load: Option<PathBuf>,
    #[command(flatten)]
    pub context: ContextArguments,
}

impl DemoArguments {
    /// The files that every demo writes.
    pub fn outputs(&self) -> Vec<Written<'_>> {
        let animates = |path| Format::of(path).is_ok_and(|format| format == Format::Gif);
        let frames = self.out.as_deref().map(|path| {
            let numbered = self.every.is_some() && !animates(path);
            Written { flag: "--out", path, numbered }
        });
        let save = self.save.as_deref().map(|path| Written { flag: "--save", path, numbered: false });
        frames.into_iter().chain(save).collect()
    }

    /// Returns true if it runs without a window.
    pub fn is_windowless(&self) -> bool {
        self.headless || self.check || self.json
    }

    /// Returns true if there will be anything to see.
    pub fn draws(&self) -> bool {
        let pictures = |path: &PathBuf| Format::of(path).is_ok_and(Format::is_picture);
        !self.is_windowless() || self.out.as_ref().is_some_and(pictures)
    }
}

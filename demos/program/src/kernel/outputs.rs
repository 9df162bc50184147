//! The outputs of the kernel: of which size, where they go, and which streams read them again.

use std::path::Path;

use anyhow::{Result, bail};
use quadrille::{Buffer, Gpu, Program, Rect};
use quadrille_gallery::printed;

use crate::cli::{Extent, KernelArguments, Of, Size};
use crate::files::shown;
use crate::output::Usage;

use super::arrays::Kind;

/// All RANGEs of a kernel, in its order: as large as the first stream, unless said otherwise.
pub struct Outputs<'a> {
    pub each: Vec<Output<'a>>,
    pub range: Rect,
    extent: Extent,
}

/// One RANGE.
pub struct Output<'a> {
    pub name: String,
    components: usize,
    /// Where it goes, if it is kept.
    pub file: Option<&'a Path>,
    /// The stream that reads it in the next run.
    pub feeds: Option<String>,
}

impl<'a> Outputs<'a> {
    pub fn plan(
        gpu: &Gpu,
        program: &Program,
        arguments: &'a KernelArguments,
        inputs: &[(&str, Buffer)],
    ) -> Result<Outputs<'a>> {
        let names = program.names();
        let mut each = Vec::new();
        for (name, written) in names.outputs {
            let components = arguments.components.iter().find(|of| of.name.as_deref() == Some(name));
            let components = components.map_or(written, |of| of.value);
            let file = arguments.out.iter().find(|of| of.name.as_deref() == Some(name));
            let feeds = arguments.feedback.iter().find(|(_, output)| output.as_deref() == Some(name));
            each.push(Output {
                name: name.to_owned(),
                components,
                file: file.map(|of| of.value.as_path()),
                feeds: feeds.map(|(stream, _)| stream.clone()),
            });
        }
        let mut outputs = Outputs { each, ..Outputs::of_extent(gpu, program, arguments, inputs)? };
        outputs.check_names(program, arguments)?;
        outputs.take_unnamed(program, arguments)?;
        outputs.check_arrays()?;
        if arguments.out.is_empty() {
            outputs.check_printed()?;
        }
        Ok(outputs)
    }

    /// The size of all outputs, and what is written of it.
    fn of_extent(
        gpu: &Gpu,
        program: &Program,
        arguments: &KernelArguments,
        inputs: &[(&str, Buffer)],
    ) -> Result<Outputs<'a>> {
        let extent = match (arguments.size, inputs.first()) {
            (Some(extent), _) => extent,
            (None, Some((_, first))) if first.fold().is_some() => Extent::Array(first.len()),
            (None, Some((_, first))) => Extent::Field(Size { width: first.width(), height: first.height() }),
            (None, None) => {
                if let Some(name) = program.names().streams.first() {
                    let name = shown(name);
                    return Err(Usage(format!(
                        "the kernel reads {name}: give it, as in --stream {name}=1,2,3"
                    ))
                    .into());
                }
                // With a DOMAIN a kernel counts in rows and columns.
                let line = match program.names().domains.is_empty() {
                    true => "no --stream to take the size from, so --size WxH or --size N is needed",
                    false => "no --stream to take the size from, so --size WxH is needed, as --size 4x1",
                };
                return Err(Usage(format!("{}: {line}", shown(program.name()))).into());
            }
        };
        let limit = gpu.limits().texture_size;
        let whole = match extent {
            Extent::Field(Size { width, height }) if width.max(height) > limit => {
                bail!("--size {width}x{height}: the limit is {limit} a side")
            }
            Extent::Field(Size { width, height }) => Rect::whole(width, height),
            Extent::Array(_) if arguments.range.is_some() => {
                let line = "--range: the output is an array of one dimension, which is written as a whole";
                return Err(Usage(line.to_owned()).into());
            }
            Extent::Array(length) => gpu.array(length).build()?.rect(),
        };
        Ok(Outputs { each: Vec::new(), range: arguments.range.unwrap_or(whole), extent })
    }

    /// Refuses names that no RANGE has.
    fn check_names(&self, program: &Program, arguments: &KernelArguments) -> Result<(), Usage> {
        let out = arguments.out.iter().filter_map(|of| of.name.as_ref()).map(|name| ("--out", name));
        let components = arguments.components.iter().filter_map(|of| of.name.as_ref());
        let feedback = arguments.feedback.iter().filter_map(|(_, output)| output.as_ref());
        let feedback = feedback.map(|name| ("--feedback", name));
        let mut named = out.chain(components.map(|name| ("--components", name))).chain(feedback);
        match named.find(|(_, name)| self.each.iter().all(|output| output.name != **name)) {
            Some((flag, name)) => {
                let (kernel, has) = (shown(program.name()), self.named());
                Err(Usage(format!("{flag}: {kernel} has no output \"{}\": it has {has}", shown(name))))
            }
            None => Ok(()),
        }
    }

    fn named(&self) -> String {
        self.each.iter().map(|output| shown(&output.name)).collect::<Vec<_>>().join(", ")
    }

    /// Takes what is said without a name for the only output.
    fn take_unnamed(&mut self, program: &Program, arguments: &'a KernelArguments) -> Result<(), Usage> {
        fn unnamed<T>(of: &[Of<T>]) -> Option<&T> {
            of.iter().find(|of| of.name.is_none()).map(|of| &of.value)
        }
        let (out, components) = (unnamed(&arguments.out), unnamed(&arguments.components));
        let feedback = arguments.feedback.iter().find(|(_, output)| output.is_none());
        let ambiguous = [
            ("--out NAME=FILE", out.is_some()),
            ("--components NAME=N", components.is_some()),
            ("--feedback STREAM=NAME", feedback.is_some()),
        ];
        let (kernel, has) = (shown(program.name()), self.named());
        match &mut self.each[..] {
            [only] => {
                let clash = [
                    ("--out", out.is_some() && only.file.is_some()),
                    ("--components", components.is_some() && arguments.components.len() > 1),
                    ("--feedback", feedback.is_some() && only.feeds.is_some()),
                ];
                if let Some((flag, _)) = clash.into_iter().find(|(_, twice)| *twice) {
                    return Err(Usage(format!("{flag} is given twice: {kernel} has one output, {has}")));
                }
                only.file = out.map(|path| path.as_path()).or(only.file);
                only.components = components.copied().unwrap_or(only.components);
                only.feeds = feedback.map(|(stream, _)| stream.clone()).or(only.feeds.take());
                Ok(())
            }
            _ => match ambiguous.into_iter().find(|(_, given)| *given) {
                Some((flag, _)) => Err(Usage(format!("{kernel} writes {has}: {flag} says which is meant"))),
                None => Ok(()),
            },
        }
    }

    /// Refuses to print what nobody reads.
    fn check_printed(&self) -> Result<(), Usage> {
        let (elements, shape) = match self.extent {
            Extent::Array(length) => (length as u64, length.to_string()),
            Extent::Field(Size { width, height }) => {
                (u64::from(width) * u64::from(height), format!("{height} x {width}"))
            }
        };
        match elements > printed::MOST as u64 {
            true => {
                let most = printed::MOST;
                Err(Usage(format!(
                    "{shape} elements are too many to print (at most {most}): --out FILE.npy keeps them"
                )))
            }
            false => Ok(()),
        }
    }

    /// Refuses files that cannot hold an array of one dimension, before anything runs.
    fn check_arrays(&self) -> Result<()> {
        if !matches!(self.extent, Extent::Array(_)) {
            return Ok(());
        }
        for Output { name, components, file, .. } in &self.each {
            let Some(file) = file else { continue };
            let (file, is_picture) = (shown(file), Kind::of(file)? == Kind::Png);
            if is_picture {
                bail!("{file}: {} is an array of one dimension, and no picture", shown(name));
            }
            if *components > 1 {
                let name = shown(name);
                bail!("{file}: {name} has {components} components: an array of one dimension has one");
            }
        }
        Ok(())
    }

    /// The buffers of an output. Outside the range they hold what its feedback stream began with, where that is of the same shape.
    pub fn buffers(&self, gpu: &Gpu, output: &Output, initial: Option<&Buffer>) -> Result<Turns> {
        let builder = match self.extent {
            Extent::Field(Size { width, height }) => gpu.buffer(width, height),
            Extent::Array(length) => gpu.array(length),
        };
        let builder = builder.components(output.components).named(&output.name);
        let Some(initial) = initial else {
            let one = builder.build()?;
            return Ok(Turns { newest: one.clone(), target: one });
        };
        let builder = builder.edges(initial.edges());
        let turns = Turns { newest: builder.clone().build()?, target: builder.build()? };
        if initial.rect() == turns.newest.rect() && initial.components() == turns.newest.components() {
            turns.newest.copy_from(initial)?;
            turns.target.copy_from(initial)?;
        }
        Ok(turns)
    }
}

/// The buffers of the last run and of the next one: two where a stream reads the first, else the same one.
pub struct Turns {
    pub newest: Buffer,
    pub target: Buffer,
}

impl Turns {
    pub fn swap(&mut self) {
        std::mem::swap(&mut self.newest, &mut self.target);
    }
}

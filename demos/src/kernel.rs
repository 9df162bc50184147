//! `quadrille kernel`: anybody's kernel over NumPy arrays, from a shell.

use std::path::Path;

use anyhow::{Context, Result, bail};
use quadrille::gl::Edges;
use quadrille::{Buffer, Gpu, Program, Rect};

use crate::cli::{EdgeRule, KernelArguments, Size};
use crate::files::{Array, atomic, not_replaced, npy};
use crate::interrupt;
use crate::output::{self, Interrupted, Usage};

pub fn run(arguments: &KernelArguments) -> Result<()> {
    interrupt::note_and_say("this run of the kernel");
    check_names(arguments)?;
    npy::check_name(&arguments.out)?;
    let read: Vec<&Path> = arguments.streams.iter().map(|(_, file)| Path::new(file)).collect();
    not_replaced(&read, &arguments.out)?;
    atomic::check(&arguments.out)?;
    let gpu = arguments.context.headless()?;
    let mut program = gpu.load_program(&arguments.file)?;
    let mut inputs = Vec::new();
    for (name, file) in &arguments.streams {
        let buffer = load(&gpu, name, Path::new(file), arguments.edges)?;
        program.bind_stream(name.as_str(), &buffer)?;
        inputs.push((name.as_str(), buffer));
    }
    bind_constants(&mut program, arguments)?;
    let target = target(&gpu, &program, arguments, &inputs)?;
    let result = iterate(&gpu, &mut program, arguments, &inputs, target)?;
    let (height, width, components) =
        (result.height() as usize, result.width() as usize, result.components());
    npy::write(&arguments.out, &Array { height, width, components, values: result.data()? })?;
    let channels = if components == 1 { String::new() } else { format!(" x {components}") };
    output::say(&format!("wrote {} ({height} x {width}{channels})", arguments.out.display()))
}

/// A name given twice would leave one of the two unheard.
fn check_names(arguments: &KernelArguments) -> Result<()> {
    let streams = arguments.streams.iter().map(|(name, _)| name);
    let floats = arguments.floats.iter().map(|(name, _)| name);
    let domains = arguments.domains.iter().map(|(name, _)| name);
    let mut names: Vec<&String> = streams.chain(floats).chain(domains).collect();
    names.sort();
    if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(Usage(format!("\"{}\" is bound twice", twice[0])).into());
    }
    if arguments.iterate > 1 && arguments.feedback.is_none() {
        let iterate = arguments.iterate;
        let line = format!("--iterate {iterate}: which stream reads the run before? --feedback NAME says");
        return Err(Usage(line).into());
    }
    Ok(())
}

fn load(gpu: &Gpu, name: &str, file: &Path, edges: EdgeRule) -> Result<Buffer> {
    let Array { height, width, components, values } = npy::read(file)?;
    let side =
        |n: usize| u32::try_from(n).with_context(|| format!("{}: side {n} is too long", file.display()));
    let edges = match edges {
        EdgeRule::Repeat => Edges::Repeat,
        EdgeRule::Clamp => Edges::Clamp,
    };
    let buffer = gpu.buffer(side(width)?, side(height)?).components(components).edges(edges).named(name);
    Ok(buffer.init(&values)?)
}

fn bind_constants(program: &mut Program, arguments: &KernelArguments) -> Result<()> {
    for (name, values) in &arguments.floats {
        let name = name.as_str();
        match values[..] {
            [x] => program.bind_float(name, x)?,
            [x, y] => program.bind_float(name, [x, y])?,
            [x, y, z] => program.bind_float(name, [x, y, z])?,
            [x, y, z, w] => program.bind_float(name, [x, y, z, w])?,
            _ => bail!("--float {name}: expected one to four numbers"),
        };
    }
    for (name, domain) in &arguments.domains {
        program.bind_domain(name, *domain)?;
    }
    Ok(())
}

/// What the kernel writes: as large as the first stream and as wide as its RANGE, unless said otherwise.
struct Target {
    size: Size,
    components: usize,
    range: Rect,
}

fn target(
    gpu: &Gpu,
    program: &Program,
    arguments: &KernelArguments,
    inputs: &[(&str, Buffer)],
) -> Result<Target> {
    let names = program.names();
    let [(_, written)] = names.outputs[..] else {
        let outputs: Vec<&str> = names.outputs.iter().map(|output| output.0).collect();
        bail!(
            "{} writes {}: `quadrille kernel` takes kernels of one RANGE",
            program.name(),
            outputs.join(", ")
        );
    };
    let size = match (arguments.size, inputs.first()) {
        (Some(size), _) => size,
        (None, Some((_, first))) => Size { width: first.width(), height: first.height() },
        (None, None) => {
            let line =
                format!("{}: no --stream to take the size from, so --size WxH is needed", program.name());
            return Err(Usage(line).into());
        }
    };
    let whole = Rect::whole(size.width, size.height);
    let limit = gpu.limits().texture_size;
    if size.width.max(size.height) > limit {
        bail!("--size {}x{}: the limit is {limit} a side", size.width, size.height);
    }
    let components = arguments.components.map_or(written, usize::from);
    Ok(Target { size, components, range: arguments.range.unwrap_or(whole) })
}

/// Runs the kernel as often as asked; from the second run on, the feedback stream reads the run before.
fn iterate(
    gpu: &Gpu,
    program: &mut Program,
    arguments: &KernelArguments,
    inputs: &[(&str, Buffer)],
    target: Target,
) -> Result<Buffer> {
    let Target { size: Size { width, height }, components, range } = target;
    let builder = gpu.buffer(width, height).components(components).named("output");
    let Some(feedback) = arguments.feedback.as_deref() else {
        let result = builder.build()?;
        program.run_over(&result, range)?;
        return Ok(result);
    };
    let stream = program.stream(feedback)?;
    let Some((_, initial)) = inputs.iter().find(|(name, _)| *name == feedback) else {
        let line =
            format!("--feedback {feedback}: --stream {feedback}=FILE.npy gives what the first run reads");
        return Err(Usage(line).into());
    };
    let mut buffers = builder.edges(initial.edges()).double().build()?;
    // Outside the range the result keeps what the feedback stream began with.
    if initial.rect() == buffers.front().rect() && initial.components() == components {
        buffers.front().copy_from(initial)?;
        buffers.back().copy_from(initial)?;
    }
    for round in 0..arguments.iterate {
        if interrupt::asked() {
            let line =
                format!("interrupted after {round} of {} runs: nothing was written", arguments.iterate);
            return Err(Interrupted(line).into());
        }
        program.run_over(buffers.back(), range)?;
        buffers.swap();
        program.bind_stream(stream, buffers.front())?;
    }
    Ok(buffers.front().clone())
}

//! `quadrille kernel`: anybody's kernel over numbers, NumPy arrays and pictures, from a shell.

mod arrays;
mod outputs;

use std::fs;
use std::path::Path;

use anyhow::{Result, bail};
use quadrille::{Buffer, Edges, Gpu, Program};
use quadrille_exercises::explain::{self, Explained};
use quadrille_gallery::given::{self, Given};
use quadrille_gallery::printed;

use crate::cli::KernelArguments;
use crate::files::{Written, atomic, distinct, not_replaced, shown};
use crate::interrupt;
use crate::output::{self, Interrupted, Usage};
use arrays::Kind;
use outputs::{Outputs, Turns};

pub fn run(arguments: &KernelArguments) -> Result<()> {
    interrupt::note_and_say("this run of the kernel");
    check_names(arguments)?;
    check_files(arguments)?;
    let gpu = arguments.context.headless()?;
    let mut program = gpu.load_program(&arguments.file).map_err(|error| explained(arguments, error))?;
    // A file that loads is text.
    let text = fs::read_to_string(&arguments.file).unwrap_or_default();
    let mut inputs = Vec::new();
    for (name, file) in &arguments.streams {
        let buffer = arrays::load(&gpu, name, file, edges_of(arguments, name))?;
        check_edges(arguments, name, &buffer)?;
        program.bind_stream(name.as_str(), &buffer).map_err(|error| lost(arguments, &text, error.into()))?;
        inputs.push((name.as_str(), buffer));
    }
    bind_constants(&mut program, arguments).map_err(|error| lost(arguments, &text, error))?;
    let half_twice = || explain::half_twice(&text).filter(|_| arguments.domains.is_empty());
    if let Some(fault) = explain::refused_elsewhere(&text).or_else(half_twice) {
        output::remark(&format!("quadrille: warning: {}", sentence(&arguments.file, &fault)));
    }
    let outputs = Outputs::plan(&gpu, &program, arguments, &inputs)?;
    let results = iterate(&gpu, &mut program, arguments, &inputs, &outputs).map_err(with_flag)?;
    if arguments.out.is_empty() {
        return print(&outputs, &results);
    }
    let mut drafts = Vec::new();
    let mut lines = Vec::new();
    for (output, result) in outputs.each.iter().zip(&results) {
        let Some(path) = output.file else { continue };
        drafts.push(arrays::draft(path, result)?);
        lines.push(format!("{} ({})", output::wrote(path), arrays::shape(result)));
    }
    atomic::commit_all(drafts)?;
    lines.iter().try_for_each(|line| output::say(line))
}

/// The sentence for an error of compiling before the driver's words, where a rule is sure.
fn explained(arguments: &KernelArguments, error: quadrille::Error) -> anyhow::Error {
    let file = arguments.file.as_path();
    use quadrille::Error::{Compile, Declaration, Link};
    // Not where the fault lies in a file that this one includes.
    let own = error.to_string().starts_with(&shown(file).to_string());
    let text = match error {
        Compile { .. } | Declaration { .. } | Link { .. } if own => fs::read_to_string(file).ok(),
        _ => None,
    };
    let found = text.and_then(|text| explain::of_compiling(&text, &error, &given(arguments)));
    // A declaration is explained by its own error, unless a rule says more of that line.
    let elsewhere = |found: &Explained| match &error {
        // A RANGE that is missing belongs to no line, unless this is a whole shader, of which that error says more.
        Declaration { line, expected, .. } => {
            let no_range = expected.starts_with("no RANGE declared") && !expected.contains("Gpu::shader");
            *line as usize != found.line && !no_range
        }
        _ => false,
    };
    match found.filter(|found| !elsewhere(found)) {
        Some(found) => {
            let driver = found
                .driver
                .as_ref()
                .map_or(String::new(), |driver| format!(" (the driver: {})", shown(driver)));
            anyhow::anyhow!("{}{driver}", sentence(file, &found))
        }
        None => error.into(),
    }
}

/// The inputs that the command gives.
fn given(arguments: &KernelArguments) -> explain::Given<'_> {
    explain::Given {
        streams: arguments.streams.iter().map(|(name, _)| name.as_str()).collect(),
        floats: arguments.floats.iter().map(|(name, values)| (name.as_str(), values.len())).collect(),
    }
}

/// The error of an input that is given, and that the kernel does not take or that has no effect: names the fault in the kernel where a rule is sure, else the flag to leave out.
fn lost(arguments: &KernelArguments, text: &str, error: anyhow::Error) -> anyhow::Error {
    use quadrille::Error::{DroppedName, UnusedName};
    let own = error.downcast_ref();
    if let Some(found) = own.and_then(|own| explain::of_input(text, own, &given(arguments))) {
        return anyhow::anyhow!("{}", sentence(&arguments.file, &found));
    }
    let (Some(UnusedName { kind, name, .. }) | Some(DroppedName { kind, name, .. })) = error.downcast_ref()
    else {
        return error;
    };
    match explain::of_lost(text) {
        Some(found) => anyhow::anyhow!("{}", sentence(&arguments.file, &found)),
        None => {
            let flag = if *kind == "stream" { "stream" } else { "float" };
            anyhow::anyhow!("{error}; or leave --{flag} {}=... out of the command", shown(name))
        }
    }
}

/// An input that is missing, with the flag that gives it.
fn with_flag(error: anyhow::Error) -> anyhow::Error {
    match error.downcast_ref::<quadrille::Error>() {
        Some(quadrille::Error::Unbound { kind, name, .. }) => {
            let example = if *kind == "stream" { ("stream", "1,2,3") } else { ("float", "0.5") };
            let flag = format!("give it, as in --{} {}={}", example.0, shown(name), example.1);
            anyhow::anyhow!("{error}: {flag}")
        }
        _ => error,
    }
}

/// The sentence of a fault, behind its file and line.
fn sentence(file: &Path, found: &Explained) -> String {
    let file = shown(file);
    match found.line {
        0 => format!("{file}: {}", found.sentence),
        line => format!("{file}:{line}: `{}`: {}", shown(found.text.trim()), found.sentence),
    }
}

/// Prints all outputs, each behind its name where there are several.
fn print(outputs: &Outputs, results: &[Buffer]) -> Result<()> {
    for (output, result) in outputs.each.iter().zip(results) {
        if results.len() > 1 {
            output::say(&format!("{} ({})", shown(&output.name), arrays::shape(result)))?;
        }
        printed::rows(&arrays::held(result)?).iter().try_for_each(|line| output::say(line))?;
    }
    Ok(())
}

/// A name given twice would leave one of the two unheard.
fn check_names(arguments: &KernelArguments) -> Result<(), Usage> {
    let streams: Vec<&String> = arguments.streams.iter().map(|(name, _)| name).collect();
    let floats = arguments.floats.iter().map(|(name, _)| name);
    let domains = arguments.domains.iter().map(|(name, _)| name);
    let once = |what: &str, mut names: Vec<&String>| {
        names.sort();
        match names.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(twice) => Err(Usage(format!("\"{}\" {what} twice", shown(twice[0])))),
            None => Ok(()),
        }
    };
    once("is bound", streams.iter().copied().chain(floats).chain(domains).collect())?;
    once("has --edges", arguments.edges.iter().filter_map(|edges| edges.name.as_ref()).collect())?;
    once("has --components", arguments.components.iter().filter_map(|of| of.name.as_ref()).collect())?;
    once("has --out", arguments.out.iter().filter_map(|out| out.name.as_ref()).collect())?;
    once("has --feedback", arguments.feedback.iter().map(|(stream, _)| stream).collect())?;
    once(
        "goes to --feedback",
        arguments.feedback.iter().filter_map(|(_, output)| output.as_ref()).collect(),
    )?;
    let unnamed = [
        ("--edges", arguments.edges.iter().filter(|edges| edges.name.is_none()).count()),
        ("--components", arguments.components.iter().filter(|of| of.name.is_none()).count()),
        ("--out", arguments.out.iter().filter(|out| out.name.is_none()).count()),
        ("--feedback", arguments.feedback.iter().filter(|(_, output)| output.is_none()).count()),
    ];
    if let Some((flag, many)) = unnamed.into_iter().find(|(_, many)| *many > 1) {
        return Err(Usage(format!("{flag} is given {many} times: NAME= says what each is of")));
    }
    for name in arguments.edges.iter().filter_map(|edges| edges.name.as_ref()) {
        if !streams.contains(&name) {
            return Err(Usage(format!("--edges {0}=: there is no --stream {0}", shown(name))));
        }
    }
    for (stream, _) in &arguments.feedback {
        if !streams.contains(&stream) {
            let line = "gives what the first run reads";
            return Err(Usage(format!("--feedback {0}: --stream {0}=FILE {line}", shown(stream))));
        }
    }
    if arguments.iterate > 1 && arguments.feedback.is_empty() {
        let iterate = arguments.iterate;
        return Err(Usage(format!(
            "--iterate {iterate}: which stream reads the run before? --feedback NAME says"
        )));
    }
    Ok(())
}

/// Finds out before anything is computed whether the files can be written, and that none takes the place of another.
fn check_files(arguments: &KernelArguments) -> Result<()> {
    let files = arguments.out.iter().map(|out| out.value.as_path());
    let written: Vec<Written> = files.map(|path| Written { flag: "--out", path, numbered: false }).collect();
    distinct(&written)?;
    let mut read = Vec::new();
    for (name, text) in &arguments.streams {
        match Given::of(text) {
            Ok(Some(_)) => {}
            Ok(None) if Kind::of(Path::new(text)).is_ok() || Path::new(text).exists() => {
                read.push(Path::new(text))
            }
            Ok(None) => {
                let line = format!("--stream {}={}: {}", shown(name), shown(text), given::EXPECTED);
                return Err(Usage(line).into());
            }
            Err(error) => return Err(Usage(format!("--stream {}: {error:#}", shown(name))).into()),
        }
    }
    for Written { path, .. } in written {
        Kind::of(path)?;
        not_replaced(&read, path)?;
        atomic::check(path)?;
    }
    Ok(())
}

/// The rule of a stream: its own, or that of all.
fn edges_of(arguments: &KernelArguments, stream: &str) -> Edges {
    let of = |name: Option<&str>| arguments.edges.iter().find(|edges| edges.name.as_deref() == name);
    of(Some(stream)).or(of(None)).map_or(Edges::Clamp, |edges| edges.value.into())
}

/// Elements of an array are fetched by their index: what is beyond its end is not there.
fn check_edges(arguments: &KernelArguments, stream: &str, buffer: &Buffer) -> Result<(), Usage> {
    let own = arguments.edges.iter().any(|edges| edges.name.as_deref() == Some(stream));
    if own && buffer.fold().is_some() {
        let line =
            format!("--edges {0}=: {0} is an array of one dimension, which has no edges", shown(stream));
        return Err(Usage(line));
    }
    Ok(())
}

fn bind_constants(program: &mut Program, arguments: &KernelArguments) -> Result<()> {
    for (name, values) in &arguments.floats {
        let name = name.as_str();
        let bound = match values[..] {
            [x] => program.bind_float(name, x).map(drop),
            [x, y] => program.bind_float(name, [x, y]).map(drop),
            [x, y, z] => program.bind_float(name, [x, y, z]).map(drop),
            [x, y, z, w] => program.bind_float(name, [x, y, z, w]).map(drop),
            _ => bail!("--float {}: expected one to four numbers", shown(name)),
        };
        // A whole number is as good for an `int`, a `uint` or a `bool`, and numbers in a row for a matrix or an array.
        if let Err(error) = bound {
            let numbers: Vec<f64> = values.iter().copied().map(f64::from).collect();
            program.bind_numbers(name, &numbers).map_err(|_| error)?;
        }
    }
    for (name, domain) in &arguments.domains {
        program.bind_domain(name, *domain)?;
    }
    Ok(())
}

/// Runs the kernel as often as asked; from the second run on, feedback streams read the run before. The outputs of the last.
fn iterate(
    gpu: &Gpu,
    program: &mut Program,
    arguments: &KernelArguments,
    inputs: &[(&str, Buffer)],
    outputs: &Outputs,
) -> Result<Vec<Buffer>> {
    let mut buffers: Vec<Turns> = Vec::new();
    for output in &outputs.each {
        let initial = inputs.iter().find(|(name, _)| output.feeds.as_deref() == Some(*name));
        buffers.push(outputs.buffers(gpu, output, initial.map(|(_, buffer)| buffer))?);
    }
    for round in 0..arguments.iterate {
        if interrupt::asked() {
            let line =
                format!("interrupted after {round} of {} runs: nothing was written", arguments.iterate);
            return Err(Interrupted(line).into());
        }
        let targets: Vec<&Buffer> = buffers.iter().map(|turns| &turns.target).collect();
        program.onto(&targets).over(outputs.range).run()?;
        for (buffers, output) in buffers.iter_mut().zip(&outputs.each) {
            buffers.swap();
            if let Some(stream) = &output.feeds {
                program.bind_stream(stream.as_str(), &buffers.newest)?;
            }
        }
    }
    Ok(buffers.into_iter().map(|turns| turns.newest).collect())
}

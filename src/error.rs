//! The one error type. Each variant carries the names and numbers that its line needs.
//!
//! Those about kernels say so in their documentation and lead to [`kernel_language`](crate::kernel_language), which has every word.

mod shown;
#[cfg(test)]
mod tests;

use std::fmt;
use std::path::PathBuf;

pub use shown::{shown, shown_bytes, shown_message};

/// `Result` with this crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// An error, displayed as one line: what, where, what was found, what was expected.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No OpenGL context could be made current on any device.
    #[error("no OpenGL context: {}; {hint}", joined(tried, "; ", "EGL lists no device", |line| shown_message(line)), hint = shown_message(hint))]
    NoContext {
        /// One entry a device: its name and why it failed.
        tried: Vec<String>,
        /// The package to install.
        hint: String,
    },

    /// `--device` or [`Options::device`](crate::Options) names nothing on this machine.
    #[error("no device \"{}\": {}", shown(asked), joined(found, ", ", "this system lists none to choose", |name| shown(name)))]
    UnknownDevice {
        /// The name or number asked for.
        asked: String,
        /// The devices there are.
        found: Vec<String>,
    },

    /// An environment variable or option holds a word that means nothing.
    #[error("{name}={}: expected {expected}", shown(found))]
    BadOption {
        /// The variable or option.
        name: &'static str,
        /// Its value.
        found: String,
        /// The values it may have.
        expected: &'static str,
    },

    /// The context is older than OpenGL 3.3 core or OpenGL ES 3.0.
    #[error("{} is too old: OpenGL 3.3 core, OpenGL ES 3.0 or WebGL 2 is needed", shown(version))]
    OldContext {
        /// The driver's version string.
        version: String,
    },

    /// The driver or the chosen [`Limits`](crate::Limits) lack a feature.
    #[error("{} needs {needs}, which {} does not offer", shown_message(what), shown(renderer))]
    Unsupported {
        /// The operation.
        what: String,
        /// The extension or feature by name.
        needs: &'static str,
        /// The driver, or the card whose limits are in force.
        renderer: String,
    },

    /// A size of zero.
    #[error("{}: size {width}x{height} has no elements", shown_message(what))]
    Empty {
        /// The buffer or range.
        what: String,
        /// Width asked for.
        width: u32,
        /// Height asked for.
        height: u32,
    },

    /// A number over (or under) what the limits allow.
    #[error("{}: {quantity} is {found}, the limit is {limit}", shown_message(what))]
    OverLimit {
        /// The buffer, kernel or pass.
        what: String,
        /// The name of the counted quantity.
        quantity: &'static str,
        /// The number asked for.
        found: u64,
        /// The largest allowed.
        limit: u64,
    },

    /// An array whose length does not fit the buffer.
    #[error("{}: {found} values given, {expected} expected ({})", shown_message(what), shown_message(shape))]
    WrongLength {
        /// The buffer or vertex buffer.
        what: String,
        /// How many values came.
        found: usize,
        /// How many fit.
        expected: usize,
        /// The shape that asks for them.
        shape: String,
    },

    /// A range or region that leaves the buffer.
    #[error("{}: range {} leaves the {width}x{height} target", shown_message(what), shown(range))]
    OutsideTarget {
        /// The kernel or buffer.
        what: String,
        /// The range, as `x0,y0,x1,y1`.
        range: String,
        /// Target width.
        width: u32,
        /// Target height.
        height: u32,
    },

    /// Targets of one pass that differ in size, or a stream whose shape does not fit.
    #[error("{}: {}, expected {}", shown_message(what), shown_message(found), shown_message(expected))]
    WrongShape {
        /// The kernel, stream or buffer.
        what: String,
        /// The shape found.
        found: String,
        /// The shape expected.
        expected: String,
    },

    /// The driver has no memory for an object.
    #[error("out of memory on the GPU: {} needs {bytes} bytes", shown_message(what))]
    OutOfMemory {
        /// The object.
        what: String,
        /// Its size.
        bytes: u64,
    },

    /// The driver refused something although all our checks passed.
    #[error("the driver refused {}: {}", shown_message(what), shown_message(message))]
    Driver {
        /// The call or object.
        what: String,
        /// The driver's error.
        message: String,
    },

    /// The context was lost: the GPU was reset, or a browser took the context away. All that was in it is gone.
    #[error(
        "the OpenGL context was lost, and with it {}: begin anew with a new context",
        shown_message(what)
    )]
    ContextLost {
        /// The object or read-back that comes to nothing.
        what: String,
    },

    /// A wait that would never end in a page of a browser.
    #[error("a wait for {} never ends in a page: call {instead} in a later frame", shown_message(what))]
    EndlessWait {
        /// The answer that was to be waited for.
        what: String,
        /// The call that does not wait.
        instead: &'static str,
    },

    /// A kernel does not compile. The whole log is in `log`. The words of kernels: [`kernel_language`](crate::kernel_language).
    #[error("{}:{line}: `{}`: {}{}", shown(kernel), shown(text), shown_message(message), more(*others))]
    Compile {
        /// File or name of the kernel.
        kernel: String,
        /// Line in that file, from 1; 0 where the driver names none.
        line: u32,
        /// That line.
        text: String,
        /// The driver's words.
        message: String,
        /// How many more errors the log has.
        others: usize,
        /// The driver's whole log.
        log: String,
    },

    /// A kernel compiles but does not link. The words of kernels: [`kernel_language`](crate::kernel_language).
    #[error("{}: does not link: {}", shown(kernel), shown_message(message))]
    Link {
        /// File or name of the kernel.
        kernel: String,
        /// The driver's words.
        message: String,
    },

    /// A kernel whose declarations we cannot use (no RANGE, two names for one target, a RANGE that some path leaves unwritten, ...). The words of kernels: [`kernel_language`](crate::kernel_language).
    #[error("{}:{line}: `{}`: {}", shown(kernel), shown(text), shown_message(expected))]
    Declaration {
        /// File or name of the kernel.
        kernel: String,
        /// Line in that file, from 1.
        line: u32,
        /// The declaration.
        text: String,
        /// The expected value or range.
        expected: String,
    },

    /// No built-in kernel of that name.
    #[error("no built-in kernel \"{}\": there are {}", shown(name), joined(has, ", ", "none", |name| shown(name)))]
    UnknownKernel {
        /// The name asked for.
        name: String,
        /// All built-in kernels.
        has: Vec<String>,
    },

    /// A name the kernel does not declare. The words of kernels: [`kernel_language`](crate::kernel_language).
    #[error(
        "{} has no {kind} \"{}\": it has {}",
        shown(kernel),
        shown(name),
        joined(has, ", ", "none", |name| shown(name))
    )]
    UnknownName {
        /// File or name of the kernel.
        kernel: String,
        /// `stream`, `domain`, `constant`, `vertex attribute`, `output`.
        kind: &'static str,
        /// The name asked for.
        name: String,
        /// The names it has.
        has: Vec<String>,
    },

    /// A name the kernel declares but never uses, so the compiler removed it. The words of kernels: [`kernel_language`](crate::kernel_language).
    #[error(
        "{} declares {kind} \"{}\" but never uses it: it uses {}",
        shown(kernel),
        shown(name),
        joined(has, ", ", "none", |name| shown(name))
    )]
    UnusedName {
        /// File or name of the kernel.
        kernel: String,
        /// `stream`, `domain` or `constant`.
        kind: &'static str,
        /// The name asked for.
        name: String,
        /// The names it uses.
        has: Vec<String>,
    },

    /// A name the kernel uses, while nothing that it writes depends on it, so the compiler removed it. The words of kernels: [`kernel_language`](crate::kernel_language).
    #[error(
        "{} uses {kind} \"{}\", but the compiler left it out, because no RANGE depends on it: use it in `{} = ...;`, or \
         take it out of the kernel (see quadrille::kernel_language)",
        shown(kernel),
        shown(name),
        shown(range)
    )]
    DroppedName {
        /// File or name of the kernel.
        kernel: String,
        /// `stream` or `constant`.
        kind: &'static str,
        /// The name asked for.
        name: String,
        /// The first RANGE.
        range: String,
    },

    /// A value of another type than the kernel declares. The words of kernels: [`kernel_language`](crate::kernel_language).
    #[error(
        "{} declares \"{}\" as {}, but {} was bound; it has {}",
        shown(kernel),
        shown(name),
        shown_message(declared),
        shown_message(bound),
        joined(has, ", ", "nothing else", |name| shown(name))
    )]
    WrongType {
        /// File or name of the kernel.
        kernel: String,
        /// The name.
        name: String,
        /// Its type in the kernel.
        declared: String,
        /// The value or array that was to be bound.
        bound: String,
        /// All that can be bound, as `type name`.
        has: Vec<String>,
    },

    /// A run with a stream or constant that was never bound. The words of kernels: [`kernel_language`](crate::kernel_language).
    #[error("{}: {kind} \"{}\" is not bound", shown(kernel), shown(name))]
    Unbound {
        /// File or name of the kernel.
        kernel: String,
        /// `stream` or `constant`.
        kind: &'static str,
        /// The name.
        name: String,
    },

    /// A pass that would read the buffer it writes. The words of kernels: [`kernel_language`](crate::kernel_language).
    #[error(
        "{}: stream \"{}\" reads {}, which this pass writes; use a double buffer",
        shown(kernel),
        shown(stream),
        shown(buffer)
    )]
    Feedback {
        /// File or name of the kernel.
        kernel: String,
        /// The stream.
        stream: String,
        /// The buffer.
        buffer: String,
    },

    /// A pass that a recorder stopped at: it made what is not finite out of finite numbers. The words of kernels: [`kernel_language`](crate::kernel_language).
    #[error(
        "pass {pass}, {} ({}): {} at ({}, {}) is {value}, made of {}", shown(kernel), shown(&**scope), shown(target), texel.0, texel.1,
        shown_message(inputs)
    )]
    NotFinite {
        /// The number of the pass among those of its context, from 1.
        pass: u64,
        /// File or name of the kernel.
        kernel: String,
        /// The scopes that it lies in, outermost first.
        scope: Box<str>,
        /// The RANGE.
        target: String,
        /// Column and row of the first such texel.
        texel: (u32, u32),
        /// Its first number that is not finite.
        value: f32,
        /// The texels that it was computed from, with their numbers.
        inputs: Box<str>,
    },

    /// A buffer used against its access mode.
    #[error("{} is {mode}: it cannot be {used}", shown(buffer))]
    Access {
        /// The buffer.
        buffer: String,
        /// `read-only` or `write-only`.
        mode: &'static str,
        /// `written by a pass`, `bound to a stream`.
        used: &'static str,
    },

    /// An object of one context used with another.
    #[error("{} belongs to another context", shown_message(what))]
    OtherContext {
        /// The object.
        what: String,
    },

    /// An entry of a matrix beyond its last row or column.
    #[error("entry ({row}, {column}) lies outside the matrix of {rows} rows and {columns} columns")]
    OutsideMatrix {
        /// The entry's row, from 0.
        row: usize,
        /// The entry's column, from 0.
        column: usize,
        /// Rows of the matrix.
        rows: usize,
        /// Columns of the matrix.
        columns: usize,
    },

    /// A parameter outside the values that make sense.
    #[error("{name} = {}: expected {}", shown(found), shown_message(expected))]
    BadParameter {
        /// The parameter.
        name: &'static str,
        /// Its value.
        found: String,
        /// The values it may have.
        expected: String,
    },

    /// A simulation whose values have grown beyond all numbers.
    #[error("{} is not finite at step {step}, {}", shown(field), shown_message(place))]
    StepNotFinite {
        /// The field.
        field: String,
        /// The first step after which it is so.
        step: u64,
        /// The first node: `x = 3.1, y = 7`.
        place: String,
    },

    /// An implicit step whose linear system is not solved to its tolerance.
    #[error(
        "the linear system of step {step} has a residual of {residual:.1e} after {iterations} iterations, above the tolerance {tolerance:e}: take a smaller step"
    )]
    StepNotSolved {
        /// The step.
        step: u64,
        /// Its relative residual.
        residual: f64,
        /// The most iterations of a solve.
        iterations: usize,
        /// The tolerance.
        tolerance: f64,
    },

    /// A step from which on the implicit part of an equation has no unique solution.
    #[error(
        "step {step}: implicit part singular from Δt = {}{}: take less",
        shown(limit),
        shown_message(when)
    )]
    StepSingular {
        /// Δt.
        step: f64,
        /// The smallest such Δt.
        limit: String,
        /// Nothing, or ` in the first step`.
        when: &'static str,
    },

    /// A mesh that is none.
    #[error("{}: {}", shown_message(place), shown_message(fault))]
    BadMesh {
        /// The face, vertex or mesh.
        place: String,
        /// The fault that was found.
        fault: String,
    },

    /// A kernel file cannot be read.
    #[error("{}: {}", shown(path), words(cause))]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        cause: std::io::Error,
    },
}

/// Prints the line of `Display`: what `unwrap` and a `main` that returns an error show is for people, too.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Names that a message repeats at most.
const MOST_NAMES: usize = 300;

/// Names in a row, or a word where there are none.
fn joined(names: &[String], separator: &str, none: &str, fit: fn(&str) -> String) -> String {
    if names.is_empty() {
        return none.to_owned();
    }
    let row: Vec<String> = names.iter().take(MOST_NAMES).map(|name| fit(name)).collect();
    let left = names.len() - row.len();
    let rest = if left > 0 { format!("{separator}and {left} more") } else { String::new() };
    row.join(separator) + &rest
}

/// The system's words without its number.
fn words(cause: &std::io::Error) -> String {
    shown_message(cause.to_string().split(" (os error ").next().unwrap_or_default())
}

fn more(others: usize) -> String {
    match others {
        0 => String::new(),
        1 => " (and 1 more error)".to_owned(),
        n => format!(" (and {n} more errors)"),
    }
}

//! The one error type. Each variant carries the names and numbers that its line needs.

use std::path::PathBuf;

/// `Result` with this crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// What can go wrong, as one line: what, where, what was found, what was expected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No OpenGL context could be made current on any device.
    #[error("no OpenGL context: {}; {hint}", join_or(tried, "; ", "EGL lists no device"))]
    NoContext {
        /// One entry a device: its name and why it failed.
        tried: Vec<String>,
        /// What to install.
        hint: String,
    },

    /// `--device` or [`Options::device`](crate::Options) names nothing on this machine.
    #[error("no device \"{asked}\": {}", join_or(found, ", ", "EGL lists none"))]
    UnknownDevice {
        /// The name or number asked for.
        asked: String,
        /// The devices there are.
        found: Vec<String>,
    },

    /// An environment variable or option holds a word that means nothing.
    #[error("{name}={found}: expected {expected}")]
    BadOption {
        /// The variable or option.
        name: &'static str,
        /// Its value.
        found: String,
        /// The values it may have.
        expected: &'static str,
    },

    /// The context is older than OpenGL 3.3 core or OpenGL ES 3.0.
    #[error("{version} is too old: OpenGL 3.3 core, OpenGL ES 3.0 or WebGL 2 is needed")]
    OldContext {
        /// The driver's version string.
        version: String,
    },

    /// The driver or the chosen [`Limits`](crate::Limits) lack a feature.
    #[error("{what} needs {needs}, which {renderer} does not offer")]
    Unsupported {
        /// The operation.
        what: String,
        /// The extension or feature by name.
        needs: &'static str,
        /// The driver, or the card whose limits are in force.
        renderer: String,
    },

    /// A size of zero.
    #[error("{what}: size {width}x{height} has no elements")]
    Empty {
        /// The buffer or range.
        what: String,
        /// Width asked for.
        width: u32,
        /// Height asked for.
        height: u32,
    },

    /// A number over (or under) what the limits allow.
    #[error("{what}: {quantity} is {found}, the limit is {limit}")]
    OverLimit {
        /// The buffer, kernel or pass.
        what: String,
        /// What is counted.
        quantity: &'static str,
        /// The number asked for.
        found: u64,
        /// The largest allowed.
        limit: u64,
    },

    /// An array whose length does not fit the buffer.
    #[error("{what}: {found} values given, {expected} expected ({shape})")]
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
    #[error("{what}: range {range} leaves the {width}x{height} target")]
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
    #[error("{what}: {found}, expected {expected}")]
    WrongShape {
        /// The kernel, stream or buffer.
        what: String,
        /// The shape found.
        found: String,
        /// The shape expected.
        expected: String,
    },

    /// The driver has no memory for an object.
    #[error("out of memory on the GPU: {what} needs {bytes} bytes")]
    OutOfMemory {
        /// The object.
        what: String,
        /// Its size.
        bytes: u64,
    },

    /// The driver refused something although all our checks passed.
    #[error("the driver refused {what}: {message}")]
    Driver {
        /// The call or object.
        what: String,
        /// The driver's error.
        message: String,
    },

    /// A kernel does not compile. The whole log is in `log`.
    #[error("{kernel}:{line}: `{text}`: {message}{}", more(*others))]
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

    /// A kernel compiles but does not link.
    #[error("{kernel}: does not link: {message}")]
    Link {
        /// File or name of the kernel.
        kernel: String,
        /// The driver's words.
        message: String,
    },

    /// A kernel whose declarations we cannot use (no RANGE, two names for one target, ...).
    #[error("{kernel}:{line}: `{text}`: {expected}")]
    Declaration {
        /// File or name of the kernel.
        kernel: String,
        /// Line in that file, from 1.
        line: u32,
        /// The declaration.
        text: String,
        /// What is expected instead.
        expected: String,
    },

    /// No built-in kernel of that name.
    #[error("no built-in kernel \"{name}\": there are {}", has.join(", "))]
    UnknownKernel {
        /// The name asked for.
        name: String,
        /// All built-in kernels.
        has: Vec<String>,
    },

    /// A name the kernel does not declare.
    #[error("{kernel} has no {kind} \"{name}\": it has {}", join_or(has, ", ", "none"))]
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

    /// A name the kernel declares but never uses, so the compiler removed it.
    #[error("{kernel} declares {kind} \"{name}\" but never uses it: it uses {}", join_or(has, ", ", "none"))]
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

    /// A value of another type than the kernel declares.
    #[error(
        "{kernel} declares \"{name}\" as {declared}, but {bound} was bound; it has {}",
        join_or(has, ", ", "nothing else")
    )]
    WrongType {
        /// File or name of the kernel.
        kernel: String,
        /// The name.
        name: String,
        /// Its type in the kernel.
        declared: String,
        /// What came.
        bound: String,
        /// All that can be bound, as `type name`.
        has: Vec<String>,
    },

    /// A run with a stream or constant that was never bound.
    #[error("{kernel}: {kind} \"{name}\" is not bound")]
    Unbound {
        /// File or name of the kernel.
        kernel: String,
        /// `stream` or `constant`.
        kind: &'static str,
        /// The name.
        name: String,
    },

    /// A pass that would read the buffer it writes.
    #[error("{kernel}: stream \"{stream}\" reads {buffer}, which this pass writes; use a double buffer")]
    Feedback {
        /// File or name of the kernel.
        kernel: String,
        /// The stream.
        stream: String,
        /// The buffer.
        buffer: String,
    },

    /// A buffer used against its access mode.
    #[error("{buffer} is {mode}: it cannot be {used}")]
    Access {
        /// The buffer.
        buffer: String,
        /// `read-only` or `write-only`.
        mode: &'static str,
        /// `written by a pass`, `bound to a stream`.
        used: &'static str,
    },

    /// An object of one context used with another.
    #[error("{what} belongs to another context")]
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
    #[error("{name} = {found}: expected {expected}")]
    BadParameter {
        /// The parameter.
        name: &'static str,
        /// Its value.
        found: String,
        /// The values it may have.
        expected: String,
    },

    /// A mesh that is none.
    #[error("{place}: {fault}")]
    BadMesh {
        /// The face, vertex or mesh.
        place: String,
        /// What is wrong with it.
        fault: String,
    },

    /// A kernel file cannot be read.
    #[error("{}: {}", path.display(), words(cause))]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        cause: std::io::Error,
    },
}

fn join_or(items: &[String], separator: &str, none: &str) -> String {
    if items.is_empty() { none.to_owned() } else { items.join(separator) }
}

/// The system's words without its number.
fn words(cause: &std::io::Error) -> String {
    let words = cause.to_string();
    words.split(" (os error ").next().unwrap_or_default().to_owned()
}

fn more(others: usize) -> String {
    match others {
        0 => String::new(),
        1 => " (and 1 more error)".to_owned(),
        n => format!(" (and {n} more errors)"),
    }
}

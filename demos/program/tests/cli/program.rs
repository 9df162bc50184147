//! Runs the program in a folder of its own.

use std::ffi::OsStr;
use std::io;
use std::path::PathBuf;
use std::process::{Command, Output};

pub type Outcome = Result<(), Box<dyn std::error::Error>>;

/// A folder that goes away with the test, and the program run in it.
pub struct Program {
    folder: tempfile::TempDir,
}

/// The output of a run and how it ended.
pub struct Ended {
    pub status: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Program {
    pub fn new() -> io::Result<Program> {
        Ok(Program { folder: tempfile::tempdir()? })
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn bytes(&self, name: &str) -> io::Result<Vec<u8>> {
        std::fs::read(self.path(name))
    }

    /// Names in the folder, hidden ones too.
    pub fn files(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(self.folder.path())? {
            names.push(entry?.file_name().to_string_lossy().into_owned());
        }
        names.sort();
        Ok(names)
    }

    pub fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_quadrille"));
        command.args(arguments.split_whitespace()).current_dir(self.folder.path());
        // Files that the user's own runs have kept must not change a test, nor may a test change them.
        command.env("XDG_STATE_HOME", self.path("state"));
        // As `make test` has it; otherwise llvmpipe's fault would be told.
        command.env("LP_NUM_THREADS", "0");
        // Without a display the gallery is a list; a test with a window has a screen of its own.
        for variable in ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"] {
            command.env_remove(variable);
        }
        command
    }

    pub fn run(&self, arguments: &str) -> io::Result<Ended> {
        Ok(Ended::from(self.command(arguments).output()?))
    }

    pub fn run_with(&self, arguments: &str, variable: &str, value: impl AsRef<OsStr>) -> io::Result<Ended> {
        Ok(Ended::from(self.command(arguments).env(variable, value).output()?))
    }

    /// Runs, and says why if it does not end well.
    pub fn succeed(&self, arguments: &str) -> Result<String, Box<dyn std::error::Error>> {
        let ended = self.run(arguments)?;
        match ended.status {
            Some(0) => Ok(ended.out),
            status => Err(format!("`quadrille {arguments}` ended with {status:?}: {}", ended.err).into()),
        }
    }
}

impl From<Output> for Ended {
    fn from(output: Output) -> Ended {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Ended { status: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }
}

/// A .npy file of float32 in that shape.
pub fn npy(shape: &str, values: impl IntoIterator<Item = f32>) -> Vec<u8> {
    let mut header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({shape}), }}");
    header += &" ".repeat(63 - (10 + header.len()) % 64);
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(values.into_iter().flat_map(f32::to_le_bytes));
    bytes
}

/// The numbers of a float32 .npy file with a version 1 header.
pub fn values(bytes: &[u8]) -> Vec<f32> {
    let header = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let chunks = bytes[10 + header..].chunks_exact(4);
    chunks.map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

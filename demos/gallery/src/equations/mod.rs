//! Files of equations as demos: each is described by itself, and steps as `quadrille::pde` does.
//!
//! ```text
//! shipped    the files that there are, packed as texts, and one to begin a new one with
//! about      what is known of a file before it starts: its parameters, its sentences
//! demo       a file as a demo: parameters, painting, reading it again as it is saved
//! state      what it is saved as
//! view       what is shown of it: colours, curves, a line over time, a surface
//! words      what a file may hold: the help of its editor
//! ```

mod about;
mod demo;
mod shipped;
mod state;
mod view;
mod words;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use quadrille::pde::{Fault, Files};

pub use about::{EDITED, opened};
pub use demo::{Equation, errors, take};
#[cfg(feature = "thumbnails")]
pub(crate) use shipped::THUMBNAILS;
pub use shipped::{NEW, SHIPPED, all, begun, is_test, packed};
pub use state::{TEXT, saved, state};
pub use view::View;
pub use words::{EDGES, FORMULAS, TABLES, Words};

use crate::demo::Host;

/// A file of equations.
#[derive(Debug)]
pub struct File {
    /// Its name, as wave.toml.
    pub name: &'static str,
    pub text: &'static str,
    /// The place of a file that somebody may edit; empty for a shipped text.
    pub path: &'static str,
}

/// Files beside an equation file, which its host reads.
pub struct Beside {
    host: Rc<dyn Host>,
    folder: PathBuf,
}

impl Beside {
    pub fn new(host: Rc<dyn Host>, file: &Path) -> Beside {
        Beside { host, folder: file.parent().unwrap_or(Path::new("")).to_owned() }
    }
}

impl Files for Beside {
    fn picture(&mut self, name: &str, size: [u32; 2]) -> Result<Vec<f32>, String> {
        let fits = |width: u32, height: u32| {
            anyhow::ensure!(
                [width, height] == size,
                "is {width}x{height}, the grid is {}x{}",
                size[0],
                size[1]
            );
            Ok(())
        };
        let array = self.host.grey(&self.folder.join(name), &fits).map_err(|error| format!("{error:#}"))?;
        Ok(array.values)
    }

    fn array(&mut self, name: &str, size: [u32; 2]) -> Result<Vec<f32>, String> {
        let expected =
            if size[1] == 1 { format!("({})", size[0]) } else { format!("({}, {})", size[1], size[0]) };
        let nodes = u64::from(size[0]) * u64::from(size[1]);
        let rows = u64::from(size[1]);
        let fits = |shape: &[u64]| {
            shape.len() <= 2
                && shape.iter().product::<u64>() == nodes
                && (shape.len() == 1) == (rows == 1)
                && (rows == 1 || shape[0] == rows)
        };
        let array = self.host.array(&self.folder.join(name), Some((&fits, &expected)));
        Ok(array.map_err(|error| format!("{error:#}"))?.values)
    }
}

/// A mistake of a file: `file:line:column: what is wrong`, then the line with the part underlined.
#[derive(Debug, thiserror::Error)]
#[error("{told}")]
pub struct Mistake {
    /// Its line, from 1.
    pub line: u32,
    /// The part of the text.
    pub part: Range<usize>,
    told: String,
}

impl Mistake {
    pub fn new(name: &str, text: &str, fault: &Fault) -> Mistake {
        let (line, _) = fault.span.place(text);
        let part = fault.span.start..fault.span.end.max(fault.span.start);
        Mistake { line: line as u32, part, told: underlined(name, text, fault) }
    }

    /// The line that says it, without the text.
    pub fn said(&self) -> &str {
        self.told.lines().next().unwrap_or_default()
    }
}

fn underlined(name: &str, text: &str, fault: &Fault) -> String {
    let (line, column) = fault.span.place(text);
    let start = text[..fault.span.start].rfind('\n').map_or(0, |end| end + 1);
    let whole = text[start..].lines().next().unwrap_or_default();
    let length =
        text[fault.span.start..fault.span.end.max(fault.span.start)].lines().next().unwrap_or_default();
    let under = format!("{}{}", " ".repeat(column - 1), "^".repeat(length.chars().count().max(1)));
    format!("{name}:{line}:{column}: {}\n{whole}\n{under}", fault.message)
}

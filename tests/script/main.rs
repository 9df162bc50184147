//! The matrix language: what it computes against f64, what it refuses, and that nothing makes it panic.

#[path = "../support/mod.rs"]
mod support;

mod arithmetic;
mod fed;
mod functions;
mod fuzz;
mod parts;
mod statements;
mod wrong;

use std::cell::Cell;
use std::collections::BTreeMap;

use quadrille::linalg::Algebra;
use quadrille::script::{Fault, Host, Interpreter, Table};
use quadrille::{Gpu, Result};

/// Files and a sheet of paper in memory, and a clock that goes a millisecond a look.
#[derive(Default)]
pub struct Memory {
    pub files: BTreeMap<String, Table>,
    pub printed: Vec<String>,
    pub looks: u32,
    /// How often it may be asked whether to end before it says yes; 0 is always no.
    pub patience: u32,
    pub asked: Cell<u32>,
}

impl Host for Memory {
    fn load(&mut self, name: &str, most: usize) -> std::result::Result<Table, String> {
        match self.files.get(name) {
            None => Err(format!("{name}: is not there")),
            Some(table) if table.elements.len() > most => Err(format!("{name}: is too large")),
            Some(table) => Ok(table.clone()),
        }
    }

    fn save(&mut self, name: &str, table: &Table) -> std::result::Result<(), String> {
        self.files.insert(name.to_owned(), table.clone());
        Ok(())
    }

    fn print(&mut self, line: &str) -> std::result::Result<(), String> {
        self.printed.push(line.to_owned());
        Ok(())
    }

    fn seconds(&mut self) -> f64 {
        self.looks += 1;
        f64::from(self.looks) * 1e-3
    }

    fn interrupted(&self) -> bool {
        self.asked.set(self.asked.get() + 1);
        self.patience > 0 && self.asked.get() > self.patience
    }
}

/// Runs a script by itself and gives what it printed, or its fault with its place.
pub fn told(gpu: &Gpu, text: &str) -> String {
    let mut memory = Memory::default();
    let outcome = Interpreter::new(&Algebra::new(gpu)).run(text, &mut memory);
    match outcome {
        Ok(()) => memory.printed.join("\n"),
        Err(fault) => placed(text, &fault),
    }
}

/// `line:column: message`
pub fn placed(text: &str, fault: &Fault) -> String {
    let (line, column) = fault.span.place(text);
    format!("{line}:{column}: {}", fault.message)
}

/// A fault as a test's failure.
pub fn ran(outcome: std::result::Result<(), Fault>) -> Result<()> {
    assert_eq!(outcome, Ok(()));
    Ok(())
}

/// Rows and columns of f64, the oracle's matrix.
#[derive(Clone, Debug)]
pub struct Exact {
    pub rows: usize,
    pub columns: usize,
    pub elements: Vec<f64>,
}

impl Exact {
    pub fn new(rows: usize, columns: usize, element: impl Fn(usize, usize) -> f64) -> Exact {
        let places = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        Exact { rows, columns, elements: places.map(|(row, column)| element(row, column)).collect() }
    }

    pub fn random(rows: usize, columns: usize, random: &mut support::Random) -> Exact {
        let elements = random.floats(rows * columns).into_iter().map(f64::from).collect();
        Exact { rows, columns, elements }
    }

    pub fn of(table: &Table) -> Exact {
        let elements = table.elements.iter().map(|e| f64::from(*e)).collect();
        Exact { rows: table.rows, columns: table.columns, elements }
    }

    pub fn at(&self, row: usize, column: usize) -> f64 {
        self.elements[row * self.columns + column]
    }

    pub fn t(&self) -> Exact {
        Exact::new(self.columns, self.rows, |row, column| self.at(column, row))
    }

    pub fn times(&self, right: &Exact) -> Exact {
        let term = |row, column| (0..self.columns).map(|k| self.at(row, k) * right.at(k, column)).sum();
        Exact::new(self.rows, right.columns, term)
    }

    pub fn map(&self, change: impl Fn(f64) -> f64) -> Exact {
        Exact { elements: self.elements.iter().map(|e| change(*e)).collect(), ..*self }
    }

    pub fn zip(&self, right: &Exact, combine: impl Fn(f64, f64) -> f64) -> Exact {
        let pairs = self.elements.iter().zip(&right.elements);
        Exact { elements: pairs.map(|(a, b)| combine(*a, *b)).collect(), ..*self }
    }

    pub fn magnitudes(&self) -> Exact {
        self.map(f64::abs)
    }

    pub fn table(&self) -> Table {
        let elements = self.elements.iter().map(|e| *e as f32).collect();
        Table { rows: self.rows, columns: self.columns, elements }
    }
}

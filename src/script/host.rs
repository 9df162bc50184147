//! The interface that a script needs from the program that runs it: files, output, clock, interruption.

use super::Table;

/// Files, a place to print to, and a clock. The language opens nothing itself.
pub trait Host {
    /// The matrix in a file, of at most `most` elements.
    ///
    /// # Errors
    /// One line that says why there is none.
    fn load(&mut self, name: &str, most: usize) -> Result<Table, String>;

    /// Looks before anything runs whether [`load`](Host::load) will find a matrix in a file, and of what shape, where that costs
    /// little to know.
    ///
    /// # Errors
    /// One line that says why it certainly will not.
    fn look(&self, _name: &str) -> Result<Option<(usize, usize)>, String> {
        Ok(None)
    }

    /// Looks before anything runs whether [`save`](Host::save) will be able to write a file.
    ///
    /// # Errors
    /// One line that says why it certainly will not.
    fn check(&self, _name: &str) -> Result<(), String> {
        Ok(())
    }

    /// One name for all names of a file, so that what a script saves is known when it loads it.
    fn place(&self, name: &str) -> String {
        name.to_owned()
    }

    /// Writes a matrix to a file, now or at the end of the script.
    ///
    /// # Errors
    /// One line that says why it cannot be written.
    fn save(&mut self, name: &str, table: &Table) -> Result<(), String>;

    /// Prints a line.
    ///
    /// # Errors
    /// The output is closed, or cannot be written: the script stops.
    fn print(&mut self, line: &str) -> Result<(), String>;

    /// A clock in seconds, from any beginning.
    fn seconds(&mut self) -> f64;

    /// Returns true to stop the script; asked before each statement and while a system is solved.
    fn interrupted(&self) -> bool {
        false
    }
}

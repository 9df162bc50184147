//! What a script needs from the program that runs it.

use super::Table;

/// Files, a place to print to, and a clock. The language opens nothing itself.
pub trait Host {
    /// The matrix in a file, of at most `most` elements.
    ///
    /// # Errors
    /// One line that says why there is none.
    fn load(&mut self, name: &str, most: usize) -> Result<Table, String>;

    /// Writes a matrix to a file, now or at the end of the script.
    ///
    /// # Errors
    /// One line that says why it cannot be written.
    fn save(&mut self, name: &str, table: &Table) -> Result<(), String>;

    /// Prints a line.
    ///
    /// # Errors
    /// Nobody reads it, or it cannot be written: the script stops.
    fn print(&mut self, line: &str) -> Result<(), String>;

    /// A clock in seconds, from any beginning.
    fn seconds(&mut self) -> f64;

    /// Whether somebody asked for the end; looked at before each statement.
    fn interrupted(&self) -> bool {
        false
    }
}

//! A text file line by line, in bounded memory, with the number of the line for messages.

use super::shown_bytes;
use anyhow::{Result, ensure};
use std::io::{BufRead, Read};

pub struct Lines<R> {
    input: R,
    /// Bytes of a line at most.
    longest: u64,
    /// The newest line, its end included.
    line: Vec<u8>,
    number: u64,
}

impl<R: BufRead> Lines<R> {
    pub fn new(input: R, longest: u64) -> Lines<R> {
        Lines { input, longest, line: Vec::new(), number: 0 }
    }

    /// The reader of all that comes after the newest line.
    pub fn rest(&mut self) -> &mut R {
        &mut self.input
    }

    /// The number of the newest line, from 1.
    pub fn number(&self) -> u64 {
        self.number.max(1)
    }

    /// Goes on to the next line, of whatever kind; false at the end of the file.
    pub fn advance_any(&mut self) -> Result<bool> {
        self.line.clear();
        let read = self.input.by_ref().take(self.longest + 1).read_until(b'\n', &mut self.line)?;
        self.number += u64::from(read > 0);
        ensure!(self.line.len() as u64 <= self.longest, "the line is longer than {} bytes", self.longest);
        Ok(read > 0)
    }

    /// Goes on to the next line that is neither blank nor a comment; false at the end of the file.
    pub fn advance(&mut self) -> Result<bool> {
        while self.advance_any()? {
            if !matches!(self.bytes(), [] | [b'%', ..]) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The newest line without white space around it.
    pub fn bytes(&self) -> &[u8] {
        self.line.trim_ascii()
    }

    /// The newest line as text.
    ///
    /// # Errors
    /// It is not ASCII; only comments may be.
    pub fn text(&self) -> Result<&str> {
        let line = self.bytes();
        let text = str::from_utf8(line).ok().filter(|text| text.is_ascii());
        text.ok_or_else(|| anyhow::anyhow!("expected numbers, found \"{}\"", shown_bytes(line)))
    }
}

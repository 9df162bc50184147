//! Comma-separated values: a row of numbers a line, as many in each; blanks around them, empty lines and lines that
//! begin with `#` do not count. Words at the head of columns are none of it.

use super::shown_bytes;
use anyhow::{Result, bail, ensure};
use quadrille::script::Table;
use std::io::{BufRead, BufReader, Read, Write};

/// Bytes of the longest word: a file without commas and line ends is none of numbers, however long.
const LONGEST: usize = 1 << 12;

/// Reads a matrix of at most `most` elements, in the memory that they take.
///
/// # Errors
/// Each begins with `:line:` or, of a word, `:line:column:`, both from 1, where columns are those of numbers: rows of different
/// lengths, a word that is no number, a number that 32 bits cannot hold, too many. Without a place: no numbers at all,
/// and what reading itself fails by.
pub fn read(file: impl Read, most: usize) -> Result<Table> {
    let mut words = Words { input: BufReader::new(file), word: Vec::new(), line: 1, ended: false };
    let mut table = Table { rows: 0, columns: 0, elements: Vec::new() };
    let mut first = 0;
    while !words.ended {
        let (line, mut column) = (words.line, 0);
        if !words.begins_row()? {
            continue;
        }
        loop {
            column += 1;
            let more = words.next(column)?;
            ensure!(table.elements.len() < most, ":{line}: at most {most} elements are allowed");
            match number(words.word.trim_ascii(), table.rows == 0) {
                Ok(value) => table.elements.push(value),
                Err(error) => bail!(":{line}:{column}: {error}"),
            }
            if !more {
                break;
            }
        }
        if table.rows == 0 {
            (table.columns, first) = (column, line);
        }
        let expected = table.columns;
        ensure!(
            column == expected,
            ":{line}: the rows differ in length: found {column}, expected {expected} as in line {first}"
        );
        table.rows += 1;
    }
    ensure!(table.rows > 0, "holds no numbers");
    Ok(table)
}

/// A text as words between commas and ends of lines.
struct Words<R> {
    input: BufReader<R>,
    /// The newest, blanks included.
    word: Vec<u8>,
    /// Where the next one begins.
    line: u64,
    ended: bool,
}

impl<R: Read> Words<R> {
    /// Skips blanks; then, a line that is empty or begins with `#`. Whether there are words to come before its end.
    fn begins_row(&mut self) -> Result<bool> {
        loop {
            match self.peek()? {
                Some(b' ' | b'\t' | 0xef | 0xbb | 0xbf) => self.input.consume(1), // blanks, and UTF-8's mark
                Some(b'\r' | b'\n') | None => {
                    self.end_line()?;
                    return Ok(false);
                }
                Some(b'#') => break,
                Some(_) => return Ok(true),
            }
        }
        while !matches!(self.peek()?, None | Some(b'\r' | b'\n')) {
            self.input.consume(1);
        }
        self.end_line()?;
        Ok(false)
    }

    /// Goes on to the next word, the column-th of its line. Whether another follows in the line.
    fn next(&mut self, column: usize) -> Result<bool> {
        self.word.clear();
        loop {
            match self.peek()? {
                Some(b',') => {
                    self.input.consume(1);
                    return Ok(true);
                }
                Some(b'\r' | b'\n') | None => {
                    self.end_line()?;
                    return Ok(false);
                }
                Some(byte) => {
                    self.input.consume(1);
                    self.word.push(byte);
                    let found = || shown_bytes(&self.word);
                    let line = self.line;
                    ensure!(
                        self.word.len() <= LONGEST,
                        ":{line}:{column}: found \"{}\", expected a number of at most {LONGEST} digits",
                        found()
                    );
                }
            }
        }
    }

    /// Passes an end of a line: `\n`, `\r\n`, `\r` or that of the file.
    fn end_line(&mut self) -> Result<()> {
        match self.peek()? {
            None => self.ended = true,
            Some(end) => {
                self.line += 1;
                self.input.consume(1);
                if end == b'\r' && self.peek()? == Some(b'\n') {
                    self.input.consume(1);
                }
            }
        }
        Ok(())
    }

    fn peek(&mut self) -> std::io::Result<Option<u8>> {
        loop {
            match self.input.fill_buf() {
                Ok(bytes) => return Ok(bytes.first().copied()),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// A word as a number; it may stand in quotes.
fn number(word: &[u8], first_row: bool) -> Result<f32> {
    let bare =
        word.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")).unwrap_or(word).trim_ascii();
    let text = str::from_utf8(bare).unwrap_or_default();
    let Ok(value) = text.parse::<f64>() else {
        let hint = match bare {
            [] => bail!("found nothing, expected a number"),
            _ if bare.contains(&b';') || bare.contains(&b' ') || bare.contains(&b'\t') => {
                " and commas between them"
            }
            [letter, ..] if first_row && letter.is_ascii_alphabetic() => {
                "; a line of headings is deleted or begins with #"
            }
            _ => "",
        };
        bail!("found \"{}\", expected a number{hint}", shown_bytes(bare));
    };
    let spelt = !bare.iter().any(u8::is_ascii_digit);
    let rounded = value as f32;
    ensure!(rounded.is_finite() || spelt, "found {}: 32-bit floats end at {:e}", shown_bytes(bare), f32::MAX);
    Ok(rounded)
}

/// Writes a line a row, each number with the digits that make it read back exactly.
///
/// # Errors
/// Those of the file.
pub fn write_to(file: &mut impl Write, table: &Table) -> Result<()> {
    for row in table.elements.chunks(table.columns.max(1)) {
        for (column, value) in row.iter().enumerate() {
            write!(file, "{}{value}", if column == 0 { "" } else { "," })?;
        }
        writeln!(file)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> String {
        match read(text.as_bytes(), 6) {
            Ok(Table { rows, columns, elements }) => format!("{rows}x{columns} {elements:?}"),
            Err(error) => format!("{error:#}"),
        }
    }

    #[test]
    fn rows_of_numbers_are_read() {
        assert_eq!(line("1,2\n3,4\n"), "2x2 [1.0, 2.0, 3.0, 4.0]");
        assert_eq!(line("\u{feff}# words\r\n 1 , -2.5e3\r\n\r\n\"3\",+.5"), "2x2 [1.0, -2500.0, 3.0, 0.5]");
        assert_eq!(line("inf,nan"), "1x2 [inf, NaN]");
        assert_eq!(line("1,2\r3,4\r"), "2x2 [1.0, 2.0, 3.0, 4.0]");
    }

    #[test]
    fn what_never_ends_is_read_no_further_than_it_may_be_numbers() {
        let told =
            |file: &mut dyn Read| read(file, 6).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(told(&mut std::io::repeat(0)).starts_with(":1:1: found \"\\x00\\x00"));
        assert_eq!(told(&mut std::io::repeat(b',')), ":1:1: found nothing, expected a number");
        let mut ones = b"1,".repeat(100_000);
        ones.pop();
        assert_eq!(told(&mut &ones[..]), ":1: at most 6 elements are allowed");
    }

    #[test]
    fn each_error_names_its_place() {
        for (text, error) in [
            ("", "holds no numbers"),
            ("# only\n\n", "holds no numbers"),
            ("1,2\n\n3\n", ":3: the rows differ in length: found 1, expected 2 as in line 1"),
            (
                "# a\r\n1,2\r\n\r\n  \r\n# b\r\n3\r\n",
                ":6: the rows differ in length: found 1, expected 2 as in line 2",
            ),
            ("1,2\r\n3,x", ":2:2: found \"x\", expected a number"),
            ("1,2\n3,4,5\n", ":2: the rows differ in length: found 3, expected 2 as in line 1"),
            (
                "x,y\n1,2\n",
                ":1:1: found \"x\", expected a number; a line of headings is deleted or begins with #",
            ),
            ("1,2\n3,two\n", ":2:2: found \"two\", expected a number"),
            ("1,,3", ":1:2: found nothing, expected a number"),
            ("1;2", ":1:1: found \"1;2\", expected a number and commas between them"),
            ("1,1e300", ":1:2: found 1e300: 32-bit floats end at 3.4028235e38"),
            ("1,1e400", ":1:2: found 1e400: 32-bit floats end at 3.4028235e38"),
            ("1 2\n3 4\n", ":1:1: found \"1 2\", expected a number and commas between them"),
            ("1,2,3,4\n5,6,7,8", ":2: at most 6 elements are allowed"),
        ] {
            assert_eq!(line(text), error, "{text}");
        }
        assert_eq!(
            read(&b"1,\xff\x00"[..], 6).map_err(|error| format!("{error:#}")),
            Err(":1:2: found \"\\xff\\x00\", expected a number".to_owned())
        );
    }

    #[test]
    fn what_was_written_reads_back_exactly() -> Result<()> {
        let elements = vec![0.1, -1.0 / 3.0, f32::MAX, f32::MIN_POSITIVE, 1e-45, f32::NEG_INFINITY];
        let table = Table { rows: 2, columns: 3, elements };
        let mut bytes = Vec::new();
        write_to(&mut bytes, &table)?;
        assert_eq!(read(&bytes[..], 6)?, table);
        Ok(())
    }
}

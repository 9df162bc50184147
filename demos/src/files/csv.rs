//! Comma-separated values: a row of numbers a line, as many in each; blanks around them, empty lines and lines that
//! begin with `#` do not count. Words at the head of columns are none of it.

use super::mtx::shown;
use anyhow::{Context, Result, bail, ensure};
use csv::{ByteRecord, ReaderBuilder, Trim};
use quadrille::script::Table;
use std::io::{Read, Write};

/// Reads a matrix of at most `most` elements.
///
/// # Errors
/// Each with the line, and with the column of numbers where there is one: rows of different lengths, a word that is
/// no number, a number that 32 bits cannot hold, no numbers at all, too many.
pub fn read(mut file: impl Read, most: usize) -> Result<Table> {
    let mut text = Vec::new();
    file.read_to_end(&mut text)?;
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .trim(Trim::All)
        .comment(Some(b'#'))
        .from_reader(&text[..]);
    let mut table = Table { rows: 0, columns: 0, elements: Vec::new() };
    let mut record = ByteRecord::new();
    let mut first = 0;
    while reader.read_byte_record(&mut record).map_err(plain)? {
        if record.iter().all(<[u8]>::is_empty) && record.len() == 1 {
            continue; // a line of blanks
        }
        let line = line_of(&text, record.position());
        if table.rows == 0 {
            (table.columns, first) = (record.len(), line);
        }
        for (column, word) in record.iter().enumerate() {
            let value = number(word).with_context(|| format!("line {line}, column {}", column + 1))?;
            table.elements.push(value);
        }
        let (found, expected) = (record.len(), table.columns);
        ensure!(
            found == expected,
            "line {line}: the rows differ in length: found {found}, expected {expected} as in line {first}"
        );
        ensure!(table.elements.len() <= most, "line {line}: at most {most} elements are allowed");
        table.rows += 1;
    }
    ensure!(table.rows > 0, "holds no numbers");
    Ok(table)
}

/// The line of a record, from 1. Its position is where the one before it ended: lines between them that do not count are
/// to be skipped.
fn line_of(text: &[u8], position: Option<&csv::Position>) -> u64 {
    let Some(position) = position else { return 0 };
    let rest = text.get(position.byte() as usize..).unwrap_or_default();
    let skipped = |line: &&[u8]| {
        let line = line.trim_ascii();
        line.is_empty() || line.starts_with(b"#")
    };
    position.line() + rest.split(|byte| *byte == b'\n').take_while(skipped).count() as u64
}

fn plain(error: csv::Error) -> anyhow::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error.into(),
        other => anyhow::anyhow!("{other:?}"),
    }
}

fn number(word: &[u8]) -> Result<f32> {
    let text = str::from_utf8(word).unwrap_or_default();
    let Ok(value) = text.parse::<f64>() else {
        if word.is_empty() {
            bail!("found nothing, expected a number");
        }
        let hint = if word.contains(&b';') { " and commas between them" } else { "" };
        bail!("found \"{}\", expected a number{hint}", shown(word));
    };
    let rounded = value as f32;
    ensure!(rounded.is_finite() || !value.is_finite(), "found {text}: 32-bit floats end at {:e}", f32::MAX);
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
    }

    #[test]
    fn each_error_names_its_place() {
        for (text, error) in [
            ("", "holds no numbers"),
            ("# only\n\n", "holds no numbers"),
            ("1,2\n\n3\n", "line 3: the rows differ in length: found 1, expected 2 as in line 1"),
            (
                "# a\r\n1,2\r\n\r\n  \r\n# b\r\n3\r\n",
                "line 6: the rows differ in length: found 1, expected 2 as in line 2",
            ),
            ("1,2\r\n3,x", "line 2, column 2: found \"x\", expected a number"),
            ("1,2\n3,4,5\n", "line 2: the rows differ in length: found 3, expected 2 as in line 1"),
            ("x,y\n1,2\n", "line 1, column 1: found \"x\", expected a number"),
            ("1,2\n3,two\n", "line 2, column 2: found \"two\", expected a number"),
            ("1,,3", "line 1, column 2: found nothing, expected a number"),
            ("1;2", "line 1, column 1: found \"1;2\", expected a number and commas between them"),
            ("1,1e300", "line 1, column 2: found 1e300: 32-bit floats end at 3.4028235e38"),
            ("1,2,3,4\n5,6,7,8", "line 2: at most 6 elements are allowed"),
        ] {
            assert_eq!(line(text), error, "{text}");
        }
        assert_eq!(
            read(&b"1,\xff\x00"[..], 6).map_err(|error| format!("{error:#}")),
            Err("line 1, column 2: found \"\\xff\\x00\", expected a number".to_owned())
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

//! Values as a person reads them.

/// Rows of which all are shown.
const MOST_ROWS: usize = 16;
/// Columns of which all are shown.
const MOST_COLUMNS: usize = 10;
/// Where more are left out: how many come first and how many last.
const ROWS_SHOWN: (usize, usize) = (10, 3);
const COLUMNS_SHOWN: (usize, usize) = (6, 3);

/// A number with at most six significant digits; a whole one below 10⁹ with all of them.
pub(super) fn number(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if value == value.trunc() && value.abs() < 1e9 || !value.is_finite() {
        return format!("{value}");
    }
    let rounded = format!("{value:.5e}");
    let Some((mantissa, exponent)) = rounded.split_once('e') else { return rounded };
    match exponent.parse::<usize>() {
        Ok(exponent @ 0..=5) => trimmed(&format!("{value:.*}", 5 - exponent)).to_owned(),
        Err(_) if value.abs() >= 1e-4 => {
            let digits = 5 + exponent.trim_start_matches('-').parse::<usize>().unwrap_or_default();
            trimmed(&format!("{value:.digits$}")).to_owned()
        }
        _ => format!("{}e{exponent}", trimmed(mantissa)),
    }
}

fn trimmed(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

/// A matrix row after row, its columns under each other; of a large one the first and last rows and columns.
pub(super) fn matrix(rows: usize, columns: usize, elements: &[f32]) -> Vec<String> {
    let across = chosen(columns, MOST_COLUMNS, COLUMNS_SHOWN);
    let down = chosen(rows, MOST_ROWS, ROWS_SHOWN);
    let cell = |row: Option<usize>, column: Option<usize>| match (row, column) {
        (Some(row), Some(column)) => {
            elements.get(row * columns + column).map_or(String::new(), |value| number(f64::from(*value)))
        }
        _ => "...".to_owned(),
    };
    let cells: Vec<Vec<String>> =
        down.iter().map(|&row| across.iter().map(|&column| cell(row, column)).collect()).collect();
    let width = cells.iter().flatten().map(String::len).max().unwrap_or_default();
    let line = |row: &Vec<String>| row.iter().map(|cell| format!("  {cell:>width$}")).collect::<String>();
    let mut lines: Vec<String> = cells.iter().map(line).collect();
    if down.contains(&None) || across.contains(&None) {
        lines.push(format!("  ({rows} x {columns})"));
    }
    lines
}

/// The places that are shown; `None` where some are left out.
fn chosen(count: usize, most: usize, (first, last): (usize, usize)) -> Vec<Option<usize>> {
    if count <= most {
        return (0..count).map(Some).collect();
    }
    (0..first).map(Some).chain([None]).chain((count - last..count).map(Some)).collect()
}

/// A duration with its unit.
pub(super) fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.1} µs", s * 1e6),
        s if s < 1.0 => format!("{:.2} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_digits_that_are_worth_reading() {
        for (value, shown) in [
            (0.0, "0"),
            (-0.0, "0"),
            (3.0, "3"),
            (-123456789.0, "-123456789"),
            (1.0 / 3.0, "0.333333"),
            (f64::from(0.1_f32), "0.1"),
            (0.00012345678, "0.000123457"),
            (1.5e-7, "1.5e-7"),
            (123.456789, "123.457"),
            (999999.7, "1e6"),
            (99999.97, "100000"),
            (1e30, "1e30"),
            (2e9, "2e9"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(number(value), shown);
        }
    }

    #[test]
    fn a_matrix_is_aligned_and_a_large_one_is_not_shown_whole() {
        assert_eq!(matrix(2, 2, &[1.0, -2.5, 10.0, 0.0]), ["     1  -2.5", "    10     0"]);
        let lines = matrix(100, 100, &[1.0; 10_000]);
        assert_eq!(lines.len(), 15);
        assert_eq!((lines[0].matches('1').count(), lines[14].as_str()), (9, "  (100 x 100)"));
    }
}

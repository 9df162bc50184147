//! Small arrays as text: whole numbers plainly, columns below each other.

use crate::state::Array;

/// The most elements that are printed.
pub const MOST: usize = 256;
/// Columns of a terminal.
const WIDTH: usize = 80;

/// A number as short as it reads back the same, a whole one without a point.
pub fn number(value: f32) -> String {
    let size = value.abs();
    let plain = size == 0.0 || (1e-4..1e9).contains(&size) || !value.is_finite();
    if plain { value.to_string() } else { format!("{value:e}") }
}

/// The element at (x, y), its components between colons.
pub fn element(array: &Array, x: usize, y: usize) -> String {
    let first = (y * array.width + x) * array.components;
    array.values[first..first + array.components].iter().map(|v| number(*v)).collect::<Vec<_>>().join(":")
}

/// The rows of an array, each a line; what is wider than 80 columns goes on in a line below.
pub fn rows(array: &Array) -> Vec<String> {
    let cells = |y: usize| (0..array.width).map(move |x| element(array, x, y));
    let width = (0..array.height).flat_map(cells).map(|cell| cell.chars().count()).max().unwrap_or(0) + 2;
    let across = (WIDTH / width).max(1);
    let mut lines = Vec::new();
    for y in 0..array.height {
        let cells: Vec<String> = cells(y).map(|cell| format!("{cell:>width$}")).collect();
        lines.extend(cells.chunks(across).map(|part| part.concat()));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_plain_and_columns_are_aligned() {
        let numbers = [3.0, -0.5, 16777216.0, 1e-7, 0.1, 1e20, f32::NAN, f32::INFINITY];
        let texts = ["3", "-0.5", "16777216", "1e-7", "0.1", "1e20", "NaN", "inf"];
        assert_eq!(numbers.map(number), texts);
        let array = Array { width: 2, height: 2, components: 1, values: vec![1.0, 10.0, -2.5, 4.0] };
        assert_eq!(rows(&array), ["     1    10", "  -2.5     4"]);
        let pairs = Array { width: 2, height: 1, components: 2, values: vec![1.0, 0.0, 2.0, 0.5] };
        assert_eq!(rows(&pairs), ["    1:0  2:0.5"]);
    }

    #[test]
    fn no_line_is_wider_than_a_terminal() {
        let array = Array { width: 200, height: 1, components: 1, values: vec![0.123_456_79; 200] };
        let lines = rows(&array);
        assert!(lines.len() > 1 && lines.iter().all(|line| line.chars().count() <= WIDTH), "{lines:?}");
    }
}

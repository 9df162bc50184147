//! A state's named arrays, and the one array of a plain `.npy` that holds the same numbers.

use anyhow::{Result, ensure};

use super::{Array, Named, State};

/// How the one array is made of the named ones.
pub enum Parts<'a> {
    /// For each cell (row, column) so many numbers of each, side by side.
    Cells(&'a [(&'a str, usize)]),
    /// For each row so many numbers of each, side by side.
    Rows(&'a [(&'a str, usize)]),
    /// The same of elements (k, j, i), one below the other.
    Boxes(&'a [(&'a str, usize)]),
    /// Planes (row, column) one below the other.
    Planes(&'a [&'a str]),
}

impl Parts<'_> {
    /// The named arrays of one, whose rows are elements of a box of that `size` (nz, ny, nx) if they are [`Parts::Boxes`].
    pub fn split(&self, array: &Array, size: [usize; 3]) -> Vec<Named> {
        let outer = match self {
            Parts::Cells(_) => vec![array.height, array.width],
            Parts::Rows(_) => vec![array.height],
            Parts::Boxes(_) => size.to_vec(),
            Parts::Planes(names) => {
                let shape = [array.height / names.len(), array.width];
                let planes = names.iter().zip(array.values.chunks(shape[0] * shape[1]));
                return planes.map(|(name, plane)| Named::of_f32(name, &shape, plane.to_vec())).collect();
            }
        };
        let columns = self.columns();
        let line: usize = columns.iter().map(|column| column.1).sum();
        let mut first = 0;
        let part = |&(name, count): &(&str, usize)| {
            let from = first;
            first += count;
            let values =
                array.values.chunks(line).flat_map(|row| &row[from..from + count]).copied().collect();
            let inner = (count > 1).then_some(count);
            Named::of_f32(name, &outer.iter().copied().chain(inner).collect::<Vec<_>>(), values)
        };
        columns.iter().map(part).collect()
    }

    /// The one array of named ones.
    ///
    /// # Errors
    /// One that is missing, of another shape than the first asks for, or not finite.
    pub fn join(&self, state: &State) -> Result<Array> {
        let outer = match self {
            Parts::Cells(_) | Parts::Planes(_) => 2,
            Parts::Rows(_) => 1,
            Parts::Boxes(_) => 3,
        };
        let names: Vec<(&str, usize)> = match self {
            Parts::Planes(names) => names.iter().map(|&name| (name, 1)).collect(),
            _ => self.columns().to_vec(),
        };
        let mut sizes: Option<(Vec<usize>, &str)> = None;
        let mut parts = Vec::new();
        for &(name, count) in &names {
            let found = state.array(name, outer + usize::from(count > 1))?;
            let (own, inner) = found.shape.split_at(outer);
            let (expected, like) = sizes.get_or_insert_with(|| (own.to_vec(), name));
            let fits = own == expected.as_slice() && (count == 1 || inner == [count]);
            ensure!(
                fits,
                "array \"{name}\" has shape {:?}; expected {expected:?}, as \"{like}\" has it{}",
                found.shape,
                if count > 1 { format!(", times {count}") } else { String::new() }
            );
            parts.push((found.f32s()?, count));
        }
        let sizes = sizes.map(|sizes| sizes.0).unwrap_or_default();
        let elements: usize = sizes.iter().product();
        let line: usize = names.iter().map(|name| name.1).sum();
        let values = match self {
            Parts::Planes(_) => parts.into_iter().flat_map(|part| part.0).collect(),
            _ => {
                let row = |i| parts.iter().flat_map(move |(part, n)| &part[i * n..(i + 1) * n]).copied();
                (0..elements).flat_map(row).collect()
            }
        };
        Ok(match self {
            Parts::Cells(_) => Array { height: sizes[0], width: sizes[1], components: line, values },
            Parts::Planes(_) => Array { height: line * sizes[0], width: sizes[1], components: 1, values },
            Parts::Rows(_) | Parts::Boxes(_) => {
                Array { height: elements, width: line, components: 1, values }
            }
        })
    }

    fn columns(&self) -> &[(&str, usize)] {
        match self {
            Parts::Cells(columns) | Parts::Rows(columns) | Parts::Boxes(columns) => columns,
            Parts::Planes(_) => &[],
        }
    }
}

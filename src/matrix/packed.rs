//! Where the elements of a matrix lie: rows 4i to 4i + 3 of column j are r, g, b and a of texel (j, i).

/// Texels of a column.
pub fn blocks(rows: u32) -> u32 {
    rows.div_ceil(4)
}

/// Elements, row after row, to texels; 0 below the last row.
pub fn pack(rows: u32, columns: u32, elements: &[f32]) -> Vec<f32> {
    let columns = columns as usize;
    let mut texels = vec![0.0; 4 * columns * blocks(rows) as usize];
    for (i, row) in elements.chunks_exact(columns).enumerate() {
        let block = &mut texels[i / 4 * 4 * columns..];
        for (texel, element) in block.chunks_exact_mut(4).zip(row) {
            texel[i % 4] = *element;
        }
    }
    texels
}

/// Texels to elements, row after row.
pub fn unpack(rows: u32, columns: u32, texels: &[f32]) -> Vec<f32> {
    let columns = columns as usize;
    let mut elements = Vec::with_capacity(columns * rows as usize);
    for i in 0..rows as usize {
        let block = &texels[i / 4 * 4 * columns..];
        elements.extend(block.chunks_exact(4).take(columns).map(|texel| texel[i % 4]));
    }
    elements
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_rows_of_a_column_are_a_texel() {
        // 1 2     1 3 5 7 | 2 4 6 8
        // 3 4     9 0 0 0 | 10 0 0 0
        // ...
        let elements: Vec<f32> = (1..=10u8).map(f32::from).collect();
        let texels = pack(5, 2, &elements);
        assert_eq!(texels[..8], [1.0, 3.0, 5.0, 7.0, 2.0, 4.0, 6.0, 8.0]);
        assert_eq!(texels[8..], [9.0, 0.0, 0.0, 0.0, 10.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn what_is_packed_comes_back() {
        for (rows, columns) in [(1, 1), (1, 7), (4, 1), (5, 3), (8, 8), (31, 2), (129, 5)] {
            let elements: Vec<f32> = (0..rows * columns).map(|i| i as f32).collect();
            assert_eq!(unpack(rows, columns, &pack(rows, columns, &elements)), elements);
        }
    }
}

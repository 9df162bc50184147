//! One-dimensional arrays folded into textures: every index reads its element.

use quadrille::{Rect, Result};

use crate::support::{counting, on_gpu, refusal};

const BY_INDEX: &str = "uniform Stream values; uniform float last; DOMAIN at; RANGE float found;
    void main() {
        float index = floor(at.y) * values.extent.x + floor(at.x);
        found = value(values, last - index).x;
    }";

#[test]
fn every_index_of_an_array_reads_its_element() -> Result<()> {
    on_gpu(|gpu| {
        for len in (1..40).chain([4096, 65_537, 262_133, 1_000_003]) {
            let values = gpu.array(len).init(&counting(len))?;
            let reversed = gpu.array(len).build()?;
            let mut kernel = gpu.program("by_index.frag", BY_INDEX)?;
            kernel.bind_stream("values", &values)?.bind_float("last", (len - 1) as f32)?.run(&reversed)?;
            assert_eq!(values.data()?, counting(len));
            assert!(reversed.data()?.iter().rev().eq(&counting(len)), "{len} elements");
        }
        Ok(())
    })
}

/// Beyond 2²³ an index has no bit left for the half that `fold` adds, and carries put it right.
#[test]
fn indices_up_to_two_to_the_24_read_their_element() -> Result<()> {
    on_gpu(|gpu| {
        let side = 4093; // prime, and its inverse is rounded; a row less, so that width and height differ
        let len = side as usize * (side as usize - 1);
        let values = gpu.array(len).init(&counting(len))?;
        let found = gpu.array(len).build()?;
        let text = BY_INDEX.replace("last - index", "index");
        let mut kernel = gpu.program("by_index.frag", &text)?;
        kernel.bind_stream("values", &values)?;
        let middle = (1 << 23) / side;
        for rows in [0..2, middle - 1..middle + 3, side - 9..side - 1] {
            let range = Rect::new(0, rows.start, side, rows.end);
            kernel.run_over(&found, range)?;
            let first = (rows.start * side) as f32;
            let expected = counting(range.area()).into_iter().map(|i| first + i);
            assert!(found.data_of(range)?.into_iter().eq(expected), "rows {rows:?}");
        }
        Ok(())
    })
}

/// A position that is computed is no domain, so the fetch is not lifted: width and height take part.
#[test]
fn an_offset_from_a_computed_position_reads_that_neighbour() -> Result<()> {
    on_gpu(|gpu| {
        let (width, height) = (7, 3);
        let source = gpu.buffer(width, height).init(&counting((width * height) as usize))?;
        let target = gpu.buffer(width, height).build()?;
        let text = "uniform Stream a; DOMAIN at; RANGE float r;
            void main() { r = valueOffset(a, a.extent.xy - at, ivec2(-1, 1)).x; }";
        gpu.program("turned.frag", text)?.bind_stream("a", &source)?.run(&target)?;
        for (i, found) in target.data()?.into_iter().enumerate() {
            let (x, y) = (i as u32 % width, i as u32 / width);
            let (x, y) = ((width - 1 - x).saturating_sub(1), (height - y).min(height - 1));
            assert_eq!(found, (y * width + x) as f32, "element {i}");
        }
        Ok(())
    })
}

#[test]
fn what_lies_after_the_end_is_zero_and_not_read_back() -> Result<()> {
    on_gpu(|gpu| {
        for components in 1..=4 {
            let array = gpu.array(7).components(components).init(&vec![1.0; 7 * components])?;
            assert_eq!((array.width(), array.height(), array.len()), (3, 3, 7));
            assert_eq!(array.data()?, vec![1.0; 7 * components]);
            assert_eq!(array.data_async()?.wait()?, vec![1.0; 7 * components]);
            assert_eq!(array.data_of(Rect::new(1, 2, 3, 3))?, vec![0.0; 2 * components]);
        }
        Ok(())
    })
}

#[test]
fn an_array_longer_than_the_largest_texture_is_refused() -> Result<()> {
    on_gpu(|gpu| {
        let most = (gpu.limits().texture_size as usize).pow(2);
        let line = refusal(gpu.array(most + 1).build());
        let expected = format!("array of {} elements: length is {}, the limit is {most}", most + 1, most + 1);
        assert_eq!(line, expected);
        Ok(())
    })
}

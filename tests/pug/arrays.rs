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

/// A slice of f64 is rounded to the nearest 32-bit float, whole numbers and truths are what they are.
#[test]
fn iterators_of_any_numbers_fill_buffers_in_order() -> Result<()> {
    on_gpu(|gpu| {
        let doubles = [0.1, 1.0 + f64::from(f32::EPSILON) / 4.0, 1e300, -2.5];
        let found = gpu.buffer(2, 2).init_from(&doubles[..])?;
        assert_eq!(found.data()?, [0.1, 1.0, f32::INFINITY, -2.5]);
        assert_eq!(gpu.array(5).init_from((0..5_u8).rev())?.data()?, [4.0, 3.0, 2.0, 1.0, 0.0]);
        let places = (0..6).map(|i| [i as f32, 10.0 * i as f32]);
        let places = gpu.buffer(3, 2).components(2).init_from(places)?;
        let elements = places.elements()?;
        for (x, y) in [(0, 0), (2, 0), (1, 1), (2, 1)] {
            let i = (3 * y + x) as f32;
            assert_eq!([elements[(x, y)], elements[(x, y, 1)]], [i, 10.0 * i]);
        }
        assert_eq!(elements.values(), places.data()?);
        assert_eq!(gpu.buffer(2, 1).init_from([true, false])?.elements()?[(0, 0)], 1.0);
        assert_eq!(gpu.array(7).init_from(0..7)?.elements()?[(6, 0)], 6.0);
        for (wrong, given) in [(gpu.buffer(2, 2).init_from(0..3), 3), (gpu.buffer(2, 2).init_from(0..), 5)] {
            let expected =
                format!("buffer 2x2x1: {given} values given, 4 expected (width x height x components)");
            assert_eq!(refusal(wrong), expected);
        }
        Ok(())
    })
}

#[cfg(all(feature = "ndarray", feature = "nalgebra", feature = "image"))]
#[test]
fn arrays_of_other_crates_keep_their_shapes() -> Result<()> {
    use image::{DynamicImage, GrayImage, Luma, Rgb, Rgb32FImage, RgbaImage};
    use ndarray::{Array1, Array2, Array3};
    use quadrille::Edges;

    on_gpu(|gpu| {
        let table = Array2::from_shape_fn((3, 5), |(y, x)| (10 * y + x) as f64);
        let buffer = gpu.buffer_of(&table).edges(Edges::Repeat).build()?;
        assert_eq!(
            (buffer.width(), buffer.height(), buffer.components(), buffer.edges()),
            (5, 3, 1, Edges::Repeat)
        );
        assert_eq!(buffer.elements()?[(4, 2)], 24.0);
        assert_eq!(buffer.to_ndarray()?.remove_axis(ndarray::Axis(2)).mapv(f64::from), table);
        // Columns first in memory, and a view of a part: the indices count.
        let turned = gpu.buffer_of(&table.t()).build()?;
        assert_eq!((turned.width(), turned.elements()?[(2, 4)]), (3, 24.0));
        let part = gpu.buffer_of(&table.slice(ndarray::s![1.., ..;2])).build()?;
        assert_eq!(part.data()?, [10.0, 12.0, 14.0, 20.0, 22.0, 24.0]);
        let wide = Array3::from_shape_fn((2, 3, 4), |(y, x, c)| (100 * y + 10 * x + c) as f32);
        let buffer = gpu.buffer_of(&wide).build()?;
        assert_eq!(buffer.elements()?[(2, 1, 3)], 123.0);
        assert_eq!(buffer.to_ndarray()?, wide);
        let list = gpu.buffer_of(&Array1::from_iter(0..1000)).build()?;
        assert!(list.fold().is_some() && list.len() == 1000);
        assert_eq!(list.to_ndarray()?.dim(), (1, 1000, 1));
        let five = refusal(gpu.buffer_of(&Array3::<f32>::zeros((1, 1, 5))).build());
        assert_eq!(five, "components = 5: expected 1 to 4");

        let matrix = nalgebra::DMatrix::from_fn(4, 3, |i, j| (10 * i + j) as f64);
        let buffer = gpu.buffer_of(&matrix).build()?;
        assert_eq!((buffer.width(), buffer.height(), buffer.elements()?[(2, 3)]), (3, 4, 32.0));
        assert_eq!(buffer.to_matrix()?.map(f64::from), matrix);
        assert_eq!(gpu.buffer_of(&nalgebra::Vector3::new(1_u8, 2, 3)).build()?.data()?, [1.0, 2.0, 3.0]);
        let two = gpu.buffer(1, 1).components(2).build()?;
        assert_eq!(refusal(two.to_matrix()), "buffer 1x1x2: 2 components, expected one, as a matrix has");

        let grey = GrayImage::from_fn(5, 2, |x, y| Luma([(x + 100 * y) as u8]));
        let buffer = gpu.buffer_of(&grey).double().build()?;
        assert_eq!(buffer.front().elements()?[(3, 1)], 103.0 / 255.0);
        assert_eq!(buffer.back().data()?, buffer.data()?);
        assert_eq!(gpu.buffer_of(&DynamicImage::ImageLuma8(grey)).build()?.data()?, buffer.data()?);
        let bright = Rgb32FImage::from_fn(2, 1, |x, _| Rgb([7.5, x as f32, -1.0]));
        assert_eq!(gpu.buffer_of(&bright).build()?.data()?, [7.5, 0.0, -1.0, 7.5, 1.0, -1.0]);
        let four = DynamicImage::ImageRgba8(RgbaImage::from_pixel(1, 1, image::Rgba([255, 0, 51, 128])));
        assert_eq!(gpu.buffer_of(&four).build()?.data()?, [1.0, 0.0, 0.2, 128.0 / 255.0]);
        Ok(())
    })
}

//! Numbers at nodes: which way is up, lines where they pass a level, arrows, curves, moments of a line.

use quadrille::gl::Edges;
use quadrille::view::{NodeColours, NodeCurve, Nodes, Tones};
use quadrille::{Buffer, Gpu, Rect, Result};

use crate::pixels;
use crate::support::{SIZES, counting, on_gpu, refusal};

/// Shades of grey of half the light, so that a white line is seen on each.
fn grey() -> [[u8; 3]; 256] {
    std::array::from_fn(|i| [i as u8 / 2; 3])
}

fn look(values: &Buffer, high: f32) -> NodeColours<'_> {
    let missing = [1.0, 0.0, 0.0];
    NodeColours {
        values,
        inside: None,
        ends: [0.0, high],
        missing,
        cyclic: false,
        tones: Tones::default(),
        contours: &[],
        arrows: None,
        ring: None,
    }
}

fn picture(gpu: &Gpu, look: &NodeColours, size: [u32; 2]) -> Result<Vec<[u8; 4]>> {
    Ok(pixels(&Nodes::new(gpu, &grey())?.picture(look, size)?))
}

#[test]
fn a_pixel_a_node_has_its_colour_and_the_first_row_is_the_lowest() -> Result<()> {
    on_gpu(|gpu| {
        for &(width, height) in SIZES {
            let nodes = (width * height) as usize;
            let values: Vec<f32> = counting(nodes).iter().map(|v| v % 255.0).collect();
            let buffer = gpu.buffer(width, height).init(&values)?;
            let found = picture(gpu, &look(&buffer, 255.0), [width, height])?;
            for (at, pixel) in found.iter().enumerate() {
                let (x, y) = (at % width as usize, height as usize - 1 - at / width as usize);
                let shade = values[y * width as usize + x] as u8 / 2;
                assert_eq!(*pixel, [shade, shade, shade, 255], "{width}x{height}: {x}, {y}");
            }
        }
        Ok(())
    })
}

#[test]
fn what_lies_outside_and_what_is_no_number_is_missing_and_spoils_no_neighbour() -> Result<()> {
    on_gpu(|gpu| {
        let values = gpu.buffer(4, 1).init(&[255.0, f32::NAN, 255.0, 255.0])?;
        let inside = gpu.buffer(4, 1).init(&[1.0, 1.0, 1.0, 0.0])?;
        let found = picture(gpu, &NodeColours { inside: Some(&inside), ..look(&values, 255.0) }, [4, 1])?;
        let (red, last) = ([255, 0, 0, 255], [127, 127, 127, 255]);
        assert_eq!(found, [last, red, last, red]);
        let refused = picture(gpu, &look(&values, 0.0), [4, 1]);
        assert!(refusal(refused).contains("range of the colour map"));
        Ok(())
    })
}

#[test]
fn between_nodes_numbers_are_linear_and_a_phase_jumps() -> Result<()> {
    on_gpu(|gpu| {
        let values = gpu.buffer(2, 1).init(&[0.0, 240.0])?;
        let shades = |found: Vec<[u8; 4]>| found.iter().map(|pixel| pixel[0]).collect::<Vec<_>>();
        // Eight pixels over two nodes: a quarter node each, the first and last half a node clamped.
        let found = shades(picture(gpu, &look(&values, 255.0), [8, 4])?[..8].to_vec());
        assert_eq!(found, [0, 0, 15, 45, 75, 105, 120, 120]);
        let cyclic = NodeColours { cyclic: true, ..look(&values, 255.0) };
        assert_eq!(shades(picture(gpu, &cyclic, [8, 4])?[..8].to_vec()), [0, 0, 0, 0, 120, 120, 120, 120]);
        Ok(())
    })
}

/// A logarithmic scale and lines of equal shares are those of every other picture of numbers.
#[test]
fn tones_are_those_of_a_colour_map() -> Result<()> {
    on_gpu(|gpu| {
        let values: Vec<f32> = (0..64 * 4).map(|node| (node % 64) as f32 - 20.0).collect();
        let buffer = gpu.buffer(64, 4).init(&values)?;
        let of = |tones: Tones| {
            picture(gpu, &NodeColours { tones, ends: [-20.0, 43.0], ..look(&buffer, 1.0) }, [64, 4])
        };
        let logarithmic = Tones { logarithmic: true, lines: 0 };
        for (pixel, value) in of(logarithmic)?.iter().zip(&values) {
            let share = logarithmic.share(f64::from(*value), [-20.0, 43.0]);
            assert!((f64::from(pixel[0]) - 127.5 * share).abs() <= 1.0, "{value}: {pixel:?}, share {share}");
        }
        // Three lines divide 63 numbers into four parts, which no number of a node is.
        let (plain, lined) = (of(Tones::default())?, of(Tones { logarithmic: false, lines: 4 })?);
        let lies: Vec<usize> = (0..64).filter(|x| plain[64 + x] != lined[64 + x]).collect();
        let near = |x: &usize| {
            [0.0, 15.75, 31.5, 47.25, 63.0].iter().any(|line: &f64| (line - *x as f64).abs() < 1.3)
        };
        assert!(lies.len() >= 3 && lies.iter().all(near), "{lies:?}");
        // A plain that lies on a line is none.
        let even = gpu.buffer(64, 4).init(&[-4.25; 64 * 4])?;
        let of = |lines: u32| {
            let tones = Tones { logarithmic: false, lines };
            picture(gpu, &NodeColours { tones, ends: [-20.0, 43.0], ..look(&even, 1.0) }, [64, 4])
        };
        assert!(of(0)? == of(4)?);
        Ok(())
    })
}

#[test]
fn a_line_lies_where_the_numbers_pass_its_level_and_nowhere_else() -> Result<()> {
    on_gpu(|gpu| {
        let values: Vec<f32> = (0..32 * 8).map(|node| (node % 32) as f32).collect();
        let buffer = gpu.buffer(32, 8).init(&values)?;
        // The second level is reached nowhere.
        let contours = [10.0, 200.0];
        let found = picture(gpu, &NodeColours { contours: &contours, ..look(&buffer, 255.0) }, [32, 8])?;
        for row in found.chunks(32) {
            let bright: Vec<usize> = (0..32).filter(|x| row[*x][0] > 60).collect();
            assert_eq!(bright, [9, 10, 11]);
        }
        // A plain that lies at a level is no line.
        let plain = gpu.buffer(32, 8).init(&[10.0; 32 * 8])?;
        let found = picture(gpu, &NodeColours { contours: &contours, ..look(&plain, 255.0) }, [32, 8])?;
        assert!(found.iter().all(|pixel| pixel[0] < 60));
        Ok(())
    })
}

#[test]
fn arrows_point_along_their_field_and_the_longest_fills_its_place() -> Result<()> {
    on_gpu(|gpu| {
        let zero = gpu.buffer(64, 64).init(&vec![0.0; 64 * 64])?;
        let one = gpu.buffer(64, 64).init(&vec![3.0; 64 * 64])?;
        let white = |arrows: [&Buffer; 2]| -> Result<Vec<bool>> {
            let found = picture(gpu, &NodeColours { arrows: Some(arrows), ..look(&zero, 1.0) }, [640, 640])?;
            Ok(found.iter().map(|pixel| pixel[0] > 200).collect())
        };
        let along = white([&one, &zero])?;
        let up = white([&zero, &one])?;
        assert!(along.contains(&true));
        // Places of 3.2 nodes, 32 pixels: the middle of the first one, and its tip to the right of it or above it.
        let at = |found: &[bool], x: usize, y: usize| found[(639 - y) * 640 + x];
        assert!(at(&along, 16, 16) && at(&along, 28, 16) && !at(&along, 16, 28));
        assert!(at(&up, 16, 16) && at(&up, 16, 28) && !at(&up, 28, 16));
        // Its head is wider than its other end.
        assert!(at(&along, 22, 19) && !at(&along, 8, 19));
        assert!(!white([&zero, &zero])?.contains(&true));
        Ok(())
    })
}

#[test]
fn a_curve_goes_through_its_nodes_and_moments_lie_in_their_order() -> Result<()> {
    on_gpu(|gpu| {
        let mut nodes = Nodes::new(gpu, &[[255; 3]; 256])?;
        let rows = gpu.buffer(5, 4).edges(Edges::Repeat).init(&[f32::NAN; 20])?;
        for (row, value) in [(2, 0.0), (3, 1.0), (0, 2.0)] {
            let values = gpu.buffer(5, 1).init(&[value, value, 4.0 - value, value, value])?;
            nodes.keep_row(&values, &rows, row)?;
        }
        let curve = NodeCurve { rows: &rows, row: 0, earlier: 0, apart: 1, ends: [0.0, 4.0] };
        let found = pixels(&nodes.curve_picture(&curve, [101, 100])?);
        // u = 2 everywhere: the middle of the picture, bright, and nothing above it.
        for x in 0..101 {
            assert!(found[50 * 101 + x][0] > 200 || found[49 * 101 + x][0] > 200, "{x}");
            assert!(found[30 * 101 + x][0] < 60, "{x}");
        }
        // Row 3 has a peak of 3 above the middle.
        let curve = NodeCurve { row: 3, ..curve };
        let found = pixels(&nodes.curve_picture(&curve, [101, 100])?);
        let lit = |x: usize| (0..100).filter(|y| found[y * 101 + x][0] > 200).min();
        assert!(lit(50) < lit(25) && lit(25) == lit(75) && lit(0) == lit(100) && lit(25) < Some(72));
        // The ring begins behind its newest row: one that was never written, then those of 0, 1 and 2.
        let ring = NodeColours { ring: Some(1), ..look(&rows, 4.0) };
        let mut greys = Nodes::new(gpu, &grey())?;
        let found = pixels(&greys.picture(&ring, [5, 4])?);
        let shades: Vec<[u8; 3]> = found.chunks(5).map(|row| [row[0][0], row[0][1], row[0][2]]).collect();
        assert_eq!(shades, [[255, 0, 0], [0; 3], [32; 3], [64; 3]]);
        Ok(())
    })
}

#[test]
fn heights_are_turned_and_lie_about_0() -> Result<()> {
    on_gpu(|gpu| {
        let values = gpu.buffer(2, 3).init(&counting(6))?;
        let heights = gpu.buffer(2, 3).build()?;
        Nodes::new(gpu, &grey())?.heights(&values, [0.0, 4.0], &heights)?;
        assert_eq!(heights.data()?, [1.0, 1.5, 0.0, 0.5, -1.0, -0.5]);
        Ok(())
    })
}

#[test]
fn a_framebuffer_has_y_upward_too() -> Result<()> {
    on_gpu(|gpu| {
        let values = gpu.buffer(1, 2).init(&[0.0, 255.0])?;
        let target = gpu.context().texture(quadrille::gl::Shape {
            width: 1,
            height: 2,
            format: quadrille::gl::Format::Rgba8,
        })?;
        let place = Rect::whole(1, 2);
        Nodes::new(gpu, &grey())?.draw(&look(&values, 255.0), Some(target.framebuffer()), place)?;
        // Row 0 of a framebuffer is the lowest of a screen.
        let found = pixels(&target.read_bytes()?);
        assert_eq!(found, [[0, 0, 0, 255], [127, 127, 127, 255]]);
        Ok(())
    })
}

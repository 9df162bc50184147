//! Depth and stencil: which fragments get through, and which surfaces are refused.

use quadrille::gl::{Compare, DepthStencil, DepthTest, Mask, StencilTest};
use quadrille::{Buffer, Gpu, Program, Rect, Result};

use crate::support::{SIZES, counting, on_gpu, refusal};

fn depth(compare: Compare, write: bool) -> Mask {
    Mask { depth: Some(DepthTest { compare, write }), stencil: None }
}

fn stencil(compare: Compare, reference: u8, write: bool) -> Mask {
    Mask { depth: None, stencil: Some(StencilTest { compare, reference, write }) }
}

/// Writes its constant.
fn constant(gpu: &Gpu) -> Result<Program> {
    gpu.program("constant.frag", "uniform float c; RANGE float r; void main() { r = c; }")
}

/// Where the constant got through, as one character a texel.
fn drawn(target: &Buffer) -> Result<String> {
    let characters = target.data()?.into_iter().map(|v| char::from(b'.' + v as u8));
    Ok(characters.collect())
}

#[test]
fn a_new_surface_lies_at_depth_1_and_stencil_0() -> Result<()> {
    on_gpu(|gpu| {
        let mut one = constant(gpu)?;
        one.bind_float("c", 1.0)?;
        for &(width, height) in SIZES {
            let all = ".".repeat(width as usize * height as usize).replace('.', "/");
            for (mask, through) in [
                (depth(Compare::Less, false), true),
                (stencil(Compare::Equal, 0, false), true),
                (stencil(Compare::NotEqual, 0, false), false),
            ] {
                let surface = gpu.depth_stencil(width, height)?;
                let target = gpu.buffer(width, height).build()?;
                one.onto(&[&target]).masked(&surface, mask, 0.75).run()?;
                assert_eq!(drawn(&target)? == all, through, "{mask:?} at {width}x{height}");
            }
        }
        Ok(())
    })
}

/// A mask of its own for each quarter of an 8 × 8 surface: the stencil holds x > 3 + 2 (y > 3).
fn quarters(gpu: &Gpu, target: &Buffer, program: &Program) -> Result<DepthStencil> {
    let surface = gpu.depth_stencil(8, 8)?;
    surface.clear(1.0, 0)?;
    for (reference, range) in
        [(1, Rect::new(4, 0, 8, 4)), (2, Rect::new(0, 4, 4, 8)), (3, Rect::new(4, 4, 8, 8))]
    {
        let mask = stencil(Compare::Always, reference, true);
        program.onto(&[target]).over(range).masked(&surface, mask, 0.0).run()?;
    }
    Ok(surface)
}

#[test]
fn the_stencil_culls_by_every_comparison() -> Result<()> {
    on_gpu(|gpu| {
        let mut program = constant(gpu)?;
        program.bind_float("c", 0.0)?;
        let target = gpu.buffer(8, 8).build()?;
        let surface = quarters(gpu, &target, &program)?;
        for compare in [Compare::Always, Compare::Less, Compare::Equal, Compare::NotEqual] {
            for reference in 0..=4 {
                target.write(&[0.0; 64])?;
                program.bind_float("c", 1.0)?;
                let mask = stencil(compare, reference, false);
                program.onto(&[&target]).masked(&surface, mask, 0.0).run()?;
                for (i, found) in target.data()?.into_iter().enumerate() {
                    let stored = u8::from(i % 8 > 3) + 2 * u8::from(i / 8 > 3);
                    let through = match compare {
                        Compare::Always => true,
                        Compare::Less => reference < stored,
                        Compare::Equal => reference == stored,
                        Compare::NotEqual => reference != stored,
                    };
                    assert_eq!(found, f32::from(u8::from(through)), "{compare:?} {reference} at {i}");
                }
            }
        }
        Ok(())
    })
}

#[test]
fn the_stencil_keeps_what_a_pass_may_not_write() -> Result<()> {
    on_gpu(|gpu| {
        let mut program = constant(gpu)?;
        program.bind_float("c", 1.0)?;
        let (target, scrap) = (gpu.buffer(4, 1).build()?, gpu.buffer(4, 1).build()?);
        let surface = gpu.depth_stencil(4, 1)?;
        let left = Rect::new(0, 0, 2, 1);
        program.onto(&[&scrap]).over(left).masked(&surface, stencil(Compare::Always, 1, true), 0.0).run()?;
        program.onto(&[&scrap]).masked(&surface, stencil(Compare::Always, 9, false), 0.0).run()?;
        // Culled fragments write nothing either.
        program.onto(&[&scrap]).masked(&surface, stencil(Compare::Equal, 7, true), 0.0).run()?;
        program.onto(&[&target]).masked(&surface, stencil(Compare::Equal, 1, false), 0.0).run()?;
        assert_eq!(drawn(&target)?, "//..");
        Ok(())
    })
}

#[test]
fn near_quads_hide_far_ones() -> Result<()> {
    on_gpu(|gpu| {
        let mut program = constant(gpu)?;
        let target = gpu.buffer(8, 1).build()?;
        let surface = gpu.depth_stencil(8, 1)?;
        let mut draw = |c: f32, x0, x1, lies_at: f32, compare, write| {
            program.bind_float("c", c)?;
            let range = Rect::new(x0, 0, x1, 1);
            program.onto(&[&target]).over(range).masked(&surface, depth(compare, write), lies_at).run()
        };
        draw(1.0, 0, 6, 0.5, Compare::Less, true)?;
        draw(2.0, 2, 8, 0.7, Compare::Less, true)?; // behind the first, before nothing
        draw(3.0, 3, 4, 0.2, Compare::Less, true)?; // before the first
        draw(4.0, 0, 8, 0.5, Compare::Equal, false)?; // where the first still is
        draw(5.0, 1, 2, 0.1, Compare::Less, false)?; // written over, but its depth is not
        draw(6.0, 1, 2, 0.3, Compare::Less, true)?;
        draw(0.0, 7, 8, 0.0, Compare::Less, true)?;
        draw(7.0, 7, 8, 0.0, Compare::Less, true)?; // equal is not less
        assert_eq!(target.data()?, [4.0, 6.0, 4.0, 3.0, 4.0, 4.0, 2.0, 0.0]);
        Ok(())
    })
}

#[test]
fn a_surface_is_cleared_to_any_values() -> Result<()> {
    on_gpu(|gpu| {
        let mut program = constant(gpu)?;
        program.bind_float("c", 1.0)?;
        let target = gpu.buffer(3, 3).init(&counting(9))?;
        let surface = gpu.depth_stencil(3, 3)?;
        surface.clear(0.5, 200)?;
        assert_eq!(target.data()?, counting(9), "the colour beside it stays");
        for (mask, lies_at, through) in [
            (depth(Compare::Less, false), 0.6, false),
            (depth(Compare::Less, false), 0.4, true),
            (stencil(Compare::Equal, 200, false), 0.9, true),
            (stencil(Compare::Equal, 0, false), 0.1, false),
        ] {
            target.write(&[0.0; 9])?;
            program.onto(&[&target]).masked(&surface, mask, lies_at).run()?;
            assert_eq!(drawn(&target)? == "/////////", through, "{mask:?} at {lies_at}");
        }
        Ok(())
    })
}

#[test]
fn a_mask_ends_with_its_pass() -> Result<()> {
    on_gpu(|gpu| {
        let mut program = constant(gpu)?;
        program.bind_float("c", 1.0)?;
        let target = gpu.buffer(2, 2).build()?;
        let surface = gpu.depth_stencil(2, 2)?;
        let nothing =
            Mask { stencil: stencil(Compare::Equal, 1, true).stencil, ..depth(Compare::Less, false) };
        program.onto(&[&target]).masked(&surface, nothing, 0.0).run()?;
        assert_eq!(drawn(&target)?, "....");
        program.run(&target)?;
        assert_eq!(drawn(&target)?, "////");
        Ok(())
    })
}

#[test]
fn several_targets_share_a_mask_and_surfaces_come_and_go() -> Result<()> {
    on_gpu(|gpu| {
        let text = "RANGE float a; RANGE vec4 b; void main() { a = 1.0; b = vec4(1.0); }";
        let two = gpu.program("two.frag", text)?;
        for &(width, height) in SIZES {
            let (a, b) = (gpu.buffer(width, height), gpu.buffer(width, height).components(4));
            let (a, b) = (a.build()?, b.build()?);
            let surface = gpu.depth_stencil(width, height)?;
            let corner = Rect::new(width - 1, height - 1, width, height);
            let (mark, marked) = (stencil(Compare::Always, 1, true), stencil(Compare::Equal, 1, false));
            two.onto(&[&a, &b]).over(corner).masked(&surface, mark, 0.0).run()?;
            a.write(&vec![0.0; a.len()])?;
            two.onto(&[&a, &b]).masked(&surface, marked, 0.0).run()?;
            let mut expected = vec![0.0; a.len()];
            expected[a.len() - 1] = 1.0;
            assert_eq!(a.data()?, expected);
            assert_eq!(b.data()?.iter().sum::<f32>(), 4.0);
        }
        Ok(())
    })
}

#[test]
fn surfaces_of_another_size_or_context_are_refused() -> Result<()> {
    on_gpu(|gpu| {
        let mut program = constant(gpu)?;
        program.bind_float("c", 1.0)?;
        let target = gpu.buffer(4, 4).build()?;
        let mask = depth(Compare::Less, false);
        let smaller = gpu.depth_stencil(4, 3)?;
        assert_eq!(
            refusal(program.onto(&[&target]).masked(&smaller, mask, 0.0).run()),
            "constant.frag: depth-stencil surface 4x3, expected the size and context of the target"
        );
        let other = Gpu::headless()?;
        let foreign = other.depth_stencil(4, 4)?;
        let line = refusal(program.onto(&[&target]).masked(&foreign, mask, 0.0).run());
        assert!(line.contains("expected the size and context"), "{line}");
        assert!(refusal(gpu.depth_stencil(0, 4)).contains("has no elements"));
        Ok(())
    })
}

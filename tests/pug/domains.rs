//! Domains: what each fragment reads; ranges: what a pass writes.

use quadrille::pug::Domain;
use quadrille::{Buffer, Gpu, Rect, Result};

use crate::support::{COPY, SIZES, copying, counting, on_gpu, refusal};

/// The position that each fragment is handed, as pairs.
fn positions(gpu: &Gpu, target: (u32, u32), domain: Option<Domain>) -> Result<Vec<f32>> {
    let found = gpu.buffer(target.0, target.1).components(2).build()?;
    let text = "DOMAIN at; RANGE vec2 position; void main() { position = at; }";
    let mut program = gpu.program("position.frag", text)?;
    if let Some(domain) = domain {
        program.bind_domain("at", domain)?;
    }
    program.run(&found)?;
    found.data()
}

/// The rasterizer interpolates from 0 to twice the side: two slopes, two products and two sums round by at
/// most 2⁻²⁴ of that, half of them for each axis. A fetch needs the position within half a texel.
#[test]
fn an_unbound_domain_gives_texel_centres_up_to_the_texture_limit() -> Result<()> {
    on_gpu(|gpu| {
        let side = gpu.limits().texture_size;
        for &(width, height) in SIZES.iter().chain(&[(2048, 1), (1, 2048), (side, 1), (1, side)]) {
            let bound = 3.0 * 2.0 * width.max(height) as f32 * 2f32.powi(-24);
            for (i, found) in positions(gpu, (width, height), None)?.chunks_exact(2).enumerate() {
                let (x, y) = (i as u32 % width, i as u32 / width);
                let miss = (found[0] - x as f32 - 0.5).abs().max((found[1] - y as f32 - 0.5).abs());
                assert!(miss <= bound, "{found:?} at {x},{y} of {width}x{height}");
            }
        }
        Ok(())
    })
}

#[test]
fn every_element_reads_itself_up_to_the_texture_limit() -> Result<()> {
    on_gpu(|gpu| {
        let side = gpu.limits().texture_size;
        for (width, height) in [(side, 1), (1, side), (side, 3), (5, side - 1)] {
            let source = gpu.buffer(width, height).init(&counting(width as usize * height as usize))?;
            let target = gpu.buffer(width, height).build()?;
            copying(gpu, &source)?.run(&target)?;
            assert!(target.data()? == source.data()?, "{width}x{height}");
        }
        Ok(())
    })
}

/// Copies `source` through a domain onto a target of another size, and compares with element (x, y) of a rule.
fn reads(
    gpu: &Gpu,
    source: &Buffer,
    domain: Domain,
    (width, height): (u32, u32),
    rule: impl Fn(u32, u32) -> (u32, u32),
) -> Result<()> {
    let target = gpu.buffer(width, height).build()?;
    copying(gpu, source)?.bind_domain("at", domain)?.run(&target)?;
    let (values, found) = (source.data()?, target.data()?);
    for (i, found) in found.into_iter().enumerate() {
        let (x, y) = rule(i as u32 % width, i as u32 / width);
        assert_eq!(found, values[(y * source.width() + x) as usize], "texel {i} of {width}x{height}");
    }
    Ok(())
}

#[test]
fn domains_magnify_minify_and_turn_over() -> Result<()> {
    on_gpu(|gpu| {
        for &(width, height) in SIZES {
            let source = gpu.buffer(width, height).init(&counting(width as usize * height as usize))?;
            let (w, h) = (width as f32, height as f32);
            // (x + 1/2) / 3 and 3 (x + 1/2) are never nearer than 1/6 texel to an edge between texels.
            let whole = Domain::new(0.0, 0.0, w, h);
            reads(gpu, &source, whole, (3 * width, 3 * height), |x, y| (x / 3, y / 3))?;
            let thirds = (width / 3 * 3, height / 3 * 3);
            if thirds.0 * thirds.1 > 0 {
                let domain = Rect::whole(thirds.0, thirds.1).into();
                reads(gpu, &source, domain, (width / 3, height / 3), |x, y| (3 * x + 1, 3 * y + 1))?;
            }
            let flipped = Domain::new(0.0, h, w, 0.0);
            reads(gpu, &source, flipped, (width, height), |x, y| (x, height - 1 - y))?;
            let turned = Domain::new(w, h, 0.0, 0.0);
            reads(gpu, &source, turned, (width, height), |x, y| (width - 1 - x, height - 1 - y))?;
            let corner = Domain::new(w - 1.0, h - 1.0, w, h);
            reads(gpu, &source, corner, (1, 1), |_, _| (width - 1, height - 1))?;
        }
        Ok(())
    })
}

#[test]
fn eight_domains_of_one_kernel_are_told_apart() -> Result<()> {
    on_gpu(|gpu| {
        let source = gpu.buffer(16, 16).init(&counting(256))?;
        let target = gpu.buffer(9, 7).build()?;
        let terms: Vec<String> = (0..8).map(|i| format!("{}.0 * value2(a, d{i}).x", 1 << i)).collect();
        let names: Vec<String> = (0..8).map(|i| format!("d{i}")).collect();
        let text = format!(
            "uniform Stream a; DOMAIN {}; RANGE float sum; void main() {{ sum = {}; }}",
            names.join(", "),
            terms.join(" + ")
        );
        let mut program = gpu.program("eight.frag", &text)?;
        program.bind_stream("a", &source)?;
        for i in 1..8 {
            // The first stays unbound: the range.
            program.bind_domain(&format!("d{i}"), Rect::new(i, 8 - i, i + 9, 15 - i))?;
        }
        program.run(&target)?;
        for (t, found) in target.data()?.into_iter().enumerate() {
            let (x, y) = (t % 9, t / 9);
            let at = |i: usize| if i == 0 { y * 16 + x } else { (y + 8 - i) * 16 + x + i };
            assert_eq!(found, (0..8).map(|i| (at(i) << i) as f32).sum::<f32>());
        }
        Ok(())
    })
}

#[test]
fn only_the_range_is_written() -> Result<()> {
    on_gpu(|gpu| {
        for &(width, height) in SIZES {
            let source = gpu.buffer(width, height).init(&counting(width as usize * height as usize))?;
            let copy = copying(gpu, &source)?;
            let middle = Rect::new(width / 3, height / 3, width - width / 3, height - height / 3);
            for range in [
                Rect::new(0, 0, 1, 1),
                Rect::new(width - 1, height - 1, width, height),
                Rect::new(0, height / 2, width, height / 2 + 1),
                middle,
            ] {
                let target = gpu.buffer(width, height).init(&vec![-1.0; source.len()])?;
                copy.run_over(&target, range)?;
                for (i, found) in target.data()?.into_iter().enumerate() {
                    let (x, y) = (i as u32 % width, i as u32 / width);
                    let inside = (range.x0..range.x1).contains(&x) && (range.y0..range.y1).contains(&y);
                    assert_eq!(found, if inside { i as f32 } else { -1.0 }, "{x},{y} for {range}");
                }
            }
        }
        Ok(())
    })
}

#[test]
fn ranges_outside_the_target_and_empty_ones_are_refused() -> Result<()> {
    on_gpu(|gpu| {
        let (source, target) = (gpu.buffer(4, 3).init(&counting(12))?, gpu.buffer(4, 3).build()?);
        let copy = copying(gpu, &source)?;
        let line = "copy.frag: range 0,0,4,4 leaves the 4x3 target";
        assert_eq!(refusal(copy.run_over(&target, Rect::new(0, 0, 4, 4))), line);
        let line = "copy.frag: range 3,0,2,3: size 0x3 has no elements";
        assert_eq!(refusal(copy.run_over(&target, Rect::new(3, 0, 2, 3))), line);
        assert_eq!(target.data()?, [0.0; 12]);
        Ok(())
    })
}

#[test]
fn domains_that_are_not_finite_are_refused() -> Result<()> {
    on_gpu(|gpu| {
        let mut copy = gpu.program("copy.frag", COPY)?;
        let line = refusal(copy.bind_domain("at", Domain::new(0.0, f32::NAN, 1.0, 1.0)));
        assert_eq!(line, "domain = [0.0, NaN, 1.0, 1.0]: expected finite corners");
        Ok(())
    })
}

/// The loader rewrites fetches at a domain: names that mean something else must be left alone.
#[test]
fn fetches_mean_what_they_say_whatever_the_names() -> Result<()> {
    on_gpu(|gpu| {
        let a = gpu.buffer(4, 1).init(&[1.0, 2.0, 3.0, 4.0])?;
        let b = gpu.buffer(4, 1).init(&[11.0, 12.0, 13.0, 14.0])?;
        let target = gpu.buffer(4, 1).build()?;
        let next = [2.0, 3.0, 4.0, 4.0];
        for (body, expected) in [
            ("void main() { r = value2(a, p + vec2(1.0, 0.0)).x; }", next),
            ("#define AT(p) value2(a, p).x\nvoid main() { r = AT(p + vec2(1.0, 0.0)); }", next),
            ("#define TAP(s, c) value2(s, c).x\nvoid main() { r = TAP(a, p + vec2(1.0, 0.0)); }", next),
            ("#define AT(a) value2(a, p).x\nvoid main() { r = AT(b); }", [11.0, 12.0, 13.0, 14.0]),
            ("float f(vec2 p) { return value2(a, p).x; } void main() { r = f(p + vec2(1.0, 0.0)); }", next),
            ("void main() { vec2 q = p, p = q + vec2(1.0, 0.0); r = value2(a, p).x; }", next),
            (
                "float f(Stream a) { return value2(a, p).x; } void main() { r = f(b); }",
                [11.0, 12.0, 13.0, 14.0],
            ),
            ("void main() { r = valueOffset(a,\n p,\n ivec2(1, 0)).x; }", next),
        ] {
            let text = format!("uniform Stream a, b; DOMAIN p; RANGE float r;\n{body}");
            let mut program = gpu.program("names.frag", &text)?;
            for (name, buffer) in [("a", &a), ("b", &b)] {
                if program.names().streams.contains(&name) {
                    program.bind_stream(name, buffer)?;
                }
            }
            program.run(&target)?;
            assert_eq!(target.data()?, expected, "{body}");
        }
        Ok(())
    })
}

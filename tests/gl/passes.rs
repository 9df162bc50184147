//! Passes with missing parts, surplus parts or parts of another context are refused before a call of OpenGL.

use std::rc::Rc;

use quadrille::gl::{Blend, Edges, Format, Geometry, Kernel, Linked, Mask, Pass, Rounding, Shape, Texture};
use quadrille::{Gpu, Rect, Result};

use crate::support::{on_gpu, refusal};

const WHOLE: Rect = Rect::whole(2, 2);

fn texture(gpu: &Gpu) -> Result<Texture> {
    let texture = gpu.context().texture(Shape { width: 2, height: 2, format: Format::R32F })?;
    texture.upload(WHOLE, &[1.0, 2.0, 3.0, 4.0])?;
    Ok(texture)
}

fn kernel(gpu: &Gpu) -> Result<Rc<Linked>> {
    let text = "uniform Stream source; uniform float factor; DOMAIN at; RANGE float r;
                void main() { r = factor * value2(source, at + 0.0).x; }";
    gpu.context().compile(&Kernel::new("k.frag", text), Rounding::None)
}

/// A pass that lacks nothing: twice the source.
fn twice<'a>(gpu: &'a Gpu, source: &'a Texture) -> Result<Pass<'a>> {
    let mut pass = gpu.context().pass(kernel(gpu)?);
    pass.streams([source]).constants(&[[2.0, 0.0, 0.0, 0.0]]).domains(&[[0.0, 0.0, 2.0, 2.0]]);
    Ok(pass)
}

#[test]
fn a_pass_that_lacks_something_is_refused() -> Result<()> {
    on_gpu(|gpu| {
        let (source, target) = (texture(gpu)?, texture(gpu)?);
        let twice = || twice(gpu, &source);
        twice()?.onto(&[&target])?;
        let doubled = [2.0, 4.0, 6.0, 8.0];
        assert_eq!(target.read(WHOLE)?, doubled);
        for (lacking, line) in [
            (twice()?.domains(&[]), "k.frag: domain \"at\" is not bound"),
            (twice()?.constants(&[]), "k.frag: constant \"factor\" is not bound"),
            (&mut gpu.context().pass(kernel(gpu)?), "k.frag: stream \"source\" is not bound"),
        ] {
            assert_eq!(refusal(lacking.onto(&[&target])), line);
        }
        let line = refusal(twice()?.over(Rect::new(1, 0, 3, 2)).onto(&[&target]));
        assert!(line.contains("1,0,3,2") && line.contains("2x2"), "{line}");
        let line = "k.frag: number of vertices is 2147483648, the limit is 2147483647";
        let many = Geometry::CountedPoints(1 << 31);
        assert_eq!(refusal(twice()?.geometry(many).onto(&[&target])), line);
        assert_eq!(target.read(WHOLE)?, doubled, "nothing was drawn");
        Ok(())
    })
}

/// Streams and constants go by their order: one that the compiler left out would shift those after it.
#[test]
fn what_the_compiler_left_out_is_not_taken_for_what_comes_after_it() -> Result<()> {
    on_gpu(|gpu| {
        let (first, second, target) = (texture(gpu)?, texture(gpu)?, texture(gpu)?);
        second.upload(WHOLE, &[5.0; 4])?;
        let text = "uniform Stream first, second; uniform float a, b; DOMAIN at; RANGE float r;
                    void main() { r = b + value2(second, at + 0.0).x; }";
        let kernel = gpu.context().compile(&Kernel::new("k.frag", text), Rounding::None)?;
        let pass = || gpu.context().pass(kernel.clone());
        let given = |streams, constants| {
            let line = format!(
                "k.frag: {streams} streams and {constants} constants are given, the compiler left 1 and 1"
            );
            move |refused: String| assert!(refused.contains(&line), "{refused}")
        };
        let constants = [[0.0; 4]; 2];
        given(2, 1)(refusal(pass().streams([&first, &second]).constants(&constants[..1]).onto(&[&target])));
        given(1, 2)(refusal(pass().streams([&second]).constants(&constants).onto(&[&target])));
        given(20, 1)(refusal(pass().streams([&second; 20]).constants(&constants[..1]).onto(&[&target])));
        pass().streams([&second]).constants(&constants[..1]).onto(&[&target])?;
        assert_eq!(target.read(WHOLE)?, [5.0; 4]);
        Ok(())
    })
}

#[test]
fn what_is_not_said_of_a_pass_is_all_of_the_target_clamped_and_replaced() -> Result<()> {
    on_gpu(|gpu| {
        let (source, target) = (texture(gpu)?, texture(gpu)?);
        let text = "uniform Stream source; DOMAIN at; RANGE float r;
                    void main() { r = value2(source, at - vec2(1.0, 0.0)).x; }";
        let kernel = gpu.context().compile(&Kernel::new("k.frag", text), Rounding::None)?;
        let pass = || gpu.context().pass(kernel.clone());
        (0..2).try_for_each(|_| pass().streams([&source]).onto(&[&target]))?;
        assert_eq!(target.read(WHOLE)?, [1.0, 1.0, 3.0, 3.0]);
        pass().streams_by(Edges::Repeat, [&source]).onto(&[&target])?;
        assert_eq!(target.read(WHOLE)?, [2.0, 1.0, 4.0, 3.0]);
        // Domains are the range, where that is said and they are not, and nothing else is written.
        target.clear([0.0; 4]);
        pass().streams_by(Edges::Repeat, [&source]).over(Rect::whole(1, 1)).onto(&[&target])?;
        assert_eq!(target.read(WHOLE)?, [2.0, 0.0, 0.0, 0.0]);
        target.clear([0.0; 4]);
        pass()
            .streams([&source])
            .over(Rect::new(1, 1, 2, 2))
            .domains(&[[1.0, 0.0, 2.0, 1.0]])
            .onto(&[&target])?;
        assert_eq!(target.read(WHOLE)?, [0.0, 0.0, 0.0, 1.0]);
        Ok(())
    })
}

#[test]
fn targets_that_do_not_fit_the_kernel_are_refused() -> Result<()> {
    on_gpu(|gpu| {
        let (source, target) = (texture(gpu)?, texture(gpu)?);
        let twice = || twice(gpu, &source);
        let line = "k.frag: 10 targets, expected 1, one for each RANGE";
        assert_eq!(refusal(twice()?.onto(&[&target; 10])), line);
        let line = "k.frag: 0 targets, expected 1, one for each RANGE";
        assert_eq!(refusal(twice()?.onto(&[])), line);
        let two = "RANGE float r; RANGE float s; void main() { r = s = 1.0; }";
        let two = gpu.context().compile(&Kernel::new("two.frag", two), Rounding::None)?;
        let line = refusal(gpu.context().pass(two).onto(&[&target, &target]));
        assert_eq!(line, "two.frag: texture 2x2 R32F twice, expected different targets");
        // A texture that is read is not written, as a target or by its framebuffer.
        let line = refusal(twice()?.onto(&[&source]));
        assert!(line.contains("source") && line.contains("texture 2x2 R32F"), "{line}");
        assert_eq!(refusal(twice()?.over(WHOLE).onto_framebuffer(Some(source.framebuffer()))), line);
        let far = refusal(twice()?.over(Rect::whole(1 << 31, 1)).onto_framebuffer(None));
        assert!(far.contains("0,0,2147483648,1"));
        assert_eq!(source.read(WHOLE)?, [1.0, 2.0, 3.0, 4.0]);
        Ok(())
    })
}

/// A vertex buffer of another context has a name that may be that of a smaller one here.
#[test]
fn nothing_of_another_context_is_drawn_with() -> Result<()> {
    on_gpu(|ours| {
        on_gpu(|theirs| {
            let (source, target) = (texture(ours)?, texture(ours)?);
            let (their_source, their_target) = (texture(theirs)?, texture(theirs)?);
            let line = |what: &str| format!("{what} belongs to another context");
            let mut foreign = ours.context().pass(kernel(theirs)?);
            foreign.streams([&source]).constants(&[[2.0; 4]]);
            assert_eq!(refusal(foreign.onto(&[&target])), line("program"));
            assert_eq!(refusal(twice(ours, &their_source)?.onto(&[&target])), line("texture of a stream"));
            assert_eq!(refusal(twice(ours, &source)?.onto(&[&their_target])), line("target"));
            let surface = theirs.depth_stencil(2, 2)?;
            let mut masked = twice(ours, &source)?;
            masked.masked(&surface, Mask::default(), 0.0);
            assert_eq!(refusal(masked.onto(&[&target])), line("depth-stencil surface"));
            let vertex = Kernel::new("k.vert", "VERTEX vec2 p; void main() { scatter(p); }");
            let fragment = Kernel::new("k.frag", "RANGE float r; void main() { r = 1.0; }");
            let scatter = ours.context().compile_scatter(&vertex, &fragment, Rounding::None)?;
            let small = ours.vertices(&[("p", 2)], &[0.5, 0.5])?;
            let large = theirs.vertices(&[("p", 2)], &[0.5; 2_000_000])?;
            let mut points = ours.context().pass(scatter);
            assert_eq!(
                refusal(points.geometry(Geometry::Points(&large)).onto(&[&target])),
                line("vertex buffer")
            );
            points.geometry(Geometry::Points(&small)).onto(&[&target])?;
            assert_eq!(target.read(WHOLE)?, [1.0, 2.0, 3.0, 4.0]);
            Ok(())
        })
    })
}

/// Passes that differ in anything that OpenGL is told of only where it changed: program, target, range, streams, their edges, constants, blending. Each
/// is compared with what plain loops make of it, so a change that was lost shows in the pass after it.
#[test]
fn every_pass_is_drawn_with_its_own_state_whatever_was_drawn_before() -> Result<()> {
    on_gpu(|gpu| {
        let mut seed = 1u32;
        let mut draw = |below: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) % below
        };
        let shape = Shape { width: 2, height: 2, format: Format::R32F };
        let mut sources = Vec::new();
        let mut values: Vec<[f32; 4]> = Vec::new();
        for _ in 0..6 {
            let texels = [0; 4].map(|_| draw(10) as f32);
            let texture = gpu.context().texture(shape)?;
            texture.upload(WHOLE, &texels)?;
            sources.push(texture);
            values.push(texels);
        }
        let kernels = [1, 3, 4].map(|count| {
            let names: Vec<String> = (0..count).map(|i| format!("s{i}")).collect();
            let terms: String =
                (0..count).map(|i| format!(" + {:.1} * value2(s{i}, at + by).x", 10f32.powi(i))).collect();
            let text = format!(
                "uniform Stream {}; uniform vec2 by; uniform float base; DOMAIN at; RANGE float r;
                 void main() {{ r = base{terms}; }}",
                names.join(", ")
            );
            let kernel = Kernel::new("k.frag", text);
            gpu.context().compile(&kernel, Rounding::None).map(|kernel| (kernel, count as usize))
        });
        let kernels = kernels.into_iter().collect::<Result<Vec<_>>>()?;
        let targets = [gpu.context().texture(shape)?, gpu.context().texture(shape)?];
        let mut expected = [[0.0; 4]; 2];
        targets.iter().for_each(|target| target.clear([0.0; 4]));
        let inside = |edges: Edges, i: i32| match edges {
            Edges::Clamp => i.clamp(0, 1),
            Edges::Repeat => i.rem_euclid(2),
            Edges::Mirror => [0, 1, 1, 0][i.rem_euclid(4) as usize],
        } as usize;
        for number in 0..300 {
            let (kernel, count) = &kernels[draw(3) as usize];
            let place = draw(2) as usize;
            let by = [draw(5) as i32 - 2, draw(5) as i32 - 2];
            let base = draw(4) as f32;
            let x0 = draw(2);
            let range = Rect::new(x0, 0, 2, 1 + draw(2));
            let adds = gpu.limits().float_blend && draw(2) == 1;
            let edges = [Edges::Clamp, Edges::Repeat, Edges::Mirror][draw(3) as usize];
            let chosen: Vec<usize> = (0..*count).map(|_| draw(6) as usize).collect();
            gpu.context()
                .pass(kernel.clone())
                .streams_by(edges, chosen.iter().map(|&i| &sources[i]))
                .constants(&[[by[0] as f32, by[1] as f32, 0.0, 0.0], [base, 0.0, 0.0, 0.0]])
                .over(range)
                .blended(if adds { Blend::Add } else { Blend::Replace })
                .onto(&[&targets[place]])?;
            for (y, x) in (range.y0..range.y1).flat_map(|y| (range.x0..range.x1).map(move |x| (y, x))) {
                let texel = &mut expected[place][(2 * y + x) as usize];
                let at = [inside(edges, x as i32 + by[0]), inside(edges, y as i32 + by[1])];
                let terms = chosen
                    .iter()
                    .zip(0..)
                    .map(|(&i, power)| 10f32.powi(power) * values[i][2 * at[1] + at[0]]);
                *texel = base + terms.sum::<f32>() + if adds { *texel } else { 0.0 };
            }
            match draw(4) {
                0 => {
                    let i = draw(6) as usize;
                    values[i] = [0; 4].map(|_| draw(10) as f32);
                    sources[i].upload(WHOLE, &values[i])?;
                }
                1 => {
                    targets[1 - place].clear([7.0; 4]);
                    expected[1 - place] = [7.0; 4];
                }
                _ => assert_eq!(targets[place].read(WHOLE)?, expected[place], "pass {number}"),
            }
        }
        Ok(())
    })
}

/// Calls of a pass that changes nothing but its three textures: three bind them, two make another unit active, one draws.
#[test]
fn a_pass_begins_with_the_unit_that_is_active() -> Result<()> {
    on_gpu(|gpu| {
        let textures = (0..7).map(|_| texture(gpu)).collect::<Result<Vec<_>>>()?;
        let text = "uniform Stream a, b, c; DOMAIN at; RANGE float r;
                    void main() { r = value2(a, at).x + value2(b, at).x + value2(c, at).x; }";
        let kernel = gpu.context().compile(&Kernel::new("k.frag", text), Rounding::None)?;
        let draw = |first: usize| -> Result<u64> {
            let before = gpu.counters().calls;
            gpu.context().pass(kernel.clone()).streams(&textures[first..first + 3]).onto(&[&textures[6]])?;
            Ok(gpu.counters().calls - before)
        };
        draw(0)?;
        for first in [3, 0, 3, 0] {
            assert_eq!(draw(first)?, 6);
        }
        Ok(())
    })
}

//! Passes with missing parts, surplus parts or parts of another context are refused before a call of OpenGL.

use std::rc::Rc;

use quadrille::gl::{Edges, Format, Geometry, Kernel, Linked, Mask, Pass, Rounding, Shape, Texture};
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

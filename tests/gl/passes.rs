//! What a pass lacks, or has of another context, is refused before OpenGL hears of it.

use quadrille::gl::{
    Blend, Edges, Format, Geometry, Kernel, Mask, Pass, Program, Rounding, Shape, Target, Texture,
};
use quadrille::{Gpu, Rect, Result};

use crate::support::{on_gpu, refusal};

const WHOLE: Rect = Rect::whole(2, 2);

fn texture(gpu: &Gpu) -> Result<Texture> {
    let texture = gpu.context().texture(Shape { width: 2, height: 2, format: Format::R32F })?;
    texture.upload(WHOLE, &[1.0, 2.0, 3.0, 4.0])?;
    Ok(texture)
}

fn program(gpu: &Gpu) -> Result<Program> {
    let text = "uniform Stream source; uniform float factor; DOMAIN at; RANGE float r;
                void main() { r = factor * value2(source, at + 0.0).x; }";
    gpu.context().program(&Kernel::new("k.frag", text), Rounding::None)
}

/// A pass that lacks nothing: twice the source.
fn whole<'a>(
    program: &'a Program,
    streams: &'a [Option<(&'a Texture, Edges)>],
    targets: &'a [&'a Texture],
) -> Pass<'a> {
    Pass {
        program,
        streams,
        constants: &[[2.0, 0.0, 0.0, 0.0]],
        domains: &[[0.0, 0.0, 2.0, 2.0]],
        target: Target::Textures(targets),
        range: WHOLE,
        blend: Blend::Replace,
        depth_stencil: None,
        geometry: Geometry::Quad,
    }
}

#[test]
fn a_pass_that_lacks_something_is_refused() -> Result<()> {
    on_gpu(|gpu| {
        let (context, program) = (gpu.context(), program(gpu)?);
        let (source, target) = (texture(gpu)?, texture(gpu)?);
        let (streams, targets) = ([Some((&source, Edges::Clamp))], [&target]);
        let pass = whole(&program, &streams, &targets);
        context.draw(&pass)?;
        let doubled = [2.0, 4.0, 6.0, 8.0];
        assert_eq!(target.read(WHOLE)?, doubled);
        for (lacking, line) in [
            (Pass { domains: &[], ..pass }, "k.frag: domain \"at\" is not bound"),
            (Pass { constants: &[], ..pass }, "k.frag: constant \"factor\" is not bound"),
            (Pass { streams: &[], ..pass }, "k.frag: stream \"source\" is not bound"),
            (Pass { streams: &[None], ..pass }, "k.frag: stream \"source\" is not bound"),
        ] {
            assert_eq!(refusal(context.draw(&lacking)), line);
        }
        let range = Rect::new(1, 0, 3, 2);
        let line = refusal(context.draw(&Pass { range, ..pass }));
        assert!(line.contains("1,0,3,2") && line.contains("2x2"), "{line}");
        let many = Geometry::CountedPoints(1 << 31);
        let line = "k.frag: number of vertices is 2147483648, the limit is 2147483647";
        assert_eq!(refusal(context.draw(&Pass { geometry: many, ..pass })), line);
        assert_eq!(target.read(WHOLE)?, doubled, "nothing was drawn");
        Ok(())
    })
}

#[test]
fn targets_that_do_not_fit_the_kernel_are_refused() -> Result<()> {
    on_gpu(|gpu| {
        let (context, program) = (gpu.context(), program(gpu)?);
        let (source, target) = (texture(gpu)?, texture(gpu)?);
        let streams = [Some((&source, Edges::Clamp))];
        let line = "k.frag: 10 targets, expected 1, one for each RANGE";
        assert_eq!(refusal(context.draw(&whole(&program, &streams, &[&target; 10]))), line);
        let line = "k.frag: 0 targets, expected 1, one for each RANGE";
        assert_eq!(refusal(context.draw(&whole(&program, &streams, &[]))), line);
        let two = "RANGE float r; RANGE float s; void main() { r = s = 1.0; }";
        let two = context.program(&Kernel::new("two.frag", two), Rounding::None)?;
        let line = refusal(context.draw(&whole(&two, &[], &[&target, &target])));
        assert_eq!(line, "two.frag: texture 2x2 R32F twice, expected different targets");
        // What is read is not written, as a target or by its framebuffer.
        let line = refusal(context.draw(&whole(&program, &streams, &[&source])));
        assert!(line.contains("source") && line.contains("texture 2x2 R32F"), "{line}");
        let framebuffer = Target::Framebuffer(Some(source.framebuffer()));
        let pass = Pass { target: framebuffer, ..whole(&program, &streams, &[]) };
        assert_eq!(refusal(context.draw(&pass)), line);
        let far = Pass { range: Rect::whole(1 << 31, 1), target: Target::Framebuffer(None), ..pass };
        assert!(refusal(context.draw(&far)).contains("0,0,2147483648,1"));
        assert_eq!(source.read(WHOLE)?, [1.0, 2.0, 3.0, 4.0]);
        Ok(())
    })
}

/// A vertex buffer of another context has a name that may be that of a smaller one here.
#[test]
fn nothing_of_another_context_is_drawn_with() -> Result<()> {
    on_gpu(|ours| {
        on_gpu(|theirs| {
            let context = ours.context();
            let (mine, other) = (program(ours)?, program(theirs)?);
            let (source, target) = (texture(ours)?, texture(ours)?);
            let (their_source, their_target) = (texture(theirs)?, texture(theirs)?);
            let (streams, targets) = ([Some((&source, Edges::Clamp))], [&target]);
            let foreign = [Some((&their_source, Edges::Clamp))];
            let line = |what: &str| format!("{what} belongs to another context");
            let refused = |pass: &Pass| refusal(context.draw(pass));
            assert_eq!(refused(&whole(&other, &streams, &[&target])), line("program"));
            assert_eq!(refused(&whole(&mine, &foreign, &[&target])), line("texture of a stream"));
            assert_eq!(refused(&whole(&mine, &streams, &[&their_target])), line("target"));
            let surface = theirs.depth_stencil(2, 2)?;
            let depth_stencil = Some((&surface, Mask::default(), 0.0));
            let pass = Pass { depth_stencil, ..whole(&mine, &streams, &targets) };
            assert_eq!(refused(&pass), line("depth-stencil surface"));
            let kernels = |gpu: &Gpu| {
                let vertex = Kernel::new("k.vert", "VERTEX vec2 p; void main() { scatter(p); }");
                let fragment = Kernel::new("k.frag", "RANGE float r; void main() { r = 1.0; }");
                gpu.context().scatter_program(&vertex, &fragment, Rounding::None)
            };
            let scatter = kernels(ours)?;
            let small = ours.vertices(&[("p", 2)], &[0.5, 0.5])?;
            let large = theirs.vertices(&[("p", 2)], &[0.5; 2_000_000])?;
            let points = Pass { geometry: Geometry::Points(&large), ..whole(&scatter, &[], &targets) };
            assert_eq!(refused(&points), line("vertex buffer"));
            context.draw(&Pass { geometry: Geometry::Points(&small), ..points })?;
            assert_eq!(target.read(WHOLE)?, [1.0, 2.0, 3.0, 4.0]);
            Ok(())
        })
    })
}

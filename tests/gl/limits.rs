//! Limits of old cards: obeyed, and named in the refusal.

use quadrille::gl::Kernel;
use quadrille::{Gpu, Limits, Operator, Options, Result};

use crate::support::{on_card, on_gpu, refusal};

#[test]
fn cards_are_found_by_name_in_any_case() {
    let cards = [Limits::RADEON_9700, Limits::GEFORCE_FX, Limits::GEFORCE_6800];
    for card in cards {
        assert_eq!(Limits::named(card.name), Some(card));
        assert_eq!(Limits::named(&card.name.to_lowercase().replace('_', "-")), Some(card));
    }
    assert_eq!(Limits::named("VOODOO"), None);
    assert_eq!(Limits::named(""), None);
}

#[test]
fn a_card_cannot_exceed_its_driver() -> Result<()> {
    on_gpu(|gpu| {
        assert_eq!(gpu.limits(), gpu.driver_limits());
        let most = u32::MAX;
        let dream = Limits {
            texture_size: most,
            streams: most,
            targets: most,
            vertex_streams: most,
            ..Limits::GEFORCE_6800
        };
        let card = Gpu::headless_with(Options { limits: Some(dream), ..Options::default() })?;
        assert_eq!(card.limits().texture_size, gpu.limits().texture_size);
        assert_eq!(card.limits().streams, gpu.limits().streams);
        assert_eq!(card.limits().targets, gpu.limits().targets);
        assert_eq!(card.limits().name, "GEFORCE_6800");
        assert_eq!(card.driver_limits(), gpu.limits());
        Ok(())
    })
}

#[test]
fn textures_end_at_2048_on_a_radeon_9700() -> Result<()> {
    on_card(Limits::RADEON_9700, |gpu| {
        gpu.buffer(2048, 2).build()?;
        let line = "buffer 2049x1x1: width is 2049, the limit is 2048";
        assert_eq!(refusal(gpu.buffer(2049, 1).build()), line);
        let line = "buffer 1x4096x1: height is 4096, the limit is 2048";
        assert_eq!(refusal(gpu.buffer(1, 4096).build()), line);
        let line = "depth-stencil surface 4096x1: side is 4096, the limit is 2048";
        assert_eq!(refusal(gpu.depth_stencil(4096, 1)), line);
        // Longer arrays fold, as they did.
        let array = gpu.array(100_003).init(&vec![1.0; 100_003])?;
        assert_eq!(gpu.reduction(Operator::sum()).value(&array)?, [100_003.0]);
        assert!(refusal(gpu.array(2048 * 2048 + 1).build()).contains("the limit is 4194304"));
        Ok(())
    })
}

#[test]
fn a_geforce_fx_has_one_target() -> Result<()> {
    let text = "RANGE float a; RANGE float b; void main() { a = 1.0; b = 2.0; }";
    on_card(Limits::GEFORCE_FX, |gpu| {
        let line = "two.frag: number of RANGE outputs is 2, the limit is 1";
        assert_eq!(refusal(gpu.program("two.frag", text)), line);
        gpu.program("one.frag", "RANGE float a; void main() { a = 1.0; }")?;
        Ok(())
    })?;
    on_card(Limits::RADEON_9700, |gpu| gpu.program("two.frag", text).map(drop))
}

#[test]
fn only_streams_that_are_used_count() -> Result<()> {
    let kernel = |used: usize| {
        let names: Vec<String> = (0..5).map(|i| format!("s{i}")).collect();
        let sum: Vec<String> = names[..used].iter().map(|n| format!("value2({n}, at).x")).collect();
        let (names, sum) = (names.join(", "), sum.join(" + "));
        format!("uniform Stream {names}; DOMAIN at; RANGE float r; void main() {{ r = {sum}; }}")
    };
    on_card(Limits { streams: 3, ..Limits::RADEON_9700 }, |gpu| {
        gpu.program("three.frag", &kernel(3))?;
        let line = "four.frag: number of streams is 4, the limit is 3";
        assert_eq!(refusal(gpu.program("four.frag", &kernel(4))), line);
        Ok(())
    })
}

#[test]
fn vertex_kernels_fetch_from_the_geforce_6800_on() -> Result<()> {
    let load = |gpu: &Gpu| {
        let vertex = "uniform Stream places; void main() { scatter(value2(places, vec2(0.5)).xy); }";
        let fragment = Kernel::new("one.frag", "RANGE float r; void main() { r = 1.0; }");
        gpu.load_scatter(Kernel::new("place.vert", vertex), fragment).map(drop)
    };
    on_card(Limits::GEFORCE_6800, load)?;
    on_card(Limits::GEFORCE_FX, |gpu| {
        let line = "one.frag: number of streams of the vertex kernel is 1, the limit is 0";
        assert_eq!(refusal(load(gpu)), line);
        Ok(())
    })
}

#[test]
fn probes_find_what_every_driver_here_has() -> Result<()> {
    on_gpu(|gpu| {
        let probes = gpu.probes()?.clone();
        assert_eq!(probes.exact_addressing, gpu.limits().texture_size);
        assert!(probes.infinity && probes.highp);
        assert_eq!(gpu.probes()?, &probes);
        // The same questions in a kernel of one's own: (1 + 2^-12)^2 - (1 + 2^-11) is 2^-24, or 0 if the square is rounded.
        let kernel = Kernel::new(
            "own.frag",
            "uniform float a, c, tiny; RANGE vec2 r; void main() { r = vec2(a * a + c, tiny * 0.25); }",
        );
        let (target, mut program) = (gpu.buffer(1, 1).components(2).build()?, gpu.load(kernel)?);
        program.bind_float("a", 1.0 + 2f32.powi(-12))?.bind_float("c", -1.0 - 2f32.powi(-11))?;
        program.bind_float("tiny", f32::MIN_POSITIVE)?.run(&target)?;
        let found = target.data()?;
        assert!(found[0] == 0.0 || found[0] == 2f32.powi(-24), "{found:?}");
        if gpu.driver().renderer.contains("llvmpipe") {
            assert_eq!(probes.fused_multiply_add, found[0] == 2f32.powi(-24), "{found:?}");
        } // other compilers fuse in one kernel and not in the next: an H200's does
        assert_eq!(probes.denormals, found[1] > 0.0, "{found:?}");
        Ok(())
    })
}

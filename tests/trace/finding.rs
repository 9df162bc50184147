//! Finding what is wrong: numbers that are not finite, hashes that differ, what is read and what is not.

use quadrille::trace::{Content, Recorder, Trace, Watch};
use quadrille::{Buffer, Error, Gpu, Result};

use crate::support::{on_gpu, refusal};

const ROOT: &str = "uniform Stream source; uniform float shift; DOMAIN at; RANGE float root;
                    void main() { root = 1.0 / (value2(source, at + vec2(1.0, 0.0)).x + shift); }";

fn root(gpu: &Gpu, source: &Buffer, shift: f32, target: &Buffer) -> Result<()> {
    let mut program = gpu.program("root.frag", ROOT)?;
    program.bind_stream("source", source)?.bind_float("shift", shift)?;
    program.run(target)
}

#[test]
fn the_first_pass_that_makes_infinity_ends_the_run_and_tells_its_texel() -> Result<()> {
    on_gpu(|gpu| {
        let source = gpu.buffer(3, 2).init(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?;
        let targets = [(); 2].map(|()| gpu.buffer(3, 2).build());
        let [first, second] = targets;
        let (first, second) = (first?, second?);
        let recorder = Recorder::start(gpu, Watch { stop_at_not_finite: true, ..Watch::default() })?;
        root(gpu, &source, 1.0, &first)?;
        let scope = gpu.scope("the wrong one");
        let line = refusal(root(gpu, &source, -5.0, &first));
        assert_eq!(
            line,
            "pass 2, root.frag (the wrong one): root at (0, 1) is inf, made of source(1, 1) = 5e0"
        );
        drop(scope);
        // A number made of infinity is nobody's fault.
        root(gpu, &first, 1.0, &second)?;
        assert_eq!(recorder.trace().sums()[0].passes, 3, "the wrong one is recorded, too");
        Ok(())
    })
}

/// A number that is not finite elsewhere in the stream is none that this texel was made of.
#[test]
fn infinity_out_of_finite_texels_is_found_beside_others() -> Result<()> {
    on_gpu(|gpu| {
        let source = gpu.buffer(3, 2).init(&[f32::NAN, 2.0, f32::INFINITY, 4.0, 5.0, 6.0])?;
        let target = gpu.buffer(3, 2).build()?;
        let _recorder = Recorder::start(gpu, Watch { stop_at_not_finite: true, ..Watch::default() })?;
        root(gpu, &source, 1.0, &target)?;
        let found = root(gpu, &source, -6.0, &target);
        assert!(matches!(found, Err(Error::NotFinite { texel: (1, 1), .. })), "{found:?}");
        Ok(())
    })
}

fn outputs(trace: &Trace) -> Vec<&Content> {
    let passes = trace.passes();
    passes.flat_map(|pass| &pass.targets).filter_map(|image| trace.images[*image].content.as_ref()).collect()
}

#[test]
fn hashes_tell_outputs_apart_and_copies_keep_to_their_room() -> Result<()> {
    on_gpu(|gpu| {
        let source = gpu.buffer(3, 2).init(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?;
        let target = gpu.buffer(3, 2).build()?;
        // A copy of the stream and of the target of pass 2; the target of pass 3 has no room.
        let watch = Watch { hashes: true, copies: Some((2, 3)), memory: 2 * 24, ..Watch::default() };
        let recorder = Recorder::start(gpu, watch)?;
        for shift in [1.0, 2.0, 1.0] {
            root(gpu, &source, shift, &target)?;
        }
        let trace = recorder.trace();
        let outputs = outputs(&trace);
        assert!(outputs[0].hash == outputs[2].hash && outputs[0].hash != outputs[1].hash);
        assert_eq!(outputs[0].ranges, [(1.0 / 7.0, 1.0 / 3.0)]);
        assert!(outputs[0].values.is_none() && outputs[2].values.is_none());
        let expected = [2.0, 3.0, 3.0, 5.0, 6.0, 6.0].map(|v: f32| 1.0 / (v + 2.0));
        assert_eq!(outputs[1].values.as_deref(), Some(&expected[..]));
        assert_eq!((trace.memory, trace.left_out), ((48, 48), 1));
        let events = trace.chrome()["traceEvents"].as_array().map_or(0, Vec::len);
        assert!(events >= 3, "{events}");
        Ok(())
    })
}

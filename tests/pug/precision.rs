//! Table 31-1: what the emulated formats store, on the GPU and on the CPU, bit for bit.

use quadrille::pug::BufferBuilder;
use quadrille::pug::Precision::{self, Float16Ati, Float24};
use quadrille::{Gpu, Result};

use crate::support::{Random, copied, on_gpu};

/// Random bit patterns of every exponent, the ends of both formats and their neighbours, and the specials.
/// No denormals: a driver may flush them, and both formats store 0 for them anyhow.
fn patterns() -> Vec<f32> {
    let mut random = Random(3);
    let mut values: Vec<f32> = (0..60_000).map(|_| f32::from_bits(random.bits() as u32)).collect();
    for edge in [2f32.powi(-62), 2f32.powi(-15), 2f32.powi(-14), 131_008.0, 2048.0, 131_072.0, 2f32.powi(65)]
    {
        let bits = edge.to_bits();
        values.extend((bits - 300..bits + 300).map(f32::from_bits));
        values.extend([0x7f, 0x80, 0x1fff, 0x2000].map(|low| f32::from_bits(bits - low)));
    }
    values.extend([0.0, f32::MAX, f32::INFINITY, f32::NAN]);
    values.extend(values.clone().iter().map(|v| -v));
    values.retain(|v| !v.is_subnormal());
    values
}

/// A buffer of these values that went through a kernel which writes as many components as it has.
fn typed(
    gpu: &Gpu,
    values: &[f32],
    components: usize,
    shape: BufferBuilder,
    source: BufferBuilder,
) -> Result<Vec<f32>> {
    let (kind, part) = [("float", "x"), ("vec2", "xy"), ("vec3", "xyz"), ("vec4", "xyzw")][components - 1];
    let text = format!(
        "uniform Stream source; DOMAIN at; RANGE {kind} copied; void main() {{ copied = value2(source, at).{part}; }}"
    );
    let (source, target) = (source.init(values)?, shape.build()?);
    gpu.program("typed.frag", &text)?.bind_stream("source", &source)?.run(&target)?;
    target.data()
}

#[test]
fn the_gpu_stores_what_the_cpu_stores_bit_for_bit() -> Result<()> {
    on_gpu(|gpu| {
        let values = patterns();
        for precision in [Float24, Float16Ati] {
            for components in 1..=4 {
                let values = &values[..values.len() / components * components];
                let shape = gpu.array(values.len() / components).components(components);
                let emulated = shape.clone().precision(precision);
                let by_kernel = typed(gpu, values, components, emulated.clone(), shape.clone())?;
                let of_four = copied(gpu, values, emulated.clone(), shape)?;
                assert!(by_kernel.iter().map(|v| v.to_bits()).eq(of_four.iter().map(|v| v.to_bits())));
                let by_cpu = emulated.init(values)?.data()?;
                for ((&value, kernel), cpu) in values.iter().zip(by_kernel).zip(by_cpu) {
                    let expected = precision.store(value).to_bits();
                    let found = (kernel.to_bits(), cpu.to_bits());
                    assert_eq!(
                        found,
                        (expected, expected),
                        "{precision:?} of {value:e} {:#x}",
                        value.to_bits()
                    );
                }
            }
        }
        Ok(())
    })
}

#[test]
fn halves_beyond_their_range_are_infinite_or_the_largest_as_the_driver_rounds() -> Result<()> {
    on_gpu(|gpu| {
        let values = [1e6, -1e6, 65_504.0, 70_000.0, f32::INFINITY];
        let shape = gpu.array(values.len());
        let half = shape.clone().precision(Precision::Float16);
        for found in [copied(gpu, &values, half.clone(), shape)?, half.init(&values)?.data()?] {
            for (&value, &found) in values.iter().zip(&found) {
                let is_one = found.abs() == 65_504.0 || (value.abs() > 65_504.0 && found.is_infinite());
                assert!(is_one && found.signum() == value.signum(), "{value} became {found}");
            }
        }
        Ok(())
    })
}

/// Adds 1 until nothing changes: the program of §31.1.1, 1000 steps short of where it ends.
fn count_up(gpu: &Gpu, precision: Precision, from: f32) -> Result<f32> {
    let mut counter = gpu.buffer(1, 1).precision(precision).double().init(&[from])?;
    let text = "uniform Stream n; DOMAIN at; RANGE float next; void main() { next = value2(n, at).x + 1.0; }";
    let mut step = gpu.program("count.frag", text)?;
    for _ in 0..2000 {
        step.bind_stream("n", counter.front())?.run(counter.back())?;
        counter.swap();
    }
    Ok(counter.data()?[0])
}

#[test]
fn a_counter_stops_where_whole_numbers_end() -> Result<()> {
    on_gpu(|gpu| {
        assert_eq!(count_up(gpu, Float24, 130_072.0)?, 131_072.0);
        assert_eq!(count_up(gpu, Float16Ati, 1048.0)?, 2048.0);
        assert_eq!(count_up(gpu, Precision::Float16, 1048.0)?, 2048.0);
        assert_eq!(count_up(gpu, Precision::Float32, 16_776_216.0)?, 16_777_216.0);
        Ok(())
    })
}

#[test]
fn specials_become_the_largest_or_stay() -> Result<()> {
    on_gpu(|gpu| {
        let specials = [f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 1e-10];
        for (precision, largest) in [(Float24, 2f32.powi(65) - 2f32.powi(48)), (Float16Ati, 131_008.0)] {
            let shape = gpu.buffer(4, 1).precision(precision);
            let stored = copied(gpu, &specials, shape, gpu.buffer(4, 1))?;
            assert_eq!(stored[..3], [largest, -largest, largest]);
            assert!((stored[3] == 0.0) == (precision == Float16Ati));
        }
        let half = gpu.buffer(4, 1).precision(Precision::Float16);
        for stored in [copied(gpu, &specials, half, gpu.buffer(4, 1))?, {
            copied(gpu, &specials, gpu.buffer(4, 1), gpu.buffer(4, 1))?
        }] {
            assert_eq!(stored[..2], specials[..2]);
            assert!(stored[2].is_nan());
        }
        Ok(())
    })
}

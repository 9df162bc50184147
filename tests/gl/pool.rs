//! The pool: shapes are used again, the budget holds, and nothing grows.

use std::collections::VecDeque;

use quadrille::gl::{Format, OBJECT, Shape, Texture};
use quadrille::glow::HasContext;
use quadrille::{Gpu, Rect, Result};

use crate::support::{Random, on_gpu};

/// A texture of n × 1 single floats: 4 n bytes, and what each takes besides.
fn row(gpu: &Gpu, n: u32) -> Result<Texture> {
    gpu.context().texture(Shape { width: n, height: 1, format: Format::R32F })
}

#[test]
fn a_dropped_texture_is_given_out_again_for_its_shape() -> Result<()> {
    on_gpu(|gpu| {
        let first = row(gpu, 7)?;
        let name = first.raw();
        drop(first);
        assert!(row(gpu, 8)?.raw() != name, "another shape");
        let again = row(gpu, 7)?;
        assert!(again.raw() == name, "the same shape");
        assert!(row(gpu, 7)?.raw() != name, "still in use");
        Ok(())
    })
}

#[test]
fn counters_tell_what_is_held_and_what_is_idle() -> Result<()> {
    on_gpu(|gpu| {
        let start = gpu.counters();
        let (a, b) = (row(gpu, 100)?, gpu.buffer(10, 10).components(4).build()?);
        let held = gpu.counters();
        assert_eq!((held.live, held.live_bytes), (start.live + 2, 400 + 1600 + 2 * OBJECT));
        drop(a);
        assert_eq!((gpu.counters().live_bytes, gpu.counters().pooled_bytes), (1600 + OBJECT, 400 + OBJECT));
        drop(b);
        assert_eq!((gpu.counters().live_bytes, gpu.counters().pooled_bytes), (0, 2000 + 2 * OBJECT));
        let program = gpu.builtin("pug/add.frag")?;
        let vertices = gpu.vertices(&[("a", 1)], &[1.0])?;
        let surface = gpu.depth_stencil(1, 1)?;
        assert_eq!(gpu.counters().live, start.live + 3);
        drop((program, vertices, surface));
        assert_eq!(gpu.counters().live, start.live);
        Ok(())
    })
}

#[test]
fn passes_uploads_and_read_backs_are_counted() -> Result<()> {
    on_gpu(|gpu| {
        let start = gpu.counters();
        let (a, b) = (gpu.buffer(3, 3).init(&[1.0; 9])?, gpu.buffer(3, 3).build()?);
        let mut add = gpu.builtin("pug/add.frag")?;
        add.bind_stream("a", &a)?.bind_stream("b", &a)?;
        (0..5).try_for_each(|_| add.run(&b))?;
        b.data()?;
        a.write(&[2.0; 9])?;
        let now = gpu.counters();
        assert_eq!((now.passes - start.passes, now.compiles - start.compiles), (5, 1));
        assert_eq!((now.uploads - start.uploads, now.read_backs - start.read_backs), (2, 1));
        Ok(())
    })
}

#[test]
fn the_budget_is_never_passed() -> Result<()> {
    on_gpu(|gpu| {
        gpu.set_pool_budget(30_000);
        assert_eq!(gpu.context().pool_budget(), 30_000);
        for n in 1..200 {
            drop(row(gpu, 10 * n)?);
            assert!(gpu.counters().pooled_bytes <= 30_000);
        }
        assert!(gpu.counters().pooled_bytes > 20_000, "and it is made use of");
        drop(row(gpu, 7_501)?);
        assert!(gpu.counters().pooled_bytes <= 30_000, "one texture larger than the budget");
        gpu.set_pool_budget(10_000);
        assert!(gpu.counters().pooled_bytes <= 10_000);
        Ok(())
    })
}

#[test]
fn a_pool_without_budget_keeps_nothing() -> Result<()> {
    on_gpu(|gpu| {
        drop(row(gpu, 50)?);
        gpu.set_pool_budget(0);
        assert_eq!(gpu.counters().pooled_bytes, 0);
        for n in 1..50 {
            let buffer = gpu.buffer(n, 2).init(&vec![n as f32; 2 * n as usize])?;
            assert_eq!(buffer.data()?, vec![n as f32; 2 * n as usize]);
            drop(buffer);
            assert_eq!(gpu.counters().pooled_bytes, 0);
        }
        Ok(())
    })
}

#[test]
fn what_was_idle_longest_goes_first() -> Result<()> {
    on_gpu(|gpu| {
        gpu.set_pool_budget(2 * OBJECT + 24);
        drop(row(gpu, 1)?); // 4 bytes, the first to be idle ...
        drop(row(gpu, 2)?); // 8 bytes
        drop(row(gpu, 1)?); // ... but used again since
        drop(row(gpu, 4)?); // 16 bytes: 28 in all are too many
        assert_eq!(gpu.counters().pooled_bytes, 2 * OBJECT + 4 + 16, "the 8 bytes were idle longest");
        Ok(())
    })
}

#[test]
fn trimming_gives_idle_textures_back_and_spares_those_in_use() -> Result<()> {
    on_gpu(|gpu| {
        let kept = gpu.buffer(5, 1).init(&[1.0, 2.0, 3.0, 4.0, 5.0])?;
        drop((row(gpu, 3)?, row(gpu, 3)?, row(gpu, 9)?));
        gpu.context().trim_pool(OBJECT + 40);
        assert_eq!(gpu.counters().pooled_bytes, OBJECT + 36);
        gpu.context().trim_pool(0);
        assert_eq!(gpu.counters().pooled_bytes, 0);
        assert_eq!(kept.data()?, [1.0, 2.0, 3.0, 4.0, 5.0]);
        Ok(())
    })
}

/// The driver takes kilobytes for each, however few texels it has.
#[test]
fn many_small_textures_do_not_pass_the_budget_unseen() -> Result<()> {
    on_gpu(|gpu| {
        gpu.set_pool_budget(1 << 20);
        let textures: Vec<Texture> = (0..1000).map(|_| row(gpu, 1)).collect::<Result<_>>()?;
        assert_eq!(gpu.counters().live_bytes, 1000 * (4 + OBJECT));
        let names: Vec<_> = textures.iter().map(Texture::raw).collect();
        drop(textures);
        #[expect(unsafe_code)]
        // SAFETY: a question about names, with the context current.
        let alive = gpu.glow(|gl| names.iter().filter(|&&name| unsafe { gl.is_texture(name) }).count());
        assert_eq!(alive, (1 << 20) / (4 + OBJECT as usize));
        Ok(())
    })
}

/// Each texture in use has a number written in it that nobody else may have changed.
#[test]
fn random_shapes_never_share_a_texture() -> Result<()> {
    on_gpu(|gpu| {
        gpu.set_pool_budget(100_000);
        let mut random = Random(21);
        let mut held = VecDeque::new();
        let mut bytes = 0;
        for number in 0..5000 {
            let (width, height) = (random.below(9) as u32 + 1, random.below(9) as u32 + 1);
            let components = random.below(4) + 1;
            let n = (width * height) as usize * components;
            let shape = gpu.buffer(width, height).components(components);
            let buffer = shape.init(&vec![number as f32; n])?;
            bytes += buffer.texture().shape().cost();
            held.push_back((number, buffer));
            while held.len() > 20 || (random.below(3) == 0 && !held.is_empty()) {
                let Some((number, buffer)) = held.remove(random.below(held.len())) else { break };
                assert_eq!(buffer.data_of(Rect::whole(1, 1))?, vec![number as f32; buffer.components()]);
                bytes -= buffer.texture().shape().cost();
            }
            let counters = gpu.counters();
            assert_eq!((counters.live, counters.live_bytes), (held.len(), bytes));
            assert!(counters.pooled_bytes <= 100_000);
        }
        Ok(())
    })
}

/// Resident memory of this process in bytes, where Linux tells it.
fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(text.split(' ').nth(1)?.parse::<u64>().ok()? * 4096)
}

/// A hundred thousand times two buffers made, drawn to and dropped. Alone in its own process, so that the memory of
/// other tests is not counted: see `memory_stays_flat_in_a_process_of_its_own`.
#[test]
#[ignore = "run by memory_stays_flat_in_a_process_of_its_own"]
fn a_hundred_thousand_cycles() -> Result<()> {
    on_gpu(|gpu| {
        let budget = (1 << 20) + 128 * OBJECT;
        gpu.set_pool_budget(budget);
        let text = "RANGE vec4 r; RANGE vec4 s; void main() { r = s = vec4(1.0); }";
        let two = gpu.program("two.frag", text)?;
        let live = gpu.counters().live;
        let mut warm = None;
        for cycle in 0..100_000_u32 {
            if cycle == 10_000 {
                gpu.finish();
                warm = resident();
            }
            // 64 shapes, a few of them too many for the budget together.
            let size = cycle * 7 % 64 + 1;
            let shape = gpu.buffer(size, 65 - size).components((cycle % 2 + 1) as usize * 2);
            let (first, second) = (shape.clone().build()?, shape.build()?);
            two.onto(&[&first, &second]).run()?;
            assert!(gpu.counters().pooled_bytes <= budget);
        }
        gpu.finish();
        assert_eq!(gpu.counters().live, live);
        if let (Some(warm), Some(now)) = (warm, resident()) {
            let grown = now.saturating_sub(warm) >> 20;
            assert!(grown < 32, "{grown} MiB more than after 10 000 cycles");
        }
        Ok(())
    })
}

#[test]
fn memory_stays_flat_in_a_process_of_its_own() -> std::io::Result<()> {
    let output = std::process::Command::new(std::env::current_exe()?)
        .args(["--exact", "pool::a_hundred_thousand_cycles", "--ignored", "--nocapture"])
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
    Ok(())
}

//! Contexts of tests: in several threads, on both dialects, skipped where the user says so.

use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, io, thread};

use quadrille::testing::{self, Image, assert_close, assert_no_gl_error};
use quadrille::{Error, Result, glow};

const WAVE: &str = "#version 330 core\nuniform float phase; in vec2 uv; out vec4 c; void main() { c = vec4(uv, phase, uv.x * phase); }";

/// On llvmpipe no two threads have a context at once; elsewhere they may.
#[test]
fn threads_take_turns_where_the_driver_needs_it() -> Result<()> {
    let (inside, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || -> Result<bool> {
        let mut llvmpipe = false;
        for turn in 0..4 {
            let gpu = testing::gpu()?;
            let second = testing::gpu()?; // a thread may have several
            most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            let mut shader = gpu.shader(WAVE)?;
            let found = shader.set("phase", turn as f32)?.draw(64, 64)?;
            assert_close!(found, found.expected(|at| [at.uv()[0], at.uv()[1], turn as f32]), 1e-6);
            assert_eq!(second.buffer(1, 1).init(&[1.0])?.data()?, [1.0]);
            llvmpipe = gpu.driver().renderer.starts_with("llvmpipe");
            inside.fetch_sub(1, Ordering::SeqCst);
        }
        Ok(llvmpipe)
    };
    let llvmpipe = thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or(Ok(false))).collect::<Result<Vec<bool>>>()
    })?;
    assert_eq!(llvmpipe.len(), 4);
    assert!(!llvmpipe[0] || most.load(Ordering::SeqCst) == 1, "{} at once", most.load(Ordering::SeqCst));
    Ok(())
}

#[test]
fn errors_of_opengl_are_named() -> Result<()> {
    testing::on_gpu(|gpu| {
        assert_eq!(assert_no_gl_error(gpu, |_| 7), 7);
        let wrong = std::panic::AssertUnwindSafe(|| {
            assert_no_gl_error(gpu, |gl| {
                #[expect(unsafe_code)]
                // SAFETY: the context is current; there is no capability of that number.
                unsafe {
                    glow::HasContext::enable(&**gl, 0xffff);
                }
            });
        });
        let panic = std::panic::catch_unwind(wrong).err();
        let words = panic.as_ref().and_then(|panic| panic.downcast_ref::<String>());
        assert_eq!(words.map(String::as_str), Some("OpenGL reports GL_INVALID_ENUM"));
        Ok(())
    })
}

/// For the tests below, in a process of its own.
#[test]
#[ignore = "other tests start it"]
fn a_test_for_another_process() -> Result<()> {
    testing::both(|gpu| {
        assert!(env::var("FAIL_ON_ES").is_err() || !gpu.driver().embedded, "as it was asked for");
        let image = gpu.shader(WAVE)?.set("phase", 0.0)?.draw(1, 1)?;
        assert_close!(image, Image::from_fn(1, 1, |_, _| [0.5, 0.5, 0.0, 0.0]), 1e-6);
        Ok(())
    })
}

fn in_a_process(variables: &[(&str, &str)]) -> io::Result<Output> {
    let mut command = Command::new(env::current_exe()?);
    command.args(["--exact", "run::a_test_for_another_process", "--ignored", "--nocapture"]);
    command.envs(variables.iter().copied()).env_remove("QUADRILLE_API").output()
}

#[test]
fn a_test_without_opengl_fails_or_is_skipped_with_a_reason() -> Result<()> {
    let io = |cause| Error::Io { path: "the test itself".into(), cause };
    let nothing = ("__EGL_VENDOR_LIBRARY_FILENAMES", "/nonexistent.json");
    let run = |variables: &[(&str, &str)]| -> Result<(bool, String)> {
        let output = in_a_process(variables).map_err(io)?;
        let words =
            String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
        Ok((output.status.success(), words))
    };
    let (passes, words) = run(&[])?;
    assert!(passes, "{words}");
    let (passes, words) = run(&[nothing])?;
    assert!(!passes && words.contains("failed on OpenGL 3.3 core: no OpenGL context"), "{words}");
    let (passes, words) = run(&[nothing, ("QUADRILLE_NO_GPU", "skip")])?;
    assert!(passes && words.matches("skipped: no OpenGL context").count() == 2, "{words}");
    let (passes, words) = run(&[("QUADRILLE_NO_GPU", "perhaps")])?;
    assert!(!passes && words.contains("QUADRILLE_NO_GPU=perhaps: expected skip or fail"), "{words}");
    let (passes, words) = run(&[("FAIL_ON_ES", "1")])?;
    assert!(
        !passes && words.contains("failed on OpenGL ES 3.0") && !words.contains("failed on OpenGL 3.3"),
        "{words}"
    );
    Ok(())
}

//! Every error there is, provoked once; each is one line that names what it is about.

use std::collections::BTreeSet;
use std::process::Command;
use std::rc::Rc;

use quadrille::gl::{Context, GlowContext, Kernel};
use quadrille::mesh::Mesh;
use quadrille::numeric::Csr;
use quadrille::pug::Access;
use quadrille::{Error, Gpu, Limits, Operator, Options, Rect, Result, glow};

use crate::support::{COPY, copying, left_clean, on_card, on_gpu, refusal};

/// Leaves its RANGE unwritten on a path.
const UNWRITTEN: &str = "uniform Stream x; DOMAIN here; RANGE float result;
    void main() { if (value2(x, here).x > 0.0) result = 1.0; } // x, x";

/// True on the driver whose compiler is known to do as the tests say; in a page the browser's own comes before it.
fn is_llvmpipe(gpu: &Gpu) -> bool {
    gpu.driver().renderer.starts_with("llvmpipe")
}

#[test]
fn a_range_that_is_unwritten_on_some_path_is_told_so() -> Result<()> {
    on_gpu(|gpu| {
        let told = "k.frag:2: `void main() { if (value2(x, here).x > 0.0) result = 1.0; } // x, x`: RANGE `result` is unwritten \
            where this condition does not hold: write `result = ...;` before the `if`, or in an `else` (see quadrille::kernel_language)";
        assert_eq!(refusal(gpu.program("k.frag", UNWRITTEN)), told);
        let point = Kernel::new("k.vert", "void main() { scatter(vec2(0.5)); }");
        let fragment = "uniform float n; RANGE vec2 a; void main() { a.x = n; if (n > 0.0) a.y = n; }";
        let line = refusal(gpu.load_scatter(point, Kernel::new("k.frag", fragment)));
        assert!(line.contains("`: RANGE `a.y` is unwritten where this condition does not hold"), "{line}");

        let stream = gpu.buffer(2, 1).init(&[-1.0, 2.0])?;
        let written = UNWRITTEN.replace("if (", "result = 0.0; if (");
        let out = gpu.buffer(2, 1).build()?;
        gpu.program("k.frag", &written)?.bind_stream("x", &stream)?.run(&out)?;
        assert_eq!(out.data()?, [0.0, 1.0]);
        Ok(())
    })
}

#[test]
fn an_offset_that_varies_is_refused_with_its_remedy() -> Result<()> {
    on_gpu(|gpu| {
        let text = "uniform Stream cells; uniform float d; DOMAIN at; RANGE float r;\nvoid main() { r = valueOffset(cells, at, ivec2(int(d), 0)).x; }";
        let made = gpu.program("k.frag", text);
        // NVIDIA's compiler takes it.
        if made.is_err() || is_llvmpipe(gpu) {
            let line = refusal(made);
            assert!(
                line.starts_with(
                    "k.frag:2: `void main() { r = valueOffset(cells, at, ivec2(int(d), 0)).x; }`: "
                ),
                "{line}"
            );
            assert!(
                line.contains("write `value2(cells, at + vec2(dx, dy))`, see quadrille::kernel_language"),
                "{line}"
            );
        }
        Ok(())
    })
}

/// The name of an error's variant, and its sentence.
fn told(error: &Error) -> (String, String) {
    macro_rules! name {
        ($($variant:ident)*) => {
            match error {
                $(Error::$variant { .. } => stringify!($variant),)*
                _ => "a variant that this test does not know",
            }
        };
    }
    let name = name! {
        NoContext UnknownDevice BadOption OldContext Unsupported Empty OverLimit WrongLength OutsideTarget WrongShape
        OutOfMemory Driver Compile Link Declaration UnknownKernel UnknownName UnusedName DroppedName WrongType Unbound Feedback Access
        OtherContext OutsideMatrix BadParameter BadMesh Io NotFinite StepNotFinite StepNotSolved
        StepSingular ContextLost EndlessWait
    };
    (name.to_owned(), error.to_string())
}

#[test]
fn every_error_can_be_provoked_and_is_one_line() -> Result<()> {
    let mut all: Vec<(String, String)> = Vec::new();
    on_gpu(|gpu| {
        all.extend(of_buffers(gpu)?.iter().map(told));
        all.extend(of_kernels(gpu)?.iter().map(told));
        all.extend(of_the_driver(gpu)?.iter().map(told));
        #[cfg(feature = "trace")]
        all.extend(of_a_recorder(gpu)?.iter().map(told));
        #[cfg(feature = "pde")]
        all.extend(of_a_simulation(gpu)?.iter().map(told));
        Ok(())
    })?;
    let device = Options { device: Some("no such card".into()), ..Options::default() };
    all.extend(Gpu::headless_with(device).err().iter().map(told));
    all.extend(adopted(ancient()).err().iter().map(told));
    all.extend(Csr::from_triplets(1, 2, [(1, 0, 1.0)]).err().iter().map(told));
    all.extend(Mesh::new(vec![[0.0; 3]; 3], vec![[0, 1, 7]]).err().iter().map(told));
    all.push(in_a_child(&[("QUADRILLE_API", "vulkan")])?);
    all.push(without_a_driver()?);

    for (name, line) in &all {
        assert!(!line.is_empty() && !line.contains(['\n', '\r']), "{name}: {line}");
    }
    let provoked: BTreeSet<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
    let source = include_str!("../../src/error.rs");
    let variants: BTreeSet<&str> = source
        .lines()
        .filter_map(|line| line.strip_prefix("    ")?.strip_suffix(" {"))
        .filter(|name| name.chars().all(char::is_alphanumeric))
        .collect();
    let mut missing = &variants - &provoked;
    if !cfg!(feature = "trace") {
        missing.remove("NotFinite");
    }
    if !cfg!(feature = "pde") {
        missing.retain(|name| !name.starts_with("Step"));
    }
    // Those two need a page: tests/web/own.rs provokes them.
    missing.retain(|name| !["ContextLost", "EndlessWait"].contains(name));
    assert!(variants.len() > 20 && missing.is_empty(), "not provoked: {missing:?}");
    Ok(())
}

#[test]
fn every_error_about_a_kernel_leads_to_the_kernel_language() {
    let source = include_str!("../../src/error.rs");
    // Each variant with the words before it.
    let variants = source.split("\n    },\n");
    let about: Vec<&str> = variants.filter(|variant| variant.contains("\n        kernel: String,")).collect();
    for variant in &about {
        assert!(variant.contains("[`kernel_language`]("), "{variant}");
    }
    assert!(about.len() >= 10, "{}", about.len());
}

#[cfg(feature = "trace")]
fn of_a_recorder(gpu: &Gpu) -> Result<Option<Error>> {
    use quadrille::trace::{Recorder, Watch};
    let target = gpu.buffer(1, 1).build()?;
    let mut root =
        gpu.program("root.frag", "uniform float x; RANGE float root; void main() { root = 1.0 / x; }")?;
    let _recorder = Recorder::start(gpu, Watch { stop_at_not_finite: true, ..Watch::default() })?;
    Ok(root.bind_float("x", 0.0)?.run(&target).err()) // NotFinite
}

#[cfg(feature = "pde")]
fn of_a_simulation(gpu: &Gpu) -> Result<Vec<Error>> {
    use quadrille::pde::{Equations, NoFiles, Overrides, Simulation};
    let error = |run: &str, rate: &str| -> Option<Error> {
        let text = format!(
            "grid = {{ size = [32, 32], length = [25.13274, 25.13274] }}\nrun = {{ {run} }}\n\
             fields.u = {{ dt = \"{rate}\", start = \"0.1*cos(x)\", edges = \"periodic\" }}\n"
        );
        let equations = Equations::read(&text, &Overrides::default(), &mut NoFiles).ok()?;
        let mut simulation = match Simulation::new(gpu, Rc::new(equations)) {
            Ok(simulation) => simulation,
            Err(error) => return Some(error),
        };
        (0..3).try_for_each(|_| simulation.step()).and_then(|()| simulation.settle()).err()
    };
    let swift_hohenberg = "-0.7*u - 2*lap(u) - lap(lap(u)) - u^3";
    Ok([
        error("scheme = \"euler\", step = 1e38", "1e38"), // StepNotFinite
        error("scheme = \"sbdf2\", step = 10", swift_hohenberg), // StepSingular
        error("scheme = \"sbdf2\", step = 3.3333, tolerance = 1e-7", swift_hohenberg), // StepNotSolved
    ]
    .into_iter()
    .flatten()
    .collect())
}

fn of_buffers(gpu: &Gpu) -> Result<Vec<Error>> {
    let buffer = || gpu.buffer(2, 2);
    let (source, target) = (buffer().build()?, buffer().build()?);
    let mut copy = copying(gpu, &source)?;
    let mut errors = Vec::new();
    errors.extend(gpu.buffer(0, 2).build().err()); // Empty
    errors.extend(gpu.buffer(1 << 20, 1).build().err()); // OverLimit
    errors.extend(buffer().init(&[0.0; 5]).err()); // WrongLength
    errors.extend(buffer().components(5).build().err()); // BadParameter
    errors.extend(copy.run_over(&target, Rect::whole(3, 2)).err()); // OutsideTarget
    errors.extend(copy.onto(&[&target, &target]).run().err()); // WrongShape
    errors.extend(copy.run(&source).err()); // Feedback
    errors.extend(copy.run(&buffer().access(Access::Read).build()?).err()); // Access
    errors.extend(copy.bind_stream("sauce", &source).err()); // UnknownName
    errors.extend(copy.bind_float("source", 1.0).err()); // WrongType
    let other = Gpu::headless()?;
    errors.extend(copy.run(&other.buffer(2, 2).build()?).err()); // OtherContext
    errors.extend(gpu.program("copy.frag", COPY)?.run(&target).err()); // Unbound
    Ok(errors)
}

fn of_kernels(gpu: &Gpu) -> Result<Vec<Error>> {
    let mut errors = Vec::new();
    errors.extend(gpu.builtin("pug/ad.frag").err()); // UnknownKernel
    errors.extend(gpu.load_program("/no/such/kernel.frag").err()); // Io
    errors.extend(gpu.program("k.frag", "void main() {}").err()); // Declaration
    errors.extend(gpu.program("k.frag", "RANGE float r;\nvoid main() { r = s; }").err()); // Compile
    let unused = "uniform Stream a; RANGE float r; void main() { r = 1.0; }";
    errors.extend(gpu.program("k.frag", unused)?.stream("a").err()); // UnusedName
    let dropped = "uniform Stream x; DOMAIN here; RANGE float r; void main() { float seen = value2(x, here).x; r = 1.0; }";
    errors.extend(gpu.program("k.frag", dropped)?.stream("x").err()); // DroppedName
    let vertex =
        Kernel::new("k.vert", "out vec2 sent; void main() { scatter(vec2(0.0)); sent = vec2(1.0); }");
    let fragment = Kernel::new("k.frag", "in vec3 sent; RANGE float r; void main() { r = sent.z; }");
    errors.extend(gpu.load_scatter(vertex, fragment).err()); // Link
    Ok(errors)
}

fn of_the_driver(gpu: &Gpu) -> Result<Vec<Error>> {
    let mut errors = vec![out_of_memory(gpu)];
    // An error that somebody left pending.
    let gl = gpu.glow(Rc::clone);
    #[expect(unsafe_code)]
    // SAFETY: the context is current; there is no capability of that number.
    unsafe {
        glow::HasContext::enable(&*gl, 0xffff);
    }
    errors.extend(gpu.context().check("nothing").err()); // Driver
    on_card(Limits::GEFORCE_FX, |card| {
        let vertex = Kernel::new("k.vert", "void main() { scatter(vec2(0.0)); }");
        let fragment = Kernel::new("k.frag", "RANGE float r; void main() { r = 1.0; }");
        let points = card.load_scatter(vertex, fragment)?;
        let target = card.buffer(1, 1).build()?;
        errors.extend(points.onto(&[&target]).counted_points(1).adding().run().err()); // Unsupported
        Ok(())
    })?;
    Ok(errors)
}

/// Asks for the largest texture again and again; where the driver has room for eight (32 GiB), the error is
/// made here instead.
fn out_of_memory(gpu: &Gpu) -> Error {
    let side = gpu.limits().texture_size;
    let mut held = Vec::new();
    for _ in 0..8 {
        let shape =
            quadrille::gl::Shape { width: side, height: side, format: quadrille::gl::Format::Rgba32F };
        match gpu.context().texture(shape) {
            Ok(texture) => held.push(texture),
            Err(error) => return error,
        }
    }
    gpu.set_pool_budget(0);
    Error::OutOfMemory { what: "texture".into(), bytes: u64::from(side).pow(2) * 16 }
}

#[test]
fn after_running_out_of_memory_small_buffers_still_work() -> Result<()> {
    on_gpu(|gpu| {
        let kept = gpu.buffer(3, 3).init(&[1.0; 9])?;
        let error = out_of_memory(gpu);
        assert!(matches!(error, Error::OutOfMemory { .. }), "{error:?}");
        let copy = gpu.buffer(3, 3).build()?;
        copying(gpu, &kept)?.run(&copy)?;
        assert_eq!(copy.data()?, [1.0; 9]);
        assert_eq!(gpu.reduction(Operator::sum()).value(&gpu.buffer(64, 64).init(&[1.0; 4096])?)?, [4096.0]);
        Ok(())
    })
}

/// A context whose driver answers every question with "2.1": no driver here is that old.
fn ancient() -> Rc<GlowContext> {
    extern "system" fn version(_: u32) -> *const u8 {
        c"2.1 of a test".as_ptr().cast()
    }
    let loader = |_: &str| version as *const std::ffi::c_void;
    #[expect(unsafe_code)]
    // SAFETY: for "2.1" glow and `describe` call glGetString alone, which is what every name gives.
    let gl = unsafe { GlowContext::from_loader_function(loader) };
    Rc::new(gl)
}

/// A context whose driver says "3.3" and has no other answer, as one does where no context is current.
fn absent() -> Rc<GlowContext> {
    extern "system" fn version(_: u32) -> *const u8 {
        c"3.3 of nobody".as_ptr().cast()
    }
    extern "system" fn nothing() -> *const u8 {
        std::ptr::null()
    }
    let loader = |name: &str| match name {
        "glGetString" => version as *const std::ffi::c_void,
        _ => nothing as *const std::ffi::c_void,
    };
    #[expect(unsafe_code)]
    // SAFETY: all that glow asks besides the version is answered by 0 and no words.
    let gl = unsafe { GlowContext::from_loader_function(loader) };
    Rc::new(gl)
}

fn adopted(gl: Rc<GlowContext>) -> Result<Rc<Context>> {
    #[expect(unsafe_code)]
    // SAFETY: the functions are those above, which need no context.
    unsafe {
        Context::from_glow(gl, None)
    }
}

#[test]
fn functions_without_a_context_are_refused() {
    let line = "no OpenGL context: the functions given: no context is current on this thread; make theirs current before";
    assert_eq!(refusal(adopted(absent())), line);
}

/// Opens a Gpu in a process of its own with these variables set.
fn in_a_child(variables: &[(&str, &str)]) -> Result<(String, String)> {
    let io = |cause| Error::Io { path: "the test itself".into(), cause };
    let output = Command::new(std::env::current_exe().map_err(io)?)
        .args(["--exact", "errors::opens_a_gpu_for_another_test", "--ignored", "--nocapture"])
        .envs(variables.iter().copied())
        .output()
        .map_err(io)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let said =
        |mark: &str| text.lines().find_map(|line| line.strip_prefix(mark)).unwrap_or_default().to_owned();
    Ok((said("variant: "), said("line: ")))
}

#[test]
#[ignore = "run by other tests, with variables set"]
fn opens_a_gpu_for_another_test() {
    if let Err(error) = Gpu::headless() {
        let (name, line) = told(&error);
        println!("\nvariant: {name}\nline: {line}");
    }
}

/// The loader finds no vendor's EGL in an empty folder.
fn without_a_driver() -> Result<(String, String)> {
    in_a_child(&[("__EGL_VENDOR_LIBRARY_DIRS", "/nowhere"), ("__EGL_VENDOR_LIBRARY_FILENAMES", "")])
}

#[test]
fn without_a_driver_the_line_says_what_to_install() -> Result<()> {
    let (name, line) = without_a_driver()?;
    assert_eq!(name, "NoContext");
    assert!(line.starts_with("no OpenGL context: ") && line.contains("libgl1-mesa-dri"), "{line}");
    Ok(())
}

#[test]
fn words_that_mean_nothing_in_the_environment_are_refused() -> Result<()> {
    for (name, word, expected) in [
        ("QUADRILLE_API", "vulkan", "gl or gles"),
        ("QUADRILLE_LIMITS", "VOODOO", "RADEON_9700, GEFORCE_FX or GEFORCE_6800"),
    ] {
        let line = format!("{name}={word}: expected {expected}");
        assert_eq!(in_a_child(&[(name, word)])?, ("BadOption".to_owned(), line));
    }
    let (name, line) = in_a_child(&[("QUADRILLE_DEVICE", "no such card")])?;
    assert_eq!(name, "UnknownDevice");
    assert!(line.starts_with("no device \"no such card\": 0 ("), "{line}");
    // Empty is as good as not set, and words are taken in any case.
    let fine = [("QUADRILLE_API", "GLES"), ("QUADRILLE_DEVICE", ""), ("QUADRILLE_LIMITS", "geforce-fx")];
    assert_eq!(in_a_child(&fine)?, (String::new(), String::new()));
    Ok(())
}

/// Another context may have been made current by the attempt: the first must go on with its own.
#[test]
fn a_gpu_goes_on_after_another_could_not_be_opened() -> Result<()> {
    left_clean(&Gpu::headless()?, |gpu| {
        let buffer = gpu.buffer(2, 2).init(&[1.0; 4])?;
        let device = Options { device: Some("999".into()), ..Options::default() };
        assert!(Gpu::headless_with(device).is_err());
        // A page loads no functions.
        assert!(cfg!(target_arch = "wasm32") || adopted(ancient()).is_err());
        assert_eq!(buffer.data()?, [1.0; 4]);
        Ok(())
    })
}

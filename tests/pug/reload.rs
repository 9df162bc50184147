//! Kernel files: loaded, changed while in use, broken and mended.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use quadrille::pug::Domain;
use quadrille::{Error, Gpu, Program, Result};

use crate::support::{counting, on_gpu, refusal};

/// A kernel file that is deleted with this; each version is dated a second later than the last.
struct KernelFile {
    path: PathBuf,
    versions: u64,
}

impl KernelFile {
    fn new(name: &str, text: &str) -> Result<KernelFile> {
        let path = std::env::temp_dir().join(format!("quadrille-{}-{name}.frag", std::process::id()));
        let mut file = KernelFile { path, versions: 0 };
        file.write(text)?;
        Ok(file)
    }

    fn write(&mut self, text: &str) -> Result<()> {
        self.versions += 1;
        let date = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000 + self.versions);
        let written = fs::write(&self.path, text)
            .and_then(|()| File::options().write(true).open(&self.path))
            .and_then(|file| file.set_modified(date));
        written.map_err(|cause| Error::Io { path: self.path.clone(), cause })
    }
}

impl Drop for KernelFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

const FIRST: &str = "uniform Stream a;\nuniform float c;\nDOMAIN at;\nRANGE float r;\n
                     void main() { r = c * value2(a, at).x; }";

fn bound(gpu: &Gpu, path: &Path) -> Result<Program> {
    let mut program = gpu.load_program(path)?;
    program.bind_stream("a", &gpu.buffer(2, 2).init(&counting(4))?)?.bind_float("c", 2.0)?;
    program.bind_domain("at", Domain::new(0.0, 2.0, 2.0, 0.0))?; // upside down
    Ok(program)
}

#[test]
fn a_new_version_is_used_and_bindings_are_kept() -> Result<()> {
    on_gpu(|gpu| {
        let target = gpu.buffer(2, 2).build()?;
        let mut file = KernelFile::new("kept", FIRST)?;
        let mut program = bound(gpu, &file.path)?;
        program.run(&target)?;
        assert_eq!(target.data()?, [4.0, 6.0, 0.0, 2.0]);
        assert!(!program.reload_if_changed()?, "nothing has changed");

        // Other names before the old ones, so that no binding keeps its place; and one new constant.
        file.write(
            "uniform float new, c; uniform Stream a; DOMAIN more, at; RANGE float r;
             void main() { r = c * value2(a, at).x + new + more.x; }",
        )?;
        assert!(program.reload_if_changed()?);
        let name = file.path.display().to_string();
        assert_eq!(refusal(program.run(&target)), format!("{name}: constant \"new\" is not bound"));
        program.bind_float("new", 100.0)?.run(&target)?;
        assert_eq!(target.data()?, [104.5, 107.5, 100.5, 103.5]);

        // The constant has another type now: its old value means nothing.
        file.write(&FIRST.replace("float c", "vec2 c").replace("c *", "c.y *"))?;
        program.reload()?;
        assert_eq!(refusal(program.run(&target)), format!("{name}: constant \"c\" is not bound"));
        program.bind_float("c", [0.0, 10.0])?.run(&target)?;
        assert_eq!(target.data()?, [20.0, 30.0, 0.0, 10.0]);
        Ok(())
    })
}

#[test]
fn a_broken_version_is_reported_once_and_the_old_one_goes_on() -> Result<()> {
    on_gpu(|gpu| {
        let target = gpu.buffer(2, 2).build()?;
        let mut file = KernelFile::new("broken", FIRST)?;
        let mut program = bound(gpu, &file.path)?;
        for broken in [FIRST.replace("c * ", "d * "), FIRST.replace("RANGE", "RING"), String::new()] {
            file.write(&broken)?;
            let line = refusal(program.reload_if_changed());
            assert!(line.starts_with(&format!("{}:", file.path.display())), "{line}");
            assert!(!program.reload_if_changed()?, "reported twice");
            program.run(&target)?;
            assert_eq!(target.data()?, [4.0, 6.0, 0.0, 2.0]);
        }
        file.write(&FIRST.replace("c * ", "3.0 * c * "))?;
        assert!(program.reload_if_changed()?);
        program.run(&target)?;
        assert_eq!(target.data()?, [12.0, 18.0, 0.0, 6.0]);
        Ok(())
    })
}

#[test]
fn a_file_that_vanishes_is_reported_once_and_found_again() -> Result<()> {
    on_gpu(|gpu| {
        let target = gpu.buffer(2, 2).build()?;
        let mut file = KernelFile::new("vanished", FIRST)?;
        let mut program = bound(gpu, &file.path)?;
        let _ = fs::remove_file(&file.path);
        assert!(refusal(program.reload_if_changed()).starts_with(&file.path.display().to_string()));
        assert!(!program.reload_if_changed()?);
        program.run(&target)?;
        file.write(FIRST)?;
        assert!(program.reload_if_changed()?);
        program.run(&target)?;
        assert_eq!(target.data()?, [4.0, 6.0, 0.0, 2.0]);
        Ok(())
    })
}

#[test]
fn a_file_longer_than_any_kernel_is_refused() -> Result<()> {
    on_gpu(|gpu| {
        let longest = format!("{FIRST}{}", " ".repeat((1 << 24) - FIRST.len()));
        let mut file = KernelFile::new("long", &longest)?;
        gpu.load_program(&file.path)?;
        file.write(&(longest + " "))?;
        let line = refusal(gpu.load_program(&file.path));
        assert_eq!(line, format!("{}: longer than 16 MiB: not a kernel", file.path.display()));
        Ok(())
    })
}

#[test]
fn the_same_text_again_compiles_nothing() -> Result<()> {
    on_gpu(|gpu| {
        let mut file = KernelFile::new("same", FIRST)?;
        let mut program = gpu.load_program(&file.path)?;
        let compiles = gpu.counters().compiles;
        file.write(FIRST)?;
        assert!(program.reload_if_changed()?);
        assert_eq!(gpu.counters().compiles, compiles);
        Ok(())
    })
}

/// More versions than programs are kept for the next who asks.
#[test]
fn three_hundred_versions_leave_nothing_behind() -> Result<()> {
    on_gpu(|gpu| {
        let target = gpu.buffer(1, 1).build()?;
        for version in 0..300 {
            let text = format!("RANGE float r; void main() {{ r = {version}.0; }}");
            gpu.program("version.frag", &text)?.run(&target)?;
            assert_eq!(target.data()?, [version as f32]);
        }
        Ok(())
    })
}

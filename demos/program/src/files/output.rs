//! The output of a demo: by the extension of one path, a file, numbered files, or an animation.
//!
//! ```ignore
//! let mut output = Output::create("rd.gif".as_ref(), Some(100))?; // a mistake in the path ends it here
//! for step in 0..=5000 {
//!     if output.due(step) {
//!         output.frame(step, picture, array)?; // a GIF asks for the picture and not for the array
//!     }
//! }
//! let written = output.finish()?;
//! ```

use super::gif::Animation;
use super::{Array, Picture, atomic, exr, npy, picture, shown};
use crate::output::counted;
use anyhow::{Result, bail, ensure};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// 25 frames a second.
const DELAY: Duration = Duration::from_millis(40);

/// Browsers show a frame that asks for less five times as long.
const SHORTEST: Duration = Duration::from_millis(20);

/// A kind of file, known by its extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A picture.
    Png,
    /// Pictures in time.
    Gif,
    /// Raw floats for NumPy.
    Npy,
    /// Raw floats for image programs.
    Exr,
}

impl Format {
    /// Returns true if it holds a picture, and not the numbers.
    pub fn is_picture(self) -> bool {
        matches!(self, Format::Png | Format::Gif)
    }

    /// The format that the extension of `path` names, in capital letters or small.
    ///
    /// # Errors
    /// Another extension, or none; lists the known ones.
    pub fn of(path: &Path) -> Result<Format> {
        let known = "the known extensions are .png, .gif, .npy and .exr";
        let Some(extension) = path.extension() else { bail!("{}: has no extension; {known}", shown(path)) };
        match extension.to_ascii_lowercase().to_str() {
            Some("png") => Ok(Format::Png),
            Some("gif") => Ok(Format::Gif),
            Some("npy") => Ok(Format::Npy),
            Some("exr") => Ok(Format::Exr),
            _ => bail!("{}: cannot write .{}; {known}", shown(path), shown(extension)),
        }
    }
}

/// The frames of one run on their way to the disk. Each file appears complete or not at all.
pub struct Output {
    path: PathBuf,
    format: Format,
    every: Option<u64>,
    /// Open from the start for [`Format::Gif`].
    animation: Option<Animation>,
    /// How long a frame of an animation is shown, and for how long those so far should have been shown.
    delay: Duration,
    shown: Duration,
    last_step: Option<u64>,
    written: Vec<PathBuf>,
    /// Frames so far, and the bytes of those that are files.
    frames: u64,
    bytes: u64,
}

impl Output {
    /// An output to `path`, found writable before anything is computed.
    ///
    /// `every` is how many steps lie between two frames. `None` is a single frame in the file `path`.
    /// `Some(n)` is a GIF of many frames, or for the other formats a file a frame, numbered by its step:
    /// `rd-000100.png`.
    ///
    /// # Errors
    /// An unknown extension, a folder that does not exist or cannot be written to, a directory, `every` = 0.
    pub fn create(path: &Path, every: Option<u64>) -> Result<Output> {
        let format = Format::of(path)?;
        ensure!(every != Some(0), "{}: a frame every 0 steps; expected 1 or more", shown(path));
        let animation = match format {
            Format::Gif => Some(Animation::create(path)?),
            _ => {
                atomic::check(&place(path, every.map(|_| 0)))?;
                None
            }
        };
        let path = path.to_owned();
        let (last_step, written, delay, shown) = (None, Vec::new(), DELAY, Duration::ZERO);
        Ok(Output { path, format, every, animation, delay, shown, last_step, written, frames: 0, bytes: 0 })
    }

    /// Returns true for an animation of a single frame.
    pub fn is_a_still(&self) -> bool {
        self.format == Format::Gif && self.every.is_none()
    }

    /// A step is so long: frames of an animation then take the time that lies between them, 0.02 s at least, and else
    /// 0.04 s.
    pub fn lasts(&mut self, step: Option<Duration>) {
        let frame =
            |step: Duration| step.saturating_mul(u32::try_from(self.every.unwrap_or(1)).unwrap_or(u32::MAX));
        self.delay = step.map_or(DELAY, |step| frame(step).max(SHORTEST));
    }

    /// How long the next frame is shown: whole hundredths of a second, whose sum keeps time.
    fn next_delay(&mut self) -> Duration {
        let hundredths = |time: Duration| (time.as_secs_f64() * 100.0).round() as u64;
        let before = hundredths(self.shown);
        self.shown = self.shown.saturating_add(self.delay);
        Duration::from_millis(10 * (hundredths(self.shown) - before).min(u64::from(u16::MAX)))
    }

    /// Returns true if the state after `step` steps is one of the frames: all multiples of `every`, 0 among them. With
    /// `every` = `None` none is due, and the caller writes the last.
    pub fn due(&self, step: u64) -> bool {
        self.every.is_some_and(|every| step.is_multiple_of(every))
    }

    /// Writes the frame after `step` steps, asking for the picture or the array, whichever the format holds.
    ///
    /// The step written last is not written again, so a run may end with an unconditional frame.
    ///
    /// # Errors
    /// Those of `picture` and `array`, as they are, and those of writing, with the path.
    pub fn frame(
        &mut self,
        step: u64,
        picture: impl FnOnce() -> Result<Picture>,
        array: impl FnOnce() -> Result<Array>,
    ) -> Result<()> {
        if self.last_step == Some(step) {
            return Ok(());
        }
        let delay = self.next_delay();
        if let Some(animation) = &mut self.animation {
            animation.push(picture()?, delay)?;
        } else {
            let path = place(&self.path, self.every.map(|_| step));
            match self.format {
                Format::Png | Format::Gif => picture::write_png(&path, &picture()?)?,
                Format::Npy => npy::write(&path, &array()?)?,
                Format::Exr => exr::write(&path, &array()?)?,
            }
            self.bytes += std::fs::metadata(&path).map_or(0, |file| file.len());
            if self.written.last() != Some(&path) {
                self.written.push(path);
            }
        }
        self.last_step = Some(step);
        self.frames += 1;
        Ok(())
    }

    /// The number of pictures so far, and their size together, in a few words.
    pub fn progress(&self) -> String {
        format!("{}, {:.1} MB", counted(self.frames, "picture"), self.bytes() as f64 * 1e-6)
    }

    fn bytes(&self) -> u64 {
        self.bytes + self.animation.as_ref().map_or(0, Animation::bytes)
    }

    /// Files that are complete already.
    pub fn files_written(&self) -> usize {
        self.written.len()
    }

    /// Completes the output and returns the files in the order they were written; none if there was no frame.
    ///
    /// # Errors
    /// The end of an animation cannot be written.
    pub fn finish(mut self) -> Result<Vec<PathBuf>> {
        if let Some(animation) = self.animation {
            animation.finish()?;
            if self.last_step.is_some() {
                self.written.push(self.path);
            }
        }
        Ok(self.written)
    }
}

/// `folder/rd.png` itself, or `folder/rd-000100.png` for step 100.
fn place(path: &Path, step: Option<u64>) -> PathBuf {
    let (Some(step), Some(stem), Some(extension)) = (step, path.file_stem(), path.extension()) else {
        return path.to_owned();
    };
    let mut name = OsString::from(stem);
    name.push(format!("-{step:06}."));
    name.push(extension);
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn picture() -> Result<Picture> {
        Ok(Picture { width: 3, height: 2, rgba: vec![255; 24] })
    }

    fn array() -> Result<Array> {
        Ok(Array { height: 2, width: 3, components: 1, values: vec![0.5; 6] })
    }

    fn error_of<T>(result: Result<T>) -> String {
        result.err().map(|error| error.to_string()).unwrap_or_default()
    }

    fn names(paths: &[PathBuf]) -> Vec<String> {
        paths.iter().filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned())).collect()
    }

    #[test]
    fn the_extension_chooses_the_format() -> Result<()> {
        assert_eq!(Format::of("a.png".as_ref())?, Format::Png);
        assert_eq!(Format::of("a.b.GIF".as_ref())?, Format::Gif);
        assert_eq!(Format::of("x/a.npy".as_ref())?, Format::Npy);
        assert_eq!(Format::of("a.Exr".as_ref())?, Format::Exr);
        let known = "the known extensions are .png, .gif, .npy and .exr";
        assert_eq!(error_of(Format::of("a.jpg".as_ref())), format!("a.jpg: cannot write .jpg; {known}"));
        assert_eq!(error_of(Format::of("png".as_ref())), format!("png: has no extension; {known}"));
        assert_eq!(error_of(Format::of("".as_ref())), format!(": has no extension; {known}"));
        Ok(())
    }

    #[test]
    fn one_frame_goes_into_the_file_itself() -> Result<()> {
        let folder = tempfile::tempdir()?;
        for name in ["a.png", "a.gif", "a.npy", "a.exr"] {
            let path = folder.path().join(name);
            let mut output = Output::create(&path, None)?;
            assert!(!output.due(0));
            output.frame(7, picture, array)?;
            assert_eq!(output.finish()?, std::slice::from_ref(&path));
            assert!(path.exists());
        }
        assert_eq!(fs::read_dir(folder.path())?.count(), 4);
        Ok(())
    }

    #[test]
    fn many_frames_are_numbered_by_step_or_animated() -> Result<()> {
        for (name, expected) in [
            ("a.b.png", &["a.b-000000.png", "a.b-000050.png", "a.b-000099.png"][..]),
            ("a.npy", &["a-000000.npy", "a-000050.npy", "a-000099.npy"]),
            ("a.exr", &["a-000000.exr", "a-000050.exr", "a-000099.exr"]),
            ("a.gif", &["a.gif"]),
        ] {
            let folder = tempfile::tempdir()?;
            let mut output = Output::create(&folder.path().join(name), Some(50))?;
            assert_eq!(output.progress(), "0 pictures, 0.0 MB");
            for step in 0..100 {
                if output.due(step) || step == 99 {
                    output.frame(step, picture, array)?;
                }
            }
            output.frame(99, || bail!("asked twice"), || bail!("asked twice"))?;
            let many = output.progress();
            assert!(many.starts_with("3 pictures, 0.") && output.bytes() > 50, "{many}");
            let written = output.finish()?;
            assert_eq!(names(&written), expected);
            assert!(written.iter().all(|path| path.exists()));
            assert_eq!(fs::read_dir(folder.path())?.count(), expected.len());
        }
        Ok(())
    }

    #[test]
    fn only_what_the_format_holds_is_asked_for() -> Result<()> {
        let folder = tempfile::tempdir()?;
        for (name, wants_picture) in [("a.png", true), ("a.gif", true), ("a.npy", false), ("a.exr", false)] {
            let path = folder.path().join(name);
            let refuse = "not asked for";
            let mut output = Output::create(&path, None)?;
            let result = if wants_picture {
                output.frame(0, picture, || bail!(refuse))
            } else {
                output.frame(0, || bail!(refuse), array)
            };
            result?;
            assert_eq!(
                error_of(output.frame(1, || bail!("no picture"), || bail!("no picture"))),
                "no picture"
            );
        }
        Ok(())
    }

    #[test]
    fn numbers_of_one_component_are_a_matrix() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a.npy");
        let mut output = Output::create(&path, None)?;
        output.frame(0, picture, array)?;
        output.finish()?;
        assert_eq!(npy::read(&path)?, array()?);
        assert!(fs::read(&path)?.windows(6).any(|text| text == b"(2, 3)"));
        Ok(())
    }

    #[test]
    fn an_animation_takes_the_time_of_its_steps_but_for_frames_too_short_to_see() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let sixtieth = Some(Duration::from_secs(1) / 60);
        for (every, step, expected) in [
            (1, sixtieth, [20, 20, 20]),
            (2, sixtieth, [30, 40, 30]),
            (30, sixtieth, [500, 500, 500]),
            (u64::MAX, Some(Duration::MAX), [655_350, 0, 0]),
            (7, None, [40, 40, 40]),
        ] {
            let mut output = Output::create(&folder.path().join("a.gif"), Some(every))?;
            output.lasts(step);
            let delays = [0; 3].map(|_| output.next_delay());
            assert_eq!(delays, expected.map(Duration::from_millis), "{every}");
        }
        Ok(())
    }

    #[test]
    fn mistakes_are_found_before_the_first_frame() -> Result<()> {
        let folder = tempfile::tempdir()?;
        for name in ["a.png", "a.gif", "a.npy", "a.exr"] {
            for every in [None, Some(10)] {
                let missing = folder.path().join("missing").join(name);
                let error = error_of(Output::create(&missing, every));
                let reason = format!("the folder {} does not exist", folder.path().join("missing").display());
                assert!(error.ends_with(&reason), "{error}");
            }
            let directory = folder.path().join(name);
            fs::create_dir(&directory)?;
            let error = error_of(Output::create(&directory, None));
            assert_eq!(error, format!("{}: is a directory, where a file was expected", directory.display()));
            let error = error_of(Output::create(&folder.path().join("b.png"), Some(0)));
            assert!(error.ends_with("a frame every 0 steps; expected 1 or more"));
        }
        assert_eq!(fs::read_dir(folder.path())?.count(), 4);
        Ok(())
    }

    #[test]
    fn no_frame_is_no_file() -> Result<()> {
        let folder = tempfile::tempdir()?;
        for name in ["a.png", "a.gif", "a.npy", "a.exr"] {
            assert!(Output::create(&folder.path().join(name), Some(10))?.finish()?.is_empty());
        }
        assert_eq!(fs::read_dir(folder.path())?.count(), 0);
        Ok(())
    }
}

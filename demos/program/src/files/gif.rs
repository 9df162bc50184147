//! GIF animations, encoded frame by frame as they arrive: the memory of one frame, however long the animation.
//!
//! A frame has a palette of its own. Up to 256 colours it is exact, and a field drawn through a colour map of
//! 256 entries never has more; pictures with more colours are approximated. Transparency is on or off.

use super::atomic::Draft;
use super::{Picture, named};
use anyhow::{Context, Result, ensure};
use image::codecs::gif::{GifEncoder, Repeat};
use image::{Delay, Frame, RgbaImage};
use std::cell::RefCell;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

/// How hard to look for 256 colours that stand for more: 1 (best) to 30 (fastest).
const SPEED: i32 = 10;

/// An animation that loops forever. Dropped without [`Animation::finish`], it leaves no file.
pub struct Animation {
    path: PathBuf,
    draft: Draft,
    encoder: GifEncoder<SharedBytes>,
    tape: SharedBytes,
    /// (width, height) of every frame, set by the first.
    size: Option<(u32, u32)>,
    /// Bytes of the frames so far.
    bytes: u64,
}

impl Animation {
    /// Opens an animation to be written at `path`.
    ///
    /// # Errors
    /// Those of [`Draft::create`].
    pub fn create(path: &Path) -> Result<Animation> {
        let tape = SharedBytes::default();
        let mut encoder = GifEncoder::new_with_speed(tape.clone(), SPEED);
        encoder.set_repeat(Repeat::Infinite).map_err(|error| named(path, error))?;
        Ok(Animation {
            path: path.to_owned(),
            draft: Draft::create(path)?,
            encoder,
            tape,
            size: None,
            bytes: 0,
        })
    }

    /// Appends a frame shown for `delay`, which GIF counts in whole hundredths of a second.
    ///
    /// # Errors
    /// The picture does not add up, has another size than the first frame or more than 65 535 pixels a side,
    /// or the file cannot be written.
    pub fn push(&mut self, picture: Picture, delay: Duration) -> Result<()> {
        let pushed = self.encode(picture, delay).and_then(|()| self.record());
        pushed.map_err(|error| named(&self.path, error))
    }

    fn encode(&mut self, picture: Picture, delay: Duration) -> Result<()> {
        picture.check()?;
        let Picture { width, height, rgba } = picture;
        let most = u32::from(u16::MAX);
        ensure!(width <= most && height <= most, "{width} x {height} is too large for a GIF, {most} a side");
        let (first_width, first_height) = *self.size.get_or_insert((width, height));
        ensure!(
            (width, height) == (first_width, first_height),
            "a frame of {width} x {height} in an animation of {first_width} x {first_height}"
        );
        let image = RgbaImage::from_raw(width, height, rgba).context("the picture does not add up")?;
        let delay = u32::try_from(delay.as_millis()).unwrap_or(u32::MAX);
        let frame = Frame::from_parts(image, 0, 0, Delay::from_numer_denom_ms(delay, 1));
        Ok(self.encoder.encode_frame(frame)?)
    }

    /// Moves what the encoder wrote into the draft.
    fn record(&mut self) -> Result<()> {
        let mut bytes = self.tape.0.borrow_mut();
        self.draft.file().write_all(&bytes)?;
        self.bytes += bytes.len() as u64;
        bytes.clear();
        Ok(())
    }

    /// The bytes of the frames so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Ends the animation and makes it the file; without any frame there is nothing to write, and no file.
    ///
    /// # Errors
    /// Those of [`Draft::commit`].
    pub fn finish(self) -> Result<()> {
        let Animation { path, mut draft, encoder, tape, size, .. } = self;
        drop(encoder);
        if size.is_none() {
            return Ok(());
        }
        draft.file().write_all(&tape.0.borrow()).map_err(|error| named(&path, error))?;
        draft.commit()
    }
}

/// Memory the encoder writes to. It puts its last byte when it is dropped, where a full disk could not be
/// reported; writing here cannot fail.
#[derive(Clone, Default)]
struct SharedBytes(Rc<RefCell<Vec<u8>>>);

impl Write for SharedBytes {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::AnimationDecoder;
    use image::codecs::gif::GifDecoder;
    use image::metadata::LoopCount;
    use std::fs::{self, File};
    use std::io::BufReader;

    const DELAY: Duration = Duration::from_millis(40);

    /// A picture of `colours` colours, another one for each `seed`.
    fn picture(width: u32, height: u32, colours: u32, seed: u32) -> Picture {
        let pixel = |i| [(i % colours) as u8, (seed * 31) as u8, ((i % colours) >> 8) as u8, 255];
        Picture { width, height, rgba: (0..width * height).flat_map(pixel).collect() }
    }

    fn frames(path: &Path) -> Result<Vec<Frame>> {
        let decoder = GifDecoder::new(BufReader::new(File::open(path)?))?;
        assert!(matches!(decoder.loop_count(), LoopCount::Infinite));
        Ok(decoder.into_frames().collect_frames()?)
    }

    #[test]
    fn frames_of_up_to_256_colours_read_back_exactly() -> Result<()> {
        let folder = tempfile::tempdir()?;
        for (width, height) in [(1, 1), (1, 2), (2, 1), (11, 10), (31, 57)] {
            for colours in [1, 2, 3, 255, 256] {
                let path = folder.path().join("a.gif");
                let pictures: Vec<Picture> =
                    (0..4).map(|seed| picture(width, height, colours, seed)).collect();
                let mut animation = Animation::create(&path)?;
                for picture in &pictures {
                    animation.push(picture.clone(), DELAY)?;
                }
                animation.finish()?;
                let read = frames(&path)?;
                assert_eq!(read.len(), 4);
                for (frame, picture) in read.into_iter().zip(pictures) {
                    assert_eq!(frame.delay().numer_denom_ms(), (40, 1));
                    assert_eq!(frame.into_buffer().into_vec(), picture.rgba);
                }
            }
        }
        Ok(())
    }

    #[test]
    fn more_colours_are_approximated() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a.gif");
        let picture = picture(64, 64, 1024, 0);
        let mut animation = Animation::create(&path)?;
        animation.push(picture.clone(), DELAY)?;
        animation.finish()?;
        let read = frames(&path)?.remove(0).into_buffer().into_vec();
        let worst = read.iter().zip(&picture.rgba).map(|(a, b)| a.abs_diff(*b)).max();
        assert!(worst <= Some(32), "{worst:?} of 255");
        Ok(())
    }

    #[test]
    fn frames_go_to_the_file_as_they_come() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a.gif");
        let mut animation = Animation::create(&path)?;
        for seed in 0..50 {
            animation.push(picture(64, 64, 256, seed), DELAY)?;
            assert!(animation.tape.0.borrow().is_empty());
        }
        assert!(!path.exists());
        animation.finish()?;
        assert_eq!(frames(&path)?.len(), 50);
        assert_eq!(fs::read_dir(folder.path())?.count(), 1);
        Ok(())
    }

    #[test]
    fn an_animation_without_frames_or_without_an_end_is_no_file() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a.gif");
        Animation::create(&path)?.finish()?;
        Animation::create(&path)?.push(picture(3, 3, 2, 0), DELAY)?;
        assert_eq!(fs::read_dir(folder.path())?.count(), 0);
        Ok(())
    }

    #[test]
    fn frames_that_do_not_fit_are_named() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a.gif");
        let mut animation = Animation::create(&path)?;
        animation.push(picture(3, 2, 2, 0), DELAY)?;
        for (picture, reason) in [
            (picture(2, 3, 2, 0), "a frame of 2 x 3 in an animation of 3 x 2"),
            (picture(65_536, 1, 2, 0), "65536 x 1 is too large for a GIF, 65535 a side"),
            (Picture { width: 3, height: 2, rgba: vec![] }, "a picture of 3 x 2 cannot be made of 0 bytes"),
        ] {
            let error = animation.push(picture, DELAY).err().map(|error| error.to_string());
            assert_eq!(error, Some(format!("{}: {reason}", path.display())));
        }
        Ok(())
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_reported() -> Result<()> {
        let mut animation = Animation::create(Path::new("/dev/full"))?;
        animation.push(picture(3, 3, 2, 0), DELAY)?;
        let error = animation.finish().err().map(|error| error.to_string());
        assert_eq!(error.as_deref(), Some("/dev/full: No space left on device"));
        Ok(())
    }
}

//! GIF animations, encoded frame by frame as they arrive: the memory of two frames, however long the animation.
//!
//! A frame holds the box of what has changed since the one before, and what has not changed in it is left out. It has a palette of its own. Up
//! to 255 colours that change, or 256 of a whole box, it is exact, and a field drawn through a colour map of 256 entries never has more;
//! pictures with more colours are approximated. Transparent pixels are black.

use super::atomic::Draft;
use super::{Picture, named};
use anyhow::{Result, ensure};
use color_quant::NeuQuant;
use gif::{DisposalMethod, Encoder, Frame, Repeat};
use std::cell::RefCell;
use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

/// How hard to look for colours that stand for more: 1 (best) to 30 (fastest).
const SPEED: i32 = 10;

/// The difference of 255 up to which a pixel of a picture of too many colours stays as it was drawn.
const ALIKE: u8 = 2;

/// An animation that loops forever. Dropped without [`Animation::finish`], it leaves no file.
pub struct Animation {
    path: PathBuf,
    draft: Draft,
    /// There is none before the first frame, which says its size.
    encoder: Option<Encoder<SharedBytes>>,
    tape: SharedBytes,
    /// (width, height) of every frame, set by the first.
    size: Option<(u32, u32)>,
    /// Red, green and blue of each pixel as it was when it was drawn last.
    drawn: Vec<[u8; 3]>,
    /// Bytes of the frames so far.
    bytes: u64,
}

impl Animation {
    /// Opens an animation to be written at `path`.
    ///
    /// # Errors
    /// Those of [`Draft::create`].
    pub fn create(path: &Path) -> Result<Animation> {
        Ok(Animation {
            path: path.to_owned(),
            draft: Draft::create(path)?,
            encoder: None,
            tape: SharedBytes::default(),
            size: None,
            drawn: Vec::new(),
            bytes: 0,
        })
    }

    /// Appends a frame shown for `delay`, which GIF counts in whole hundredths of a second.
    ///
    /// # Errors
    /// The picture does not add up, has another size than the first frame or more than 65 535 pixels a side,
    /// or the file cannot be written.
    pub fn push(&mut self, picture: Picture, delay: Duration) -> Result<()> {
        let pushed = self.encode(&picture, delay).and_then(|()| self.record());
        pushed.map_err(|error| named(&self.path, error))
    }

    fn encode(&mut self, picture: &Picture, delay: Duration) -> Result<()> {
        picture.check()?;
        let Picture { width, height, rgba } = picture;
        let (width, height) = (*width, *height);
        let most = u32::from(u16::MAX);
        ensure!(width <= most && height <= most, "{width} x {height} is too large for a GIF, {most} a side");
        let (first_width, first_height) = *self.size.get_or_insert((width, height));
        ensure!(
            (width, height) == (first_width, first_height),
            "a frame of {width} x {height} in an animation of {first_width} x {first_height}"
        );
        let encoder = match &mut self.encoder {
            Some(encoder) => encoder,
            none => {
                let mut encoder = Encoder::new(self.tape.clone(), width as u16, height as u16, &[])?;
                encoder.set_repeat(Repeat::Infinite)?;
                none.insert(encoder)
            }
        };
        let seen = |pixel: &[u8; 4]| if pixel[3] == 0 { [0; 3] } else { [pixel[0], pixel[1], pixel[2]] };
        let pixels: Vec<[u8; 3]> = rgba.as_chunks::<4>().0.iter().map(seen).collect();
        let mut frame = difference(&pixels, &mut self.drawn, width as usize);
        frame.delay = u16::try_from(delay.as_millis() / 10).unwrap_or(u16::MAX);
        frame.dispose = DisposalMethod::Keep;
        Ok(encoder.write_frame(&frame)?)
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

/// The frame that makes `pixels` of what is `drawn`, which then is what it has made; of nothing that is drawn, all of them.
fn difference(pixels: &[[u8; 3]], drawn: &mut Vec<[u8; 3]>, width: usize) -> Frame<'static> {
    let is_first = drawn.is_empty();
    let mut known = Known::new(256);
    let few = pixels.iter().all(|pixel| known.number(*pixel).is_some());
    let alike = if few { 0 } else { ALIKE };
    let stays = |i: usize| !is_first && (0..3).all(|k| pixels[i][k].abs_diff(drawn[i][k]) <= alike);
    let changed: Vec<bool> = (0..pixels.len()).map(|i| !stays(i)).collect();
    // The box of what has changed; a pixel where nothing has.
    let (mut left, mut top, mut right, mut bottom) = (usize::MAX, usize::MAX, 0, 0);
    for i in (0..pixels.len()).filter(|&i| changed[i]) {
        let (x, y) = (i % width, i / width);
        (left, top) = (left.min(x), top.min(y));
        (right, bottom) = (right.max(x + 1), bottom.max(y + 1));
    }
    if right == 0 {
        (left, top, right, bottom) = (0, 0, 1, 1);
    }
    let inside: Vec<usize> = (top..bottom).flat_map(|y| (left..right).map(move |x| y * width + x)).collect();
    let (palette, numbers, transparent) = numbered(pixels, &inside, &changed);
    if is_first {
        *drawn = pixels.to_vec();
    } else {
        inside.iter().filter(|&&i| changed[i]).for_each(|&i| drawn[i] = pixels[i]);
    }
    Frame {
        left: left as u16,
        top: top as u16,
        width: (right - left) as u16,
        height: (bottom - top) as u16,
        palette: Some(palette),
        transparent,
        buffer: numbers.into(),
        ..Frame::default()
    }
}

/// Colours by their numbers, in the order in which they came.
struct Known {
    /// A colour and its number where its hash leads, or in the next free slot.
    slots: Vec<Option<([u8; 3], u8)>>,
    palette: Vec<[u8; 3]>,
    most: usize,
}

impl Known {
    const SLOTS: usize = 1024;

    /// For so many colours, 256 at most.
    fn new(most: usize) -> Known {
        Known { slots: vec![None; Known::SLOTS], palette: Vec::new(), most }
    }

    /// The number of a colour; `None` of one too many.
    fn number(&mut self, colour: [u8; 3]) -> Option<u8> {
        let [red, green, blue] = colour.map(u32::from);
        let mut at = (red << 16 | green << 8 | blue).wrapping_mul(0x9e37_79b1) as usize >> 22;
        loop {
            match self.slots[at] {
                Some((known, number)) if known == colour => return Some(number),
                Some(_) => at = (at + 1) % Known::SLOTS,
                None if self.palette.len() == self.most => return None,
                None => {
                    let number = self.palette.len() as u8;
                    self.slots[at] = Some((colour, number));
                    self.palette.push(colour);
                    return Some(number);
                }
            }
        }
    }
}

/// The palette of the pixels `inside`, their numbers in it, and that of the ones that have not changed and are left out.
fn numbered(pixels: &[[u8; 3]], inside: &[usize], changed: &[bool]) -> (Vec<u8>, Vec<u8>, Option<u8>) {
    let leaves_out = inside.iter().any(|&i| !changed[i]);
    let mut known = Known::new(if leaves_out { 255 } else { 256 });
    // 0 stands for what is left out until the number after the last is known.
    let number = |&i: &usize| if changed[i] { known.number(pixels[i]) } else { Some(0) };
    if let Some(mut numbers) = inside.iter().map(number).collect::<Option<Vec<u8>>>() {
        let none = known.palette.len() as u8;
        if leaves_out {
            let left_out = inside.iter().zip(&mut numbers).filter(|(i, _)| !changed[**i]);
            left_out.for_each(|(_, number)| *number = none);
            known.palette.push([0; 3]);
        }
        return (known.palette.concat(), numbers, leaves_out.then_some(none));
    }
    // All 256 colours change: the box is drawn as it is.
    let mut known = Known::new(256);
    if let Some(numbers) = inside.iter().map(|&i| known.number(pixels[i])).collect() {
        return (known.palette.concat(), numbers, None);
    }
    let drawn = || inside.iter().filter(|&&i| changed[i]).map(|&i| pixels[i]);
    let rgba: Vec<u8> = drawn().flat_map(|[red, green, blue]| [red, green, blue, 255]).collect();
    let chosen = NeuQuant::new(SPEED, 255, &rgba);
    let mut palette = chosen.color_map_rgb();
    palette.extend([0; 3]);
    let mut known: HashMap<[u8; 3], u8> = HashMap::new();
    let number = |&i: &usize| {
        let [red, green, blue] = pixels[i];
        match changed[i] {
            true => {
                *known.entry(pixels[i]).or_insert_with(|| chosen.index_of(&[red, green, blue, 255]) as u8)
            }
            false => 255,
        }
    };
    (palette, inside.iter().map(number).collect(), Some(255))
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
    use image::Frame;
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

    /// A dot that moves over many colours: all but it is left out, and what is read back is what was drawn.
    #[test]
    fn only_what_has_changed_is_in_a_frame() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a.gif");
        let (side, dot) = (64, |frame: usize| 64 * (10 + frame) + 7 * frame);
        let ground = picture(side, side, 200, 3);
        let mut animation = Animation::create(&path)?;
        let mut bytes = Vec::new();
        for frame in 0..6 {
            let mut picture = ground.clone();
            picture.rgba[4 * dot(frame)..][..4].copy_from_slice(&[255, 254, 253, 255]);
            animation.push(picture, DELAY)?;
            bytes.push(animation.bytes());
        }
        // And one in which nothing has.
        let mut last = ground.clone();
        last.rgba[4 * dot(5)..][..4].copy_from_slice(&[255, 254, 253, 255]);
        animation.push(last, DELAY)?;
        animation.finish()?;
        assert!(bytes[5] - bytes[0] < bytes[0] / 2, "{bytes:?}");
        let read = frames(&path)?;
        assert_eq!(read.len(), 7);
        for (i, frame) in read.into_iter().enumerate() {
            let frame = frame.into_buffer().into_vec();
            let mut expected = ground.rgba.clone();
            expected[4 * dot(i.min(5))..][..4].copy_from_slice(&[255, 254, 253, 255]);
            assert_eq!(frame, expected, "{i}");
        }
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

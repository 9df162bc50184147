//! Pictures of 8 bits a channel.

use anyhow::{Result, ensure};

/// width × height pixels of red, green, blue and alpha, row 0 on top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    pub width: u32,
    pub height: u32,
    /// `rgba[(row * width + column) * 4 + channel]`; alpha 255 is opaque, and not multiplied into the colours.
    pub rgba: Vec<u8>,
}

impl Image {
    /// Confirms that there is a pixel and that there are 4 × width × height bytes.
    ///
    /// # Errors
    /// Names the sizes and the number of bytes that do not agree.
    pub fn check(&self) -> Result<()> {
        let Image { width, height, ref rgba } = *self;
        let bytes = 4 * u128::from(width) * u128::from(height);
        ensure!(
            bytes > 0 && bytes == rgba.len() as u128,
            "a picture of {width} x {height} cannot be made of {} bytes",
            rgba.len()
        );
        Ok(())
    }

    /// Each pixel as a square of so many times as many.
    pub fn enlarged(self, times: u32) -> Image {
        if times == 1 {
            return self;
        }
        let (n, Image { width, height, rgba }) = (times as usize, self);
        let mut all = Vec::with_capacity(rgba.len() * n * n);
        for row in rgba.chunks_exact(4 * width as usize) {
            let wide: Vec<u8> = row.chunks_exact(4).flat_map(|pixel| pixel.repeat(n)).collect();
            (0..n).for_each(|_| all.extend_from_slice(&wide));
        }
        Image { width: width * times, height: height * times, rgba: all }
    }
}

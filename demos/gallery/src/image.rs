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

    /// Half as wide and half as high, rounded up: each pixel is the mean of four, or of those that there are.
    pub fn halved(self) -> Image {
        let Image { width, height, rgba } = self;
        let [wide, high] = [width.div_ceil(2), height.div_ceil(2)];
        let mean = |i: usize| {
            let (channel, x, y) = (i % 4, i / 4 % wide as usize * 2, i / 4 / wide as usize * 2);
            let right = (x + 1).min(width as usize - 1);
            let down = (y + 1).min(height as usize - 1);
            let of = |x: usize, y: usize| u32::from(rgba[(y * width as usize + x) * 4 + channel]);
            ((of(x, y) + of(right, y) + of(x, down) + of(right, down) + 2) / 4) as u8
        };
        let all = (0..wide as usize * high as usize * 4).map(mean).collect();
        Image { width: wide, height: high, rgba: all }
    }
}

#[cfg(test)]
mod tests {
    use super::Image;

    #[test]
    fn half_a_picture_has_the_mean_of_each_four_pixels() {
        let grey = |width: u32, rgba: &[u8]| Image {
            width,
            height: (rgba.len() as u32).div_ceil(width),
            rgba: rgba.iter().flat_map(|&g| [g, g, g, 255]).collect(),
        };
        for (width, whole, wide, half) in [
            (2, &[0, 4, 8, 12][..], 1, &[6][..]),
            (3, &[0, 4, 100, 8, 12, 50], 2, &[6, 75]),
            (1, &[7], 1, &[7]),
            (1, &[1, 2, 9], 1, &[2, 9]),
        ] {
            assert_eq!(grey(width, whole).halved(), grey(wide, half), "{whole:?}");
        }
    }
}

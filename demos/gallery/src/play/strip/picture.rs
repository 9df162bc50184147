//! Textures in false colours, as pictures that egui shows.

use std::collections::HashMap;

use egui::{Color32, ColorImage, TextureHandle, TextureOptions, Ui};
use quadrille::trace::Trace;

use crate::palette;

/// Pictures by image and channel, made when they are first shown.
#[derive(Default)]
pub struct Pictures(HashMap<(usize, usize), Option<TextureHandle>>);

impl Pictures {
    /// The picture of a channel; `None` where nothing was read.
    pub fn of(&mut self, ui: &Ui, trace: &Trace, image: usize, channel: usize) -> Option<TextureHandle> {
        let made = || {
            let image = colours(trace, image, channel)?;
            Some(ui.ctx().load_texture("pass", image, TextureOptions::NEAREST))
        };
        self.0.entry((image, channel)).or_insert_with(made).clone()
    }
}

/// A channel from its least number to its greatest in viridis, what is not finite in red; row 0 at the bottom.
fn colours(trace: &Trace, image: usize, channel: usize) -> Option<ColorImage> {
    let (width, height, shares) = trace.images.get(image)?.shares(channel)?;
    let map = palette::colours("viridis")?;
    let colour = |share: &f32| match share {
        share if share.is_nan() => Color32::RED,
        share => {
            let [r, g, b] = map[(share.clamp(0.0, 1.0) * 255.0).round() as usize];
            Color32::from_rgb(r, g, b)
        }
    };
    let pixels = shares.chunks_exact(width).rev().flatten().map(colour).collect();
    Some(ColorImage::new([width, height], pixels))
}

//! The mesh as it began, in place of the one of now or to the left of it.

use anyhow::Result;
use quadrille::Rect;
use quadrille::view::Camera;

use crate::image::Image;
use crate::param::Values;
use crate::picture::{Layout, MeshPicture, MeshShown, MeshView, Picture};

/// The meshes that a picture shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    Now,
    Before,
    Beside,
}

pub const SHOWN: [(&str, &str, Shown); 3] = [
    ("now", "the mesh as it is", Shown::Now),
    ("before", "as it began, with its noise", Shown::Before),
    ("beside", "as it began on the left, as it is on the right", Shown::Beside),
];

/// Two meshes seen from one place.
pub struct BesidePicture<'a> {
    pub view: &'a mut MeshView,
    pub before: MeshShown<'a>,
    pub now: MeshShown<'a>,
}

/// A pixel of the bar between the two, which are pictures of their own: a shadow ends where its picture does.
const BAR: [u8; 4] = [18, 18, 20, 255];

/// Half the pixels between two pictures of that width.
fn gap(half: u32) -> u32 {
    half / 100
}

impl BesidePicture<'_> {
    fn left(&mut self) -> MeshPicture<'_> {
        MeshPicture { view: self.view, mesh: self.before }
    }

    fn right(&mut self) -> MeshPicture<'_> {
        MeshPicture { view: self.view, mesh: self.now }
    }
}

impl Picture for BesidePicture<'_> {
    fn image(&mut self) -> Result<Image> {
        let [width, height] = self.view.size();
        let half = (width / 2).max(1);
        let (bar, part) = (BAR.repeat(2 * gap(half) as usize), half - gap(half));
        let right = self.right().image_of([part, height])?;
        let left = self.left().image_of([part, height])?;
        let rows = left.chunks(4 * part as usize).zip(right.chunks(4 * part as usize));
        let rgba = rows.flat_map(|(left, right)| left.iter().chain(&bar).chain(right)).copied().collect();
        Ok(Image { width: 2 * half, height, rgba })
    }

    fn draw(&mut self, place: Rect) -> Result<()> {
        let half = (place.width() / 2).max(1);
        let (left, right) = (place.x0 + half - gap(half), place.x0 + half + gap(half));
        self.left().draw(Rect::new(place.x0, place.y0, left, place.y1))?;
        match right < place.x1 {
            true => self.right().draw(Rect::new(right, place.y0, place.x1, place.y1)),
            false => Ok(()),
        }
    }

    fn layout(&self, aspect: f64) -> Result<Layout> {
        Ok(Layout::Space(self.view.lens(&self.now, 0.5 * aspect)?))
    }

    fn camera(&mut self) -> Option<&mut Camera> {
        Some(self.view.camera())
    }

    fn turns_by_left(&self) -> bool {
        true
    }

    fn say(&self, values: &mut Values) {
        self.view.say(values);
    }

    #[cfg(feature = "panel")]
    fn view_widgets(&mut self, ui: &mut egui::Ui) {
        self.right().view_widgets(ui);
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use anyhow::{Result, anyhow};
    use quadrille::Gpu;

    use super::super::ABOUT;
    use crate::demo::{Demo, Request, TestHost};

    /// The mesh before is that of the beginning after any step, and after a reset; beside it stands the one of now, each in its half.
    #[test]
    fn the_mesh_as_it_began_is_seen_alone_and_beside_the_one_of_now() -> Result<()> {
        let gpu = Gpu::headless()?;
        let of = |flags: &str| ABOUT.values_of(flags).map_err(|line| anyhow!(line));
        let values = of("mesh=cube&size=3&noise=0.1&picture=60x40&bare=true")?;
        let request = Rc::new(Request { draws: true, ..Request::new(values, Rc::new(TestHost::default())) });
        let mut demo = (ABOUT.start)(&gpu, &request)?;
        let seen = |demo: &mut dyn Demo, show: &str| -> Result<Vec<u8>> {
            demo.set(&of(&format!("show={show}"))?)?;
            demo.prepare()?;
            Ok(demo.picture().image()?.rgba)
        };
        let first = seen(&mut *demo, "now")?;
        assert_eq!(seen(&mut *demo, "before")?, first);
        (0..3).try_for_each(|_| demo.step())?;
        assert!(seen(&mut *demo, "now")? != first);
        assert_eq!(seen(&mut *demo, "before")?, first);
        let beside = seen(&mut *demo, "beside")?;
        let halves = |picture: &[u8]| -> [Vec<u8>; 2] {
            [0, 1].map(|half| picture.chunks(4 * 30).skip(half).step_by(2).flatten().copied().collect())
        };
        let [left, right] = halves(&beside);
        assert!(left != right);
        demo.reset(1)?;
        let [again, now] = halves(&seen(&mut *demo, "beside")?);
        assert_eq!(again, left, "the left half is the beginning");
        assert_eq!(again, now, "nothing has moved");
        demo.reset(2)?;
        assert!(seen(&mut *demo, "before")? != first, "another seed");
        Ok(())
    }
}

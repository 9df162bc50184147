//! The product of a matrix with equally many entries in each row and a vector packed 2×2: each row gathers what it
//! needs, four rows a fragment.

use quadrille::glow::{self, HasContext};

use super::BareLoop;
use super::device::{Bare, Program, Shape, Target};
use quadrille::Result;

const UNPACK: &str = "
uniform sampler2D x;
uniform vec2 texels;
ACROSS in vec2 at;
out float element;
void main() {
    vec4 block = textureLod(x, at, 0.0);
    vec2 odd = fract(at * texels);
    vec2 pair = odd.y > 0.5 ? block.ba : block.rg;
    element = odd.x > 0.5 ? pair.y : pair.x;
}";

/// A place is row + column / 4096 in the field of x.
const PRODUCT: &str = "
uniform sampler2D elements, entries, places;
uniform vec2 field;
ACROSS in vec2 at;
out vec4 y;
void main() {
    y = vec4(0.0);
    for (int slot = 0; slot < SLOTS; ++slot) {
        vec2 here = vec2(at.x, (at.y + float(slot)) / float(SLOTS));
        vec4 place = textureLod(places, here, 0.0), row = floor(place);
        vec4 u = (4096.0 * (place - row) + 0.5) / field.x, v = (row + 0.5) / field.y;
        vec4 x = vec4(textureLod(elements, vec2(u.r, v.r), 0.0).r, textureLod(elements, vec2(u.g, v.g), 0.0).r,
                      textureLod(elements, vec2(u.b, v.b), 0.0).r, textureLod(elements, vec2(u.a, v.a), 0.0).r);
        y += textureLod(entries, here, 0.0) * x;
    }
}";

/// y = A x into one of two targets and then the other; x is unpacked every time, as it would be new every time.
pub struct Gathering {
    bare: Bare,
    unpack: Program,
    product: Program,
    x: Target,
    elements: Target,
    entries: Target,
    places: Target,
    targets: [Target; 2],
    newest: usize,
}

impl Gathering {
    /// Rows of `slots` (column, value) at most; x and y are width × height texels of 2×2 elements, element i being in
    /// row ⌊i/2·width⌋ of the grid, which is no wider or higher than 4096.
    ///
    /// # Errors
    /// Those of the driver, and of values that do not fit the size.
    pub fn new<Row: Iterator<Item = (usize, f32)>>(
        bare: &Bare,
        (width, height): (u32, u32),
        slots: u32,
        x: &[f32],
        rows: impl Iterator<Item = Row>,
    ) -> Result<Gathering> {
        let shape = Shape::rgba(width, height);
        let planes = Shape::rgba(width, height * slots);
        let channel = Shape { components: 1, ..Shape::rgba(2 * width, 2 * height) };
        let (entries, places) = planes_of(shape, slots, rows);
        let unpack = bare.program(UNPACK)?;
        unpack.floats("texels", &[width as f32, height as f32]);
        let product = bare.program(&PRODUCT.replace("SLOTS", &slots.to_string()))?;
        product.floats("field", &[2.0 * width as f32, 2.0 * height as f32]);
        ["elements", "entries", "places"]
            .into_iter()
            .zip(0..)
            .for_each(|(name, unit)| product.unit(name, unit));
        Ok(Gathering {
            bare: bare.clone(),
            unpack,
            product,
            x: bare.target(shape, Some(x))?,
            elements: bare.target(channel, None)?,
            entries: bare.target(planes, Some(&entries))?,
            places: bare.target(planes, Some(&places))?,
            targets: [bare.target(shape, None)?, bare.target(shape, None)?],
            newest: 0,
        })
    }

    /// The newest product: four components a texel.
    pub fn texels(&self) -> Vec<f32> {
        self.targets[self.newest].texels()
    }
}

/// Entries and places, slot after slot, each slot as the result lies.
fn planes_of<Row: Iterator<Item = (usize, f32)>>(
    Shape { width, height, .. }: Shape,
    slots: u32,
    rows: impl Iterator<Item = Row>,
) -> (Vec<f32>, Vec<f32>) {
    let (across, plane) = (2 * width as usize, 4 * width as usize * height as usize);
    let mut entries = vec![0.0; plane * slots as usize];
    let mut places = entries.clone();
    for (row, in_row) in rows.enumerate() {
        let (column, line) = (row % across, row / across);
        let texel = line / 2 * width as usize + column / 2;
        let own = 4 * texel + 2 * (line % 2) + column % 2;
        for (slot, (column, value)) in in_row.enumerate() {
            entries[slot * plane + own] = value;
            places[slot * plane + own] = (column / across) as f32 + (column % across) as f32 / 4096.0;
        }
    }
    (entries, places)
}

impl BareLoop for Gathering {
    fn draw(&mut self, rounds: u32) {
        let gl = self.bare.gl();
        self.bare.begin();
        let pass = |program: &Program, inputs: &[&Target], target: &Target| {
            // SAFETY: every object is alive; nothing is read that is drawn.
            unsafe {
                gl.use_program(Some(program.program));
                gl.bind_framebuffer(glow::FRAMEBUFFER, Some(target.framebuffer));
                gl.viewport(0, 0, target.shape.width as i32, target.shape.height as i32);
                for (input, unit) in inputs.iter().zip(glow::TEXTURE0..) {
                    gl.active_texture(unit);
                    gl.bind_texture(glow::TEXTURE_2D, Some(input.texture));
                }
                gl.draw_arrays(glow::TRIANGLES, 0, 3);
            }
        };
        for _ in 0..rounds {
            self.newest = 1 - self.newest;
            pass(&self.unpack, &[&self.x], &self.elements);
            let inputs = [&self.elements, &self.entries, &self.places];
            pass(&self.product, &inputs, &self.targets[self.newest]);
        }
    }

    fn texel(&self) -> [f32; 4] {
        self.targets[self.newest].first_texel()
    }
}

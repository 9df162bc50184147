//! The product of any sparse matrix and a vector packed 2×2: a point for four non-zeros of a row, added up by
//! blending.

use quadrille::glow::{self, HasContext};

use super::BareLoop;
use super::device::{Bare, Program, Shape, Target};
use quadrille::{Error, Result};

/// `row` is the centre of the row's texel in clip space and the channel; `columns` are pairs of addresses in x,
/// each in the quarter of the texel that its channel stands for.
const POINT: &str = "
uniform sampler2D x;
uniform vec2 texels;
layout(location = 0) in vec3 row;
layout(location = 1) in vec4 values;
layout(location = 2) in vec4 columns01;
layout(location = 3) in vec4 columns23;
flat out vec4 part;
float element(vec2 column) {
    vec4 block = textureLod(x, column, 0.0);
    vec2 odd = fract(column * texels);
    vec2 pair = odd.y > 0.5 ? block.ba : block.rg;
    return odd.x > 0.5 ? pair.y : pair.x;
}
void main() {
    float sum = dot(values, vec4(element(columns01.xy), element(columns01.zw),
                                 element(columns23.xy), element(columns23.zw)));
    part = sum * vec4(equal(vec4(row.z), vec4(0.0, 1.0, 2.0, 3.0)));
    gl_Position = vec4(row.xy, 0.0, 1.0);
    gl_PointSize = 1.0;
}";

const PART: &str = "
flat in vec4 part;
out vec4 y;
void main() {
    y = part;
}";

/// Components of each attribute, as they follow each other in a vertex.
const ATTRIBUTES: [i32; 4] = [3, 4, 4, 4];

/// y = A x into one of two targets and then the other.
pub struct Scatter {
    bare: Bare,
    program: Program,
    x: Target,
    targets: [Target; 2],
    newest: usize,
    vertices: Vertices,
}

struct Vertices {
    bare: Bare,
    buffer: glow::Buffer,
    array: glow::VertexArray,
    count: i32,
}

impl Scatter {
    /// Rows of (column, value); x and y are width × height texels of 2×2 elements, element i being in row
    /// ⌊i/2·width⌋ of the grid.
    ///
    /// # Errors
    /// Those of the driver, and of values that do not fit the size.
    pub fn new<Row: Iterator<Item = (usize, f32)>>(
        bare: &Bare,
        width: u32,
        height: u32,
        x: &[f32],
        rows: impl Iterator<Item = Row>,
    ) -> Result<Scatter> {
        let shape = Shape::rgba(width, height);
        let program = bare.program_of(POINT, PART)?;
        program.floats("texels", &[width as f32, height as f32]);
        let (x, targets) =
            (bare.target(shape, Some(x))?, [bare.target(shape, None)?, bare.target(shape, None)?]);
        let vertices = Vertices::new(bare, &points(width, height, rows))?;
        Ok(Scatter { bare: bare.clone(), program, x, targets, newest: 0, vertices })
    }

    /// The newest product: four components a texel.
    pub fn texels(&self) -> Vec<f32> {
        self.targets[self.newest].texels()
    }
}

/// The vertices: four non-zeros of a row each, the last of a row filled up with zeros.
fn points<Row: Iterator<Item = (usize, f32)>>(
    width: u32,
    height: u32,
    rows: impl Iterator<Item = Row>,
) -> Vec<f32> {
    let columns = 2 * width as usize;
    let place = |i: usize| (i % columns, i / columns);
    let (across, down) = (width as f32, height as f32);
    let mut vertices = Vec::new();
    for (row, entries) in rows.enumerate() {
        let (column, line) = place(row);
        let centre = |i: usize, n: f32| (2 * (i / 2) + 1) as f32 / n - 1.0;
        let head = [centre(column, across), centre(line, down), (2 * (line % 2) + column % 2) as f32];
        let entries: Vec<(usize, f32)> = entries.collect();
        for four in entries.chunks(4) {
            let mut values = [0.0; 4];
            let mut addresses = [0.0; 8];
            for (i, &(column, value)) in four.iter().enumerate() {
                let (column, line) = place(column);
                values[i] = value;
                addresses[2 * i] = (column as f32 + 0.5) / (2.0 * across);
                addresses[2 * i + 1] = (line as f32 + 0.5) / (2.0 * down);
            }
            vertices.extend(head);
            vertices.extend(values);
            vertices.extend(addresses);
        }
    }
    vertices
}

impl Vertices {
    fn new(bare: &Bare, values: &[f32]) -> Result<Vertices> {
        let gl = bare.gl();
        let refused = |message| Error::Driver { what: "a vertex buffer".to_owned(), message };
        let each: i32 = ATTRIBUTES.iter().sum();
        // SAFETY: the values are uploaded whole; strides and offsets lie within a vertex.
        unsafe {
            let array = gl.create_vertex_array().map_err(refused)?;
            let buffer = gl.create_buffer().map_err(refused)?;
            let count = values.len() as i32 / each;
            let made = Vertices { bare: bare.clone(), buffer, array, count };
            gl.bind_vertex_array(Some(array));
            gl.bind_buffer(glow::ARRAY_BUFFER, Some(buffer));
            gl.buffer_data_u8_slice(glow::ARRAY_BUFFER, bytemuck::cast_slice(values), glow::STATIC_DRAW);
            let mut offset = 0;
            for (size, location) in ATTRIBUTES.into_iter().zip(0..) {
                gl.enable_vertex_attrib_array(location);
                gl.vertex_attrib_pointer_f32(location, size, glow::FLOAT, false, 4 * each, 4 * offset);
                offset += size;
            }
            match gl.get_error() {
                glow::NO_ERROR => Ok(made),
                error => Err(refused(format!("error {error:#06x}"))),
            }
        }
    }
}

impl Drop for Vertices {
    fn drop(&mut self) {
        let gl = self.bare.gl();
        // SAFETY: made by `new`.
        unsafe {
            gl.delete_vertex_array(self.array);
            gl.delete_buffer(self.buffer);
        }
    }
}

impl BareLoop for Scatter {
    fn draw(&mut self, rounds: u32) {
        let gl = self.bare.gl();
        let Shape { width, height, .. } = self.targets[0].shape;
        self.bare.begin();
        // SAFETY: every object is alive; nothing is read that is drawn.
        unsafe {
            gl.use_program(Some(self.program.program));
            gl.bind_vertex_array(Some(self.vertices.array));
            gl.viewport(0, 0, width as i32, height as i32);
            gl.bind_texture(glow::TEXTURE_2D, Some(self.x.texture));
            gl.enable(glow::BLEND);
            gl.blend_func(glow::ONE, glow::ONE);
            gl.clear_color(0.0, 0.0, 0.0, 0.0);
            for _ in 0..rounds {
                self.newest = 1 - self.newest;
                gl.bind_framebuffer(glow::FRAMEBUFFER, Some(self.targets[self.newest].framebuffer));
                gl.clear(glow::COLOR_BUFFER_BIT);
                gl.draw_arrays(glow::POINTS, 0, self.vertices.count);
            }
            gl.disable(glow::BLEND);
        }
    }

    fn texel(&self) -> [f32; 4] {
        self.targets[self.newest].first_texel()
    }
}

//! A bitonic network as a drawing: the lines that items run along, and who is compared with whom.

use super::ColourMap;
use crate::Result;
use crate::gl::{Format, GlowFramebuffer, Rect, Shape};
use crate::pug::{Buffer, ConstantHandle, Domain, Gpu, Program, StreamHandle};
use crate::streams::Sort;

/// Draws the network of a sort of keys: a line for each item, from left to right, and for each exchange the wires that join the
/// lines of partners, so many side by side that none covers another. Wires of the passes that are done are light, those of the
/// last one white on a band, those to come dark.
///
/// Up to 32 items, each has a line. Of more, a line stands for a run of them, and has the colour of the one at two thirds of its run;
/// a partner within the run is a dot on it.
///
/// [`Network::record`] is one pass of a texel a line, two fetches each. A drawing is one pass, three fetches a pixel.
pub struct Network {
    record: Program,
    numbers: StreamHandle,
    draw: Program,
    palette: StreamHandle,
    low_high: ConstantHandle,
    done: ConstantHandle,
    /// The numbers of the lines before each pass, and after the last.
    history: Buffer,
    /// The first column of each exchange, the lines of its blocks, and whether mirror images meet.
    exchanges: Vec<(usize, usize, bool)>,
    /// Items of a line, and all of them.
    run: usize,
    total: usize,
    /// Pixels of a column.
    column: u32,
    size: [u32; 2],
    gpu: Gpu,
}

/// Lines at most.
const LINES: usize = 32;

/// Pixels from a line to the next.
const LINE: u32 = 16;

/// Pixels from a column of wires to the next, where there are few columns and where there are many.
const COLUMN: [u32; 2] = [12, 6];
const FEW: usize = 80;

/// The height of a drawing at least, as a fraction of its width, but for what a line less makes.
const HIGH: [u32; 2] = [3, 4];

/// Columns without wires behind the last pass.
const TAIL: usize = 3;

/// The lines of a block, the first and the last of those that are joined in it, and the pass, from 1.
type Column = [f32; 4];

/// A line that is none.
const NOWHERE: f32 = -9.0;

/// The columns of wires of a network of `total` items in runs of `run`, exchange after exchange.
fn columns(sort: &Sort, total: usize, run: usize) -> (Vec<Column>, Vec<(usize, usize, bool)>) {
    let stages = (1..).map(|stage| 1 << stage).take_while(|&block| block <= total);
    // Each begins with mirror images, and goes on with partners in halves of blocks.
    let exchanges = stages.flat_map(|block: usize| {
        let halves = (1..).map(move |part| block >> part).take_while(|&part| part >= 2);
        [(block, true)].into_iter().chain(halves.map(|part| (part, false)))
    });
    let (mut columns, mut pass): (Vec<Column>, usize) = (Vec::new(), 1);
    let mut begun = Vec::new();
    for (exchange, (block, mirrored)) in exchanges.enumerate() {
        while pass < sort.passes() && sort.exchanges(pass) <= exchange {
            pass += 1;
        }
        let lines = block / run;
        begun.push((columns.len(), lines, mirrored));
        if lines < 2 {
            columns.push([1.0, 0.0, 0.0, pass as f32]);
        }
        columns.extend((0..lines / 2).map(|first| {
            let last = if mirrored { lines - 1 - first } else { first + lines / 2 };
            [lines as f32, first as f32, last as f32, pass as f32]
        }));
    }
    let behind = (sort.passes() + 1) as f32;
    columns.extend([[1.0, NOWHERE, NOWHERE, behind]; TAIL]);
    (columns, begun)
}

impl Network {
    /// For such numbers, sorted row after row by `sort`.
    ///
    /// # Errors
    /// Those of making a buffer and a program.
    pub fn new(gpu: &Gpu, numbers: &Buffer, sort: &Sort) -> Result<Network> {
        let (len, width) = (numbers.len(), numbers.width() as usize);
        let total = len.next_power_of_two().max(4);
        let lines = total.min(LINES);
        let run = total / lines;
        // In a block that is sorted, which is as long as a power of two, they are neither the first nor the last.
        let samples = (0..lines).map(|line| line * run + 2 * run / 3);
        let there = samples.clone().filter(|&item| item < len).count();
        let places: Vec<f32> =
            samples.flat_map(|item| [(item % width) as f32 + 0.5, (item / width) as f32 + 0.5]).collect();
        let places = gpu.buffer(1, lines as u32).components(2).named("places").init(&places)?;
        let (wires, exchanges) = columns(sort, total, run);
        let joined =
            gpu.buffer(wires.len() as u32, 1).components(4).named("columns").init(&wires.concat())?;
        let history = gpu.buffer(sort.passes() as u32 + 1, lines as u32).named("history").build()?;
        let mut record = gpu.builtin("view/network_record.frag")?;
        record.bind_stream("places", &places)?;
        let numbers = record.stream("numbers")?;
        let column = COLUMN[usize::from(wires.len() > FEW)];
        // Many columns would be a ribbon: lines are as far apart as it takes for a picture.
        let line = (HIGH[0] * wires.len() as u32 * column / (HIGH[1] * lines as u32)).max(LINE);
        let mut draw = gpu.builtin("view/network_draw.frag")?;
        draw.bind_stream("columns", &joined)?
            .bind_stream("history", &history)?
            .bind_float("cell", [column as f32, line as f32])?
            .bind_float("there", there as f32)?;
        let (palette, low_high, done) =
            (draw.stream("palette")?, draw.constant("low_high")?, draw.constant("done")?);
        let size = [wires.len() as u32 * column, lines as u32 * line];
        let gpu = gpu.clone();
        Ok(Network {
            record,
            numbers,
            draw,
            palette,
            low_high,
            done,
            history,
            exchanges,
            run,
            total,
            column,
            size,
            gpu,
        })
    }

    /// Width and height of the drawing in pixels.
    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    /// The place of the wire that joins an item with its partner in an exchange, from 0: shares of the drawing, to the right and down, the second
    /// that of the item's line.
    pub fn wire(&self, exchange: usize, item: usize) -> [f32; 2] {
        let (first, lines, mirrored) = self.exchanges.get(exchange).copied().unwrap_or_default();
        let place = self.place_of(item);
        if lines < 2 {
            return [self.share_of(first), place];
        }
        let line = item / self.run % lines;
        let within = if mirrored { line.min(lines - 1 - line) } else { line % (lines / 2) };
        [self.share_of(first + within), place]
    }

    /// The height of an item, from 0 on top to 1: within the line of a run it lies where it does in the run.
    pub fn place_of(&self, item: usize) -> f32 {
        (item as f32 + 0.5) / self.total as f32
    }

    /// The item that lies at that height.
    pub fn item_at(&self, share: f32) -> usize {
        (share.clamp(0.0, 1.0) * self.total as f32) as usize
    }

    fn share_of(&self, column: usize) -> f32 {
        (column as f32 + 0.5) * self.column as f32 / self.size[0] as f32
    }

    /// Keeps the numbers as they are after `done` passes; `anew` for all passes before as well, of which nothing is known.
    pub fn record(&mut self, numbers: &Buffer, done: usize, anew: bool) -> Result<()> {
        let (first, last) = (if anew { 0 } else { done as u32 }, done as u32 + 1);
        self.record.bind_stream(self.numbers, numbers)?;
        self.record.run_over(&self.history, Rect::new(first, 0, last, self.history.height()))
    }

    /// Draws into the part `place` of a framebuffer, `None` for the window: after `done` passes, in the colours of the map for the
    /// numbers `low` to `high`.
    ///
    /// # Errors
    /// [`Error::BadParameter`](crate::Error::BadParameter) if these ends are equal or not finite.
    pub fn draw(
        &mut self,
        map: &ColourMap,
        low_high: [f32; 2],
        done: usize,
        framebuffer: Option<GlowFramebuffer>,
        place: Rect,
    ) -> Result<()> {
        self.prepare(map, low_high, done)?;
        let [width, height] = self.size.map(|side| side as f32);
        // OpenGL counts rows from the bottom.
        self.draw.bind_domain("at", Domain::new(0.0, height, width, 0.0))?;
        self.draw.onto_framebuffer(framebuffer, place).run()
    }

    /// The drawing: red, green, blue, alpha, row after row from the top.
    ///
    /// # Errors
    /// As [`Network::draw`].
    pub fn picture(&mut self, map: &ColourMap, low_high: [f32; 2], done: usize) -> Result<Vec<u8>> {
        self.prepare(map, low_high, done)?;
        let [width, height] = self.size;
        let whole = Rect::whole(width, height);
        self.draw.bind_domain("at", whole)?;
        let picture = self.gpu.context().texture(Shape { width, height, format: Format::Rgba8 })?;
        self.draw.onto_framebuffer(Some(picture.framebuffer()), whole).run()?;
        picture.read_bytes()
    }

    fn prepare(&mut self, map: &ColourMap, [low, high]: [f32; 2], done: usize) -> Result<()> {
        super::check_ends(low, high)?;
        self.draw
            .bind_stream(self.palette, &map.palette)?
            .bind_float(self.low_high, [low, high])?
            .bind_float(self.done, done as f32)?;
        Ok(())
    }
}

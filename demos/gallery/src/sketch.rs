//! A kernel of the user's own as a demo. It begins with a few lines, keeps its targets from step to step, and reads noise and a picture.
//!
//! A stream `old_NAME` is bound to what `RANGE NAME` was one step ago, `noise` to four random numbers a cell, `image` to the picture that
//! was dropped last. The constants are `pen` (x, y, radius, and 1 or −1 while a button is down) and `now`, the step from 1.

use std::cell::RefCell;
use std::rc::Rc;

use crate::demo::{About, Demo, Measure, Request};
use crate::demos::ONLY;
use crate::equations;
use crate::image::Image;
use crate::list;
use crate::param::{CELLS, Kept, Kind, Live, Param, Values, choices, name_of};
use crate::picture::{COLOURS, Field, FieldPicture, FieldView, Picture, Touch};
use crate::state::{Array, Named, State, check_size};
use anyhow::Result;
use quadrille::numeric::Random;
use quadrille::pug::{DoubleBuffer, Reduction};
use quadrille::view::Mapping;
use quadrille::{Buffer, Edges, Gpu, Operator, Program, kernels};
use serde_json::{Map, Value as Json, json};

/// Its kernel, as the editor and addresses name it.
pub const FILE: &str = "new.frag";

const TEXT: &str = include_str!("new.frag");

pub static ABOUT: About = About {
    name: "new-kernel",
    shows: "A kernel of your own: float state, several targets, noise and a picture",
    first: "Change the kernel on the right, and paint with the mouse",
    computes: "Each step runs the kernel once. What it writes into RANGE u it reads as the stream old_u in the next step.",
    kernels: &[FILE],
    parameters: &[&[
        Param { default: "256x256", kept: Kept::Yes, ..CELLS },
        EDGES,
        TARGET,
        PART,
        Param { default: "blue_red", ..COLOURS },
    ]],
    start: |gpu, request| Ok(Box::new(Sketch::new(gpu, request)?)),
    ..About::NEW
};

const EDGES: Param = Param {
    name: "edges",
    kind: Kind::Choice(|| choices(&RULES)),
    default: "repeat",
    help: "What lies beyond the edges: the other side, or the edge itself",
    kept: Kept::Yes,
    ..Param::NEW
};

const RULES: [(&str, &str, Edges); 2] = [("repeat", "", Edges::Repeat), ("clamp", "", Edges::Clamp)];

const TARGET: Param = Param {
    name: "target",
    kind: Kind::Whole { low: 1, high: 8 },
    default: "1",
    help: "The target that is shown, from 1",
    live: Live::Some(&["1", "2", "3", "4"]),
    ..Param::NEW
};

const PART: Param = Param {
    name: "component",
    kind: Kind::Choice(|| choices(&PARTS)),
    default: "x",
    help: "The component of it that is shown",
    live: Live::Words,
    ..Param::NEW
};

const PARTS: [(&str, &str, usize); 4] = [("x", "", 0), ("y", "", 1), ("z", "", 2), ("w", "", 3)];

thread_local! {
    static REPLACED: RefCell<Option<String>> = const { RefCell::new(None) };
    static PICTURE: RefCell<Option<Image>> = const { RefCell::new(None) };
}

/// The demo of that name, this one and a new equation among them unless another is linked alone.
pub fn named(name: &str) -> Option<&'static About> {
    if ONLY.is_some() {
        return list::named(name);
    }
    if name == ABOUT.name { Some(&ABOUT) } else { list::named(name).or_else(|| equations::begun(name)) }
}

/// The text of a kernel as it was before anybody edited it.
pub fn built_in(name: &str) -> quadrille::Result<&'static str> {
    if name == FILE { Ok(TEXT) } else { kernels::built_in(name) }
}

/// Puts a text in the place of a kernel's, or brings that back.
pub fn replace(name: &str, text: Option<String>) -> quadrille::Result<()> {
    if name == FILE {
        REPLACED.set(text);
        return Ok(());
    }
    kernels::replace(name, text).map(drop)
}

/// The picture that the stream `image` shows from the next start on.
pub fn show_picture(image: Image) {
    PICTURE.set(Some(image));
}

struct Sketch {
    text: String,
    program: Program,
    targets: Vec<(String, DoubleBuffer)>,
    noise: Buffer,
    image: Buffer,
    now: u64,
    pen: [f32; 4],
    size: [u32; 2],
    edges: Edges,
    target: usize,
    part: usize,
    least: Reduction,
    most: Reduction,
    sum: Reduction,
    view: FieldView,
}

impl Sketch {
    fn new(gpu: &Gpu, request: &Rc<Request>) -> Result<Sketch> {
        let values = &request.values;
        let size = values.size(CELLS.name).unwrap_or([256; 2]);
        check_size(gpu, "a kernel's targets", size)?;
        let text = REPLACED.with_borrow(|replaced| replaced.clone()).unwrap_or_else(|| TEXT.to_owned());
        let program = gpu.program(FILE, &text)?;
        let names = program.names();
        let edges = values.choice(EDGES.name, &RULES).unwrap_or(Edges::Repeat);
        let buffer = |components| gpu.buffer(size[0], size[1]).components(components).edges(edges);
        let mut targets = Vec::new();
        for (name, components) in &names.outputs {
            targets.push(((*name).to_owned(), buffer(*components).named(name).double().build()?));
        }
        let known = |stream: &str| {
            stream.strip_prefix("old_").is_some_and(|of| targets.iter().any(|(name, _)| name == of))
        };
        if let Some(unknown) =
            names.streams.iter().find(|name| !known(name) && !["noise", "image"].contains(name))
        {
            return Err(declared(&text, unknown, "noise, image, or old_ before the name of a RANGE").into());
        }
        let constants = [("pen", 4), ("now", 1)];
        if let Some((unknown, _)) = names.constants.iter().find(|constant| !constants.contains(constant)) {
            return Err(declared(&text, unknown, "the constants vec4 pen and float now").into());
        }
        let noise = buffer(4).build()?;
        let image = buffer(4).init(&pictured(size))?;
        let target = values.whole(TARGET.name).unwrap_or(1_usize).clamp(1, targets.len()) - 1;
        let part = values.choice(PART.name, &PARTS).unwrap_or(0);
        let view = FieldView::new(gpu, request, &field(&targets, target, part))?;
        let [least, most, sum] =
            [Operator::min(), Operator::max(), Operator::sum()].map(|operator| gpu.reduction(operator));
        let (now, pen) = (0, [0.0; 4]);
        let mut sketch = Sketch {
            text,
            program,
            targets,
            noise,
            image,
            now,
            pen,
            size,
            edges,
            target,
            part,
            least,
            most,
            sum,
            view,
        };
        sketch.reset(request.seed())?;
        Ok(sketch)
    }
}

/// The error of a name that nothing is bound to, at the line that declares it.
fn declared(text: &str, name: &str, expected: &str) -> quadrille::Error {
    let is_it = |line: &&str| {
        line.contains("uniform")
            && line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
    };
    let found = (1..).zip(text.lines()).find(|(_, line)| is_it(line));
    let (line, text) = found.unwrap_or((1, name));
    quadrille::Error::Declaration {
        kernel: FILE.to_owned(),
        line,
        text: text.trim().to_owned(),
        expected: format!("{name} is bound to nothing: there are {expected}"),
    }
}

/// The picture that was dropped, or rings, in cells of that many columns and rows.
fn pictured([width, height]: [u32; 2]) -> Vec<f32> {
    let cells = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    PICTURE.with_borrow(|picture| {
        cells
            .flat_map(|(x, y)| match picture {
                Some(image) => {
                    let (x, y) =
                        (u64::from(x) * u64::from(image.width), u64::from(y) * u64::from(image.height));
                    let (x, y) = (x / u64::from(width), y / u64::from(height));
                    let at = 4 * (y * u64::from(image.width) + x) as usize;
                    [0, 1, 2, 3].map(|c| image.rgba.get(at + c).map_or(0.0, |&byte| f32::from(byte) / 255.0))
                }
                None => {
                    let (x, y) = (x as f32 / width as f32 - 0.5, y as f32 / height as f32 - 0.5);
                    let ring = 0.5 + 0.5 * (40.0 * x.hypot(y)).cos();
                    [ring, x + 0.5, y + 0.5, 1.0]
                }
            })
            .collect()
    })
}

fn field(targets: &[(String, DoubleBuffer)], target: usize, part: usize) -> Field<'_> {
    let buffer = targets[target].1.front();
    let mapping = Mapping::of_component(part.min(buffer.components() - 1), -1.0, 1.0);
    Field { buffer, heights: false, colours: "blue_red", mapping }
}

impl Demo for Sketch {
    fn size(&self) -> (String, &'static str) {
        (format!("{}x{}", self.size[0], self.size[1]), "cells")
    }

    fn quantity(&self) -> Option<&str> {
        Some(&self.targets[self.target].0)
    }

    fn values(&self) -> Values {
        Values::new()
            .with(CELLS.name, self.size)
            .with(EDGES.name, name_of(&RULES, &self.edges))
            .with(TARGET.name, self.target as u64 + 1)
            .with(PART.name, name_of(&PARTS, &self.part))
    }

    fn set(&mut self, values: &Values) -> Result<()> {
        self.target = values.whole(TARGET.name).unwrap_or(self.target + 1).clamp(1, self.targets.len()) - 1;
        self.part = values.choice(PART.name, &PARTS).unwrap_or(self.part);
        Ok(())
    }

    fn numbers(&self) -> Result<Array> {
        let [width, height] = self.size.map(|side| side as usize);
        let buffer = self.targets[self.target].1.front();
        Ok(Array { height, width, components: buffer.components(), values: buffer.data()? })
    }

    fn arrays(&self) -> Result<Vec<Named>> {
        let [width, height] = self.size.map(|side| side as usize);
        let named = |(name, target): &(String, DoubleBuffer)| {
            let components = target.front().components();
            let inner = (components > 1).then_some(components);
            let shape: Vec<usize> = [height, width].into_iter().chain(inner).collect();
            Ok(Named::of_f32(name, &shape, target.front().data()?))
        };
        self.targets.iter().map(named).collect()
    }

    fn extras(&self) -> Result<Map<String, Json>> {
        Ok(Map::from_iter([("kernel".to_owned(), Json::from(self.text.as_str()))]))
    }

    fn reset(&mut self, seed: u64) -> Result<()> {
        (self.now, self.pen) = (0, [0.0; 4]);
        let mut random = Random(seed);
        let noise: Vec<f32> = (0..4 * self.noise.len()).map(|_| random.unit()).collect();
        self.noise.write(&noise)?;
        let zeros = |target: &DoubleBuffer| {
            target.write(&vec![0.0; target.front().len() * target.front().components()])
        };
        Ok(self.targets.iter().try_for_each(|(_, target)| zeros(target))?)
    }

    /// Those targets go on that the kernel still has.
    fn restore(&mut self, state: &State) -> Result<()> {
        let [width, height] = self.size.map(|side| side as usize);
        for (name, target) in &self.targets {
            let inner = Some(target.front().components()).filter(|components| *components > 1);
            let shape: Vec<usize> = [height, width].into_iter().chain(inner).collect();
            let kept = state.arrays.iter().find(|array| array.name == *name && array.shape == shape);
            if let Some(kept) = kept {
                target.write(&kept.f32s()?)?;
            }
        }
        self.now = state.step;
        Ok(())
    }

    fn step(&mut self) -> Result<()> {
        self.now += 1;
        let streams: Vec<String> =
            self.program.names().streams.iter().map(|name| (*name).to_owned()).collect();
        for stream in &streams {
            let old =
                stream.strip_prefix("old_").and_then(|of| self.targets.iter().find(|(name, _)| name == of));
            let buffer = match old {
                Some((_, target)) => target.front(),
                None if stream == "noise" => &self.noise,
                None => &self.image,
            };
            self.program.bind_stream(stream.as_str(), buffer)?;
        }
        let has = |name: &str| self.program.names().constants.iter().any(|(known, _)| *known == name);
        let (pen, now) = (has("pen"), has("now"));
        if pen {
            self.program.bind_float("pen", std::mem::take(&mut self.pen))?;
        }
        if now {
            self.program.bind_float("now", self.now as f32)?;
        }
        let backs: Vec<&Buffer> = self.targets.iter().map(|(_, target)| target.back()).collect();
        let done = self.program.onto(&backs).run();
        // Bound streams would be second owners of the buffers that the next step draws into.
        self.program.release_streams();
        done?;
        self.targets.iter_mut().for_each(|(_, target)| target.swap());
        Ok(())
    }

    fn pace(&self) -> u64 {
        2
    }

    fn drawn(&self) -> Option<Buffer> {
        Some(self.targets[0].1.front().clone())
    }

    /// Nothing is known of what the kernel is to compute.
    fn check(&self, _: &Array) -> Result<Vec<Measure>> {
        Ok(Vec::new())
    }

    /// Three reductions of what is shown.
    fn findings(&self) -> Result<Json> {
        let buffer = self.targets[self.target].1.front();
        let part = self.part.min(buffer.components() - 1);
        let of = |reduction: &Reduction| {
            Ok::<_, quadrille::Error>(reduction.value(buffer)?.get(part).copied().unwrap_or_default())
        };
        let mean = of(&self.sum)? / buffer.len() as f32;
        Ok(json!({ "least": of(&self.least)?, "mean": mean, "most": of(&self.most)? }))
    }

    fn picture(&mut self) -> Box<dyn Picture + '_> {
        Box::new(FieldPicture { field: field(&self.targets, self.target, self.part), view: &mut self.view })
    }

    fn is_touchable(&self) -> bool {
        true
    }

    fn has_second_touch(&self) -> bool {
        true
    }

    fn touch(&mut self, touch: Touch) -> Result<()> {
        if let Touch::Cell { x, y, tip, drag } = touch {
            self.pen = [x, y, tip.radius, if drag.right { -1.0 } else { 1.0 }];
        }
        Ok(())
    }
}

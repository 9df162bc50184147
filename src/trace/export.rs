//! A trace for other programs: JSON, the events of Perfetto, and a page that a browser shows without a network.

use serde_json::{Value, json};

use super::image::Content;
use super::{Along, FRAGMENT, Image, Pass, Sum, Trace, What};
use crate::gl::{Edges, Kernel, Rect};

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
const SCRIPTS: [&str; 5] = [
    include_str!("page/trace.js"),
    include_str!("page/picture.js"),
    include_str!("page/against.js"),
    include_str!("page/pass.js"),
    include_str!("page/page.js"),
];

impl Trace {
    /// One object with everything: `docs/inspector.md` tells its keys.
    pub fn json(&self) -> Value {
        let sums = self.sums();
        let scopes =
            self.scopes.iter().zip(&sums).map(
                |(scope, sum)| json!({ "name": scope.name, "parent": scope.parent, "sum": summed(sum) }),
            );
        let kernels = self.kernels.iter().zip(self.sums_of_kernels()).map(|(seen, sum)| {
            let constants: Vec<Value> = seen.constants.iter().map(|(name, kind)| json!([name, kind])).collect();
            json!({
                "name": seen.fragment.name,
                "variant": variant(&seen.fragment),
                "text": seen.fragment.text,
                "vertex": seen.vertex.as_ref().map(|vertex| json!({ "name": vertex.name, "text": vertex.text })),
                "streams": seen.streams,
                "constants": constants,
                "domains": seen.domains,
                "outputs": seen.outputs,
                "left_out": seen.left_out,
                "sum": summed(&sum),
            })
        });
        let runs = self.runs.iter().map(|(kernel, found)| {
            let Some(found) = found else { return json!({ "kernel": kernel, "count": null, "fetches": [] }) };
            let fetches = found.fetches.iter().map(|fetch| {
                let texel = |[x, y]: &[Along; 2]| json!([along(x), along(y)]);
                json!({
                    "line": fetch.line,
                    "stream": fetch.stream,
                    "count": [fetch.count.least, fetch.count.most],
                    "texels": fetch.texels.as_ref().map(|texels| texels.iter().map(texel).collect::<Vec<_>>()),
                })
            });
            json!({
                "kernel": kernel,
                "count": [found.count.least, found.count.most],
                "discards": found.discards,
                "fetches": fetches.collect::<Vec<_>>(),
            })
        });
        let own = self.card.as_ref();
        let steps = self.steps.iter().map(|step| {
            let mut value = match &step.what {
                What::Pass(pass) => self.pass_json(pass, own.map(|card| card.seconds(&self.sum_of(step)))),
                What::Upload { bytes } => json!({ "what": "upload", "bytes": bytes }),
                What::Read { image, bytes, waits } => {
                    json!({ "what": "read", "image": image, "bytes": bytes, "waits": waits })
                }
                What::Clear { image } => json!({ "what": "clear", "image": image }),
                What::Copy { images: (from, to), region, at } => {
                    json!({ "what": "copy", "from": from, "to": to, "region": corners(*region), "at": [at.0, at.1] })
                }
                What::Compile { kernel } => json!({ "what": "compile", "kernel": kernel }),
            };
            value["scope"] = step.scope.into();
            value
        });
        let cards = self.cards().map(|card| {
            let is_own = own == Some(card);
            json!({ "name": card.name, "source": card.source, "own": is_own, "seconds": self.predicted(card) })
        });
        json!({
            "quadrille_trace": 1,
            "renderer": self.renderer,
            "dialect": self.dialect,
            "time": self.clock.words(),
            "memory": { "kept": self.memory.0, "most": self.memory.1, "left_out": self.left_out },
            "scopes": scopes.collect::<Vec<_>>(),
            "kernels": kernels.collect::<Vec<_>>(),
            "runs": runs.collect::<Vec<_>>(),
            "images": self.images.iter().map(image_json).collect::<Vec<_>>(),
            "steps": steps.collect::<Vec<_>>(),
            "cards": cards.collect::<Vec<_>>(),
        })
    }

    fn pass_json(&self, pass: &Pass, floor: Option<f64>) -> Value {
        let streams = pass.streams.iter().map(|stream| {
            stream.map(|(image, edges)| {
                let edges = match edges {
                    Edges::Clamp => "clamp",
                    Edges::Repeat => "repeat",
                    Edges::Mirror => "mirror",
                };
                json!({ "image": image, "edges": edges })
            })
        });
        let constants = pass.constants.iter();
        let constants = constants.map(|value| value.iter().map(|v| number(*v)).collect::<Value>());
        json!({
            "what": "pass",
            "number": pass.number,
            "kernel": pass.kernel,
            "streams": streams.collect::<Vec<_>>(),
            "constants": constants.collect::<Vec<_>>(),
            "domains": pass.domains,
            "range": corners(pass.range),
            "targets": pass.targets,
            "blend": if pass.adds { "add" } else { "replace" },
            "queries": pass.queries,
            "mask": pass.mask,
            "geometry": pass.geometry.0,
            "vertices": pass.geometry.1,
            "fragments": pass.fragments,
            "written": pass.written,
            "at_most": pass.at_most,
            "fetches": self.fetches_of(pass),
            "bytes": self.bytes_of(pass),
            "seconds": pass.seconds,
            "floor": floor,
            "runs": pass.runs,
        })
    }

    /// The events that Perfetto and `chrome://tracing` open: scopes over the passes in them, one after the other. Times are those
    /// of the passes; passes that were not timed are a microsecond long.
    pub fn chrome(&self) -> Value {
        let mut events = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        let mut now = 0.0;
        let begin = |scope: usize, now: f64| json!({ "ph": "B", "name": self.scopes[scope].name, "ts": now, "pid": 1, "tid": 1 });
        let end = |now: f64| json!({ "ph": "E", "ts": now, "pid": 1, "tid": 1 });
        for step in &self.steps {
            let mut path = vec![step.scope];
            while let Some(&scope) = path.last().filter(|scope| **scope > 0) {
                path.push(self.scopes[scope].parent);
            }
            path.reverse();
            let same = open.iter().zip(&path).take_while(|(a, b)| a == b).count();
            while open.len() > same {
                events.push(end(now));
                open.pop();
            }
            for &scope in &path[same..] {
                events.push(begin(scope, now));
                open.push(scope);
            }
            let (name, length, sum) = match &step.what {
                What::Pass(pass) => {
                    let name = self.kernels[pass.kernel].fragment.name.clone();
                    (name, pass.seconds.map_or(1.0, |seconds| 1e6 * seconds), self.sum_of(step))
                }
                What::Upload { .. } => ("upload".to_owned(), 0.1, self.sum_of(step)),
                What::Read { .. } => ("read-back".to_owned(), 0.1, self.sum_of(step)),
                What::Clear { .. } => ("clear".to_owned(), 0.1, self.sum_of(step)),
                What::Copy { .. } => ("copy".to_owned(), 0.1, self.sum_of(step)),
                What::Compile { kernel } => {
                    (format!("compile {}", self.kernels[*kernel].fragment.name), 0.1, self.sum_of(step))
                }
            };
            let arguments = json!({ "texels": sum.texels, "fetches": sum.fetches.0, "bytes": sum.bytes });
            events.push(json!({ "ph": "X", "name": name, "ts": now, "dur": length, "pid": 1, "tid": 1, "args": arguments }));
            now += length;
        }
        open.iter().for_each(|_| events.push(end(now)));
        json!({ "traceEvents": events, "displayTimeUnit": "ns" })
    }

    /// A page in one file: the tree of scopes, the film strip, each pass with its kernel, inputs and outputs, kernels, cards.
    pub fn page(&self) -> String {
        self.page_of(&Value::Null)
    }

    /// The same beside an earlier trace, of which this is the JSON: passes of one place in the tree are compared, and those that differ
    /// are marked.
    pub fn page_against(&self, earlier: &Value) -> String {
        self.page_of(earlier)
    }

    fn page_of(&self, earlier: &Value) -> String {
        // Inside a script element only `</` could end it.
        let inside = |value: &Value| value.to_string().replace("</", "<\\/");
        // The texts first: what a trace holds is not looked through for places.
        let [head, rest] = halves(PAGE, "/*TRACE*/");
        let [between, tail] = halves(rest, "/*EARLIER*/");
        let put = |text: &str| text.replace("/*STYLE*/", STYLE).replace("/*SCRIPT*/", &SCRIPTS.join("\n"));
        [&put(head), &inside(&self.json()), &put(between), &inside(earlier), &put(tail)]
            .map(String::as_str)
            .concat()
    }
}

/// The text before a mark and after it.
fn halves<'a>(text: &'a str, mark: &str) -> [&'a str; 2] {
    text.split_once(mark).map_or([text, ""], <[&str; 2]>::from)
}

/// The `#define`s of a variant, those with long values shortened.
fn variant(kernel: &Kernel) -> String {
    let each = kernel.defines.iter().map(|(name, value)| {
        let short: String = value.chars().take(40).collect();
        if value.is_empty() { name.clone() } else { format!("{name}={short}") }
    });
    each.collect::<Vec<_>>().join(" ")
}

fn corners(rect: Rect) -> [u32; 4] {
    [rect.x0, rect.y0, rect.x1, rect.y1]
}

/// JSON has no words for what is not finite.
fn number(value: f32) -> Value {
    if value.is_finite() { value.into() } else { value.to_string().into() }
}

/// Domain (-1 for a constant place, -2 for the fragment's), axis, scale, offset.
fn along(along: &Along) -> Value {
    let domain = match along.domain {
        None => -1,
        Some(FRAGMENT) => -2,
        Some(domain) => domain as i64,
    };
    json!([domain, along.axis, along.scale, along.offset])
}

fn summed(sum: &Sum) -> Value {
    json!({
        "passes": sum.passes,
        "texels": sum.texels,
        "at_most": sum.at_most,
        "fetches": [sum.fetches.0, sum.fetches.1],
        "bytes": sum.bytes,
        "written": sum.written,
        "fetched": sum.fetched,
        "seconds": sum.seconds,
        "uploads": sum.uploads,
        "bytes_up": sum.bytes_up,
        "read_backs": sum.read_backs,
        "bytes_down": sum.bytes_down,
        "clears": sum.clears,
        "copies": sum.copies,
        "compiles": sum.compiles,
        "pooled": sum.pooled,
        "made": sum.made,
    })
}

fn image_json(image: &Image) -> Value {
    let mut value = json!({
        "storage": image.storage,
        "width": image.shape.width,
        "height": image.shape.height,
        "format": format!("{:?}", image.shape.format),
        "channels": image.shape.format.components(),
        "by": image.by,
        "before": image.before,
    });
    if let Some(Content { ranges, not_finite, hash, thumbnail, values }) = &image.content {
        let range =
            |(least, most): &(f32, f32)| if least > most { Value::Null } else { json!([least, most]) };
        value["ranges"] = ranges.iter().map(range).collect();
        value["not_finite"] = (*not_finite).into();
        value["hash"] = format!("{hash:016x}").into();
        if thumbnail.stride > 0 {
            let (width, height, stride) = (thumbnail.width, thumbnail.height, thumbnail.stride);
            let levels = base64(&thumbnail.levels);
            value["thumbnail"] =
                json!({ "width": width, "height": height, "stride": stride, "levels": levels });
        }
        if let Some(values) = values {
            let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
            value["values"] = base64(&bytes).into();
        }
    }
    value
}

/// Base 64 of RFC 4648, with padding.
pub(super) fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |i: usize| u32::from(three.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= three.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn base_64_is_that_of_the_rfc() {
        for (plain, coded) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }
}

// The recording, and the questions that are asked of it.
const trace = JSON.parse(document.getElementById("trace").textContent);
const passes = trace.steps.filter(step => step.what === "pass");
trace.steps.forEach((step, place) => { step.place = place; });

const kernelOf = pass => trace.kernels[pass.kernel];
const images = trace.images;

function bytesOf(text) {
  return Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
}

// All numbers of an image, if they were kept.
function valuesOf(image) {
  if (image.values && !image.floats) image.floats = new Float32Array(bytesOf(image.values).buffer);
  return image.floats;
}

function levelsOf(image) {
  if (image.thumbnail && !image.levels) image.levels = bytesOf(image.thumbnail.levels);
  return image.levels;
}

// The numbers of a texel: [them, true if they are exact], or null. A thumbnail knows every so-many-th texel, to 1/254 of the range.
function texelOf(image, x, y) {
  const channels = [...Array(image.channels).keys()], values = valuesOf(image);
  if (values) return [channels.map(c => values[(y * image.width + x) * image.channels + c]), true];
  const thumbnail = image.thumbnail, levels = levelsOf(image);
  if (!levels) return null;
  const first = (Math.floor(y / thumbnail.stride) * thumbnail.width + Math.floor(x / thumbnail.stride)) * image.channels;
  return [channels.map(c => {
    const level = levels[first + c], range = image.ranges[c];
    return level === 255 || !range ? NaN : range[0] + (range[1] - range[0]) * (level / 254);
  }), false];
}

// The texel that is read at a place of a side.
function byEdges(edges, place, side) {
  const turn = (a, n) => ((a % n) + n) % n;
  if (edges === "repeat") return turn(place, side);
  if (edges === "mirror") { const folded = turn(place, 2 * side); return Math.min(folded, 2 * side - 1 - folded); }
  return Math.max(0, Math.min(side - 1, place));
}

// A coordinate of a fetch for the fragment at a texel: its domain's, times a scale, plus an offset.
function coordinate(pass, [domain, axis, scale, offset], texel) {
  if (domain === -1) return offset;
  let place = texel[axis] + 0.5;
  const rect = pass.domains[domain];
  if (domain >= 0 && rect) {
    const begin = pass.range[axis], side = pass.range[axis + 2] - begin;
    place = rect[axis] + (place - begin) / side * (rect[axis + 2] - rect[axis]);
  }
  return place * scale + offset;
}

// The texels of streams that a texel was computed from: for each stream a list, or "anywhere" if it depends on data.
function sourcesOf(pass, texel) {
  const run = trace.runs[pass.runs[0]], found = new Map();
  for (const fetch of run.fetches) {
    const stream = pass.streams[fetch.stream];
    if (!stream) continue;
    const list = found.get(fetch.stream) ?? [];
    if (!fetch.texels || list === "anywhere") { found.set(fetch.stream, "anywhere"); continue; }
    const image = images[stream.image];
    for (const [x, y] of fetch.texels) {
      const at = [[x, image.width], [y, image.height]].map(([along, side]) =>
        byEdges(stream.edges, Math.floor(coordinate(pass, along, texel)), side));
      if (!list.some(known => known[0] === at[0] && known[1] === at[1])) list.push(at);
    }
    found.set(fetch.stream, list);
  }
  if (run.count === null) pass.streams.forEach((stream, place) => { if (stream) found.set(place, "anywhere"); });
  return found;
}

// The step that wrote a texel of an image: going back through the images before it until one's step covers the texel.
function writerOf(image, [x, y]) {
  for (let now = image; now; now = images[now.before]) {
    if (now.by === null) return null;
    const step = trace.steps[now.by];
    const inside = ([x0, y0, x1, y1]) => x >= x0 && x < x1 && y >= y0 && y < y1;
    if (step.what === "pass" && !inside(step.range)) continue;
    if (step.what === "copy") {
      const [x0, y0, x1, y1] = step.region, [tx, ty] = step.at;
      if (!inside([tx, ty, tx + x1 - x0, ty + y1 - y0])) continue;
    }
    return step;
  }
  return null;
}

// The range of the pass that made an image, if it left some of the texels as they were; null if it wrote all of them.
function partOf(image) {
  const step = image.by === null ? null : trace.steps[image.by];
  if (step?.what !== "pass" || step.geometry !== "quad") return null;
  const [x0, y0, x1, y1] = step.range;
  return x0 > 0 || y0 > 0 || x1 < image.width || y1 < image.height ? step.range : null;
}

// A texel that lies outside of a range.
function outsideOf([x0, y0, x1, y1], image) {
  return x0 > 0 || y0 > 0 ? [0, 0] : x1 < image.width ? [x1, 0] : [0, y1];
}

// The passes that read an image, or a later one that still has texels of it.
const readers = new Map(), heirs = new Map();
passes.forEach(pass => pass.streams.forEach(stream => {
  if (stream) readers.set(stream.image, (readers.get(stream.image) ?? new Set()).add(pass));
}));
images.forEach((image, place) => {
  const step = image.by === null ? null : trace.steps[image.by];
  const keeps = step && (step.what === "copy" || (step.what === "pass" &&
    (partOf(image) || step.geometry !== "quad" || step.blend === "add" || step.mask || trace.runs[step.runs[0]].discards)));
  if (keeps && Number.isInteger(image.before)) heirs.set(image.before, place);
});

function readersOf(image) {
  const found = new Set();
  for (let now = images.indexOf(image); now !== undefined; now = heirs.get(now)) readers.get(now)?.forEach(pass => found.add(pass));
  return [...found].sort((a, b) => a.place - b.place);
}

function pathIn(recording, scope) {
  const names = [];
  for (let now = scope; now > 0; now = recording.scopes[now].parent) names.unshift(recording.scopes[now].name);
  return names.join(" / ");
}

const pathOf = scope => pathIn(trace, scope);

function isInside(scope, outer) {
  for (let now = scope; ; now = trace.scopes[now].parent) {
    if (now === outer) return true;
    if (now === 0) return false;
  }
}

// Numbers for people.
const short = value => value === null || value === undefined ? "?" : value >= 1e9 ? (value / 1e9).toFixed(2) + " G"
  : value >= 1e6 ? (value / 1e6).toFixed(2) + " M" : value >= 1e4 ? (value / 1e3).toFixed(1) + " k" : String(value);
const bytes = value => short(value) + (short(value).includes(" ") ? "B" : " B");
const time = seconds => seconds === null || seconds === undefined ? "" : seconds >= 1 ? seconds.toFixed(2) + " s"
  : seconds >= 1e-3 ? (seconds * 1e3).toFixed(2) + " ms" : (seconds * 1e6).toFixed(0) + " µs";
const range = ([least, most]) => least === most ? short(least) : most === null ? `≥ ${short(least)}` : `${short(least)}–${short(most)}`;
const number = value => Number.isFinite(value) ? String(Number(value.toPrecision(8))) : String(value);

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made[key] = value; else made.setAttribute(key, value);
  }
  made.append(...children.flat());
  return made;
}

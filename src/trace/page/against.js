// Differences: between two passes, and from an earlier trace pass by pass.
const earlier = JSON.parse(document.getElementById("earlier").textContent);

// A pass's place in its tree: the scopes, the kernel, and the how-manieth of these.
function placed(recording) {
  const counts = new Map(), found = new Map();
  for (const step of recording.steps) {
    if (step.what !== "pass") continue;
    const key = `${pathIn(recording, step.scope)} : ${recording.kernels[step.kernel].name}`;
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    found.set(`${key} ${count}`, step);
  }
  return found;
}

// The pass of the earlier trace in the place of each pass, if there is one.
const counterparts = new Map();
if (earlier) {
  const before = placed(earlier);
  for (const [key, pass] of placed(trace)) counterparts.set(pass, before.get(key) ?? null);
}

const targetsIn = (recording, pass) => pass.targets.map(target => recording.images[target]);

// True if a pass has other outputs than its counterpart, or none; null where that is not known.
function differs(pass) {
  const other = counterparts.get(pass);
  if (!earlier) return null;
  if (!other) return true;
  const [a, b] = [targetsIn(trace, pass), targetsIn(earlier, other)];
  if (a.length !== b.length) return true;
  if (a.some((image, place) => image.width !== b[place].width || image.height !== b[place].height)) return true;
  if (!a.length || a.some((image, place) => !image.hash || !b[place].hash)) return null;
  return a.some((image, place) => image.hash !== b[place].hash);
}

function differingPasses() {
  return earlier ? passes.filter(differs) : [];
}

// How all passes compare with the earlier trace: a sentence, and the first pass that differs.
function summary() {
  const differing = differingPasses(), anew = differing.filter(pass => !counterparts.get(pass)).length;
  const unknown = passes.filter(pass => differs(pass) === null).length;
  const gone = earlier.steps.filter(step => step.what === "pass").length - [...counterparts.values()].filter(Boolean).length;
  const parts = [];
  if (differing.length > anew) parts.push(`${differing.length - anew} of ${passes.length} passes differ from the earlier trace`);
  else if (unknown < passes.length - anew) parts.push(`${unknown || anew ? "No pass that both have and that was read differs" : "All passes have the outputs of the earlier trace"}`);
  if (anew) parts.push(`${anew} ${anew === 1 ? "is" : "are"} not in it`);
  if (gone) parts.push(`${gone} of its passes ${gone === 1 ? "is" : "are"} not here`);
  if (unknown) parts.push(`${unknown} cannot be compared, for their outputs were not read in both`);
  return [parts.join("; "), differing[0]];
}

// How an image differs from another, in words and as a picture.
function gap(name, a, b) {
  const box = element("div"), where = name ? `${name}: ` : "";
  if (!a || !b || a.width !== b.width || a.height !== b.height || a.channels !== b.channels) {
    const shape = image => image ? `${image.width}×${image.height} ${image.format}` : "not there";
    box.append(`${where}another size or format: ${shape(a)} here, ${shape(b)} there`);
    return box;
  }
  if (a.hash && a.hash === b.hash) { box.append(`${where}the same bits`); return box; }
  let most = 0, place = null, count = 0;
  const all = [];
  for (let y = 0; y < a.height; y++) {
    for (let x = 0; x < a.width; x++) {
      const [p, q] = [texelOf(a, x, y), texelOf(b, x, y)];
      if (!p || !q) {
        const which = !p && !q ? "neither trace has" : `${p ? "the other" : "this"} trace has not`;
        box.append(`${where}${a.hash && b.hash ? "it differs" : "it may differ"}, but ${which} kept its numbers`);
        return box;
      }
      // A number that is not finite on one side alone is as far as can be.
      const gaps = p[0].map((value, c) => Object.is(value, q[0][c]) ? 0 : Math.abs(value - q[0][c])).map(d => Number.isNaN(d) ? Infinity : d);
      const here = Math.max(...gaps);
      all.push(here);
      if (here > 0) count += 1;
      if (here > most) [most, place] = [here, [x, y]];
    }
  }
  const exact = valuesOf(a) && valuesOf(b), canvas = element("canvas");
  if (most === 0) {
    box.append(where + (exact ? "the bits differ, the numbers do not: 0 and -0, or kinds of NaN" : a.hash && b.hash
      ? "it differs by too little, or in too few texels, to be seen in the small pictures that were kept" : "no difference in the small pictures that were kept"));
    return box;
  }
  const finite = Math.max(0, ...all.filter(Number.isFinite));
  paint(canvas, a.width, a.height, (x, y) => {
    const here = all[y * a.width + x];
    return Number.isFinite(here) ? (finite > 0 ? here / finite : 0) : NaN;
  });
  canvas.style.width = "15rem";
  const most_of = place ? ` at (${place})` : "";
  box.append(`${where}the largest difference is ${exact ? "" : "about "}${number(most)}${most_of}`,
    exact ? `; ${short(count)} texels differ` : "", element("br"), canvas);
  return box;
}

// How the targets of a pass differ from those of another, of this trace or the earlier one.
function difference(pass, other, recording, words) {
  const box = element("div", { class: "answer" }), names = kernelOf(pass).outputs;
  box.append(element("b", {}, `against ${words}: `));
  const [a, b] = [targetsIn(trace, pass), targetsIn(recording, other)];
  a.forEach((image, place) => box.append(gap(a.length > 1 ? names[place] : "", image, b[place])));
  return box;
}

// The differences of a pass from its counterpart: constants, domains, range, lines of the kernel, outputs.
function againstEarlier(pass) {
  const other = counterparts.get(pass), box = element("div", { class: "answer" });
  if (!other) {
    box.append(element("b", {}, "the earlier trace has no such pass here"));
    return box;
  }
  const made = difference(pass, other, earlier, `pass ${other.number} of the earlier trace`);
  const kernel = kernelOf(pass), before = earlier.kernels[other.kernel], told = [];
  kernel.constants.forEach(([name], place) => {
    const was = other.constants[before.constants.findIndex(([known]) => known === name)];
    if (JSON.stringify(was) !== JSON.stringify(pass.constants[place])) told.push(`${name} was ${was ?? "not there"}`);
  });
  if (JSON.stringify(other.range) !== JSON.stringify(pass.range)) told.push(`the range was ${other.range}`);
  if (JSON.stringify(other.domains) !== JSON.stringify(pass.domains)) told.push(`domains were ${JSON.stringify(other.domains)}`);
  const inputs = pass.streams.filter((stream, place) => {
    const was = other.streams[place];
    return Boolean(stream) !== Boolean(was) || (stream && images[stream.image].hash !== earlier.images[was.image].hash);
  });
  const unread = pass.streams.some((stream, place) => stream && !(images[stream.image].hash && earlier.images[other.streams[place]?.image]?.hash));
  if (before.text !== kernel.text) {
    const lines = new Set(kernel.text.split("\n")), gone = before.text.split("\n").filter(text => !lines.has(text));
    told.push(`the kernel was another (its new lines are marked)${gone.length ? "; gone: " : ""}`);
    made.append(element("p", { class: "facts" }, told.join("; ")), ...gone.slice(0, 12).map(text => element("code", { class: "gone" }, text)));
  } else if (told.length) {
    made.append(element("p", { class: "facts" }, told.join("; ")));
  }
  if (pass.streams.some(Boolean)) {
    const words = unread ? "Its inputs were not read in both." : inputs.length ? "Its inputs differ, too." : "Its inputs are the same.";
    made.append(element("p", { class: "facts" }, words));
  }
  return made;
}

// Lines of the kernel that the counterpart's has not.
function newLines(pass) {
  const other = counterparts.get(pass);
  if (!other) return new Set();
  const before = new Set(earlier.kernels[other.kernel].text.split("\n"));
  return new Set(kernelOf(pass).text.split("\n").flatMap((text, place) => before.has(text) ? [] : [place + 1]));
}

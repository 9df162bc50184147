// A pass, opened: inputs, kernel with its fetches marked, outputs; where a texel came from.
let against = null, opened = null;
// The first run of a kernel has its compilation by the driver in its time.
const firstRuns = new Map([...passes].reverse().map(pass => [pass.kernel, pass]));

function facts(pass) {
  const [x0, y0, x1, y1] = pass.range, parts = [];
  parts.push(`${pass.written === null ? "at most " : ""}${short(pass.written ?? pass.fragments)} texels`);
  if (pass.written !== null && pass.written !== pass.fragments) parts.push(`${pass.at_most ? "at most " : ""}${short(pass.fragments)} fragments`);
  parts.push(`${range(pass.fetches)} fetches`);
  parts.push(bytes(pass.bytes));
  if (pass.seconds !== null) {
    const beside = firstRuns.get(pass.kernel) === pass ? ", the first run" : pass.floor ? `, ${(pass.seconds / pass.floor).toFixed(1)} of the floor` : "";
    parts.push(time(pass.seconds) + beside);
  }
  const target = images[pass.targets[0]], part = target && (x1 - x0) * (y1 - y0) < target.width * target.height;
  parts.push(`range ${x0},${y0} to ${x1},${y1}${part ? ` of ${target.width}×${target.height}` : ""}`);
  if (pass.queries.length) parts.push(`inside a query of ${pass.queries.join(" and of ")}`);
  if (pass.geometry !== "quad") parts.push(`${short(pass.vertices)} vertices as ${pass.geometry}`);
  if (pass.blend === "add") parts.push("added");
  if (pass.mask) parts.push(`where ${pass.mask}`);
  if (trace.runs[pass.runs[0]].discards) parts.push("may discard");
  return parts.join(" · ");
}

function source(pass) {
  const kernel = kernelOf(pass), fetches = new Map(), changed = newLines(pass);
  for (const fetch of trace.runs[pass.runs[0]].fetches) {
    const counts = fetches.get(fetch.line) ?? [];
    counts.push(`${range(fetch.count)}× ${kernel.streams[fetch.stream]}${fetch.texels ? "" : " anywhere"}`);
    fetches.set(fetch.line, counts);
  }
  const lines = kernel.text.split("\n").map((text, place) => {
    const found = fetches.get(place + 1), line = element("code", { "data-line": place + 1 }, text || " ");
    if (changed.has(place + 1)) line.classList.add("new");
    if (kernel.left_out.includes(place + 1)) line.classList.add("off");
    if (found) { line.classList.add("fetch"); line.append(element("em", {}, found.join(", "))); }
    return line;
  });
  return element("pre", {}, lines);
}

function link(step, text) {
  return step.what === "pass" ? element("a", { onclick: () => openPass(step) }, text) : text;
}

function named(step) {
  return !step ? "there before" : step.what === "pass" ? link(step, `pass ${step.number}`) : step.what;
}

function madeBy(image) {
  const part = partOf(image), step = image.by === null ? null : trace.steps[image.by];
  return part ? [named(step), ", the rest ", named(writerOf(image, outsideOf(part, image)))] : [named(step)];
}

const MOST_READERS = 8;

// The passes that read an image, but one.
function readBy(image, but) {
  const found = readersOf(image).filter(pass => pass !== but), shown = found.slice(0, MOST_READERS);
  const links = shown.flatMap((pass, place) => [place ? ", " : "", link(pass, String(pass.number))]);
  return [...links, found.length > shown.length ? ` and ${found.length - shown.length} more` : ""];
}

// Where a texel of a target was computed from, and who wrote those texels.
function numbersIn(value) {
  return value ? [` ${value[1] ? "" : "≈ "}${value[0].map(number).join("  ")}`] : [];
}

function answer(pass, target, texel, figures) {
  const kernel = kernelOf(pass), box = element("div", { class: "answer" });
  const [x0, y0, x1, y1] = pass.range, inside = texel[0] >= x0 && texel[0] < x1 && texel[1] >= y0 && texel[1] < y1;
  if (!inside) {
    const writer = writerOf(target, texel);
    box.append(element("b", {}, `texel (${texel})`), " lies outside of the range: this pass did not write it, but ",
      !writer ? "it was there before the recording" : writer.what === "pass" ? link(writer, `pass ${writer.number}`) : `the ${writer.what} before`);
    return box;
  }
  box.append(element("b", {}, `texel (${texel})`), ...numbersIn(texelOf(target, ...texel)), " was computed from");
  for (const [place, texels] of sourcesOf(pass, texel)) {
    const image = images[pass.streams[place].image], line = element("div");
    line.append(element("b", {}, kernel.streams[place]), " ");
    if (texels === "anywhere") {
      line.append("anywhere: the address depends on data, or on the place by more than an offset");
    } else {
      figures.get(place)?.mark(texels);
      line.append(element("div", { class: "texels" }, texels.slice(0, 64).map(at =>
        element("div", {}, `(${at})`, ...numbersIn(texelOf(image, ...at)), " ← ", named(writerOf(image, at))))));
      if (texels.length > 64) line.append(`and ${texels.length - 64} more`);
    }
    box.append(line);
  }
  return box;
}

function openPass(pass) {
  const kernel = kernelOf(pass), box = document.getElementById("pass"), figures = new Map(), answers = element("div", { class: "answers" });
  opened = pass;
  document.querySelectorAll(".frame").forEach(frame => frame.classList.toggle("on", frame.step === pass));
  document.querySelector(".frame.on")?.scrollIntoView({ inline: "nearest", block: "nearest" });
  const inputs = pass.streams.map((stream, place) => {
    if (!stream) return "";
    const image = images[stream.image], detail = element("span", {}, stream.edges, " · ", ...madeBy(image));
    if (readersOf(image).length > 1) detail.append(" · also read by ", ...readBy(image, pass));
    const made = figure(image, kernel.streams[place], detail);
    figures.set(place, made);
    return made;
  });
  const outputs = pass.targets.map((target, place) => {
    const image = images[target], part = partOf(image), detail = element("span");
    if (part) detail.append(`${part[2] - part[0]}×${part[3] - part[1]} of it, the rest `, named(writerOf(image, outsideOf(part, image))), " · ");
    detail.append(...readersOf(image).length ? ["read by ", ...readBy(image)] : ["read by no pass here"]);
    return figure(image, kernel.outputs[place], detail, texel => {
      figures.forEach(made => made.mark());
      outputs[place].mark([texel]);
      answers.replaceChildren(answer(pass, image, texel, figures));
    }, part);
  });
  const constants = kernel.constants.map(([name], place) =>
    element("div", {}, `${name} = ${pass.constants[place].map(v => typeof v === "number" ? number(v) : v).join(", ")}`));
  const domains = kernel.domains.map((name, place) => element("div", {}, `${name}: ${pass.domains[place].map(number).join(", ")}`));
  const compare = element("p", { class: "facts" }, element("a", {
    onclick: () => { against = pass; openPass(pass); }, style: "color: var(--accent); cursor: pointer",
  }, against === pass ? "open another pass to see what differs" : "compare with another pass"));
  const gaps = [
    earlier ? againstEarlier(pass) : "",
    against && against !== pass ? difference(pass, against, trace, `pass ${against.number}`) : "",
  ];
  box.replaceChildren(
    element("h2", {}, `${pass.number}. ${kernel.name} `, element("small", {}, kernel.variant)),
    element("p", { class: "facts" }, pathOf(pass.scope) || "outside of all scopes"),
    element("p", { class: "facts" }, facts(pass)),
    ...gaps,
    element("div", { class: "flow" },
      element("div", {}, element("h3", {}, "Inputs"), inputs,
        constants.length ? [element("h3", {}, "Constants"), element("div", { class: "constants" }, constants)] : [],
        domains.length ? [element("h3", {}, "Domains"), element("div", { class: "constants" }, domains)] : []),
      element("div", {}, element("h3", {}, "Kernel"), source(pass),
        kernel.vertex ? [element("h3", {}, "Vertices"), element("pre", {}, kernel.vertex.text.split("\n").map((t, i) => element("code", { "data-line": i + 1 }, t || " ")))] : []),
      element("div", {}, element("h3", {}, "Outputs"), pass.targets.length ? outputs : "a window or another framebuffer",
        element("p", { class: "facts" }, "Click a texel to see what it was made of."), compare)),
    answers);
  const code = box.querySelector("pre"), first = code.querySelector(".new") ?? code.querySelector(".fetch");
  if (first) code.scrollTop = Math.max(0, first.offsetTop - code.offsetTop - 90);
  history.replaceState(null, "", `#${pass.number}`);
}

// The page: tree, film strip, tables.
const whole = trace.scopes[0].sum;
const MOST_FRAMES = 1500;
let chosen = 0;

document.getElementById("summary").textContent = [
  `${short(whole.passes)} passes`, `${short(whole.texels)} texels`, `${range(whole.fetches)} fetches`,
  whole.seconds > 0 ? time(whole.seconds) : "", `${bytes(whole.bytes_up)} up, ${bytes(whole.bytes_down)} down`, whole.made + whole.pooled > 0 ? `textures: ${whole.made} made, ${whole.pooled} from the pool` : "", whole.compiles > 0 ? `kernels compiled: ${whole.compiles}` : "",
  `${trace.dialect}, ${trace.renderer}`, `time: ${trace.time}`,
].filter(text => text).join(" · ");

// Scopes of one name in the same scope are one line of the tree.
function grouped(parents) {
  const groups = new Map();
  trace.scopes.forEach((scope, place) => {
    if (place === 0 || !parents.includes(scope.parent)) return;
    const group = groups.get(scope.name) ?? { name: scope.name, members: [] };
    group.members.push(place);
    groups.set(scope.name, group);
  });
  return [...groups.values()];
}

function sumOf(members, key) {
  return members.reduce((sum, place) => sum + trace.scopes[place].sum[key], 0);
}

function line(name, members, depth) {
  const share = whole.seconds > 0 ? sumOf(members, "seconds") / whole.seconds : sumOf(members, "texels") / Math.max(1, whole.texels);
  const inner = grouped(members), rest = element("div"), mark = element("u", {}, inner.length ? "▾" : "");
  const count = members.length > 1 ? ` ×${members.length}` : "";
  const row = element("div", { class: "scope", style: `padding-left: ${1.1 + 0.9 * depth}rem` },
    element("i", { style: `width: ${100 * share}%` }), element("b", { title: name }, mark, name + count),
    element("span", {}, `${short(sumOf(members, "passes"))}`),
    element("span", {}, whole.seconds > 0 ? time(sumOf(members, "seconds")) : `${(100 * share).toFixed(0)} %`));
  row.onclick = () => {
    document.querySelectorAll(".scope").forEach(other => other.classList.toggle("on", other === row));
    document.querySelector("nav button").click();
    const first = showFilm(members);
    if (!members.some(scope => isInside(opened?.scope ?? 0, scope)) && first) openPass(first);
  };
  mark.onclick = event => { rest.hidden = !rest.hidden; mark.textContent = rest.hidden ? "▸" : "▾"; event.stopPropagation(); };
  inner.forEach(group => rest.append(line(group.name, group.members, depth + 1)));
  rest.hidden = depth > 2;
  if (rest.hidden && inner.length) mark.textContent = "▸";
  return element("div", {}, row, rest);
}

function frame(step) {
  if (step.what !== "pass") {
    const detail = step.what === "compile" ? trace.kernels[step.kernel].name : step.bytes ? bytes(step.bytes) : "";
    return element("div", { class: "frame note", title: `${pathOf(step.scope)}\n${step.what} ${detail}` }, step.what, element("br"), detail);
  }
  const kernel = kernelOf(step), image = images[step.targets[0]], canvas = element("canvas");
  const name = kernel.name.split("/").pop().replace(/\.frag.*/, "");
  const made = element("div", { class: "frame", title: `${pathOf(step.scope)}\n${kernel.name}\n${facts(step)}`, onclick: () => openPass(step) },
    canvas, `${step.number} ${name}`, element("br"), time(step.seconds));
  if (image?.thumbnail) paintImage(canvas, image, 0, false);
  if (image?.not_finite) made.classList.add("bad");
  if (differs(step)) made.classList.add("differs");
  made.step = step;
  return made;
}

// Shows the passes of scopes in the film; returns the first.
function showFilm(members) {
  const steps = trace.steps.filter(step => members.some(scope => isInside(step.scope, scope)));
  const film = document.getElementById("film");
  film.replaceChildren(...steps.slice(0, MOST_FRAMES).map(frame));
  if (steps.length > MOST_FRAMES) film.append(element("div", { class: "more" }, `and ${steps.length - MOST_FRAMES} more: choose a scope`));
  film.childNodes.forEach(frame => frame.classList.toggle("on", Boolean(frame.step) && frame.step === opened));
  return steps.find(step => step.what === "pass");
}

function row(cells, name = "td") {
  return element("tr", {}, cells.map(cell => element(name, {}, cell instanceof Node ? cell : String(cell))));
}

const NO_FLOORS = "The floors of this GPU are not known: quadrille bench costs measures them, in Rust Card::measure.";

function kernelTable() {
  const each = trace.kernels.filter(kernel => kernel.sum.passes > 0);
  const work = kernel => whole.seconds > 0 ? kernel.sum.seconds / whole.seconds : kernel.sum.texels / Math.max(1, whole.texels);
  each.sort((a, b) => work(b) - work(a));
  // The first run of a kernel has its compilation by the driver in it: the others stand beside the least that this card could take.
  const own = trace.cards.find(card => card.own), timed = whole.seconds > 0;
  const times = kernel => {
    const [first, ...later] = passes.filter(pass => kernelOf(pass) === kernel), sum = key => later.reduce((sum, pass) => sum + pass[key], 0);
    return [time(first.seconds), later.length && own ? (sum("seconds") / sum("floor")).toFixed(1) : ""];
  };
  const heads = ["kernel", "passes", ...timed ? ["time", "first run", own ? `others / floor of ${own.name}` : ""] : [], "texels", "fetches", "share"];
  return element("div", {}, element("table", {}, row(heads, "th"), each.map(kernel =>
    row([element("span", {}, `${kernel.name} `, element("small", {}, kernel.variant)), kernel.sum.passes, ...timed ? [time(kernel.sum.seconds), ...times(kernel)] : [],
      short(kernel.sum.texels), range(kernel.sum.fetches), (100 * work(kernel)).toFixed(1) + " %"]))),
    element("p", { class: "facts" }, timed ? `The first run of a kernel has its compilation by the driver in it. ${own ? "" : NO_FLOORS}` : "Shares are those of texels."));
}

function cardTable() {
  const cards = trace.cards.map(card => row([card.name + (card.own ? " (this one)" : ""), time(card.seconds), element("p", {}, card.source)]));
  return element("div", {}, element("p", { class: "facts" }, `Seconds that these passes take at least, by the floors of a card. Measured here: ${time(whole.seconds) || "not timed"}. ${trace.cards.some(card => card.own) ? "" : NO_FLOORS}`),
    element("table", {}, row(["card", "at least", element("p", {}, "by")], "th"), cards));
}

document.querySelectorAll("nav button").forEach(button => {
  button.onclick = () => {
    const view = button.dataset.view, table = document.getElementById("table");
    document.querySelectorAll("nav button").forEach(other => other.classList.toggle("on", other === button));
    table.hidden = view === "film";
    document.querySelector("main").classList.toggle("tables", view !== "film");
    for (const id of ["film", "pass"]) document.getElementById(id).hidden = view !== "film";
    document.getElementById("film").style.display = view === "film" ? "" : "none";
    table.replaceChildren(view === "kernels" ? kernelTable() : view === "cards" ? cardTable() : "");
  };
});

document.onkeydown = event => {
  const frames = [...document.querySelectorAll(".frame")].filter(frame => frame.step);
  const at = frames.findIndex(frame => frame.classList.contains("on"));
  const next = frames[at + (event.key === "ArrowRight") - (event.key === "ArrowLeft")];
  if (next && at >= 0 && event.key.startsWith("Arrow")) { openPass(next.step); event.preventDefault(); }
};

if (earlier) {
  const box = document.getElementById("against"), [words, first] = summary();
  box.hidden = false;
  box.append(words, ...first ? [": ", link(first, `the first is pass ${first.number}`)] : ["."]);
}
document.getElementById("tree").append(
  element("div", { class: "scope head" }, element("b", {}, "scope"), element("span", {}, "passes"), element("span", {}, whole.seconds > 0 ? "time" : "texels")),
  line("all", [0], 0));
showFilm([0]);
const asked = passes.find(pass => `#${pass.number}` === location.hash) ?? differingPasses()[0] ?? passes[0];
if (asked) openPass(asked);

// The same computations by other libraries in a page of Chromium and by quadrille, on llvmpipe, in turns: a part of `make bench-peers`.
//
//   node tools/peers/web.mjs [--rounds 31] [--only PART OF A ROW'S NAME] [--peers NAME,NAME]
//
// Each library has a page of its own in one browser, whose GPU process draws for all of them. A result is checked in f64 before anything is
// timed. A round times each row once in each page that has it, another page first each time; a figure is the median of the rounds, a ratio the
// median of the rounds' own ratios, quadrille's time over the other's: below 1 quadrille is ahead. The bound stands behind it: 0.91 where
// packing, fusing or fewer passes can differ, 1.05 where all write the same bytes. A second table has the processor time of the browser's GPU
// process alone, summed over all rounds, which depends less on what else a machine has to do. Exit status 1 where a result is wrong.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url)), root = path.resolve(here, "../..");
const packages = path.join(root, "target/peers/web"), glue = path.join(root, "target/bindgen/peers");
const { chromium } = createRequire(path.join(root, "target/web/"))("playwright-core");
const asked = (name, otherwise) => process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : otherwise;
const rounds = Number(asked("--rounds", 31)), only = asked("--only", "").toLowerCase();
const peers = ["quadrille", ...asked("--peers", "regl,three,gpu-io,gpu.js,tensorflow.js").split(",").filter(Boolean)];
/** Seconds that a row is repeated for at least. */
const LEAST = 0.1;
const AHEAD = 1 / 1.1, LEVEL = 1.05;
const bound = row => /^(sum|product|matrix|Jacobi|first|start)/.test(row) ? AHEAD : LEVEL;

const served = {
  "/page.js": path.join(here, "page.js"),
  "/quadrille_peers.js": path.join(glue, "quadrille_peers.js"),
  "/quadrille_peers_bg.wasm": path.join(glue, "quadrille_peers_bg.wasm"),
  "/regl.js": path.join(packages, "regl/dist/regl.min.js"),
  "/three.module.js": path.join(packages, "three/build/three.module.js"),
  "/three.core.js": path.join(packages, "three/build/three.core.js"),
  "/GPUComputationRenderer.js": path.join(packages, "three/examples/jsm/misc/GPUComputationRenderer.js"),
  "/Pass.js": path.join(packages, "three/examples/jsm/postprocessing/Pass.js"),
  "/gpu-io.js": path.join(packages, "gpu-io/dist/gpu-io.min.js"),
  "/gpu.js": path.join(packages, "gpu.js/dist/gpu-browser.min.js"),
  "/tf.js": path.join(packages, "tfjs/dist/tf.min.js"),
};
const types = { html: "text/html", js: "text/javascript", wasm: "application/wasm" };
const PAGE = `<!DOCTYPE html><link rel="icon" href="data:,"><script type="importmap">{"imports": {"three": "/three.module.js"}}</script><script src="/page.js"></script>`;
const server = http.createServer((request, response) => {
  const name = new URL(request.url, "http://x").pathname;
  if (name.endsWith(".html")) return response.writeHead(200, { "Content-Type": "text/html" }).end(PAGE);
  fs.readFile(served[name] ?? "", (error, bytes) => {
    const text = name === "/GPUComputationRenderer.js" && !error ? String(bytes).replace("../postprocessing/Pass.js", "/Pass.js") : bytes;
    response.writeHead(error ? 404 : 200, { "Content-Type": types[name.split(".").pop()] ?? "" }).end(text);
  });
});
await new Promise(done => server.listen(0, "127.0.0.1", done));
const address = `http://127.0.0.1:${server.address().port}/`;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "quadrille-peers-"));
const browser = await chromium.launchPersistentContext(folder, {
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", headless: true, viewport: { width: 640, height: 480 },
  args: ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-sync", "--use-gl=angle", "--use-angle=gl-egl",
    "--ignore-gpu-blocklist", "--disable-renderer-backgrounding", "--disable-backgrounding-occluded-windows"],
});

const open = async name => {
  const page = await browser.newPage();
  page.on("pageerror", error => console.error(`${name}: ${error.message}`));
  await page.goto(address + "page.html");
  return { page, loaded: await page.evaluate(name => load(name), name) };
};
const checked = (name, row, share) => {
  if (share <= 1) return;
  console.error(`peers: ${name}'s ${row} is ${share.toExponential(2)} of what it may be off`);
  process.exitCode = 1;
};

// Rows of pages that stay open. What a page has made stays on the GPU: one row after the other.
const pages = {}, figures = {};
for (const name of peers) pages[name] = await open(name);
const versions = peers.slice(1).map(name => `${name} ${pages[name].loaded.version}`).join(", ");
const renderer = await pages[peers[0]].page.evaluate(() => {
  const gl = new OffscreenCanvas(1, 1).getContext("webgl2");
  return gl.getParameter(gl.getExtension("WEBGL_debug_renderer_info").UNMASKED_RENDERER_WEBGL);
});
const rows = pages.quadrille.loaded.kinds.filter(row => row !== "first call" && row.toLowerCase().includes(only));
const times = {};
for (const row of rows) {
  for (const name of peers) {
    if (!pages[name].loaded.kinds.includes(row)) continue;
    const { page } = pages[name];
    checked(name, row, await page.evaluate(row => make(row), row));
    let many = 1, seconds;
    while ((seconds = await page.evaluate(([row, many]) => time(row, many), [row, many])) < LEAST) many = Math.max(2 * many, Math.ceil(many * LEAST / Math.max(seconds, 1e-6)));
    times[row] = { ...times[row], [name]: many };
  }
}
/** The order of a round: each begins with another. */
const turned = (names, round) => [...names.slice(round % names.length), ...names.slice(0, round % names.length)];
// Linux tells it; elsewhere the table stays away.
const gpuProcess = fs.existsSync("/proc/self/task") && execFileSync("pgrep", ["-f", "--", `--type=gpu-process.*${path.basename(folder)}`], { encoding: "utf8" }).split("\n")[0];
const processor = () => gpuProcess ? fs.readdirSync(`/proc/${gpuProcess}/task`).reduce((sum, thread) => {
  try { return sum + Number(fs.readFileSync(`/proc/${gpuProcess}/task/${thread}/schedstat`, "utf8").split(" ")[0]) / 1e9; } catch { return sum; }
}, 0) : 0;
const worked = {};
const keep = (row, name, seconds) => ((figures[row] ??= {})[name] ??= []).push(seconds);
for (let round = 0; round < rounds; round++) {
  for (const row of rows) {
    for (const name of turned(Object.keys(times[row]), round)) {
      const many = times[row][name], before = processor();
      keep(row, name, await pages[name].page.evaluate(([row, many]) => time(row, many), [row, many]) / many);
      (worked[row] ??= {})[name] = (worked[row][name] ?? 0) + (processor() - before) / many;
    }
  }
  console.error(`round ${round + 1} of ${rounds}`);
}
for (const { page } of Object.values(pages)) await page.close();
// A page of its own for each start, and for the first call in it; the first round fills the browser's caches.
if ("start, first call".includes(only)) {
  for (let round = 0; round <= rounds; round++) {
    for (const name of turned(peers, round)) {
      const { page, loaded } = await open(name);
      const call = loaded.kinds.includes("first call") ? await page.evaluate("first()") : null;
      if (call) checked(name, "first call", call[1]);
      if (round > 0) {
        keep("start", name, loaded.seconds);
        if (call) keep("first call", name, call[0]);
        if (call) keep("start and first call", name, loaded.seconds + call[0]);
      }
      await page.close();
    }
  }
}

const median = values => [...values].sort((a, b) => a - b)[values.length >> 1];
console.log(`${renderer}; Chromium ${browser.browser()?.version() ?? ""}; ${versions}; ${rounds} rounds in turns\n`);
console.log("| row | quadrille | " + peers.slice(1).map(name => name + " | ratio").join(" | ") + " | bound |\n|" + "---|".repeat(2 * peers.length + 1));
const missed = [];
for (const [row, found] of Object.entries(figures)) {
  const cells = peers.slice(1).map(name => {
    if (!found[name]) return "| ";
    const ratio = median(found.quadrille.map((ours, round) => ours / found[name][round]));
    if (ratio > bound(row)) missed.push(`${row}: ${ratio.toFixed(3)} of ${name}, ${bound(row).toFixed(2)} asked for`);
    return `${(1e3 * median(found[name])).toPrecision(4)} ms | ${ratio.toFixed(3)}`;
  });
  console.log(`| ${row} | ${(1e3 * median(found.quadrille)).toPrecision(4)} ms | ${cells.join(" | ")} | ${bound(row).toFixed(2)} |`);
}
if (gpuProcess) {
  console.log(`\n| row | ${peers.join(" | ")} |\n|${"---|".repeat(peers.length + 1)}`);
  for (const [row, all] of Object.entries(worked)) console.log(`| ${row} | ${peers.map(name => all[name] === undefined ? "" : `${(1e3 * all[name] / rounds).toPrecision(4)} ms`).join(" | ")} |`);
}
if (missed.length) console.log("\nbehind the bound:\n" + missed.join("\n"));
await browser.close();
fs.rmSync(folder, { recursive: true, force: true });
server.close();

// Gray-Scott on 512x512 cells in the page beside regl, three.js and the program: `make bench-web`.
//
//   node demos/web/tests/rounds.mjs [ROUNDS] [STEPS]
//
// All four begin with the same cells, compute in 32-bit floats on llvmpipe, and are compared after the first round. A round times each once,
// in turn; a line says the medians. The process of each ends with a read of one texel, which waits for all steps. All have the four constants
// as uniforms, for a slider may change them; `regl, constants in its text` has them as numbers that the compiler knows.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import zlib from "node:zlib";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");
const modules = path.join(root, "target/web/node_modules");
const { chromium } = createRequire(path.join(root, "target/web/"))("playwright-core");
const [rounds, many] = [Number(process.argv[2] ?? 15), Number(process.argv[3] ?? 200)];
const SIZE = 512;
const [F, K, DU, DV] = [0.037, 0.06, 0.8389, 0.4194];

const served = {
  "/regl.js": path.join(modules, "regl/dist/regl.min.js"),
  "/three.module.js": path.join(modules, "three/build/three.module.js"),
  "/three.core.js": path.join(modules, "three/build/three.core.js"),
  "/GPUComputationRenderer.js": path.join(modules, "three/examples/jsm/misc/GPUComputationRenderer.js"),
  "/Pass.js": path.join(modules, "three/examples/jsm/postprocessing/Pass.js"),
};
const types = { html: "text/html", js: "text/javascript" };
const server = http.createServer((request, response) => {
  const name = new URL(request.url, "http://x").pathname;
  if (name === "/empty.html") return response.writeHead(200, { "Content-Type": "text/html" }).end(`<!DOCTYPE html>
<script type="importmap">{"imports": {"three": "/three.module.js"}}</script><canvas id="c" width="512" height="512"></canvas>`);
  fs.readFile(served[name] ?? path.join(root, "target/site", name.slice(1) || "index.html"), (error, bytes) => {
    let text = bytes;
    if (name === "/GPUComputationRenderer.js") text = String(bytes).replace("../postprocessing/Pass.js", "/Pass.js");
    response.writeHead(error ? 404 : 200, { "Content-Type": types[name.split(".").pop()] ?? "text/html" });
    response.end(text);
  });
});
await new Promise(done => server.listen(0, "127.0.0.1", done));
const address = `http://127.0.0.1:${server.address().port}/`;

/** The arrays of an .npz by name, of 32-bit floats. */
function arrays(file) {
  const found = {};
  let end = file.length - 22;
  while (file.readUInt32LE(end) !== 0x06054b50) end--;
  let at = file.readUInt32LE(end + 16);
  for (let n = file.readUInt16LE(end + 10); n > 0; n--) {
    const [method, size, names, extra, comment, start] = [file.readUInt16LE(at + 10), file.readUInt32LE(at + 20), file.readUInt16LE(at + 28), file.readUInt16LE(at + 30), file.readUInt16LE(at + 32), file.readUInt32LE(at + 42)];
    const name = file.toString("latin1", at + 46, at + 46 + names);
    const from = start + 30 + file.readUInt16LE(start + 26) + file.readUInt16LE(start + 28);
    const packed = file.subarray(from, from + size);
    const bytes = method ? zlib.inflateRawSync(packed) : packed;
    const values = bytes.subarray(10 + bytes.readUInt16LE(8));
    if (bytes.toString("latin1", 0, 120).includes("<f4")) found[name.replace(".npy", "")] = new Float32Array(Uint8Array.from(values).buffer);
    at += 46 + names + extra + comment;
  }
  return found;
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "quadrille-rounds-"));
const browser = await chromium.launchPersistentContext(path.join(folder, "profile"), {
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", headless: true, viewport: { width: 960, height: 640 },
  args: ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-sync", "--use-gl=angle", "--use-angle=gl-egl",
    "--ignore-gpu-blocklist", "--disable-renderer-backgrounding", "--disable-backgrounding-occluded-windows"],
});

// Ours: the page of the site, without frames between.
const ours = await browser.newPage();
await ours.goto(address + `?demo=reaction-diffusion&size=${SIZE}x${SIZE}`);
await ours.waitForFunction("app !== null");
const BASE64 = "(bytes => { let all = ''; for (let i = 0; i < bytes.length; i += 4096) all += String.fromCharCode(...bytes.subarray(i, i + 4096)); return btoa(all); })";
const state = async () => arrays(Buffer.from(await ours.evaluate(`${BASE64}(app.state())`), "base64"));
await ours.evaluate(`app.open("?demo=reaction-diffusion&size=${SIZE}x${SIZE}"), app.drive(true, 0)`);
const first = await state();

const cells = new Float32Array(4 * SIZE * SIZE);
for (let i = 0; i < SIZE * SIZE; i++) cells.set([first.u[i], first.v[i], 0, 1], 4 * i);
const start = Buffer.from(cells.buffer).toString("base64");
const KERNEL = fetch => `
  vec2 c = ${fetch("0.0, 0.0")};
  vec2 mean = 0.25 * (${fetch("1.0, 0.0")} + ${fetch("-1.0, 0.0")} + ${fetch("0.0, 1.0")} + ${fetch("0.0, -1.0")});
  float r = c.x * c.y * c.y;
  gl_FragColor = vec4((1.0 - d) * c + d * mean + vec2(-r + F * (1.0 - c.x), r - (F + k) * c.y), 0.0, 1.0);`;
const UNIFORMS = "uniform vec2 d; uniform float F, k;", NUMBERS = `const vec2 d = vec2(${DU}, ${DV}); const float F = ${F}, k = ${K};`;

// Samplers of WebGL 1 are of low precision unless they are said to be more, and llvmpipe then computes in 16 bits.
const withRegl = async constants => {
  const page = await browser.newPage();
  await page.goto(address + "empty.html");
  await page.addScriptTag({ url: "/regl.js" });
  await page.evaluate(reglSteps, { start, constants, kernel: KERNEL(offset => `texture2D(cells, uv + vec2(${offset}) / ${SIZE}.0).xy`), SIZE, given: { d: [DU, DV], F, k: K } });
  return page;
};
const reglSteps = ({ start, constants, kernel, SIZE, given }) => {
  const cells = new Float32Array(Uint8Array.from(atob(start), c => c.charCodeAt(0)).buffer);
  const regl = createREGL({ canvas: document.getElementById("c"), extensions: ["OES_texture_float"], optionalExtensions: ["WEBGL_color_buffer_float"] });
  const of = data => regl.framebuffer({ color: regl.texture({ radius: SIZE, data, type: "float", format: "rgba", wrap: "repeat", min: "nearest", mag: "nearest" }), depthStencil: false });
  const both = [of(cells), of(null)];
  let at = 0;
  const step = regl({
    vert: "attribute vec2 p; varying vec2 uv; void main() { uv = 0.5 * p + 0.5; gl_Position = vec4(p, 0.0, 1.0); }",
    frag: `precision highp float; uniform highp sampler2D cells; ${constants} varying vec2 uv; void main() { ${kernel} }`,
    attributes: { p: [-1, -1, 3, -1, -1, 3] }, count: 3, depth: { enable: false },
    uniforms: { cells: () => both[at], ...given }, framebuffer: () => both[1 - at],
  });
  window.read = (x = 0, y = 0, width = 1, height = 1) => { let all; both[at].use(() => { all = regl.read({ x, y, width, height }); }); return all; };
  window.steps = many => { for (let i = 0; i < many; i++) { step(); at = 1 - at; } read(); };
};
const regl = await withRegl(UNIFORMS), fixed = await withRegl(NUMBERS);

const three = await browser.newPage();
await three.goto(address + "empty.html");
await three.evaluate(async ({ start, constants, kernel, SIZE, given }) => {
  const THREE = await import("/three.module.js"), { GPUComputationRenderer } = await import("/GPUComputationRenderer.js");
  const cells = new Float32Array(Uint8Array.from(atob(start), c => c.charCodeAt(0)).buffer);
  const renderer = new THREE.WebGLRenderer({ canvas: document.getElementById("c") });
  const gpu = new GPUComputationRenderer(SIZE, SIZE, renderer);
  const texture = gpu.createTexture();
  texture.image.data.set(cells);
  const variable = gpu.addVariable("cells", `${constants} void main() { vec2 uv = gl_FragCoord.xy / resolution.xy; ${kernel} }`, texture);
  [variable.wrapS, variable.wrapT] = [THREE.RepeatWrapping, THREE.RepeatWrapping];
  gpu.setVariableDependencies(variable, [variable]);
  for (const [name, value] of Object.entries({ ...given, d: new THREE.Vector2(...given.d) })) variable.material.uniforms[name] = { value };
  const error = gpu.init();
  if (error) throw Error(error);
  window.read = (x = 0, y = 0, width = 1, height = 1) => {
    const all = new Float32Array(4 * width * height);
    renderer.readRenderTargetPixels(gpu.getCurrentRenderTarget(variable), x, y, width, height, all);
    return all;
  };
  window.steps = many => { for (let i = 0; i < many; i++) gpu.compute(); read(); };
}, { start, constants: UNIFORMS, given: { d: [DU, DV], F, k: K }, kernel: KERNEL(offset => `texture2D(cells, uv + vec2(${offset}) / ${SIZE}.0).xy`), SIZE });

const TIMED = call => `(() => { const began = performance.now(); ${call}; return (performance.now() - began) / 1000; })()`;
const program = steps => {
  const began = performance.now();
  const flags = ["demo", "reaction-diffusion", "--headless", "--size", `${SIZE}x${SIZE}`, "--steps", steps];
  execFileSync(process.env.QUADRILLE ?? path.join(root, "target/release/quadrille"), flags, { env: { ...process.env, QUADRILLE_API: "gles" }, stdio: "pipe" });
  return (performance.now() - began) / 1000;
};
const contenders = {
  quadrille: () => ours.evaluate(TIMED(`app.drive(true, ${many}); const gl = canvas.getContext("webgl2"); gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.FLOAT, new Float32Array(4)); if (gl.getError()) throw Error("no read")`)),
  regl: () => regl.evaluate(TIMED(`steps(${many})`)),
  three: () => three.evaluate(TIMED(`steps(${many})`)),
  "regl, constants in its text": () => fixed.evaluate(TIMED(`steps(${many})`)),
  // Without what starting takes.
  program: () => -program(1) + program(1 + many),
};
const seconds = Object.fromEntries(Object.keys(contenders).map(name => [name, []]));
for (let round = 0; round <= rounds; round++) {
  // Whoever comes first may find a colder machine: each round begins with another.
  const names = Object.keys(contenders);
  for (const name of [...names.slice(round % names.length), ...names.slice(0, round % names.length)]) {
    const took = await contenders[name]();
    if (round > 0) seconds[name].push(took);
  }
  if (round > 0) continue;
  // The round before the first warms up, and is checked.
  const { u, v } = await state();
  for (const [name, page] of [["regl", regl], ["three", three], ["regl, constants in its text", fixed]]) {
    const found = new Float32Array(Uint8Array.from(atob(await page.evaluate(`${BASE64}(new Uint8Array(read(0, 0, ${SIZE}, ${SIZE}).buffer))`)), c => c.charCodeAt(0)).buffer);
    let worst = 0;
    for (let i = 0; i < SIZE * SIZE; i++) worst = Math.max(worst, Math.abs(found[4 * i] - u[i]), Math.abs(found[4 * i + 1] - v[i]));
    // Each step rounds about ten operations of numbers below 1, in another order.
    const bound = 10 * many * 2 ** -24;
    console.log(`${name}: differs by ${worst.toExponential(1)} after ${many} steps, at most ${bound.toExponential(1)}`);
    if (!(worst <= bound)) process.exitCode = 1;
  }
}
const median = values => [...values].sort((a, b) => a - b)[values.length >> 1];
const rates = Object.fromEntries(Object.entries(seconds).map(([name, all]) => [name, many / median(all)]));
// Of the rounds' own ratios, for a machine that others use changes from round to round.
const share = Object.fromEntries(Object.keys(rates).map(name => [name, median(seconds[name].map((took, round) => took / seconds.quadrille[round]))]));
for (const [name, rate] of Object.entries(rates)) console.log(`${name}: ${rate.toFixed(0)} steps/s, ${share[name].toFixed(3)} of it by the page (median of ${rounds})`);
const [of_program, of_regl, of_three] = [share.program, share.regl, share.three];
if (of_program < 0.9 || of_regl < 0.95 || of_three < 1) process.exitCode = 1;
await browser.close();
fs.rmSync(folder, { recursive: true, force: true });
server.close();

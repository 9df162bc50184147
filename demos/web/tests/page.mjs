// The page of `make site` in Chromium without a window, on SwiftShader and on Mesa's llvmpipe: `make test-web`.
//
//   node demos/web/tests/page.mjs [--quick] [swiftshader|llvmpipe] [PART OF A TEST'S NAME]
//
// A line a test, and a report with the pictures of all demos in target/web/report. --quick is `make test-web-quick`: the page of
// `tools/site.sh --quick`, of which no weight and no time is asked, and long lists on llvmpipe alone.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");
const args = process.argv.slice(2), quick = args[0] === "--quick" && Boolean(args.shift());
const site = path.join(root, quick ? "target/web/site" : "target/site");
const report = path.join(root, "target/web/report");
const { chromium } = createRequire(path.join(root, "target/web/"))("playwright-core");

const DRIVERS = {
  swiftshader: ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
  llvmpipe: ["--use-gl=angle", "--use-angle=gl-egl", "--ignore-gpu-blocklist"],
};
const ALWAYS = ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** Megabytes over the line: of the page without the pictures of its cards, each of which comes as it is seen, and of the page of one demo. */
const MOST_MEGABYTES = quick ? Infinity : 2;
const MOST_MEGABYTES_OF_ONE = 1;
/** Of the page of exercises. */
const MOST_MEGABYTES_OF_EXERCISES = quick ? Infinity : 0.5;
/** The demo that has a page of its own, built before (make site DEMO=wave). */
const ONE = "wave";
/** Seconds from the request to the first picture of a demo on SwiftShader; a busy machine needs more (QUADRILLE_WEB_SECONDS). */
const MOST_SECONDS = quick ? Infinity : Number(process.env.QUADRILLE_WEB_SECONDS ?? 1.5);

const drivers = args[0] in DRIVERS ? [args.shift()] : Object.keys(DRIVERS);
const wanted = args.join(" ");

// A static host does this, and no more.
const types = {
  html: "text/html", js: "text/javascript", bin: "application/octet-stream", txt: "text/plain", png: "image/png", css: "text/css", svg: "image/svg+xml",
};
const server = http.createServer((request, response) => {
  const name = new URL(request.url, "http://x").pathname.slice(1) || "index.html";
  fs.readFile(path.join(site, name), (error, bytes) => {
    response.writeHead(error ? 404 : 200, { "Content-Type": types[name.split(".").pop()] ?? "" });
    response.end(bytes);
  });
});
await new Promise(done => server.listen(0, "127.0.0.1", done));
const address = `http://127.0.0.1:${server.address().port}/`;

const same = (found, expected, what) => { if (found !== expected) throw Error(`${what}: ${found}, expected ${expected}`); };
const holds = (truth, what) => { if (!truth) throw Error(what); };

/** Things done in the page. */
const told = page => page.evaluate("JSON.parse(app.report())");
const until = (page, what, test, seconds = 60) => page.waitForFunction(test, null, { timeout: seconds * 1000, polling: 50 })
  .catch(() => told(page).catch(() => null).then(told => { throw Error(`${what}: not within ${seconds} s: ${JSON.stringify(told)}`); }));
const steps = (page, many, seconds) => until(page, `${many} steps`, `app && (({step, message}) => message || step >= ${many})(JSON.parse(app.report()))`, seconds);
const frames = (page, many = 2) => page.evaluate(`new Promise(done => { let left = ${many}; const next = () => left-- ? requestAnimationFrame(next) : done(); wake(); next(); })`);
/** The bytes of the state, as base64: a page hands no arrays over. */
const BASE64 = "(bytes => { let all = ''; for (let i = 0; i < bytes.length; i += 4096) all += String.fromCharCode(...bytes.subarray(i, i + 4096)); return btoa(all); })";
const state = async page => Buffer.from(await page.evaluate(`${BASE64}(app.state())`), "base64");
/** The state after so many steps from the beginning, without a frame between. */
const ran = async (page, question, many) => Buffer.from(await page.evaluate(`(() => { app.open("${question}"); app.drive(true, ${many}); return ${BASE64}(app.state()); })()`), "base64");
const open = async (page, question) => { await page.goto(address + question); await until(page, "start", "app !== null"); };
const colours = async (page, clip) => {
  const png = await page.screenshot({ clip });
  return page.evaluate(async data => {
    const bitmap = await createImageBitmap(await (await fetch("data:image/png;base64," + data)).blob());
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height), to = canvas.getContext("2d");
    to.drawImage(bitmap, 0, 0);
    return new Set(new Uint32Array(to.getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size;
  }, png.toString("base64"));
};
/** Where a colour is seen in a part of the page: the number of its pixels, and the first of them. */
const found = async (page, clip, colour) => {
  const png = await page.screenshot({ clip });
  return page.evaluate(async ([data, [red, green, blue]]) => {
    const bitmap = await createImageBitmap(await (await fetch("data:image/png;base64," + data)).blob());
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height), to = canvas.getContext("2d");
    to.drawImage(bitmap, 0, 0);
    const bytes = to.getImageData(0, 0, canvas.width, canvas.height).data, near = (a, b) => Math.abs(a - b) < 6;
    let many = 0, first = null;
    for (let i = 0; i < bytes.length; i += 4) {
      if (!near(bytes[i], red) || !near(bytes[i + 1], green) || !near(bytes[i + 2], blue)) continue;
      first ??= [i / 4 % bitmap.width, Math.floor(i / 4 / bitmap.width)];
      many += 1;
    }
    return { many, first };
  }, [png.toString("base64"), colour]);
};
const PICTURE = { x: 300, y: 60, width: 640, height: 560 };

/** Where buttons lie in a window of that size. */
const BUTTONS = { share: [726, 13], files: [192, 621], state: [112, 575], picture: [63, 575] };

/** Sizes at which two cores without a GPU draw a frame in less than a second. */
const SMALL = { heat: "&size=256x256", liquid: "&size=16", nbody: "&bodies=512", smooth: "&size=16", fluid: "&size=65x65", clouds: "&size=64x48", wall: "&columns=4&rows=4" };

/** Megabytes of texts, gzipped, and of what is packed already. */
const weighs = (packed, texts) => texts.map(name => execFileSync("gzip", ["-9c", path.join(site, name)]).length)
  .concat(fs.statSync(path.join(site, packed)).size).reduce((a, b) => a + b) / 1e6;

/** What the page of exercises says, once the judge has come to that outcome with the text that is there. */
const answer = async (page, outcome) => {
  await page.waitForFunction(() => document.getElementById("which")?.value && !["", "busy"].includes(document.getElementById("answer").className), null, { timeout: 60000 });
  await page.waitForFunction(outcome => outcome.split(" or ").includes(document.getElementById("answer").className), outcome, { timeout: 20000 })
    .catch(async () => { throw Error(`${outcome}: ${await page.textContent("#answer")}`); });
  return page.textContent("#answer");
};

/** The wrong and broken kernels that an exercise.toml tells: its text, or that of its head and body in the start as told.rs has it; the outcome; its words. */
const mistakes = (told, start, read, driver) => [...told.matchAll(/^ *\{ (file = .*) \},?$/gm)].map(([, entry]) => {
  const { file, head, body, hint, says } = Object.fromEntries([...entry.matchAll(/(\w+) = ("(?:[^"\\]|\\.)*")/g)].map(([, key, text]) => [key, JSON.parse(text)]));
  const [above, main] = start.split(/(?=void main\(\))/);
  const text = head === undefined && body === undefined ? read("wrong/" + file)
    : (head === undefined ? above : head + "\n") + (body === undefined ? main : `void main() {\n    ${body}\n}\n`);
  // SwiftShader does not find that a stream is read for nothing, or an output hidden: there the answer is wrong.
  if (driver === "swiftshader" && /does not depend on it|makes another/.test(says)) return [text, "refused or wrong", ""];
  // Up to the first number that is filled in, as the lines of 80 columns break it.
  return [text, says === undefined ? "wrong" : "refused", (says ?? hint ?? "").split("{")[0]];
});

const tests = {
  async "the page weighs little and shows its first picture soon"(page, driver) {
    const weight = weighs("quadrille.bin", ["index.html", "glue.js", "load.js", "page.js"]);
    await page.goto(address + "?demo=reaction-diffusion");
    await steps(page, 1);
    await until(page, "picture", "performance.getEntriesByName('picture').length > 0");
    const seconds = await page.evaluate("performance.getEntriesByName('picture')[0].startTime / 1000");
    same(await page.evaluate("performance.getEntriesByType('resource').filter(({name}) => name.includes('/cards/')).length"), 0, "pictures of cards");
    holds(weight <= MOST_MEGABYTES, `${weight.toFixed(2)} MB`);
    holds(driver !== "swiftshader" || seconds <= MOST_SECONDS, `first picture after ${seconds.toFixed(2)} s`);
    return `${weight.toFixed(2)} MB, ${seconds.toFixed(2)} s`;
  },

  async "the gallery shows its cards, and one that is clicked opens"(page) {
    await open(page, "");
    await frames(page);
    await page.screenshot({ path: path.join(report, `${page.driver}-gallery.png`) });
    await until(page, "pictures", "performance.getEntriesByType('resource').filter(({name}) => name.includes('/cards/')).length > 7");
    await frames(page, 4);
    holds(await colours(page) > 1000, "no pictures");
    const fetched = await page.evaluate("performance.getEntriesByType('resource').filter(({name}) => name.includes('/cards/')).length");
    holds(fetched < 30, `${fetched} pictures were loaded, of cards that nobody sees`);
    await page.mouse.click(120, 140);
    await steps(page, 1);
    same((await told(page)).demo, "reaction-diffusion", "demo");
    same(await page.evaluate("location.search"), "?demo=reaction-diffusion", "address");
    await page.goBack();
    await until(page, "gallery", "JSON.parse(app.report()).demo === null");
    await page.goForward();
    await steps(page, 1);
    await page.keyboard.press("Escape");
    await until(page, "gallery by Esc", "JSON.parse(app.report()).demo === null");
  },

  async "the fonts have all letters of the gallery"(page) {
    const letters = new Set();
    const read = folder => fs.readdirSync(folder, { withFileTypes: true }).forEach(entry => {
      const file = path.join(folder, entry.name);
      if (entry.isDirectory()) read(file);
      // Tests have strange letters on purpose.
      else if (/\.(rs|toml|frag|vert)$/.test(file)) for (const letter of fs.readFileSync(file, "utf8").split("#[cfg(test)]")[0]) if (letter > "~") letters.add(letter);
    });
    ["demos/gallery/src", "demos/gallery/equations", "demos/web/src", "docs/book/live", "glsl"].forEach(folder => read(path.join(root, folder)));
    await open(page, "");
    same(await page.evaluate(`wasm_bindgen.Page.lacks(${JSON.stringify([...letters].join(""))})`), "", "letters that no font has");
    same(await page.evaluate(`wasm_bindgen.Page.lacks("a雪")`), "雪", "a letter that no font has");
    return `${letters.size} letters besides those of ASCII`;
  },

  async "letters are drawn as the browser draws them, and those of other writings as boxes"(page) {
    await open(page, "");
    const fonts = ["Ubuntu-Light", "Hack-Regular"].map(name => fs.readFileSync(path.join(root, `demos/web/fonts/${name}.ttf`)).toString("base64"));
    const wrong = await page.evaluate(async fonts => {
      for (const [place, font] of fonts.entries()) {
        const face = new FontFace(`font${place}`, Uint8Array.from(atob(font), letter => letter.charCodeAt(0)));
        document.fonts.add(await face.load());
      }
      const to = new OffscreenCanvas(256, 160).getContext("2d", { willReadFrequently: true });
      to.font = "96px font0, font1";
      const letters = [];
      for (let at = 0x21; at < 0x2800; at += 1) letters.push(String.fromCodePoint(at));
      const ours = JSON.parse(wasm_bindgen.Page.ink(letters.join(""), 96)), wrong = [];
      let many = 0, lower;
      for (const [place, letter] of letters.entries()) {
        // Marks stand over letters, and are tried below; soft hyphens and spaces are not seen.
        if (wasm_bindgen.Page.lacks(letter) || /[\p{M}\p{Z}\p{Cf}]/u.test(letter)) continue;
        to.clearRect(0, 0, 256, 160);
        to.fillText(letter, 60, 120);
        const bytes = to.getImageData(0, 0, 256, 160).data;
        let ink = 0, x = -60, y = -120;
        for (let i = 3; i < bytes.length; i += 4) ink += bytes[i] / 255;
        for (let i = 3; i < bytes.length; i += 4) {
          x += ((i >> 2) % 256 + 0.5) * bytes[i] / 255 / ink;
          y += (Math.floor(i / 1024) + 0.5) * bytes[i] / 255 / ink;
        }
        // All of ours stand as much lower.
        lower ??= ours[place][2] - y;
        const away = Math.hypot(ours[place][1] - x, ours[place][2] - lower - y);
        many += 1;
        if (ink < 20 || Math.abs(ink - ours[place][0]) > 12 + 0.02 * ink || !(away < 1.5)) wrong.push(`${letter} ${ours[place]} ${[ink, x, y]}`);
      }
      return [many, wrong.slice(0, 5).join("; ")];
    }, fonts);
    same(wrong[1], "", "pixels that a letter covers and their mean place, ours and the browser's");
    holds(wrong[0] > 500, `${wrong[0]} letters`);
    const [[box]] = JSON.parse(await page.evaluate(`wasm_bindgen.Page.ink("雪", 100)`));
    same(box, 44 * 68 - 32 * 56, "pixels of a box");
    // No font has them, and none is asked for what they would join to.
    const strange = "雪 سلام हिन्दी ไทย 한국어 မြန်မာ ខ្មែរ 😀👩\u200d🚀 e\u0301x\u0302 \u202eab\ufeff\t.";
    await page.evaluate(strange => { app.open("?demo=" + encodeURIComponent(strange)); }, strange);
    await frames(page);
    holds((await told(page)).message.startsWith(`demo=${strange}: expected`), (await told(page)).message);
    return `${wrong[0]} letters`;
  },

  async "the page of one demo is small and shows it from a folder"(page) {
    const file = path.join(site, ONE + ".html");
    const weight = execFileSync("gzip", ["-9c", file], { maxBuffer: 1e8 }).length / 1e6;
    await page.goto("file://" + file);
    await steps(page, 5);
    same((await told(page)).demo, ONE, "demo");
    same((await page.evaluate("wasm_bindgen.Page.demos()")).join(), ONE, "demos");
    holds(await colours(page, PICTURE) > 20, "one colour");
    holds(weight <= MOST_MEGABYTES_OF_ONE, `${weight.toFixed(2)} MB`);
    return `${weight.toFixed(2)} MB`;
  },

  async "one file shows a demo from a folder"(page) {
    await page.goto("file://" + path.join(site, "quadrille.html") + "?demo=wave");
    await steps(page, 10);
    holds(await colours(page, PICTURE) > 20, "one colour");
  },

  async "each figure of the book runs where it stands"(page) {
    const book = path.join(site, "book");
    if (!fs.existsSync(book)) return "no mdbook, no book";
    const chapters = fs.readdirSync(book).filter(name => /^\d+-.*\.html$/.test(name));
    same(chapters.length, 14, "chapters");
    for (const chapter of chapters) {
      await page.goto(address + "book/" + chapter);
      const fold = page.locator("details.live");
      same(await fold.count(), 1, chapter);
      same(await fold.locator("iframe").count(), 1, chapter + ": frames of the figure");
      holds(page.frames().slice(1).every(frame => !/demo=/.test(frame.url())), chapter + " loads its figure before it is asked to");
      await fold.locator("summary").click();
      const figure = await (await fold.locator("iframe").elementHandle()).contentFrame();
      await figure.waitForFunction("typeof app === 'object' && app && (({step, message}) => message || step >= 2)(JSON.parse(app.report()))", null, { timeout: 120000 });
      const { demo, message, kernel_error } = await told(figure);
      same(message ?? kernel_error, null, chapter);
      holds(figure.url().includes("demo=" + demo), `${chapter}: ${demo}`);
      await page.waitForTimeout(1000);
      await page.screenshot({ path: path.join(report, `${page.driver}-${chapter}.png`) });
    }
    return `${chapters.length} figures`;
  },

  async "an address opens what it says and share copies it"(page) {
    const question = "?demo=wave&size=64x32&scheme=implicit&beta=12.5&damping=0&drops=0&seed=7";
    await open(page, question);
    await steps(page, 1);
    await page.evaluate("window.copied = ''; page.copy = text => { copied = text; }");
    await page.mouse.click(...BUTTONS.share);
    await until(page, "copy", "copied !== ''");
    const copied = await page.evaluate("copied");
    const parts = text => [...new URL(text).searchParams].map(pair => pair.join("=")).sort().join("&");
    same(parts(copied), parts(address + question), "copied");
    for (const [wrong, line] of [
      ["?demo=waves", "demo=waves: expected reaction-diffusion"],
      ["?demo=wave&gamma=1", "wave: no parameter \"gamma\""],
      ["?demo=wave&beta=-1", "beta=-1: expected above 0, at most 10000"],
      ["?demo=wave&seed=x", "seed=x: expected a whole number"],
      ["?demo=wave&beta=%ff", "beta=%ff: no letters of an address"],
    ]) {
      await page.evaluate(`app.open("${wrong}")`);
      const { message, demo } = await told(page);
      same(demo, null, wrong);
      holds(message?.startsWith(line), `${wrong}: ${message}`);
    }
  },

  async "steps give the bits of the program"(page, driver) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "quadrille-web-"));
    const lines = [];
    for (const [demo, flags, many] of [
      ["reaction-diffusion", { size: "128x96" }, 100],
      ["wave", { size: "65x33", scheme: "explicit" }, 60],
      ["heat", { size: "64x48" }, 40],
      ["sort", { size: "16x16", loop: "no" }, 30],
    ]) {
      const file = path.join(folder, demo + ".npz");
      const given = Object.entries(flags);
      execFileSync(path.resolve(root, process.env.CARGO_TARGET_DIR ?? "target", "debug/quadrille"), ["demo", demo, "--headless", "--steps", many, "--save", file, ...given.flatMap(([name, value]) => ["--" + name, value])],
        { env: { ...process.env, QUADRILLE_API: "gles" }, stdio: "pipe" });
      const native = fs.readFileSync(file);
      await open(page, "");
      const found = await ran(page, `?demo=${demo}&` + given.map(pair => pair.join("=")).join("&"), many);
      const equal = found.equals(native);
      // Two drivers need not round alike; one is asked for the same bits.
      if (driver === "llvmpipe" || demo === "sort") holds(equal, `${demo}: other bits`);
      lines.push(`${demo} ${equal ? "same" : "other"} bits`);
    }
    fs.rmSync(folder, { recursive: true });
    return lines.join(", ");
  },

  async "a state goes on where it was saved and a picture is one"(page) {
    await open(page, "?demo=reaction-diffusion&size=64x48");
    await steps(page, 5);
    await page.mouse.click(...BUTTONS.files);
    await frames(page, 3);
    const [saved] = await Promise.all([page.waitForEvent("download"), page.mouse.click(...BUTTONS.state)]);
    const bytes = fs.readFileSync(await saved.path());
    holds(/^reaction-diffusion-\d+\.npz$/.test(saved.suggestedFilename()), saved.suggestedFilename());
    await page.evaluate(`app.open(""); app.file("a.npz", Uint8Array.from(atob("${bytes.toString("base64")}"), c => c.charCodeAt(0))); app.drive(true, 0)`);
    holds((await state(page)).equals(bytes), "another state");
    await page.evaluate(`app.file("b.npz", new Uint8Array(9))`);
    same((await told(page)).demo, "reaction-diffusion", "demo");
    // A demo that is entered has them folded.
    await page.mouse.click(...BUTTONS.files);
    await frames(page, 3);
    const [picture] = await Promise.all([page.waitForEvent("download"), page.mouse.click(...BUTTONS.picture)]);
    same(fs.readFileSync(await picture.path()).subarray(1, 4).toString(), "PNG", "picture");
  },

  async "a canvas follows the size and the pixels of its window"(page) {
    await open(page, "?demo=reaction-diffusion");
    for (const [width, height] of [[500, 700], [1100, 640], [320, 200], [960, 640]]) {
      await page.setViewportSize({ width, height });
      await until(page, "size", `canvas.width === ${width} * devicePixelRatio && canvas.height === ${height} * devicePixelRatio`);
    }
    const sharp = await page.context().newCDPSession(page);
    await sharp.send("Emulation.setDeviceMetricsOverride", { width: 960, height: 640, deviceScaleFactor: 2, mobile: false });
    await until(page, "pixels", "canvas.width === 1920 && canvas.height === 1280");
    await frames(page);
    await page.screenshot({ path: path.join(report, `${page.driver}-sharp.png`) });
    await sharp.send("Emulation.clearDeviceMetricsOverride");
  },

  async "one finger paints and two turn and zoom"(page) {
    await open(page, "?demo=wave&size=64x64&drops=0");
    await steps(page, 1);
    await page.evaluate("app.drive(true, 0)");
    const cdp = await page.context().newCDPSession(page);
    const touch = (type, ...at) => cdp.send("Input.dispatchTouchEvent", { type, touchPoints: at.map(([x, y], id) => ({ x, y, id })) });
    const before = await state(page), seen = await page.screenshot({ clip: PICTURE });
    // At once: of a finger that comes much earlier, a busy machine makes a dab before the other is there.
    await touch("touchStart", [560, 330], [700, 330]);
    for (let i = 1; i <= 6; i++) {
      await touch("touchMove", [560 + 5 * i, 330], [700 + 20 * i, 330 + 5 * i]);
      await frames(page, 1);
    }
    await touch("touchEnd");
    await frames(page);
    holds((await state(page)).equals(before), "two fingers painted");
    holds(!(await page.screenshot({ clip: PICTURE })).equals(seen), "two fingers turned nothing");
    await touch("touchStart", [600, 360]);
    for (let i = 1; i <= 4; i++) {
      await touch("touchMove", [600 + 12 * i, 360]);
      await frames(page, 1);
    }
    await touch("touchEnd");
    await frames(page);
    holds(!(await state(page)).equals(before), "one finger painted nothing");
  },

  async "a kernel is compiled as it is typed and a wrong one leaves the picture"(page) {
    await open(page, "?demo=reaction-diffusion&size=64x64");
    await steps(page, 2);
    const edited = await page.evaluate(`app.kernel("sim/gray_scott_step.frag")`);
    const spoilt = edited.replace("void main() {", "void main() { nonsense");
    holds(spoilt !== edited, "no main");
    await page.evaluate(text => { app.edit("sim/gray_scott_step.frag", text); wake(); }, spoilt);
    await until(page, "error", "/^line \\d+: /.test(JSON.parse(app.report()).kernel_error)");
    const { step } = await told(page);
    await steps(page, step + 20);
    await page.evaluate(text => { app.edit("sim/gray_scott_step.frag", text); wake(); }, edited + "\n// the same\n");
    await until(page, "compiled", "JSON.parse(app.report()).kernel_error === null");
    await page.screenshot({ path: path.join(report, `${page.driver}-kernel.png`) });
    const after = await told(page);
    holds(after.step >= step, "it began again");
    await until(page, "a kernel in the address", "JSON.parse(app.report()).address.includes('&kernel.sim%2Fgray_scott_step.frag=')");
    const { address } = await told(page);
    const again = await page.evaluate(`app.open(""), app.open(${JSON.stringify(address)}), JSON.parse(app.report())`);
    same(again.address, address, "the address with a kernel");
  },

  async "the strip of passes freezes a step, tells its texels, and tries a kernel in it"(page) {
    const question = "?demo=reaction-diffusion&size=64x48", kernel = "sim/gray_scott_step.frag";
    // In a window of 960 by 640: the strip, the first pass of its film, the room of a pass that is open, the middle of its output.
    const STRIP = { x: 284, y: 262, width: 676, height: 378 }, FRAME = [566, 404], OUTPUT = [612, 508];
    const FETCH = [62, 52, 22], PINK = [255, 45, 149];
    const seen = async (what, colour, test, seconds = 20) => {
      for (const end = Date.now() + 1000 * seconds; ;) {
        const there = await found(page, STRIP, colour);
        if (test(there.many)) return there.first;
        if (Date.now() > end) throw Error(`${what}: ${there.many} pixels of it`);
        await frames(page, 2);
      }
    };
    await open(page, question);
    await steps(page, 3);
    await page.keyboard.press("i");
    const { step: before } = await told(page);
    // A step is recorded within a quarter of a second of the run.
    await steps(page, before + 20);
    await page.waitForTimeout(500);
    same((await found(page, STRIP, FETCH)).many, 0, "kernels before a click");
    await page.mouse.click(...FRAME);
    const [x, y] = await seen("the lines that fetch", FETCH, many => many > 1000);
    const { step } = await told(page);
    const frozen = await state(page);
    await frames(page, 10);
    same((await told(page)).step, step, "step that stands still");
    await page.mouse.click(...OUTPUT);
    await seen("the mark of a texel", PINK, many => many > 20);
    await page.screenshot({ path: path.join(report, `${page.driver}-strip.png`) });
    // Typed by hand: first what is none, then a comment.
    await page.mouse.click(STRIP.x + x + 200, STRIP.y + y + 6);
    // A text has the keys a frame after the click.
    await frames(page);
    await page.keyboard.press("Control+Home");
    await page.keyboard.type("x");
    await until(page, "error of the kernel", "JSON.parse(app.report()).kernel_error !== null");
    holds((await state(page)).equals(frozen), "a kernel that does not compile changed the state");
    await page.keyboard.press("Backspace");
    await page.keyboard.type("// tried\n");
    await until(page, "kernel", "JSON.parse(app.report()).kernel_error === null && JSON.parse(app.report()).address.includes('tried')");
    holds((await state(page)).equals(frozen), "a comment changed the state");
    const halved = (await page.evaluate(`app.kernel("${kernel}")`)).replace("next = diffusion + reaction;", "next = 0.5 * (diffusion + reaction);");
    await page.evaluate(([name, text]) => { app.edit(name, text); wake(); }, [kernel, halved]);
    await until(page, "halved", "JSON.parse(app.report()).address.includes('0.5')");
    const { step: again } = await told(page);
    same(again, step, "step of the kernel that was edited");
    holds(!(await state(page)).equals(frozen), "another kernel changed nothing");
    // Out of the text, out of the pass, and only then out of the demo: two presses within a frame would be one.
    await page.keyboard.press("Escape");
    await frames(page);
    await page.keyboard.press("Escape");
    await seen("no pass any more", FETCH, many => many === 0);
    same((await told(page)).demo, "reaction-diffusion", "demo");
    await page.keyboard.press("Space");
    await steps(page, step + 10);
    await page.keyboard.press("i");
    await page.keyboard.press("Escape");
    await until(page, "gallery by Esc", "JSON.parse(app.report()).demo === null");
    // The step that was made once more is that of a run without a strip.
    holds((await ran(page, question, step)).equals(frozen), `other bits at step ${step}`);
    return `step ${step}`;
  },

  async "a new kernel starts from a few lines and is kept in the address and in its state"(page) {
    await open(page, "");
    await page.mouse.click(915, 13);
    await until(page, "new kernel", "JSON.parse(app.report()).demo === 'new-kernel'");
    await steps(page, 10);
    await page.mouse.move(300, 330);
    await page.mouse.down();
    await frames(page, 4);
    await page.mouse.up();
    await page.screenshot({ path: path.join(report, `${page.driver}-new-kernel.png`) });
    const lines = (await page.evaluate(`app.kernel("new.frag")`)).split("\n").length;
    holds(lines <= 16, `${lines} lines`);
    const type = async text => {
      await page.evaluate(text => { app.edit("new.frag", text); wake(); }, text);
      await page.waitForTimeout(100);
      await until(page, "compiled", "!/^\\.\\.\\./.test(JSON.parse(app.report()).kernel_error ?? '')");
      await frames(page, 8);
      return told(page);
    };
    for (const [text, line] of [
      ["uniform Stream old_w;\nDOMAIN at;\nRANGE float u;\nvoid main() { u = value2(old_w, at).x; }\n", /^line 1: .*old_w is bound to nothing/],
      ["DOMAIN at;\nuniform float time;\nRANGE float u;\nvoid main() { u = time; }\n", /^line 2: .*time is bound to nothing/],
      ["DOMAIN at;\nRANGE float u;\nvoid main() { u = 1; }\n", /^line 3: /],
    ]) {
      await type(text);
      await until(page, "error " + line, `${line}.test(JSON.parse(app.report()).kernel_error)`);
    }
    // Three targets, of which one counts, one is the picture and one the noise.
    const text = "uniform Stream old_n, image, noise;\nuniform float now;\nDOMAIN at;\nRANGE float n;\nRANGE vec3 seen;\nRANGE vec2 random;\n"
      + "void main() { n = value2(old_n, at).x + now; seen = value2(image, at).xyz; random = value2(noise, at).xy; }\n";
    await type(text);
    await until(page, "the new text", "/kernel\\.new\\.frag=/.test(JSON.parse(app.report()).address) && JSON.parse(app.report()).kernel_error === null");
    const { address } = await told(page);
    const state = await page.evaluate(`(() => { app.open(${JSON.stringify(address)}); app.drive(true, 4); return ${BASE64}(app.state()); })()`);
    // An .npz holds this: 1 + 2 + 3 + 4 in every cell.
    const names = Buffer.from(state, "base64").toString("latin1");
    for (const name of ["n.npy", "seen.npy", "random.npy", "kernel.npy"]) holds(names.includes(name), "no " + name);
    const found = await page.evaluate(`app.open(""), app.file("a.npz", Uint8Array.from(atob("${state}"), c => c.charCodeAt(0))), app.drive(true, 0), JSON.parse(app.report())`);
    same(found.step, 4, "step of the state");
    same(found.address, address, "address of the state");
    same(await page.evaluate(`${BASE64}(app.state())`), state, "the state that was opened");
    same(JSON.stringify(await page.evaluate("app.findings()").then(JSON.parse)), '{"least":10,"mean":10,"most":10}', "findings");
  },

  async "an equation is edited in the page, and its text is shared in the address"(page) {
    const shipped = fs.readFileSync(path.join(root, "demos/gallery/equations/gray-scott.toml"), "utf8");
    await open(page, "?demo=gray-scott.toml&size=64x64");
    await steps(page, 2);
    const type = async (name, text) => {
      await page.evaluate(([name, text]) => { app.edit(name, text); wake(); }, [name, text]);
      await frames(page, 3);
    };
    // A mistake has its line and column, and the run goes on by the file before.
    // Without the words before it, it lies in sight.
    await type("gray-scott.toml", shipped.replace(/^#.*\n/gm, "").replace("- u*v^2 + F", "- u*w^2 + F"));
    await until(page, "error", "JSON.parse(app.report()).kernel_error?.startsWith('gray-scott.toml:8:33: \"w\" is no field')");
    const { step } = await told(page);
    await steps(page, step + 5);
    await page.screenshot({ path: path.join(report, `${page.driver}-equation-error.png`) });
    holds((await found(page, { x: 500, y: 40, width: 460, height: 600 }, [110, 25, 25])).many > 500, "no line is marked");
    // By keys: a click into the text, all of it, another one.
    const other = shipped.replace("0.10485*lap(v)", "0.05*lap(v)").replace("# Two", "# 100 % + Wärme & so = weiter\n# Two");
    await page.mouse.click(760, 300);
    await page.keyboard.press("Control+a");
    await page.evaluate(text => { app.text("paste", text); wake(); }, other);
    await until(page, "the text in the address", "JSON.parse(app.report()).address.includes('&equation=') && JSON.parse(app.report()).kernel_error === null");
    await page.screenshot({ path: path.join(report, `${page.driver}-equation.png`) });
    holds((await told(page)).step >= step, "it began again");
    holds((await told(page)).address.includes("size=64x64"), "another size");
    // The shared address opens the same bits, which are not those of the shipped file.
    await page.evaluate("window.copied = ''; page.copy = text => { copied = text; }");
    await page.mouse.click(698, 13);
    await until(page, "copy", "copied !== ''");
    const question = new URL(await page.evaluate("copied")).search;
    same(new URL(page.url()).search, question, "the address of the page");
    same(new URLSearchParams(question).get("equation"), other, "the text");
    const first = await page.evaluate(`(() => { app.drive(true, 0); return JSON.parse(app.report()).address; })()`);
    same(first, question, "the address that is told");
    const shared = await ran(page, question, 20);
    holds(shared.equals(await ran(page, question, 20)), "two runs differ");
    holds(!shared.equals(await ran(page, "?demo=gray-scott.toml&size=64x64", 20)), "the text changes nothing");
    await page.goto(address + question);
    await until(page, "start", "app !== null");
    holds((await ran(page, question, 20)).equals(shared), "a page that is loaded has other bits");
    // So does the state, without the address.
    const at = await page.evaluate(`(() => { app.open(""); app.file("a.npz", Uint8Array.from(atob("${shared.toString("base64")}"), c => c.charCodeAt(0))); app.drive(true, 0); return JSON.parse(app.report()); })()`);
    same(`${at.step} ${at.address}`, `20 ${question}`, "the state that was opened");
    // Other sizes begin anew, and the original comes back.
    await page.evaluate(`app.open(${JSON.stringify(question.replace("&size=64x64", ""))}); wake()`);
    await steps(page, 3);
    await type("gray-scott.toml", shipped.replace("size = [128, 128]", "size = [48, 40]"));
    await until(page, "another size", "JSON.parse(app.report()).address.includes('equation') && JSON.parse(app.findings()).time < 1e9 && JSON.parse(app.report()).kernel_error === null");
    await type("gray-scott.toml", shipped);
    await until(page, "the file as it is shipped", "JSON.parse(app.report()).address === '?demo=gray-scott.toml'");
    // A text with a mistake in an address: one line, and the file as it is shipped.
    const wrong = "?demo=gray-scott.toml&F=0.05&equation=" + encodeURIComponent(shipped.replace("F*(1-u)", "F*(1-q)"));
    await page.evaluate(`app.open(${JSON.stringify(wrong)}); wake()`);
    await steps(page, 2);
    await until(page, "its error", "/^gray-scott.toml:17:44: \"q\" is no field[^\\n]*$/.test(JSON.parse(app.report()).kernel_error)");
    same((await told(page)).address, "?demo=gray-scott.toml&F=0.05", "the file as it is shipped");
    for (const [question, line] of [
      ["?demo=own.toml&equation=a", "own.toml:1:"],
      ["?demo=own.toml", "demo=own.toml: expected reaction-diffusion"],
      ["?demo=wave&equation=a", "equation=: wave is no file of equations"],
    ]) {
      await page.evaluate(`app.open("${question}")`);
      holds((await told(page)).message?.startsWith(line), `${question}: ${(await told(page)).message}`);
    }
    return `${question.length} letters`;
  },

  async "a new equation and a dropped file are equations of their own"(page) {
    await open(page, "");
    await page.mouse.click(810, 13);
    await until(page, "new equation", "JSON.parse(app.report()).demo === 'new-equation.toml'");
    await steps(page, 5);
    await page.screenshot({ path: path.join(report, `${page.driver}-new-equation.png`) });
    same((await told(page)).address, "?demo=new-equation.toml", "address");
    const drop = (name, text) => page.evaluate(([name, text]) => { app.file(name, new TextEncoder().encode(text)); wake(); }, [name, text]);
    const own = "# Wärme & Kälte\ngrid = { size = [32, 24], length = [4, 3] }\nrun = { scheme = \"euler\", step = 0.001 }\nparameters = { D = 1 }\nfields.u = { dt = \"D*lap(u)\", start = \"normal()\" }\n";
    await drop("own & odd.toml", own.replace("lap(u)", "lap(w)"));
    await frames(page);
    same((await told(page)).demo, "new-equation.toml", "a file with a mistake");
    await drop("own & odd.toml", own);
    await until(page, "the file that was dropped", "JSON.parse(app.report()).demo === 'own & odd.toml'");
    await steps(page, 5);
    const first = await told(page);
    same(first.address, "?demo=own%20%26%20odd.toml&equation=" + encodeURIComponent(own), "address");
    // The same file once more takes its place, and the run goes on.
    await drop("own & odd.toml", own.replace("D = 1", "D = 0.5"));
    await until(page, "the new text", "JSON.parse(app.report()).address.includes('0.5')");
    holds((await told(page)).step >= first.step, "it began again");
    const again = await page.evaluate(`app.open(${JSON.stringify(first.address)}), JSON.parse(app.report())`);
    same(again.address, first.address, "the address opened");
    await page.setViewportSize({ width: 390, height: 800 });
    await page.evaluate(`app.open("?demo=new-equation.toml"); wake()`);
    await steps(page, 5);
    await page.screenshot({ path: path.join(report, `${page.driver}-new-equation-narrow.png`) });
  },

  async "an exercise is judged as it is typed, and what was done stays done"(page) {
    const exercise = file => fs.readFileSync(path.join(root, "exercises", file), "utf8");
    const start = exercise("double/start.frag");
    await page.goto(address + "exercise.html?double");
    const before = await answer(page, "wrong");
    for (const line of ["double  case 1 of 4: 5 texels -> 5                                  0 of 25 done", "  yours       3   1   4   1   5   <- texel 0"]) {
      holds(before.split("\n").includes(line), `${line}\n${before}`);
    }
    same(await page.inputValue("#text"), start, "the text to start from");
    // The line of the error, the mark below its place, our sentence first.
    await page.fill("#text", start.replace("= value2", "= 2 * value2"));
    const [place, mark, sentence] = (await answer(page, "refused")).split("\n");
    const line = start.split("\n").findIndex(line => line.includes("= value2"));
    holds(place.startsWith(`double.frag:${line + 1}   `) && place.indexOf("2 * value2") === mark.indexOf("^"), place + "\n" + mark);
    same(sentence, "  2 is an int. Write 2.0: OpenGL ES and WebGL do not convert.", "sentence");
    same(await page.evaluate("[editor.className, editor.style.getPropertyValue('--line')].join()"), `wrong,${line}`, "the line that is marked");
    await page.screenshot({ path: path.join(report, `${page.driver}-exercise-refused.png`) });
    const right = start.replace("= value2", "= 2.0 * value2");
    await page.fill("#text", right);
    same(await answer(page, "solved"), "double: solved, all 4 cases are right. 1 of 25 done.", "answer");
    same(await page.evaluate("editor.className"), "", "mark");
    // Next: a known wrong answer has its own hint.
    await page.click("#next");
    same(await page.evaluate("location.search"), "?axpy", "address");
    holds((await answer(page, "wrong")).includes("At texel 0 you have a (x + y)"), "the hint of the start of axpy");
    await page.screenshot({ path: path.join(report, `${page.driver}-exercise-wrong.png`) });
    await page.click("#hint");
    holds((await page.textContent("#shown")).startsWith("hint 1 of 2: "), await page.textContent("#shown"));
    await page.click("#numbers");
    holds(/^  x \(5 x 1\)[^]*after pass 1 of 1/.test(await page.textContent("#shown")), await page.textContent("#shown"));
    await page.click("#solution");
    holds((await page.textContent("#shown")).includes("is not done"), "the solution at once");
    await page.click("#solution");
    same((await page.textContent("#shown")).trim(), exercise("axpy/solution.frag").trim(), "solution");
    // Texels that are not written, whatever was there.
    await page.selectOption("#which", "always");
    holds((await answer(page, "wrong")).includes("\n  yours      ?  ?  4  ?  5   <- texel 0\n"), await page.textContent("#answer"));
    // Another page, or this one again, goes on where it was.
    await page.goto(address + "exercise.html?double");
    same(await answer(page, "solved"), "double: solved, all 4 cases are right. 1 of 25 done.", "answer after loading");
    same(await page.inputValue("#text"), right, "text after loading");
    const list = async () => (await page.locator("#which option").allTextContents()).slice(0, 2).map(line => /\((.*)\)$/.exec(line)?.[1]).join();
    same(await list(), "done,solution seen", "list");
    // A text that was changed since is not done until it is right again.
    await page.fill("#text", start);
    holds((await answer(page, "wrong")).split("\n")[0].endsWith(" 0 of 25 done"), await page.textContent("#answer"));
    same([await list(), await page.textContent("#done")].join(), "changed,solution seen,0 of 25 done", "list of a text that was changed");
    await page.fill("#text", right);
    await answer(page, "solved");
    same([await list(), await page.textContent("#done")].join(), "done,solution seen,1 of 25 done", "list of a text that is right again");
    await page.click("#reset");
    await answer(page, "wrong");
    same(await page.inputValue("#text"), start, "text after reset");
    await page.click("#back");
    same(await answer(page, "solved"), "double: solved, all 4 cases are right. 1 of 25 done.", "answer to the text that came back");
    await page.evaluate("localStorage.clear()");
  },

  async "a mistake is shown at once and its hint a little later, and the page is not held up between"(page) {
    const read = file => fs.readFileSync(path.join(root, "exercises/double", file), "utf8");
    const [last, , hint] = mistakes(read("exercise.toml"), read("start.frag"), read, page.driver).filter(([, outcome, words]) => outcome === "wrong" && words).pop();
    await page.addInitScript(() => { addEventListener("DOMContentLoaded", () => {
      const answer = document.getElementById("answer");
      let before = performance.now();
      window.seen = [], window.gap = 0;
      new MutationObserver(() => seen.push([answer.className, answer.textContent, performance.now()])).observe(answer, { attributes: true, childList: true });
      setInterval(() => { const now = performance.now(); gap = Math.max(gap, now - before); before = now; }, 5);
    }); });
    await page.goto(address + "exercise.html?double");
    await answer(page, "wrong");
    await page.evaluate("seen.length = 0, gap = 0");
    await page.fill("#text", last);
    const said = await answer(page, "wrong");
    const [seen, gap] = await page.evaluate("[seen, gap]");
    const of = name => seen.filter(([found]) => found === name);
    const [[, early, shown]] = of("wrong unexplained"), [[, , explained]] = of("wrong"), [[, , begun]] = of("busy");
    const plain = text => text.replace(/\s+/g, " ");
    holds(plain(said).includes(plain(hint).trim()) && !plain(early).includes(plain(hint).trim()), `the hint: ${early}\n${said}`);
    same(early.replace(/\n {2}\.\.\.$/, ""), said.slice(0, early.length - 6), "what stays when the hint comes");
    // 0.4 s of them are the wait for another letter.
    const times = `shown after ${((shown - begun) / 1000).toFixed(2)} s, explained after ${((explained - begun) / 1000).toFixed(2)} s, no task longer than ${(gap / 1000).toFixed(2)} s`;
    holds(shown < explained && gap < (explained - begun) / 2, times);
    // Typed on before the hint is there: nothing more is said of the old text.
    await page.fill("#text", last + "\n");
    await page.waitForFunction("answer.className === 'wrong unexplained'", null, { polling: 2 });
    await page.fill("#text", read("solution.frag"));
    same(await answer(page, "solved"), "double: solved, all 4 cases are right. 1 of 25 done.", "the text that was typed since");
    await page.evaluate("localStorage.clear()");
    return times;
  },

  async "progress that cannot be read is set aside, and what a storage refuses lives as long as the page"(page) {
    await page.goto(address + "exercise.html?double");
    await answer(page, "wrong");
    await page.evaluate("localStorage.setItem('quadrille.exercises', 'current = ')");
    await page.goto(address + "exercise.html?no-such");
    await answer(page, "wrong");
    const said = await page.textContent("#said");
    holds(/No exercise is called no-such\..*cannot be read.*set aside/.test(said), said);
    same(await page.evaluate("localStorage.getItem('quadrille.exercises.unreadable')"), "current = ", "what is set aside");
    await page.evaluate("Storage.prototype.setItem = () => { throw Error('full'); }");
    const right = (await page.inputValue("#text")).replace("= value2", "= 2.0 * value2");
    await page.fill("#text", right);
    await answer(page, "solved");
    holds(/keeps nothing/.test(await page.textContent("#said")), "a storage that refuses");
    await page.selectOption("#which", "axpy");
    await answer(page, "wrong");
    await page.selectOption("#which", "double");
    await answer(page, "solved");
    same([await page.inputValue("#text"), await page.textContent("#done")].join("|"), right + "|1 of 25 done", "text and progress");
    await page.evaluate("localStorage.clear()");
  },

  async "the page of exercises weighs little and loads nothing of the gallery"(page) {
    const weight = weighs("exercise.bin", ["exercise.html", "exercise-glue.js", "load.js", "exercise.js"]);
    await page.goto(address + "exercise.html?double");
    await answer(page, "wrong");
    same(await page.evaluate("performance.getEntriesByType('resource').filter(({name}) => name.includes('quadrille.bin')).length"), 0, "the gallery");
    holds(weight <= MOST_MEGABYTES_OF_EXERCISES, `${weight.toFixed(2)} MB`);
    return `${weight.toFixed(2)} MB`;
  },

  async "an exercise outlives the loss of the GPU"(page) {
    await page.addInitScript("const get = OffscreenCanvas.prototype.getContext; OffscreenCanvas.prototype.getContext = function (...all) { return window.gl = get.apply(this, all); }");
    await page.goto(address + "exercise.html?double");
    await answer(page, "wrong");
    await page.evaluate("window.first = gl, gl.getExtension('WEBGL_lose_context').loseContext()");
    await page.fill("#text", (await page.inputValue("#text")).replace("= value2", "= 2.0 * value2"));
    await page.waitForFunction("/lost/.test(said.textContent)", null, { timeout: 20000 });
    await answer(page, "solved");
    holds(await page.evaluate("gl !== first && said.textContent === ''"), "another context, and nothing more to say");
    await page.evaluate("localStorage.clear()");
  },

  async "every solution is right in the page, every wrong answer gets its hint and every broken kernel its sentence"(page) {
    const counts = { solved: 0, wrong: 0, refused: 0 };
    await page.goto(address + "exercise.html?double");
    await answer(page, "wrong");
    for (const name of fs.readdirSync(path.join(root, "exercises"))) {
      const read = file => fs.readFileSync(path.join(root, "exercises", name, file), "utf8");
      const told = read("exercise.toml"), ending = fs.existsSync(path.join(root, "exercises", name, "start.vert")) ? "vert" : "frag";
      await page.selectOption("#which", name);
      await answer(page, "wrong");
      const tried = mistakes(told, read("start." + ending), read, page.driver);
      tried.push([read("solution." + ending), "solved", name + ": solved"]);
      for (const [text, outcome, words] of tried) {
        // A text that is opened is judged at once, one that is typed only after a while.
        await page.evaluate(([key, text]) => { localStorage.setItem(key, text); which.dispatchEvent(new Event("change")); }, [`quadrille.exercises.${name}.${ending}`, text]);
        const said = (await answer(page, outcome).catch(error => { throw Error(`${name}: ${words}: ${error.message}`); })).replace(/\s+/g, " ");
        holds(said.includes(words.trim()), `${name}: ${words}: ${said}`);
        counts[outcome] = (counts[outcome] ?? 0) + 1;
      }
    }
    // At the end all of them are judged once more, the open text of a moment ago among them and in its own place.
    const open = await page.inputValue("#which"), solution = await page.inputValue("#text");
    await page.fill("#text", solution + "nonsense");
    await page.click("#next");
    await page.waitForFunction("/\\n24 of 25 are solved$/.test(shown.textContent)", null, { timeout: 60000 });
    const refused = (await page.textContent("#shown")).split("\n").filter(line => line.includes("does not compile"));
    holds(refused.length === 1 && refused[0].startsWith(open + " "), refused.join());
    await answer(page, "refused");
    await page.fill("#text", solution);
    await answer(page, "solved");
    await page.click("#next");
    await page.waitForFunction("/^All are done[^]*\\n25 of 25 are solved$/.test(shown.textContent)", null, { timeout: 60000 });
    await page.evaluate("localStorage.clear()");
    holds(counts.solved >= 25 && counts.wrong + counts.refused >= 400, JSON.stringify(counts));
    return JSON.stringify(counts);
  },

  async "each exercise of the book opens below its chapter"(page) {
    const book = path.join(site, "book");
    if (!fs.existsSync(book)) return "no mdbook, no book";
    const opened = [];
    for (const chapter of fs.readdirSync(book).filter(name => /^\d+-.*\.html$/.test(name))) {
      await page.goto(address + "book/" + chapter);
      for (const fold of await page.locator("details.exercise").all()) {
        const name = (await fold.locator("summary").textContent()).split(" ")[1];
        opened.push(name);
        holds(!page.frames().some(frame => frame.url().includes("?" + name)), chapter + " loads its exercise before it is asked to");
        await fold.locator("summary").click();
        const frame = await (await fold.locator("iframe").elementHandle()).contentFrame();
        holds((await answer(frame, "wrong")).startsWith(name + "  case "), name);
        if (opened.length === 1) await page.screenshot({ path: path.join(report, `${page.driver}-exercise-in-chapter.png`) });
      }
    }
    same(opened.sort().join(), fs.readdirSync(path.join(root, "exercises")).sort().join(), "exercises");
    return `${opened.length} exercises`;
  },

  async "a page that cannot check exercises says why"(page) {
    page.expects = /^Access to .*'file:|^Failed to load resource: net::ERR_FAILED/;
    await page.goto("file://" + path.join(site, "exercise.html"));
    await page.waitForFunction("/A browser reads no files beside a page from a folder/.test(said.textContent)");
    await page.addInitScript("HTMLCanvasElement.prototype.getContext = OffscreenCanvas.prototype.getContext = () => null");
    await page.goto(address + "exercise.html?double");
    await page.waitForFunction("/^Nothing is checked here: /.test(said.textContent)");
    same(await page.locator("h1").textContent(), "double: twice each number", "the task");
    return page.textContent("#said");
  },

  async "fifty demos one after the other leave nothing behind"(page) {
    await open(page, "");
    const found = await page.evaluate(`(() => {
      const names = wasm_bindgen.Page.demos();
      const small = ${JSON.stringify(SMALL)};
      const seen = [];
      for (let i = 0; i < 50; i++) {
        const name = names[i % names.length];
        app.open("?demo=" + name + (small[name] ?? ""));
        app.frame();
        app.frame();
        const { demo, message } = JSON.parse(app.report());
        if (demo !== name) throw Error(name + ": " + message);
        app.open("");
        app.frame();
        const { live, live_bytes, memory } = JSON.parse(app.report());
        seen.push({ name, live, live_bytes, memory });
      }
      return seen;
    })()`);
    const [half, last] = [found[24], found[49]];
    const once = new Map();
    for (const { name, live, live_bytes } of found) {
      const first = once.get(name) ?? { live, live_bytes };
      once.set(name, first);
      holds(live_bytes <= first.live_bytes && live <= first.live, `${name}: ${live} objects, ${live_bytes} bytes; after the first time ${first.live}, ${first.live_bytes}`);
    }
    holds(last.memory <= half.memory * 1.05, `${half.memory} bytes of memory, then ${last.memory}`);
    return `${last.live} objects, ${last.live_bytes} bytes, ${(last.memory / 1e6).toFixed(0)} MB of memory`;
  },

  async "a page that loses the GPU says so and begins again"(page) {
    const question = "?demo=reaction-diffusion&size=64x48";
    await open(page, question);
    const before = await ran(page, question, 20);
    await page.evaluate("window.loss = canvas.getContext('webgl2').getExtension('WEBGL_lose_context'); loss.loseContext()");
    await until(page, "loss", "/taken the GPU away/.test(said.textContent)");
    await page.evaluate("loss.restoreContext()");
    await until(page, "return", "app !== null && said.textContent === ''");
    holds((await ran(page, question, 20)).equals(before), "other bits");
  },
};

async function demo(page, name) {
  await open(page, "?demo=" + name + (SMALL[name] ?? ""));
  await steps(page, 2, 120);
  const first = await told(page);
  same(first.message, null, "message");
  same(first.demo, name, "demo");
  await page.mouse.move(560, 330);
  await page.mouse.down();
  for (let i = 1; i <= 5; i++) {
    await page.mouse.move(560 + 10 * i, 330 + 4 * i);
    await frames(page, 1);
  }
  await page.mouse.up();
  await frames(page, 4);
  const last = await told(page);
  same(last.message, null, "message after painting");
  await page.screenshot({ path: path.join(report, `${page.driver}-${name}.png`) });
  // A heap of sand has five.
  holds(await colours(page, PICTURE) > 3, "one colour");
  // A shared address opens a run that is shared as the same.
  const again = await page.evaluate(`app.open(${JSON.stringify(last.address)}), JSON.parse(app.report())`);
  same(again.message, null, last.address);
  same(again.address, last.address, "address");
  return `step ${last.step}`;
}

/** Names of tests that a quick run leaves out: of a page that `tools/site.sh --quick` does not build, and what takes minutes; but on llvmpipe, demos. */
const LEFT_OUT = /^(the page of one demo|fifty demos|every solution is right)/;
const LONG = /^demo /;

fs.mkdirSync(report, { recursive: true });
const results = [];
for (const driver of drivers) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "quadrille-chromium-"));
  const browser = await chromium.launchPersistentContext(folder, {
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", headless: true, args: [...ALWAYS, ...DRIVERS[driver]],
    viewport: { width: 960, height: 640 }, hasTouch: true, acceptDownloads: true,
  });
  let demos = [];
  // The page of exercises may stand there alone.
  if (fs.existsSync(path.join(site, "index.html"))) {
    const setup = await browser.newPage();
    await setup.goto(address);
    await until(setup, "start", "app !== null");
    demos = await setup.evaluate("wasm_bindgen.Page.demos()");
    await setup.close();
  }
  const all = { ...tests };
  for (const name of demos) all[`demo ${name} opens, steps, and is painted on`] = page => demo(page, name);
  for (const [name, test] of Object.entries(all)) {
    if (!name.includes(wanted) || quick && (LEFT_OUT.test(name) || driver !== "llvmpipe" && LONG.test(name))) continue;
    const page = await browser.newPage();
    page.driver = driver;
    const wrong = [];
    page.on("console", message => { if (message.type() === "error" && !page.expects?.test(message.text())) wrong.push(message.text()); });
    page.on("pageerror", error => wrong.push(error.message));
    page.on("request", request => { if (!request.url().startsWith(address) && !/^(data|file|blob):/.test(request.url())) wrong.push("asks " + request.url()); });
    const began = Date.now();
    let outcome = "ok", words = "";
    try {
      words = (await test(page, driver)) ?? "";
      if (wrong.length) throw Error("console: " + wrong.slice(0, 3).join(" | "));
    } catch (error) {
      [outcome, words] = ["FAILED", error.message.split("\n")[0] + (wrong.length ? ` (console: ${wrong[0]})` : "")];
    }
    const seconds = ((Date.now() - began) / 1000).toFixed(1);
    results.push({ driver, name, outcome, words, seconds });
    console.log(`${outcome} ${driver}: ${name} (${seconds} s)${words ? ": " + words : ""}`);
    await Promise.race([page.close(), new Promise(done => setTimeout(done, 5000))]);
  }
  await Promise.race([browser.close(), new Promise(done => setTimeout(done, 5000))]);
  fs.rmSync(folder, { recursive: true, force: true });
}
const written = drivers.length > 1 ? "report.json" : `report-${drivers}.json`;
fs.writeFileSync(path.join(report, written), JSON.stringify(results, null, 1));
const failed = results.filter(result => result.outcome !== "ok").length;
console.log(`${results.length - failed} of ${results.length} passed; pictures and ${written} are in target/web/report`);
process.exit(failed || !results.length ? 1 : 0);

// Between the page and its WebAssembly: the loop of frames, events, and what only a script can do.
"use strict";

const canvas = document.getElementById("canvas");
const typed = document.getElementById("typed");
const chosen = document.getElementById("chosen");
const said = document.getElementById("said");
const say = line => { said.textContent = line; };

/** The Page of WebAssembly; null before it starts, while the GPU is lost, and after an error that it does not survive. */
let app = null;
let frame = 0, timer = 0, scale = 1, drawn = 0;

// Functions that WebAssembly calls (src/outside.rs).
const page = {
  download(name, bytes) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([bytes]));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  },
  copy(text) {
    const by_hand = () => {
      typed.value = text;
      typed.select();
      document.execCommand("copy");
      typed.value = "";
      canvas.focus();
    };
    navigator.clipboard ? navigator.clipboard.writeText(text).catch(by_hand) : by_hand();
  },
  show_title(title) { document.title = "quadrille: " + title; },
  whole_address: address => location.href.split(/[?#]/)[0] + address,
  show_address(address, title, own_place) {
    const whole = page.whole_address(address);
    page.show_title(title);
    // A page that was opened from a folder may be refused another address.
    try { own_place ? history.pushState(null, "", whole) : history.replaceState(null, "", whole); } catch { /* it stays */ }
  },
  full_screen() {
    const all = document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen?.();
    all?.catch(error => console.info(error.message));
  },
  // A page in one file has them in itself.
  async want_picture(name) {
    const answer = await fetch(window.cards?.[name] ?? "cards/" + name + ".png").catch(() => null);
    if (!answer?.ok) return;
    const bytes = new Uint8Array(await answer.arrayBuffer());
    tell(() => app.picture(name, bytes));
  },
  choose_file() { chosen.value = ""; chosen.click(); },
  pointer_shape(shape, types) {
    canvas.style.cursor = shape;
    if (types && matchMedia("(pointer: coarse)").matches) typed.focus();
    else if (document.activeElement === typed) canvas.focus();
  },
  open_page(address) { open(address, "_blank", "noopener"); },
};

// A frame as soon as the screen wants one: hidden pages get none.
function wake() {
  clearTimeout(timer);
  if (!frame && app) frame = requestAnimationFrame(draw);
}

function draw() {
  frame = 0;
  if (!app) return;
  // The one before is on the screen.
  if (drawn++ === 1) performance.mark("picture");
  // On a sharper screen now, where the canvas has the same size in points.
  if (scale !== devicePixelRatio) return resize();
  guarded(() => {
    const wait = app.frame();
    if (said.textContent) say("");
    if (wait <= 0) wake();
    else if (wait < 1e6) timer = setTimeout(wake, wait * 1000);
  });
}

/** Does that; an error ends the page, in a line. */
function guarded(work) {
  try { return work(); } catch (error) {
    console.error(error);
    app = null;
    say("The page has stopped: " + (error.message ?? error) + "\nLoad it again to go on.");
  }
}

/** Tells WebAssembly of an event, and draws. */
function tell(work) {
  if (!app) return;
  guarded(work);
  wake();
}

function resize() {
  scale = devicePixelRatio;
  canvas.width = Math.max(1, Math.round(canvas.clientWidth * scale));
  canvas.height = Math.max(1, Math.round(canvas.clientHeight * scale));
  // Drawn at once: a canvas of another size is empty until it is.
  if (app) { app.resize(canvas.width, canvas.height, scale); cancelAnimationFrame(frame); draw(); }
}

const modifiers = event => event.altKey | event.ctrlKey << 1 | event.shiftKey << 2 | event.metaKey << 3;

function pointer(phase, event) {
  if (phase === 0) {
    if (event.pointerType !== "touch" || document.activeElement !== typed) canvas.focus();
    canvas.setPointerCapture(event.pointerId);
  }
  const finger = event.pointerType === "touch" ? event.pointerId : undefined;
  // A fast mouse moves several times a frame, and a stroke goes through all of its places.
  const all = phase === 1 && event.getCoalescedEvents?.().length ? event.getCoalescedEvents() : [event];
  tell(() => all.forEach(at => app.pointer(phase, finger, at.offsetX, at.offsetY, event.button, modifiers(event))));
  event.preventDefault();
}

// Keys that stay the browser's.
const is_browsers = event => (event.ctrlKey || event.metaKey ? !/^[az]$/i.test(event.key) : /^F([2-9]|10|12)$/.test(event.key));

function key(event, pressed) {
  if (event.isComposing || event.key === "Unidentified" || event.key === "Process") return;
  tell(() => app.key(event.key, pressed, event.repeat, modifiers(event)));
  if (!is_browsers(event)) event.preventDefault();
}

function listen() {
  const on = (target, name, work, options) => target.addEventListener(name, work, options);
  ["pointerdown", "pointermove", "pointerup", "pointercancel"].forEach((name, phase) => on(canvas, name, event => pointer(phase, event)));
  on(canvas, "pointerleave", event => { if (event.pointerType !== "touch") pointer(3, event); });
  on(canvas, "contextmenu", event => event.preventDefault());
  on(canvas, "wheel", event => {
    const points = [1, 17, innerHeight][event.deltaMode];
    tell(() => app.wheel(-event.deltaX * points, -event.deltaY * points, modifiers(event)));
    event.preventDefault();
  }, { passive: false });
  on(window, "keydown", event => key(event, true));
  on(window, "keyup", event => key(event, false));
  on(typed, "input", () => { const text = typed.value; typed.value = ""; tell(() => app.text("type", text)); });
  for (const how of ["copy", "cut", "paste"]) {
    on(document, how, event => {
      if (how === "copy" && typed.value) return;
      tell(() => app.text(how, event.clipboardData?.getData("text/plain") ?? ""));
      event.preventDefault();
    });
  }
  const read = async file => { if (file) { const bytes = new Uint8Array(await file.arrayBuffer()); tell(() => app.file(file.name, bytes)); } };
  on(chosen, "change", () => read(chosen.files[0]));
  on(document, "dragover", event => event.preventDefault());
  on(document, "drop", event => { event.preventDefault(); read(event.dataTransfer.files[0]); });
  on(window, "popstate", () => tell(() => app.open(asked())));
  on(document, "visibilitychange", wake);
  on(canvas, "webglcontextlost", event => {
    event.preventDefault();
    app?.lost();
    app = null;
    say("The browser has taken the GPU away. The demo begins again as soon as it gives it back.");
  });
  on(canvas, "webglcontextrestored", start);
  new ResizeObserver(resize).observe(canvas);
}

// A page of one demo shows it without being asked.
const asked = () => location.search || (window.only ? "?demo=" + window.only : "");

function start() {
  const gl = canvas.getContext("webgl2", { alpha: false, antialias: false, powerPreference: "high-performance" });
  if (!gl) return say("This browser has no WebGL 2, or it is switched off.");
  const told = gl.getExtension("WEBGL_debug_renderer_info");
  guarded(() => {
    app = new wasm_bindgen.Page(gl, gl.getParameter(told ? told.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
    // First, for a size is drawn at once: the gallery would load and draw its cards for a demo that nobody asked it for.
    app.open(asked());
    resize();
    wake();
  });
}

load("quadrille.bin").then(() => { listen(); start(); }).catch(error => say("The page could not be loaded: " + (error.message ?? error)));

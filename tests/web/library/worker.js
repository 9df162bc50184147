// Holds the module of the tests and runs one at a time.
"use strict";

importScripts("quadrille_web_tests.js");

let ready;

// The browser's own words of the driver, beside which the outcomes stand.
function driver() {
    const gl = new OffscreenCanvas(1, 1).getContext("webgl2");
    if (!gl) return "no WebGL 2";
    const info = gl.getExtension("WEBGL_debug_renderer_info");
    const name = gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
    gl.getExtension("WEBGL_lose_context")?.loseContext();
    return name;
}

// In a later task: what a test hands to the event loop is done before the next one.
const laterTask = () => new Promise((resolve) => setTimeout(resolve));

onmessage = async ({ data }) => {
    if (data.compiled) {
        ready = wasm_bindgen({ module_or_path: data.compiled });
        return;
    }
    try {
        await ready;
        if (data.list) {
            postMessage({ names: wasm_bindgen.names().split("\n"), driver: driver() });
            return;
        }
        globalThis.lastPanic = undefined;
        // A test that has to come again in a later task returns the line `later`.
        let message = wasm_bindgen.run(data.run);
        while (message === "later") {
            await laterTask();
            message = wasm_bindgen.run(data.run);
        }
        postMessage({ message });
    } catch (error) {
        postMessage({ dead: true, message: globalThis.lastPanic ?? String(error) });
    }
};

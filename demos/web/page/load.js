/** Fetches the WebAssembly, or takes it from the page itself, and inflates it. */
async function load(name) {
  const inside = document.getElementById("wasm")?.textContent;
  const packed = inside ? await fetch("data:;base64," + inside) : await fetch(name);
  if (!packed.ok) throw Error(name + ": " + packed.status + " " + packed.statusText);
  const bytes = packed.body.pipeThrough(new DecompressionStream("gzip"));
  await wasm_bindgen({ module_or_path: new Response(bytes, { headers: { "Content-Type": "application/wasm" } }) });
}

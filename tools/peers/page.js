// The contenders of `make bench-peers` in a page, and the rows that they compute: tools/peers/web.mjs opens a page for each.
//
// A contender makes of a row an object of run(times) and result(); finish() reads one texel of what was drawn last, which waits for all of it.
// Each takes constants as uniforms where it has them, for all of these programs change them while they run.

const numbers = (count, seed) => {
  const all = new Float32Array(count);
  for (let i = 0, state = seed; i < count; i++) {
    state = state + 0x6d2b79f5 | 0;
    let bits = Math.imul(state ^ state >>> 15, 1 | state);
    bits = bits + Math.imul(bits ^ bits >>> 7, 61 | bits) ^ bits;
    all[i] = ((bits ^ bits >>> 14) >>> 8) / 2 ** 23 - 1;
  }
  return all;
};
const ULP = 2 ** -24;
const [F, K, DU, DV] = [0.037, 0.06, 0.8389, 0.4194].map(Math.fround);
const FACTOR = Math.fround(1e-3), DIAGONAL = 4.5;

/** The largest of error/bound over all values: `exact(i)` is a value in f64, and what it may be off. */
const worst = (found, count, exact) => {
  if (found.length !== count) throw Error(`${found.length} values, expected ${count}`);
  let most = 0;
  for (let i = 0; i < count; i++) {
    const [value, bound] = exact(i), off = Math.abs(found[i] - value) / bound;
    if (!(off <= most)) most = off;
  }
  return most;
};
const axpy = side => ({
  kind: "axpy", size: side, width: 2 * side, factor: FACTOR, first: numbers(2 * side * side, 1), second: numbers(2 * side * side, 2),
  // One product and one sum of numbers below 1 and 1.001.
  check(found) { return worst(found, this.first.length, i => [FACTOR * this.first[i] + this.second[i], 2 * ULP]); },
});
const sum = count => ({
  kind: "sum", size: count, factor: 0, first: numbers(count, 3), second: new Float32Array(),
  // By passes of a fixed number of texels no value goes through more than two additions a square root of the count. TensorFlow.js looks for a divisor
  // near that root, and sums a prime number of values in one loop.
  check(found, name) {
    let exact = 0, size = 0;
    for (const value of this.first) exact += value, size += Math.abs(value);
    return worst(found, 1, () => [exact, (name === "tensorflow.js" ? count : 2 * Math.sqrt(count)) * ULP * size]);
  },
});
const product = (n, columns, kind) => ({
  kind, size: n, factor: 0, first: numbers(n * n, 4), second: numbers(n * columns, 5),
  check(found) {
    const { first: a, second: b } = this;
    // Some rows, spread over all.
    return worst(found, n * columns, at => {
      const row = Math.floor(at / columns), column = at % columns;
      if (row % 37 > 0) return [found[at], 1];
      let exact = 0, size = 0;
      for (let k = 0; k < n; k++) {
        const term = a[row * n + k] * b[k * columns + column];
        exact += term, size += Math.abs(term);
      }
      return [exact, (n + 1) * ULP * size];
    });
  },
});
const around = (values, n, components, at) => {
  const [x, y, c] = [Math.floor(at / components) % n, Math.floor(at / components / n), at % components];
  const of = (x, y) => values[((y + n) % n * n + (x + n) % n) * components + c];
  return of(x + 1, y) + of(x - 1, y) + of(x, y + 1) + of(x, y - 1);
};
const rows = {
  "axpy 2048x1024 values": () => axpy(1024),
  "sum 1024x1024 values": () => sum(1 << 20),
  "sum 1000003 values": () => sum(1000003),
  "product 512x512": () => product(512, 512, "product"),
  "matrix and vector 1024x1024": () => product(1024, 1, "matrix-vector"),
  "Gray-Scott 512x512 cells": () => ({
    kind: "gray-scott", size: 512, factor: 0, first: numbers(2 * 512 * 512, 6).map(Math.abs), second: new Float32Array(),
    check(found) {
      return worst(found, this.first.length, at => {
        const [u, v] = [this.first[at - at % 2], this.first[at - at % 2 + 1]], mean = around(this.first, 512, 2, at) / 4;
        const next = at % 2 ? (1 - DV) * v + DV * mean + u * v * v - (F + K) * v : (1 - DU) * u + DU * mean - u * v * v + F * (1 - u);
        return [next, 32 * ULP];
      });
    },
  }),
  "Jacobi 1024x1024 nodes": () => ({
    kind: "jacobi", size: 1024, factor: DIAGONAL, first: numbers(1 << 20, 7), second: numbers(1 << 20, 8),
    // Sums of numbers up to 5 and 9, seven roundings, and 1/d.
    check(found) { return worst(found, 1 << 20, at => [(this.first[at] + around(this.second, 1024, 1, at)) / DIAGONAL, 32 * ULP]); },
  }),
  "read-back 16 MiB": () => ({
    kind: "read-back", size: 1024, factor: 0, first: numbers(4 << 20, 9), second: new Float32Array(),
    check(found) { return worst(found, this.first.length, i => [this.first[i], ULP / 2 ** 20]); },
  }),
  // The first call of a page that was opened for it.
  "first call": () => axpy(128),
};

const script = address => new Promise((done, failed) => {
  const element = document.createElement("script");
  [element.src, element.onload, element.onerror] = [address, done, () => failed(Error(address))];
  document.head.append(element);
});
const canvas = () => Object.assign(document.createElement("canvas"), { width: 16, height: 16 });
/** Reads a texel of the framebuffer that is bound: that of the last pass. */
const texel = gl => {
  gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.FLOAT, new Float32Array(4));
  const error = gl.getError();
  if (error) throw Error("no texel could be read: " + error);
};
const rgba = pairs => Float32Array.from({ length: 2 * pairs.length }, (_, i) => i % 4 < 2 ? pairs[(i >> 2) * 2 + i % 4] : 0);
const every = (values, step, count) => Float32Array.from({ length: values.length / step * count }, (_, i) => values[Math.floor(i / count) * step + i % count]);

/** Kernels in words that WebGL 1 and 2 have; at(x, y) fetches a neighbour. */
const GRAY_SCOTT = (cells, at) => `vec2 c = ${at(cells, 0, 0)}.xy, mean = 0.25 * (${at(cells, 1, 0)}.xy + ${at(cells, -1, 0)}.xy + ${at(cells, 0, 1)}.xy + ${at(cells, 0, -1)}.xy);
  float r = c.x * c.y * c.y; vec2 next = (1.0 - d) * c + d * mean + vec2(-r + F * (1.0 - c.x), r - (F + k) * c.y);`;
const JACOBI = (x, b, at) => `float next = (${at(b, 0, 0)}.x + ${at(x, 1, 0)}.x + ${at(x, -1, 0)}.x + ${at(x, 0, 1)}.x + ${at(x, 0, -1)}.x) * inverse;`;
const fetch1 = (stream, x, y) => `texture2D(${stream}, uv + vec2(${x}.0, ${y}.0) * texel)`;
const fetch2 = (stream, x, y) => `texture(${stream}, v_uv + vec2(${x}.0, ${y}.0) * texel)`;

const contenders = {
  async quadrille() {
    await script("/quadrille_peers.js");
    await wasm_bindgen({ module_or_path: "/quadrille_peers_bg.wasm" });
    const gl = canvas().getContext("webgl2", { antialias: false, depth: false, alpha: false });
    const library = new wasm_bindgen.Quadrille(gl);
    return {
      version: "this commit",
      has: () => true,
      make({ kind, size, factor, first, second }) {
        const row = library.row(kind, size, factor, first, second);
        return { run: times => row.run(times), finish: () => texel(gl), result: () => row.result(), free: () => row.free() };
      },
    };
  },

  async regl() {
    await script("/regl.js");
    const regl = createREGL({ canvas: canvas(), extensions: ["OES_texture_float"], optionalExtensions: ["WEBGL_color_buffer_float"] });
    const of = (data, width, height) => regl.framebuffer({
      color: regl.texture({ width, height, data, type: "float", format: "rgba", wrap: "repeat", min: "nearest", mag: "nearest" }), depthStencil: false,
    });
    const command = (body, head, sides, at, uniforms) => regl({
      vert: "attribute vec2 p; varying vec2 uv; void main() { uv = 0.5 * p + 0.5; gl_Position = vec4(p, 0.0, 1.0); }",
      frag: `precision highp float; ${head} varying vec2 uv; void main() { ${body} }`,
      attributes: { p: [-1, -1, 3, -1, -1, 3] }, count: 3, depth: { enable: false }, framebuffer: () => sides[1 - at.side], uniforms,
    });
    return {
      version: "2.1.1",
      has: kind => ["axpy", "gray-scott", "jacobi", "read-back"].includes(kind),
      make({ kind, size, factor, first, second }) {
        const at = { side: 0 }, [width, height] = kind === "axpy" ? [size, size / 2] : [size, size];
        const data = { axpy: () => second, "gray-scott": () => rgba(first), jacobi: () => every(second, 1, 4), "read-back": () => first }[kind]();
        const sides = [of(data, width, height), of(null, width, height)];
        const read = (width, height) => {
          let all;
          sides[at.side].use(() => { all = regl.read({ x: 0, y: 0, width, height, data: read.memory }); });
          return all;
        };
        let step;
        if (kind === "axpy") {
          step = command("gl_FragColor = a * texture2D(x, uv) + texture2D(y, uv);", "uniform highp sampler2D x, y; uniform float a;", sides, at,
            { x: of(first, width, height), y: () => sides[at.side], a: factor });
        } else if (kind === "gray-scott") {
          step = command(GRAY_SCOTT("cells", fetch1) + "gl_FragColor = vec4(next, 0.0, 1.0);", "uniform highp sampler2D cells; uniform vec2 texel, d; uniform float F, k;", sides, at,
            { cells: () => sides[at.side], texel: [1 / size, 1 / size], d: [DU, DV], F, k: K });
        } else if (kind === "jacobi") {
          step = command(JACOBI("x", "b", fetch1) + "gl_FragColor = vec4(next, 0.0, 0.0, 1.0);", "uniform highp sampler2D x, b; uniform vec2 texel; uniform float inverse;", sides, at,
            { x: () => sides[at.side], b: of(every(first, 1, 4), size, size), texel: [1 / size, 1 / size], inverse: 1 / factor });
        }
        if (kind === "read-back") {
          read.memory = new Float32Array(first.length);
          return { run: times => { for (; times > 0; times--) read(size, size); }, finish() {}, result: () => read.memory };
        }
        return {
          run: times => { for (; times > 0; times--) { step(); at.side = 1 - at.side; } },
          finish: () => read(1, 1),
          result: () => {
            const all = read(width, height);
            return kind === "axpy" ? all : every(all, 4, kind === "jacobi" ? 1 : 2);
          },
        };
      },
    };
  },

  async three() {
    const THREE = await import("three"), { GPUComputationRenderer } = await import("/GPUComputationRenderer.js");
    const renderer = new THREE.WebGLRenderer({ canvas: canvas() });
    return {
      version: THREE.REVISION,
      has: kind => ["axpy", "gray-scott", "jacobi", "read-back"].includes(kind),
      make({ kind, size, factor, first, second }) {
        const [width, height] = kind === "axpy" ? [size, size / 2] : [size, size];
        const gpu = new GPUComputationRenderer(width, height, renderer);
        gpu.setDataType(THREE.FloatType);
        const of = values => {
          const texture = gpu.createTexture();
          texture.image.data.set(values);
          [texture.wrapS, texture.wrapT] = [THREE.RepeatWrapping, THREE.RepeatWrapping];
          return texture;
        };
        const head = "uniform vec2 texel;";
        const [text, data, uniforms] = {
          axpy: () => ["uniform sampler2D x; uniform float a; void main() { vec2 uv = gl_FragCoord.xy / resolution.xy; gl_FragColor = a * texture2D(x, uv) + texture2D(state, uv); }",
            second, { x: of(first), a: factor }],
          "gray-scott": () => [`uniform vec2 d; uniform float F, k; void main() { vec2 uv = gl_FragCoord.xy / resolution.xy; ${GRAY_SCOTT("state", fetch1)} gl_FragColor = vec4(next, 0.0, 1.0); }`,
            rgba(first), { d: new THREE.Vector2(DU, DV), F, k: K }],
          jacobi: () => [`uniform sampler2D b; uniform float inverse; void main() { vec2 uv = gl_FragCoord.xy / resolution.xy; ${JACOBI("state", "b", fetch1)} gl_FragColor = vec4(next, 0.0, 0.0, 1.0); }`,
            every(second, 1, 4), { b: of(every(first, 1, 4)), inverse: 1 / factor }],
          "read-back": () => ["void main() { gl_FragColor = texture2D(state, gl_FragCoord.xy / resolution.xy); }", first, {}],
        }[kind]();
        const variable = gpu.addVariable("state", head + text, of(data));
        [variable.wrapS, variable.wrapT] = [THREE.RepeatWrapping, THREE.RepeatWrapping];
        gpu.setVariableDependencies(variable, [variable]);
        for (const [name, value] of Object.entries({ texel: new THREE.Vector2(1 / width, 1 / height), ...uniforms })) variable.material.uniforms[name] = { value };
        const error = gpu.init();
        if (error) throw Error(error);
        const read = (width, height, all = new Float32Array(4 * width * height)) => {
          renderer.readRenderTargetPixels(gpu.getCurrentRenderTarget(variable), 0, 0, width, height, all);
          return all;
        };
        if (kind === "read-back") {
          const memory = new Float32Array(first.length);
          return { run: times => { for (; times > 0; times--) read(size, size, memory); }, finish() {}, result: () => memory };
        }
        return {
          run: times => { for (; times > 0; times--) gpu.compute(); },
          finish: () => read(1, 1),
          result: () => {
            const all = read(width, height);
            return kind === "axpy" ? all : every(all, 4, kind === "jacobi" ? 1 : 2);
          },
        };
      },
    };
  },

  async "gpu-io"() {
    await script("/gpu-io.js");
    const { GPUComposer, GPULayer, GPUProgram, FLOAT, INT, NEAREST, REPEAT } = GPUIO;
    const composer = new GPUComposer({ canvas: canvas(), contextID: "webgl2", verboseLogging: false });
    const layer = (name, dimensions, numComponents, array, numBuffers) => new GPULayer(composer, {
      name, dimensions, numComponents, array, numBuffers, type: FLOAT, filter: NEAREST, wrapX: REPEAT, wrapY: REPEAT,
    });
    return {
      version: "0.2.7",
      has: kind => ["axpy", "gray-scott", "jacobi", "read-back"].includes(kind),
      make({ kind, size, factor, first, second }) {
        const [width, height] = kind === "axpy" ? [size, size / 2] : [size, size], pixel = [1 / width, 1 / height];
        const many = { axpy: 4, "gray-scott": 2, jacobi: 1, "read-back": 4 }[kind];
        const state = layer("state", [width, height], many, kind === "gray-scott" || kind === "read-back" ? first : second, 2);
        if (kind === "read-back") {
          let memory;
          return { run: times => { for (; times > 0; times--) memory = state.getValues(); }, finish() {}, result: () => memory };
        }
        const other = kind === "gray-scott" ? [] : [layer("other", [width, height], many, first, 1)];
        const streams = { axpy: ["y", "x"], "gray-scott": ["cells"], jacobi: ["x", "b"] }[kind];
        const type = { 1: "float", 2: "vec2", 4: "vec4" }[many];
        const [head, body, constants] = {
          axpy: ["uniform float a;", "out_result = a * texture(x, v_uv) + texture(y, v_uv);", { a: factor }],
          "gray-scott": ["uniform vec2 d; uniform float F; uniform float k;", GRAY_SCOTT("cells", fetch2) + "out_result = next;", { d: [DU, DV], F, k: K }],
          jacobi: ["uniform float inverse;", JACOBI("x", "b", fetch2) + "out_result = next;", { inverse: 1 / factor }],
        }[kind];
        const program = new GPUProgram(composer, {
          name: kind,
          fragmentShader: `in vec2 v_uv; ${streams.map(name => `uniform sampler2D ${name};`).join(" ")} uniform vec2 texel; ${head} out ${type} out_result; void main() { ${body} }`,
          uniforms: [
            ...streams.map((name, value) => ({ name, value, type: INT })), ...(kind === "axpy" ? [] : [{ name: "texel", value: pixel, type: FLOAT }]),
            ...Object.entries(constants).map(([name, value]) => ({ name, value, type: FLOAT })),
          ],
        });
        const input = [state, ...other], gl = composer.gl;
        return {
          run: times => { for (; times > 0; times--) composer.step({ program, input, output: state }); },
          finish: () => texel(gl),
          result: () => state.getValues(),
        };
      },
    };
  },

  async "gpu.js"() {
    await script("/gpu.js");
    const gpu = new (GPU.GPU ?? GPU)({ mode: "webgl2", canvas: canvas() }), input = (GPU.input ?? window.input);
    const kernel = (text, output, settings) => gpu.createKernel(text, { output, pipeline: true, immutable: true, precision: "single", tactic: "precision", ...settings });
    const upload = (values, width, height) => kernel(function (x) { return x[this.thread.y][this.thread.x]; }, [width, height])(input(values, [width, height]));
    const flat = rows => {
      const all = new Float32Array(rows.length * rows[0].length);
      rows.forEach((row, y) => all.set(row, y * row.length));
      return all;
    };
    return {
      version: "2.24.1",
      has: kind => ["axpy", "product", "matrix-vector", "gray-scott", "jacobi", "read-back"].includes(kind),
      make({ kind, size, factor, first, second }) {
        const gl = () => gpu.context ?? gpu.kernels[0].context;
        const pingPong = (state, step, result) => ({
          run: times => {
            for (; times > 0; times--) {
              const next = step(state);
              state.delete();
              state = next;
            }
          },
          finish: () => texel(gl()),
          result: () => result(state.toArray()),
        });
        if (kind === "axpy") {
          const [width, height] = [2 * size, size], x = upload(first, width, height);
          const step = kernel(function (x, y, a) { return a * x[this.thread.y][this.thread.x] + y[this.thread.y][this.thread.x]; }, [width, height]);
          return pingPong(upload(second, width, height), y => step(x, y, factor), flat);
        }
        if (kind === "product" || kind === "matrix-vector") {
          const columns = kind === "product" ? size : 1, a = upload(first, size, size), b = upload(second, columns, size);
          const multiply = kernel(function (a, b) {
            let sum = 0;
            for (let i = 0; i < this.constants.n; i++) sum += a[this.thread.y][i] * b[i][this.thread.x];
            return sum;
          }, [columns, size], { constants: { n: size } });
          return pingPong(multiply(a, b), () => multiply(a, b), flat);
        }
        if (kind === "gray-scott") {
          const pairs = kernel(function (x) { return [x[this.thread.y][2 * this.thread.x], x[this.thread.y][2 * this.thread.x + 1]]; }, [size, size]);
          const step = kernel(function (cells, du, dv, f, k) {
            // A declaration has names of one type alone.
            const n = this.constants.n;
            const x = this.thread.x;
            const y = this.thread.y;
            const c = cells[y][x];
            const e = cells[y][(x + 1) % n];
            const w = cells[y][(x + n - 1) % n];
            const s = cells[(y + 1) % n][x];
            const t = cells[(y + n - 1) % n][x];
            const r = c[0] * c[1] * c[1];
            return [(1 - du) * c[0] + du * 0.25 * (e[0] + w[0] + s[0] + t[0]) - r + f * (1 - c[0]), (1 - dv) * c[1] + dv * 0.25 * (e[1] + w[1] + s[1] + t[1]) + r - (f + k) * c[1]];
          }, [size, size], { constants: { n: size } });
          return pingPong(pairs(input(first, [2 * size, size])), cells => step(cells, DU, DV, F, K), rows => flat(rows.map(row => flat(row))));
        }
        if (kind === "jacobi") {
          const b = upload(first, size, size);
          const step = kernel(function (x, b, inverse) {
            const n = this.constants.n;
            const i = this.thread.x;
            const j = this.thread.y;
            return (b[j][i] + x[j][(i + 1) % n] + x[j][(i + n - 1) % n] + x[(j + 1) % n][i] + x[(j + n - 1) % n][i]) * inverse;
          }, [size, size], { constants: { n: size } });
          return pingPong(upload(second, size, size), x => step(x, b, 1 / factor), flat);
        }
        const state = upload(first, 2 * size, 2 * size);
        let memory;
        return { run: times => { for (; times > 0; times--) memory = state.toArray(); }, finish() {}, result: () => flat(memory) };
      },
    };
  },

  async "tensorflow.js"() {
    await script("/tf.js");
    await tf.setBackend("webgl");
    await tf.ready();
    const gl = tf.backend().getGPGPUContext().gl;
    return {
      version: tf.version.tfjs,
      has: kind => ["axpy", "sum", "product", "matrix-vector", "read-back"].includes(kind),
      make({ kind, size, factor, first, second }) {
        const n = second.length / size;
        const a = kind === "product" || kind === "matrix-vector" ? tf.tensor2d(first, [size, size]) : tf.tensor1d(first);
        const b = kind === "product" || kind === "matrix-vector" ? tf.tensor2d(second, [size, n]) : second.length ? tf.tensor1d(second) : null;
        const again = step => {
          let state = b;
          return {
            run: times => {
              for (; times > 0; times--) {
                const next = tf.tidy(() => step(state));
                if (state !== b) state.dispose();
                state = next;
              }
            },
            finish: () => texel(gl),
            result: () => state.dataSync(),
          };
        };
        if (kind === "axpy") return again(y => a.mul(factor).add(y));
        if (kind === "sum") return again(() => a.sum());
        if (kind !== "read-back") return again(() => a.matMul(b));
        // What was uploaded is still in memory: a tensor that only the GPU has, and each read of it forgotten.
        const { dataId } = tf.tidy(() => tf.keep(a.mul(1)));
        let memory;
        return {
          run: times => {
            for (; times > 0; times--) {
              memory = tf.backend().readSync(dataId);
              tf.backend().texData.get(dataId).values = null;
            }
          },
          finish() {},
          result: () => memory,
        };
      },
    };
  },
};

const state = {};
/** Loads a contender's library; seconds since the page was asked for. */
window.load = async name => {
  state.contender = Object.assign(await contenders[name](), { name });
  return { seconds: performance.now() / 1000, version: state.contender.version, kinds: Object.keys(rows).filter(row => state.contender.has(rows[row]().kind)) };
};
/** Makes a row, computes it once and checks it; its worst error as a share of what is allowed. */
window.make = name => {
  const row = rows[name](), made = state.contender.make(row);
  made.run(1);
  made.finish();
  const share = row.check(made.result(), state.contender.name);
  state.made = { ...state.made, [name]: made };
  return share;
};
/** Seconds of so many computations. */
window.time = (name, times) => {
  const made = state.made[name], began = performance.now();
  made.run(times);
  made.finish();
  return (performance.now() - began) / 1000;
};
/** Seconds from the data in memory to the first result in memory, and its error as a share of what is allowed. */
window.first = () => {
  const row = rows["first call"](), began = performance.now();
  const made = state.contender.make(row);
  made.run(1);
  const found = made.result();
  return [(performance.now() - began) / 1000, row.check(found)];
};

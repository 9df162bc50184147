// Runs the tests one by one in a worker, which draws into canvases of its own: a test that does not end is ended with its worker, and
// one that panics leaves a module that nobody can use, so the next begins with a new one. Every outcome goes to the server.
"use strict";

const asked = new URLSearchParams(location.search);
const limit = Number(asked.get("limit") ?? 30) * 1000;
const only = asked.get("only") ?? "";
// Beginnings of names.
const of = (asked.get("of") ?? "").split(" ");
const state = document.getElementById("state");

const report = (outcome) => fetch("outcome", { method: "POST", body: JSON.stringify(outcome) });

let compiled;
let worker;

// One call of the worker; a worker that does not answer in time, or died of its answer, is replaced at the next call.
function call(request) {
    return new Promise((resolve) => {
        if (!worker) {
            worker = new Worker("worker.js");
            worker.postMessage({ compiled });
        }
        const answered = (answer) => {
            clearTimeout(timer);
            if (answer.dead) {
                worker.terminate();
                worker = undefined;
            }
            resolve(answer);
        };
        const timer = setTimeout(() => answered({ dead: true, message: `no end after ${limit / 1000} s` }), limit);
        worker.onmessage = ({ data }) => answered(data);
        worker.onerror = (error) => answered({ dead: true, message: `the worker: ${error.message}` });
        worker.postMessage(request);
    });
}

async function all() {
    compiled = await WebAssembly.compileStreaming(fetch("quadrille_web_tests_bg.wasm"));
    const { names, driver } = await call({ list: true });
    const plain = names.map((marked) => marked.replace("!", ""));
    await report({ driver, names: plain, count: names.filter((marked) => !marked.startsWith("!")).length });
    const done = new Set(await (await fetch("done")).json());
    let failures = 0;
    for (const [number, marked] of names.entries()) {
        const name = plain[number];
        if (marked.startsWith("!") || done.has(name) || !name.includes(only) || !of.some((part) => name.startsWith(part))) continue;
        state.textContent = `${number + 1} of ${names.length}, ${failures} failed: ${name}`;
        const begun = performance.now();
        const { message } = await call({ run: number });
        const seconds = (performance.now() - begun) / 1000;
        if (message) {
            failures += 1;
            const line = document.createElement("div");
            line.className = "failed";
            line.textContent = `${name}: ${message}`;
            document.getElementById("failed").append(line);
        }
        await report({ name, ok: !message, seconds, message: message ?? "" });
    }
    state.textContent = `done, ${failures} failed`;
    await report({ done: true });
}

all().catch((error) => report({ done: true, broken: String(error) }));

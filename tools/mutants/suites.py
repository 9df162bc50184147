"""Test binaries: which tests they have, what a test reaches (kernels, functions), and running them until the first one fails."""

import concurrent.futures
import hashlib
import json
import os
import re
import select
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Where the tests of a binary are, by its name, if not in tests/NAME or, unit tests of another crate, in its src; `lib` are
# the unit tests of the library. What all of tests/ share.
SOURCES = {"lib": "src", "bin": "demos/program/src", "cli": "demos/program/tests/cli", "window": "demos/program/tests/window"}
SHARED = ROOT / "tests/support"
DECLARED = re.compile(rb"^\s*(?:pub )?(?:mod \w+|use [^;]+);\n", re.MULTILINE)
STARTED = re.compile(rb"^test (\S+)(?: - should panic)? \.\.\. ", re.MULTILINE)
FAILED = re.compile(rb"FAILED\r?$", re.MULTILINE)


BUILD = ["cargo", "test", "--locked", "--workspace", "--all-features", "--no-run", "--message-format=json"]


def built(root=ROOT, messages=None):
    """Builds the tests; yields name, file and folder to run in of each binary, and without a folder the programs that tests start. Or
    takes them from what cargo said when they were built in another tree."""
    messages = messages or subprocess.run(BUILD, cwd=root, stdout=subprocess.PIPE, check=True, text=True).stdout
    for message in map(json.loads, messages.splitlines()):
        if message.get("reason") != "compiler-artifact" or not message["executable"]:
            continue
        target, file = message["target"], message["executable"]
        kind, name = target["kind"][0], target["name"]
        if message["profile"]["test"]:
            folder = Path(message["manifest_path"]).parent.relative_to(root)
            if kind == "test":
                yield name, file, str(folder)
            elif kind == "bin" or folder == Path("."):
                yield kind, file, str(folder)
            else:
                yield folder.name, file, str(folder)  # unit tests of another library
        elif kind == "bin":
            yield name, file, ""
        elif (kind, name) == ("example", "window"):
            yield "example", file, ""


def pack(binaries, folder, root=ROOT):
    """Copies stripped binaries to a folder that can travel: nothing of Rust is needed where it is used."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    manifest = {"root": str(root), "suites": {}, "programs": {}}
    for name, file, run_in in binaries:
        subprocess.run(["strip", "-o", str(folder / name), file], check=True)
        if not run_in:
            manifest["programs"][name] = file
            continue
        base = SOURCES.get(name, f"tests/{name}" if run_in == "." else f"{run_in}/src")
        manifest["suites"][name] = {"folder": run_in, "sources": sources(ROOT / base)}
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1))


def sources(base):
    """{module: hash of the file of its tests and of what they share}. Modules that are declared and names that are
    imported change nothing."""
    shared = hashlib.sha256()
    if "tests" in base.parts:
        for path in sorted([*SHARED.rglob("*.rs"), *base.rglob("main.rs"), *base.rglob("mod.rs")]):
            shared.update(DECLARED.sub(b"", path.read_bytes()))
    found = {}
    for path in sorted(base.rglob("*.rs")):
        parts = path.relative_to(base).with_suffix("").parts
        module = parts[:-1] if parts[-1] in ("main", "mod", "lib") else parts
        text = shared.copy()
        text.update(DECLARED.sub(b"", path.read_bytes()))
        found["::".join(module)] = text.hexdigest()[:16]
    return found


def ended(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    try:
        process.wait(60.0)
    except subprocess.TimeoutExpired:
        pass  # its driver holds it: the rest goes on


class Suites:
    """The binaries of a folder that `pack` made."""

    def __init__(self, folder):
        self.folder = folder.resolve()
        manifest = json.loads((self.folder / "manifest.json").read_text())
        self.suites = manifest["suites"]
        self.manifest = manifest

    def place(self):
        """Tests know where they were built: elsewhere a link to this repository stands there, and one to each program."""
        links = {self.manifest["root"]: ROOT}
        links |= {at: self.folder / name for name, at in self.manifest["programs"].items()}
        for link, to in links.items():
            try:
                if not os.path.lexists(link):
                    os.makedirs(os.path.dirname(link), exist_ok=True)
                    os.symlink(to, link)
            except OSError as error:
                print(f"{link}: {error.strerror}: tests that look there are left out")

    def source(self, suite, test):
        """The hash of the source of a test: that of the innermost module in a file of its own."""
        found, module = self.suites.get(suite, {"sources": {}})["sources"], test.split("::")[:-1]
        while module and "::".join(module) not in found:
            module.pop()
        return found.get("::".join(module), "")

    def start(self, suite, arguments, kernels):
        """A process of its own group, so that what it starts ends with it."""
        environment = {"LP_NUM_THREADS": "0", "QUADRILLE_API": "gl", **os.environ}
        environment |= {"RUST_TEST_THREADS": "1", "RUST_BACKTRACE": "0", "QUADRILLE_KERNELS": str(kernels)}
        run_in = ROOT / self.suites[suite]["folder"]
        return subprocess.Popen(
            [str(self.folder / suite), *arguments],
            cwd=run_in if run_in.exists() else ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def names(self, suite):
        """The tests that are not ignored."""

        def listed(*more):
            process = self.start(suite, ["--list", "--format", "terse", *more], "/nowhere")
            lines = process.communicate()[0].decode().splitlines()
            return {line.removesuffix(": test") for line in lines if line.endswith(": test")}

        return listed() - listed("--ignored")

    def record(self, every, jobs, deadline, said):
        """Runs each test, (suite, name), by itself: `[{suite, test, source, seconds, reached, failed}]`, `failed` being the
        last it said, or None."""

        def one(which):
            suite, test = which
            with tempfile.TemporaryDirectory() as kernels:
                used = Path(kernels, "used")
                used.touch()
                start = time.monotonic()
                state, _, output = self.run(suite, {test: 300.0}, kernels, deadline)
                names = sorted(set(used.read_text().split()))
                return suite, test, time.monotonic() - start, names, state, output

        found = []
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for done, (suite, test, seconds, names, state, output) in enumerate(pool.map(one, every), 1):
                if state == "unknown":
                    break
                failed = None if state == "passed" else f"{state}: {output.strip().splitlines()[-1:]}"
                found.append({
                    "suite": suite, "test": test, "source": self.source(suite, test), "seconds": round(seconds, 3), "reached": names,
                    "failed": failed,
                })  # fmt: skip
                if done % 100 == 0:
                    said(f"{done} of {len(every)} tests recorded")
        return found

    def run(self, suite, limits, kernels, deadline):
        """Runs these tests (name: seconds it may take) in one process until one fails. Returns `passed`, `failed`, `hung` or
        `unknown` (the deadline came first), the test and what it printed."""
        process = self.start(suite, [*limits, "--exact", "--nocapture"], kernels)
        output, current, since = b"", None, time.monotonic()
        try:
            while True:
                limit = since + limits.get(current, max(limits.values()))
                wait = min(limit, deadline) - time.monotonic()
                if wait <= 0.0:
                    return ("hung" if limit <= deadline else "unknown"), current, output.decode(errors="replace")
                if not select.select([process.stdout], [], [], wait)[0]:
                    continue
                piece = os.read(process.stdout.fileno(), 1 << 16)
                output += piece
                begun = list(STARTED.finditer(output))
                if begun:
                    if FAILED.search(output, begun[-1].end()) or FAILED.search(output, 0, begun[-1].start()):
                        failed = current if FAILED.search(output, 0, begun[-1].start()) else begun[-1].group(1).decode()
                        return "failed", failed, output.decode(errors="replace")
                    if begun[-1].group(1).decode() != current:
                        current, since = begun[-1].group(1).decode(), time.monotonic()
                        output = output[begun[-1].start() :]
                if not piece:
                    break
            code = process.wait()
            text = output.decode(errors="replace")
            return ("passed", None, text) if code == 0 else ("failed", current, text)  # a signal, most likely
        finally:
            ended(process)

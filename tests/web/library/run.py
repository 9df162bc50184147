"""Runs the tests of the library in a page of a browser, which has been built for it (`tools/wasm.sh dev quadrille-web-tests target/web/glue`), and tells what failed.

    python3 tests/web/library/run.py [--engine llvmpipe|swiftshader|firefox]... [--only WORDS] [--limit SECONDS] [--least PERCENT]
        [--pause-after SECONDS] [--resume | --again] [--quick]

Two engines are Chromium over two drivers. The third is Firefox over llvmpipe, in a window on an X server that nobody sees: without a
window it has no WebGL. It is left out, with a line, where it is not installed. A test of no outcome counts as failed. The outcomes are
in target/web/ENGINE.json; with --only those that were run take the place of what is there; --resume runs those that have no outcome yet,
--again those that have not passed; --quick those of three programs and of pages, of which all must pass but those
that no page can. Exit status 1 where fewer than 98 of 100 tests pass in an engine, 2 where --pause-after ended the run before the last test.
"""

import argparse
import contextlib
import http.server
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
GLUE = ROOT / "target" / "web" / "glue"
CHROMIUM = {
    "llvmpipe": ["--use-gl=angle", "--use-angle=gl-egl", "--ignore-gpu-blocklist"],
    "swiftshader": ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
}
FLAGS = [
    "--headless", "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--disable-background-timer-throttling",
    # It ends the process that draws when that compiles for longer than a GPU would, and all contexts are lost.
    "--disable-gpu-watchdog",
]
ENGINES = [*CHROMIUM, "firefox"]
# Nothing is asked of its makers, and its software renderer is let in.
PREFERENCES = {
    "webgl.force-enabled": True, "webgl.sanitize-unmasked-renderer": False, "browser.shell.checkDefaultBrowser": False,
    "browser.aboutwelcome.enabled": False, "datareporting.policy.dataSubmissionEnabled": False, "app.update.enabled": False,
    "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False, "dom.max_script_run_time": 0,
}
PAUSED = "paused"
QUICK = ["gl::", "pug::", "streams::", "page::"]
# Those that no page can pass: docs/web.md has why.
CANNOT = (
    "gl::contexts::both_dialects_", "gl::contexts::a_device_is_chosen_", "gl::pool::memory_stays_flat_", "pug::errors::every_error_can_",
    "pug::errors::without_a_driver_", "pug::errors::words_that_mean_nothing_", "pug::errors::functions_without_a_context_", "pug::reload::",
    "sim::gray_scott_control::a_watched_kernel_",
)
KINDS = {".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm"}


class Outcomes:
    """What the page has sent so far."""

    def __init__(self, engine, options):
        self.file, self.quiet = ROOT / "target" / "web" / f"{engine}.json", options.quiet
        self.driver, self.count, self.earlier, self.tests, self.broken = "?", 0, {}, {}, ""
        if (options.only or options.resume or options.again or options.quick) and self.file.exists():
            self.earlier = {test["name"]: test for test in json.loads(self.file.read_text())["tests"]}
        # Those that are not to be run again.
        self.done = [name for name, test in self.earlier.items() if options.resume or options.again and test["ok"]]
        self.over, self.news = threading.Event(), threading.Event()

    def all(self):
        """The outcomes, those of earlier runs among them."""
        return list((self.earlier | self.tests).values())

    def take(self, outcome):
        self.news.set()
        if "driver" in outcome:
            self.driver, self.count = outcome["driver"], outcome["count"]
            # Results of tests that are gone.
            self.earlier = {name: test for name, test in self.earlier.items() if name in outcome["names"]}
            print(f"  {self.driver}, {self.count} tests", flush=True)
        elif outcome.get("done"):
            self.broken = outcome.get("broken", "")
            self.over.set()
        else:
            self.tests[outcome["name"]] = outcome
            self.file.write_text(json.dumps({"driver": self.driver, "tests": self.all()}, indent=1))
            if not outcome["ok"] or not self.quiet:
                said = outcome["message"].replace("\n", " ")[:300] if not outcome["ok"] else "ok"
                print(f"  {outcome['name']} ({outcome['seconds']:.1f} s): {said}", flush=True)


def handler(outcomes):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            name = urllib.parse.urlparse(self.path).path.lstrip("/")
            if name == "done":
                self.answer(json.dumps(outcomes.done).encode(), "application/json")
                return
            found = [folder / name for folder in (HERE, GLUE) if name and (folder / name).is_file()]
            if not found:
                self.send_error(404)
                return
            self.answer(found[0].read_bytes(), KINDS.get(found[0].suffix, "text/plain"))

        def answer(self, body, kind):
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(204)
            self.end_headers()
            outcomes.take(json.loads(body))

        def log_message(self, *_):
            pass

    return Handler


def found(*names):
    return next(filter(None, map(shutil.which, names)), None)


def lacks(engine):
    """The line about what an engine lacks."""
    if engine in CHROMIUM:
        chromium = found("chromium", "chromium-browser", "google-chrome")
        return "" if chromium else "Chromium is missing (Debian, Ubuntu: apt-get install chromium)"
    if found("firefox-esr", "firefox") and found("Xvfb"):
        return ""
    return "Firefox or its X server is missing (Debian: apt-get install firefox-esr xvfb)"


def command(engine, profile, address):
    if engine in CHROMIUM:
        chromium = found("chromium", "chromium-browser", "google-chrome")
        return [chromium, *FLAGS, *CHROMIUM[engine], f"--user-data-dir={profile}", "--remote-debugging-port=0", address]
    lines = [f'user_pref("{name}", {json.dumps(value)});' for name, value in PREFERENCES.items()]
    pathlib.Path(profile, "user.js").write_text("\n".join(lines))
    return [found("firefox-esr", "firefox"), "--no-remote", "--profile", profile, address]


@contextlib.contextmanager
def screen(engine, environment):
    """An X server for a browser that needs a window; it chooses its own number."""
    if engine in CHROMIUM:
        yield
        return
    reading, writing = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "800x600x24"], pass_fds=[writing], stderr=subprocess.DEVNULL
    )
    os.close(writing)
    try:
        with os.fdopen(reading) as told:
            environment["DISPLAY"] = ":" + told.readline().strip()
        yield
    finally:
        server.terminate()
        server.wait()


def run(engine, options):
    outcomes, end = Outcomes(engine, options), time.monotonic() + options.pause_after
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler(outcomes))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    query = urllib.parse.urlencode({"limit": options.limit, "only": options.only, "of": " ".join(QUICK if options.quick else [])})
    address = f"http://127.0.0.1:{server.server_port}/index.html?{query}"
    profile = tempfile.mkdtemp()
    environment = dict(os.environ, LP_NUM_THREADS=os.environ.get("LP_NUM_THREADS", "0"))
    with screen(engine, environment):
        started = command(engine, profile, address)
        browser = subprocess.Popen(started, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
        try:
            # A browser that says nothing for longer than any test may take has hung, or is gone.
            while not outcomes.over.is_set():
                outcomes.news.clear()
                if not outcomes.news.wait(options.limit + 120) or browser.poll() is not None:
                    outcomes.broken = "the browser says nothing any more"
                    break
                if time.monotonic() > end and not outcomes.over.is_set():
                    outcomes.broken = PAUSED
                    break
        finally:
            browser.terminate()
            browser.wait()
            server.shutdown()
            shutil.rmtree(profile, ignore_errors=True)
    return outcomes


def main():
    # So that the browser is ended, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engine", action="append", choices=ENGINES)
    parser.add_argument("--only", default="", help="tests whose name has these letters")
    parser.add_argument("--limit", type=float, default=60, help="seconds that a test may take")
    parser.add_argument("--least", type=float, default=98, help="percent of tests that must pass")
    parser.add_argument("--resume", action="store_true", help="runs the tests that have no outcome yet")
    parser.add_argument("--again", action="store_true", help="runs the tests that have not passed yet")
    parser.add_argument("--quick", action="store_true", help="runs the tests of some programs")
    parser.add_argument("--pause-after", type=float, default=float("inf"), help="seconds after which an engine stops, to be resumed")
    parser.add_argument("--quiet", action="store_true", help="names only the tests that fail")
    options = parser.parse_args()
    good = True
    for engine in options.engine or ENGINES:
        if line := lacks(engine):
            print(f"test-web: {engine}: {line}", file=sys.stderr)
            good &= engine not in CHROMIUM and not options.engine
            continue
        print(f"{engine}:", flush=True)
        outcomes = run(engine, options)
        if outcomes.broken == PAUSED:
            print(f"{engine}: {len(outcomes.all())} of {outcomes.count} tests have an outcome; --resume goes on", flush=True)
            return 2
        # Those of --only or --quick alone, or all.
        part = options.only or options.quick
        counted = list(outcomes.tests.values()) if part else outcomes.all()
        passed, count = sum(test["ok"] for test in counted), len(counted) if part else outcomes.count
        percent = 100 * passed / max(count, 1)
        print(f"{engine}: {passed} of {count} tests pass, {percent:.1f} %", outcomes.broken, flush=True)
        good &= (percent >= options.least or options.quick) and not outcomes.broken
        if options.quick:
            good &= count > 0 and all(test["ok"] or test["name"].startswith(CANNOT) for test in counted)
        # Few in number, and nothing else shows what they show.
        good &= all(test["ok"] for test in counted if test["name"].startswith("page::"))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

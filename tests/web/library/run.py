"""Runs the tests of the library in a page of a browser, which has been built for it (tests/web/library/build.sh), and tells what failed.

    python3 tests/web/library/run.py [--engine llvmpipe|swiftshader]... [--only WORDS] [--limit SECONDS] [--least PERCENT]

Each engine is Chromium over another driver. A test of no outcome counts as failed. The outcomes are in target/web/ENGINE.json. Exit
status 1 where fewer than 98 of 100 tests pass in an engine.
"""

import argparse
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
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
GLUE = ROOT / "target" / "web" / "glue"
ENGINES = {
    "llvmpipe": ["--use-gl=angle", "--use-angle=gl-egl", "--ignore-gpu-blocklist"],
    "swiftshader": ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
}
FLAGS = [
    "--headless", "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--disable-background-timer-throttling",
]
KINDS = {".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm"}


class Outcomes:
    """What the page has sent so far."""

    def __init__(self, quiet):
        self.driver, self.tests, self.broken, self.quiet = "?", [], "", quiet
        self.over, self.news = threading.Event(), threading.Event()

    def take(self, outcome):
        self.news.set()
        if "driver" in outcome:
            self.driver = outcome["driver"]
            print(f"  {self.driver}, {outcome['count']} tests", flush=True)
        elif outcome.get("done"):
            self.broken = outcome.get("broken", "")
            self.over.set()
        else:
            self.tests.append(outcome)
            if not outcome["ok"] or not self.quiet:
                said = outcome["message"].replace("\n", " ")[:300] if not outcome["ok"] else "ok"
                print(f"  {outcome['name']} ({outcome['seconds']:.1f} s): {said}", flush=True)


def handler(outcomes):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            name = urllib.parse.urlparse(self.path).path.lstrip("/")
            found = [folder / name for folder in (HERE, GLUE) if name and (folder / name).is_file()]
            if not found:
                self.send_error(404)
                return
            body = found[0].read_bytes()
            self.send_response(200)
            self.send_header("Content-Type", KINDS.get(found[0].suffix, "text/plain"))
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


def run(engine, chromium, options):
    outcomes = Outcomes(options.quiet)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler(outcomes))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    query = urllib.parse.urlencode({"limit": options.limit, "only": options.only})
    address = f"http://127.0.0.1:{server.server_port}/index.html?{query}"
    profile = tempfile.mkdtemp()
    environment = dict(os.environ, LP_NUM_THREADS=os.environ.get("LP_NUM_THREADS", "0"))
    command = [chromium, *FLAGS, *ENGINES[engine], f"--user-data-dir={profile}", "--remote-debugging-port=0", address]
    browser = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    try:
        # A browser that says nothing for longer than any test may take has hung, or is gone.
        while not outcomes.over.is_set():
            outcomes.news.clear()
            if not outcomes.news.wait(options.limit + 120) or browser.poll() is not None:
                outcomes.broken = "the browser says nothing any more"
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
    parser.add_argument("--engine", action="append", choices=list(ENGINES))
    parser.add_argument("--only", default="", help="tests whose name has these letters")
    parser.add_argument("--limit", type=float, default=60, help="seconds that a test may take")
    parser.add_argument("--least", type=float, default=98, help="percent of tests that must pass")
    parser.add_argument("--quiet", action="store_true", help="names only the tests that fail")
    options = parser.parse_args()
    chromium = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)
    if not chromium:
        print("test-web: Chromium is missing (Debian, Ubuntu: apt-get install chromium)", file=sys.stderr)
        return 1
    good = True
    for engine in options.engine or list(ENGINES):
        print(f"{engine}:", flush=True)
        outcomes = run(engine, chromium, options)
        passed, all_of_them = sum(test["ok"] for test in outcomes.tests), len(outcomes.tests)
        percent = 100 * passed / max(all_of_them, 1)
        print(f"{engine}: {passed} of {all_of_them} tests pass, {percent:.1f} %", outcomes.broken, flush=True)
        (ROOT / "target" / "web" / f"{engine}.json").write_text(json.dumps({"driver": outcomes.driver, "tests": outcomes.tests}, indent=1))
        good &= percent >= options.least and not outcomes.broken
        # Few in number, and nothing else shows what they show.
        good &= all(test["ok"] for test in outcomes.tests if test["name"].startswith("page::"))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

"""What the mutants of kernels and those of Rust share: how one is tried, results that are kept, and reasons of equivalent ones."""

import json
import re
import sys
import tempfile
import threading
import time
from collections import defaultdict
from pathlib import Path

REFUSED = re.compile(r"\b(?:Compile|Link|Declaration) \{|\.(?:frag|vert|glsl)(?: \(prelude\))?:\d+: `|does not link")
# Tests that start programs and wait for them fail now and then on a busy machine: they must fail twice.
TIMED = ("cli", "window")
START = time.monotonic()


def said(text):
    print(f"[{time.monotonic() - START:6.0f} s] {text}", flush=True)


def batches(tests):
    """The quickest test alone, then ever more at a time: a suite's in one process, which is what costs most with small ones.
    Those of the program go one by one."""
    tests, cost = sorted(tests, key=lambda test: test["seconds"]), 0.3
    while tests:
        batch, spent = [], 0.0
        while tests and (not batch or spent + tests[0]["seconds"] <= cost):
            spent += tests[0]["seconds"]
            batch.append(tests.pop(0))
        cost *= 3.0
        together = defaultdict(dict)
        for test in batch:
            alone = test["test"] if test["suite"] in TIMED else None
            together[test["suite"], alone][test["test"]] = max(20.0, 10.0 * test["seconds"])
        for (suite, _), limits in together.items():
            yield suite, limits


def attempt(suites, file, text, tests, deadline):
    """What becomes of the tests when a file of their folder holds this text: state and, where it died, the test."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, file)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        for suite, limits in batches(tests):
            state, test, output = suites.run(suite, limits, folder, deadline)
            if state in ("failed", "hung") and suite in TIMED:
                state, test, output = suites.run(suite, limits, folder, deadline)
            if state == "failed" and REFUSED.search(output):
                state = "refused"
            if state != "passed":
                return state, f"{suite}::{test}"
    return "survived", None


class Results:
    """One line of JSON a mutant."""

    def __init__(self, file):
        self.file, self.lock, self.known = file, threading.Lock(), {}
        if file.exists():
            for line in file.read_text().splitlines():
                result = json.loads(line)
                self.known[result["key"]] = result

    def add(self, result):
        with self.lock:
            self.known[result["key"]] = result
            with self.file.open("a") as file:
                file.write(json.dumps(result) + "\n")


def equivalents(file, names):
    """{(name, old, new): reason} of a file of equivalent mutants."""
    found, name, old, new = {}, "", "", ""
    for number, line in enumerate(file.read_text().splitlines(), 1):
        sign, rest = line[:2], line[2:].strip()
        if not line.strip() or sign == "# ":
            continue
        if sign == "- ":
            old = rest
        elif sign == "+ ":
            new = rest
        elif sign == "= " and rest:
            found[name, old, new] = rest
        elif line in names:
            name = line
        else:
            sys.exit(f"{file.name}:{number}: `{line}`: expected the name of a file, or `- `, `+ ` or `= ` and text")
    return found

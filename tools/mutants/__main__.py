"""Mutants of the kernels: one change of a kernel at a time must make a test fail.

    python3 tools/mutants pack      builds the tests and packs them into --binaries
    python3 tools/mutants run       records which test asks for which kernel, then tries mutants; takes up where it ended
    python3 tools/mutants report    the table, and what survived

`run` and `report` need Python, the folder of binaries and this repository, no Rust. Results lie in --state: tests.json (delete
it to record anew) and results.jsonl, one line a mutant. What was killed stays killed as long as the kernel and the source of the
test that killed it are the same; what survived is tried again when any test that asks for the kernel is new or has changed.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import random
import re
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from pathlib import Path

from places import sample
from suites import ROOT, Suites, built, pack

EQUIVALENT = Path(__file__).with_name("equivalent.txt")
REFUSED = re.compile(r"\b(?:Compile|Link|Declaration) \{|\.(?:frag|vert|glsl)(?: \(prelude\))?:\d+: `|does not link")
# Tests that start programs and wait for them fail now and then on a busy machine: they must fail twice.
TIMED = ("cli", "window")
MEANING = {
    "failed": "killed",
    "hung": "killed by the clock",
    "refused": "no kernel any more",
    "survived": "survived",
    "untested": "no test asks for the kernel",
}


def kernels():
    found = sorted(path for path in (ROOT / "glsl").rglob("*") if path.suffix in (".frag", ".vert", ".glsl"))
    return {path.relative_to(ROOT / "glsl").as_posix(): path.read_text() for path in found}


def key(mutant, text):
    return hashlib.sha256(json.dumps([mutant.kernel, text]).encode()).hexdigest()[:24]


def proof(tests):
    """The hash of tests and of their sources, on which a result rests."""
    what = sorted((test["suite"], test["test"], test["source"]) for test in tests)
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()[:16]


def by(test):
    return f"{test['suite']}::{test['test']}"


def batches(tests, kills):
    """The first test alone, then ever more at a time: a suite's in one process, which is what costs most with small ones.
    Those of the program go one by one. First come quick tests, and those that have killed mutants of this kernel."""
    tests, cost = sorted(tests, key=lambda test: test["seconds"] / (1.0 + 10.0 * kills[by(test)])), 0.3
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


def attempt(suites, kernel, text, tests, deadline, kills):
    """What becomes of a text: state and, where it died, the test."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, kernel)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        for suite, limits in batches(tests, kills):
            state, test, output = suites.run(suite, limits, folder, deadline)
            if state in ("failed", "hung") and suite in TIMED:
                state, test, output = suites.run(suite, limits, folder, deadline)
            if state == "failed" and REFUSED.search(output):
                state = "refused"
            if state != "passed":
                return state, f"{suite}::{test}"
    return "survived", None


class Work:
    """Mutants of each kernel until so many are true ones: what the driver refuses is replaced by the next."""

    def __init__(self, options, suites, tests):
        self.options, self.suites, self.lock = options, suites, threading.Lock()
        self.results_file = options.state / "results.jsonl"
        self.known, self.kills = defaultdict(list), defaultdict(Counter)
        self.sources = {by(test): test["source"] for test in tests}
        if self.results_file.exists():
            for line in self.results_file.read_text().splitlines():
                self.keep(json.loads(line))
        self.tried = Counter()
        self.users = defaultdict(list)
        for test in tests:
            for kernel in test["kernels"]:
                self.users[kernel].append(test)
        self.kernels = {
            name: text for i, (name, text) in enumerate(kernels().items())
            if re.search(options.only, name) and i % options.shards == options.shard
        }  # fmt: skip

    def keep(self, result):
        self.known[result["key"]].append(result)
        if result["state"] in ("failed", "hung"):
            self.kills[result["kernel"]][result["by"]] += 1

    def result(self, mutant, text):
        """The result that holds, or None; one of a test that killed before one of tests that did not."""
        alive = proof(self.users[mutant.kernel])
        holds = [
            result for result in self.known.get(key(mutant, text), [])
            if result["state"] == "refused" or result["proof"] == (self.sources.get(result["by"]) if result["by"] else alive)
        ]  # fmt: skip
        return min(holds, key=lambda result: (not result["by"], result["state"]), default=None)

    def asked(self, mutants, places):
        """So many of a kernel: `each`, or a sixth of the places of a long one."""
        return min(len(mutants), max(self.options.each, places // 6))

    def mutants(self):
        """(mutant, text, its result or None) of each kernel, as far as they are known to be needed."""
        for name, text in self.kernels.items():
            mutants, places = sample(name, text, self.options.seed)
            left = self.asked(mutants, places)
            for mutant in mutants:
                changed = mutant.text(text)
                result = self.result(mutant, changed)
                if result is None or result["state"] != "refused":
                    left -= 1
                yield mutant, changed, result
                if left == 0:
                    break

    def one(self, mutant, text):
        if time.monotonic() > self.options.deadline:
            return
        tests, start = self.users[mutant.kernel], time.monotonic()
        if not tests:
            state, killer = "untested", None
        else:
            deadline = min(self.options.deadline, start + self.options.patience)
            state, killer = attempt(self.suites, mutant.kernel, text, tests, deadline, self.kills[mutant.kernel])
        if state == "unknown":
            return
        result = {
            "key": key(mutant, text), "kernel": mutant.kernel, "line": mutant.line, "old": mutant.old, "new": mutant.new,
            "state": state, "by": killer, "proof": self.sources[killer] if killer else proof(tests),
            "tests": len(tests), "seconds": round(time.monotonic() - start, 2),
        }  # fmt: skip
        with self.lock:
            self.keep(result)
            self.tried[state] += 1
            with self.results_file.open("a") as file:
                file.write(json.dumps(result) + "\n")

    def run(self):
        """All there is to try, and again for what replaces the refused ones."""
        left = set()
        while time.monotonic() < self.options.deadline:
            todo = [(mutant, text) for mutant, text, result in self.mutants() if result is None and mutant not in left]
            if not todo:
                return
            left.update(mutant for mutant, _ in todo)
            random.Random(0).shuffle(todo)  # a run that is cut short has seen something of every kernel
            said(f"{len(todo)} mutants to try")
            with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
                for done, _ in enumerate(pool.map(lambda pair: self.one(*pair), todo), 1):
                    if done % 50 == 0:
                        said(f"{done} of {len(todo)}: {dict(self.tried)}")


START = time.monotonic()


def said(text):
    print(f"[{time.monotonic() - START:6.0f} s] {text}", flush=True)


def recorded(options, suites):
    """Which test asks for which kernel: from tests.json, or by running each new or changed test by itself."""
    file = options.state / "tests.json"
    known = json.loads(file.read_text()) if file.exists() else []
    known = [test for test in known if test["source"] == suites.source(test["suite"], test["test"])]
    if options.command == "run":
        names = {(suite, test) for suite in suites.suites if re.search(options.suites, suite) for test in suites.names(suite)}
        new = sorted(names - {(test["suite"], test["test"]) for test in known})
        known = [test for test in known if (test["suite"], test["test"]) in names or not re.search(options.suites, test["suite"])]
        known += suites.record(new, options.jobs, options.deadline, said)
        file.write_text(json.dumps(known, indent=0))
        for test in known:
            if test["failed"]:
                print(f"left out: {by(test)}: {test['failed']}")
    tests = [test for test in known if test["kernels"] and not test["failed"] and re.search(options.suites, test["suite"])]
    said(f"{len(tests)} tests ask for kernels; {sum(test['failed'] is not None for test in known)} that do not pass as they are are left out")
    return tests


def confirm(suites, tests, deadline):
    """Every suite must notice a kernel that is none: else its binaries take no kernels from the folder."""
    deaf = [] if tests else list(suites.suites)
    for suite in sorted({test["suite"] for test in tests}):
        quickest = sorted((test for test in tests if test["suite"] == suite), key=lambda test: test["seconds"])[:5]
        tries = (attempt(suites, test["kernels"][0], "#error\n", [test], deadline, Counter())[0] for test in quickest)
        if all(state == "survived" for state in tries):
            deaf.append(suite)
    if deaf:
        sys.exit(f"{', '.join(deaf)}: built without the feature kernels-from-folder, or deaf to it")


def equivalents():
    """{(kernel, old, new): reason} of equivalent.txt."""
    found, kernel, old, new, names = {}, "", "", "", kernels()
    for number, line in enumerate(EQUIVALENT.read_text().splitlines(), 1):
        sign, rest = line[:2], line[2:].strip()
        if not line.strip() or sign == "# ":
            continue
        if sign == "- ":
            old = rest
        elif sign == "+ ":
            new = rest
        elif sign == "= " and rest:
            found[kernel, old, new] = rest
        elif line in names:
            kernel = line
        else:
            sys.exit(f"{EQUIVALENT.name}:{number}: `{line}`: expected the name of a kernel, or `- `, `+ ` or `= ` and text")
    return found


def report(work):
    reasons, used = equivalents(), set()
    rooms, alive = defaultdict(Counter), []
    for mutant, _, result in work.mutants():
        room = mutant.kernel.split("/")[0] if "/" in mutant.kernel else "words"
        state = result["state"] if result else "not tried"
        reason = reasons.get((mutant.kernel, mutant.old, mutant.new))
        if state in ("survived", "untested"):
            used.add((mutant.kernel, mutant.old, mutant.new))
            if reason:
                state = "equivalent"
            else:
                alive.append((mutant, state))
        rooms[room][state] += 1
    columns = ["failed", "hung", "equivalent", "survived", "untested", "not tried", "refused"]
    titles = ["killed", "by the clock", "equivalent", "survived", "no test", "not tried", "refused by the driver"]
    print("| room | kernels | mutants | " + " | ".join(titles) + " |\n" + "|---" * (len(columns) + 3) + "|")
    rooms["all"] = sum(rooms.values(), Counter())
    for room, states in rooms.items():
        names = [n for n in work.kernels if room in ("all", n.split("/")[0]) or room == "words" and "/" not in n]
        cells = [room, len(names), sum(states.values()) - states["refused"], *(states[column] for column in columns)]
        print("| " + " | ".join(map(str, cells)) + " |")
    for mutant, state in sorted(alive, key=lambda pair: (pair[0].kernel, pair[0].line)):
        print(f"\n{mutant.kernel}\n- {mutant.old}\n+ {mutant.new}\n= \n# line {mutant.line}: {MEANING[state]}")
    for kernel, old, new in sorted(set(reasons) - used):
        print(f"\n# {EQUIVALENT.name} explains what did not survive: {kernel}: {new}")
    return 1 if alive or rooms["all"]["not tried"] else 0


def main():
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("command", choices=["pack", "run", "report"])
    parser.add_argument("--binaries", type=Path, default=ROOT / "target/mutants/binaries", help="folder of packed tests")
    parser.add_argument("--state", type=Path, default=ROOT / "target/mutants", help="folder of tests.json and results.jsonl")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) - 1), help="tests at once")
    parser.add_argument("--minutes", type=float, default=1e6, help="stop after so long; the next run goes on")
    parser.add_argument("--patience", type=float, default=1e9, help="leave a mutant that lives after so many seconds to a later run")
    parser.add_argument("--suites", default="", help="tests whose binary has this regular expression in its name, as in 'sim|solve'")
    parser.add_argument("--only", default="", help="kernels whose name has this regular expression, as in '^linalg/'")
    parser.add_argument("--each", type=int, default=8, help="mutants of a kernel, if its text has so many places")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shards", type=int, default=1, help="number of parts of the kernels ...")
    parser.add_argument("--shard", type=int, default=0, help="... and which of them, from 0")
    options = parser.parse_args()
    options.deadline = START + 60.0 * options.minutes
    if options.command == "pack":
        pack(list(built()), options.binaries)
        size = sum(file.stat().st_size for file in options.binaries.iterdir())
        print(f"{options.binaries}: {size / 1e6:.0f} MB")
        return 0
    options.state.mkdir(parents=True, exist_ok=True)
    suites = Suites(options.binaries)
    if options.command == "run":
        suites.place()
    tests = recorded(options, suites)
    work = Work(options, suites, tests)
    if options.command == "report":
        return report(work)
    confirm(suites, tests, options.deadline)
    work.run()
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Mutants of the kernels: one change of a kernel at a time must make a test fail.

    python3 tools/mutants pack      builds the tests and packs them into --binaries
    python3 tools/mutants run       records which test asks for which kernel, then tries mutants; takes up where it ended
    python3 tools/mutants report    the table, and what survived

`run` and `report` need Python, the folder of binaries and this repository, no Rust. Results lie in --state: tests.json (delete
it to record anew) and results.jsonl, one line a mutant, valid as long as the kernel and the tests of its suites are the same.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import random
import re
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

from places import sample
from suites import ROOT, Suites, built, pack
from trial import START, Results, attempt, equivalents, said

EQUIVALENT = Path(__file__).with_name("equivalent.txt")
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


def key(mutant, text, tests, suites):
    sources = {test["suite"]: suites.suites[test["suite"]]["sources"] for test in tests}
    what = [mutant.kernel, text, sorted(sources.items())]
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()[:24]


class Work:
    """Mutants of each kernel until so many are true ones: what the driver refuses is replaced by the next."""

    def __init__(self, options, suites, tests):
        self.options, self.suites = options, suites
        self.results = Results(options.state / "results.jsonl")
        self.known = self.results.known
        self.users = defaultdict(list)
        for test in tests:
            for kernel in test["kernels"]:
                self.users[kernel].append(test)
        self.kernels = {
            name: text for i, (name, text) in enumerate(kernels().items())
            if re.search(options.only, name) and i % options.shards == options.shard
        }  # fmt: skip

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
                result = self.known.get(key(mutant, changed, self.users[name], self.suites))
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
            state, by = "untested", None
        else:
            state, by = attempt(self.suites, mutant.kernel, text, tests, self.options.deadline)
        if state == "unknown":
            return
        self.results.add({
            "key": key(mutant, text, tests, self.suites), "kernel": mutant.kernel, "line": mutant.line,
            "old": mutant.old, "new": mutant.new, "state": state, "by": by,
            "tests": len(tests), "seconds": round(time.monotonic() - start, 2),
        })  # fmt: skip

    def run(self):
        """All there is to try, and again for what replaces the refused ones."""
        while time.monotonic() < self.options.deadline:
            todo = [(mutant, text) for mutant, text, result in self.mutants() if result is None]
            if not todo:
                return
            random.Random(0).shuffle(todo)  # a run that is cut short has seen something of every kernel
            said(f"{len(todo)} mutants to try")
            with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
                for done, _ in enumerate(pool.map(lambda pair: self.one(*pair), todo), 1):
                    if done % 50 == 0:
                        said(f"{done} of {len(todo)}: {dict(Counter(r['state'] for r in self.known.values()))}")


def recorded(options, suites):
    """Which test asks for which kernel: from tests.json, or by running each test by itself."""
    file = options.state / "tests.json"
    sources = {name: suite["sources"] for name, suite in suites.suites.items()}
    if file.exists():
        found = json.loads(file.read_text())
        if found["sources"] == sources:
            return found["tests"]
    if options.command == "report":
        sys.exit(f"{file}: is not of these tests: `run` records it")
    tests, failed = suites.record(options.jobs, options.deadline, said)
    for line in failed:
        print(f"left out: {line}")
    said(f"{len(tests)} tests ask for kernels; {len(failed)} that do not pass as they are are left out")
    file.write_text(json.dumps({"sources": sources, "tests": tests, "left_out": failed}, indent=0))
    return tests


def confirm(suites, tests, deadline):
    """Every suite must notice a kernel that is none: else its binaries take no kernels from the folder."""
    deaf = [] if tests else list(suites.suites)
    for suite in sorted({test["suite"] for test in tests}):
        quickest = min((test for test in tests if test["suite"] == suite), key=lambda test: test["seconds"])
        if attempt(suites, quickest["kernels"][0], "#error\n", [quickest], deadline)[0] == "survived":
            deaf.append(suite)
    if deaf:
        sys.exit(f"{', '.join(deaf)}: built without the feature kernels-from-folder, or deaf to it")


def report(work):
    reasons, used = equivalents(EQUIVALENT, kernels()), set()
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

"""Mutants of the Rust code: a seeded sample of some rooms, each tried with the tests of its room alone.

    python3 tools/mutants/rust.py build     takes the sample, compiles all of it at once and packs the tests into --state
    python3 tools/mutants/rust.py run       records which test reaches which function, then tries mutants; takes up where it ended
    python3 tools/mutants/rust.py report    the table, and what survived

cargo-mutants (`cargo install --locked cargo-mutants`) says what can be changed; schemata.py makes one build of it. The tests of a room
are tests/ROOM and the unit tests in src/ROOM. `run` and `report` need Python, --state and this repository, no Rust. A result is
valid as long as the function and the tests of its room are the same; after a change of tests the one that killed a mutant goes first.
"""

import argparse
import concurrent.futures
import json
import os
import random
import resource
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

from schemata import Mutant, build, digest
from suites import ROOT, Suites, built, pack
from trial import START, Results, attempt, equivalents, said

ROOMS = ["layout", "linalg", "pug", "solve"]
EQUIVALENT = Path(__file__).with_name("equivalent-rust.txt")
MEMORY = 6 << 30  # bytes a test may take: a loop without end must not take the machine's
COLUMNS = {
    "failed": "killed", "hung": "by the clock", "equivalent": "equivalent", "survived": "survived", "untested": "no test",
    "not tried": "not tried", "none": "does not compile",
}  # fmt: skip


def made(options):
    """The sample's tests, packed, and `sample.json`."""
    chosen, none, unsuitable, messages = build(options.rooms, options.number, options.seed, options.state / "tree")
    binaries = built(options.state / "tree", messages)
    pack([binary for binary in binaries if binary[0] in ("lib", *options.rooms)], options.state / "binaries", options.state / "tree")
    sample = []
    for mutant in chosen:
        text = (ROOT / mutant.file).read_text()
        changed = text[mutant.begin : mutant.start] + mutant.by + text[mutant.end : mutant.stop]
        sample.append(vars(mutant) | {"text": digest(mutant.file, changed)})
    found = {"mutants": sample, "none": none, "unsuitable": unsuitable}
    (options.state / "sample.json").write_text(json.dumps(found, indent=1))
    print(f"{len(chosen)} mutants, {len(none)} that do not compile, {unsuitable} that no match can hold")


def recorded(options, suites, functions):
    """{suite: its tests, each with the functions it reaches}; of tests.json as long as the suite's tests and the functions are these."""
    file, rooms = options.state / "tests.json", tuple(f"{room}::" for room in ROOMS)
    found = json.loads(file.read_text()) if file.exists() else {}
    keys = {suite: digest(functions, of["sources"]) for suite, of in suites.suites.items()}
    missing = [suite for suite, key in keys.items() if found.get(suite, {}).get("key") != key]
    if missing and options.command == "report":
        sys.exit(f"{file}: is not of these tests: `run` records it")
    wanted = lambda suite, test: suite in missing and (suite != "lib" or test.startswith(rooms))  # noqa: E731
    if missing:
        tests, failed = suites.record(options.jobs, options.deadline, said, wanted)
        for line in failed:
            print(f"left out: {line}")
        for suite in missing:
            found[suite] = {"key": keys[suite], "tests": [test for test in tests if test["suite"] == suite]}
        said(f"{len(tests)} tests reach functions of the sample; {len(failed)} that do not pass as they are are left out")
        file.write_text(json.dumps(found, indent=0))
    return {suite: found[suite]["tests"] for suite in keys}


class Work:
    def __init__(self, options, suites):
        self.options, self.suites = options, suites
        found = json.loads((options.state / "sample.json").read_text())
        self.none, self.unsuitable = found["none"], found["unsuitable"]
        self.texts = {mutant["number"]: mutant.pop("text") for mutant in found["mutants"]}
        self.mutants = [Mutant(**mutant) for mutant in found["mutants"]]
        self.results = Results(options.state / "results.jsonl")
        self.killers = {result["text"]: result["by"] for result in self.results.known.values() if result["by"]}
        self.users = defaultdict(list)
        for suite, tests in recorded(options, suites, sorted({mutant.where for mutant in self.mutants})).items():
            for test in tests:
                # Kernels are recorded the same way.
                for function in (name for name in test["kernels"] if "|" in name):
                    room = function.split("/")[1]
                    if suite == room or test["test"].startswith(f"{room}::"):
                        self.users[function].append(test)

    def key(self, mutant):
        sources = {test["suite"]: self.suites.suites[test["suite"]]["sources"] for test in self.users[mutant.where]}
        return digest(self.texts[mutant.number], sorted(sources.items()))

    def result(self, mutant):
        return self.results.known.get(self.key(mutant))

    def one(self, mutant):
        if time.monotonic() > self.options.deadline:
            return
        tests, start, state, by = self.users[mutant.where], time.monotonic(), "untested", None
        if tests:
            last = self.killers.get(self.texts[mutant.number])
            for these in ([test for test in tests if f"{test['suite']}::{test['test']}" == last], tests):
                state, by = attempt(self.suites, "mutant", str(mutant.number), these, self.options.deadline)
                if state != "survived":
                    break
        if state == "unknown":
            return
        self.results.add({
            "key": self.key(mutant), "text": self.texts[mutant.number], "name": mutant.name,
            "state": "failed" if state == "refused" else state, "by": by,
            "tests": len(tests), "seconds": round(time.monotonic() - start, 2),
        })  # fmt: skip

    def run(self):
        todo = [mutant for mutant in self.mutants if self.result(mutant) is None]
        random.Random(0).shuffle(todo)
        said(f"{len(todo)} mutants to try")
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            for done, _ in enumerate(pool.map(self.one, todo), 1):
                if done % 25 == 0:
                    results = filter(None, map(self.result, self.mutants))
                    said(f"{done} of {len(todo)}: {dict(Counter(result['state'] for result in results))}")

    def report(self):
        reasons, used = equivalents(EQUIVALENT, {mutant.file for mutant in self.mutants}), set()
        rooms, alive = {room: Counter() for room in self.options.rooms}, []
        for number, name in self.none.items():
            rooms[name.split("/")[1]]["none"] += 1
        for mutant in self.mutants:
            result, what = self.result(mutant), (mutant.file, mutant.old, mutant.new)
            state = result["state"] if result else "not tried"
            if state in ("survived", "untested"):
                used.add(what)
                if what in reasons:
                    state = "equivalent"
                else:
                    alive.append((mutant, COLUMNS[state]))
            rooms[mutant.file.split("/")[1]][state] += 1
        rooms["all"] = sum(rooms.values(), Counter())
        print("| room | mutants | " + " | ".join(COLUMNS.values()) + " |\n" + "|---" * (len(COLUMNS) + 2) + "|")
        for room, states in rooms.items():
            cells = [room, sum(states.values()) - states["none"], *(states[column] for column in COLUMNS)]
            print("| " + " | ".join(map(str, cells)) + " |")
        print(f"\n{self.unsuitable} more stand where no match can stand: others took their place")
        for mutant, state in sorted(alive, key=lambda pair: pair[0].name):
            print(f"\n{mutant.file}\n- {mutant.old}\n+ {mutant.new}\n= \n# {mutant.number}, {mutant.name}: {state}")
        for name, old, new in sorted(set(reasons) - used):
            print(f"\n# {EQUIVALENT.name} explains what did not survive: {name}: {new}")
        return 1 if alive or rooms["all"]["not tried"] else 0


def main():
    parser = argparse.ArgumentParser(prog="rust.py", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("command", choices=["build", "run", "report"])
    parser.add_argument("--number", type=int, default=300, help="mutants in the sample")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rooms", nargs="+", choices=ROOMS, default=ROOMS)
    parser.add_argument("--state", type=Path, default=ROOT / "target/mutants/rust", help="folder of the copy, its tests and the results")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) - 1), help="tests at once")
    parser.add_argument("--minutes", type=float, default=1e6, help="stop after so long; the next run goes on")
    options = parser.parse_args()
    options.deadline = START + 60.0 * options.minutes
    if options.command == "build":
        made(options)
        return 0
    suites = Suites(options.state / "binaries")
    if options.command == "run":
        suites.place()
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    work = Work(options, suites)
    if options.command == "report":
        return work.report()
    work.run()
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Mutants of the Rust code: a seeded sample of some rooms, each tried with the tests of its room alone.

    python3 tools/mutants/rust.py build     takes the sample, compiles all of it at once and packs the tests into --state
    python3 tools/mutants/rust.py run       records which test reaches which function, then tries mutants; takes up where it ended
    python3 tools/mutants/rust.py report    the table, and what survived

cargo-mutants (`cargo install --locked cargo-mutants`) says what can be changed; schemata.py makes one build of it. The tests of a room
are tests/ROOM and the unit tests in src/ROOM. `run` and `report` need Python, --state and this repository, no Rust. What was killed
stays killed as long as the function and the source of the test that killed it are the same; what survived is tried again when any
test that reaches the function is new or has changed.
"""

import argparse
import json
import resource
import sys
from pathlib import Path

from schemata import Mutant, build, digest
from suites import ROOT, Suites, built, pack
from trial import START, Trial, Trials, arguments, recorded, report

ROOMS = ["layout", "linalg", "pug", "solve"]
EQUIVALENT = Path(__file__).with_name("equivalent-rust.txt")
MEMORY = 6 << 30  # bytes a test may take: a loop without end must not take the machine's


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
    file, found = options.state / "sample.json", {"mutants": sample, "none": none, "unsuitable": unsuitable}
    before = json.loads(file.read_text())["mutants"] if file.exists() else []
    if {(one["file"], one["function"]) for one in before} != {(one["file"], one["function"]) for one in sample}:
        (options.state / "tests.json").unlink(missing_ok=True)  # tests say which functions of the sample they reach
    file.write_text(json.dumps(found, indent=1))
    print(f"{len(chosen)} mutants, {len(none)} that do not compile, {unsuitable} that no match can hold")


class Work(Trials):
    def __init__(self, options, suites, tests):
        super().__init__(options, suites, tests)
        found = json.loads((options.state / "sample.json").read_text())
        self.none, self.unsuitable = found["none"], found["unsuitable"]
        self.texts = {mutant["number"]: mutant.pop("text") for mutant in found["mutants"]}
        self.mutants = [Mutant(**mutant) for mutant in found["mutants"]]

    def reached(self, test):
        """The functions of the test's own room; kernels are recorded the same way."""
        for function in (name for name in test["reached"] if "|" in name):
            room = function.split("/")[1]
            if test["suite"] == room or test["test"].startswith(f"{room}::"):
                yield function

    def trial(self, mutant):
        return Trial(self.texts[mutant.number], mutant.where, "mutant", str(mutant.number), (("name", mutant.name),))

    def trials(self):
        return map(self.trial, self.mutants)

    def keep(self, result):
        # A mutant of Rust may make a kernel that is none, which is for a test to see.
        super().keep(result | {"state": "failed"} if result["state"] == "refused" else result)

    def report(self):
        found = [(name.split("/")[1], name, "", "", "", {"state": "refused"}) for name in self.none.values()]
        for mutant in self.mutants:
            place, result = f"{mutant.number}, {mutant.name}", self.result(self.trial(mutant))
            found.append((mutant.file.split("/")[1], mutant.file, place, mutant.old, mutant.new, result))
        files = {path.relative_to(ROOT).as_posix() for path in (ROOT / "src").rglob("*.rs")}
        status = report(sorted(found, key=lambda one: one[0]), EQUIVALENT, files, "does not compile")
        print(f"\n{self.unsuitable} more stand where no match can stand: others took their place")
        return status


def main():
    parser = argparse.ArgumentParser(prog="rust.py", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("command", choices=["build", "run", "report"])
    parser.add_argument("--number", type=int, default=300, help="mutants in the sample")
    parser.add_argument("--rooms", nargs="+", choices=ROOMS, default=ROOMS)
    arguments(parser, ROOT / "target/mutants/rust")
    options = parser.parse_args()
    options.deadline = START + 60.0 * options.minutes
    if options.command == "build":
        made(options)
        return 0
    suites = Suites(options.state / "binaries")
    if options.command == "run":
        suites.place()
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    rooms = tuple(f"{room}::" for room in ROOMS)
    tests = recorded(options, suites, lambda suite, test: suite != "lib" or test.startswith(rooms))
    work = Work(options, suites, tests)
    if options.command == "report":
        return work.report()
    work.run()
    return 0


if __name__ == "__main__":
    sys.exit(main())

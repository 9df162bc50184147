"""Mutants of the kernels: one change of a kernel at a time must make a test fail.

    python3 tools/mutants pack      builds the tests and packs them into --binaries
    python3 tools/mutants run       records which test asks for which kernel, then tries mutants; takes up where it ended
    python3 tools/mutants report    the table, and what survived

`run` and `report` need Python, the folder of binaries and this repository, no Rust. Results lie in --state: tests.json (delete
it to record anew) and results.jsonl, one line a mutant. What was killed stays killed as long as the kernel and the source of the
test that killed it are the same; what survived is tried again when any test that asks for the kernel is new or has changed.
"""

import argparse
import functools
import hashlib
import json
import re
import sys
from collections import Counter
from pathlib import Path

from places import sample
from suites import ROOT, Suites, built, pack
from trial import START, Trial, Trials, arguments, attempt, equivalents, recorded, report

EQUIVALENT = Path(__file__).with_name("equivalent.txt")


def kernels():
    found = sorted(path for path in (ROOT / "glsl").rglob("*") if path.suffix in (".frag", ".vert", ".glsl"))
    return {path.relative_to(ROOT / "glsl").as_posix(): path.read_text() for path in found}


def trial(mutant, text):
    key = hashlib.sha256(json.dumps([mutant.kernel, text]).encode()).hexdigest()[:24]
    words = (("line", mutant.line), ("old", mutant.old), ("new", mutant.new))
    return Trial(key, mutant.kernel, mutant.kernel, text, words)


class Work(Trials):
    """Mutants of each kernel until so many are true ones: what the driver refuses is replaced by the next."""

    def trials(self):
        for i, (name, text) in enumerate(kernels().items()):
            if not re.search(self.options.only, name) or i % self.options.shards != self.options.shard:
                continue
            mutants, places = sample(name, text, self.options.seed)
            left = min(len(mutants), max(self.options.each, places // 6))  # `each`, or a sixth of the places of a long one
            for mutant in mutants:
                one = trial(mutant, mutant.text(text))
                result = self.result(one)
                left -= result is None or result["state"] != "refused"
                yield one
                if left == 0:
                    break

    def explained(self, trial):
        words = dict(trial.words)
        return (trial.subject, words["old"], words["new"]) in self.reasons

    @functools.cached_property
    def reasons(self):
        return equivalents(EQUIVALENT, kernels())

    def report(self):
        found = []
        for one in self.trials():
            words, room = dict(one.words), one.subject.split("/")[0] if "/" in one.subject else "words"
            found.append((room, one.subject, f"line {words['line']}", words["old"], words["new"], self.result(one)))
        return report(found, EQUIVALENT, kernels(), "refused by the driver")


def confirm(suites, tests, deadline):
    """Every suite must notice a kernel that is none: else its binaries take no kernels from the folder."""
    deaf = [] if tests else list(suites.suites)
    for suite in sorted({test["suite"] for test in tests}):
        quickest = sorted((test for test in tests if test["suite"] == suite), key=lambda test: test["seconds"])[:5]
        tries = (attempt(suites, test["reached"][0], "#error\n", [test], deadline, Counter())[0] for test in quickest)
        if all(state == "survived" for state in tries):
            deaf.append(suite)
    if deaf:
        sys.exit(f"{', '.join(deaf)}: built without the feature kernels-from-folder, or deaf to it")


def main():
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("command", choices=["pack", "run", "report"])
    parser.add_argument("--binaries", type=Path, default=ROOT / "target/mutants/binaries", help="folder of packed tests")
    arguments(parser, ROOT / "target/mutants")
    parser.add_argument("--only", default="", help="kernels whose name has this regular expression, as in '^linalg/'")
    parser.add_argument("--each", type=int, default=8, help="mutants of a kernel, if its text has so many places")
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
        return work.report()
    confirm(suites, tests, options.deadline)
    work.run()
    return 0


if __name__ == "__main__":
    sys.exit(main())

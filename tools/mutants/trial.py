"""What the mutants of kernels and those of Rust share: which tests reach what, how a mutant is tried, which results hold, the table."""

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
from dataclasses import dataclass
from pathlib import Path

REFUSED = re.compile(r"\b(?:Compile|Link|Declaration) \{|\.(?:frag|vert|glsl)(?: \(prelude\))?:\d+: `|does not link")
# Tests that start programs and wait for them fail now and then on a busy machine: they must fail twice.
TIMED = ("cli", "window")
STATES = {
    "failed": "killed",
    "hung": "by the clock",
    "equivalent": "equivalent",
    "survived": "survived",
    "untested": "no test",
    "not tried": "not tried",
}
START = time.monotonic()


def said(text):
    print(f"[{time.monotonic() - START:6.0f} s] {text}", flush=True)


def arguments(parser, state):
    """The options that both have."""
    parser.add_argument("--state", type=Path, default=state, help="folder of tests.json and results.jsonl")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) - 1), help="tests at once")
    parser.add_argument("--minutes", type=float, default=1e6, help="stop after so long; the next run goes on")
    parser.add_argument("--patience", type=float, default=1e9, help="leave a mutant that lives after so many seconds to a later run")
    parser.add_argument("--suites", default="", help="tests whose binary has this regular expression in its name, as in 'sim|solve'")
    parser.add_argument("--seed", type=int, default=1)


def by(test):
    return f"{test['suite']}::{test['test']}"


def proof(tests):
    """The hash of tests and of their sources, on which a result rests."""
    what = sorted((test["suite"], test["test"], test["source"]) for test in tests)
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()[:16]


def recorded(options, suites, wanted=lambda suite, test: True):
    """The tests that pass as they are and what each reaches: from tests.json, or by running each new or changed one by itself."""
    file = options.state / "tests.json"
    known = json.loads(file.read_text()) if file.exists() else []
    known = [test for test in known if test["source"] == suites.source(test["suite"], test["test"])]
    if options.command == "run":
        chosen = [suite for suite in suites.suites if re.search(options.suites, suite)]
        names = {(suite, test) for suite in chosen for test in suites.names(suite) if wanted(suite, test)}
        new = sorted(names - {(test["suite"], test["test"]) for test in known})
        known = [test for test in known if (test["suite"], test["test"]) in names or not re.search(options.suites, test["suite"])]
        known += suites.record(new, options.jobs, options.deadline, said)
        file.write_text(json.dumps(known, indent=0))
        for test in known:
            if test["failed"]:
                print(f"left out: {by(test)}: {test['failed']}")
    tests = [test for test in known if test["reached"] and not test["failed"] and re.search(options.suites, test["suite"])]
    said(f"{len(tests)} tests reach something; {sum(test['failed'] is not None for test in known)} that do not pass as they are are left out")
    return tests


def batches(tests, kills):
    """The first test alone, then ever more at a time: a suite's in one process, which is what costs most with small ones.
    Those of the program go one by one. First come quick tests, and those that have killed mutants of the same subject."""
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


def attempt(suites, file, text, tests, deadline, kills):
    """What becomes of the tests when a file of their folder holds this text: state and, where it died, the test."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, file)
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


@dataclass(frozen=True)
class Trial:
    """A mutant of a subject, a kernel or a function: `file` of the tests' folder holds `text`. Its key is the same as long as what it
    changes is; `words` say which it is."""

    key: str
    subject: str
    file: str
    text: str
    words: tuple


class Trials:
    """Mutants that are tried, and results that are kept, one line of JSON each. What was killed stays killed as long as the source of
    the test that killed it is the same; what survived is tried again when any test of its subject is new or has changed."""

    def __init__(self, options, suites, tests):
        self.options, self.suites, self.lock = options, suites, threading.Lock()
        self.file = options.state / "results.jsonl"
        self.known, self.kills, self.tried = defaultdict(list), defaultdict(Counter), Counter()
        self.sources = {by(test): test["source"] for test in tests}
        self.users = defaultdict(list)
        for test in tests:
            for subject in self.reached(test):
                self.users[subject].append(test)
        if self.file.exists():
            for line in self.file.read_text().splitlines():
                self.keep(json.loads(line))

    def reached(self, test):
        """The subjects that a test counts for."""
        return test["reached"]

    def trials(self):
        """All that there is to try as far as it is known."""
        raise NotImplementedError

    def explained(self, trial):
        """A mutant with a reason why no test can tell it: a proof needs no trial."""
        return False

    def keep(self, result):
        self.known[result["key"]].append(result)
        if result["state"] in ("failed", "hung"):
            self.kills[result["subject"]][result["by"]] += 1

    def result(self, trial):
        """The result that holds, or None; one of a test that killed before one of tests that did not."""
        alive = proof(self.users[trial.subject])
        holds = [
            result for result in self.known.get(trial.key, [])
            if result["state"] == "refused" or result["proof"] == (self.sources.get(result["by"]) if result["by"] else alive)
        ]  # fmt: skip
        return min(holds, key=lambda result: (not result["by"], result["state"]), default=None)

    def one(self, trial):
        if time.monotonic() > self.options.deadline:
            return
        tests, start = self.users[trial.subject], time.monotonic()
        state, killer = "untested", None
        if tests:
            deadline = min(self.options.deadline, start + self.options.patience)
            state, killer = attempt(self.suites, trial.file, trial.text, tests, deadline, self.kills[trial.subject])
        if state == "unknown":
            return
        result = {
            "key": trial.key, "subject": trial.subject, **dict(trial.words), "state": state, "by": killer,
            "proof": self.sources.get(killer, "") if killer else proof(tests), "tests": len(tests),
            "seconds": round(time.monotonic() - start, 2),
        }  # fmt: skip
        with self.lock:
            self.keep(result)
            self.tried[state] += 1
            with self.file.open("a") as file:
                file.write(json.dumps(result) + "\n")

    def run(self):
        """Tries all there is to try, and again what takes the place of refused ones."""
        left = set()
        while time.monotonic() < self.options.deadline:
            todo = [
                trial for trial in self.trials()
                if self.result(trial) is None and trial.key not in left and not self.explained(trial)
            ]  # fmt: skip
            if not todo:
                return
            left.update(trial.key for trial in todo)
            random.Random(0).shuffle(todo)  # a run that is cut short has seen something of every subject
            said(f"{len(todo)} mutants to try")
            with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
                for done, _ in enumerate(pool.map(self.one, todo), 1):
                    if done % 50 == 0:
                        said(f"{done} of {len(todo)}: {dict(self.tried)}")


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


def report(found, equivalent, names, refused):
    """Prints the table of [(room, file, place, old, new, result or None)], a row for each room, and what survived in the form of
    `equivalent`, the file of reasons; `refused` is the title of what is no mutant. Returns the exit status."""
    reasons, used = equivalents(equivalent, names), set()
    rooms, alive, columns = defaultdict(Counter), [], {**STATES, "refused": refused}
    for room, file, place, old, new, result in found:
        state = result["state"] if result else "not tried"
        if state in ("survived", "untested", "not tried"):
            used.add((file, old, new))
            if (file, old, new) in reasons:  # a proof needs no trial
                state = "equivalent"
            else:
                alive.append((file, place, old, new, STATES.get(state, state)))
        rooms[room][state] += 1
    rooms["all"] = sum(rooms.values(), Counter())
    print("| room | mutants | " + " | ".join(columns.values()) + " |\n" + "|---" * (len(columns) + 2) + "|")
    for room, states in rooms.items():
        cells = [room, sum(states.values()) - states["refused"], *(states[column] for column in columns)]
        print("| " + " | ".join(map(str, cells)) + " |")
    for file, place, old, new, state in sorted(alive):
        print(f"\n{file}\n- {old}\n+ {new}\n= \n# {place}: {state}")
    files = {file for _, file, *_ in found}
    for file, old, new in sorted(reason for reason in set(reasons) - used if reason[0] in files):
        print(f"\n# {equivalent.name} explains what did not survive: {file}: {new}")
    return 1 if alive or rooms["all"]["not tried"] else 0

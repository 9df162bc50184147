"""Runs the tests of both dialects beside busy processes: a test has to wait for what it observes, never for time.

    python3 tools/mutants pack              builds the tests and packs them into --binaries
    python3 tools/mutants/busy.py           three rounds: eight processes that never wait and two tests at a time on a pair of cores

More cores are more such pairs (--pairs), among which the tests of both dialects are shared out. Each test is a process of its own. What failed is
told as it fails; exit status 1 if any did.
"""

import argparse
import os
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path

from suites import ROOT, Suites

APIS = ("gl", "gles")
# These take longest, or start programs that wait for each other.
FIRST = ("window", "cli", "sim", "pde")


def on(cores):
    return ["taskset", "-c", ",".join(map(str, sorted(cores)))]


def attempt(suites, suite, test, api, cores, seconds):
    """What went wrong, or nothing."""
    environment = {"LP_NUM_THREADS": "0", **os.environ, "QUADRILLE_API": api, "RUST_TEST_THREADS": "1"}
    run_in = ROOT / suites.suites[suite]["folder"]
    process = subprocess.Popen(
        [*on(cores), str(suites.folder / suite), "--exact", test], cwd=run_in, env=environment, start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    try:
        output = process.communicate(timeout=seconds)[0]
        return output.decode(errors="replace") if process.returncode else None
    except subprocess.TimeoutExpired:
        return f"not at its end after {seconds:.0f} s"
    finally:
        try:
            os.killpg(process.pid, 9)
        except ProcessLookupError:
            pass


def work(suites, tests, failed, cores, seconds):
    while True:
        try:
            suite, test, api = tests.get_nowait()
        except queue.Empty:
            return
        wrong = attempt(suites, suite, test, api, cores, seconds)
        if wrong is not None:
            failed.append((suite, test, api))
            print(f"FAILED {suite} {test} ({api}):\n{wrong[-3000:]}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binaries", type=Path, default=ROOT / "target/mutants/binaries")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--pairs", type=int, default=1, help="pairs of cores")
    parser.add_argument("--busy", type=int, default=8, help="processes on a pair that never wait")
    parser.add_argument("--tests", type=int, default=2, help="tests at a time on a pair")
    parser.add_argument("--seconds", type=float, default=600.0, help="what a test may take")
    options = parser.parse_args()
    suites = Suites(options.binaries)
    suites.place()
    every = [(suite, test, api) for suite in suites.suites for test in sorted(suites.names(suite)) for api in APIS]
    every.sort(key=lambda which: which[0] not in FIRST)
    have = sorted(os.sched_getaffinity(0))
    pairs = [set(have[2 * i : 2 * i + 2]) for i in range(options.pairs)]
    if any(len(pair) < 2 for pair in pairs):
        sys.exit(f"busy: {len(have)} cores are no {options.pairs} pairs")
    spin = [sys.executable, "-c", "while True: pass"]
    hogs = [subprocess.Popen([*on(pair), *spin]) for pair in pairs for _ in range(options.busy)]
    failures = 0
    try:
        for turn in range(1, options.rounds + 1):
            tests, failed, start = queue.SimpleQueue(), [], time.monotonic()
            for which in every:
                tests.put(which)
            workers = [threading.Thread(target=work, args=(suites, tests, failed, pair, options.seconds)) for pair in pairs for _ in range(options.tests)]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
            failures += len(failed)
            print(f"round {turn}: {len(every) - len(failed)} passed, {len(failed)} failed, {time.monotonic() - start:.0f} s", flush=True)
    finally:
        for hog in hogs:
            hog.kill()
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()

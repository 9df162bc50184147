"""Mutants of the Rust code by cargo-mutants: a seeded sample of some rooms, each tried with the tests of its room alone.

    python3 tools/mutants/rust.py                       300 mutants; takes up where it ended, what was caught stays caught
    python3 tools/mutants/rust.py --shards 4 --shard 0  a quarter of them

cargo-mutants (`cargo install --locked cargo-mutants`) works on a copy of the tree, unless told otherwise behind `--`.
"""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Where the tests of a room are, as `cargo test` takes it.
TESTS = {
    "layout": ["--lib", "--", "layout::"],
    "linalg": ["--test", "linalg"],
    "pug": ["--test", "pug"],
    "solve": ["--test", "solve"],
}
OUTCOMES = ["caught", "missed", "timeout", "unviable"]


def mutants(*arguments, **how):
    return subprocess.run(["cargo", "mutants", "--no-config", "-p", "quadrille", *arguments], cwd=ROOT, **how)


def sample(rooms, number, seed):
    """Names of mutants. A change in a function leaves the order of the others: places are not part of it."""
    files = [argument for room in rooms for argument in ("-f", f"src/{room}/**")]
    listed = mutants("--list", "--json", *files, check=True, stdout=subprocess.PIPE, text=True).stdout
    seen, order = {}, []
    for name in (mutant["name"] for mutant in json.loads(listed)):
        if "delete field" in name:
            continue  # those pass by `--re`: they are tried with every sample of their room, and not counted in it
        what = re.sub(r":\d+:\d+:", ":", name, count=1)
        seen[what] = seen.get(what, 0) + 1
        order.append((hashlib.sha256(repr((seed, what, seen[what])).encode()).hexdigest(), name))
    return [name for _, name in sorted(order)[:number]]


def names(folder, file):
    path = folder / "mutants.out" / file
    return set(path.read_text().splitlines()) if path.exists() else set()


def main():
    parser = argparse.ArgumentParser(prog="rust.py", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--number", type=int, default=300, help="mutants in the sample")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rooms", nargs="+", choices=sorted(TESTS), default=sorted(TESTS))
    parser.add_argument("--shards", type=int, default=1, help="number of parts of the sample ...")
    parser.add_argument("--shard", type=int, default=0, help="... and which of them, from 0")
    parser.add_argument("--state", type=Path, default=ROOT / "target/mutants/rust", help="folder of what cargo-mutants writes")
    parser.add_argument("more", nargs="*", help="behind `--`: flags of cargo-mutants, as in --in-place or --jobs 2")
    options = parser.parse_args()
    os.environ.setdefault("LP_NUM_THREADS", "0")
    chosen = sample(options.rooms, options.number, options.seed)[options.shard :: options.shards]
    missed, tried = [], 0
    for room in options.rooms:
        of_room = [name for name in chosen if name.startswith(f"src/{room}/")]
        if not of_room:
            continue
        state = options.state / f"{room}-{options.shard}-of-{options.shards}"
        state.mkdir(parents=True, exist_ok=True)
        exactly = "^(" + "|".join(map(re.escape, of_room)) + ")$"
        # The regular expression is one of Rust's, which knows no escaped blanks or quotes.
        exactly = re.sub(r"\\([ '\"<>=!&:/,%@;`~#_-])", r"\1", exactly)
        flags = ["-f", f"src/{room}/**", "--re", exactly, "--iterate", "--output", str(state), *options.more]
        mutants(*flags, "--", *TESTS[room])
        found = {outcome: names(state, f"{outcome}.txt") for outcome in OUTCOMES}
        found["caught"] |= names(state, "previously_caught.txt")
        found = {outcome: found[outcome] & set(of_room) for outcome in OUTCOMES}
        print(f"{room}: {len(of_room)} chosen, " + ", ".join(f"{len(found[outcome])} {outcome}" for outcome in OUTCOMES), flush=True)
        tried += sum(map(len, found.values()))
        missed += sorted(found["missed"])
    print("\n".join(["", *(f"missed: {name}" for name in missed)]))
    return 1 if missed or tried < len(chosen) else 0


if __name__ == "__main__":
    sys.exit(main())

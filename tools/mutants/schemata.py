"""Mutants of Rust code in one build: a seeded sample of what `cargo mutants --list` finds, each chosen when a test runs.

In a copy of the tree a function with sampled mutants becomes

    fn f(..) -> R { match crate::mutants::chosen("src/room/file.rs|f") { 17 => { body of mutant 17 }, .., _ => { body } } }

`chosen` gives the number in the file `mutant` of the folder QUADRILLE_KERNELS, and adds the function's name to the file `used`
there, as kernels out of a folder do. An arm that the compiler refuses is no mutant: it is taken out, and the rest built again.

Left out of the sample, because no such match can stand there: constants, `const fn` that a constant calls, and functions that return
`impl Trait` (its arms would be of different types). Other `const fn` are plain functions in the copy.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from suites import BUILD, ROOT
from trial import said

RUNTIME = """\
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock};

fn folder() -> Option<PathBuf> {
    std::env::var_os("QUADRILLE_KERNELS").map(PathBuf::from)
}

pub fn chosen(function: &'static str, seen: &OnceLock<()>) -> u32 {
    static NUMBER: OnceLock<u32> = OnceLock::new();
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    seen.get_or_init(|| {
        let _lock = ONE_AT_A_TIME.lock();
        let used = folder().map(|folder| std::fs::OpenOptions::new().append(true).open(folder.join("used")));
        if let Some(Ok(mut used)) = used {
            let _ = writeln!(used, "{function}");
        }
    });
    let number = || std::fs::read_to_string(folder()?.join("mutant")).ok()?.trim().parse().ok();
    *NUMBER.get_or_init(|| number().unwrap_or(0))
}
"""
BEGINS = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|[()\[\]{]', re.DOTALL)


@dataclass
class Mutant:
    """One change: `start` to `end` of the file's text becomes `by`."""

    number: int
    name: str
    file: str
    function: str
    begin: int  # of the function ...
    stop: int  # ... and behind its end
    start: int
    end: int
    by: str
    old: str = ""
    new: str = ""

    @property
    def where(self):
        """The function as tests record it: one word."""
        return f"{self.file}|{self.function}".replace(" ", "_")


def digest(*what):
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()[:24]


def offset(text, place):
    """Of a line and a column, both from 1."""
    start = 0
    for _ in range(place["line"] - 1):
        start = text.index("\n", start) + 1
    return start + place["column"] - 1


def body(text, begin):
    """Where the body of a function begins."""
    depth = 0
    for match in BEGINS.finditer(text, begin):
        token = match.group()
        if token == "{" and depth == 0:
            return match.start()
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(token, 0)
    raise ValueError(f"no body at {begin}")


def lines(mutant, text):
    """The line that changes, before and after. Of several lines, the first and the change in the words of cargo-mutants."""
    if "\n" in text[mutant.start : mutant.end] or mutant.name.split(": ", 1)[1].startswith("replace " + mutant.function):
        first = text[mutant.start : mutant.end].splitlines()[0].strip()
        return first, mutant.name.split(": ", 1)[1]
    first, last = text.rfind("\n", 0, mutant.start) + 1, text.find("\n", mutant.end)
    changed = text[first : mutant.start] + mutant.by + text[mutant.end : last]
    return text[first:last].strip(), changed.strip() or mutant.name.split(": ", 1)[1]


def listed(rooms, seed):
    """All mutants of rooms in the order in which they are to be tried, and how many can have no match of their own. A change in a
    function leaves the order of the others: places are not part of it."""
    files = [argument for room in rooms for argument in ("-f", f"src/{room}/**")]
    command = ["cargo", "mutants", "--no-config", "-p", "quadrille", "--list", "--json", *files]
    found = json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout)
    texts = {one["file"]: (ROOT / one["file"]).read_text() for one in found}
    spans = defaultdict(list)
    for one in found:
        if one["function"]:
            text, span = texts[one["file"]], one["function"]["span"]
            one["span of function"] = offset(text, span["start"]), offset(text, span["end"])
            spans[one["file"]].append((*one["span of function"], one["function"]["function_name"]))
    seen, order = {}, []
    for one in found:
        what = re.sub(r":\d+:\d+:", ":", one["name"], count=1)
        seen[what] = seen.get(what, 0) + 1
        order.append((hashlib.sha256(repr((seed, what, seen[what])).encode()).hexdigest(), one))
    mutants, unsuitable = [], set()
    for number, (_, one) in enumerate(sorted(order, key=lambda pair: pair[0]), 1):
        text, file = texts[one["file"]], one["file"]
        if not one["function"]:
            unsuitable.add(number)
            continue
        begin, stop = one["span of function"]
        # A function in a function is changed with the outer one.
        begin, stop, function = min(span for span in spans[file] if span[0] <= begin and stop <= span[1])
        if re.search(r"->\s*impl\b", text[begin : body(text, begin)]):
            unsuitable.add(number)
        start, end = (offset(text, one["span"][which]) for which in ("start", "end"))
        mutant = Mutant(number, one["name"], file, function, begin, stop, start, end, one["replacement"])
        mutant.old, mutant.new = lines(mutant, text)
        mutants.append(mutant)
    return mutants, unsuitable, texts


def rewritten(text, mutants):
    """The text of a file with these mutants in it, and where each one's arm is: [(begin, stop, number)] in bytes."""
    functions, pieces, arms, at = defaultdict(list), [], [], 0
    for mutant in mutants:
        functions[mutant.begin, mutant.stop].append(mutant)
    size = 0

    def add(piece):
        nonlocal size
        pieces.append(piece)
        size += len(piece.encode())

    for (begin, stop), of_function in sorted(functions.items()):
        opens = body(text, begin)
        add(text[at:begin] + re.sub(r"^((?:\s*///.*\n|\s*#\[.*\n)*\s*(?:pub(?:\([^)]*\))? )?)const fn", r"\1fn", text[begin:opens]))
        add("{ static SEEN: std::sync::OnceLock<()> = std::sync::OnceLock::new();\n")
        add(f"match crate::mutants::chosen({json.dumps(of_function[0].where)}, &SEEN) {{\n")
        for mutant in of_function:
            from_ = size
            add(f"{mutant.number} => {text[opens : mutant.start]}{mutant.by} {text[mutant.end : stop]}\n")
            arms.append((from_, size, mutant.number))
        add(f"_ => {text[opens:stop]} }} }}")
        at = stop
    add(text[at:])
    return "".join(pieces), arms


def put(path, data):
    """Writes a file if it is not this already: cargo goes by the time of the last change."""
    if not path.exists() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def copied(tree):
    """The files that git knows or would add, and no others."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.split("\0")
    names = {name for name in names if name and (ROOT / name).is_file()}
    for path in list(tree.rglob("*")):
        if path.is_file() and path.relative_to(tree).as_posix() not in names | {"src/mutants.rs"}:
            path.unlink()
    return names


def refused(messages, arms, mutants):
    """Numbers of the mutants that the compiler's errors are about, and those that no match can hold."""
    none, unsuitable = set(), set()
    for message in map(json.loads, messages.splitlines()):
        if message.get("reason") != "compiler-message" or message["message"]["level"] != "error":
            continue
        error = message["message"]
        places = [error, *error["children"]]
        hit = set()
        for primary in (True, False):
            for span in (span for place in places for span in place["spans"] if hit == set() and span["is_primary"] == primary):
                while span:
                    name = span["file_name"]
                    hit |= {n for a, b, n in arms.get(name, []) if a <= span["byte_start"] and span["byte_end"] <= b}
                    span = span["expansion"] and span["expansion"]["span"]
        if hit:
            none |= hit
            continue
        if (error["code"] or {}).get("code") == "E0015":  # a constant calls what is no `const fn` any more
            name = re.search(r"`(?:.*::)?(\w+)(?:::<.*>)?`", error["message"]).group(1)
            hit = {mutant.number for mutant in mutants if re.search(rf"\b{name}$", mutant.function)}
            unsuitable |= hit
        if not hit and error["spans"]:
            sys.exit(f"an error outside of all mutants:\n{error['rendered']}")
    return none, unsuitable


def build(rooms, number, seed, tree):
    """Makes the copy with the first so many mutants that compile. Returns them, the names of those that do not, how many stand where no
    match can stand, and what cargo said."""
    every, unsuitable, texts = listed(rooms, seed)
    names = copied(tree)
    # A text that was refused before is refused again as long as nothing in src has changed; then the copy stays as it is.
    known = tree.with_name("refused.json")
    sources = digest(seed, rooms, [(name, (ROOT / name).read_text()) for name in sorted(names) if name.startswith("src/")])
    before = json.loads(known.read_text()) if known.exists() else {}
    none, odd, taken = before["refused"] if before.get("sources") == sources else ([], [], number)
    none, odd, taken = set(none), set(odd), max(taken, number)
    tests = ["--lib", *(f"--test={room}" for room in rooms if (ROOT / "tests" / room).exists())]
    # A target folder of its own: to cargo the packages of the copy are those of this repository.
    environment = {**os.environ, "CARGO_TARGET_DIR": str(tree.with_name("target"))}
    while True:
        suitable = [mutant for mutant in every if mutant.number not in unsuitable | odd]
        while True:
            tried = suitable[:taken]
            chosen = [mutant for mutant in tried if mutant.number not in none]
            if len(chosen) >= number or taken >= len(suitable):
                break
            taken += number - len(chosen) + 10  # of these again some do not compile
        by_file, arms = defaultdict(list), {}
        for mutant in chosen:
            by_file[mutant.file].append(mutant)
        for name in names:
            data = (ROOT / name).read_bytes()
            if name in by_file:
                text, arms[name] = rewritten(texts[name], by_file[name])
                data = text.encode()
            if name == "src/lib.rs":
                data += b"\nmod mutants;\n"
            put(tree / name, data)
        put(tree / "src/mutants.rs", RUNTIME.encode())
        done = subprocess.run([*BUILD, *tests], cwd=tree, env=environment, stdout=subprocess.PIPE, text=True)
        if done.returncode == 0:
            break
        new, more = refused(done.stdout, arms, chosen)
        if not new and not more:
            sys.exit("cargo failed, and not for a mutant")
        said(f"{len(chosen)} mutants built: {len(new)} do not compile, {len(more)} stand where no match can stand")
        none, odd = none | new, odd | more
        known.write_text(json.dumps({"sources": sources, "refused": [sorted(none), sorted(odd), taken]}))
    chosen = chosen[:number]
    last = chosen[-1].number
    names = {mutant.number: mutant.name for mutant in every if mutant.number in none and mutant.number <= last}
    return chosen, names, len([n for n in unsuitable | odd if n <= last]), done.stdout

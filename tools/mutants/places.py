"""The places of a kernel's text that a mutant changes: operators, constants, swizzles, offsets and calls of built-in functions.

Comments, declarations of the preprocessor and what steps a loop are left alone: a loop that never ends can only be killed by
the clock, and on some drivers it takes the whole GPU with it.
"""

import hashlib
import re
from dataclasses import dataclass

TOKEN = re.compile(
    r"""(?P<number>(?<![\w.])(?:0[xX][0-9a-fA-F]+u?|\d+\.\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\d+u?)(?![\w.]))
      | (?P<swizzle>(?<=[\w\])])\.(?:[xyzw]{1,4}|[rgba]{1,4})\b(?!\s*\())
      | (?P<word>[A-Za-z_]\w*)
      | (?P<operator>\+\+|--|\+=|-=|\*=|/=|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/<>])
      | (?P<other>\S)""",
    re.VERBOSE,
)
OPERATORS = {
    "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "+=": ["-="], "-=": ["+="], "*=": ["/="], "/=": ["*="],
    "<": [">=", "<="], ">": ["<=", ">="], "<=": [">", "<"], ">=": ["<", ">"], "==": ["!="], "!=": ["=="],
    "&&": ["||"], "||": ["&&"], "<<": [">>"], ">>": ["<<"],
}  # fmt: skip
BOUNDARY = {"<": "<=", ">": ">=", "<=": "<", ">=": ">"}
CALLS = {
    "min": "max", "max": "min", "floor": "ceil", "ceil": "floor", "abs": "", "sin": "cos", "cos": "sin", "any": "all", "all": "any",
    "lessThan": "greaterThanEqual", "lessThanEqual": "greaterThan", "greaterThan": "lessThanEqual",
    "greaterThanEqual": "lessThan", "equal": "notEqual", "notEqual": "equal", "true": "false", "false": "true",
}  # fmt: skip
# After these a sign belongs to the number.
BEFORE_A_SIGN = set("(,=?:+-*/<>&|!;{[") | {"return", "+=", "-=", "*=", "/=", "<=", ">=", "==", "!=", "&&", "||", ""}


@dataclass(frozen=True)
class Mutant:
    """One change of one kernel; `old` and `new` are the whole line without its indentation."""

    kernel: str
    start: int
    end: int
    by: str
    line: int
    old: str
    new: str

    def text(self, original):
        return original[: self.start] + self.by + original[self.end :]


def code(text):
    """The text with all that is not to be changed as spaces, at the same places."""

    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())

    text = re.sub(r"//[^\n]*|/\*.*?\*/", blank, text, flags=re.DOTALL)
    # The preprocessor is left alone, but for the texts of macros.
    text = re.sub(r"^[ \t]*#[ \t]*(?:define[ \t]+\w+(?:\([^)\n]*\))?|[^\n]*)", blank, text, flags=re.MULTILINE)
    # Textures have one level: any other level of detail is the same.
    for call in re.finditer(r"\btextureLod(?:Offset)?\(", text):
        commas, end = [], closing(text, call.end() - 1)
        for place in range(call.end(), end):
            depth = sum((c in "([") - (c in ")]") for c in text[call.end() : place])
            commas += [place] * (text[place] == "," and depth == 0)
        stop = commas[2] if len(commas) > 2 else end - 1
        text = text[: commas[1] + 1] + " " * (stop - commas[1] - 1) + text[stop:]
    # A `while` loop is left out whole: any part of it may be what ends it.
    for loop in list(re.finditer(r"\bwhile\b", text)):
        end = closing(text, text.index("{", loop.start()))
        text = text[: loop.start()] + re.sub(r"[^\n]", " ", text[loop.start() : end]) + text[end:]
    return text


def closing(text, at):
    """The place after the bracket that closes the one at `at`."""
    depth = 0
    for place in range(at, len(text)):
        depth += text[place] in "({["
        depth -= text[place] in ")}]"
        if depth == 0:
            return place + 1
    return len(text)


def loop_heads(text):
    """For each `for`: where its condition and its step begin, and where its head ends."""
    heads = []
    for match in re.finditer(r"\bfor\s*\(", text):
        end = closing(text, match.end() - 1)
        first = text.index(";", match.end())
        heads.append((first, text.index(";", first + 1), end))
    return heads


def number(text):
    """What a constant becomes."""
    if text.lower().startswith("0x"):
        value = int(text.rstrip("u"), 16)
        return [f"{value ^ (value & -value):#x}" + ("u" if text.endswith("u") else "")]
    if text.rstrip("u").isdigit():
        value, unsigned = int(text.rstrip("u")), text[len(text.rstrip("u")) :]
        return [f"{other}{unsigned}" for other in ([1] if value == 0 else [value - 1, value + 1])]
    value = float(text)
    if value == 0.0:
        return ["1.0"]
    if not 1e-6 < value < 1e6:
        return ["1.0"]  # a guard against 0 or overflow: twice as large it is one still
    return ["0.0", "2.0"] if value == 1.0 else [repr(value + 1.0), repr(0.5 * value)]


def swizzle(text):
    letters = text[1:]
    if len(set(letters)) == 1:
        one = {"x": "y", "y": "x", "z": "x", "w": "x", "r": "g", "g": "r", "b": "r", "a": "r"}[letters[0]]
        return ["." + one * len(letters)]
    other = next(letter for letter in letters if letter != letters[0])
    return ["." + letters.translate(str.maketrans(letters[0] + other, other + letters[0]))]


def alternatives(kind, token, before, after, head):
    """What may stand in the place of a token; `head` is the part of a loop's head that it is in, or None."""
    if head == "step":
        return []
    if kind == "number":
        return number(token)
    if kind == "swizzle":
        return swizzle(token)
    if kind == "word":
        calls = after == "(" or token in ("true", "false")
        return [CALLS[token]] if calls and token in CALLS else []
    if kind == "operator":
        if token in "+-" and before in BEFORE_A_SIGN:
            return [""] if token == "-" else []
        if head == "condition" and token in BOUNDARY:
            return [BOUNDARY[token]]
        found = OPERATORS.get(token, [])
        # Halves separate whole numbers: there the boundary is never met.
        return found[:1] if token in BOUNDARY and re.match(r"\d*\.[257]", after) else found
    return []


def places(kernel, text):
    """All places of a text, each a list of mutants."""
    masked = code(text)
    heads = loop_heads(masked)
    found = []
    tokens = [match for match in TOKEN.finditer(masked)]
    for i, match in enumerate(tokens):
        start, end = match.span()
        before = tokens[i - 1].group() if i else ""
        after = tokens[i + 1].group() if i + 1 < len(tokens) else ""
        head = None
        for condition, step, stop in heads:
            if condition <= start < stop:
                head = "condition" if start < step else "step"
        first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
        last = len(text) if last < 0 else last
        line = text.count("\n", 0, start) + 1
        if re.match(r"\s*(uniform|in|out|precision|struct|VERTEX|DOMAIN|RANGE)\b", masked[first:last]):
            continue
        here = []
        for by in alternatives(match.lastgroup, match.group(), before, after, head):
            changed = text[first:start] + by + text[end:last]
            here.append(Mutant(kernel, start, end, by, line, text[first:last].strip(), changed.strip()))
        if here:
            found.append(here)
    return found


def sample(kernel, text, seed):
    """Mutants of a kernel in the order in which they are to be tried: first one of each place, then the others. A change
    elsewhere in the text leaves the order of the rest."""

    def order(*what):
        return hashlib.sha256(repr((seed, kernel, *what)).encode()).hexdigest()

    def change(mutant):
        return mutant.old, mutant.new, mutant.start - text.rfind("\n", 0, mutant.start)

    first, others, rank, seen = [], [], {}, {}
    for here in places(kernel, text):
        here.sort(key=lambda mutant: order(change(mutant)))
        first.append(here[0])
        others.extend(here[1:])
    for mutant in first + others:  # equal changes of equal lines are told apart by their number
        seen[change(mutant)] = seen.get(change(mutant), 0) + 1
        rank[mutant] = order(change(mutant), seen[change(mutant)])
    return sorted(first, key=rank.get) + sorted(others, key=rank.get), len(first)

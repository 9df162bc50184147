#!/usr/bin/env python3
"""Lists the public API of a crate, one item a line, from rustdoc's JSON: api.py target/doc/quadrille.json > docs/api.txt."""

import json
import sys


def listed(parts, begin="", end=""):
    parts = list(parts)
    return begin + ", ".join(parts) + end if parts else ""


def path(of):
    return of["path"].rsplit("::", 1)[-1] + arguments(of.get("args"))


def arguments(args):
    if not args:
        return ""
    if "parenthesized" in args:
        call = args["parenthesized"]
        return "(" + listed(map(kind, call["inputs"])) + ")" + output(call["output"])
    if "angle_bracketed" not in args:
        return ""
    found = [argument(a) for a in args["angle_bracketed"]["args"]]
    for bound in args["angle_bracketed"]["constraints"]:
        binding = bound["binding"]
        is_type = "equality" in binding
        found.append(bound["name"] + (f" = {argument(binding['equality'])}" if is_type else f": {bounds(binding['constraint'])}"))
    return listed(found, "<", ">")


def argument(a):
    if a == "infer":
        return "_"
    (name, value), = a.items()
    return kind(value) if name == "type" else value if name == "lifetime" else value["expr"]


def bounds(all_of_them):
    def one(bound):
        (name, value), = bound.items()
        if name == "trait_bound":
            return ("?" if value["modifier"] == "maybe" else "") + path(value["trait"])
        return value if name == "outlives" else f"use<{value}>"
    return " + ".join(one(bound) for bound in all_of_them)


def output(given):
    return f" -> {kind(given)}" if given else ""


def kind(of):
    """A type, as it is written."""
    if of == "infer":
        return "_"
    (name, value), = of.items()
    if name in ("primitive", "generic"):
        return "!" if value == "never" else value
    if name == "resolved_path":
        return path(value)
    if name == "borrowed_ref":
        lifetime = value["lifetime"] + " " if value["lifetime"] else ""
        return "&" + lifetime + ("mut " if value["is_mutable"] else "") + kind(value["type"])
    if name == "slice":
        return f"[{kind(value)}]"
    if name == "array":
        return f"[{kind(value['type'])}; {value['len']}]"
    if name == "tuple":
        return "(" + ", ".join(map(kind, value)) + ")"
    if name == "impl_trait":
        return "impl " + bounds(value)
    if name == "dyn_trait":
        traits = [path(each["trait"]) for each in value["traits"]] + [value["lifetime"]] * bool(value["lifetime"])
        return "dyn " + " + ".join(traits)
    if name == "qualified_path":
        return f"{kind(value['self_type'])}::{value['name']}"
    if name == "raw_pointer":
        return ("*mut " if value["is_mutable"] else "*const ") + kind(value["type"])
    if name == "function_pointer":
        sig = value["sig"]
        return "fn(" + listed(kind(each) for _, each in sig["inputs"]) + ")" + output(sig["output"])
    return name


def generics(of):
    def parameter(each):
        (name, value), = each["kind"].items()
        if name == "type":
            return None if value["is_synthetic"] else each["name"] + (": " + bounds(value["bounds"]) if value["bounds"] else "")
        return each["name"] if name == "lifetime" else f"const {each['name']}: {kind(value['type'])}"
    return listed(filter(None, map(parameter, of["params"])), "<", ">")


def where(of):
    def predicate(each):
        (name, value), = each.items()
        if name == "bound_predicate":
            return f"{kind(value['type'])}: {bounds(value['bounds'])}"
        return f"{value['lifetime']}: {' + '.join(value['outlives'])}" if name == "lifetime_predicate" else name
    return listed(map(predicate, of["where_predicates"]), " where ")


class Listing:
    def __init__(self, crate):
        self.index, self.lines, self.listed = crate["index"], set(), {}
        root = self.index[str(crate["root"])]
        # Level by level, so that what is exported again stands where its path is shortest.
        modules = [(root, root["name"])]
        for module, name in modules:
            for item in self.items(module["inner"]["module"]["items"]):
                self.item(item, name, modules)

    def items(self, ids):
        return [self.index[str(each)] for each in ids if each is not None and str(each) in self.index]

    def item(self, item, before, modules):
        (what, inner), = item["inner"].items()
        name = f"{before}::{item['name']}"
        if what == "use":
            found = self.index.get(str(inner["id"]))
            if found is None:
                self.lines.add(f"use {before}::{inner['name']} = {inner['source']}")
            elif inner["is_glob"]:
                modules.append((found, before))
            else:
                self.item({**found, "name": inner["name"]}, before, modules)
            return
        first = self.listed.setdefault(item["id"], name)
        if first != name:
            self.lines.add(f"use {name} = {first}")
        elif what == "module":
            self.lines.add(f"mod {name}")
            modules.append((item, name))
        elif what == "function":
            self.function(item, name)
        elif what in ("struct", "enum", "union"):
            self.lines.add(f"{what} {name}{generics(inner['generics'])}{where(inner['generics'])}")
            if what == "enum":
                for variant in self.items(inner["variants"]):
                    self.fields(variant["inner"]["variant"]["kind"], f"{name}::{variant['name']}", "variant")
            elif what == "struct":
                self.fields(inner["kind"], name, "")
            traits = set()
            for each in self.items(inner["impls"]):
                self.implementation(each["inner"]["impl"], name, traits)
            if traits:
                self.lines.add(f"impl {name}: {', '.join(sorted(traits))}")
        elif what == "trait":
            above = ": " + bounds(inner["bounds"]) if inner["bounds"] else ""
            self.lines.add(f"trait {name}{generics(inner['generics'])}{above}{where(inner['generics'])}")
            for each in self.items(inner["items"]):
                self.member(each, name)
        elif what == "type_alias":
            self.lines.add(f"type {name}{generics(inner['generics'])} = {kind(inner['type'])}")
        elif what in ("constant", "static"):
            self.lines.add(f"{what} {name}: {kind(inner['type'])}")
        else:
            self.lines.add(f"{what} {name}")

    def fields(self, form, name, what):
        if what:
            self.lines.add(f"{what} {name}")
        if form == "unit" or form == "plain" or not isinstance(form, dict):
            return
        (_, fields), = form.items()
        ids = fields if isinstance(fields, list) else fields["fields"]
        for each in self.items(ids):
            self.lines.add(f"field {name}.{each['name']}: {kind(each['inner']['struct_field'])}")

    def implementation(self, inner, name, traits):
        if inner["is_synthetic"] or inner["blanket_impl"] or path(inner["trait"] or {"path": ""}) == "StructuralPartialEq":
            return
        if inner["trait"]:
            traits.add(path(inner["trait"]))
            return
        for each in self.items(inner["items"]):
            self.member(each, name)

    def member(self, item, before):
        (what, inner), = item["inner"].items()
        name = f"{before}::{item['name']}"
        if what == "function":
            self.function(item, name)
        elif what == "assoc_const":
            self.lines.add(f"constant {name}: {kind(inner['type'])}")
        else:
            self.lines.add(f"type {name}")

    def function(self, item, name):
        inner = item["inner"]["function"]
        sig = inner["sig"]

        def one(parameter, given):
            if parameter == "self":
                return "self" if "generic" in given else kind(given).replace("Self", "self")
            return f"{parameter}: {kind(given)}"

        words = "".join(word + " " for word in ("const", "unsafe") if inner["header"][f"is_{word}"])
        given = listed(one(*each) for each in sig["inputs"])
        of = inner["generics"]
        provided = "" if inner["has_body"] else " (required)"
        self.lines.add(f"{words}fn {name}{generics(of)}({given}){output(sig['output'])}{where(of)}{provided}")


def key(line):
    """Sorts by path, not by the kind of item."""
    return line[line.index("quadrille::"):], line


with open(sys.argv[1], encoding="utf-8") as file:
    print("\n".join(sorted(Listing(json.load(file)).lines, key=key)))

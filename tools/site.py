"""Packs what tools/site.sh has built into target/site, and says what it weighs.

tools/site.py GLUE [DEMO]            the gallery and all demos, or one demo in one file
tools/site.py GLUE --exercises       the page of exercises

--quick packs the gallery or the exercises for tests, in target/web/site: at once, and not as small as can be.
"""

import base64
import gzip
import json
import pathlib
import re
import subprocess
import sys

TARGET = "wasm32-unknown-unknown"
GLUE, *ASKED = pathlib.Path(sys.argv[1]), *sys.argv[2:]
QUICK, EXERCISES = "--quick" in ASKED, "--exercises" in ASKED
SITE = pathlib.Path("target/web/site" if QUICK else "target/site")
DEMO = next((word for word in ASKED if not word.startswith("--")), None)
PAGE = pathlib.Path("demos/web/page")
FONTS = pathlib.Path("demos/web/fonts")
CARDS = pathlib.Path("demos/gallery/thumbnails")


def cargo(*arguments):
    return subprocess.run(["cargo", *arguments], check=True, capture_output=True, text=True).stdout


def licences():
    """Every crate of the pages with its licence, and the texts, each once."""
    tree = cargo("tree", "--locked", "-p", "quadrille-web", "-p", "quadrille-web-exercises", "--target", TARGET, "-e", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}")
    packed = sorted({tuple(line.split()[:2]) for line in tree.splitlines() if line.strip()})
    metadata = json.loads(cargo("metadata", "--locked", "--format-version", "1", "--filter-platform", TARGET))
    packages = {(package["name"], "v" + package["version"]): package for package in metadata["packages"]}
    texts, lines = {}, []
    for name, version in packed:
        package = packages[name, version]
        lines.append(f"{name} {version[1:]}: {package['license'] or 'see its text'}")
        folder = pathlib.Path(package["manifest_path"]).parent
        files = [path for path in folder.iterdir() if path.name.upper().startswith(("LICEN", "COPYING", "NOTICE"))]
        fonts = [path for path in folder.glob("fonts/*.txt")]
        for path in sorted(path for path in files + fonts if path.is_file()):
            text = path.read_text(errors="replace").strip()
            texts.setdefault(text, []).append(f"{name} {version[1:]} ({path.name})")
    lines.append("The fonts of egui, cut to the letters in use: Ubuntu Light derivative Quadrille, Hack derivative Quadrille, egui-icons")
    for path in sorted(FONTS.glob("*.txt")):
        texts.setdefault(path.read_text(errors="replace").strip(), []).append(f"fonts ({path.name})")
    lines.append("The standard library of Rust: MIT OR Apache-2.0, https://github.com/rust-lang/rust")
    parts = [", ".join(names) + "\n\n" + text for text, names in texts.items()]
    return "\n".join(lines) + "\n\n" + ("\n\n" + "-" * 80 + "\n").join(["", *parts]) + "\n"


def plain(script):
    """A script without its comments of whole lines and its indentation. No text of more than one line is in it."""
    without = re.sub(r"(?ms)^\s*/\*.*?\*/\n", "", script)
    return re.sub(r"(?m)^[ \t]+", "", re.sub(r"(?m)^\s*//.*\n", "", without))


def pack(wasm, to):
    """The bytes of a file, as small as gzip has them."""
    if QUICK:
        to.write_bytes(gzip.compress(wasm.read_bytes(), 1))
        return to.read_bytes()
    tool = ["--quiet", "--locked", "--manifest-path", "tools/bindgen/Cargo.toml", "--target-dir", "target/bindgen", "--bin", "pack"]
    subprocess.run(["cargo", "run", *tool, "--", wasm, to], check=True)
    return to.read_bytes()


def zipped(text):
    return len(gzip.compress(text.encode(), 9))


def one_file(index, scripts, packed, pictures):
    """The page with all that belongs to it inside, which also opens from a folder."""
    index = "".join(line for line in index.splitlines(True) if 'rel="preload"' not in line)
    inside = f'<script id="wasm" type="text/plain">{base64.b64encode(packed).decode()}</script>\n'
    if pictures:
        inside += f"<script>window.cards = {json.dumps(pictures)}</script>\n"
    if DEMO:
        inside += f"<script>window.only = {json.dumps(DEMO)}</script>\n"
    for name, text in scripts.items():
        index = index.replace(f'<script src="{name}"></script>', (inside if name == "page.js" else "") + f"<script>\n{text}</script>")
    return index


def exercises():
    """The page of exercises: WebAssembly of its own, with their texts."""
    packed = pack(GLUE / "quadrille_web_exercises_bg.wasm", GLUE / "quadrille_web_exercises_bg.wasm.gz")
    (SITE / "exercise.bin").write_bytes(packed)
    texts = {"exercise.html": (PAGE / "exercise.html").read_text(), "exercise-glue.js": plain((GLUE / "quadrille_web_exercises.js").read_text())}
    texts |= {name: plain((PAGE / name).read_text()) for name in ("load.js", "exercise.js")}
    for name, text in texts.items():
        (SITE / name).write_text(text)
    weight = len(packed) + sum(map(zipped, texts.values()))
    print(f"site: {SITE}/exercise.html, {weight / 1e6:.2f} MB over the line")


def main():
    SITE.mkdir(parents=True, exist_ok=True)
    if EXERCISES:
        exercises()
        return
    packed = pack(GLUE / "quadrille_web_bg.wasm", GLUE / "quadrille_web_bg.wasm.gz")
    index = (PAGE / "index.html").read_text()
    scripts = {"glue.js": plain((GLUE / "quadrille_web.js").read_text()), "load.js": plain((PAGE / "load.js").read_text()), "page.js": plain((PAGE / "page.js").read_text())}
    (SITE / "LICENCES.txt").write_text(licences())
    if DEMO:
        one = one_file(index, scripts, packed, {})
        (SITE / f"{DEMO}.html").write_text(one)
        print(f"site: {SITE}/{DEMO}.html, {zipped(one) / 1e6:.2f} MB gzipped, {len(one) / 1e6:.2f} MB as a file")
        return
    # The WebAssembly is packed by us and not by the host, of which not every one does it, under a name that no host unpacks.
    (SITE / "quadrille.bin").write_bytes(packed)
    (SITE / "index.html").write_text(index)
    for name, text in scripts.items():
        (SITE / name).write_text(text)
    # Pictures of cards are files of their own, loaded as they are seen.
    (SITE / "cards").mkdir(exist_ok=True)
    files = {path.stem: path for path in sorted(CARDS.glob("*.png"))}
    files |= {path.stem + ".toml": path for path in sorted((CARDS / "equations").glob("*.png"))}
    for name, path in files.items():
        (SITE / "cards" / f"{name}.png").write_bytes(path.read_bytes())
    pictures = {name: "data:image/png;base64," + base64.b64encode(path.read_bytes()).decode() for name, path in files.items()}
    one = one_file(index, scripts, packed, pictures)
    (SITE / "quadrille.html").write_text(one)
    weight = len(packed) + zipped(index) + sum(map(zipped, scripts.values()))
    seen = sum(path.stat().st_size for path in files.values())
    print(f"site: {SITE}/index.html, {weight / 1e6:.2f} MB over the line, WebAssembly {len(packed) / 1e6:.2f} MB of it")
    print(f"site: {SITE}/cards, {seen / 1e6:.2f} MB, of which a card's {seen / len(files) / 1e3:.0f} kB come as it is seen")
    print(f"site: {SITE}/quadrille.html, the same in one file, {len(one) / 1e6:.2f} MB")


main()

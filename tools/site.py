"""Packs what tools/site.sh has built into target/site, and says what it weighs."""

import base64
import gzip
import json
import pathlib
import subprocess
import sys

TARGET = sys.argv[1]
SITE = pathlib.Path("target/site")
GLUE = pathlib.Path("target/bindgen/glue")
PAGE = pathlib.Path("demos/web/page")


def cargo(*arguments):
    return subprocess.run(["cargo", *arguments], check=True, capture_output=True, text=True).stdout


def licences():
    """Every crate of the page with its licence, and the texts, each once."""
    tree = cargo("tree", "--locked", "-p", "quadrille-web", "--target", TARGET, "-e", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}")
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
    lines.append("The standard library of Rust: MIT OR Apache-2.0, https://github.com/rust-lang/rust")
    parts = [", ".join(names) + "\n\n" + text for text, names in texts.items()]
    return "\n".join(lines) + "\n\n" + ("\n\n" + "-" * 80 + "\n").join(["", *parts]) + "\n"


def main():
    SITE.mkdir(parents=True, exist_ok=True)
    packed = gzip.compress((GLUE / "quadrille_web_bg.wasm").read_bytes(), 9, mtime=0)
    index = (PAGE / "index.html").read_text()
    scripts = {"glue.js": (GLUE / "quadrille_web.js").read_text(), "page.js": (PAGE / "page.js").read_text()}
    # The WebAssembly is packed by us and not by the host, of which not every one does it, under a name that no host unpacks.
    (SITE / "quadrille.bin").write_bytes(packed)
    (SITE / "index.html").write_text(index)
    one = index
    wasm = f'<script id="wasm" type="text/plain">{base64.b64encode(packed).decode()}</script>\n'
    for name, text in scripts.items():
        (SITE / name).write_text(text)
        one = one.replace(f'<script src="{name}"></script>', (wasm if name == "page.js" else "") + f"<script>\n{text}</script>")
    (SITE / "quadrille.html").write_text(one)
    (SITE / "LICENCES.txt").write_text(licences())
    weight = len(packed) + sum(len(gzip.compress(text.encode(), 9)) for text in [index, *scripts.values()])
    print(f"site: target/site/index.html, {weight / 1e6:.2f} MB over the line, WebAssembly {len(packed) / 1e6:.2f} MB of it")
    print(f"site: target/site/quadrille.html, the same in one file, {len(one) / 1e6:.2f} MB")


main()

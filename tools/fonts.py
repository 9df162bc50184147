"""Cuts the fonts of egui to the letters that the page shows: demos/web/fonts. Run it again where a new sign is shown in a box.

    pip install fonttools; python3 tools/fonts.py

The originals are those of the crate epaint_default_fonts, which the program has whole.
"""

import json
import pathlib
import shutil
import subprocess

from fontTools import subset

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUT = ROOT / "demos" / "web" / "fonts"
# Latin, Greek and the signs of formulas: what kernels, equations and words of the gallery are written in, and what is near to it.
LETTERS = [
    (0x20, 0xFF), (0x300, 0x308), (0x370, 0x3FF), (0x1D40, 0x1D6A), (0x2010, 0x2026), (0x2030, 0x2044), (0x2070, 0x209C), (0x2102, 0x2124),
    (0x2153, 0x215E), (0x2190, 0x2195), (0x21D0, 0x21D4), (0x2200, 0x22C6), (0x2308, 0x230B), (0x25B2, 0x25CF), (0x2713, 0x2717), (0x27E8, 0x27E9),
]
FONTS = {"Ubuntu-Light": "UFL.txt", "Hack-Regular": "Hack-Regular.txt", "egui-icons": "egui-icons.txt"}


def main():
    metadata = subprocess.run(
        ["cargo", "metadata", "--locked", "--format-version", "1"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    packages = json.loads(metadata)["packages"]
    folder = next(pathlib.Path(package["manifest_path"]).parent for package in packages if package["name"] == "epaint_default_fonts") / "fonts"
    for name, licence in FONTS.items():
        # Without the hints of small sizes, which are half of a font.
        options = subset.Options(layout_features=[], hinting=False, drop_tables=["TTFA", "GPOS", "GSUB", "GDEF", "kern"])
        font = subset.load_font(folder / f"{name}.ttf", options)
        if name != "egui-icons":
            cutter = subset.Subsetter(options)
            cutter.populate(unicodes=[letter for first, last in LETTERS for letter in range(first, last + 1)])
            cutter.subset(font)
        # A font that was changed has a name of its own.
        for record in font["name"].names:
            if record.nameID in (1, 3, 4, 6, 16):
                font["name"].setName(f"{name} derivative Quadrille", record.nameID, record.platformID, record.platEncID, record.langID)
        subset.save_font(font, OUT / f"{name}.ttf", options)
        shutil.copy(folder / licence, OUT / licence)
        (OUT / licence).chmod(0o644)
        print(f"{name}: {(OUT / f'{name}.ttf').stat().st_size} bytes")


main()

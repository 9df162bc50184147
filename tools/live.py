"""Gives each figure and each exercise of the book a button that opens it, in a book that lies beside the page: tools/live.py FOLDER.

A chapter says `<!-- live: ?demo=heat&size=64x64 -->`, an address of the page; a file behind it is the text of a new kernel. Opening the
fold loads the page into a frame: no script, and nothing before somebody asks for it. Without the page the comment is nothing. Below the
heading *Exercises* each name of an exercise gets a fold of its own.
"""

import html
import pathlib
import re
import sys
import urllib.parse

LIVE = re.compile(r"<!-- live: (\?\S+) (\S+ )?-->")
STYLE = """<style>
.live summary, .exercise summary { display: inline-block; cursor: pointer; padding: .3em 1em; border: 1px solid; border-radius: .3em }
.live iframe, .exercise iframe { display: block; width: 100%; height: min(36em, 90vh); margin: .7em 0; border: 0 }
@media print { .live, .exercise { display: none } }
</style>
"""


def frame(mark):
    address = "../index.html" + mark[1]
    if mark[2]:
        text = pathlib.Path(mark[2].strip()).read_text()
        address += "&kernel.new.frag=" + urllib.parse.quote(text, safe="")
    address = html.escape(address)
    return STYLE + fold("live", "Run it here", address, "The figure, running")


def fold(kind, words, address, title):
    own = f'<a href="{address}" target="_blank">in a page of its own</a>'
    return f'<details class="{kind}"><summary>{words}</summary>\n<iframe loading="lazy" src="{address}" title="{title}"></iframe>{own}</details>'


def exercises(chapter):
    """A chapter with a fold for each exercise that it names, behind the last words about them."""
    before, heading, after = chapter.partition('<h2 id="exercises">')
    words, end, rest = after.partition("</main>")
    known = (name for name in re.findall(r"<code[^>]*>([a-z0-9-]+)</code>", words) if pathlib.Path("exercises", name).is_dir())
    folds = [fold("exercise", f"Open {name} here", f"../exercise.html?{name}", f"The exercise {name}") for name in known]
    return before + heading + words + "\n".join(folds) + end + rest, len(folds)


def main():
    folder, done, opened = pathlib.Path(sys.argv[1]), 0, 0
    for chapter in sorted(folder.glob("[0-9]*.html")):
        text, count = LIVE.subn(frame, chapter.read_text())
        text, folds = exercises(text)
        chapter.write_text(text)
        done, opened = done + count, opened + folds
    print(f"site: {folder}, {done} of its figures run, {opened} of its exercises open")


main()

"""Gives each figure of the book a button that runs it, in a book that lies beside the page: tools/live.py FOLDER.

A chapter says `<!-- live: ?demo=heat&size=64x64 -->`, an address of the page; a file behind it is the text of a new kernel. Opening the
fold loads the page into a frame: no script, and nothing before somebody asks for it. Without the page the comment is nothing.
"""

import html
import pathlib
import re
import sys
import urllib.parse

LIVE = re.compile(r"<!-- live: (\?\S+) (\S+ )?-->")
STYLE = """<style>
.live summary { display: inline-block; cursor: pointer; padding: .3em 1em; border: 1px solid; border-radius: .3em }
.live iframe { display: block; width: 100%; height: min(36em, 90vh); margin: .7em 0; border: 0 }
@media print { .live { display: none } }
</style>
"""


def frame(mark):
    address = "../index.html" + mark[1]
    if mark[2]:
        text = pathlib.Path(mark[2].strip()).read_text()
        address += "&kernel.new.frag=" + urllib.parse.quote(text, safe="")
    address = html.escape(address)
    own = f'<a href="{address}" target="_blank">in a page of its own</a>'
    return f'{STYLE}<details class="live"><summary>Run it here</summary>\n<iframe loading="lazy" src="{address}" title="The figure, running"></iframe>{own}</details>'


def main():
    folder, done = pathlib.Path(sys.argv[1]), 0
    for chapter in sorted(folder.glob("[0-9]*.html")):
        text, count = LIVE.subn(frame, chapter.read_text())
        chapter.write_text(text)
        done += count
    print(f"site: {folder}, {done} of its figures run")


main()

#!/bin/sh
# Builds the page: static files in target/site, which any host of files can show.
#
#   tools/site.sh          the gallery and all demos: index.html, and quadrille.html, the same in one file, which also opens from a folder;
#                          exercise.html, the exercises of the book
#   tools/site.sh DEMO     DEMO.html: that demo alone, in one file
#   tools/site.sh --quick  the gallery and the exercises for tests, in target/web/site, and the page of the library's tests: built in a third of the time,
#                          and ten times as heavy
#
# LICENCES.txt is what is packed into them.
set -eu
cd "$(dirname "$0")/.."

if ! command -v python3 >/dev/null 2>&1; then
    echo 'site: python3 is missing; it comes with the system' >&2
    exit 1
fi
if [ "${1:-}" = --quick ]; then
    tools/wasm.sh web-quick quadrille-web target/bindgen/quick quadrille-web-exercises target/bindgen/quick quadrille-web-tests target/web/glue
    python3 tools/site.py target/bindgen/quick --quick
    python3 tools/site.py target/bindgen/quick --exercises --quick
    exit
fi
glue=target/bindgen/${1:-glue}
if [ $# -gt 0 ]; then export QUADRILLE_ONLY="$1"; fi
tools/wasm.sh web quadrille-web "$glue"
python3 tools/site.py "$glue" "$@"
if [ $# -eq 0 ]; then
    tools/wasm.sh web quadrille-web-exercises target/bindgen/exercises
    python3 tools/site.py target/bindgen/exercises --exercises
fi

#!/bin/sh
# Draws the film strips of the book anew: tools/strips.sh QUADRILLE runs each line of the chapters that begins with
# `quadrille trace --strip docs/figures/book/`.
set -eu
quadrille=$1
cd "$(dirname "$0")/.."
grep -h '^quadrille trace --strip docs/figures/book/' docs/book/src/*.md | while read -r line; do
    eval "$quadrille ${line#quadrille }" </dev/null >/dev/null
done

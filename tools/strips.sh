#!/bin/sh
# Draws the film strips of the book anew: tools/strips.sh QUADRILLE runs each line of the chapters that begins with
# `quadrille trace --strip docs/figures/book/`.
set -eu
quadrille=$1
cd "$(dirname "$0")/.."
lines=$(grep -h '^quadrille trace --strip docs/figures/book/' docs/book/src/*.md) || { echo 'no chapter has a film strip' >&2; exit 1; }
printf '%s\n' "$lines" | while read -r line; do
    eval "$quadrille ${line#quadrille }" </dev/null >/dev/null
done

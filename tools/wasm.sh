#!/bin/sh
# Builds crates for pages: tools/wasm.sh PROFILE CRATE GLUE [CRATE GLUE]... writes GLUE/NAME_bg.wasm and GLUE/NAME.js, the script through which
# a page speaks with it. Crates that are built together share what they depend on. Exit status 1 where something is missing, in a line.
set -eu
cd "$(dirname "$0")/.."
profile=$1 target=wasm32-unknown-unknown
shift

say() { printf 'wasm: %s\n' "$*" >&2; }

if ! command -v rustc >/dev/null 2>&1; then
    say 'rustc is missing; Rust comes from https://rustup.rs'
    exit 1
fi
. tools/std.sh
if ! std_for "$target"; then
    say "$target: $std_hindrance"
    exit 1
fi
# With vectors of 128 bits, which every browser has that has DecompressionStream.
flags="-C target-feature=+simd128"
# The page of exercises computes little: it is built small before fast.
case " $* " in *" quadrille-web-exercises "*) small='--config profile.web.package.quadrille.opt-level="z"' ;; esac
# The page of one demo is to be small, too: it is built for that demo alone, and a panic stops it without words.
if [ -n "${QUADRILLE_ONLY:-}" ]; then
    # Kernels that the page of the wave never asks for. It is the page whose weight is bounded.
    others='sim/clouds sim/contact sim/fluid sim/liquid sim/mesh sim/nbody sim/orbit sim/sandpile sim/voxel'
    pictures='view/box view/faces view/glow view/orbits view/particles view/sky view/squares view/volume'
    if [ "$QUADRILLE_ONLY" = wave ]; then export QUADRILLE_WITHOUT="bench/ matrix/ pde/ $others $pictures"; fi
    small='--config profile.web.package.quadrille.opt-level="z" --config profile.web.package.epaint.opt-level="z"'
    if [ -n "$std_source" ]; then flags="$flags -Z unstable-options -C panic=immediate-abort"; fi
fi
export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS="$flags"
# Short loops for sorting and formatting, and no names for a backtrace that a page never shows.
if [ "$profile" = web ]; then std_features=optimize_for_size; fi
packages='' place=0
for word; do
    place=$((place + 1))
    if [ $((place % 2)) -eq 1 ]; then packages="$packages -p $word"; fi
done
# A folder of its own: cargo would build what the host needs anew each time it is told of another standard library.
# shellcheck disable=SC2086
CARGO_TARGET_DIR="$folder" cargo_with_std build ${small:-} --locked --profile "$profile" $packages --target "$target"
if [ "$profile" = dev ]; then profile=debug; fi
# Functions that a page never runs are cut out of a build that the linker has seen as a whole; in other builds other functions call them.
if [ "$profile" != web ]; then export QUADRILLE_WHOLE=1; fi
while [ $# -gt 0 ]; do
    wasm=$folder/$target/$profile/$(printf %s "$1" | tr - _).wasm
    if ! cargo run --quiet --locked --manifest-path tools/bindgen/Cargo.toml --target-dir target/bindgen -- "$wasm" "$2"; then
        say 'wasm-bindgen, which writes the glue of a page, could not be built or run: see tools/bindgen'
        exit 1
    fi
    shift 2
done

#!/bin/sh
# Builds a crate for a page: tools/wasm.sh CRATE PROFILE GLUE writes GLUE/NAME_bg.wasm and GLUE/NAME.js, the script through which a
# page speaks with it. Exit status 1 where something is missing, in a line.
set -eu
cd "$(dirname "$0")/.."
crate=$1 profile=$2 glue=$3 target=wasm32-unknown-unknown

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
# The page of one demo is to be small: it is built for that alone, and a panic stops it without words.
if [ -n "${QUADRILLE_ONLY:-}" ]; then
    small='--config profile.web.package.quadrille.opt-level="z" --config profile.web.package.epaint.opt-level="z"'
    if [ -n "$std_source" ]; then flags="$flags -Z unstable-options -C panic=immediate-abort"; fi
fi
export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS="$flags"
# Short loops for sorting and formatting, and no names for a backtrace that a page never shows.
if [ "$profile" = web ]; then std_features=optimize_for_size; fi
# A folder of its own: cargo would build what the host needs anew each time it is told of another standard library.
# shellcheck disable=SC2086
CARGO_TARGET_DIR="$folder" cargo_with_std build ${small:-} --locked --profile "$profile" -p "$crate" --target "$target"
if [ "$profile" = dev ]; then profile=debug; fi
wasm=$folder/$target/$profile/$(printf %s "$crate" | tr - _).wasm
if ! cargo run --quiet --locked --manifest-path tools/bindgen/Cargo.toml --target-dir target/bindgen -- "$wasm" "$glue"; then
    say 'wasm-bindgen, which writes the glue of a page, could not be built or run: see tools/bindgen'
    exit 1
fi

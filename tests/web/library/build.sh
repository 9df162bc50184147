#!/bin/sh
# Builds the tests of the library for a page: target/web/glue. Then tests/web/library/run.py runs them.
set -eu
cd "$(dirname "$0")/../../.."

. tools/std.sh

target=wasm32-unknown-unknown
if ! std_for "$target"; then
    printf 'test-web: %s: %s\n' "$target" "$std_hindrance" >&2
    exit 1
fi
# A folder of its own: cargo would build what the host needs anew each time it is told of another standard library.
CARGO_TARGET_DIR="$folder" cargo_with_std build --locked -p quadrille-web-tests --target "$target"
cargo run --quiet --locked --manifest-path tools/bindgen/Cargo.toml --target-dir target/bindgen -- \
    "$folder/$target/debug/quadrille_web_tests.wasm" target/web/glue

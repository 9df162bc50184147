#!/bin/sh
# Builds the page: static files in target/site, which any host of files can show. index.html is the gallery and all demos;
# quadrille.html is the same in one file, which also opens from a folder; LICENCES.txt is what is packed into them.
set -eu
cd "$(dirname "$0")/.."

say() { printf 'site: %s\n' "$*" >&2; }

for needed in rustc python3; do
    if ! command -v "$needed" >/dev/null 2>&1; then
        say "$needed is missing; Rust comes from https://rustup.rs, Python 3 with the system"
        exit 1
    fi
done
. tools/std.sh

target=wasm32-unknown-unknown
if ! std_for "$target"; then
    say "$target: $std_hindrance"
    exit 1
fi
cargo_with_std build --locked --profile web -p quadrille-web --target "$target"
bindgen="cargo run --quiet --locked --manifest-path tools/bindgen/Cargo.toml --target-dir target/bindgen --"
if ! $bindgen "target/$target/web/quadrille_web.wasm" target/bindgen/glue; then
    say 'wasm-bindgen, which writes the glue of the page, could not be built or run: see tools/bindgen'
    exit 1
fi
python3 tools/site.py "$target"

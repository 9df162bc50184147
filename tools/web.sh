#!/bin/sh
# Tests the pages in a few minutes: `make test-web-quick`; docs/web.md has what it leaves out of `make test-web`.
#
# Where Chromium, Node.js, playwright-core or a standard library for wasm32 is not to be had within ten minutes, a line says so and nothing is
# run: exit status 0. It exits 1 when something does not build, or a test fails.
set -eu
cd "$(dirname "$0")/.."

. tools/std.sh

skipped() { printf 'web: skipped: %s\n' "$*"; exit 0; }

limit=''
if command -v timeout >/dev/null 2>&1; then limit='timeout 600'; fi
# shellcheck disable=SC2086
$limit tools/setup.sh web || skipped 'what the lines above name is missing'
if ! std_for wasm32-unknown-unknown; then skipped "$std_hindrance"; fi
# shellcheck disable=SC2086
$limit npm install --silent --no-audit --no-fund --no-save --prefix target/web playwright-core@1.65.1 || skipped 'npm found no playwright-core'

# The program comes with its tests, which `make test` has built before.
cargo test --quiet --locked --workspace --all-features --no-run --test cli
tools/site.sh --quick

# Two browsers at once, for two cores; SwiftShader's page is done when llvmpipe's has had its long lists.
log=target/web/quick.log
node demos/web/tests/page.mjs --quick swiftshader >"$log" 2>&1 &
other=$!
status=0
node demos/web/tests/page.mjs --quick llvmpipe || status=1
python3 tests/web/library/run.py --quiet --quick --limit 120 --engine llvmpipe || status=1
wait "$other" || status=1
cat "$log"
exit "$status"

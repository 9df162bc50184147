#!/bin/sh
# Checks that the sources compile for the systems that this machine is not.
#
#   tools/cross.sh          all of them
#   tools/cross.sh TARGET   one: wasm32-unknown-unknown, x86_64-pc-windows-gnu, x86_64-pc-windows-msvc or aarch64-apple-darwin
#
# `cargo check` links nothing, so no linker and no SDK is wanted. It wants the standard library of the target: the one that rustup
# has for it, or else its source, from rustup's rust-src or Debian's package of the same version (downloaded once, into
# target/cross, and not installed). Where there is neither, the check is skipped and says so: exit status 0.
# It exits 1 when something does not compile.
set -eu
cd "$(dirname "$0")/.."

. tools/std.sh

say() { printf 'cross: %s\n' "$*"; }

# check TARGET ARGUMENTS...
check() {
    target=$1
    shift
    if ! std_for "$target"; then
        say "$target is skipped: $std_hindrance"
        return 0
    fi
    if [ "$target" = x86_64-pc-windows-gnu ] && [ -n "$std_source" ] && ! tools/setup.sh cross; then
        say "$target is skipped: its standard library is built with x86_64-w64-mingw32-dlltool, which is not to be had"
        return 0
    fi
    say "$target: cargo check $*"
    CARGO_TARGET_DIR="$folder" cargo_with_std check --quiet --locked --target "$target" "$@"
}

of() {
    case $1 in
        wasm32-unknown-unknown)
            check "$1" -p quadrille --no-default-features --features script
            check "$1" -p quadrille-web
            check "$1" -p quadrille-web-exercises
            check "$1" -p quadrille-web-tests
            check "$1" -p quadrille-peers
            ;;
        x86_64-pc-windows-gnu | x86_64-pc-windows-msvc | aarch64-apple-darwin) check "$1" --workspace ;;
        *) echo "usage: tools/cross.sh [wasm32-unknown-unknown | x86_64-pc-windows-gnu | x86_64-pc-windows-msvc | aarch64-apple-darwin]" >&2 && exit 2 ;;
    esac
}

case $# in
    0) for each in wasm32-unknown-unknown x86_64-pc-windows-gnu aarch64-apple-darwin; do of "$each"; done ;;
    *) of "$1" ;;
esac

#!/bin/sh
# Checks that the sources compile for the systems that this machine is not.
#
#   tools/cross.sh          all of them
#   tools/cross.sh TARGET   one: wasm32-unknown-unknown, x86_64-pc-windows-msvc or aarch64-apple-darwin
#
# `cargo check` links nothing, so no linker and no SDK is wanted. It wants the standard library of the target: the one that rustup
# has for it, or else its source, from rustup's rust-src or Debian's package of the same version (downloaded once, into
# target/cross, and not installed). Where there is neither, the check is skipped and says so: exit status 0.
# It exits 1 when something does not compile.
set -eu
cd "$(dirname "$0")/.."

folder=$PWD/target/cross
mkdir -p "$folder"
version=$(rustc -vV | sed -n 's/^release: //p')

say() { printf 'cross: %s\n' "$*"; }

# The source of exactly this compiler's standard library: sets $source, or leaves it empty.
find_source() {
    source=$(rustc --print sysroot)/lib/rustlib/src/rust/library
    if [ -f "$source/std/src/lib.rs" ]; then return; fi
    source=$folder/usr/src/rustc-$version/library
    if [ -f "$source/std/src/lib.rs" ]; then return; fi
    download >"$folder/download.log" 2>&1 || true
    if [ ! -f "$source/std/src/lib.rs" ]; then source=''; fi
}

# Debian's package, from the mirror that this machine uses. apt's own lists stay as they are.
download() {
    command -v apt-get && command -v dpkg && [ -f /etc/apt/sources.list.d/debian.sources ]
    rm -rf "$folder/apt" && mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial" "$folder/apt/parts"
    sed -E 's/^Suites: .*/Suites: trixie-backports/' /etc/apt/sources.list.d/debian.sources |
        awk 'BEGIN { RS = ""; ORS = "\n\n" } !/security/' >"$folder/apt/parts/rust.sources"
    apt() {
        "apt-$1" -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$folder/apt/parts" \
            -o Dir::State::Lists="$folder/apt/lists" -o Dir::Cache="$folder/apt/cache" \
            -o APT::Sandbox::User=root -o Acquire::Languages=none "$2" "$3"
    }
    apt get update -q
    found=$(apt cache madison rust-src | awk -v version="$version+" '{ if (index($3, version) == 1) { print $3; exit } }')
    [ -n "$found" ]
    (cd "$folder" && apt get download "rust-src=$found")
    dpkg --fsys-tarfile "$folder"/rust-src_"$version"*.deb | tar -x -C "$folder" "./usr/src/rustc-$version/library"
    rm -rf "$folder/apt" "$folder"/rust-src_*.deb
}

# check TARGET ARGUMENTS...
check() {
    target=$1
    shift
    libraries=$(rustc --print target-libdir --target "$target")
    if [ -d "$libraries" ]; then
        build_std=''
    else
        if [ -z "${source+set}" ]; then find_source; fi
        if [ -z "$source" ]; then
            say "$target is skipped: no standard library for it, and no source of Rust $version's; rustup target add $target brings one"
            return 0
        fi
        export RUSTC_BOOTSTRAP=1 __CARGO_TESTS_ONLY_SRC_ROOT="$source"
        build_std=-Zbuild-std=std,panic_abort
    fi
    say "$target: cargo check $*"
    # Word splitting is meant: there is one word or none.
    # shellcheck disable=SC2086
    CARGO_TARGET_DIR="$folder" cargo check --quiet --locked --target "$target" $build_std "$@"
}

of() {
    case $1 in
        wasm32-unknown-unknown)
            check "$1" -p quadrille --no-default-features --features script
            check "$1" -p quadrille-web
            ;;
        x86_64-pc-windows-msvc | aarch64-apple-darwin) check "$1" --workspace ;;
        *) echo "usage: tools/cross.sh [wasm32-unknown-unknown | x86_64-pc-windows-msvc | aarch64-apple-darwin]" >&2 && exit 2 ;;
    esac
}

case $# in
    0) for each in wasm32-unknown-unknown x86_64-pc-windows-msvc aarch64-apple-darwin; do of "$each"; done ;;
    *) of "$1" ;;
esac

#!/bin/sh
# Builds the program for Windows and runs it under Wine, on llvmpipe and a screen of Xvfb: demos/program/tests/window/wine.rs.
#
# It is linked by mingw-w64, with the standard library that tools/std.sh finds. Where that, mingw-w64, Wine or Xvfb is not to be had, a
# line says so and nothing is run: exit status 0. It exits 1 when something does not build, or does on Windows what it should not.
set -eu
cd "$(dirname "$0")/.."

. tools/std.sh

say() { printf 'wine: %s\n' "$*"; }

target=x86_64-pc-windows-gnu
if [ "$(uname -s) $(uname -m)" != 'Linux x86_64' ]; then
    say 'skipped: Wine runs the program on Linux for x86_64'
    exit 0
fi
if ! std_for "$target"; then
    say "skipped: $std_hindrance"
    exit 0
fi
if ! tools/setup.sh wine; then
    say 'skipped: what the lines above name is missing'
    exit 0
fi

# Not optimised: it is compiled in half the time, and draws the same.
say "building the program for $target"
CARGO_TARGET_DIR="$folder/wine" CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=x86_64-w64-mingw32-gcc \
    cargo_with_std build --quiet --locked --target "$target" -p quadrille-program --no-default-features --features window --bin quadrille \
    --config 'profile.dev.opt-level=0' --config 'profile.dev.debug=false' --config 'profile.dev.package."*".opt-level=0'
built=$folder/wine/$target/debug

# Rust takes its random numbers from a library of Windows 7 and later that Wine 8 lacks. Its one function is that of an older one.
x86_64-w64-mingw32-gcc -shared -x c -o "$built/bcryptprimitives.dll" - -ladvapi32 <<'C'
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL ProcessPrng(PBYTE data, SIZE_T size) { return SystemFunction036(data, size); }
C

# Wine's own folder of settings, without the two downloads that it would offer.
export WINEPREFIX="$folder/wine/prefix" WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml='
env -u DISPLAY wine wineboot --init >"$folder/wine/boot.log" 2>&1 || { cat "$folder/wine/boot.log" >&2 && exit 1; }
# What it has started shares a desktop without a screen, on which there is no OpenGL: nothing of it is left when the program runs.
timeout 60 wineserver -w || wineserver -k
QUADRILLE_EXE="$built/quadrille.exe" cargo test --locked --workspace --all-features --test window -- --ignored wine_runs

#!/bin/sh
# Looks for what Quadrille needs from the system, and installs what is missing.
#
#   tools/setup.sh headless   a context without a window: the EGL loader and a driver
#   tools/setup.sh window     also what the program opens at run time for a window
#   tools/setup.sh test       also Xvfb and Mesa, on which the window test draws
#   tools/setup.sh cross      also the program that a standard library for Windows is built with
#   tools/setup.sh wine       also what the program for Windows is linked with, and Wine, in which it runs
#   tools/setup.sh web        Chromium and Node.js, in which the page is tested, and what `headless` wants
#
# Nothing is linked against, every library is opened at run time: no -dev package is wanted.
# Where everything is there it prints nothing, takes some milliseconds and starts no package manager.
# It exits 1 when something needed is still missing at the end, 2 when called wrongly.
set -eu

# One row a need: the first mode that wants it, how it is found, and the package that brings it.
#   lib:NAME      the dynamic linker knows the library NAME
#   egl-driver    an EGL driver that can run: the GPU vendor's own, or Mesa with its drawing part
#   mesa-driver   Mesa's drawing part itself (Xvfb knows no other)
#   program:NAME  NAME is in PATH
# brew has no column: macOS brings its OpenGL, and on Linux the libraries of brew
# lie where neither the dynamic linker nor a driver looks.
scan() {
    missing='' packages=''
    look_up_libraries
    while read -r wanted need apt dnf pacman; do
        is_wanted "$wanted" || continue
        is_there "$need" && continue
        case $need in
            egl-driver) name='an EGL driver' ;;
            mesa-driver) name="Mesa's driver" ;;
            *) name=${need#*:} ;;
        esac
        missing="$missing${missing:+, }$name"
        case $manager in
            apt-get) package=$apt ;;
            dnf) package=$dnf ;;
            pacman) package=$pacman ;;
            *) package=$apt ;; # named in the message only
        esac
        case " $packages " in
            *" $package "*) ;;
            *) packages="$packages${packages:+ }$package" ;;
        esac
    done <<'TABLE'
headless  lib:libEGL.so.1             libegl1             libglvnd-egl          libglvnd
headless  egl-driver                  libgl1-mesa-dri     mesa-dri-drivers      mesa
window    lib:libGL.so.1              libgl1              libglvnd-glx          libglvnd
window    lib:libXcursor.so.1         libxcursor1         libXcursor            libxcursor
window    lib:libXi.so.6              libxi6              libXi                 libxi
window    lib:libxkbcommon-x11.so.0   libxkbcommon-x11-0  libxkbcommon-x11      libxkbcommon-x11
window    lib:libX11-xcb.so.1         libx11-xcb1         libX11-xcb            libx11
window    lib:libXrandr.so.2          libxrandr2          libXrandr             libxrandr
wayland   lib:libxkbcommon.so.0       libxkbcommon0       libxkbcommon          libxkbcommon
wayland   lib:libwayland-client.so.0  libwayland-client0  libwayland-client     wayland
wayland   lib:libwayland-egl.so.1     libwayland-egl1     libwayland-egl        wayland
test      mesa-driver                 libgl1-mesa-dri     mesa-dri-drivers      mesa
test      lib:libGLX_mesa.so.0        libglx-mesa0        mesa-libGL            mesa
test      program:Xvfb                xvfb                xorg-x11-server-Xvfb  xorg-server-xvfb
web       program:chromium            chromium            chromium              chromium
web       program:npm                 npm                 nodejs-npm            npm
cross     program:x86_64-w64-mingw32-dlltool  binutils-mingw-w64-x86-64  mingw64-binutils  mingw-w64-binutils
wine      program:x86_64-w64-mingw32-gcc  gcc-mingw-w64-x86-64  mingw64-gcc  mingw-w64-gcc
wine      program:wine                wine                wine                  wine
TABLE
}

is_wanted() {
    case $1:$mode in
        headless:* | web:web | cross:cross | cross:wine | wine:wine | window:window | window:test | test:test | test:wine) return 0 ;;
        wayland:window | wayland:test) [ -n "${WAYLAND_DISPLAY:-}" ] ;;
        *) return 1 ;;
    esac
}

is_there() {
    case $1 in
        lib:*) has_library "${1#lib:}" ;;
        program:*) command -v "${1#program:}" >/dev/null 2>&1 ;;
        egl-driver) has_vendor_egl || has_mesa_driver ;;
        mesa-driver) has_mesa_driver ;;
    esac
}

# The dynamic linker's own list, read once (ldconfig is in /sbin, often not in a user's PATH).
look_up_libraries() {
    known_libraries=$(PATH="${PATH:-}:/sbin:/usr/sbin" ldconfig -p 2>/dev/null) || known_libraries=''
}

has_library() {
    case $known_libraries in
        *[[:space:]]"$1 ("*) return 0 ;;
    esac
    # LD_LIBRARY_PATH counts besides the list; the standard folders where there is no list (musl).
    found=1
    old_ifs=$IFS
    IFS=:
    for folder in ${LD_LIBRARY_PATH:-}; do
        if [ -n "$folder" ] && [ -e "$folder/$1" ]; then found=0; fi
    done
    IFS=$old_ifs
    if [ "$found" -ne 0 ] && [ -z "$known_libraries" ]; then
        if any_file "/lib/$1" "/usr/lib/$1" "/usr/lib64/$1" "/usr/local/lib/$1" "/run/opengl-driver/lib/$1"; then
            found=0
        fi
    fi
    return "$found"
}

# A driver other than Mesa announces itself to the EGL loader by a small JSON file. NVIDIA's is
# believed only if the library is there too: the file alone outlives a driver that was removed.
has_vendor_egl() {
    case ${__EGL_VENDOR_LIBRARY_FILENAMES:-} in
        '') ;;
        *mesa*) return 1 ;;
        *) [ -e "${__EGL_VENDOR_LIBRARY_FILENAMES%%:*}" ] && return 0 || return 1 ;;
    esac
    for vendor in /etc/glvnd/egl_vendor.d/*.json /usr/share/glvnd/egl_vendor.d/*.json \
        /run/opengl-driver/share/glvnd/egl_vendor.d/*.json; do
        case $vendor in
            *'*.json' | *mesa*) continue ;;
            *nvidia*) if has_library libEGL_nvidia.so.0; then return 0; fi ;;
            *) return 0 ;;
        esac
    done
    return 1
}

# Up to Mesa 24 the drawing part is swrast_dri.so; since then libgallium, which EGL opens itself.
has_mesa_driver() {
    any_file /usr/lib*/dri/swrast_dri.so /usr/lib/*/dri/swrast_dri.so \
        /usr/lib*/libgallium-*.so /usr/lib/*/libgallium-*.so \
        /usr/lib/xorg/modules/dri/swrast_dri.so /run/opengl-driver/lib/dri/swrast_dri.so \
        "${LIBGL_DRIVERS_PATH:-/nowhere}/swrast_dri.so"
}

any_file() {
    for file; do
        if [ -e "$file" ]; then return 0; fi
    done
    return 1
}

say() { printf 'setup: %s\n' "$*" >&2; }

# The command that installs $packages, as one line.
by_hand() {
    case $manager in
        apt-get) say "install by hand, as root: apt-get update && apt-get install --no-install-recommends $packages" ;;
        dnf) say "install by hand, as root: dnf install $packages" ;;
        pacman) say "install by hand, as root: pacman -Syu --needed $packages" ;;
        *) say "install by hand what brings them; on Debian and Ubuntu: apt-get install $packages" ;;
    esac
}

# Finds how to become root: sets $as_root, or says why not in $hindrance.
find_root() {
    as_root='' hindrance=''
    if [ -z "$manager" ]; then
        hindrance='no package manager known here (apt-get, dnf, pacman)'
    elif [ "$(id -u)" -eq 0 ]; then
        :
    elif ! command -v sudo >/dev/null 2>&1; then
        hindrance='not root, and there is no sudo'
    elif sudo -n true >/dev/null 2>&1; then
        as_root='sudo -n'
    elif [ -t 0 ] && [ -t 2 ]; then
        as_root='sudo'
        say 'sudo may ask for your password'
    else
        hindrance='sudo wants a password, and there is no terminal to ask on'
    fi
}

# Installs $packages; the package manager's own words are shown only if it fails.
install() {
    say "installing $packages with $manager"
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    trap 'exit 130' HUP INT TERM
    # Word splitting is meant: $as_root is a command or nothing, $packages a list.
    # shellcheck disable=SC2086
    case $manager in
        apt-get)
            apt="$as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=120"
            $apt -o APT::Update::Error-Mode=any update >"$log" 2>&1 || say 'apt-get update failed; going on with the package lists at hand'
            $apt install --no-install-recommends $packages >>"$log" 2>&1 && return 0
            ;;
        dnf) $as_root dnf -y install --setopt=install_weak_deps=False $packages >"$log" 2>&1 && return 0 ;;
        pacman) $as_root pacman -S --needed --noconfirm $packages >"$log" 2>&1 && return 0 ;;
    esac
    say "$manager failed:"
    { grep -E '^(E|W|error|Error|Failed)' "$log" || tail -n 5 "$log"; } | head -n 8 | sed 's/^/    /' >&2
    return 1
}

system_needs() {
    manager=''
    for name in apt-get dnf pacman; do
        if command -v "$name" >/dev/null 2>&1; then
            manager=$name
            break
        fi
    done
    scan
    if [ -z "$missing" ]; then return 0; fi
    find_root
    if [ -n "$hindrance" ]; then
        say "missing: $missing; cannot install: $hindrance"
        by_hand
        return 1
    fi
    if ! install; then
        by_hand
        return 1
    fi
    scan
    if [ -n "$missing" ]; then
        say "installed, but still not found: $missing"
        return 1
    fi
}

# Rust and the linker are named, not installed: how Rust comes to a machine is its owner's choice.
build_needs() {
    complete=0
    if ! command -v cargo >/dev/null 2>&1; then
        complete=1
        if [ -x "${CARGO_HOME:-${HOME:-}/.cargo}/bin/cargo" ]; then
            say "cargo is installed but not in PATH; add it: . \"${CARGO_HOME:-${HOME:-}/.cargo}/env\""
        else
            say 'cargo is missing; get Rust from https://rustup.rs'
        fi
    fi
    if ! command -v cc >/dev/null 2>&1; then
        complete=1
        if [ "$system" = Darwin ]; then
            say 'cc, the linker, is missing; get it by: xcode-select --install'
        else
            say 'cc, the linker, is missing; it comes with gcc (Debian and Ubuntu: build-essential)'
        fi
    fi
    return "$complete"
}

usage='usage: tools/setup.sh headless | window | test | cross | wine | web'
mode=${1:-}
case $#:$mode in
    1:headless | 1:window | 1:test | 1:cross | 1:wine | 1:web) ;;
    1:-h | 1:--help) echo "$usage" && exit 0 ;;
    *) echo "$usage" >&2 && exit 2 ;;
esac

status=0
system=$(uname -s)
# macOS brings its OpenGL.
[ "$system" = Darwin ] || system_needs || status=1
build_needs || status=1
exit "$status"

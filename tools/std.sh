# The standard library of another target, for scripts that are at the root of the checkout: `. tools/std.sh`.
#
# std_for TARGET finds rustup's, or else its source; it returns 1 where there is neither, and $std_hindrance says so in a line.
# cargo_with_std ARGUMENTS... then runs cargo with what was found; $std_features are those of a standard library that is built from its source.

folder=$PWD/target/cross
mkdir -p "$folder"
version=$(rustc -vV | sed -n 's/^release: //p')

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

std_for() {
    std_source=''
    libraries=$(rustc --print target-libdir --target "$1")
    if [ -d "$libraries" ]; then return 0; fi
    if [ -z "${source+set}" ]; then find_source; fi
    std_source=$source
    if [ -z "$source" ]; then
        std_hindrance="no standard library for it, and no source of Rust $version's; rustup target add $1 brings one"
        return 1
    fi
}

cargo_with_std() {
    if [ -z "$std_source" ]; then
        cargo "$@"
    else
        RUSTC_BOOTSTRAP=1 __CARGO_TESTS_ONLY_SRC_ROOT="$std_source" cargo "$@" -Zbuild-std=std,panic_abort \
            ${std_features:+"-Zbuild-std-features=$std_features"}
    fi
}

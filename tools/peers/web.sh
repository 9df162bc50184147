#!/bin/sh
# The part of `make bench-peers` in a page: packs of the other libraries as they were when this was written, quadrille's side as WebAssembly, and the rounds.
# Arguments go to tools/peers/web.mjs.
set -eu
cd "$(dirname "$0")/../.."

# A package, its version, the SHA-256 of its file, and the folder that it gets. None of them needs another in a page.
packs=target/peers/web
mkdir -p "$packs"
while read -r package version sum folder; do
    if [ "$(cat "$packs/$folder/.pack" 2>/dev/null)" = "$sum" ]; then continue; fi
    file=$(cd "$packs" && npm pack --silent "$package@$version")
    if ! printf '%s  %s\n' "$sum" "$packs/$file" | sha256sum --check --quiet; then
        echo "peers: $package $version is not the file that was measured" >&2
        exit 1
    fi
    rm -rf "${packs:?}/$folder" && mkdir "$packs/$folder"
    tar -xzf "$packs/$file" -C "$packs/$folder" --strip-components 1
    rm "$packs/$file"
    echo "$sum" >"$packs/$folder/.pack"
done <<'TABLE'
regl              2.1.1    cff2389d59585bf3635302712ead044d989253a3d64c7415a5e7fdea43abc634  regl
three             0.187.0  ff540832ded0cfe919764d24a3d88f3e2a05f23303f876423e4f893841e90728  three
gpu-io            0.2.7    35cbd04209a734a5b83d5766dd9f42c44004154f6ed0e2ba11d59fc76d4ef2d1  gpu-io
gpu.js            2.24.1   e37a9518ef8199a3647ac268f51c12779e7f30c8d63ada6ee9b8fab735300315  gpu.js
@tensorflow/tfjs  4.22.0   56505c191e24116787477b3bb5bb1cc0cf1c2bdce8112b9c402a8a2d31cf2f00  tfjs
TABLE
npm install --silent --no-audit --no-fund --no-save --prefix target/web playwright-core@1.65.1
tools/wasm.sh web quadrille-peers target/bindgen/peers
node tools/peers/web.mjs "$@"

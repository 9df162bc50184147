#!/bin/sh
# Records the pictures of the gallery's cards: tools/thumbnails.sh QUADRILLE [DEMO...] writes demos/gallery/thumbnails/DEMO.png.
set -eu
quadrille=$1
shift
cd "$(dirname "$0")/.."
while read -r demo flags; do
    case " ${*:-$demo} " in *" $demo "*) ;; *) continue ;; esac
    # shellcheck disable=SC2086
    $quadrille demo "$demo" --headless $flags --out "demos/gallery/thumbnails/$demo.png"
done <<'LIST'
sandpile --size 223x139 --grains 24000
sort --size 224x140 --steps 34
histogram --size 224x140 --steps 40
branches --size 224x140 --way early-exit --steps 1
formats --size 112x70 --what gray-scott --steps 700
heat --size 224x140 --steps 2500
reaction-diffusion --size 224x140 --steps 3000
wave --size 128x80 --steps 100 --picture 224x140
wall --push 6 --steps 50 --picture 224x140 --form reference
smooth --steps 2 --picture 224x140
fluid --size 225x141 --scene channel --steps 180 --picture 224x140
nbody --bodies 1024 --steps 250 --picture 224x140
liquid --size 32x20x24 --steps 40 --picture 224x140
clouds --size 224x140 --spacing 26 --seed 2 --steps 700 --picture 224x140
LIST

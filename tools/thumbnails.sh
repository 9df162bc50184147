#!/bin/sh
# Records the pictures of the gallery's cards: tools/thumbnails.sh QUADRILLE [DEMO...] writes demos/gallery/thumbnails/DEMO.png, and beside them
# the table of their command lines, README.md. Those of equations are drawn by tools/figures.sh.
set -eu
quadrille=$1
shift
cd "$(dirname "$0")/.."
cards=demos/gallery/thumbnails
list() {
    cat <<'LIST'
sandpile --size 223x139 --grains 24000
sort --size 224x140 --steps 42
histogram --size 224x105 --steps 80
branches --size 224x140 --way early-exit --centre-x -0.7436 --centre-y 0.1318 --zoom 700 --trips 1500 --steps 1
formats --size 112x70 --what gray-scott --steps 700
heat --size 224x140 --steps 2500
reaction-diffusion --size 224x140 --steps 3000
wave --size 128x80 --steps 100 --picture 224x140
wall --push 6 --steps 50 --picture 224x140 --form reference
smooth --steps 2 --picture 224x140
fluid --size 225x141 --scene plume --steps 450 --picture 224x140
nbody --steps 330 --distance 0.6 --picture 224x140
liquid --size 32x20x24 --steps 40 --picture 224x140
clouds --size 106x70 --spacing 32 --thermals 8 --seed 4 --steps 100 --picture 224x140 --plain
LIST
}
list | while read -r demo flags; do
    case " ${*:-$demo} " in *" $demo "*) ;; *) continue ;; esac
    # shellcheck disable=SC2086
    $quadrille demo "$demo" --headless $flags --out "$cards/$demo.png"
done
{
    printf '# Cards of the gallery\n\n`make thumbnails` draws them; each by the line beside it.\n\n| | |\n|---|---|\n'
    list | while read -r demo flags; do
        printf '| ![%s](%s.png) | `quadrille demo %s --headless %s --out %s.png` |\n' "$demo" "$demo" "$demo" "$flags" "$demo"
    done
    printf '\nThose of equations are in [equations](equations), each by the line of [its picture](../../../docs/figures/equations/README.md).\n'
} >"$cards/README.md"

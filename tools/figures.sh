#!/bin/sh
# Draws the pictures of the shipped equations: tools/figures.sh QUADRILLE [NAME...] writes docs/figures/equations/NAME.png, the
# pictures of their cards in the gallery, and the table of their command lines in docs/figures/equations/README.md.
set -eu
quadrille=$1
shift
cd "$(dirname "$0")/.."
figures=docs/figures/equations
state=$(mktemp -d)
trap 'rm -r "$state"' EXIT
list() {
    cat <<'LIST'
gray-scott --scheme euler --steps 5000
schnakenberg --size 96x96 --scheme euler --step 0.006 --until 60
brusselator --size 96x96 --scheme euler --step 0.006 --until 40
fitzhugh-nagumo --scheme euler --until 500
ginzburg-landau --size 192x192 --until 100
swift-hohenberg --size 96x96 --scheme euler --step 0.03 --until 60
cahn-hilliard --until 150
allen-cahn --until 0.004
keller-segel --scheme euler --step 0.05 --set chi=8 --until 60
klausmeier --scheme euler --step 0.004 --until 40
lotka-volterra --until 16
thin-film --size 48x48 --step 0.001 --set G=1 --until 18
kuramoto-sivashinsky
schrodinger --until 17
wave --until 0.1 --view 3
sine-gordon --until 14
burgers --until 0.45
fisher --until 40 --size 1201 --step 0.02
bistable --until 40
barenblatt --until 1
plane-wave --until 10
heat --size 33x33 --step 0.0004 --until 0.4
disc --until 0.06
decay --until 12
ou --until 8
LIST
}
while read -r name flags; do
    case " ${*:-$name} " in *" $name "*) ;; *) continue ;; esac
    file=demos/equations/$name.toml
    # A line over time and its curve have the moments of the run, which no state holds.
    # shellcheck disable=SC2086
    $quadrille pde "$file" --headless $flags --picture 192x192 --out "$figures/$name.png" --save "$state/$name.npz"
    view=$(printf '%s\n' "$flags" | sed -n 's/.*\(--view [0-9]*\).*/\1/p')
    over=$(printf '%s\n' "$flags" | sed 's/--until [^ ]*//; s/--steps [^ ]*//; s/--view [^ ]*//')
    if grep -q '^grid.* size = [0-9]' "$file"; then
        # shellcheck disable=SC2086
        $quadrille pde "$file" --headless $flags --picture 224x140 --out "demos/gallery/thumbnails/equations/$name.png"
    else
        # shellcheck disable=SC2086
        $quadrille pde "$file" --headless $over $view --load "$state/$name.npz" --steps 0 --picture 224x140 \
            --out "demos/gallery/thumbnails/equations/$name.png"
    fi
done <<END
$(list)
END
{
    printf '# Pictures of the shipped equations\n\n`make figures` draws them; each by the line beside it.\n\n| | |\n|---|---|\n'
    list | while read -r name flags; do
        printf '| ![%s](%s.png) | `quadrille pde %s.toml --headless%s --picture 192x192 --out %s.png` |\n' \
            "$name" "$name" "$name" "${flags:+ $flags}" "$name"
    done
} >"$figures/README.md"

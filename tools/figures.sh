#!/bin/sh
# Draws the pictures of the documentation: tools/figures.sh QUADRILLE [NAME...] writes those of the demos, docs/figures/NAME.png, those of
# the shipped equations, docs/figures/equations/NAME.png, the cards of equations in the gallery, and beside both the table of their
# command lines, README.md. Those of the inspector are photographs of a page: docs/figures/README.md says of which.
set -eu
quadrille=$1
shift
cd "$(dirname "$0")/.."
demos() {
    cat <<'LIST'
channel fluid --scene channel --size 513x129 --steps 300
clouds clouds --size 240x160 --spacing 22.4 --thermals 14 --seed 2 --steps 150
nbody nbody --bodies 4096 --steps 450 --distance 0.62
plume fluid --size 161x193 --steps 450
reaction-diffusion reaction-diffusion --steps 5000
street fluid --scene street --size 193x129 --steps 400
streamlines fluid --scene vortices --steps 60 --streamlines --picture 384x384
slits wave --walls double-slit --steps 560 --edges reflecting
wall wall --push 6 --steps 60 --form reference
gates wall --stack gates --show forces --steps 240 --form reference
wave wave --steps 400 --size 512x256 --edges reflecting
LIST
}
demos | while read -r name demo flags; do
    case " ${*:-$name} " in *" $name "*) ;; *) continue ;; esac
    # shellcheck disable=SC2086
    $quadrille demo "$demo" --headless $flags --out "docs/figures/$name.png"
done
{
    printf '# Pictures of the demos\n\n`make figures` draws them; each by the line beside it.\n\n| | |\n|---|---|\n'
    demos | while read -r name demo flags; do
        printf '| ![%s](%s.png) | `quadrille demo %s --headless %s --out %s.png` |\n' "$name" "$name" "$demo" "$flags" "$name"
    done
    printf '\n`window.png` is a photograph of `cargo run --features window --example window` on Xvfb, `page.png` one of the page of `make serve` in Chromium.\n'
    printf '`examples/` has the film strips of the examples, which tests/examples/main.rs draws: `make figures`; [library.md](../library.md#examples) shows them.\n'
    printf '`inspector*.png` are photographs of the page that `quadrille trace --page` writes; [inspector.md](../inspector.md) has the commands.\n'
    printf '`growth-llvmpipe.png` and `growth-h200.png` are drawn by `quadrille bench growth --plot`; [measured.md](../measured.md#how-cost-grows) has the command.\n'
} >docs/figures/README.md
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
swift-hohenberg
cahn-hilliard --until 150
allen-cahn --until 0.004
keller-segel --until 60
klausmeier --scheme euler --step 0.004 --until 40
lotka-volterra --until 350
thin-film
kuramoto-sivashinsky
schrodinger --until 17
wave --until 0.3
sine-gordon --until 14
burgers --until 0.45
fisher --until 40 --size 1201 --step 0.02
bistable --until 40
barenblatt --until 1
plane-wave --until 10
heat --size 33x33 --step 0.0004 --until 0.4
disc --until 0.2
decay --until 100
ou --until 8
LIST
}
while read -r name flags; do
    case " ${*:-$name} " in *" $name "*) ;; *) continue ;; esac
    file=demos/gallery/equations/$name.toml
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
    printf '\nA card of the gallery is the last state of the same run with `--picture 224x140`, of a line the whole run.\n'
} >"$figures/README.md"

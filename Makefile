# What a person does with a fresh clone. Each target brings what the system lacks (tools/setup.sh).

QUADRILLE = cargo run --release --locked --bin quadrille --
# Without windows, plots, collisions, prompt and benchmarks, and without the crates that only those need.
HEADLESS = cargo run --release --locked -p quadrille-program --no-default-features --bin quadrille --
KERNELS = $(shell find glsl -type f | sort)

# The output of each of two jobs in one piece, where this make can.
WHOLE_OUTPUT = $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)

.PHONY: help demo test cross tests-gl tests-gles bench mutants mutants-rust fuzz setup

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s  %s\n", $$1, $$2 }' Makefile

# With a display, a window; without one, the same pattern computed and written as a picture.
ifneq ($(strip $(DISPLAY)$(WAYLAND_DISPLAY)),)
demo: ## reaction-diffusion in a window, or as a picture where there is no display (ARGS=... is passed on)
	@tools/setup.sh window
	$(QUADRILLE) demo reaction-diffusion $(ARGS)
else
demo:
	@tools/setup.sh headless
	LP_NUM_THREADS=$${LP_NUM_THREADS:-0} $(HEADLESS) demo reaction-diffusion --headless --steps 5000 --out reaction-diffusion.png $(ARGS)
endif

test: ## format, lints, all tests on OpenGL and on OpenGL ES, wasm32, documentation, contents of the package
	@tools/setup.sh test
	@printf '\n== format\n'
	cargo fmt --all --check
	@printf '\n== lints\n'
	cargo clippy --locked --workspace --all-targets --all-features -- -D warnings
	cargo clippy --locked -p quadrille-program --no-default-features -- -D warnings
	@printf '\n== library, gallery and canvas compile for wasm32\n'
	tools/cross.sh wasm32-unknown-unknown
	@printf '\n== tests on OpenGL and on OpenGL ES, both at once\n'
	cargo test --locked --workspace --all-features --no-run
	@$(MAKE) --no-print-directory -j2 $(WHOLE_OUTPUT) tests-gl tests-gles
# The library alone (--lib): the program has the same name, and its pages would overwrite these.
	@printf '\n== documentation\n'
	RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --lib --no-deps --all-features
	@printf '\n== package: every kernel is in it\n'
	@test -n "$(KERNELS)" || { echo 'no kernel under glsl/' >&2; exit 1; }
	@list=$$(cargo package -p quadrille --locked --allow-dirty --no-verify --list) || exit 1; \
	for kernel in $(KERNELS); do \
	    printf '%s\n' "$$list" | grep -qxF "$$kernel" || { echo "$$kernel is not in the package" >&2; exit 1; }; \
	done
	@printf '\nAll stages passed.\n'

cross: ## checks that the sources compile for wasm32, Windows and macOS
	@tools/cross.sh

# LP_NUM_THREADS=0: llvmpipe draws in the thread that asks. Most passes of tests are so small that waking its own threads
# takes ten times as long as drawing, and the few runs that ever ended with a broken heap had them.
tests-gl tests-gles:
	@printf '\n== tests on OpenGL%s\n' $(if $(filter %-gles,$@),' ES')
	MAKEFLAGS= LP_NUM_THREADS=0 QUADRILLE_API=$(@:tests-%=%) cargo test --locked --workspace --all-features

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

# Each parser is a target of cargo-fuzz. No sanitizer: the code is safe Rust, and without one no nightly compiler is needed.
# What makes a parser do something new is kept in target/fuzz/corpus, an input that breaks one in target/fuzz/found. The tests replay
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

setup: ## installs what running and testing need from the system
	@tools/setup.sh test

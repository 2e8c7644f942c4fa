# Everything a fresh clone needs, with Rust (https://rustup.rs), make and a C linker at hand. `make help` lists the targets.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

CARGO_DENY_VERSION := 0.20.2
TOOLS := $(CURDIR)/.tools
CARGO_DENY := $(TOOLS)/bin/cargo-deny-$(CARGO_DENY_VERSION)
CARGO_FUZZ_VERSION := 0.13.2
CARGO_FUZZ := $(TOOLS)/bin/cargo-fuzz-$(CARGO_FUZZ_VERSION)
ENGINES := stockfish gnuchess toga2 glaurung
CONFIG ?= config/rookery.toml
FUZZ_SECONDS ?= 30
FUZZ_TARGETS ?= $(notdir $(wildcard fuzz/seeds/*))

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: page ## Release binaries and libraries under target/release, with the page where npm is there
	cargo build --release --locked -p rookery -p ai-basic1 -p ai-huo1 -p ai-uci

PAGE := host/web/dist/index.html
PAGE_PACKAGES := host/web/node_modules/.package-lock.json
PAGE_SOURCES := $(wildcard host/web/*.* host/web/public/* host/web/src/* host/web/src/*/* host/src/http/docs/palette.css)

.PHONY: page
page: ## The page that the host serves at `/`; passed over where npm is not there
	@if scripts/node-suffices.sh; then $(MAKE) --no-print-directory $(PAGE); \
		else echo "Node.js 20.19 or later with npm is not here, so the binary is built without the page"; fi

$(PAGE): $(PAGE_PACKAGES) $(PAGE_SOURCES)
	cd host/web && npm run build

$(PAGE_PACKAGES): host/web/package-lock.json
	cd host/web && npm ci --no-audit --no-fund
	touch $@

.PHONY: test-web
test-web: ## The page in a real Chromium against a real server; pictures go to target/page
	scripts/web-tools.sh
	$(MAKE) --no-print-directory $(PAGE)
	cargo test --workspace --locked --no-run
	cd host/web && npm test

.PHONY: run
run: build ## Build, and serve on 127.0.0.1:8080 (CONFIG=... for another configuration)
	target/release/rookery serve --config $(CONFIG)

.PHONY: test
test: page engines uci-tools fmt clippy doc deny ## Everything: formatting, lints, docs, licences, then all tests
	mkdir -p target
	cargo test --workspace --locked --no-fail-fast 2>&1 | tee target/test.log
	@awk '/^test result:/ { passed += $$4; failed += $$6 } END { print passed + 0 " passed, " failed + 0 " failed"; exit failed > 0 || passed == 0 }' target/test.log
	$(MAKE) --no-print-directory test-web

UCI_GAMES ?= 100
UCI_PLACES ?= 1

.PHONY: uci-tools
uci-tools: ## Install what the tests of `rookery uci` play with: Stockfish and python-chess
	scripts/uci-tools.sh

.PHONY: test-uci
test-uci: build ## Whole games of `rookery uci` against Stockfish at 1 s + 0.1 s (UCI_GAMES=100, UCI_PLACES=1 at a time)
	$$(scripts/uci-tools.sh) scripts/play_uci.py --rookery target/release/rookery --config $(CONFIG) \
		--games $(UCI_GAMES) --concurrency $(UCI_PLACES)

API_EXAMPLES ?= 50

.PHONY: test-api
test-api: build ## Hold a real server to its OpenAPI document with schemathesis (API_EXAMPLES=50 for each call)
	scripts/test-api.sh target/release $(API_EXAMPLES)

.PHONY: engines
engines: ## Install the UCI engines that the tests play with, from Debian's or Ubuntu's packages
	@missing=(); for engine in $(ENGINES); do [ -x /usr/games/$$engine ] || missing+=("$$engine"); done; \
	if [ "$${#missing[@]}" -gt 0 ]; then \
		sudo=; [ "$$(id -u)" -eq 0 ] || sudo=sudo; \
		$$sudo apt-get update && $$sudo apt-get install --yes --no-install-recommends "$${missing[@]}"; \
	fi

.PHONY: fmt
fmt: ## Check the formatting
	cargo fmt --all --check
	rustfmt --check --edition 2024 fuzz/libfuzzer/targets/*.rs

.PHONY: clippy
clippy: ## Check the lints
	cargo clippy --workspace --all-targets --locked -- -D warnings

.PHONY: doc
doc: ## Build the documentation without warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked

.PHONY: deny
deny: $(CARGO_DENY) ## Check licences, bans and sources of the dependencies
	$(CARGO_DENY) --locked check licenses bans sources

# What is fuzzed has the versions that are served.
fuzz/libfuzzer/Cargo.lock: Cargo.lock
	cp Cargo.lock $@

$(CARGO_DENY):
	cargo install cargo-deny --locked --version $(CARGO_DENY_VERSION) --root $(TOOLS)
	mv $(TOOLS)/bin/cargo-deny $@

# Instruments are a thing of nightly compilers, or of a stable one that is told to be.
.PHONY: fuzz-smoke
fuzz-smoke: export RUSTC_BOOTSTRAP := 1
fuzz-smoke: $(CARGO_FUZZ) fuzz/libfuzzer/Cargo.lock ## Random input for every decoder, FUZZ_SECONDS=30 each (FUZZ_TARGETS=... for some)
	$(CARGO_FUZZ) build --fuzz-dir fuzz/libfuzzer
	for target in $(FUZZ_TARGETS); do \
		mkdir -p fuzz/libfuzzer/corpus/$$target; \
		$(CARGO_FUZZ) run --fuzz-dir fuzz/libfuzzer $$target fuzz/libfuzzer/corpus/$$target fuzz/seeds/$$target -- \
			-max_total_time=$(FUZZ_SECONDS) -rss_limit_mb=1024 -timeout=5 -print_final_stats=1; \
	done

$(CARGO_FUZZ):
	cargo install cargo-fuzz --locked --version $(CARGO_FUZZ_VERSION) --root $(TOOLS)
	mv $(TOOLS)/bin/cargo-fuzz $@

.PHONY: chaos
chaos: export CHAOS_SECONDS ?= 60
chaos: ## AIs that crash and hang, killed workers, swaps, 32 clients: CHAOS_SECONDS=60, CHAOS_SEED=...
	cargo test --locked -p rookery -p test-ais --no-run
	cargo test --locked -p rookery --test endurance chaos -- --nocapture

.PHONY: load
load: export LOAD_SECONDS ?= 30
load: ## A thousand connections and twice the load that can be served: LOAD_SECONDS=30, LOAD_CONNECTIONS=1000
	cargo test --locked -p rookery -p test-ais --no-run
	cargo test --locked -p rookery --test endurance load -- --nocapture

.PHONY: attack
attack: export ATTACK_LONG := 1
attack: export ATTACK_ROOKERY := $(CURDIR)/target/release/rookery
attack: build ## Hostile AIs and clients against the release build; the table goes to target/attack.md (ATTACK_ONLY=text for some)
	cargo test --locked -p rookery -p test-ais --no-run
	cargo test --locked -p rookery --test attack -- --nocapture

.PHONY: test-header
test-header: ## rookery_ai.h as C11, C17 and C++17, with gcc and clang, for i686, aarch64 and Windows too
	scripts/test-header.sh

.PHONY: freeze
freeze: ## The header and AIs of this version of the contract, in ai-api/frozen, for the tests of all later hosts
	scripts/freeze.sh

.PHONY: test-kernel
test-kernel: build ## Real cgroups and a clock that jumps, under Debian's kernel in qemu without KVM (KERNEL_MINUTES=10)
	scripts/test-kernel.sh target/release target/kernel

.PHONY: bench
bench: build ## Measure: move paths beside two peers, validation, search, what the host adds
	cargo bench --workspace --locked

.PHONY: clean
clean: ## Remove what was built
	cargo clean

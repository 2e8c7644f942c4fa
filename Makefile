# Builds, runs and tests Rookery. Needs Rust (https://rustup.rs), make, a C and a C++ compiler. `make help` lists the targets.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

CARGO_DENY_VERSION := 0.20.2
TOOLS := .tools
comma := ,
CARGO_DENY := $(TOOLS)/bin/cargo-deny-$(CARGO_DENY_VERSION)
CARGO_FUZZ_VERSION := 0.13.2
CARGO_FUZZ := $(TOOLS)/bin/cargo-fuzz-$(CARGO_FUZZ_VERSION)
CARGO_DEB_VERSION := 3.8.0
CARGO_DEB := $(TOOLS)/bin/cargo-deb-$(CARGO_DEB_VERSION)
MDBOOK_VERSION := 0.5.4
MDBOOK := $(TOOLS)/bin/mdbook-$(MDBOOK_VERSION)
CONFIG ?= config/rookery.toml
FUZZ_SECONDS ?= 30
FUZZ_TARGETS ?= $(notdir $(wildcard tools/fuzz/seeds/*))

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Every package includes the tools for assistants. Other builds include them only with MCP=1, because they take as long to compile as
# the fleet.
MCP ?=
# Set this to build for another processor, as in TARGET=aarch64-unknown-linux-gnu. See RELEASING.md.
TARGET ?=

.PHONY: build
build: ## Build release binaries and libraries in target/release (MCP=1 with tools for assistants)
	cargo build --release --locked $(if $(TARGET),--target $(TARGET)) -p rookery -p ai-basic1 -p ai-huo1 -p ai-nnue1 -p ai-uci \
		--no-default-features --features rookery/extras$(if $(MCP),$(comma)rookery/mcp)

PAGE_PACKAGES := host/web/node_modules/.package-lock.json

.PHONY: page
page: $(PAGE_PACKAGES) ## Rebuild host/web/dist, the page that is part of the binary; needs Node.js
	cd host/web && npm run build

$(PAGE_PACKAGES): host/web/package-lock.json
	cd host/web && npm ci --no-audit --no-fund
	touch $@

.PHONY: test-web
test-web: test-tools ## Test the page in Chromium against a server; screenshots go to target/page
	cargo test --workspace --locked --no-run
	cd host/web && npm run --silent check-format && npm test

.PHONY: run
run: build ## Build and serve on 127.0.0.1:8080 (CONFIG=FILE, MCP=1, ARENA=1 for an arena in target/arena.db)
	target/release/rookery serve --config $(CONFIG) $(if $(ARENA),--arena target/arena.db)

BASE ?= main

.PHONY: check
check: ## Check the crates that differ from BASE=main and the crates that use them: formatting, lints, unit tests; needs Python 3
	@tools/scripts/check.py $(BASE)

.PHONY: test
test: fmt clippy doc deny ## Check formatting, lints, docs and licences, then run the tests that need no external programs
	@tools/scripts/test.sh --workspace -- --skip foreign::

.PHONY: test-all
test-all: test-tools test ## Install engines, brokers, Node.js packages, Chromium and Valgrind, then run all tests
	$$(tools/scripts/ruff.sh) format --check . host/templates/python/*.py.in
	cargo check --locked -p rookery -p features --no-default-features --features rookery/mcp
	@tools/scripts/test.sh -p rookery --test host --test endurance --test attack -- foreign::
	@tools/scripts/test-clients.sh target/debug openapi-python-client openapi-fetch
	$(MAKE) --no-print-directory test-web
	$(MAKE) --no-print-directory bench-check
	$(MAKE) --no-print-directory test-claims

LONG_SUITES ?= advisories attack chaos load test-fleet test-package test-kernel test-api test-clients test-header test-uci test-engines fuzz-smoke

.PHONY: test-long
test-long: ## Run the long suites one after the other, before a release (LONG_SUITES=NAMES)
	@failed=; for suite in $(LONG_SUITES); do \
		SECONDS=0; $(MAKE) --no-print-directory $$suite && result=ok || { result=FAILED; failed+=" $$suite"; }; \
		echo "long suite $$suite: $$result after $$SECONDS s"; \
	done; [ -z "$$failed" ] || { echo "error: these suites failed:$$failed" >&2; exit 1; }

.PHONY: release-check
release-check: ## Check that versions, changelog and frozen files agree, then run every test, before a release
	tools/scripts/packages.sh python3
	tools/scripts/release_check.py
	$(MAKE) --no-print-directory test test-all
	$(MAKE) --no-print-directory test-long

.PHONY: test-tools
test-tools: ## Install the programs that test-all needs, from Debian's or Ubuntu's packages, or name the missing ones
	@tools/scripts/test-tools.sh
	@$(MAKE) --no-print-directory $(PAGE_PACKAGES)

.PHONY: fetch
fetch: $(CARGO_DENY) ## Download what test needs, to run it later without a network
	cargo fetch --locked

UCI_GAMES ?= 100
UCI_PLACES ?= 1

.PHONY: test-uci
test-uci: build ## Play `rookery uci` against Stockfish at 1 s + 0.1 s (UCI_GAMES=100, UCI_PLACES=1 in parallel)
	$$(tools/scripts/uci-tools.sh) tools/scripts/play_uci.py --rookery target/release/rookery --config $(CONFIG) \
		--games $(UCI_GAMES) --concurrency $(UCI_PLACES)

ENGINES ?=
FOLDERS ?=

.PHONY: test-engines
test-engines: build ## Add, play, match and remove third-party engines (ENGINES=NAME,NAME, FOLDERS=NAME=FOLDER, WRITE=1 for docs/lab/engines.md)
	tools/scripts/packages.sh python3
	tools/engines/gallery.py --rookery target/release/rookery --engines "$(ENGINES)" --folders "$(FOLDERS)" \
		$(if $(WRITE),--page docs/lab/engines.md)

CLAIMS ?=

.PHONY: test-claims
test-claims: build ## Check every claim of over 1,000 judged moves with python-chess (CLAIMS="--games 60 --seed 7")
	python=$$(tools/scripts/uci-tools.sh); $$python tools/claims/check.py --self-test; \
		$$python tools/claims/check.py --rookery target/release/rookery --strict $(CLAIMS)

API_EXAMPLES ?= 50

.PHONY: test-api
test-api: build ## Test a server against its OpenAPI document with schemathesis (API_EXAMPLES=50 per call)
	tools/scripts/test-api.sh target/release $(API_EXAMPLES)

CLIENTS ?=

.PHONY: test-clients
test-clients: build ## Generate clients from the OpenAPI document, check their types and play a game with each (CLIENTS=NAMES)
	tools/scripts/test-clients.sh target/release $(CLIENTS)

.PHONY: fmt
fmt: ## Check formatting
	cargo fmt --all --check
	cargo fmt --manifest-path tools/bench/Cargo.toml --check
	rustfmt --check --edition 2024 tools/fuzz/libfuzzer/src/bin/*.rs
	@# Checks the page only after `make page` or `make test-tools` has installed its packages.
	[ ! -x host/web/node_modules/.bin/prettier ] || npm --prefix host/web run --silent check-format

.PHONY: clippy
clippy: ## Check lints, warnings as errors
	cargo clippy --workspace --all-targets --locked -- -D warnings
	cargo clippy --workspace --lib --bins --locked -- -D warnings -D clippy::shadow_unrelated
	cargo clippy -p rookery -p features --lib --bins --locked --no-default-features -- -D warnings

.PHONY: doc
doc: ## Build the Rust documentation, warnings as errors
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked

.PHONY: docs
docs: $(MDBOOK) ## Build the book in target/book/docs from docs, after checking its links
	cargo test --locked -p rookery --test host readme::
	rm -rf target/book
	$(MDBOOK) build docs
	@# Copies the repository's files that the pages link to.
	for file in $$(grep -Eoh '\]\(\.\./[^)#]+|\]: \.\./.+' docs/*.md | grep -o '\.\./.*' | sort -u); do \
		install -D -m 644 "docs/$$file" "target/book/docs/$$file"; \
	done

# Leaves out the features for serving and watching a book.
$(MDBOOK):
	cargo install mdbook --locked --version $(MDBOOK_VERSION) --no-default-features --features search --root $(TOOLS)
	mv $(TOOLS)/bin/mdbook $@

.PHONY: deny
deny: $(CARGO_DENY) ## Check licences, bans and sources of dependencies
	$(CARGO_DENY) --locked check licenses bans sources

.PHONY: advisories
advisories: $(CARGO_DENY) ## Check dependencies for known vulnerabilities in the RustSec database from GitHub
	$(CARGO_DENY) --locked check advisories

# Fuzz targets use the server's dependency versions.
tools/fuzz/libfuzzer/Cargo.lock: Cargo.lock
	cp Cargo.lock $@

$(CARGO_DENY):
	tools/scripts/cargo-deny.sh $(CARGO_DENY_VERSION) $@

# RUSTC_BOOTSTRAP enables sanitizer flags in a stable compiler.
.PHONY: fuzz-smoke
fuzz-smoke: export RUSTC_BOOTSTRAP := 1
fuzz-smoke: export LSAN_OPTIONS := suppressions=$(CURDIR)/tools/fuzz/libfuzzer/leaks.txt
fuzz-smoke: $(CARGO_FUZZ) tools/fuzz/libfuzzer/Cargo.lock ## Fuzz every decoder (FUZZ_SECONDS=30 each, FUZZ_TARGETS=NAMES)
	$(CARGO_FUZZ) build --fuzz-dir tools/fuzz/libfuzzer
	for target in $(FUZZ_TARGETS); do \
		mkdir -p tools/fuzz/libfuzzer/corpus/$$target; \
		$(CARGO_FUZZ) run --fuzz-dir tools/fuzz/libfuzzer $$target tools/fuzz/libfuzzer/corpus/$$target tools/fuzz/seeds/$$target -- \
			-max_total_time=$(FUZZ_SECONDS) -rss_limit_mb=1024 -timeout=5 -print_final_stats=1; \
	done

.PHONY: compare
compare: build ## Compare how Rookery and python-chess read the PGN, EPD and FEN files in FILES=FOLDER
	$$(tools/scripts/uci-tools.sh) tools/fuzz/compare.py --rookery target/release/rookery $(if $(FILES),$(FILES),--self-test)

$(CARGO_FUZZ):
	cargo install cargo-fuzz --locked --version $(CARGO_FUZZ_VERSION) --root $(TOOLS)
	mv $(TOOLS)/bin/cargo-fuzz $@

.PHONY: chaos
chaos: export CHAOS_SECONDS ?= 60
chaos: ## Test with crashing AIs, killed workers, reloads and 32 clients (CHAOS_SECONDS=60, CHAOS_SEED=N)
	cargo test --locked -p rookery -p test-ais --no-run
	cargo test --locked -p rookery --test endurance chaos -- --nocapture

.PHONY: load
load: export LOAD_SECONDS ?= 30
load: ## Test with twice the load that the server can handle (LOAD_SECONDS=30, LOAD_CONNECTIONS=1000)
	cargo test --locked -p rookery -p test-ais --no-run
	cargo test --locked -p rookery --test endurance load -- --nocapture

.PHONY: test-fleet
test-fleet: export FLEET_SECONDS ?= 60
test-fleet: export FLEET_CANCELLATIONS ?= 10000
test-fleet: export FLEET_ANSWERS ?= 1000
test-fleet: export TESTED_ROOKERY := $(CURDIR)/target/release/rookery
test-fleet: build ## Kill, drain and upgrade servers behind HAProxy, and nodes behind NATS, under load (FLEET_SECONDS=60)
	tools/scripts/packages.sh haproxy nats-server
	cargo test --locked -p rookery -p test-ais --no-run
	cargo test --locked -p rookery --test endurance -- --nocapture replicas fleet

.PHONY: dist
dist: MCP := 1
dist: build $(CARGO_DEB) ## Make a Debian package, a tarball and wheels, with checksums, in target/dist
	@tools/scripts/package.sh $(CARGO_DEB) $(TARGET)

$(CARGO_DEB):
	cargo install cargo-deb --locked --version $(CARGO_DEB_VERSION) --root $(TOOLS)
	mv $(TOOLS)/bin/cargo-deb $@

.PHONY: test-package
test-package: dist ## Test the package, the units, the tarball, the wheels, the image and the manifests in a minimal Debian; needs root
	tools/scripts/test-image.sh
	tools/scripts/test-package.sh $(CARGO_DEB)

.PHONY: attack
attack: export ATTACK_LONG := 1
attack: export TESTED_ROOKERY := $(CURDIR)/target/release/rookery
attack: build ## Attack the release build with hostile AIs, clients, nodes and servers; results in target/attack*.md (ATTACK_ONLY=TEXT)
	tools/scripts/packages.sh nats-server
	cargo test --locked -p rookery -p test-ais --no-run
	@# Runs one suite at a time, because some attacks measure times.
	cargo test --locked -p rookery --test attack -- --nocapture --test-threads=1

.PHONY: test-header
test-header: ## Compile rookery_ai.h as C11, C17 and C++17, with gcc and clang, for four targets
	tools/scripts/test-header.sh

.PHONY: freeze
freeze: ## Store the header and AIs of this contract version in ai-api/frozen, for the tests of later hosts
	tools/scripts/freeze.sh

.PHONY: test-kernel
test-kernel: build ## Test cgroups and clock jumps with Debian's kernel in qemu without KVM (KERNEL_MINUTES=10)
	tools/scripts/test-kernel.sh target/release target/kernel

.PHONY: bench-check
bench-check: build ## Count instructions and allocations against their ceilings (WRITE=1 records new ones); needs Valgrind
	tools/scripts/packages.sh valgrind
	cargo bench --locked -p host-benches --bench instructions -- $(if $(WRITE),--write)

.PHONY: bench-peers
bench-peers: build ## Compare rules, games, searches, UCI, matches and HTTP with peers; installs them (BENCH_ROUNDS=5, FASTCHESS=FOLDER for matches)
	@tools/scripts/bench.sh rules games searches uci match http

.PHONY: bench
bench: build ## Run all benchmarks, including the host under load; report and plots go to target/bench (BENCH_ROUNDS=5)
	@tools/scripts/bench.sh

.PHONY: clean
clean: ## Remove build output
	cargo clean

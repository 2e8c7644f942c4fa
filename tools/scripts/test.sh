#!/usr/bin/env bash
# Runs `cargo test` with the given arguments and adds up the results of its test programs. Also
# fails if no test ran.
set -euo pipefail
cd "$(dirname "$0")/../.."

# Most tests spend most of their time waiting for processes.
export RUST_TEST_THREADS=${RUST_TEST_THREADS:-$((2 * $(nproc)))}
mkdir -p target
status=0
cargo test --locked --no-fail-fast "$@" 2>&1 | tee target/test.log || status=$?
# Repeats the reasons for failures, because they are far above the end of the output.
awk '/^---- .* stdout ----$/ { shown = 30 } /^failures:$/ { shown = 0 } shown-- > 0' target/test.log
awk '/^test result:/ { passed += $4; failed += $6 }
    END { print passed + 0 " passed, " failed + 0 " failed"; exit passed == 0 }' target/test.log
exit "$status"

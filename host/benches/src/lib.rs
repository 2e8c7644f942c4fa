//! What the benchmarks share.

use std::{env, path::PathBuf};

/// Returns the folder of the build that the benchmark is part of. `make build` builds the binary
/// and the AIs in it.
///
/// # Panics
/// If the binary is missing.
pub fn built() -> PathBuf {
    let benchmark = env::current_exe().expect("the path of a running program");
    let folder = benchmark.ancestors().nth(2).expect("a folder of builds");
    assert!(
        folder.join("rookery").exists(),
        "no rookery in {}; `make build` builds it",
        folder.display()
    );
    folder.to_path_buf()
}

/// Returns the `rookery` of this build.
///
/// # Panics
/// As [`built`].
pub fn rookery() -> PathBuf {
    built().join("rookery")
}

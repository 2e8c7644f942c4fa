//! Tells the crate which compiler builds it, for the note that every AI carries.

use std::{env, ffi::OsString, process::Command};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let compiler = env::var_os("RUSTC").unwrap_or_else(|| OsString::from("rustc"));
    let output = Command::new(compiler).arg("--version").output();
    let version = output
        .ok()
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .unwrap_or_default();
    let version = version
        .lines()
        .next()
        .filter(|line| line.starts_with("rustc "))
        .unwrap_or("rustc");
    println!("cargo::rustc-env=AI_API_COMPILER={version}");
}

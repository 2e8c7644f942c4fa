//! Rebuilds the host when its embedded page changes.

use std::env;

fn main() {
    // Development builds read the page at run time.
    let is_release = env::var("PROFILE").as_deref() == Ok("release");
    println!(
        "cargo::rerun-if-changed={}",
        if is_release {
            "../../web/dist"
        } else {
            "build.rs"
        }
    );
}

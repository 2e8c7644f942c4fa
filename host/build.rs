//! Builds the host anew when the page has been built anew.

use std::path::Path;

fn main() {
    // A path that is not there would count as changed each time.
    let watched = if Path::new("web/dist").exists() { "web/dist" } else { "web/src" };
    println!("cargo::rerun-if-changed={watched}");
}

//! Builds the host anew when the page that goes into it has been built anew.

use std::{env, path::Path};

fn main() {
    // Programs for development read the page where it lies. A path that is not there would count as changed each time.
    let watched = match (env::var("PROFILE").as_deref(), Path::new("../web/dist").exists()) {
        (Ok("release"), true) => "../web/dist",
        (Ok("release"), false) => "../web",
        _ => "build.rs",
    };
    println!("cargo::rerun-if-changed={watched}");
}

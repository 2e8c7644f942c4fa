//! What the manifests of the packages have in common.

use std::{collections::BTreeSet, path::Path, process::Command};

use serde_json::Value;

use super::root;

/// The packages of the workspace, as `cargo metadata` describes them.
pub(super) fn packages() -> Vec<Value> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(root()).args(["metadata", "--no-deps", "--offline", "--format-version", "1"]);
    let output = cargo.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    serde_json::from_value(metadata["packages"].take()).unwrap()
}

/// The library names of a package's normal dependencies, in order.
pub(super) fn dependencies(packages: &[Value], package: &str) -> Vec<String> {
    let named = |name: &Value| packages.iter().find(|package| package["name"] == *name);
    let all = named(&package.into()).unwrap()["dependencies"].as_array().unwrap();
    let normal =
        all.iter().filter(|dependency| dependency["kind"].is_null() && dependency["optional"] == false);
    let libraries = normal.map(|dependency| {
        let library =
            named(&dependency["name"]).map_or(&dependency["name"], |package| &package["targets"][0]["name"]);
        library.as_str().unwrap().replace('-', "_")
    });
    let mut libraries: Vec<_> = libraries.collect();
    libraries.sort();
    libraries
}

/// The dependencies of a package outside of the workspace, each with its features.
fn features_of_dependencies(package: &Value) -> BTreeSet<(String, String)> {
    let outside = package["dependencies"].as_array().unwrap().iter().filter(|of| of["path"].is_null());
    let features = outside.flat_map(|dependency| {
        let name = dependency["name"].as_str().unwrap();
        let default = dependency["uses_default_features"].as_bool().unwrap().then_some("default");
        let features =
            dependency["features"].as_array().unwrap().iter().map(|feature| feature.as_str().unwrap());
        let all: Vec<_> = ["any"].into_iter().chain(default).chain(features).collect();
        all.into_iter().map(move |feature| (name.to_owned(), feature.to_owned()))
    });
    features.collect()
}

#[test]
fn every_test_build_has_the_same_features() {
    let packages = packages();
    let named = |name: &str| packages.iter().find(|package| package["name"] == name).unwrap();
    let all = features_of_dependencies(named("features"));
    for package in &packages {
        let missing: Vec<_> = features_of_dependencies(package).difference(&all).cloned().collect();
        assert!(missing.is_empty(), "tools/features lacks {missing:?}, which {} uses", package["name"]);
        let dependencies = package["dependencies"].as_array().unwrap();
        let is_shared = dependencies.iter().any(|of| of["name"] == "features" && of["kind"] == "dev");
        // A benchmark is built with the features of a release.
        let is_apart = ["features", "host-benches"].contains(&package["name"].as_str().unwrap());
        assert!(
            is_shared != is_apart,
            "{}: `features` must be a dev-dependency of every tested package",
            package["name"]
        );
    }
}

#[test]
fn libraries_with_examples_in_their_documentation_test_them() {
    for package in packages() {
        let folder = Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap();
        for target in package["targets"].as_array().unwrap() {
            let kinds = target["kind"].as_array().unwrap();
            if !kinds.iter().any(|kind| kind == "lib" || kind == "rlib") {
                continue;
            }
            let folder = folder.join("src");
            let has_examples = super::sources(folder.strip_prefix(root()).unwrap().to_str().unwrap())
                .iter()
                .any(|(_, text)| text.lines().any(|line| is_start_of_example(line.trim_start())));
            assert_eq!(target["doctest"], has_examples, "`doctest` of {}", package["name"]);
        }
    }
}

fn is_start_of_example(line: &str) -> bool {
    line.starts_with("/// ```") || line.starts_with("//! ```") || line.starts_with("#[doc = include_str!")
}

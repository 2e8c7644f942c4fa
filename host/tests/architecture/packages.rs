//! What the manifests of the packages have in common.

use std::{collections::BTreeSet, fs, path::Path, process::Command};

use serde_json::Value;

use super::root;

/// Returns the packages of the workspace, as `cargo metadata` describes them.
pub(super) fn packages() -> Vec<Value> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(root()).args([
        "metadata",
        "--no-deps",
        "--offline",
        "--format-version",
        "1",
    ]);
    let output = cargo.output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let mut metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    serde_json::from_value(metadata["packages"].take()).unwrap()
}

/// A package that ships.
pub(super) struct Shipped {
    /// Its folder, from the root.
    pub(super) folder: String,
    /// The folders of the workspace packages that it uses.
    uses: BTreeSet<String>,
    /// The names of its other dependencies.
    foreign: BTreeSet<String>,
}

/// Returns the packages that ship: all except the tools, tests and benchmarks.
pub(super) fn shipped() -> Vec<Shipped> {
    let packages = packages();
    let folder_of = |manifest: &Path| {
        manifest
            .strip_prefix(root())
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned()
    };
    let shipped = packages.iter().map(|package| {
        let normal = package["dependencies"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|of| of["kind"].is_null());
        let (ours, foreign): (Vec<_>, Vec<_>) = normal.partition(|of| of["path"].is_string());
        let name = |dependency: &&Value| dependency["name"].as_str().unwrap().to_owned();
        let used = |dependency: &&Value| folder_of(Path::new(dependency["path"].as_str().unwrap()));
        let manifest = Path::new(package["manifest_path"].as_str().unwrap());
        Shipped {
            folder: folder_of(manifest.parent().unwrap()),
            uses: ours.iter().map(used).collect(),
            foreign: foreign.iter().map(name).collect(),
        }
    });
    shipped
        .filter(|package| {
            !["tools/", "host/tests", "host/benches"]
                .iter()
                .any(|apart| package.folder.starts_with(apart))
        })
        .collect()
}

/// Returns the code map in ARCHITECTURE.md: each crate's folder, and the folders of the crates that
/// it uses.
fn code_map() -> Vec<(String, BTreeSet<String>)> {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let tables = text.split("| crate | content | uses |").skip(1);
    let rows = tables
        .flat_map(|table| table.lines().skip(1).take_while(|line| !line.is_empty()))
        .filter(|line| line.starts_with("| `"))
        .map(|line| {
            let cells: Vec<_> = line.trim_matches('|').split('|').map(str::trim).collect();
            let [name, _, uses] = cells[..] else {
                panic!("{line}")
            };
            let uses = uses
                .split(", ")
                .filter(|name| !name.is_empty())
                .map(|name| {
                    ["crates", "extras"]
                        .map(|room| format!("host/{room}/{name}"))
                        .into_iter()
                        .find(|folder| root().join(folder).is_dir())
                        .unwrap_or_else(|| name.to_owned())
                });
            (
                name.trim_matches('`').trim_end_matches('/').to_owned(),
                uses.collect(),
            )
        });
    rows.collect()
}

#[test]
fn the_code_map_lists_each_crate_after_its_dependencies() {
    let map = code_map();
    let mut rows: Vec<_> = map.clone();
    rows.sort();
    let mut packages: Vec<_> = shipped()
        .into_iter()
        .map(|package| (package.folder, package.uses))
        .collect();
    packages.sort();
    assert_eq!(
        rows, packages,
        "the table in ARCHITECTURE.md does not match the manifests"
    );
    for (place, (name, uses)) in map.iter().enumerate() {
        for used in uses {
            assert!(
                map[..place].iter().any(|(below, _)| below == used),
                "{name} uses {used}, which is not below it"
            );
        }
    }
}

#[test]
fn ais_use_only_the_contract_and_the_libraries_for_authors() {
    for Shipped { folder, uses, .. } in shipped() {
        let is_of_host = |used: &String| used.starts_with("host");
        assert!(
            folder.starts_with("host") || !uses.iter().any(is_of_host),
            "{folder} uses {uses:?}"
        );
    }
}

#[test]
fn the_core_uses_no_extra() {
    for Shipped { folder, uses, .. } in shipped() {
        let is_extra = |used: &&String| used.starts_with("host/extras/");
        let extras: Vec<_> = uses.iter().filter(is_extra).collect();
        assert!(
            !folder.starts_with("host/crates/") || extras.is_empty(),
            "{folder} uses {extras:?}; an extra plugs into it instead (`game::Extra`, \
             `server::Catalog`)"
        );
    }
}

#[test]
fn foreign_dependencies_are_used_only_where_they_belong() {
    let users = |prefix: &str| {
        let has = |package: &Shipped| package.foreign.iter().any(|name| name.starts_with(prefix));
        let mut users: Vec<_> = shipped()
            .into_iter()
            .filter(has)
            .map(|package| package.folder)
            .collect();
        users.sort();
        users
    };
    assert_eq!(
        users("actix"),
        [
            "host",
            "host/crates/server",
            "host/extras/arena",
            "host/extras/mcp",
            "host/extras/rollout"
        ]
    );
    assert_eq!(
        users("async-nats"),
        ["host/extras/fleet", "host/extras/fleet_match"]
    );
    assert_eq!(users("pyrrhic"), ["sdk/tablebase"]);
    let all = shipped();
    let foreign = |folder: &str| {
        &all.iter()
            .find(|package| package.folder == folder)
            .unwrap()
            .foreign
    };
    assert!(
        foreign("ai-api").iter().eq(["abi_stable", "serde"]),
        "{:?}",
        foreign("ai-api")
    );
    assert!(
        foreign("ais/uci").iter().eq(["rustix", "shlex"]),
        "{:?}",
        foreign("ais/uci")
    );
    // This includes the rules: every AI in Rust builds its tests with them, without a registry.
    for sdk_or_ai in [
        "host/crates/rules",
        "sdk/attacks",
        "sdk/search",
        "sdk/book",
        "ai-basic1",
        "ais/huo1",
        "ais/nnue1",
    ] {
        assert!(
            foreign(sdk_or_ai).is_empty(),
            "{sdk_or_ai} uses {:?}",
            foreign(sdk_or_ai)
        );
    }
}

/// Returns a package's dependencies outside the workspace, each with its features.
fn features_of_dependencies(package: &Value) -> BTreeSet<(String, String)> {
    let outside = package["dependencies"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|of| of["path"].is_null());
    let features = outside.flat_map(|dependency| {
        let name = dependency["name"].as_str().unwrap();
        let default = dependency["uses_default_features"]
            .as_bool()
            .unwrap()
            .then_some("default");
        let features = dependency["features"]
            .as_array()
            .unwrap()
            .iter()
            .map(|feature| feature.as_str().unwrap());
        let all: Vec<_> = ["any"].into_iter().chain(default).chain(features).collect();
        all.into_iter()
            .map(move |feature| (name.to_owned(), feature.to_owned()))
    });
    features.collect()
}

#[test]
fn every_test_build_has_the_same_features() {
    let packages = packages();
    let named = |name: &str| {
        packages
            .iter()
            .find(|package| package["name"] == name)
            .unwrap()
    };
    let all = features_of_dependencies(named("features"));
    for package in &packages {
        let missing: Vec<_> = features_of_dependencies(package)
            .difference(&all)
            .cloned()
            .collect();
        assert!(
            missing.is_empty(),
            "tools/features lacks {missing:?}, which {} uses",
            package["name"]
        );
        let dependencies = package["dependencies"].as_array().unwrap();
        let is_shared = dependencies
            .iter()
            .any(|of| of["name"] == "features" && of["kind"] == "dev");
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
        let folder = Path::new(package["manifest_path"].as_str().unwrap())
            .parent()
            .unwrap();
        for target in package["targets"].as_array().unwrap() {
            let kinds = target["kind"].as_array().unwrap();
            if !kinds.iter().any(|kind| kind == "lib" || kind == "rlib") {
                continue;
            }
            let folder = folder.join("src");
            let has_examples =
                super::sources(folder.strip_prefix(root()).unwrap().to_str().unwrap())
                    .iter()
                    .any(|(_, text)| {
                        text.lines()
                            .any(|line| is_start_of_example(line.trim_start()))
                    });
            assert_eq!(
                target["doctest"], has_examples,
                "`doctest` of {}",
                package["name"]
            );
        }
    }
}

fn is_start_of_example(line: &str) -> bool {
    line.starts_with("/// ```")
        || line.starts_with("//! ```")
        || line.starts_with("#[doc = include_str!")
}

/// Returns the version and the dependencies of each package in the lock file of `tools/bench`,
/// which is not a workspace member.
fn locked_by_the_bench() -> Vec<(String, String, Vec<String>)> {
    let text = fs::read_to_string(root().join("tools/bench/Cargo.lock")).unwrap();
    let quoted = |line: &str| {
        line.split('"')
            .nth(1)
            .unwrap()
            .split(' ')
            .next()
            .unwrap()
            .to_owned()
    };
    let locked = text.split("[[package]]").skip(1).map(|package| {
        let value = |key: &str| quoted(package.lines().find(|line| line.starts_with(key)).unwrap());
        let dependencies = package
            .lines()
            .filter(|line| line.starts_with(" \""))
            .map(quoted)
            .collect();
        (value("name = "), value("version = "), dependencies)
    });
    locked.collect()
}

#[test]
fn the_comparison_with_peers_builds_with_its_lock_file() {
    let locked = locked_by_the_bench();
    let mut found = 0;
    for package in packages() {
        let Some((name, version, locked)) =
            locked.iter().find(|(name, ..)| package["name"] == **name)
        else {
            continue;
        };
        found += 1;
        assert_eq!(
            package["version"], **version,
            "{name}: run cargo update --workspace in tools/bench"
        );
        let dependencies = package["dependencies"].as_array().unwrap().iter();
        let required = dependencies
            .filter(|dependency| dependency["kind"] != "dev" && dependency["optional"] == false);
        for dependency in required {
            let needed = dependency["name"].as_str().unwrap();
            assert!(
                locked.iter().any(|locked| locked == needed),
                "{name} uses {needed}: run cargo update --workspace in tools/bench"
            );
        }
    }
    assert!(found >= 5, "{found} of our packages are in the lock file");
}

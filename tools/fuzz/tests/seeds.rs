//! Runs every property on its seeds, which include every input that has failed.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use rookery_fuzz::TARGETS;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn names_in(path: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    entries
        .map(|entry| {
            entry
                .expect("the folder can be read")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect()
}

#[test]
fn every_property_holds_for_its_seeds() {
    for (target, property) in TARGETS {
        let seeds = folder("seeds").join(target);
        let names = names_in(&seeds);
        assert!(names.len() >= 3, "{target} has {} seeds", names.len());
        for name in names {
            let data = fs::read(seeds.join(&name)).expect("a seed can be read");
            println!("{target}/{name}");
            property(&data);
            // The prefixes of a seed are useful inputs.
            (0..data.len())
                .step_by(1 + data.len() / 64)
                .for_each(|length| property(&data[..length]));
        }
    }
}

#[test]
fn every_property_has_a_target_and_seeds() {
    let targets = TARGETS.map(|(target, _)| target.to_owned()).into();
    assert_eq!(names_in(&folder("seeds")), targets);
    let programs = TARGETS.map(|(target, _)| format!("{target}.rs")).into();
    assert_eq!(names_in(&folder("libfuzzer/src/bin")), programs);
    for (target, _) in TARGETS {
        let program = folder("libfuzzer/src/bin").join(format!("{target}.rs"));
        let program = fs::read_to_string(program).expect("a program can be read");
        assert!(
            program.contains(&format!("rookery_fuzz::{target}(data)")),
            "{program}"
        );
    }
}

//! Directories that are missing, damaged or hostile cause an error at startup, or the search runs
//! without them.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
};

use ai_api::Limits;
use tempfile::TempDir;

use crate::{DATA, alone, fen, open};

/// Returns a folder with copies of some shipped tables.
fn copies(names: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in names {
        fs::copy(Path::new(DATA).join(name), folder.path().join(name)).unwrap();
    }
    folder
}

#[test]
fn rejects_directories_without_tables_at_startup() {
    let _alone = alone();
    let empty = tempfile::tempdir().unwrap();
    let file = empty.path().join("notes.txt");
    fs::write(&file, "no table").unwrap();
    let links = tempfile::tempdir().unwrap();
    symlink("/nowhere/KQvK.rtbw", links.path().join("KQvK.rtbw")).unwrap();
    symlink("/nowhere", links.path().join("more")).unwrap();
    let pipe = copies(&["KRvK.rtbw"]);
    assert!(
        Command::new("mkfifo")
            .arg(pipe.path().join("KQvK.rtbw"))
            .status()
            .unwrap()
            .success()
    );
    let missing = empty.path().join("missing");
    for directory in [
        empty.path(),
        &file,
        links.path(),
        pipe.path(),
        &missing,
        Path::new(""),
    ] {
        let error = open(&[directory]).err().unwrap().to_string();
        let name = format!(
            "syzygy = {:?}: found no tables",
            directory.display().to_string()
        );
        assert!(error.contains(&name), "{error}");
    }
}

type Damage = fn(&Path);

#[test]
fn plays_on_without_damaged_tables() {
    let _alone = alone();
    let damages: [(&str, Damage); 5] = [
        ("empty", |file| fs::write(file, "").unwrap()),
        ("truncated", |file| {
            fs::File::options()
                .write(true)
                .open(file)
                .unwrap()
                .set_len(100)
                .unwrap();
        }),
        ("wrong first bytes", |file| {
            let mut bytes = fs::read(file).unwrap();
            bytes[0] ^= 1;
            fs::write(file, bytes).unwrap();
        }),
        ("link to nothing", |file| {
            fs::remove_file(file).unwrap();
            symlink("/nowhere", file).unwrap();
        }),
        ("folder", |file| {
            fs::remove_file(file).unwrap();
            fs::create_dir(file).unwrap();
        }),
    ];
    let names = ["KQvK.rtbw", "KQvK.rtbz", "KRvK.rtbw", "KRvK.rtbz"];
    for (name, damage) in damages {
        for damaged in [&names[..1], &names[1..2], &names[..]] {
            let folder = copies(&names);
            for file in damaged {
                damage(&folder.path().join(file));
            }
            let Ok(mut ai) = open(&[folder.path()]) else {
                assert_eq!(damaged.len(), names.len(), "{name}");
                continue;
            };
            // A position in the tables, and one from which a capture leads there.
            for text in [
                "8/8/8/8/8/2k5/8/K6Q w - - 0 1",
                "8/8/8/8/8/r1k5/8/K6Q w - - 0 1",
            ] {
                let found = ai.search(&fen(text), Limits::nodes(2_000)).unwrap();
                assert!(
                    found.result.score.value() > 300,
                    "{name}: {text}: {:?}",
                    found.result.score
                );
            }
        }
    }
}

#[test]
fn the_first_directory_takes_precedence() {
    let _alone = alone();
    let damaged = copies(&["KQvK.rtbw"]);
    fs::write(damaged.path().join("KQvK.rtbw"), "").unwrap();
    let whole = PathBuf::from(DATA);
    for (directories, is_known) in [
        ([damaged.path(), &whole], false),
        ([&whole, damaged.path()], true),
    ] {
        let mut ai = open(&directories).unwrap();
        let found = ai
            .search(&fen("8/8/8/8/8/2k5/8/K6Q w - - 0 1"), Limits::depth(1))
            .unwrap();
        assert_eq!(found.result.score.value() == 20_000, is_known);
    }
}

//! Checks that directories and files that are not tables are skipped. A file with the size and the
//! first bytes of a table is trusted: the sandbox contains the damage that it can do.

#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use std::{
    fs,
    os::unix::fs::symlink,
    path::Path,
    process::Command,
    sync::{Mutex, MutexGuard, PoisonError},
};

use ai_api::{Position, TableResult};
use ai_tablebase::Tablebases;
use tempfile::TempDir;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/syzygy");
const ROOM: u64 = 64 << 20;

/// A process can have only one instance.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn queen() -> Position {
    rules::parse_fen("8/8/8/8/8/2k5/8/K6Q w - - 0 1").unwrap()
}

fn queen_against_rook() -> Position {
    rules::parse_fen("8/8/8/8/8/r1k5/8/K6Q w - - 0 1").unwrap()
}

/// Returns a folder with copies of the shipped tables.
fn copies() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(DATA).unwrap().flatten() {
        fs::copy(entry.path(), folder.path().join(entry.file_name())).unwrap();
    }
    folder
}

fn open(folder: &Path) -> Tablebases {
    Tablebases::open(&[folder], ROOM).unwrap()
}

type Damage = fn(&Path);

#[test]
fn skips_truncated_and_foreign_files() {
    let _alone = alone();
    let damages: [(&str, Damage); 7] = [
        ("empty", |file| fs::write(file, "").unwrap()),
        ("three bytes", |file| {
            fs::write(file, [0x71, 0xe8, 0x23]).unwrap();
        }),
        ("cut", |file| {
            fs::File::options()
                .write(true)
                .open(file)
                .unwrap()
                .set_len(100)
                .unwrap();
        }),
        ("cut to the first block", |file| {
            fs::write(file, [0; 80]).unwrap();
        }),
        ("text", |file| {
            fs::write(file, "no table\n".repeat(16)).unwrap();
        }),
        ("folder", |file| {
            fs::remove_file(file).unwrap();
            fs::create_dir(file).unwrap();
        }),
        ("link to nothing", |file| {
            fs::remove_file(file).unwrap();
            symlink("/nowhere", file).unwrap();
        }),
    ];
    for (name, damage) in damages {
        let folder = copies();
        damage(&folder.path().join("KQvK.rtbw"));
        let tables = open(folder.path());
        assert_eq!(tables.probe_wdl(&queen()), None, "{name}");
        assert_eq!(
            tables.probe_wdl(&queen_against_rook()),
            None,
            "{name}: a capture leads there"
        );
        assert_eq!(tables.probe_root(&queen()), None, "{name}");
        let rook = rules::parse_fen("8/8/8/8/8/2k5/8/K6R w - - 0 1").unwrap();
        assert_eq!(
            tables.probe_wdl(&rook),
            Some(TableResult::Win),
            "{name}: the others are used"
        );
    }
}

#[test]
fn results_do_not_require_distances() {
    let _alone = alone();
    let folder = copies();
    fs::remove_file(folder.path().join("KQvK.rtbz")).unwrap();
    let tables = open(folder.path());
    assert_eq!(tables.probe_root(&queen()), None);
    assert_eq!(tables.probe_wdl(&queen()), Some(TableResult::Win));
    assert!(
        tables.probe_root(&queen_against_rook()).is_some(),
        "only results are needed after captures"
    );
}

#[test]
fn a_deleted_directory_has_no_tables() {
    let _alone = alone();
    let folder = copies();
    let tables = open(folder.path());
    assert_eq!(tables.probe_wdl(&queen()), Some(TableResult::Win));
    drop(folder);
    assert_eq!(
        tables.probe_wdl(&queen()),
        Some(TableResult::Win),
        "the table is already mapped"
    );
    assert_eq!(tables.probe_wdl(&queen_against_rook()), None);
    assert_eq!(tables.probe_root(&queen()), None);
}

#[test]
fn skips_missing_unusable_and_foreign_directories() {
    let _alone = alone();
    let folder = copies();
    fs::write(folder.path().join("KQvKQQQQQ.rtbw"), [0; 80]).unwrap();
    fs::write(folder.path().join("notes.rtbw"), "").unwrap();
    let missing = folder.path().join("missing");
    let file = folder.path().join("SHA256SUMS");
    let colon = folder.path().join("with:colon");
    fs::create_dir(&colon).unwrap();
    let pipe = tempfile::tempdir().unwrap();
    let blocking = pipe.path().join("KBvK.rtbw");
    for pipe in [&blocking, &folder.path().join("pipe.txt")] {
        assert!(Command::new("mkfifo").arg(pipe).status().unwrap().success());
    }
    let pipe = pipe.path();
    let directories = [
        "".as_ref(),
        "<empty>".as_ref(),
        missing.as_path(),
        pipe,
        &file,
        &colon,
        folder.path(),
        folder.path(),
    ];
    let tables = Tablebases::open(&directories, ROOM).unwrap();
    assert_eq!((tables.max_pieces(), tables.skipped_files()), (4, 0));
    assert_eq!(tables.blocking_files(), [blocking]);
    assert_eq!(tables.probe_wdl(&queen()), Some(TableResult::Win));
    drop(tables);
    let none = Tablebases::open(&[missing], ROOM).unwrap();
    assert_eq!(
        (
            none.max_pieces(),
            none.probe_wdl(&queen()),
            none.probe_root(&queen())
        ),
        (0, None, None)
    );
}

#[test]
fn skips_the_largest_tables_if_the_memory_is_too_small() {
    let _alone = alone();
    let all: u64 = fs::read_dir(DATA)
        .unwrap()
        .flatten()
        .filter(|entry| {
            entry
                .path()
                .extension()
                .is_some_and(|extension| extension.to_string_lossy().starts_with("rtb"))
        })
        .map(|entry| entry.metadata().unwrap().len())
        .sum();
    for (room, pieces, skipped) in [(all, 4, 0), (all - 1, 4, 1), (26_400, 3, 60), (0, 0, 70)] {
        let tables = Tablebases::open(&[DATA], room).unwrap();
        assert_eq!(
            (tables.max_pieces(), tables.skipped_files()),
            (pieces, skipped),
            "{room}"
        );
        let expected = (pieces >= 3).then_some(TableResult::Win);
        assert_eq!(tables.probe_wdl(&queen()), expected, "{room}");
    }
}

#[test]
fn tables_can_be_reopened_after_closing() {
    let _alone = alone();
    for _ in 0..3 {
        assert_eq!(
            open(DATA.as_ref()).probe_wdl(&queen()),
            Some(TableResult::Win)
        );
    }
}

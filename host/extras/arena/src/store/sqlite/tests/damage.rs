//! Damaged and foreign files, and full disks.

use std::{os::unix::fs::PermissionsExt as _, path::PathBuf};

use tempfile::TempDir;

use super::{
    super::*,
    pairs_of,
    sample::{MAX_BYTES, TIME_CONTROL, open, pair, players},
};
use crate::store::GameFilter;

/// Creates an arena file with some games.
fn arena() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let [one, two, _] = players(&store);
    for number in 0..100 {
        store.add_pair(&pair(one, two, number)).unwrap();
    }
    let path = folder.path().join("arena.db");
    (folder, path)
}

/// Checks that both ways to open a file fail with a message and do not change the file.
fn check(path: &Path, expected: &str) {
    let before = fs::read(path).ok();
    let reader = StoreReader::open(path).map(drop).unwrap_err();
    let store = Store::open(path, TIME_CONTROL, MAX_BYTES)
        .map(drop)
        .unwrap_err();
    for error in [reader, store] {
        let error = error.to_string();
        assert!(
            error.starts_with(&path.display().to_string()) && error.contains(expected),
            "{error}"
        );
    }
    assert!(fs::read(path).ok() == before, "the file changed");
}

#[test]
fn rejects_a_folder() {
    check(
        tempfile::tempdir().unwrap().path(),
        " is a folder; expected the path of an arena file",
    );
}

#[test]
fn rejects_a_path_in_a_missing_folder() {
    check(
        &tempfile::tempdir().unwrap().path().join("none/arena.db"),
        ": No such file or directory",
    );
}

#[test]
fn rejects_files_that_are_not_arena_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pgn");
    fs::write(&path, "[Event \"?\"]\n\n1. e4 *\n".repeat(100)).unwrap();
    check(&path, " is not an arena file; choose another path");
    let path = folder.path().join("other.db");
    Connection::open(&path)
        .unwrap()
        .execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE one (x)")
        .unwrap();
    check(&path, " is not an arena file; choose another path");
}

#[test]
fn rejects_a_file_with_a_later_schema_version() {
    let (_folder, path) = arena();
    Connection::open(&path)
        .unwrap()
        .pragma_update(None, "user_version", 5)
        .unwrap();
    check(
        &path,
        " has schema version 5, but this program supports versions up to 4; use the version of \
         rookery that wrote",
    );
}

#[test]
fn rejects_another_time_control() {
    let (_folder, path) = arena();
    let error = Store::open(&path, "1+0", MAX_BYTES)
        .unwrap_err()
        .to_string();
    let expected = " has games with the time control 10+0.1, not 1+0; set time_control = \
        \"10+0.1\", or choose another file";
    assert!(error.ends_with(expected), "{error}");
    Store::open(&path, TIME_CONTROL, MAX_BYTES).unwrap();
}

#[test]
fn reports_a_damaged_file() {
    let expected = "; restore a backup, or recover its games with `sqlite3 FILE .recover`";
    let (_folder, path) = arena();
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    check(&path, expected);
    let mut bytes = whole.clone();
    bytes[100..1000].fill(0xaa);
    fs::write(&path, bytes).unwrap();
    check(&path, expected);
    // Damage beyond the first page is reported by the call that reads it.
    let mut bytes = whole;
    bytes[PAGE_BYTES as usize..].fill(0xaa);
    fs::write(&path, bytes).unwrap();
    let reader = StoreReader::open(&path).unwrap();
    let errors = [
        reader.results().map(drop),
        reader.players().map(drop),
        reader.games(&GameFilter::default(), 9).map(drop),
        reader.export(&mut Vec::new()).map(drop),
        Store::open(&path, TIME_CONTROL, MAX_BYTES).map(drop),
    ];
    for error in errors {
        let error = error.unwrap_err();
        assert!(
            matches!(
                error,
                StoreError {
                    fault: StoreFault::Damaged(_),
                    ..
                }
            ),
            "{error}"
        );
    }
}

#[test]
fn reports_a_file_that_cannot_be_written() {
    let (_folder, path) = arena();
    let mut connection =
        Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let error = schema::migrate(&mut connection).unwrap_err().to_string();
    assert_eq!(
        error,
        "cannot be written; check the permissions of the file and its folder"
    );
}

#[test]
fn a_full_disk_leaves_only_complete_pairs() {
    let (folder, _) = arena();
    let store = open(&folder);
    let [one, two, _] = players(&store);
    let set_pages = |pages: u32| {
        let writer = store.writer.lock().unwrap();
        writer
            .pragma_update_and_check(None, "max_page_count", pages, |row| row.get::<_, u32>(0))
            .unwrap()
    };
    let limit = set_pages(1) + 3;
    set_pages(limit);
    let added = (100..)
        .map_while(|number| store.add_pair(&pair(one, two, number)).ok())
        .count();
    let error = store.add_pair(&pair(one, two, 0)).unwrap_err();
    assert!(
        matches!(
            error,
            StoreError {
                fault: StoreFault::DiskFull,
                ..
            }
        ),
        "{error}"
    );
    assert_eq!(pairs_of(&store).len(), 100 + added);
    set_pages(limit + 100);
    store.add_pair(&pair(one, two, 0)).unwrap();
    assert_eq!(pairs_of(&store).len(), 101 + added);
}

#[test]
fn reports_a_lock_held_by_another_program() {
    let (folder, path) = arena();
    let store = open(&folder);
    let [one, two, _] = players(&store);
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let error = store
        .write_within(Duration::ZERO, Duration::ZERO, |_| Ok::<_, StoreFault>(()))
        .unwrap_err();
    let expected = " was locked by another program for too long; find it with `fuser`, and stop it";
    assert!(error.to_string().ends_with(expected), "{error}");
    let writer = store.writer.lock().unwrap();
    let error = store
        .write_within(Duration::ZERO, Duration::ZERO, |_| Ok::<_, StoreFault>(()))
        .unwrap_err();
    assert!(error.to_string().ends_with(expected), "{error}");
    drop(writer);
    other.execute_batch("ROLLBACK").unwrap();
    store.add_pair(&pair(one, two, 0)).unwrap();
    assert_eq!(pairs_of(&store).len(), 101);
}

#[test]
fn only_the_owner_can_read_the_files() {
    let (folder, path) = arena();
    let files =
        ["arena.db", "arena.db.lock", "arena.db.copying"].map(|name| folder.path().join(name));
    let check = || {
        for file in &files {
            let mode = fs::metadata(file).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{}", file.display());
        }
    };
    check();
    // Earlier versions created the files with these permissions.
    for file in &files {
        fs::set_permissions(file, fs::Permissions::from_mode(0o644)).unwrap();
    }
    Store::open(&path, TIME_CONTROL, MAX_BYTES).unwrap();
    check();
}

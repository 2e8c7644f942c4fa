//! Descriptions from a hostile machine.

use std::{
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
};

use ai_api::{OptionSetting, OptionValue};
use protocol::SandboxMode;
use tempfile::TempDir;

use super::*;

/// Returns a player with a program, a script and a net.
fn manifest() -> PlayerManifest {
    let file = |path: &str| ShippedFile {
        path: path.into(),
        sha256: Sha256Sum::of(path.as_bytes()),
        bytes: path.len() as u64,
    };
    PlayerManifest {
        name: "engine".into(),
        id: "engine".into(),
        limits: Limits::depth(3),
        fingerprint: Sha256Sum::of(b""),
        library: "/opt/lib.so".into(),
        options: vec![command(
            "/usr/bin/python3 -u '/home/a b/e.py' --net=/home/nets/n:/home/netsx",
        )],
        memory_mb: 256,
        threads: 2,
        read: ["/home/nets", "/home/a b/e.py", "/usr/share"]
            .map(PathBuf::from)
            .into(),
        exec: Vec::new(),
        working_directory: Some("/home/a b".into()),
        move_timeout_ms: 1000,
        stop_grace_ms: None,
        start_timeout_ms: 1000,
        new_game_timeout_ms: 1000,
        files: ["/opt/lib.so", "/home/a b/e.py", "/home/nets/n"]
            .map(file)
            .into(),
        folders: vec!["/home/nets".into(), "/home/empty".into()],
        links: vec![
            link("/home/nets/latest", "n"),
            link("/home/python", "/usr/bin/python3"),
        ],
    }
}

fn command(text: &str) -> OptionSetting {
    OptionSetting {
        name: "command".into(),
        value: OptionValue::Text(text.into()),
    }
}

fn link(path: &str, target: &str) -> ShippedLink {
    ShippedLink {
        path: path.into(),
        target: target.into(),
    }
}

/// Returns a cache with the files of a player, and the root next to it.
fn cache(manifest: &PlayerManifest) -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    for file in &manifest.files {
        let path = folder.path().join(file.sha256.to_string());
        fs::write(&path, file.path.to_str().unwrap()).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o555)).unwrap();
    }
    let root = folder.path().join("root");
    (folder, root)
}

fn place(manifest: &PlayerManifest) -> Result<config::AiSettings, PlayerFilesError> {
    let (folder, root) = cache(&self::manifest());
    let cached = |file: &ShippedFile| folder.path().join(file.sha256.to_string());
    let placed = manifest.place(cached, &root);
    if placed.is_err() {
        let beside = fs::read_dir(folder.path()).unwrap().count();
        assert!(beside <= 4, "only the root is new");
    }
    placed
}

#[test]
fn places_files_below_the_root_and_changes_paths_in_texts() {
    let manifest = manifest();
    let (folder, root) = cache(&manifest);
    let cached = |file: &ShippedFile| folder.path().join(file.sha256.to_string());
    let settings = manifest.place(cached, &root).unwrap();
    let root = root.canonicalize().unwrap();
    let shown = root.to_str().unwrap();
    let command = format!(
        "/usr/bin/python3 -u '{shown}/home/a b/e.py' --net={shown}/home/nets/n:/home/netsx"
    );
    assert_eq!(settings.command(), Some(&*command));
    assert_eq!(
        settings.sandbox.as_sent(&command),
        match &manifest.options[0].value {
            OptionValue::Text(text) => text.clone(),
            other => panic!("{other:?}"),
        }
    );
    assert_eq!(settings.library, root.join("opt/lib.so"));
    assert_eq!(settings.sandbox.read[2], PathBuf::from("/usr/share"));
    assert_eq!(settings.sandbox.mode, SandboxMode::Required);
    assert_eq!(
        settings.sandbox.working_directory,
        Some(root.join("home/a b"))
    );
    assert_eq!(settings.sha256, Some(Sha256Sum::of(b"/opt/lib.so")));
    assert!(root.join("home/empty").is_dir());
    assert_eq!(
        fs::read_to_string(root.join("home/nets/latest")).unwrap(),
        "/home/nets/n"
    );
    let python = fs::read_link(root.join("home/python")).unwrap();
    assert_eq!(python, Path::new("/usr/bin/python3"));
    let placed = fs::metadata(root.join("home/nets/n")).unwrap();
    let original = fs::metadata(cached(&manifest.files[2])).unwrap();
    assert_eq!(placed.ino(), original.ino());
    let error = manifest.place(cached, &root).unwrap_err().to_string();
    assert!(error.ends_with("it is not empty; delete it"), "{error}");
}

#[test]
fn copies_files_if_the_cache_has_other_permissions() {
    let manifest = manifest();
    let (folder, root) = cache(&manifest);
    let cached = |file: &ShippedFile| folder.path().join(file.sha256.to_string());
    fs::set_permissions(
        cached(&manifest.files[2]),
        fs::Permissions::from_mode(0o600),
    )
    .unwrap();
    manifest.place(cached, &root).unwrap();
    let placed = fs::metadata(root.join("home/nets/n")).unwrap();
    assert_eq!((placed.nlink(), placed.mode() & 0o777), (1, 0o555));
}

#[test]
fn rejects_a_folder_that_a_command_would_quote() {
    let manifest = manifest();
    let (folder, _) = cache(&manifest);
    let cached = |file: &ShippedFile| folder.path().join(file.sha256.to_string());
    let error = manifest.place(cached, &folder.path().join("a root"));
    let error = error.unwrap_err().to_string();
    assert!(error.contains("it would need quotes"), "{error}");
}

type Change = fn(&mut PlayerManifest);

/// Checks that each changed description is rejected with this error.
fn check_rejected(changes: &[(Change, &str)]) {
    let mut wrong = Vec::new();
    for (change, expected) in changes {
        let mut hostile = manifest();
        change(&mut hostile);
        let found = place(&hostile).map_or_else(|error| error.to_string(), |_| "placed".into());
        if !found.contains(expected) {
            wrong.push(format!("{expected}: {found}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn rejects_paths_that_lead_elsewhere() {
    check_rejected(&[
        (
            |m| m.files[1].path = "/home/../etc/passwd".into(),
            "/home/../etc/passwd is not a plain",
        ),
        (
            |m| m.files[1].path = "home/x".into(),
            "home/x is not a plain absolute path",
        ),
        (
            |m| m.files[1].path = "/home//x".into(),
            "/home//x is not a plain absolute path",
        ),
        (
            |m| m.files[1].path = "/home/./x".into(),
            "is not a plain absolute path",
        ),
        (
            |m| m.files[1].path = "/home/x/".into(),
            "is not a plain absolute path",
        ),
        (
            |m| m.files[1].path = "/home/x\0".into(),
            "is not a plain absolute path",
        ),
        (
            |m| m.files[1].path = "/".into(),
            "/opt/lib.so is below a file or a link",
        ),
        (
            |m| m.files[1].path = "".into(),
            "is not a plain absolute path",
        ),
        (
            |m| m.files[1].path = format!("/{}", "x".repeat(256)).into(),
            "is not a plain",
        ),
        (
            |m| m.files[1].path = "/x/y".repeat(1200).into(),
            "is not a plain absolute path",
        ),
        (
            |m| m.files[1].path = m.files[2].path.clone(),
            "the path /home/nets/n occurs twice",
        ),
        (
            |m| m.files[1].path = "/home/nets/n/below".into(),
            "below is below a file or a link",
        ),
        (
            |m| m.files[1].path = "/home/nets/latest/x".into(),
            "latest/x is below a file or a link",
        ),
        (
            |m| m.files[1].path = "/home/nets/latest".into(),
            "/home/nets/latest occurs twice",
        ),
        (
            |m| m.folders[0] = "/home/python/x".into(),
            "/home/python/x is below a file or a link",
        ),
        (
            |m| m.folders[0] = "/home/../..".into(),
            "/home/../.. is not a plain absolute path",
        ),
        (
            |m| m.read[2] = "/usr/share/../../etc".into(),
            "../../etc is not a plain absolute path",
        ),
        (
            |m| m.read[2] = "/usr/share/none".into(),
            "needs /usr/share/none, which this machine",
        ),
        (
            |m| m.working_directory = Some("/lib/..".into()),
            "/lib/.. is not a plain absolute path",
        ),
        (
            |m| m.working_directory = Some("/home/nets/n/x".into()),
            "is below a file or a link",
        ),
        (
            |m| m.exec = vec!["/bin/cat".into()],
            "the program /bin/cat is not among its files",
        ),
        (
            |m| m.exec = vec!["/home/python3".into()],
            "/home/python3 is not among its files",
        ),
        (
            |m| m.exec = vec!["/usr/../home/python3".into()],
            "is not a plain absolute path",
        ),
        (
            |m| m.exec = vec!["/usr/bin/lua9.99".into()],
            "needs /usr/bin/lua9.99, which this",
        ),
        (
            |m| m.exec = vec!["/home/nets/n".into()],
            "home/nets/n is text, not a program for Linux",
        ),
        (
            |m| m.library = "/lib/x.so".into(),
            "the library /lib/x.so is not among its files",
        ),
        (
            |m| m.links[0].target = "../../../../etc/passwd".into(),
            "outside its files",
        ),
        (
            |m| m.links[0].target = "x/../../../../etc".into(),
            "outside its files",
        ),
        (
            |m| m.links[0].target = "/usr/share/../../etc".into(),
            "outside its files",
        ),
        (|m| m.links[0].target = "".into(), "outside its files"),
        (
            |m| m.links[0].path = "/usr/bin/../../python3".into(),
            "is not a plain absolute path",
        ),
        (
            |m| m.links[0].path = "/home/nets/n".into(),
            "the path /home/nets/n occurs twice",
        ),
    ]);
}

#[test]
fn rejects_sizes_and_numbers_out_of_bounds() {
    check_rejected(&[
        (|m| m.files[0].bytes = u64::MAX, "its files total more than"),
        (
            |m| m.files[0].bytes = MAX_BYTES,
            "its files total more than",
        ),
        (|m| m.files[0].bytes += 1, "it has 11 bytes; expected 12"),
        (
            |m| m.files[0].sha256 = Sha256Sum::of(b"none"),
            "cannot read ",
        ),
        (
            |m| m.files = vec![m.files[0].clone(); 999],
            "it has 1001 files and links; expected at most 1000",
        ),
        (|m| m.name = "x".repeat(1 << 18), "expected at most 262144"),
        (|m| m.name = "a\u{1b}[31m".into(), "has control characters"),
        (|m| m.id = "../x".into(), "\"../x\" is not a valid AI id"),
        (
            |m| m.memory_mb = u64::MAX,
            "memory_mb is 18446744073709551615; expected 16 to 1048576",
        ),
        (|m| m.threads = 4097, "threads is 4097; expected 0 to 4096"),
        (
            |m| m.move_timeout_ms = 0,
            "move_timeout_ms is 0; expected 1 to 3600000",
        ),
        (
            |m| m.stop_grace_ms = Some(501),
            "stop_grace_ms is 501; expected 1 to 500",
        ),
        (
            |m| m.start_timeout_ms = 3_600_001,
            "start_timeout_ms is 3600001; expected",
        ),
        (
            |m| m.new_game_timeout_ms = u64::MAX,
            "new_game_timeout_ms is",
        ),
    ]);
}

#[test]
fn a_hash_is_64_hexadecimal_digits() {
    let text = serde_json::to_string(&manifest()).unwrap();
    assert_eq!(
        serde_json::from_str::<PlayerManifest>(&text).unwrap(),
        manifest()
    );
    let sum = manifest().files[0].sha256.to_string();
    let error = serde_json::from_str::<PlayerManifest>(&text.replace(&sum, "../x")).unwrap_err();
    assert!(
        error.to_string().starts_with("not 64 hexadecimal digits"),
        "{error}"
    );
}

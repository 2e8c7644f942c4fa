use std::{os::unix::fs::PermissionsExt as _, thread};

use super::{SectionId::Ai, *};

const FILE: &str = "# The AIs of a club.\n\n# strong\n[ai.one]          # the first\nlibrary = \
                    \"ai_basic1\" # a name\n\n[ai.two]\nlibrary = \"ai_basic1\"\nmemory_mb = \
                    64 # small\noptions = { a = 1 }\n\n# people\n[client.default]\nai = \
                    \"one\"\n";

fn edit(text: &str) -> FileEdit {
    FileEdit {
        path: "test.toml".into(),
        before: Some(text.to_owned()),
        document: text.parse().unwrap(),
        options: LoadOptions::none(),
    }
}

fn list(words: &[&str]) -> Value {
    words.iter().copied().collect::<toml_edit::Array>().into()
}

fn options(name: &str, value: i64) -> Value {
    InlineTable::from_iter([(name, value)]).into()
}

#[test]
fn a_new_section_follows_the_others() {
    let mut file = edit(FILE);
    file.set(
        Ai("three"),
        vec![
            ("library", "ai_uci".into()),
            ("allow_exec", list(&["/x"])),
            ("allow_read", list(&[])),
        ],
    );
    let expected = "[ai.three]\nlibrary = \"ai_uci\"\nallow_exec = [\"/x\"]";
    assert_eq!(file.section(Ai("three")).unwrap(), expected);
    let text = file.document.to_string();
    assert_eq!(
        text,
        FILE.replace("\n# people", &format!("\n{expected}\n\n# people"))
    );
}

#[test]
fn a_changed_section_keeps_its_other_keys_and_comments() {
    let mut file = edit(FILE);
    file.set(
        Ai("two"),
        vec![("memory_mb", 128.into()), ("options", options("b", 2))],
    );
    assert_eq!(
        file.document.to_string(),
        FILE.replace("64 # small", "128 # small")
            .replace("{ a = 1 }", "{ a = 1, b = 2 }")
    );
    assert!(file.has_key(Ai("two"), "library") && !file.has_key(Ai("two"), "threads"));
}

#[test]
fn removes_a_section_with_its_comment() {
    let mut file = edit(FILE);
    assert!(file.remove(Ai("one")));
    let start = FILE.find("# strong").unwrap();
    let end = FILE.find("\n[ai.two]").unwrap();
    assert_eq!(
        file.document.to_string(),
        format!("{}{}", &FILE[..start - 1], &FILE[end..])
    );
    assert!(!file.remove(Ai("one")));
    assert!(file.remove(Ai("two")));
    assert_eq!(
        file.document.to_string(),
        "# The AIs of a club.\n\n# people\n[client.default]\nai = \"one\"\n"
    );
}

#[test]
fn edits_inline_and_dotted_tables() {
    for text in [
        "ai = { one = { library = \"x\" } }\n",
        "ai.one.library = \"x\"\n",
        "[ai]\none = { library = \"x\" }\n",
    ] {
        let mut file = edit(text);
        file.set(
            Ai("two"),
            vec![("library", "y".into()), ("options", options("b", 2))],
        );
        file.set(Ai("one"), vec![("memory_mb", 128.into())]);
        let changed = edit(&file.document.to_string());
        assert_eq!(
            changed.section(Ai("two")).unwrap(),
            "[ai.two]\nlibrary = \"y\"\noptions = { b = 2 }",
            "{text}"
        );
        assert!(
            changed.has_key(Ai("one"), "library") && changed.has_key(Ai("one"), "memory_mb"),
            "{text}"
        );
        assert!(file.remove(Ai("one")) && file.remove(Ai("two")));
        assert!(!file.document.to_string().contains("library"), "{text}");
    }
}

#[test]
fn a_new_file_replaces_the_old_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/rookery.toml");
    let mut file = FileEdit::read(&path, &LoadOptions::none()).unwrap();
    assert!(file.is_new());
    file.set(Ai("one"), vec![("library", "x".into())]);
    file.add_default_client("one");
    file.write().unwrap();
    let expected = "[ai.one]\nlibrary = \"x\"\n\n[client.default]\nai = \"one\"\n";
    assert_eq!(fs::read_to_string(&path).unwrap(), expected);
    let link = folder.path().join("link.toml");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let mut file = FileEdit::read(&link, &LoadOptions::none()).unwrap();
    file.remove(Ai("one"));
    file.write().unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(
        fs::read_to_string(&path).unwrap().trim_start(),
        "[client.default]\nai = \"one\"\n"
    );
    let (mut first, second) = (
        FileEdit::read(&path, &LoadOptions::none()).unwrap(),
        FileEdit::read(&path, &LoadOptions::none()).unwrap(),
    );
    first.set(Ai("two"), vec![("library", "x".into())]);
    first.write().unwrap();
    assert!(
        second
            .write()
            .unwrap_err()
            .to_string()
            .contains("changed since it was read")
    );
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
}

#[derive(Debug, thiserror::Error)]
enum ChangeError {
    #[error(transparent)]
    Read(#[from] ConfigErrors),
    #[error(transparent)]
    Write(#[from] WriteConfigError),
}

fn add(path: &Path, id: &str) -> Result<(), ChangeError> {
    FileEdit::change(path, &LoadOptions::none(), |file| {
        file.set(Ai(id), vec![("library", "x".into())]);
        Ok(())
    })
}

#[test]
fn concurrent_changes_are_not_lost() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rookery.toml");
    let ids: Vec<_> = (0..16).map(|number| format!("ai{number}")).collect();
    // Threads share a process id, so their temporary files have the same name. The lock prevents
    // collisions.
    thread::scope(|scope| {
        for id in &ids {
            scope.spawn(|| add(&path, id).unwrap());
        }
    });
    let file = FileEdit::read(&path, &LoadOptions::none()).unwrap();
    let lost: Vec<_> = ids
        .iter()
        .filter(|id| file.section(Ai(id)).is_none())
        .collect();
    assert!(lost.is_empty(), "{lost:?}");
}

#[test]
fn repeats_a_change_if_another_process_wrote_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rookery.toml");
    let mut calls = 0;
    FileEdit::change(&path, &LoadOptions::none(), |file| {
        calls += 1;
        if calls == 1 {
            add(&path, "other")?;
        }
        file.set(Ai("own"), vec![("library", "x".into())]);
        Ok::<_, ChangeError>(())
    })
    .unwrap();
    let file = FileEdit::read(&path, &LoadOptions::none()).unwrap();
    assert!(file.section(Ai("own")).is_some() && file.section(Ai("other")).is_some());
}

#[test]
fn leaves_foreign_and_unwritable_files_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rookery.toml");
    let foreign = folder
        .path()
        .join(format!("rookery.toml.{}", std::process::id()));
    fs::write(&foreign, "foreign").unwrap();
    assert!(
        add(&path, "one")
            .unwrap_err()
            .to_string()
            .contains(foreign.to_str().unwrap())
    );
    assert_eq!(fs::read_to_string(&foreign).unwrap(), "foreign");
    fs::remove_file(&foreign).unwrap();
    fs::write(&path, FILE).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    assert!(
        add(&path, "three")
            .unwrap_err()
            .to_string()
            .contains("it is read-only (mode 444); make it writable with `chmod u+w`")
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), FILE);
}

#[test]
fn a_list_with_the_same_values_keeps_its_comments() {
    let text = "[ai.one]\nallow_read = [\n  \"/a\", # why\n  \"/b\",\n]\n";
    let mut file = edit(text);
    file.set(Ai("one"), vec![("allow_read", list(&["/a", "/b"]))]);
    assert_eq!(file.document.to_string(), text);
    file.set(Ai("one"), vec![("allow_read", list(&["/a"]))]);
    assert!(!file.document.to_string().contains("/b"));
}

#[test]
fn removes_a_default_client_only_from_an_otherwise_empty_file() {
    let mut file = edit("");
    file.set(Ai("one"), vec![("library", "x".into())]);
    file.add_default_client("one");
    file.remove(Ai("one"));
    file.remove_default_client("one");
    assert_eq!(file.document.to_string().trim(), "");
    for kept in [
        "[client.default]\nai = \"two\"\n",
        "[client.default]\nai = \"one\"\nrate = 3\n",
        "[client.default]\nai = \"one\"\n[client.me]\nai = \"two\"\n",
        "[client.default]\nai = \"one\"\n[server]\nlisten = \"127.0.0.1:1\"\n",
    ] {
        let mut file = edit(kept);
        file.remove_default_client("one");
        assert_eq!(file.document.to_string(), kept);
    }
}

//! Checks that AI crates for this version and for each release still compile with a later version,
//! which appends a field to each struct and a variant to an enumeration.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const MANIFEST: &str = "\nversion = \"1.99.0\"\nedition = \"2024\"\n\n[workspace]\n\n";

/// Copies this crate to a folder, and changes it the way a later version might.
fn write_later_version(folder: &Path) {
    let source = Path::new(ROOT).join("src");
    let mut grown = 0;
    for file in files_below(&source) {
        let text = fs::read_to_string(&file).unwrap();
        let later = text
            .replace(
                "pub further: Further,",
                "pub later: u64,\n    pub further: Further,",
            )
            .replace("further: Further::NONE", "later: 0, further: Further::NONE")
            .replace("further: _", "later: _, further: _")
            .replace(
                "Other = \"other\",",
                "Other = \"other\",\n        /// New.\n        Later = \"later\",",
            );
        grown += later.matches("pub later: u64,").count() + later.matches("Later = ").count();
        let target = folder.join("src").join(file.strip_prefix(&source).unwrap());
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::write(target, later).unwrap();
    }
    assert_eq!(grown, 12, "structs and enumerations that grow");
    let manifest =
        format!("[package]\nname = \"rookery-ai-api\"{MANIFEST}[lib]\nname = \"ai_api\"\n");
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    fs::copy(Path::new(ROOT).join("build.rs"), folder.join("build.rs")).unwrap();
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| {
            if path.is_dir() {
                files_below(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

#[test]
fn author_crates_compile_with_a_later_version() {
    let folder = tempfile::tempdir().unwrap();
    let (api, author) = (folder.path().join("api"), folder.path().join("author"));
    write_later_version(&api);
    let releases = fs::read_dir(Path::new(ROOT).join("frozen"))
        .unwrap()
        .map(|entry| entry.unwrap().path().join("author.rs"));
    let sources: Vec<_> = releases
        .chain([Path::new(ROOT).join("tests/growth/author.rs")])
        .collect();
    assert!(sources.len() > 1);
    fs::create_dir(&author).unwrap();
    let manifest = format!(
        "[package]\nname = \"author\"{MANIFEST}[lib]\npath = \"author.rs\"\ncrate-type = \
         [\"cdylib\"]\n\n[dependencies]\nai-api = {{ package = \"rookery-ai-api\", path = \
         \"../api\" }}\n"
    );
    fs::write(author.join("Cargo.toml"), manifest).unwrap();
    for source in sources {
        fs::copy(&source, author.join("author.rs")).unwrap();
        let mut cargo = Command::new(env::var_os("CARGO").expect("cargo runs this test"));
        let output = cargo
            .args(["check", "--offline", "--quiet"])
            .current_dir(&author)
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {errors}", source.display());
    }
}

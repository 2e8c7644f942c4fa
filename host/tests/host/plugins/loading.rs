//! Libraries that the host rejects, and its messages.

use std::{fs, path::Path};

use ai_api::note::{ABI_VERSION, API_VERSION};
use pool::{AiStartError, Ais, WorkerProgram};
use serde_json::json;

use crate::support::{Application, ConfigFile, ai, assert_has, built, configuration, rookery};

/// Returns the message and the details of the AI's start error.
fn start_error(file: &ConfigFile) -> (String, String) {
    let errors = Ais::start(&file.load(), WorkerProgram::at(rookery())).unwrap_err();
    let [error] = errors.0.as_slice() else {
        panic!("{errors}")
    };
    assert!(
        matches!(
            error,
            AiStartError::Start { .. } | AiStartError::Read { .. }
        ),
        "{error}"
    );
    (
        error.to_string(),
        error.details().unwrap_or_default().to_owned(),
    )
}

fn check(library: &str, part: &str) {
    let (message, details) = start_error(&configuration(&[library]));
    assert!(
        message.contains(&format!("AI '{library}'")) && message.contains(part),
        "{message}"
    );
    assert!(message.chars().count() < 600, "{message}");
    assert!(!details.contains("BUG"), "{details}");
}

#[test]
fn rejects_a_library_that_is_not_an_ai() {
    check(
        "no_ai",
        "is not an AI for Rookery: it has no note from ai_api::export_ai!",
    );
    // This library has only the note, so the host rejects it only after loading it.
    check(
        "no_entry",
        "is not an AI for Rookery: it does not export rookery_ai_entry",
    );
}

#[test]
fn rejects_an_ai_with_altered_types() {
    check("other_layout", "whose types differ from this host's");
    let (_, details) = start_error(&configuration(&["other_layout"]));
    assert!(details.contains("Contract"), "{details}");
}

#[actix_web::test]
async fn compares_types_only_within_a_minor_version() {
    for library in ["ai_basic1", "other_minor", "no_layout"] {
        let app = Application::of(&configuration(&[library]));
        let body = json!({"game": {}, "limit": {"depth": 1}});
        assert_eq!(
            app.post("/v1/best-move", &body).await.status,
            200,
            "{library}"
        );
    }
}

#[test]
fn reports_the_error_of_create() {
    check("required_option", "not in a bad mood");
}

/// A configuration with one AI whose library contains these bytes.
fn library_of(folder: &Path, bytes: &[u8]) -> ConfigFile {
    let path = folder.join("libbad.so");
    fs::write(&path, bytes).unwrap();
    ai("bad", path.to_str().unwrap(), "")
}

/// The bytes of basic1's library.
fn basic1() -> Vec<u8> {
    fs::read(built("ai_basic1")).unwrap()
}

#[test]
fn rejects_a_file_that_is_not_a_library() {
    let folder = tempfile::tempdir().unwrap();
    for (bytes, part) in [
        (Vec::new(), "the file is empty, not a shared library"),
        (
            b"not a library at all\n".to_vec(),
            "the file is text, not a shared library",
        ),
        (
            fs::read(rookery()).unwrap(),
            "the file is a program, not a shared library",
        ),
    ] {
        let (message, _) = start_error(&library_of(folder.path(), &bytes));
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn rejects_a_truncated_library() {
    let folder = tempfile::tempdir().unwrap();
    let whole = basic1();
    for cut in [100, whole.len() / 2, whole.len() - 1] {
        let (message, _) = start_error(&library_of(folder.path(), &whole[..cut]));
        let missing = whole.len() - cut;
        assert_has(
            &message,
            &[format!("so {missing} are missing; copy or build it again")],
        );
    }
}

#[test]
fn rejects_a_library_for_another_machine() {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = basic1();
    // Swaps x86-64 and aarch64 in the machine field of the ELF header, at offset 18.
    let (other, name) = if bytes[18] == 0x3e {
        (0xb7, "aarch64")
    } else {
        (0x3e, "x86_64")
    };
    bytes[18] = other;
    let (message, _) = start_error(&library_of(folder.path(), &bytes));
    let ours = std::env::consts::ARCH;
    assert_has(
        &message,
        &[format!(
            "built for {name}, but this host is {ours}; build the AI for this host"
        )],
    );
}

/// basic1's library with a different contract version in its note.
fn basic1_of_contract(version: u32) -> Vec<u8> {
    assert!(version < 10 && ABI_VERSION < 10, "the version is one digit");
    let mut bytes = basic1();
    let printed = format!("abi={ABI_VERSION}\0api=");
    let at = bytes
        .windows(printed.len())
        .position(|window| window == printed.as_bytes())
        .unwrap();
    bytes[at + "abi=".len()] = b'0' + version as u8;
    bytes
}

#[test]
fn rejects_another_contract_version_and_names_both() {
    let folder = tempfile::tempdir().unwrap();
    for (version, part) in [
        (
            ABI_VERSION - 1,
            format!("newer version {ABI_VERSION} (ai-api {API_VERSION}); build the AI again"),
        ),
        (
            ABI_VERSION + 1,
            format!("older version {ABI_VERSION} (ai-api {API_VERSION}); use a newer Rookery"),
        ),
    ] {
        let (message, _) = start_error(&library_of(folder.path(), &basic1_of_contract(version)));
        let built = format!("the AI 'basic1' 1.0.0 is built for version {version} of the contract");
        assert_has(&message, &[built, format!("this host has the {part}")]);
    }
}

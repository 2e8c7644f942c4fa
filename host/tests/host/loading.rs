//! Libraries that are no AI for this host, and what the operator then reads.

use std::{fs, path::Path};

use rookery::ai::{AiStartError, Ais, WorkerProgram};

use crate::support::{ConfigFile, configuration, rookery};

/// What is said of the one AI of a configuration that can't be started: the short of it, and the details.
fn refusal(file: &ConfigFile) -> (String, String) {
    let errors = Ais::start(&file.load(), WorkerProgram::at(rookery())).unwrap_err();
    let [error] = errors.0.as_slice() else { panic!("{errors}") };
    assert!(matches!(error, AiStartError::Start { .. } | AiStartError::Read { .. }), "{error}");
    (error.to_string(), error.details().unwrap_or_default().to_owned())
}

fn check(library: &str, part: &str) {
    let (message, details) = refusal(&configuration(&[library]));
    assert!(message.contains(&format!("AI '{library}'")) && message.contains(part), "{message}");
    assert!(message.chars().count() < 600, "{message}");
    assert!(!details.contains("BUG"), "{details}");
}

#[test]
fn a_library_that_is_no_ai_is_told_so() {
    check("no_ai", "is no AI for Rookery: it does not export what ai_api::export_ai! writes");
}

#[test]
fn an_ai_of_another_layout_is_told_in_short_and_its_details_are_kept() {
    check("other_layout", "whose types differ from those of this host");
    let (_, details) = refusal(&configuration(&["other_layout"]));
    assert!(details.contains("AiModule"), "{details}");
}

#[test]
fn an_ai_without_the_check_of_its_layout_is_refused() {
    check("unchecked", "has switched off the check of its layout");
}

#[test]
fn an_ai_of_another_version_is_told_both_versions() {
    check("older", "built with ai-api 0.0.9");
    check("older", &format!("this host has {}", ai_api::module::API_VERSION));
}

#[test]
fn an_ai_that_can_not_be_made_is_told_in_its_own_words() {
    check("refuses", "not in a bad mood");
}

/// A configuration of one AI whose library holds these bytes.
fn library_of(folder: &Path, bytes: &[u8]) -> ConfigFile {
    let path = folder.join("libbad.so");
    fs::write(&path, bytes).unwrap();
    ConfigFile::new(&format!("[ai.bad]\nlibrary = \"{}\"\n", path.display()))
}

#[test]
fn a_file_that_is_no_library_is_told_so() {
    let folder = tempfile::tempdir().unwrap();
    let good = fs::read(rookery()).unwrap();
    for bytes in [&b""[..], b"not a library at all\n", &good[..100], &good[..good.len() / 2]] {
        let (message, _) = refusal(&library_of(folder.path(), bytes));
        assert!(message.contains("can't be loaded"), "{message}");
        assert!(!message.contains("/proc/"), "{message}");
    }
}

#[test]
fn a_library_for_another_machine_is_told_so() {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = fs::read(rookery()).unwrap();
    // The machine of an ELF header, at 18: aarch64 where this is x86-64, and the other way round.
    bytes[18] = if bytes[18] == 0x3e { 0xb7 } else { 0x3e };
    let (message, _) = refusal(&library_of(folder.path(), &bytes));
    assert!(message.contains("another machine") || message.contains("no shared library"), "{message}");
}

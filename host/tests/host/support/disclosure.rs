//! Checks every reply in every test for the server's paths and process ids.

use std::{
    collections::BTreeSet,
    path::Path,
    process,
    sync::{LazyLock, Mutex, PoisonError},
};

use serde_json::Value;
use test_kit::processes::children;

use crate::support::rookery;

/// The paths of all configurations so far, and the build folder.
static PATHS: LazyLock<Mutex<BTreeSet<String>>> = LazyLock::new(|| {
    let build = rookery().parent().unwrap().to_string_lossy().into_owned();
    Mutex::new([build, env!("CARGO_MANIFEST_DIR").to_owned()].into())
});

/// Words before a process id.
const BEFORE_A_PROCESS: [&str; 5] = ["process ", "pid ", "worker ", "/proc/", "process group "];

/// Registers the paths of a configuration: its folder, and the absolute paths in its text.
pub(crate) fn conceal_paths_of(folder: &Path, text: &str) {
    let mut paths = PATHS.lock().unwrap_or_else(PoisonError::into_inner);
    paths.insert(folder.to_string_lossy().into_owned());
    let named = text
        .split(['"', '\''])
        .filter(|path| path.starts_with('/') && path.len() > 1);
    // An option of an AI may be a command line.
    let words = named.filter_map(|path| path.split_whitespace().next());
    paths.extend(
        words
            .filter(|path| path.matches('/').count() > 1)
            .map(str::to_owned),
    );
}

/// Panics if a reply discloses a path or a process id. `what` names the reply.
#[track_caller]
pub(crate) fn check_reply(what: &str, body: &[u8]) {
    let text = match serde_json::from_slice::<Value>(body) {
        Ok(mut reply) => {
            without_last_fault(&mut reply);
            reply.to_string()
        }
        Err(_) => String::from_utf8_lossy(body).into_owned(),
    };
    if let Some(found) = disclosed(&text) {
        panic!("{what}: the reply discloses {found}: {text}");
    }
}

/// Removes the field that only administrators receive.
fn without_last_fault(reply: &mut Value) {
    match reply {
        Value::Object(fields) => _ = fields.remove("last_fault"),
        Value::Array(values) => values.iter_mut().for_each(without_last_fault),
        _ => {}
    }
}

/// Returns the first path or process id of the server in the text.
fn disclosed(text: &str) -> Option<String> {
    let temporary = format!(
        "{}/",
        std::env::temp_dir().to_string_lossy().trim_end_matches('/')
    );
    if text.contains(&temporary) {
        return Some(temporary);
    }
    let paths = PATHS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(path) = paths.iter().find(|path| text.contains(path.as_str())) {
        return Some(path.clone());
    }
    drop(paths);
    let named: BTreeSet<u32> = BEFORE_A_PROCESS
        .iter()
        .flat_map(|words| numbers_after(words, text))
        .collect();
    if named.is_empty() {
        return None;
    }
    processes()
        .intersection(&named)
        .next()
        .map(|number| format!("the process {number}"))
}

fn numbers_after<'a>(words: &'a str, text: &'a str) -> impl Iterator<Item = u32> + 'a {
    text.match_indices(words).filter_map(|(at, words)| {
        let rest = &text[at + words.len()..];
        let end = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        rest[..end].parse().ok()
    })
}

/// Returns this process and all of its descendants.
fn processes() -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    let mut open = vec![process::id()];
    while let Some(process) = open.pop() {
        if found.insert(process) {
            open.extend(children(process));
        }
    }
    found
}

#[test]
fn detects_paths_and_process_ids_in_a_reply() {
    let folder = tempfile::tempdir().unwrap();
    conceal_paths_of(
        folder.path(),
        "[ai.x]\nlibrary = \"/opt/ais/libx.so\"\ncommand = '/usr/bin/engine --uci'\nof = \"/\"",
    );
    let own = process::id();
    for text in [
        format!("can't read {}", folder.path().display()),
        "no such file: /opt/ais/libx.so".into(),
        "/usr/bin/engine has ended".into(),
        format!("{}/rookery-1", std::env::temp_dir().display()),
        format!("{}/libai_basic1.so", rookery().parent().unwrap().display()),
        format!("its process {own} has ended"),
        format!("/proc/{own}/status"),
    ] {
        assert!(disclosed(&text).is_some(), "{text}");
    }
    for text in [
        format!("{own} nodes"),
        "the file libx.so".into(),
        "process 0, worker x, /v1/ais".into(),
    ] {
        assert_eq!(disclosed(&text), None, "{text}");
    }
}

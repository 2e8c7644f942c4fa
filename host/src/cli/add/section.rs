//! The keys of `[ai.ID]` for an AI that was tried.

use std::{
    iter,
    path::{Path, PathBuf},
};

use ai_api::OptionValue;
use toml_edit::{Array, InlineTable, Value};

use crate::cli::{grants::Tried, output::escaped, target::AiFlags};
use config::{AiSettings, COMMAND, Config, FileEdit, PluginPolicy, SectionId};
use library::file_access::canonicalize;
use protocol::SandboxSettings;
use text::is_control_or_bidi;

/// A server stops an engine after this time, unless the request sets another limit.
const MOVETIME_MS: i64 = 1000;

/// Keeps the options that the configuration sets for the AI, and its grants except those for the
/// files of its old command.
pub(super) fn merge(existing: &AiSettings, settings: &mut AiSettings) {
    let replaced = existing.program_files();
    let (old, new) = (&existing.sandbox, &mut settings.sandbox);
    new.exec.extend(
        old.exec
            .iter()
            .filter(|program| !replaced.contains(&program.file))
            .cloned(),
    );
    new.read.extend(
        old.read
            .iter()
            .filter(|path| !replaced.contains(path))
            .cloned(),
    );
    new.exec.dedup();
    new.read.sort();
    new.read.dedup();
    new.links.extend(old.links.iter().cloned());
    let options = existing
        .options
        .iter()
        .filter(|option| option.name != COMMAND);
    settings.options.extend(options.cloned());
}

/// Returns the keys to write, with the values that the trial has found. A number in the section is
/// lowered only if a flag sets it.
pub(super) fn keys<'k>(
    tried: &Tried,
    flags: &AiFlags,
    edit: &FileEdit,
    current: &Config,
) -> Vec<(&'k str, Value)> {
    let AiSettings {
        id,
        library,
        sandbox,
        options,
        ..
    } = &tried.settings;
    let existing = current.ais.get(id);
    let number = |key: &str, found: u64, flag: Option<u64>, before: Option<u64>| {
        let before = before
            .filter(|_| edit.has_key(SectionId::Ai(id), key))
            .unwrap_or(0);
        Value::from(flag.unwrap_or_else(|| found.max(before)).cast_signed())
    };
    let before = existing.map(|ai| &ai.sandbox);
    let paths = |paths: Vec<&Path>| {
        Value::from(
            paths
                .into_iter()
                .map(|path| text_value(&text(path)))
                .collect::<Array>(),
        )
    };
    let mut keys = vec![(
        "library",
        text_value(&library_name(library, &current.plugins.directories)),
    )];
    if current.plugins.policy == PluginPolicy::Pinned || edit.has_key(SectionId::Ai(id), "sha256") {
        keys.push(("sha256", tried.sha256.to_string().into()));
        let pins = tried.settings.file_pins(current.folder());
        let pins: InlineTable = pins
            .iter()
            .map(|(file, sum)| (text(file), sum.to_string()))
            .collect();
        // Drops the pins of files that the AI no longer uses.
        keys.push(("files_sha256", Array::new().into()));
        keys.extend((!pins.is_empty()).then(|| ("files_sha256", pins.into())));
    }
    keys.push(("allow_exec", paths(programs(sandbox))));
    keys.push(("allow_read", paths(files(sandbox))));
    let directory = sandbox.working_directory.as_deref();
    if let Some(directory) =
        directory.filter(|&own| Some(own) != tried.settings.engine_folder().as_deref())
    {
        keys.push(("working_directory", text_value(&text(directory))));
    }
    keys.push((
        "memory_mb",
        number(
            "memory_mb",
            sandbox.memory_mb,
            flags.memory_mb,
            before.map(|old| old.memory_mb),
        ),
    ));
    keys.push((
        "threads",
        number(
            "threads",
            sandbox.threads,
            flags.threads,
            before.map(|old| old.threads),
        ),
    ));
    if !sandbox.exec.is_empty() && !edit.has_key(SectionId::Ai(id), "limit") {
        keys.push((
            "limit",
            InlineTable::from_iter([("movetime_ms", MOVETIME_MS)]).into(),
        ));
    }
    let grace = (tried.trial.late.as_millis() as u64 * 2).next_multiple_of(100);
    if grace > tried.settings.stop_grace().as_millis() as u64
        && !edit.has_key(SectionId::Ai(id), "stop_grace_ms")
    {
        keys.push((
            "stop_grace_ms",
            grace
                .min(tried.settings.move_timeout_ms / 2)
                .cast_signed()
                .into(),
        ));
    }
    if !options.is_empty() {
        let options = options
            .iter()
            .map(|option| (option.name.as_str(), value(&option.value)));
        keys.push(("options", options.collect::<InlineTable>().into()));
    }
    keys
}

/// Returns the granted programs as written, because a path through symbolic links is granted only
/// in that form.
pub(super) fn programs(sandbox: &SandboxSettings) -> Vec<&Path> {
    let written = |file| links_to(file, sandbox).next().unwrap_or(file);
    sandbox
        .exec
        .iter()
        .map(|program| written(&program.file))
        .collect()
}

/// Returns the granted files and folders, and the symbolic links that lead to them.
pub(super) fn files(sandbox: &SandboxSettings) -> Vec<&Path> {
    let mut files: Vec<&Path> = Vec::new();
    for file in &sandbox.read {
        for path in iter::once(file.as_path()).chain(links_to(file, sandbox)) {
            if !files.contains(&path) {
                files.push(path);
            }
        }
    }
    files
}

fn links_to<'s>(file: &'s Path, sandbox: &'s SandboxSettings) -> impl Iterator<Item = &'s Path> {
    let is_link =
        move |link: &&Path| *link != file && canonicalize(link).is_ok_and(|real| real == file);
    sandbox.links.iter().map(PathBuf::as_path).filter(is_link)
}

/// Formats a string as a TOML value on one line.
fn text_value(text: &str) -> Value {
    if text.contains(is_control_or_bidi) {
        let escaped = escaped(&text.replace('\\', "\\\\").replace('"', "\\\""));
        return format!("\"{escaped}\"")
            .parse()
            .expect("escaped text is valid TOML");
    }
    text.into()
}

/// Returns a library's name if it is in one of the directories, or else its path.
fn library_name(library: &Path, directories: &[PathBuf]) -> String {
    let is_found = |directory: &PathBuf| {
        let real = directory.canonicalize();
        real.is_ok_and(|real| library.parent() == Some(&real))
            || library.parent() == Some(directory)
    };
    let name = library.file_name().and_then(|name| name.to_str());
    let name = name.and_then(|name| name.strip_prefix("lib")?.strip_suffix(".so"));
    let found = name.filter(|_| directories.iter().any(is_found));
    found.map_or_else(|| text(library), str::to_owned)
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn value(value: &OptionValue) -> Value {
    match value {
        OptionValue::Flag(flag) => (*flag).into(),
        OptionValue::Integer(number) => (*number).into(),
        OptionValue::Decimal(number) => (*number).into(),
        OptionValue::Text(text) => text_value(text),
        OptionValue::List(texts) => texts
            .iter()
            .map(|text| text_value(text))
            .collect::<Array>()
            .into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_control_characters_in_a_section() {
        assert_eq!(
            escaped("a = \"\u{9b}31m\u{202e}\u{200b}é\""),
            "a = \"\\u009B31m\\u202E\\u200Bé\""
        );
        let text = "a\n\"\\\u{1b}\u{202e}'";
        let value = text_value(text);
        assert_eq!(value.as_str(), Some(text));
        assert_eq!(value.to_string(), r#""a\u000A\"\\\u001B\u202E'""#);
    }
}

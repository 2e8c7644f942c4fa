//! Checks the options of an AI against what the AI declares.

use std::{
    ops::Range,
    path::{Path, PathBuf},
};

use ai_api::{OptionKind, OptionSetting, OptionSpec, OptionValue};

use super::{
    AiSettings, Config, issue::ConfigIssue, keys::OVERRIDABLE_OPTIONS, library_path::absolute, show::list,
    source::shortened,
};
use library::file_access::metadata;
use protocol::{SandboxMode, SandboxSettings};
use text::suggest;

/// Choices that are listed, and characters of each: an AI may declare anything.
const MOST_CHOICES: usize = 20;
const LONGEST_CHOICE: usize = 40;
const LONGEST_NAME: usize = 64;

const RELATIVE: &str = "relative to this file, in quotes";

impl Config {
    /// What is wrong with the options of the AI `ai`, which declares `specs`: unknown names, wrong types, values out
    /// of bounds, and what no request may be let to set. Nothing for an AI that is not configured.
    pub fn check_options(&self, ai: &str, specs: &[OptionSpec]) -> Vec<ConfigIssue> {
        let Some(settings) = self.ais.get(ai) else { return Vec::new() };
        let places = self.places.get(ai).into_iter().flat_map(|places| &places.options);
        let mut issues = self.check_overridable_options(settings, specs);
        for (setting, place) in settings.options.iter().zip(places) {
            let path = format!("ai.{ai}.options.{}", shortened(&setting.name, LONGEST_NAME));
            match specs.iter().find(|spec| spec.name == setting.name) {
                Some(spec) if spec.allows(&setting.value) => {
                    for file in self.files(spec, &setting.value) {
                        let Some(fault) = fault_of_file(&spec.kind, &file) else { continue };
                        let message = format!("`{path}` names {}, which {fault}", file.display());
                        let mut issue = ConfigIssue::in_file(&self.source, &place.value, &message);
                        issue.allow(&format!("{}, {RELATIVE}", values_of(&spec.kind)));
                        issues.push(issue);
                    }
                }
                Some(spec) => {
                    let shown = if spec.secret { "not a text".into() } else { description(&setting.value) };
                    let message = format!("`{path}` is {shown}");
                    let mut issue = ConfigIssue::in_file(&self.source, &place.value, &message);
                    issue.allow(&allowed_values(spec));
                    if spec.secret {
                        issue.conceal();
                    }
                    if !spec.help.is_empty() {
                        issue.note(&format!("{}: {}", shortened(&spec.name, LONGEST_NAME), spec.help));
                    }
                    issues.push(issue);
                }
                None => {
                    let name = shortened(&setting.name, LONGEST_NAME);
                    let message = format!("the AI `{ai}` declares no option `{name}`");
                    let mut issue = ConfigIssue::in_file(&self.source, &place.name, &message);
                    issue
                        .allow(
                            &names(specs).unwrap_or_else(|| "none: this AI declares no options".to_owned()),
                        )
                        .suggest(suggest(&setting.name, specs.iter().map(|spec| spec.name.as_str())));
                    issues.push(issue);
                }
            }
        }
        issues
    }

    /// What is wrong with the options that requests may set.
    fn check_overridable_options(&self, settings: &AiSettings, specs: &[OptionSpec]) -> Vec<ConfigIssue> {
        let ai = &settings.id;
        let places = self.places.get(ai).into_iter().flat_map(|places| &places.overridable_options);
        let of_text = self.danger_of_texts(settings, specs);
        let danger = |spec: &OptionSpec| match spec.kind {
            _ if spec.secret => Some("is secret"),
            OptionKind::Flag
            | OptionKind::Integer { .. }
            | OptionKind::Decimal { .. }
            | OptionKind::Choice(_) => None,
            OptionKind::File | OptionKind::Folder | OptionKind::Files => {
                Some("names a file, which is not for a client to choose")
            }
            OptionKind::Text => of_text,
        };
        let safe = || specs.iter().filter(|spec| danger(spec).is_none());
        let issue = |(name, place): (&String, &Range<usize>)| {
            let shown = shortened(name, LONGEST_NAME);
            let spec = specs.iter().find(|spec| spec.name == *name);
            let (message, suggestion) = match spec.map(danger) {
                Some(None) => return None,
                Some(Some(danger)) => (format!("lets requests set `{shown}`, which {danger}"), None),
                None => (
                    format!("lets requests set `{shown}`, which the AI does not declare"),
                    suggest(name, safe().map(|spec| spec.name.as_str())),
                ),
            };
            let message = format!("`ai.{ai}.{}` {message}", OVERRIDABLE_OPTIONS.name);
            let mut issue = ConfigIssue::in_file(&self.source, place, &message);
            let allowed = names(safe()).unwrap_or_else(|| "none of the options of this AI".to_owned());
            issue.allow(&allowed).suggest(suggestion);
            Some(issue)
        };
        settings.overridable_options.iter().zip(places).filter_map(issue).collect()
    }

    /// Why no request may set a text of an AI: whatever it means, there must be no path and no program that it could choose.
    fn danger_of_texts(&self, settings: &AiSettings, specs: &[OptionSpec]) -> Option<&'static str> {
        let SandboxSettings { mode, read, exec, .. } = &settings.sandbox;
        let names_file =
            |(spec, setting): (&OptionSpec, OptionSetting)| !self.files(spec, &setting.value).is_empty();
        if *mode != SandboxMode::Required {
            Some("is a text, and could name anything on this machine: the sandbox of the AI is not required")
        } else if !exec.is_empty() {
            Some("is a text, and could name a program: the AI may start some (`allow_exec`)")
        } else if !read.is_empty()
            || specs.iter().zip(self.resolved_options(&settings.id, specs)).any(names_file)
        {
            Some(
                "is a text, and could name a file: the AI may read some (`allow_read`, or an option that names one)",
            )
        } else {
            None
        }
    }

    /// Sets an option of the AI `ai` to a value that the AI allows, above what the file says.
    pub fn set_option(&mut self, ai: &str, setting: OptionSetting) {
        let Some(settings) = self.ais.get_mut(ai) else { return };
        match settings.options.iter_mut().find(|known| known.name == setting.name) {
            Some(known) => known.value = setting.value,
            // Behind those of the file, whose places are kept in their order.
            None => settings.options.push(setting),
        }
    }

    /// The value of every option in `specs` for the AI `ai`: the file's where it is allowed, else the default; files by
    /// their absolute paths.
    pub fn resolved_options(&self, ai: &str, specs: &[OptionSpec]) -> Vec<OptionSetting> {
        let settings = self.ais.get(ai).map_or(&[][..], |ai| &ai.options);
        specs
            .iter()
            .map(|spec| {
                let setting = settings.iter().find(|setting| setting.name == spec.name);
                let value = setting.and_then(|setting| spec.accept(&setting.value));
                let value = value.unwrap_or_else(|| spec.default.clone());
                let value = with_paths(spec, value, |path| absolute(self.source.folder(), path));
                OptionSetting { name: spec.name.clone(), value }
            })
            .collect()
    }

    /// The files that an option of this value names, if it is one that names files.
    fn files(&self, spec: &OptionSpec, value: &OptionValue) -> Vec<PathBuf> {
        named_files(spec, value).map(|path| absolute(self.source.folder(), path)).collect()
    }
}

/// The paths that an option of this value names, if it is one that names files.
fn named_files<'a>(spec: &OptionSpec, value: &'a OptionValue) -> impl Iterator<Item = &'a String> {
    let paths = match value {
        _ if !spec.names_files() => &[],
        OptionValue::Text(path) => std::slice::from_ref(path),
        OptionValue::List(paths) => paths.as_slice(),
        OptionValue::Flag(_) | OptionValue::Integer(_) | OptionValue::Decimal(_) => &[],
    };
    paths.iter().filter(|path| !path.is_empty())
}

/// The value with the paths that it names made absolute.
pub fn with_paths(
    spec: &OptionSpec,
    mut value: OptionValue,
    absolute: impl Fn(&str) -> PathBuf,
) -> OptionValue {
    let paths = match &mut value {
        _ if !spec.names_files() => &mut [],
        OptionValue::Text(path) => std::slice::from_mut(path),
        OptionValue::List(paths) => paths.as_mut_slice(),
        OptionValue::Flag(_) | OptionValue::Integer(_) | OptionValue::Decimal(_) => &mut [],
    };
    for path in paths.iter_mut().filter(|path| !path.is_empty()) {
        if let Ok(absolute) = absolute(path).into_os_string().into_string() {
            *path = absolute;
        }
    }
    value
}

/// Why a file is not one for an option of this kind.
fn fault_of_file(kind: &OptionKind, file: &Path) -> Option<String> {
    match (metadata(file), kind) {
        (Err(error), _) => Some(format!("can't be found: {error}")),
        (Ok(found), OptionKind::File) if found.is_dir() => Some("is a folder".into()),
        (Ok(found), OptionKind::Folder) if !found.is_dir() => Some("is no folder".into()),
        (Ok(_), _) => None,
    }
}

/// The files that configured options name and that these settings do not let an AI read yet. What an AI sets itself, as
/// a default, grants it nothing.
pub fn ungranted_files(
    specs: &[OptionSpec],
    options: &[OptionSetting],
    configured: &[OptionSetting],
    sandbox: &SandboxSettings,
) -> Vec<PathBuf> {
    if sandbox.mode == SandboxMode::Off {
        return Vec::new();
    }
    let named = |setting| {
        let OptionSetting { name, value }: &OptionSetting = setting;
        let spec = specs.iter().find(|spec| spec.name == *name);
        spec.into_iter().flat_map(|spec| named_files(spec, value)).map(PathBuf::from)
    };
    let granted = |file: &PathBuf| sandbox.read.iter().any(|folder| file.starts_with(folder));
    let is_configured =
        |setting: &&OptionSetting| configured.iter().any(|configured| configured.name == setting.name);
    options.iter().filter(is_configured).flat_map(named).filter(|file| !granted(file)).collect()
}

/// What values an option of a kind takes, for somebody who gave it another.
pub fn values_of(kind: &OptionKind) -> String {
    match kind {
        OptionKind::Flag => "true or false".to_owned(),
        OptionKind::Integer { min, max } => format!("a whole number from {min} to {max}"),
        OptionKind::Decimal { min, max } => format!("a number from {min} to {max}"),
        OptionKind::Choice(choices) => {
            let some = choices.iter().take(MOST_CHOICES);
            let some: Vec<_> =
                some.map(|choice| format!("\"{}\"", shortened(choice, LONGEST_CHOICE))).collect();
            let more = if choices.len() > MOST_CHOICES { ", …" } else { "" };
            format!("one of {}{more}", some.join(", "))
        }
        OptionKind::Text => "a text".to_owned(),
        OptionKind::File => "the path of a file that exists".to_owned(),
        OptionKind::Folder => "the path of a folder that exists".to_owned(),
        OptionKind::Files => "a list of paths of files and folders that exist".to_owned(),
    }
}

fn description(value: &OptionValue) -> String {
    match value {
        OptionValue::Text(text) if text.is_empty() => "an empty text".to_owned(),
        OptionValue::Text(text) => format!("the text \"{}\"", shortened(text, LONGEST_NAME)),
        OptionValue::List(texts) => format!("the list {}", shortened(&list(texts), LONGEST_NAME)),
        value => value.to_string(),
    }
}

/// Which values an option may have, and which it has where it is left out.
pub fn allowed_values(spec: &OptionSpec) -> String {
    let kind = match &spec.kind {
        OptionKind::Text => "a text in quotes".to_owned(),
        kind @ (OptionKind::File | OptionKind::Folder | OptionKind::Files) => {
            format!("{}, {RELATIVE}", values_of(kind))
        }
        kind => values_of(kind),
    };
    let default = match &spec.default {
        _ if spec.secret => return kind,
        OptionValue::Text(text) => format!("\"{}\"", shortened(text, LONGEST_CHOICE)),
        value => description(value),
    };
    format!("{kind}; {default} where it is left out")
}

/// None where there are none.
fn names<'a>(specs: impl IntoIterator<Item = &'a OptionSpec>) -> Option<String> {
    let names: Vec<_> = specs.into_iter().map(|spec| shortened(&spec.name, LONGEST_NAME)).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

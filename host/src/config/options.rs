//! Checks the options of an AI against what the AI declares.

use std::path::PathBuf;

use ai_api::{OptionKind, OptionSetting, OptionSpec, OptionValue};

use super::{Config, SandboxMode, SandboxSettings, issue::ConfigIssue, library::absolute, source::shortened};
use crate::closest::closest;

/// Choices that are listed, and characters of each: an AI may declare anything.
const MOST_CHOICES: usize = 20;
const LONGEST_CHOICE: usize = 40;
const LONGEST_NAME: usize = 64;

const FILE_ALLOWED: &str = "the path of a file or folder that exists, relative to this file, in quotes";

impl Config {
    /// What is wrong with the options of the AI `ai`, which declares `specs`: unknown names, wrong types, values out
    /// of bounds. Nothing for an AI that is not configured.
    pub fn check_options(&self, ai: &str, specs: &[OptionSpec]) -> Vec<ConfigIssue> {
        let Some(settings) = self.ais.get(ai) else { return Vec::new() };
        let places = self.places.get(ai).into_iter().flat_map(|places| &places.options);
        let mut issues = Vec::new();
        for (setting, place) in settings.options.iter().zip(places) {
            let path = format!("ai.{ai}.options.{}", shortened(&setting.name, LONGEST_NAME));
            match specs.iter().find(|spec| spec.name == setting.name) {
                Some(spec) if spec.allows(&setting.value) => {
                    if let Some(file) = self.file(spec, &setting.value)
                        && let Err(error) = file.metadata()
                    {
                        let message =
                            format!("`{path}` names {}, which can't be found: {error}", file.display());
                        let mut issue = ConfigIssue::in_file(&self.source, &place.value, &message);
                        issue.allow(FILE_ALLOWED);
                        issues.push(issue);
                    }
                }
                Some(spec) => {
                    let message = format!("`{path}` is {}", description(&setting.value));
                    let mut issue = ConfigIssue::in_file(&self.source, &place.value, &message);
                    issue.allow(&allowed_values(spec));
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
                        .allow(&names(specs))
                        .suggest(closest(&setting.name, specs.iter().map(|spec| spec.name.as_str())));
                    issues.push(issue);
                }
            }
        }
        issues
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
                let setting =
                    settings.iter().find(|setting| setting.name == spec.name && spec.allows(&setting.value));
                let value = setting.map_or(&spec.default, |setting| &setting.value);
                let file = self.file(spec, value).and_then(|file| file.into_os_string().into_string().ok());
                let value =
                    file.map_or_else(|| value.clone(), |file| OptionValue::Text(file.as_str().into()));
                OptionSetting { name: spec.name.clone(), value }
            })
            .collect()
    }

    /// The file that an option of this value names, if it is one that names files.
    fn file(&self, spec: &OptionSpec, value: &OptionValue) -> Option<PathBuf> {
        match (&spec.kind, value) {
            (OptionKind::File, OptionValue::Text(path)) if !path.is_empty() => {
                Some(absolute(self.source.folder(), path))
            }
            _ => None,
        }
    }
}

/// The files that options name and that these settings do not let an AI read yet.
pub(crate) fn ungranted_files(
    specs: &[OptionSpec],
    options: &[OptionSetting],
    sandbox: &SandboxSettings,
) -> Vec<PathBuf> {
    if sandbox.mode == SandboxMode::Off {
        return Vec::new();
    }
    let named = |setting: &OptionSetting| {
        let spec = specs.iter().find(|spec| spec.name == setting.name)?;
        match (&spec.kind, &setting.value) {
            (OptionKind::File, OptionValue::Text(path)) if !path.is_empty() => Some(PathBuf::from(&**path)),
            _ => None,
        }
    };
    let granted = |file: &PathBuf| sandbox.read.iter().any(|folder| file.starts_with(folder));
    options.iter().filter_map(named).filter(|file| !granted(file)).collect()
}

fn description(value: &OptionValue) -> String {
    match value {
        OptionValue::Flag(flag) => flag.to_string(),
        OptionValue::Integer(number) => number.to_string(),
        OptionValue::Text(text) if text.is_empty() => "an empty text".to_owned(),
        OptionValue::Text(text) => format!("the text \"{}\"", shortened(text, LONGEST_NAME)),
    }
}

/// Which values an option may have, and which it has where it is left out.
pub(crate) fn allowed_values(spec: &OptionSpec) -> String {
    let kind = match &spec.kind {
        OptionKind::Flag => "true or false".to_owned(),
        OptionKind::Integer { min, max } => format!("a whole number from {min} to {max}"),
        OptionKind::Choice(choices) => {
            let some = choices.iter().take(MOST_CHOICES);
            let some: Vec<_> =
                some.map(|choice| format!("\"{}\"", shortened(choice, LONGEST_CHOICE))).collect();
            let more = if choices.len() > MOST_CHOICES { ", …" } else { "" };
            format!("one of {}{more}", some.join(", "))
        }
        OptionKind::Text => "a text in quotes".to_owned(),
        OptionKind::File => FILE_ALLOWED.to_owned(),
    };
    let default = match &spec.default {
        OptionValue::Text(text) => format!("\"{}\"", shortened(text, LONGEST_CHOICE)),
        value => description(value),
    };
    format!("{kind}; {default} where it is left out")
}

fn names(specs: &[OptionSpec]) -> String {
    if specs.is_empty() {
        return "none: this AI declares no options".to_owned();
    }
    let names: Vec<_> = specs.iter().map(|spec| shortened(&spec.name, LONGEST_NAME)).collect();
    names.join(", ")
}

//! Checks an AI's options against what the AI declares.

use std::path::{Path, PathBuf};

use ai_api::{OptionKind, OptionSetting, OptionSpec, OptionValue};

use crate::{
    ai::AiSettings, config::Config, issue::ConfigIssue, kinds::list, library_path::absolute,
    places::Places, source::shortened,
};
use library::file_access::metadata;
use protocol::{SandboxMode, SandboxSettings};
use text::suggest;

/// The maximum number of choices in a message, and the maximum length of each in characters.
const MAX_CHOICES: usize = 20;
const MAX_CHOICE: usize = 40;
const MAX_NAME: usize = 64;

const RELATIVE: &str = "relative to this file, in quotes";

impl Config {
    /// Returns the issues with the options of the AI `ai`, which declares `specs`, and of its
    /// levels: unknown names, wrong types, values out of bounds, and options that requests must not
    /// set. Returns no issues for an AI that is not configured.
    pub fn check_options(&self, ai: &str, specs: &[OptionSpec]) -> Vec<ConfigIssue> {
        let Some(settings) = self.ais.get(ai) else {
            return Vec::new();
        };
        let places = Places::of(&self.source);
        let mut issues = self.check_overridable_options(settings, specs, &places);
        issues.extend(self.check_values(["ai", ai], ai, &settings.options, specs, &places));
        issues.extend(self.check_levels(ai, specs));
        issues
    }

    /// Returns the issues with the options that levels set for the AI `ai`, which declares `specs`.
    pub fn check_levels(&self, ai: &str, specs: &[OptionSpec]) -> Vec<ConfigIssue> {
        let Some(settings) = self.ais.get(ai) else {
            return Vec::new();
        };
        let places = Places::of(&self.source);
        let open = &settings.overridable_options;
        let mut issues = Vec::new();
        for level in self.levels.values().filter(|level| level.ai == ai) {
            let section = ["level", &level.id];
            issues.extend(self.check_values(section, ai, &level.options, specs, &places));
            for OptionSetting { name, .. } in &level.options {
                let is_closed = !open.contains(name) && specs.iter().any(|spec| spec.name == *name);
                let Some((key, _)) = places.find(&["level", &level.id, "options", name]) else {
                    continue;
                };
                if is_closed {
                    let name = shortened(name, MAX_NAME);
                    let message = format!(
                        "`level.{}.options` sets `{name}`, which requests may not set",
                        level.id
                    );
                    let mut issue = ConfigIssue::in_file(&self.source, &key, &message);
                    let allowed = if open.is_empty() {
                        "none".to_owned()
                    } else {
                        open.join(", ")
                    };
                    issue.allow(&format!(
                        "options in `ai.{ai}.overridable_options`: {allowed}"
                    ));
                    issues.push(issue);
                }
            }
        }
        issues
    }

    /// Returns the issues with the names and values of the options in a section.
    fn check_values(
        &self,
        section: [&str; 2],
        ai: &str,
        options: &[OptionSetting],
        specs: &[OptionSpec],
        places: &Places<'_>,
    ) -> Vec<ConfigIssue> {
        let [kind, id] = section;
        let mut issues = Vec::new();
        for setting in options {
            let path = format!("{kind}.{id}.options.{}", shortened(&setting.name, MAX_NAME));
            let Some((key, value)) = places.find(&[kind, id, "options", &setting.name]) else {
                continue;
            };
            match specs.iter().find(|spec| spec.name == setting.name) {
                Some(spec) if spec.allows(&setting.value) => {
                    for file in self.files(spec, &setting.value) {
                        let Some(fault) = fault_of_file(&spec.kind, &file) else {
                            continue;
                        };
                        let message = format!("`{path}` names {}, which {fault}", file.display());
                        let mut issue = ConfigIssue::in_file(&self.source, &value, &message);
                        issue.allow(&format!("{}, {RELATIVE}", values_of(&spec.kind)));
                        issues.push(issue);
                    }
                }
                Some(spec) => {
                    let shown = if spec.secret {
                        "not a string".into()
                    } else {
                        description(&setting.value)
                    };
                    let mut issue =
                        ConfigIssue::in_file(&self.source, &value, &format!("`{path}` is {shown}"));
                    issue.allow(&allowed_values(spec));
                    if spec.secret {
                        issue.conceal();
                    }
                    if !spec.help.is_empty() {
                        issue.note(&format!(
                            "{}: {}",
                            shortened(&spec.name, MAX_NAME),
                            spec.help
                        ));
                    }
                    issues.push(issue);
                }
                None => {
                    let name = shortened(&setting.name, MAX_NAME);
                    let message = format!("the AI `{ai}` declares no option `{name}`");
                    let mut issue = ConfigIssue::in_file(&self.source, &key, &message);
                    let allowed = names(specs);
                    issue
                        .allow(
                            allowed
                                .as_deref()
                                .unwrap_or("none: this AI declares no options"),
                        )
                        .suggest(suggest(
                            &setting.name,
                            specs.iter().map(|spec| spec.name.as_str()),
                        ));
                    issues.push(issue);
                }
            }
        }
        issues
    }

    /// Returns the issues with the options that requests may set.
    fn check_overridable_options(
        &self,
        settings: &AiSettings,
        specs: &[OptionSpec],
        places: &Places<'_>,
    ) -> Vec<ConfigIssue> {
        let path = ["ai", &settings.id, "overridable_options"];
        let of_text = self.danger_of_texts(settings, specs);
        let danger = |spec: &OptionSpec| match spec.kind {
            _ if spec.secret => Some("is secret"),
            OptionKind::Flag
            | OptionKind::Integer { .. }
            | OptionKind::Decimal { .. }
            | OptionKind::Choice(_) => None,
            OptionKind::File | OptionKind::Folder | OptionKind::Files => {
                Some("names a file; clients must not choose files")
            }
            OptionKind::Text => of_text,
        };
        let safe = || specs.iter().filter(|spec| danger(spec).is_none());
        let issue = |name: &String| {
            let shown = shortened(name, MAX_NAME);
            let declared = specs.iter().find(|spec| spec.name == *name);
            let (message, suggestion) = match declared.map(danger) {
                Some(None) => return None,
                Some(Some(danger)) => {
                    (format!("lets requests set `{shown}`, which {danger}"), None)
                }
                None => (
                    format!("lets requests set `{shown}`, which the AI does not declare"),
                    suggest(name, safe().map(|spec| spec.name.as_str())),
                ),
            };
            let message = format!("`{}` {message}", path.join("."));
            let mut issue =
                ConfigIssue::in_file(&self.source, &places.item(&path, name)?, &message);
            let allowed = names(safe());
            issue
                .allow(allowed.as_deref().unwrap_or("none of this AI's options"))
                .suggest(suggestion);
            Some(issue)
        };
        settings
            .overridable_options
            .iter()
            .filter_map(issue)
            .collect()
    }

    /// Returns why requests must not set text options of an AI: the text could name a file or a
    /// program that the AI can reach.
    fn danger_of_texts(&self, settings: &AiSettings, specs: &[OptionSpec]) -> Option<&'static str> {
        let SandboxSettings {
            mode, read, exec, ..
        } = &settings.sandbox;
        let names_file = |(spec, setting): (&OptionSpec, OptionSetting)| {
            !self.files(spec, &setting.value).is_empty()
        };
        if *mode != SandboxMode::Required {
            Some("could name any file, because the AI's sandbox is not required")
        } else if !exec.is_empty() {
            Some("could name a program, because the AI may start programs (`allow_exec`)")
        } else if !read.is_empty()
            || specs
                .iter()
                .zip(self.resolved_options(&settings.id, specs))
                .any(names_file)
        {
            Some(
                "could name a file, because the AI may read files (`allow_read`, or an option \
                 that names a file)",
            )
        } else {
            None
        }
    }

    /// Sets an option of the AI `ai`. The value takes precedence over the file.
    pub fn set_option(&mut self, ai: &str, setting: OptionSetting) {
        let Some(settings) = self.ais.get_mut(ai) else {
            return;
        };
        match settings
            .options
            .iter_mut()
            .find(|known| known.name == setting.name)
        {
            Some(known) => known.value = setting.value,
            None => settings.options.push(setting),
        }
    }

    /// Returns the value of every option in `specs` for the AI `ai`: the configured value if it is
    /// allowed, otherwise the default. Paths become absolute.
    pub fn resolved_options(&self, ai: &str, specs: &[OptionSpec]) -> Vec<OptionSetting> {
        let settings = self.ais.get(ai).map_or(&[][..], |ai| &ai.options);
        specs
            .iter()
            .map(|spec| {
                let setting = settings.iter().find(|setting| setting.name == spec.name);
                let value = setting.and_then(|setting| spec.accept(&setting.value));
                let value = value.unwrap_or_else(|| spec.default.clone());
                let value = with_paths(spec, value, |path| absolute(self.source.folder(), path));
                OptionSetting {
                    name: spec.name.clone(),
                    value,
                }
            })
            .collect()
    }

    fn files(&self, spec: &OptionSpec, value: &OptionValue) -> Vec<PathBuf> {
        named_files(spec, value)
            .map(|path| absolute(self.source.folder(), path))
            .collect()
    }
}

/// Returns the paths that an option with this value names.
pub fn named_files<'a>(
    spec: &OptionSpec,
    value: &'a OptionValue,
) -> impl Iterator<Item = &'a String> {
    let paths = match value {
        _ if !spec.names_files() => &[],
        OptionValue::Text(path) => std::slice::from_ref(path),
        OptionValue::List(paths) => paths.as_slice(),
        OptionValue::Flag(_) | OptionValue::Integer(_) | OptionValue::Decimal(_) => &[],
    };
    paths.iter().filter(|path| !path.is_empty())
}

/// Makes the paths in the value absolute.
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

/// Returns why a file does not fit an option of this kind.
fn fault_of_file(kind: &OptionKind, file: &Path) -> Option<String> {
    match (metadata(file), kind) {
        (Err(error), _) => Some(format!("can't be found: {error}")),
        (Ok(found), OptionKind::File) if found.is_dir() => Some("is a folder".into()),
        (Ok(found), OptionKind::Folder) if !found.is_dir() => Some("is not a folder".into()),
        (Ok(_), _) => None,
    }
}

/// Returns the files that configured options name but that the sandbox does not let the AI read
/// yet. The AI's defaults grant nothing. For an AI from another machine, paths grant nothing
/// outside the folder with its files.
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
        spec.into_iter()
            .flat_map(|spec| named_files(spec, value))
            .map(PathBuf::from)
    };
    let granted = |file: &PathBuf| sandbox.read.iter().any(|folder| file.starts_with(folder));
    let may_be_granted = |file: &PathBuf| {
        let root = sandbox.placed_in.as_ref();
        root.is_none_or(|root| file.starts_with(root))
    };
    let is_configured = |setting: &&OptionSetting| {
        configured
            .iter()
            .any(|configured| configured.name == setting.name)
    };
    options
        .iter()
        .filter(is_configured)
        .flat_map(named)
        .filter(|file| !granted(file) && may_be_granted(file))
        .collect()
}

/// Describes the values of an option of this kind.
pub fn values_of(kind: &OptionKind) -> String {
    match kind {
        OptionKind::Flag => "true or false".to_owned(),
        OptionKind::Integer { min, max } => format!("a whole number from {min} to {max}"),
        OptionKind::Decimal { min, max } => format!("a number from {min} to {max}"),
        OptionKind::Choice(choices) => {
            let some = choices.iter().take(MAX_CHOICES);
            let some: Vec<_> = some
                .map(|choice| format!("\"{}\"", shortened(choice, MAX_CHOICE)))
                .collect();
            let more = if choices.len() > MAX_CHOICES {
                ", …"
            } else {
                ""
            };
            format!("one of {}{more}", some.join(", "))
        }
        OptionKind::Text => "a string".to_owned(),
        OptionKind::File => "the path of a file that exists".to_owned(),
        OptionKind::Folder => "the path of a folder that exists".to_owned(),
        OptionKind::Files => "a list of paths of existing files and folders".to_owned(),
    }
}

fn description(value: &OptionValue) -> String {
    match value {
        OptionValue::Text(text) if text.is_empty() => "an empty string".to_owned(),
        OptionValue::Text(text) => format!("\"{}\"", shortened(text, MAX_NAME)),
        OptionValue::List(texts) => shortened(&list(texts), MAX_NAME),
        value => value.to_string(),
    }
}

/// Describes the values and the default of an option.
pub fn allowed_values(spec: &OptionSpec) -> String {
    let kind = match &spec.kind {
        OptionKind::Text => "a quoted string".to_owned(),
        kind @ (OptionKind::File | OptionKind::Folder | OptionKind::Files) => {
            format!("{}, {RELATIVE}", values_of(kind))
        }
        kind => values_of(kind),
    };
    let default = match &spec.default {
        _ if spec.secret => return kind,
        OptionValue::Text(text) => format!("\"{}\"", shortened(text, MAX_CHOICE)),
        value => description(value),
    };
    format!("{kind} (default: {default})")
}

/// Lists the names, or returns `None` if there are none.
fn names<'a>(specs: impl IntoIterator<Item = &'a OptionSpec>) -> Option<String> {
    let names: Vec<_> = specs
        .into_iter()
        .map(|spec| shortened(&spec.name, MAX_NAME))
        .collect();
    (!names.is_empty()).then(|| names.join(", "))
}

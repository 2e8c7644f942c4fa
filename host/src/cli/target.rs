//! The AI that a command examines or adds, with its grants: a library, or the command of a UCI
//! engine.

use std::{
    ffi::OsString,
    ops::RangeInclusive,
    path::{Path, PathBuf, absolute},
    sync::Arc,
};

use ai_api::{OptionSetting, OptionValue, note::is_id};
use clap::{Args, builder::RangedU64ValueParser};

use crate::cli::failure::Failure;
use config::{AiSettings, MEMORY_SIZES_MB, THREAD_COUNTS};
use conformance::{Printed, Subject};
use library::{
    EngineCommand, ProgramPlaces, SealedLibrary, executable::inspect, file_access::canonicalize,
};
use pool::WorkerProgram;

/// What the AI gets in addition to its defaults.
#[derive(Debug, Args)]
pub(super) struct AiFlags {
    /// Set an option of the AI; repeat it for other options and for each path of a list
    #[arg(long, value_name = "NAME=VALUE", value_parser = option_setting)]
    pub(super) option: Vec<OptionSetting>,
    /// Let the AI read this file or folder, in addition to files that options name; can be repeated
    #[arg(long, value_name = "PATH")]
    pub(super) allow_read: Vec<PathBuf>,
    /// Let the AI start this program; can be repeated
    #[arg(long, value_name = "PATH")]
    pub(super) allow_exec: Vec<PathBuf>,
    /// Memory in MiB, like `memory_mb` in [ai.ID]
    #[arg(long, value_name = "N", value_parser = in_range(MEMORY_SIZES_MB))]
    pub(super) memory_mb: Option<u64>,
    /// Threads in addition to the main thread, like `threads` in [ai.ID]
    #[arg(long, value_name = "N", value_parser = in_range(THREAD_COUNTS))]
    pub(super) threads: Option<u64>,
}

fn in_range(numbers: RangeInclusive<u64>) -> RangedU64ValueParser {
    clap::value_parser!(u64).range(numbers)
}

/// Parses a flag, a number or a string, depending on its form.
fn option_setting(text: &str) -> Result<OptionSetting, String> {
    let (name, value) = text
        .split_once('=')
        .ok_or("expected NAME=VALUE, such as hash_mb=64")?;
    let value = match (value, value.parse()) {
        ("true", _) => OptionValue::Flag(true),
        ("false", _) => OptionValue::Flag(false),
        (_, Ok(number)) => OptionValue::Integer(number),
        _ => match value.parse() {
            Ok(number) if value.contains('.') => OptionValue::Decimal(number),
            _ => OptionValue::Text(value.into()),
        },
    };
    Ok(OptionSetting {
        name: name.into(),
        value,
    })
}

/// Merges repeated settings of an option into a list.
fn merged(settings: &[OptionSetting]) -> Vec<OptionSetting> {
    let mut merged: Vec<OptionSetting> = Vec::new();
    for setting in settings {
        let Some(earlier) = merged
            .iter_mut()
            .find(|earlier| earlier.name == setting.name)
        else {
            merged.push(setting.clone());
            continue;
        };
        let mut values = match &earlier.value {
            OptionValue::List(values) => values.clone(),
            value => vec![value.to_string()],
        };
        values.push(setting.value.to_string());
        earlier.value = OptionValue::List(values);
    }
    merged
}

impl AiFlags {
    /// Returns the flags as words of a command.
    pub(super) fn words(&self) -> Vec<String> {
        let paths = |flag: &str, paths: &[PathBuf]| -> Vec<String> {
            paths
                .iter()
                .flat_map(|path| [flag.to_owned(), path.to_string_lossy().into_owned()])
                .collect()
        };
        let number = |flag: &str, number: Option<u64>| -> Vec<String> {
            number
                .into_iter()
                .flat_map(|number| [flag.to_owned(), number.to_string()])
                .collect()
        };
        let option = |OptionSetting { name, value }: &OptionSetting| {
            ["--option".to_owned(), format!("{name}={value}")]
        };
        [
            self.option.iter().flat_map(option).collect(),
            paths("--allow-read", &self.allow_read),
            paths("--allow-exec", &self.allow_exec),
            number("--memory-mb", self.memory_mb),
            number("--threads", self.threads),
        ]
        .concat()
    }

    /// Sets options and limits, and adds grants.
    pub(super) fn apply(&self, ai: &mut AiSettings) -> Result<(), Failure> {
        for setting in merged(&self.option) {
            ai.options.retain(|earlier| earlier.name != setting.name);
            ai.options.push(setting);
        }
        let sandbox = &mut ai.sandbox;
        sandbox.memory_mb = self.memory_mb.unwrap_or(sandbox.memory_mb);
        sandbox.threads = self.threads.unwrap_or(sandbox.threads);
        for path in &self.allow_read {
            let granted = canonicalize(path).map_err(|error| invalid_grant(path, &error))?;
            if !sandbox.read.contains(&granted) {
                sandbox.read.push(granted);
            }
            sandbox.links.extend(absolute(path).ok());
        }
        for path in &self.allow_exec {
            let granted = absolute(path).map_err(|error| invalid_grant(path, &error))?;
            let granted = inspect(&granted).map_err(|error| invalid_grant(path, &error))?;
            if !sandbox.exec.contains(&granted) {
                sandbox.exec.push(granted);
            }
        }
        Ok(())
    }
}

fn invalid_grant(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::Usage(format!("cannot grant {}: {error}", path.display()))
}

/// Puts `--` before the interpreter at the start of an engine's command, as in
/// `add java -jar engine.jar`: the rest belongs to the engine.
pub(super) fn with_separator(program: &clap::Command, mut words: Vec<OsString>) -> Vec<OsString> {
    let name = words
        .get(1)
        .filter(|name| ["add", "check-ai"].iter().any(|command| *name == command));
    let Some(command) = name.and_then(|name| program.find_subcommand(name)) else {
        return words;
    };
    let has_value = |word: &OsString| {
        let long = word.to_str().and_then(|word| word.strip_prefix("--"));
        command
            .get_arguments()
            .any(|flag| flag.get_long() == long && flag.get_action().takes_values())
    };
    let mut index = 2;
    while let Some(word) = words.get(index).filter(|word| *word != "--") {
        if !word.as_encoded_bytes().starts_with(b"-") {
            if index + 1 < words.len() && EngineCommand::is_interpreter(word) {
                words.insert(index, "--".into());
            }
            break;
        }
        index += if has_value(word) { 2 } else { 1 };
    }
    words
}

#[derive(Debug)]
pub(super) enum Target {
    Library {
        file: PathBuf,
        library: SealedLibrary,
    },
    Engine(EngineCommand),
}

impl Target {
    /// Determines whether the words of a command name a library or an engine. Runs nothing.
    pub(super) fn find(words: &[String]) -> Result<Self, Failure> {
        if let [file] = words
            && Path::new(file).exists()
        {
            let file = Path::new(file);
            match Self::library(file) {
                Err(error) if is_named_as_library(file) => return Err(error),
                // A file that is not a library may be an engine.
                Err(_) => {}
                Ok(library) => return Ok(library),
            }
        }
        let found = EngineCommand::find(words, &ProgramPlaces::of_this_process());
        Ok(Self::Engine(
            found.map_err(|error| Failure::Other(error.into()))?,
        ))
    }

    pub(super) fn library(file: &Path) -> Result<Self, Failure> {
        let library = SealedLibrary::read(file)
            .map_err(|error| anyhow::anyhow!("{}: {error}", file.display()))?;
        Ok(Self::Library {
            file: std::fs::canonicalize(file)?,
            library,
        })
    }

    /// Returns the default id: the library's, or the name of the engine's file.
    pub(super) fn id(&self) -> String {
        match self {
            Self::Library { library, .. } => library.note().id.clone(),
            Self::Engine(command) => {
                let stem = command
                    .target()
                    .file_stem()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .to_lowercase();
                let letters = stem.chars().map(|letter| {
                    if letter.is_ascii_alphanumeric() {
                        letter
                    } else {
                        '-'
                    }
                });
                // An id that begins with a dash would look like a flag.
                let id: String = letters
                    .skip_while(|&letter| letter == '-')
                    .take(64)
                    .collect();
                if is_id(&id) { id } else { "engine".to_owned() }
            }
        }
    }

    /// Returns the file of the library, the engine's program or its script.
    pub(super) fn file(&self) -> &Path {
        match self {
            Self::Library { file, .. } => file,
            Self::Engine(command) => command.target(),
        }
    }

    /// Returns the AI's own folder, if it has one.
    pub(super) fn folder(&self) -> Option<PathBuf> {
        match self {
            Self::Library { .. } => None,
            Self::Engine(command) => command.folder().map(Path::to_owned),
        }
    }

    /// Returns the settings with the smallest grants. The library that drives engines is looked up
    /// in these directories.
    pub(super) fn settings(
        &self,
        id: &str,
        directories: &[PathBuf],
    ) -> Result<AiSettings, Failure> {
        match self {
            Self::Library { file, .. } => {
                let settings = AiSettings::of_file(id, file);
                Ok(settings
                    .ok_or_else(|| anyhow::anyhow!("{}: the path is not UTF-8", file.display()))?)
            }
            Self::Engine(command) => {
                let settings = AiSettings::of_engine(id, command, directories);
                Ok(settings.map_err(|error| Failure::Other(error.into()))?)
            }
        }
    }

    /// Returns what a check or a trial examines.
    pub(super) fn subject(self, ai: AiSettings, seed: u64) -> Result<Subject, Failure> {
        let library = match self {
            Self::Library { library, .. } => library,
            Self::Engine(_) => SealedLibrary::read(&ai.library)
                .map_err(|error| anyhow::anyhow!("{}: {error}", ai.library.display()))?,
        };
        let (settings, program) = (ai.options.clone(), WorkerProgram::this_binary());
        Ok(Subject {
            library: Arc::new(library),
            settings,
            ai,
            program,
            seed,
            printed: Printed::default(),
        })
    }
}

/// Returns whether a file is named like a library. The name may include a version, as in
/// `libm.so.6`.
fn is_named_as_library(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with(".so") || name.contains(".so.")
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use clap::{CommandFactory as _, Parser};

    use super::*;

    #[derive(Parser)]
    struct Flags {
        #[command(flatten)]
        ai: AiFlags,
    }

    #[test]
    fn flags_convert_back_to_words() {
        let words = [
            "--option",
            "a=true",
            "--option",
            "b=-3",
            "--option",
            "c=v=1",
            "--option",
            "d=0.5",
            "--option",
            "e=",
            "--allow-read",
            "/a b",
            "--allow-read",
            "c",
            "--allow-exec",
            "/d",
            "--memory-mb",
            "256",
            "--threads",
            "9",
        ];
        let flags = Flags::parse_from(["x"].iter().chain(&words));
        assert_eq!(flags.ai.words(), words);
        assert!(Flags::parse_from(["x"]).ai.words().is_empty());
    }

    #[test]
    fn words_after_an_interpreter_belong_to_the_engine() {
        let with = |line: &str| {
            let words = line.split(' ').map(OsString::from).collect();
            let words = with_separator(&crate::cli::CommandLine::command(), words);
            words.join(OsStr::new(" ")).into_string().unwrap()
        };
        for (line, expected) in [
            (
                "rookery add java -jar x.jar",
                "rookery add -- java -jar x.jar",
            ),
            (
                "rookery add --json --id node node x.js --id a",
                "rookery add --json --id node -- node x.js --id a",
            ),
            (
                "rookery check-ai /usr/bin/python3 -m x",
                "rookery check-ai -- /usr/bin/python3 -m x",
            ),
        ] {
            assert_eq!(with(line), expected);
        }
        for line in [
            "rookery add -- java -jar x",
            "rookery add ./engine --id java",
            "rookery add python3",
            "rookery",
            "rookery match node a",
        ] {
            assert_eq!(with(line), line);
        }
    }

    #[test]
    fn parses_options_by_their_form() {
        let value = |text: &str| option_setting(text).unwrap().value;
        assert_eq!(value("a=true"), OptionValue::Flag(true));
        assert_eq!(value("a=-3"), OptionValue::Integer(-3));
        assert_eq!(value("a=b=c"), OptionValue::Text("b=c".into()));
        assert_eq!(value("a="), OptionValue::Text(String::new()));
        assert_eq!(value("a=0.5"), OptionValue::Decimal(0.5));
        assert_eq!(value("a=v1.5"), OptionValue::Text("v1.5".into()));
        assert_eq!(value("a=inf"), OptionValue::Text("inf".into()));
        assert!(option_setting("a").is_err());
    }
}

//! Options that an AI declares and the configuration sets.

use std::{fmt, ops::RangeInclusive, path::Path};

use crate::{AiError, further::Further};

/// The value of an option.
#[cfg_attr(not(feature = "host"), non_exhaustive)]
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "host", derive(serde::Serialize, serde::Deserialize))]
pub enum OptionValue {
    /// `true` or `false`.
    Flag(bool),
    /// A whole number.
    Integer(i64),
    /// A number, never NaN.
    Decimal(f64),
    /// The value of an [`OptionKind::Text`] or an [`OptionKind::Choice`], or the path of an
    /// [`OptionKind::File`] or an [`OptionKind::Folder`].
    Text(String),
    /// The paths of [`OptionKind::Files`].
    List(Vec<String>),
}

/// Writes the value the way UCI engines read it. The paths in a list are separated by `:`.
impl fmt::Display for OptionValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::Integer(number) => write!(f, "{number}"),
            Self::Decimal(number) => write!(f, "{number:?}"),
            Self::Text(text) => f.write_str(text),
            Self::List(texts) => f.write_str(&texts.join(":")),
        }
    }
}

/// The type of an option, with its bounds.
#[cfg_attr(not(feature = "host"), non_exhaustive)]
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "host", derive(serde::Serialize, serde::Deserialize))]
pub enum OptionKind {
    /// `true` or `false`.
    Flag,
    /// A whole number from `min` to `max`.
    Integer {
        /// The smallest allowed value.
        min: i64,
        /// The greatest allowed value.
        max: i64,
    },
    /// A number from `min` to `max`.
    Decimal {
        /// The smallest allowed value.
        min: f64,
        /// The greatest allowed value.
        max: f64,
    },
    /// One of these strings.
    Choice(Vec<String>),
    /// Any text.
    Text,
    /// The path of a file to read, such as weights. The host makes it absolute (relative paths
    /// start at the configuration file), checks that it exists and lets the AI's sandbox read it.
    /// An empty string means no file.
    File,
    /// The path of a folder to read, like [`File`](Self::File).
    Folder,
    /// The paths of files and folders to read, each like [`File`](Self::File).
    Files,
}

/// An option that an AI declares. The host checks the configuration against it before it starts the
/// AI.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "host", derive(serde::Serialize, serde::Deserialize))]
pub struct OptionSpec {
    /// The key in `[ai.ID.options]`, in `snake_case`.
    pub name: String,
    /// A one-line help text for the operator.
    pub help: String,
    /// The type of the value.
    pub kind: OptionKind,
    /// The default value.
    pub default: OptionValue,
    /// Whether it is a secret, such as a password or a key. The host never shows it, and no request
    /// may set it.
    pub secret: bool,
    /// Whether it is for experts, and so shown last or only on request.
    pub advanced: bool,
    /// Whether [`Ai::set_option`](crate::Ai::set_option) changes it without a new instance.
    pub live: bool,
    /// Reserved for fields in later versions. End struct literals with `..`.
    #[doc(hidden)]
    #[cfg_attr(feature = "host", serde(skip))]
    pub further: Further,
}

impl OptionSpec {
    /// Declares a switch.
    pub fn flag(name: &str, default: bool, help: &str) -> Self {
        Self::new(name, help, OptionKind::Flag, OptionValue::Flag(default))
    }

    /// Declares a whole number within inclusive bounds.
    pub fn integer(name: &str, default: i64, bounds: RangeInclusive<i64>, help: &str) -> Self {
        let kind = OptionKind::Integer {
            min: *bounds.start(),
            max: *bounds.end(),
        };
        Self::new(name, help, kind, OptionValue::Integer(default))
    }

    /// Declares a choice between several strings.
    pub fn choice(name: &str, default: &str, choices: &[&str], help: &str) -> Self {
        let choices = choices.iter().map(|&choice| String::from(choice)).collect();
        Self::new(
            name,
            help,
            OptionKind::Choice(choices),
            OptionValue::Text(default.into()),
        )
    }

    /// Declares a text option.
    pub fn text(name: &str, default: &str, help: &str) -> Self {
        Self::new(
            name,
            help,
            OptionKind::Text,
            OptionValue::Text(default.into()),
        )
    }

    /// Declares a number within inclusive bounds.
    pub fn decimal(name: &str, default: f64, bounds: RangeInclusive<f64>, help: &str) -> Self {
        let kind = OptionKind::Decimal {
            min: *bounds.start(),
            max: *bounds.end(),
        };
        Self::new(name, help, kind, OptionValue::Decimal(default))
    }

    /// Declares a file to read, such as weights. Not set by default.
    pub fn file(name: &str, help: &str) -> Self {
        Self::new(
            name,
            help,
            OptionKind::File,
            OptionValue::Text(String::new()),
        )
    }

    /// Declares a folder to read. Not set by default.
    pub fn folder(name: &str, help: &str) -> Self {
        Self::new(
            name,
            help,
            OptionKind::Folder,
            OptionValue::Text(String::new()),
        )
    }

    /// Declares files and folders to read, such as tablebases. Not set by default.
    pub fn files(name: &str, help: &str) -> Self {
        Self::new(name, help, OptionKind::Files, OptionValue::List(Vec::new()))
    }

    fn new(name: &str, help: &str, kind: OptionKind, default: OptionValue) -> Self {
        let (secret, advanced, live) = (false, false, false);
        Self {
            name: name.into(),
            help: help.into(),
            kind,
            default,
            secret,
            advanced,
            live,
            further: Further::NONE,
        }
    }

    /// Makes the text a secret, such as a password or a key, which the host never shows.
    #[must_use]
    pub fn secret(self) -> Self {
        Self {
            secret: true,
            ..self
        }
    }

    /// Marks the option as one for experts, which is shown last or only on request.
    #[must_use]
    pub fn advanced(self) -> Self {
        Self {
            advanced: true,
            ..self
        }
    }

    /// Lets [`Ai::set_option`](crate::Ai::set_option) change the option, so that a request that
    /// sets it doesn't need a new instance. Must not be used for a file, a folder or a list of
    /// files.
    #[must_use]
    pub fn live(self) -> Self {
        Self { live: true, ..self }
    }

    /// Converts a value to this option's type: a whole number to a decimal number, a path to a list
    /// of files. Returns `None` if the option does not allow it.
    #[expect(
        clippy::cast_precision_loss,
        reason = "the whole numbers in options fit in 52 bits"
    )]
    pub fn accept(&self, value: &OptionValue) -> Option<OptionValue> {
        let value = match (&self.kind, value) {
            (OptionKind::Decimal { .. }, &OptionValue::Integer(number)) => {
                OptionValue::Decimal(number as f64)
            }
            (OptionKind::Files, OptionValue::Text(path)) => OptionValue::List(
                Some(path)
                    .filter(|path| !path.is_empty())
                    .into_iter()
                    .cloned()
                    .collect(),
            ),
            _ => value.clone(),
        };
        let is_allowed = match (&self.kind, &value) {
            (OptionKind::Flag, OptionValue::Flag(_))
            | (OptionKind::Text | OptionKind::File | OptionKind::Folder, OptionValue::Text(_))
            | (OptionKind::Files, OptionValue::List(_)) => true,
            (OptionKind::Integer { min, max }, OptionValue::Integer(number)) => {
                (min..=max).contains(&number)
            }
            (OptionKind::Decimal { min, max }, OptionValue::Decimal(number)) => {
                (min..=max).contains(&number)
            }
            (OptionKind::Choice(choices), OptionValue::Text(text)) => choices.contains(text),
            _ => false,
        };
        is_allowed.then_some(value)
    }

    /// Returns whether `value` is of the declared type and within its bounds.
    pub fn allows(&self, value: &OptionValue) -> bool {
        self.accept(value).is_some()
    }

    /// Returns whether the option's value names files or folders, which only a configuration may
    /// set.
    pub const fn names_files(&self) -> bool {
        matches!(
            self.kind,
            OptionKind::File | OptionKind::Folder | OptionKind::Files
        )
    }
}

/// An option and its value.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "host", derive(serde::Serialize, serde::Deserialize))]
pub struct OptionSetting {
    /// The declared name.
    pub name: String,
    /// A value that the declaration allows.
    pub value: OptionValue,
}

/// The configured or default values of all declared options.
#[derive(Clone, Debug, Default)]
pub struct Options(Vec<OptionSetting>);

impl Options {
    /// Resolves the values of all declared options. Ignores settings with other names or types.
    pub fn resolve(specs: &[OptionSpec], settings: &[OptionSetting]) -> Self {
        let value_of = |spec: &OptionSpec| {
            let setting = settings.iter().find(|setting| setting.name == spec.name);
            let value = setting.and_then(|setting| spec.accept(&setting.value));
            value.unwrap_or_else(|| spec.default.clone())
        };
        Self(
            specs
                .iter()
                .map(|spec| OptionSetting {
                    name: spec.name.clone(),
                    value: value_of(spec),
                })
                .collect(),
        )
    }

    /// Returns the value of an option, or `None` if the AI does not declare it.
    pub fn get(&self, name: &str) -> Option<&OptionValue> {
        self.0
            .iter()
            .find(|setting| setting.name == name)
            .map(|setting| &setting.value)
    }

    /// Changes the value of a declared option.
    pub fn set(&mut self, setting: &OptionSetting) {
        if let Some(known) = self.0.iter_mut().find(|known| known.name == setting.name) {
            known.value.clone_from(&setting.value);
        }
    }

    /// Returns the value of a declared switch.
    ///
    /// # Errors
    /// The AI declares no switch with this name.
    pub fn flag(&self, name: &str) -> Result<bool, AiError> {
        match self.get(name) {
            Some(&OptionValue::Flag(value)) => Ok(value),
            _ => Err(undeclared("flag", name)),
        }
    }

    /// Returns the value of a declared whole number.
    ///
    /// # Errors
    /// The AI declares no whole number with this name.
    pub fn integer(&self, name: &str) -> Result<i64, AiError> {
        match self.get(name) {
            Some(&OptionValue::Integer(value)) => Ok(value),
            _ => Err(undeclared("integer", name)),
        }
    }

    /// Returns the value of a declared decimal number.
    ///
    /// # Errors
    /// The AI declares no decimal number with this name.
    pub fn decimal(&self, name: &str) -> Result<f64, AiError> {
        match self.get(name) {
            Some(&OptionValue::Decimal(value)) => Ok(value),
            _ => Err(undeclared("decimal", name)),
        }
    }

    /// Returns the absolute path of a declared file or folder, or `None` if it is not set.
    ///
    /// # Errors
    /// The AI declares no file or folder with this name.
    pub fn file(&self, name: &str) -> Result<Option<&Path>, AiError> {
        match self.get(name) {
            Some(OptionValue::Text(path)) => {
                Ok((!path.is_empty()).then(|| Path::new(path.as_str())))
            }
            _ => Err(undeclared("file", name)),
        }
    }

    /// Returns the absolute paths of declared files and folders.
    ///
    /// # Errors
    /// The AI declares no list of files with this name.
    pub fn files(&self, name: &str) -> Result<impl Iterator<Item = &Path>, AiError> {
        match self.get(name) {
            Some(OptionValue::List(paths)) => Ok(paths.iter().map(Path::new)),
            _ => Err(undeclared("files", name)),
        }
    }

    /// Returns the value of a declared text option or choice.
    ///
    /// # Errors
    /// The AI declares no text option or choice with this name.
    pub fn text(&self, name: &str) -> Result<&str, AiError> {
        match self.get(name) {
            Some(OptionValue::Text(value)) => Ok(value),
            _ => Err(undeclared("text", name)),
        }
    }
}

fn undeclared(kind: &str, name: &str) -> AiError {
    AiError::new(format!(
        "the AI reads its {kind} option '{name}' but does not declare it"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn specs() -> Vec<OptionSpec> {
        vec![
            OptionSpec::integer("hash_mb", 16, 1..=64, "size of the table"),
            OptionSpec::flag("quiescence", true, "search captures"),
            OptionSpec::choice("style", "calm", &["calm", "wild"], "how to play"),
            OptionSpec::text("greeting", "", "the first message"),
            OptionSpec::file("weights", "the net"),
            OptionSpec::decimal("contempt", 0.0, -1.0..=1.0, "what a draw costs"),
            OptionSpec::files("tablebases", "where the tables are"),
        ]
    }

    #[test]
    fn allows_only_declared_values() {
        let specs = specs();
        for (index, value, allowed) in [
            (0, OptionValue::Integer(1), true),
            (0, OptionValue::Integer(64), true),
            (0, OptionValue::Integer(65), false),
            (0, OptionValue::Text("1".into()), false),
            (1, OptionValue::Flag(false), true),
            (1, OptionValue::Integer(1), false),
            (2, OptionValue::Text("wild".into()), true),
            (2, OptionValue::Text("mad".into()), false),
            (3, OptionValue::Text("hello".into()), true),
            (4, OptionValue::Text("x.bin".into()), true),
            (4, OptionValue::Flag(true), false),
            (5, OptionValue::Decimal(1.0), true),
            (5, OptionValue::Integer(-1), true),
            (5, OptionValue::Integer(2), false),
            (5, OptionValue::Decimal(1.01), false),
            (5, OptionValue::Decimal(f64::NAN), false),
            (6, OptionValue::List(vec!["a".into()]), true),
            (6, OptionValue::Text("a".into()), true),
            (6, OptionValue::Integer(1), false),
        ] {
            assert_eq!(
                specs[index].allows(&value),
                allowed,
                "{} {value:?}",
                specs[index].name
            );
        }
    }

    #[test]
    fn unset_options_have_their_default_values() {
        let setting = |name: &str, value| OptionSetting {
            name: name.into(),
            value,
        };
        let settings = [
            setting("hash_mb", OptionValue::Integer(32)),
            setting("contempt", OptionValue::Integer(1)),
        ];
        let options = Options::resolve(&specs(), &settings);
        assert_eq!(options.integer("hash_mb"), Ok(32));
        assert_eq!(options.flag("quiescence"), Ok(true));
        assert_eq!(options.text("style"), Ok("calm"));
        assert_eq!(options.file("weights"), Ok(None));
        assert_eq!(options.decimal("contempt"), Ok(1.0));
        assert_eq!(options.files("tablebases").unwrap().count(), 0);
        assert!(options.flag("hash_mb").is_err());
        assert!(options.integer("threads").is_err());
    }
}

//! Options: what an AI declares, what the configuration sets.

use std::path::Path;

use crate::AiError;

/// The value of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum OptionValue {
    /// `true` or `false`.
    Flag(bool),
    /// A whole number.
    Integer(i64),
    /// Text; also one of the choices of an [`OptionKind::Choice`] and the path of an [`OptionKind::File`].
    Text(String),
}

/// What values an option takes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum OptionKind {
    /// `true` or `false`.
    Flag,
    /// A whole number from `min` to `max`.
    Integer {
        /// The least allowed.
        min: i64,
        /// The greatest allowed.
        max: i64,
    },
    /// One of these texts.
    Choice(Vec<String>),
    /// Any text.
    Text,
    /// The path of a file or folder to read, such as weights. The host makes it absolute (relative ones start at the
    /// configuration file), checks that it exists and lets the AI's sandbox read it. An empty text is no file.
    File,
}

/// An option that an AI declares. The host checks the configuration against it before the AI hears of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OptionSpec {
    /// The key in `[ai.ID.options]`, in `snake_case`.
    pub name: String,
    /// One line for the operator.
    pub help: String,
    /// What values it takes.
    pub kind: OptionKind,
    /// The value where the configuration is silent.
    pub default: OptionValue,
}

impl OptionSpec {
    /// A switch.
    pub fn flag(name: &str, default: bool, help: &str) -> Self {
        Self::new(name, help, OptionKind::Flag, OptionValue::Flag(default))
    }

    /// A whole number within bounds, both included.
    pub fn integer(name: &str, default: i64, bounds: std::ops::RangeInclusive<i64>, help: &str) -> Self {
        let kind = OptionKind::Integer { min: *bounds.start(), max: *bounds.end() };
        Self::new(name, help, kind, OptionValue::Integer(default))
    }

    /// One of several texts.
    pub fn choice(name: &str, default: &str, choices: &[&str], help: &str) -> Self {
        let choices = choices.iter().map(|&choice| String::from(choice)).collect();
        Self::new(name, help, OptionKind::Choice(choices), OptionValue::Text(default.into()))
    }

    /// A text.
    pub fn text(name: &str, default: &str, help: &str) -> Self {
        Self::new(name, help, OptionKind::Text, OptionValue::Text(default.into()))
    }

    /// A file or folder to read, such as weights; none unless it is set.
    pub fn file(name: &str, help: &str) -> Self {
        Self::new(name, help, OptionKind::File, OptionValue::Text(String::new()))
    }

    fn new(name: &str, help: &str, kind: OptionKind, default: OptionValue) -> Self {
        Self { name: name.into(), help: help.into(), kind, default }
    }

    /// Whether `value` is of the declared type and within its bounds.
    pub fn allows(&self, value: &OptionValue) -> bool {
        match (&self.kind, value) {
            (OptionKind::Flag, OptionValue::Flag(_))
            | (OptionKind::Text | OptionKind::File, OptionValue::Text(_)) => true,
            (OptionKind::Integer { min, max }, OptionValue::Integer(number)) => (min..=max).contains(&number),
            (OptionKind::Choice(choices), OptionValue::Text(text)) => choices.contains(text),
            _ => false,
        }
    }
}

/// An option and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OptionSetting {
    /// The declared name.
    pub name: String,
    /// A value that the declaration allows.
    pub value: OptionValue,
}

/// The value of every declared option: the configuration's, or the default.
#[derive(Clone, Debug, Default)]
pub struct Options(Vec<OptionSetting>);

impl Options {
    /// The values of all declared options; settings of other names or types are left out.
    pub fn resolve(specs: &[OptionSpec], settings: &[OptionSetting]) -> Self {
        let value_of = |spec: &OptionSpec| {
            let setting =
                settings.iter().find(|setting| setting.name == spec.name && spec.allows(&setting.value));
            setting.map_or_else(|| spec.default.clone(), |setting| setting.value.clone())
        };
        Self(
            specs
                .iter()
                .map(|spec| OptionSetting { name: spec.name.clone(), value: value_of(spec) })
                .collect(),
        )
    }

    fn get(&self, name: &str) -> Option<&OptionValue> {
        self.0.iter().find(|setting| setting.name == name).map(|setting| &setting.value)
    }

    /// The value of a declared switch.
    ///
    /// # Errors
    /// The AI declares no such switch.
    pub fn flag(&self, name: &str) -> Result<bool, AiError> {
        match self.get(name) {
            Some(&OptionValue::Flag(value)) => Ok(value),
            _ => Err(undeclared("flag", name)),
        }
    }

    /// The value of a declared whole number.
    ///
    /// # Errors
    /// The AI declares no such number.
    pub fn integer(&self, name: &str) -> Result<i64, AiError> {
        match self.get(name) {
            Some(&OptionValue::Integer(value)) => Ok(value),
            _ => Err(undeclared("integer", name)),
        }
    }

    /// The absolute path of a declared file; none where none is set.
    ///
    /// # Errors
    /// The AI declares no such file.
    pub fn file(&self, name: &str) -> Result<Option<&Path>, AiError> {
        match self.get(name) {
            Some(OptionValue::Text(path)) => Ok((!path.is_empty()).then(|| Path::new(path.as_str()))),
            _ => Err(undeclared("file", name)),
        }
    }

    /// The value of a declared text or choice.
    ///
    /// # Errors
    /// The AI declares no such text.
    pub fn text(&self, name: &str) -> Result<&str, AiError> {
        match self.get(name) {
            Some(OptionValue::Text(value)) => Ok(value),
            _ => Err(undeclared("text", name)),
        }
    }
}

fn undeclared(kind: &str, name: &str) -> AiError {
    AiError::new(format!("the AI asks for its {kind} option '{name}' but does not declare it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn specs() -> Vec<OptionSpec> {
        vec![
            OptionSpec::integer("hash_mb", 16, 1..=64, "size of the table"),
            OptionSpec::flag("quiescence", true, "search captures"),
            OptionSpec::choice("style", "calm", &["calm", "wild"], "how to play"),
            OptionSpec::text("greeting", "", "what to say first"),
            OptionSpec::file("weights", "the net"),
        ]
    }

    #[test]
    fn allows_what_is_declared_and_nothing_else() {
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
        ] {
            assert_eq!(specs[index].allows(&value), allowed, "{} {value:?}", specs[index].name);
        }
    }

    #[test]
    fn what_is_not_set_has_its_default() {
        let settings = [OptionSetting { name: "hash_mb".into(), value: OptionValue::Integer(32) }];
        let options = Options::resolve(&specs(), &settings);
        assert_eq!(options.integer("hash_mb"), Ok(32));
        assert_eq!(options.flag("quiescence"), Ok(true));
        assert_eq!(options.text("style"), Ok("calm"));
        assert_eq!(options.file("weights"), Ok(None));
        assert!(options.flag("hash_mb").is_err());
        assert!(options.integer("threads").is_err());
    }
}

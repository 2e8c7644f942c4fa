//! The options of an engine: its declarations, the AI's declarations, and the commands that set them.

use ai_api::{AiError, OptionSpec, OptionValue};

/// Options that the AI sets by itself for each request; operators can't set them.
pub(crate) const CHESS960: &str = "UCI_Chess960";
pub(crate) const LINES: &str = "MultiPV";
pub(crate) const SHOW_WDL: &str = "UCI_ShowWDL";

/// Longer texts of a declaration are truncated.
const MAX_TEXT_CHARS: usize = 200;
/// The host's limit for names.
const MAX_NAME_BYTES: usize = 64;
/// An empty text in UCI.
const EMPTY: &str = "<empty>";

/// An option of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EngineOption {
    /// The engine's name of the option.
    pub(crate) name: String,
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Check {
        default: bool,
    },
    Spin {
        default: i64,
        min: i64,
        max: i64,
    },
    Combo {
        default: String,
        choices: Vec<String>,
    },
    Text {
        default: String,
    },
    /// An action.
    Button,
}

impl EngineOption {
    /// Parses the text after `option`; none of a malformed declaration or an unknown type.
    pub(crate) fn parse(declaration: &str) -> Option<Self> {
        let (_, rest) = declaration.split_once("name ")?;
        let (name, rest) = rest.split_once(" type ")?;
        let (kind, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        let fields = Fields::of(rest);
        let kind = match kind.trim() {
            "check" => Kind::Check { default: fields.default.eq_ignore_ascii_case("true") },
            "spin" => {
                let number = |text: Option<&String>| text.and_then(|text| text.parse::<i64>().ok());
                let default = fields.default.parse().unwrap_or(0);
                // The default is always allowed, even if the engine's bounds exclude it.
                let min = number(fields.min.as_ref()).unwrap_or(i64::MIN).min(default);
                let max = number(fields.max.as_ref()).unwrap_or(i64::MAX).max(default);
                Kind::Spin { default, min, max }
            }
            "combo" => {
                let mut choices = fields.choices;
                if !choices.contains(&fields.default) {
                    choices.insert(0, fields.default.clone());
                }
                Kind::Combo { default: fields.default, choices }
            }
            "string" => {
                let default = if fields.default == EMPTY { String::new() } else { fields.default };
                Kind::Text { default }
            }
            "button" => Kind::Button,
            _ => return None,
        };
        let name = bounded(name);
        (!name.is_empty()).then_some(Self { name, kind })
    }

    /// The greatest value of a number.
    pub(crate) fn max(&self) -> Option<i64> {
        match self.kind {
            Kind::Spin { max, .. } => Some(max),
            _ => None,
        }
    }

    /// The name in `snake_case`, different from those taken: `UCI_Elo` becomes `uci_elo`, `EvalFile` `eval_file`.
    pub(crate) fn published_name(&self, taken: &[String]) -> String {
        let mut name = String::new();
        let mut before = ' ';
        for character in self.name.chars() {
            let starts_word =
                character.is_ascii_uppercase() && (before.is_ascii_lowercase() || before.is_ascii_digit());
            if (starts_word || !character.is_ascii_alphanumeric()) && !name.is_empty() && !name.ends_with('_')
            {
                name.push('_');
            }
            if character.is_ascii_alphanumeric() {
                name.push(character.to_ascii_lowercase());
            }
            before = character;
        }
        name.truncate(MAX_NAME_BYTES - 4);
        let name = name.trim_end_matches('_');
        let name = if name.is_empty() { "option" } else { name };
        let numbered = (2..).map(|number| format!("{name}_{number}"));
        let mut candidates = std::iter::once(name.to_owned()).chain(numbered);
        candidates.find(|candidate| !taken.contains(candidate)).expect("numbers do not run out")
    }

    /// The AI's declaration of the option.
    pub(crate) fn spec(&self, name: &str) -> OptionSpec {
        let help = match self.kind {
            Kind::Button => format!("presses the engine's '{}' once, at its start", self.name),
            _ => format!("the engine's '{}'", self.name),
        };
        match &self.kind {
            Kind::Check { default } => OptionSpec::flag(name, *default, &help).live(),
            Kind::Button => OptionSpec::flag(name, false, &help),
            Kind::Spin { default, min, max } => {
                OptionSpec::integer(name, *default, *min..=*max, &help).live()
            }
            Kind::Combo { default, choices } => {
                let choices: Vec<_> = choices.iter().map(String::as_str).collect();
                OptionSpec::choice(name, default, &choices, &help).live()
            }
            Kind::Text { default } => OptionSpec::text(name, default, &help),
        }
    }

    /// The command that sets the option; none for a button that is not pressed.
    ///
    /// # Errors
    /// The value contains a control character.
    pub(crate) fn command(&self, value: &OptionValue) -> Result<Option<String>, AiError> {
        let name = &self.name;
        if self.kind == Kind::Button {
            let is_pressed = *value == OptionValue::Flag(true);
            return Ok(is_pressed.then(|| format!("setoption name {name}")));
        }
        let text = value.to_string();
        if text.contains(char::is_control) {
            return Err(AiError::new(format!(
                "the engine's option {name} is {text:?}, with a control character, which would end the command; leave it out"
            )));
        }
        let text = if text.is_empty() { EMPTY } else { &text };
        Ok(Some(format!("setoption name {name} value {text}")))
    }
}

/// The fields after the type. The words after a keyword, up to the next one, are its value.
#[derive(Default)]
struct Fields {
    default: String,
    min: Option<String>,
    max: Option<String>,
    choices: Vec<String>,
}

impl Fields {
    fn of(text: &str) -> Self {
        let mut fields = Self::default();
        let mut keyword = "";
        let mut words = Vec::new();
        for word in text.split_whitespace().chain(std::iter::once("")) {
            if ["default", "min", "max", "var", ""].contains(&word) {
                fields.take(keyword, &words.join(" "));
                keyword = word;
                words.clear();
            } else {
                words.push(word);
            }
        }
        fields
    }

    fn take(&mut self, keyword: &str, value: &str) {
        let value = bounded(value);
        match keyword {
            "default" => self.default = value,
            "min" => self.min = Some(value),
            "max" => self.max = Some(value),
            "var" if !self.choices.contains(&value) => self.choices.push(value),
            _ => {}
        }
    }
}

fn bounded(text: &str) -> String {
    text.trim().chars().filter(|character| !character.is_control()).take(MAX_TEXT_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use ai_api::OptionKind;

    use super::*;

    fn option(declaration: &str) -> EngineOption {
        EngineOption::parse(declaration).unwrap()
    }

    /// The command that sets an option to a value, from its declaration alone.
    fn set(declaration: &str, value: &OptionValue) -> Option<String> {
        let option = option(declaration);
        let spec = option.spec("x");
        assert!(spec.allows(&spec.default), "{spec:?}");
        assert!(spec.allows(value), "{spec:?}");
        option.command(value).unwrap()
    }

    #[test]
    fn formats_the_command_of_every_option_type() {
        for (declaration, value, setting) in [
            ("name Hash type spin default 16 min 1 max 33554432", OptionValue::Integer(64), "Hash value 64"),
            ("name Use NNUE type check default true", OptionValue::Flag(false), "Use NNUE value false"),
            ("name Clear Hash type button", OptionValue::Flag(true), "Clear Hash"),
            (
                "name NullMove Pruning type combo default Always var Always var Fail High var Never",
                OptionValue::Text("Fail High".into()),
                "NullMove Pruning value Fail High",
            ),
            (
                "name SyzygyPath type string default <empty>",
                OptionValue::Text("/tb".into()),
                "SyzygyPath value /tb",
            ),
            (
                "name Book type string default book.bin",
                OptionValue::Text(String::new()),
                "Book value <empty>",
            ),
        ] {
            assert_eq!(
                set(declaration, &value).as_deref(),
                Some(format!("setoption name {setting}").as_str())
            );
        }
    }

    #[test]
    fn an_unpressed_button_has_no_command() {
        assert_eq!(set("name Clear Hash type button", &OptionValue::Flag(false)), None);
    }

    #[test]
    fn names_become_unique_snake_case() {
        for (name, published) in [
            ("Hash", "hash"),
            ("Skill Level", "skill_level"),
            ("UCI_Elo", "uci_elo"),
            ("EvalFile", "eval_file"),
            ("Syzygy50MoveRule", "syzygy50_move_rule"),
            ("Check Extension (PV nodes)", "check_extension_pv_nodes"),
            ("Bjüg", "bj_g"),
            ("%%", "option"),
            ("Command", "command_2"),
        ] {
            let option = option(&format!("name {name} type button"));
            assert_eq!(option.published_name(&["command".into()]), published, "{name}");
        }
        let long = option(&format!("name {} type button", "x".repeat(190)));
        assert!(long.published_name(&[]).len() <= MAX_NAME_BYTES);
    }

    #[test]
    fn allows_a_default_outside_of_its_bounds() {
        let spec = option("name Depth type spin default 30 min 1 max 20").spec("depth");
        assert_eq!(spec.kind, OptionKind::Integer { min: 1, max: 30 });
        let spec = option("name Style type combo default calm var Wild").spec("style");
        assert!(spec.allows(&spec.default));
        let spec = option("name Size type spin").spec("size");
        assert!(spec.allows(&spec.default));
    }

    #[test]
    fn rejects_malformed_declarations() {
        for declaration in [
            "",
            "name",
            "name X",
            "name X type",
            "name X type slider",
            "type check default true",
            "name  type button",
        ] {
            assert_eq!(EngineOption::parse(declaration), None, "{declaration}");
        }
    }

    #[test]
    fn rejects_values_with_control_characters() {
        let option = option("name Book type string default book.bin");
        let error = option.command(&OptionValue::Text("a\nquit".into())).unwrap_err().to_string();
        assert!(error.contains("control character"), "{error}");
    }
}

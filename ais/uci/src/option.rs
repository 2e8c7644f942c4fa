//! The engine's options: its declarations, the AI's declarations, and the commands that set them.

use std::iter;

use ai_api::{AiError, OptionKind, OptionSpec, OptionValue};

use crate::number;

/// The option that names the program.
pub(crate) const COMMAND: &str = "command";
/// Options that the AI sets for each request. Operators cannot set them.
pub(crate) const CHESS960: &str = "UCI_Chess960";
pub(crate) const ANALYSE_MODE: &str = "UCI_AnalyseMode";
pub(crate) const LINES: &str = "MultiPV";
pub(crate) const SHOW_WDL: &str = "UCI_ShowWDL";

/// The AI's names for the options that let an engine play from its own book, such as `OwnBook`.
const OWN_BOOK: [&str; 2] = ["own_book", "use_book"];

/// Engine options that hosts know by a name other than the `snake_case` one. Case is ignored.
const HASH: (&str, &str) = ("Hash", "hash_mb");
const SYZYGY: (&str, &str) = ("SyzygyPath", "syzygy");
const SEEDS: [(&str, &str); 2] = [("Random Seed", "seed"), ("RandomSeed", "seed")];

/// Longer strings in a declaration are truncated.
const MAX_TEXT_CHARS: usize = 200;
/// The host's limit on the length of option names.
const MAX_NAME_BYTES: usize = 64;
/// An empty string in UCI.
const EMPTY: &str = "<empty>";

#[derive(Debug, PartialEq)]
pub(crate) struct EngineOption {
    /// The engine's name for the option.
    pub(crate) name: String,
    /// The AI's declaration of the option.
    pub(crate) spec: OptionSpec,
    is_button: bool,
}

impl EngineOption {
    /// Parses the text after `option`. Returns `None` if it is malformed or its type is unknown.
    /// The AI's name for the option differs from every `earlier` one.
    pub(crate) fn parse(declaration: &str, earlier: &[Self]) -> Option<Self> {
        let (_, rest) = declaration.split_once("name ")?;
        let (name, rest) = rest.split_once(" type ")?;
        let (kind, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        let (name, kind, fields) = (bounded(name), kind.trim(), Fields::of(rest));
        if name.is_empty() {
            return None;
        }
        let published = published_name(&name, earlier);
        let help = format!("the engine's '{name}'");
        let spec = match kind {
            "check" => OptionSpec::flag(
                &published,
                fields.default.eq_ignore_ascii_case("true"),
                &help,
            )
            .live(),
            "spin" => {
                let number = |text: &str| text.parse::<i128>().ok().map(number::option);
                let default = number(&fields.default).unwrap_or(0);
                // The default is always allowed, even outside the engine's bounds.
                let min = fields
                    .min
                    .as_deref()
                    .and_then(number)
                    .unwrap_or(number::LEAST)
                    .min(default);
                let max = fields
                    .max
                    .as_deref()
                    .and_then(number)
                    .unwrap_or(number::MOST)
                    .max(default);
                OptionSpec::integer(&published, default, min..=max, &help).live()
            }
            "combo" => {
                let mut choices: Vec<_> = fields.choices.iter().map(String::as_str).collect();
                if !fields.choices.contains(&fields.default) {
                    choices.insert(0, &fields.default);
                }
                OptionSpec::choice(&published, &fields.default, &choices, &help).live()
            }
            "string" if name.eq_ignore_ascii_case(SYZYGY.0) => OptionSpec::files(&published, &help),
            "string" => {
                let default = if fields.default == EMPTY {
                    ""
                } else {
                    &fields.default
                };
                OptionSpec::text(&published, default, &help)
            }
            "button" => {
                let button_help =
                    format!("presses the engine's '{name}' once, when the engine starts");
                OptionSpec::flag(&published, false, &button_help)
            }
            _ => return None,
        };
        Some(Self {
            spec,
            is_button: kind == "button",
            name,
        })
    }

    /// Returns whether operators can set the option.
    pub(crate) fn is_settable(&self) -> bool {
        [CHESS960, ANALYSE_MODE, LINES, SHOW_WDL]
            .iter()
            .all(|own| !self.is(own))
    }

    /// Returns whether this is the option's name, ignoring case.
    pub(crate) fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// Returns whether this flag lets the engine play from its own book.
    pub(crate) fn is_own_book(&self) -> bool {
        self.spec.kind == OptionKind::Flag
            && !self.is_button
            && OWN_BOOK.contains(&self.spec.name.as_str())
    }

    /// Returns the maximum of a whole number, or `None` for other types.
    pub(crate) fn max(&self) -> Option<i64> {
        match self.spec.kind {
            OptionKind::Integer { max, .. } => Some(max),
            _ => None,
        }
    }

    /// Returns the command that sets the option, or `None` for a button that is not pressed.
    ///
    /// # Errors
    /// The value contains a control character.
    pub(crate) fn command(&self, value: &OptionValue) -> Result<Option<String>, AiError> {
        let name = &self.name;
        if self.is_button {
            let is_pressed = *value == OptionValue::Flag(true);
            return Ok(is_pressed.then(|| format!("setoption name {name}")));
        }
        let text = value.to_string();
        if text.contains(char::is_control) {
            return Err(AiError::new(format!(
                "the engine's option {name} is {text:?}: its control character would end the \
                 command; remove it"
            )));
        }
        let text = if text.is_empty() { EMPTY } else { &text };
        Ok(Some(format!("setoption name {name} value {text}")))
    }
}

/// Returns the name that hosts know, or a `snake_case` name that no earlier option has: `Hash`
/// becomes `hash_mb`, `EvalFile` becomes `eval_file`.
fn published_name(name: &str, earlier: &[EngineOption]) -> String {
    let mut known = [HASH, SYZYGY].into_iter().chain(SEEDS);
    let known = known.find(|(engines, _)| name.eq_ignore_ascii_case(engines));
    let name = known.map_or_else(|| snake_case(name), |(_, hosts)| hosts.to_owned());
    let numbered = (2..).map(|number| format!("{name}_{number}"));
    let is_free = |candidate: &String| {
        let mut settable = earlier.iter().filter(|option| option.is_settable());
        candidate != COMMAND && settable.all(|option| option.spec.name != *candidate)
    };
    iter::once(name.clone())
        .chain(numbered)
        .find(is_free)
        .expect("numbers do not run out")
}

fn snake_case(name: &str) -> String {
    let mut words = String::new();
    let mut before = ' ';
    for character in name.chars() {
        let starts_word = character.is_ascii_uppercase()
            && (before.is_ascii_lowercase() || before.is_ascii_digit());
        if (starts_word || !character.is_ascii_alphanumeric())
            && !words.is_empty()
            && !words.ends_with('_')
        {
            words.push('_');
        }
        if character.is_ascii_alphanumeric() {
            words.push(character.to_ascii_lowercase());
        }
        before = character;
    }
    // Leaves room for a number.
    words.truncate(MAX_NAME_BYTES - 4);
    let words = words.trim_end_matches('_');
    if words.is_empty() {
        "option".into()
    } else {
        words.into()
    }
}

/// The fields after the type. A keyword's value is all words up to the next keyword.
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
        for word in text.split_whitespace().chain([""]) {
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
    text.trim()
        .chars()
        .filter(|character| !character.is_control())
        .take(MAX_TEXT_CHARS)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn option(declaration: &str) -> EngineOption {
        EngineOption::parse(declaration, &[]).unwrap()
    }

    /// Returns the command that sets an option to a value, given its declaration.
    fn set(declaration: &str, value: &OptionValue) -> Option<String> {
        let option = option(declaration);
        let spec = &option.spec;
        assert!(spec.allows(&spec.default), "{spec:?}");
        assert!(spec.allows(value), "{spec:?}");
        option.command(value).unwrap()
    }

    #[test]
    fn formats_the_command_of_every_option_type() {
        for (declaration, value, setting) in [
            (
                "name Hash type spin default 16 min 1 max 33554432",
                OptionValue::Integer(64),
                "Hash value 64",
            ),
            (
                "name Use NNUE type check default true",
                OptionValue::Flag(false),
                "Use NNUE value false",
            ),
            (
                "name Clear Hash type button",
                OptionValue::Flag(true),
                "Clear Hash",
            ),
            (
                "name NullMove Pruning type combo default Always var Always var Fail High \
                 var Never",
                OptionValue::Text("Fail High".into()),
                "NullMove Pruning value Fail High",
            ),
            (
                "name SyzygyPath type string default <empty>",
                OptionValue::List(vec!["/tb".into(), "/more".into()]),
                "SyzygyPath value /tb:/more",
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
        assert_eq!(
            set("name Clear Hash type button", &OptionValue::Flag(false)),
            None
        );
    }

    #[test]
    fn names_become_unique_snake_case() {
        for (name, published) in [
            ("Hash", "hash_mb"),
            ("hash", "hash_mb"),
            ("SyzygyPath", "syzygy"),
            ("Threads", "threads"),
            ("Seed", "seed"),
            ("Random Seed", "seed"),
            ("RandomSeed", "seed"),
            ("Skill Level", "skill_level"),
            ("UCI_Elo", "uci_elo"),
            ("EvalFile", "eval_file"),
            ("Syzygy50MoveRule", "syzygy50_move_rule"),
            ("Check Extension (PV nodes)", "check_extension_pv_nodes"),
            ("Bjüg", "bj_g"),
            ("%%", "option"),
            ("Command", "command_2"),
        ] {
            assert_eq!(
                option(&format!("name {name} type button")).spec.name,
                published,
                "{name}"
            );
        }
        let long = option(&format!("name {} type button", "x".repeat(190)));
        assert!(long.spec.name.len() <= MAX_NAME_BYTES);
        let again = EngineOption::parse(
            "name Skill_Level type check",
            &[option("name Skill Level type spin")],
        );
        assert_eq!(again.unwrap().spec.name, "skill_level_2");
    }

    #[test]
    fn allows_a_default_outside_its_bounds() {
        let spec = option("name Depth type spin default 30 min 1 max 20").spec;
        assert_eq!(spec.kind, OptionKind::Integer { min: 1, max: 30 });
        let spec = option("name Style type combo default calm var Wild").spec;
        assert!(spec.allows(&spec.default));
        let spec = option("name Size type spin").spec;
        assert!(spec.allows(&spec.default));
    }

    #[test]
    fn limits_bounds_to_32_bits() {
        for (declaration, default, min, max) in [
            (
                "name Seed type spin default 0 min 0 max 18446744073709551615",
                0,
                0,
                number::MOST,
            ),
            (
                "name Seed type spin default 4294967295 min -1 max 4294967295",
                number::MOST,
                -1,
                number::MOST,
            ),
            (
                "name Seed type spin default -9999999999",
                number::LEAST,
                number::LEAST,
                number::MOST,
            ),
        ] {
            let spec = option(declaration).spec;
            assert_eq!(spec.kind, OptionKind::Integer { min, max }, "{declaration}");
            assert_eq!(spec.default, OptionValue::Integer(default), "{declaration}");
        }
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
            assert_eq!(EngineOption::parse(declaration, &[]), None, "{declaration}");
        }
    }

    #[test]
    fn rejects_values_with_control_characters() {
        let option = option("name Book type string default book.bin");
        let error = option
            .command(&OptionValue::Text("a\nquit".into()))
            .unwrap_err()
            .to_string();
        assert!(error.contains("control character"), "{error}");
    }
}

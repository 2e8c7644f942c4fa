//! The options of an AI as UCI options.

use ai_api::{OptionKind, OptionSetting, OptionSpec, OptionValue};

use config::values_of;
use text::{printable, suggest};

/// UCI's notation for an empty string.
const EMPTY: &str = "<empty>";

/// AI options with a standard UCI name.
const STANDARD_NAMES: [(&str, &str); 4] = [
    ("hash_mb", "Hash"),
    ("threads", "Threads"),
    ("syzygy", "SyzygyPath"),
    ("contempt", "Contempt"),
];

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    #[error(
        "the AI has no option '{}'{}", printable(.name),
        .suggestion.as_ref().map(|meant| format!("; did you mean '{meant}'?")).unwrap_or_default()
    )]
    Unknown {
        name: String,
        suggestion: Option<String>,
    },
    #[error("option {name} is '{}'; expected {expected}", printable(.value))]
    Value {
        name: String,
        value: String,
        expected: String,
    },
}

/// Returns the UCI name of an option.
pub(crate) fn uci_name(spec: &OptionSpec) -> &str {
    let standard = STANDARD_NAMES.iter().find(|(name, _)| *name == spec.name);
    standard.map_or(spec.name.as_str(), |(_, standard)| standard)
}

/// Returns the `option` line, with the current value as the default.
pub(crate) fn declaration(spec: &OptionSpec, value: &OptionValue) -> String {
    let name = printable(uci_name(spec));
    match (&spec.kind, value) {
        _ if spec.secret => format!("option name {name} type string default {EMPTY}"),
        (OptionKind::Flag, OptionValue::Flag(flag)) => {
            format!("option name {name} type check default {flag}")
        }
        (OptionKind::Integer { min, max }, OptionValue::Integer(number)) => {
            format!("option name {name} type spin default {number} min {min} max {max}")
        }
        (OptionKind::Choice(choices), OptionValue::Text(text)) => {
            let choices: Vec<_> = choices.iter().map(|choice| printable(choice)).collect();
            format!(
                "option name {name} type combo default {} var {}",
                printable(text),
                choices.join(" var ")
            )
        }
        (_, value) => {
            let text = printable(&value.to_string());
            format!(
                "option name {name} type string default {}",
                if text.is_empty() { EMPTY } else { &text }
            )
        }
    }
}

/// Parses an option's setting, by its UCI name or the AI's name, ignoring case.
///
/// # Errors
/// The AI has no such option, or the option does not allow the value.
pub fn parse_option(
    specs: &[OptionSpec],
    requested: &str,
    value: Option<&str>,
) -> Result<OptionSetting, OptionError> {
    let matches = |spec: &&OptionSpec| {
        uci_name(spec).eq_ignore_ascii_case(requested)
            || spec.name.as_str().eq_ignore_ascii_case(requested)
    };
    // An exact name takes precedence: a client that may set `style` must not set `Style`.
    let exact = specs.iter().find(|spec| spec.name == requested);
    let spec = exact
        .or_else(|| specs.iter().find(matches))
        .ok_or_else(|| OptionError::Unknown {
            name: requested.to_owned(),
            suggestion: suggest(requested, specs.iter().map(|spec| spec.name.as_str()))
                .map(printable),
        })?;
    let text = match value.unwrap_or_default() {
        EMPTY => "",
        text => text,
    };
    let parsed = match &spec.kind {
        OptionKind::Flag => match text.to_ascii_lowercase().as_str() {
            "true" | "on" => Some(OptionValue::Flag(true)),
            "false" | "off" => Some(OptionValue::Flag(false)),
            _ => None,
        },
        OptionKind::Integer { .. } => text.parse().ok().map(OptionValue::Integer),
        OptionKind::Choice(choices) => {
            let choice = choices
                .iter()
                .find(|choice| choice.as_str().eq_ignore_ascii_case(text));
            choice.map(|choice| OptionValue::Text(choice.clone()))
        }
        OptionKind::Decimal { .. } => text.parse().ok().map(OptionValue::Decimal),
        OptionKind::Text | OptionKind::File | OptionKind::Folder => {
            Some(OptionValue::Text(text.into()))
        }
        OptionKind::Files => {
            let paths = text.split(':').filter(|path| !path.is_empty());
            Some(OptionValue::List(paths.map(String::from).collect()))
        }
    };
    match parsed {
        Some(allowed) if spec.allows(&allowed) => Ok(OptionSetting {
            name: spec.name.clone(),
            value: allowed,
        }),
        _ => Err(OptionError::Value {
            name: printable(uci_name(spec)),
            value: if spec.secret {
                String::new()
            } else {
                text.to_owned()
            },
            expected: values_of(&spec.kind),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn specs() -> Vec<OptionSpec> {
        vec![
            OptionSpec::integer("hash_mb", 16, 1..=64, "size of the table"),
            OptionSpec::flag("quiescence", true, "search captures"),
            OptionSpec::choice("style", "calm", &["calm", "wild"], "how to play"),
            OptionSpec::text("book", "", "a file"),
            OptionSpec::decimal("variety", 0.5, 0.0..=1.0, "how often it plays another move"),
            OptionSpec::files("tablebases", "where the tables are"),
            OptionSpec::text("token", "hidden", "the key of the service").secret(),
        ]
    }

    #[test]
    fn declares_each_kind_with_its_uci_type() {
        let lines: Vec<_> = specs()
            .iter()
            .map(|spec| declaration(spec, &spec.default))
            .collect();
        assert_eq!(
            lines,
            [
                "option name Hash type spin default 16 min 1 max 64",
                "option name quiescence type check default true",
                "option name style type combo default calm var calm var wild",
                "option name book type string default <empty>",
                "option name variety type string default 0.5",
                "option name tablebases type string default <empty>",
                "option name token type string default <empty>",
            ]
        );
    }

    #[test]
    fn standard_options_get_their_uci_names() {
        for (spec, line) in [
            (
                OptionSpec::integer("hash_mb", 16, 1..=64, ""),
                "Hash type spin default 16 min 1 max 64",
            ),
            (
                OptionSpec::integer("threads", 1, 1..=8, ""),
                "Threads type spin default 1 min 1 max 8",
            ),
            (
                OptionSpec::files("syzygy", ""),
                "SyzygyPath type string default <empty>",
            ),
            (
                OptionSpec::integer("contempt", 0, -9..=9, ""),
                "Contempt type spin default 0 min -9 max 9",
            ),
            (
                OptionSpec::integer("seed", 0, 0..=9, ""),
                "seed type spin default 0 min 0 max 9",
            ),
        ] {
            assert_eq!(
                declaration(&spec, &spec.default),
                format!("option name {line}")
            );
            let name = line.split(' ').next().unwrap();
            let text = spec.default.to_string();
            for requested in [name, &spec.name, &name.to_uppercase()] {
                let set =
                    parse_option(std::slice::from_ref(&spec), requested, Some(&text)).unwrap();
                assert_eq!(
                    (set.name, set.value),
                    (spec.name.clone(), spec.default.clone()),
                    "{requested}"
                );
            }
        }
    }

    #[test]
    fn declarations_have_no_line_breaks() {
        let spec = OptionSpec::text("book\nquit", "a\nb", "");
        assert!(!declaration(&spec, &spec.default).contains('\n'));
    }

    #[test]
    fn parses_settings_of_each_kind() {
        for (name, value, expected) in [
            ("Hash", Some("32"), OptionValue::Integer(32)),
            ("hash_mb", Some("1"), OptionValue::Integer(1)),
            ("QUIESCENCE", Some("False"), OptionValue::Flag(false)),
            ("style", Some("Wild"), OptionValue::Text("wild".into())),
            ("book", Some("a b.bin"), OptionValue::Text("a b.bin".into())),
            ("book", Some("<empty>"), OptionValue::Text(String::new())),
            ("book", None, OptionValue::Text(String::new())),
            ("variety", Some("1"), OptionValue::Decimal(1.0)),
            (
                "tablebases",
                Some("/a b:/c"),
                OptionValue::List(vec!["/a b".into(), "/c".into()]),
            ),
            ("tablebases", Some("<empty>"), OptionValue::List(Vec::new())),
        ] {
            let setting = parse_option(&specs(), name, value)
                .unwrap_or_else(|error| panic!("{name} {value:?}: {error}"));
            assert_eq!(setting.value, expected, "{name} {value:?}");
        }
    }

    #[test]
    fn an_exact_name_takes_precedence() {
        let specs = ["Style", "style"].map(|name| OptionSpec::flag(name, false, ""));
        for name in ["Style", "style"] {
            assert_eq!(parse_option(&specs, name, Some("true")).unwrap().name, name);
        }
        assert_eq!(
            parse_option(&specs, "STYLE", Some("true")).unwrap().name,
            "Style"
        );
    }

    #[test]
    fn rejects_invalid_settings_and_lists_the_allowed_values() {
        for (name, value, part) in [
            (
                "hash",
                Some("65"),
                "option Hash is '65'; expected a whole number from 1 to 64",
            ),
            ("hash", None, "expected a whole number"),
            ("quiescence", Some("maybe"), "expected true or false"),
            (
                "variety",
                Some("1.5"),
                "option variety is '1.5'; expected a number from 0 to 1",
            ),
            ("variety", Some("NaN"), "expected a number"),
            ("style", Some("mad"), "one of \"calm\", \"wild\""),
            ("sound", Some("on"), "the AI has no option 'sound'"),
            (
                "quiesence",
                Some("true"),
                "the AI has no option 'quiesence'; did you mean 'quiescence'?",
            ),
        ] {
            let error = parse_option(&specs(), name, value)
                .expect_err(name)
                .to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}

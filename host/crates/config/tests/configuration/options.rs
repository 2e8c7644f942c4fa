//! Checks options against the options that an AI declares.

use ai_api::{OptionKind, OptionSpec, OptionValue};
use config::ConfigErrors;

use crate::support::{AI, errors, loaded, option};

fn specs() -> Vec<OptionSpec> {
    vec![
        OptionSpec::integer("hash_mb", 16, 1..=1024, "size of the table"),
        OptionSpec::flag("quiescence", true, "search captures"),
        OptionSpec::choice("style", "calm", &["calm", "wild"], "how to play"),
        OptionSpec::text("book", "", ""),
    ]
}

#[test]
fn rejects_options_that_the_ai_does_not_declare() {
    let text = "[plugins]\ndirectories = ['../lib']\n[ai.a]\nlibrary = 'ai_uci'\n[ai.a.options]\n\
                hash_mb = 2048\nquiescense = false\nstyle = 'mad'\nbook = 3\nquiescence = false\n";
    let (folder, config) = loaded(text);
    let issues = config.check_options("a", &specs());
    let errors = ConfigErrors::none_of(issues).unwrap_err().to_string();
    let expected = r#"error: `ai.a.options.hash_mb` is 2048
 --> /config/rookery.toml:6:11
  |
6 | hash_mb = 2048
  |           ^^^^
  |
  = allowed: a whole number from 1 to 1024 (default: 16)
  = hash_mb: size of the table

error: the AI `a` declares no option `quiescense`
 --> /config/rookery.toml:7:1
  |
7 | quiescense = false
  | ^^^^^^^^^^
  |
  = allowed: hash_mb, quiescence, style, book
  = did you mean `quiescence`?

error: `ai.a.options.style` is "mad"
 --> /config/rookery.toml:8:9
  |
8 | style = 'mad'
  |         ^^^^^
  |
  = allowed: one of "calm", "wild" (default: "calm")
  = style: how to play

error: `ai.a.options.book` is 3
 --> /config/rookery.toml:9:8
  |
9 | book = 3
  |        ^
  |
  = allowed: a quoted string (default: "")

4 errors in the configuration"#;
    assert_eq!(
        errors.replace(&*folder.path().to_string_lossy(), ""),
        expected
    );
    assert_eq!(
        config.check_options("a", &[])[0].allowed.as_deref(),
        Some("none: this AI declares no options")
    );
    assert!(config.check_options("b", &specs()).is_empty());
}

#[test]
fn checks_the_files_that_options_name() {
    let specs = [
        OptionSpec::file("net", "the weights"),
        OptionSpec::folder("books", ""),
        OptionSpec::files("tables", ""),
        OptionSpec::decimal("contempt", 0.0, -1.0..=1.0, ""),
    ];
    let with = |options: &str| {
        let (folder, config) = loaded(&format!("{AI}[ai.a.options]\n{options}"));
        let issues: Vec<_> = config
            .check_options("a", &specs)
            .iter()
            .map(ToString::to_string)
            .collect();
        let root = folder.path().to_string_lossy().into_owned();
        (
            issues.concat().replace(&root, ""),
            config.resolved_options("a", &specs),
            root,
        )
    };
    let right = "net = '../lib/libai_uci.so'\nbooks = '../lib'\ntables = ['../lib', \
        '../lib/libai_uci.so']\ncontempt = 1\n";
    let (issues, options, root) = with(right);
    assert_eq!(issues, "");
    let path = |path: &str| format!("{root}/{path}");
    let expected = [
        option("net", OptionValue::Text(path("lib/libai_uci.so"))),
        option("books", OptionValue::Text(path("lib"))),
        option(
            "tables",
            OptionValue::List(vec![path("lib"), path("lib/libai_uci.so")]),
        ),
        option("contempt", OptionValue::Decimal(1.0)),
    ];
    assert_eq!(options, expected);
    let (_, options, root) = with("tables = '../lib'");
    let path = |path: &str| format!("{root}/{path}");
    assert_eq!(options[2].value, OptionValue::List(vec![path("lib")]));

    let (issues, ..) = with(
        "net = '../lib'\nbooks = '../lib/libai_uci.so'\ntables = ['../lib', \
         '../nowhere']\ncontempt = 1.5\n",
    );
    for part in [
        "`ai.a.options.net` names /lib, which is a folder",
        "= allowed: the path of a file that exists, relative to this file, in quotes",
        "`ai.a.options.books` names /lib/libai_uci.so, which is not a folder",
        "`ai.a.options.tables` names /nowhere, which can't be found",
        "`ai.a.options.contempt` is 1.5",
        "= allowed: a number from -1 to 1 (default: 0.0)",
    ] {
        assert!(issues.contains(part), "{part}: {issues}");
    }
    for wrong in [
        "contempt = nan",
        "contempt = inf",
        "tables = [1]",
        "tables = [['a']]",
    ] {
        let errors = errors(&format!("{AI}[ai.a.options]\n{wrong}\n"));
        assert!(
            errors.contains("= allowed: true, false, a 64-bit whole number, a decimal number"),
            "{errors}"
        );
    }
}

#[test]
fn missing_and_invalid_options_get_their_defaults() {
    let (_folder, config) = loaded(&format!(
        "{AI}[ai.a.options]\nhash_mb = 0\nquiescence = false\n"
    ));
    let expected = [
        option("hash_mb", OptionValue::Integer(16)),
        option("quiescence", OptionValue::Flag(false)),
        option("style", OptionValue::Text("calm".into())),
        option("book", OptionValue::Text(String::new())),
    ];
    assert_eq!(config.resolved_options("a", &specs()), expected);
    assert_eq!(
        config.resolved_options("b", &specs())[1].value,
        OptionValue::Flag(true)
    );
}

#[test]
fn limits_ai_text_in_messages() {
    let (_folder, config) = loaded(&format!("{AI}options.style = 'x'"));
    let mut spec = OptionSpec::choice("style", "\u{1b}[2J", &[], &"help\n".repeat(10_000));
    spec.kind = OptionKind::Choice(
        (0..10_000)
            .map(|choice| format!("{choice}\u{1b}"))
            .collect(),
    );
    let issue = config.check_options("a", &[spec]).remove(0).to_string();
    assert!(issue.len() < 2000, "{}", issue.len());
    assert!(!issue.contains('\u{1b}'));
    assert_eq!(issue.lines().count(), 8, "{issue}");
}

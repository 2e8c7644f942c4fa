//! Options that requests may set.

use std::fs;

use ai_api::OptionSpec;

use crate::support::{AI, issue, loaded};

fn specs() -> Vec<OptionSpec> {
    vec![
        OptionSpec::integer("level", 3, 1..=6, "how far it looks ahead"),
        OptionSpec::flag("quiescence", true, "search captures"),
        OptionSpec::choice("style", "calm", &["calm", "wild"], "how to play"),
        OptionSpec::text("opponent", "", "who plays against it"),
        OptionSpec::file("weights", "the net"),
    ]
}

/// Returns the issues for an AI with these settings, without the path of the test's folder.
fn issues(settings: &str) -> String {
    let (folder, config) = loaded(&format!("{AI}{settings}\n"));
    let issues: Vec<_> = config
        .check_options("a", &specs())
        .iter()
        .map(ToString::to_string)
        .collect();
    let root = fs::canonicalize(folder.path()).unwrap();
    issues
        .concat()
        .replace(&*root.to_string_lossy(), "")
        .replace(&*folder.path().to_string_lossy(), "")
}

#[test]
fn requests_may_set_flags_numbers_and_choices() {
    for grants in [
        "",
        "allow_exec = ['/bin/true']",
        "allow_read = ['../lib']",
        "sandbox = 'off'",
    ] {
        assert_eq!(
            issues(&format!(
                "overridable_options = ['level', 'quiescence', 'style']\n{grants}"
            )),
            ""
        );
    }
    assert_eq!(issues("overridable_options = []"), "");
}

#[test]
fn rejects_overridable_files_and_unknown_options() {
    assert_eq!(
        issues("overridable_options = ['levle', 'weights', 'level']"),
        r"error: `ai.a.overridable_options` lets requests set `levle`, which the AI does not declare
 --> /config/rookery.toml:3:24
  |
3 | overridable_options = ['levle', 'weights', 'level']
  |                        ^^^^^^^
  |
  = allowed: level, quiescence, style, opponent
  = did you mean `level`?
error: `ai.a.overridable_options` lets requests set `weights`, which names a file; clients must not choose files
 --> /config/rookery.toml:3:33
  |
3 | overridable_options = ['levle', 'weights', 'level']
  |                                 ^^^^^^^^^
  |
  = allowed: level, quiescence, style, opponent
"
    );
}

#[test]
fn rejects_overridable_texts_that_could_name_a_file() {
    let open = "overridable_options = ['opponent']";
    assert_eq!(issues(open), "");
    for (grants, reason) in [
        (
            "allow_exec = ['/bin/true']",
            "could name a program, because the AI may start programs (`allow_exec`)",
        ),
        (
            "allow_read = ['../lib']",
            "could name a file, because the AI may read files",
        ),
        (
            "options = { weights = '../lib/notes.txt' }",
            "could name a file, because the AI may read files",
        ),
        (
            "sandbox = 'best-effort'",
            "could name any file, because the AI's sandbox is not required",
        ),
        (
            "sandbox = 'off'",
            "could name any file, because the AI's sandbox is not required",
        ),
    ] {
        let issue = issues(&format!("{open}\n{grants}"));
        assert!(issue.contains(reason), "{grants}: {issue}");
        assert!(
            issue.contains("= allowed: level, quiescence, style\n"),
            "{issue}"
        );
    }
}

#[test]
fn rejects_a_number_in_overridable_options() {
    let issue = issue(format!("{AI}overridable_options = ['level', 3]\n"));
    assert_eq!(issue.message, "`ai.a.overridable_options` contains 3");
    assert_eq!((issue.line, issue.column), (Some(3), Some(33)));
    let allowed = "a list of names of the AI's options, such as [\"level\"] (default: [])";
    assert_eq!(issue.allowed.as_deref(), Some(allowed));
}

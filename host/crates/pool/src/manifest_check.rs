//! Checks an AI's manifest before the host uses it.

use std::collections::HashSet;

use ai_api::{Capabilities, OptionKind, OptionSpec, OptionValue};

use config::values_of;
use protocol::{Refusal, SandboxMode, SandboxSettings};
use text::printable;

/// The maximum length of a name, as for every configuration key.
const MAX_NAME_BYTES: usize = 64;
/// The maximum number of options, which no engine reaches. Each option appears in every reply that
/// describes the AI.
const MAX_OPTIONS: usize = 1000;

/// Checks that each option can be set and allows its default.
///
/// # Errors
/// The contradictory options.
pub fn check(options: &[OptionSpec]) -> Result<(), Refusal> {
    if options.len() > MAX_OPTIONS {
        let message = format!(
            "the AI declares {} options; at most {MAX_OPTIONS} are allowed",
            options.len()
        );
        return Err(message.into());
    }
    let mut names = HashSet::new();
    let contradictions: Vec<_> = options
        .iter()
        .filter_map(|option| {
            let contradiction = contradiction(option).or_else(|| {
                (!names.insert(option.name.as_str()))
                    .then(|| "another option has the same name".to_owned())
            })?;
            Some(format!(
                "the option '{}': {contradiction}",
                printable(&option.name)
            ))
        })
        .collect();
    let Some(first) = contradictions.first() else {
        return Ok(());
    };
    let message = match contradictions.len() {
        1 => format!("the AI contradicts itself: {first}"),
        count => format!("the AI contradicts itself in {count} options; the first is {first}"),
    };
    Err(Refusal {
        message,
        details: contradictions.join("\n"),
    })
}

/// Checks that an AI's grants cover the resources it needs.
///
/// # Errors
/// The missing resources, with the keys that grant them.
pub(crate) fn check_needs(needs: &Capabilities, sandbox: &SandboxSettings) -> Result<(), Refusal> {
    if sandbox.mode == SandboxMode::Off {
        return Ok(());
    }
    let of = [
        (
            u64::from(needs.threads),
            sandbox.threads,
            "threads besides the main thread",
            "threads",
        ),
        (
            needs.memory_mb,
            sandbox.memory_mb,
            "MB of memory",
            "memory_mb",
        ),
    ];
    let lacking: Vec<_> = of
        .into_iter()
        .filter(|(needed, granted, ..)| needed > granted)
        .map(|(needed, granted, of_what, key)| {
            format!(
                "it needs {needed} {of_what}, but its limit is {granted}: set {key} = {needed} in \
                its [ai.ID]"
            )
        })
        .collect();
    if lacking.is_empty() {
        Ok(())
    } else {
        let message = format!(
            "the AI needs more than its sandbox allows: {}",
            lacking.join("; ")
        );
        Err(message.into())
    }
}

fn contradiction(option: &OptionSpec) -> Option<String> {
    let is_name_byte =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    if option.name.is_empty()
        || option.name.len() > MAX_NAME_BYTES
        || !option.name.bytes().all(is_name_byte)
    {
        return Some(format!(
            "its name must be 1 to {MAX_NAME_BYTES} characters from a-z, 0-9 and _"
        ));
    }
    match &option.kind {
        OptionKind::Integer { min, max } if min > max => {
            return Some(format!("its range from {min} to {max} is not valid"));
        }
        OptionKind::Choice(choices) if choices.is_empty() => {
            return Some("it has no choices".into());
        }
        OptionKind::Decimal { min, max } if !(min.is_finite() && max.is_finite() && min <= max) => {
            return Some(format!("its range from {min} to {max} is not valid"));
        }
        // The sandbox lets the AI read what an option names.
        OptionKind::File | OptionKind::Folder | OptionKind::Files if !is_empty(&option.default) => {
            return Some(
                "it can't have a default, because only the configuration names files".into(),
            );
        }
        kind if option.secret && *kind != OptionKind::Text => {
            return Some("only a text option can be secret".into());
        }
        _ if option.live && option.names_files() => {
            return Some(
                "an option that names files can't be live, because a running sandbox can't be \
                 extended"
                    .into(),
            );
        }
        _ => {}
    }
    let disallowed = || {
        let (default, allowed) = (
            printable(&option.default.to_string()),
            values_of(&option.kind),
        );
        format!("its default '{default}' is not {allowed}")
    };
    (!option.allows(&option.default)).then(disallowed)
}

fn is_empty(value: &OptionValue) -> bool {
    match value {
        OptionValue::Text(text) => text.is_empty(),
        OptionValue::List(list) => list.is_empty(),
        OptionValue::Flag(_) | OptionValue::Integer(_) | OptionValue::Decimal(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(options: &[OptionSpec]) -> String {
        check(options).map_or_else(|refusal| refusal.message, |()| "accepted".into())
    }

    #[test]
    fn rejects_more_options_than_allowed() {
        let options = |count| -> Vec<_> {
            (0..count)
                .map(|number| OptionSpec::flag(&format!("o{number}"), false, ""))
                .collect()
        };
        assert_eq!(refusal(&options(MAX_OPTIONS)), "accepted");
        let refusal = refusal(&options(MAX_OPTIONS + 1));
        assert_eq!(
            refusal,
            "the AI declares 1001 options; at most 1000 are allowed"
        );
    }

    #[test]
    fn names_the_keys_that_grant_missing_resources() {
        let granted = SandboxSettings {
            memory_mb: 100,
            threads: 2,
            ..SandboxSettings::default()
        };
        let check = |threads, memory_mb, granted: &SandboxSettings| {
            let needs = Capabilities {
                threads,
                memory_mb,
                ..Capabilities::SIMPLEST
            };
            check_needs(&needs, granted)
                .map_or_else(|refusal| refusal.message, |()| "accepted".into())
        };
        assert_eq!(check(2, 100, &granted), "accepted");
        assert!(check(3, 100, &granted).ends_with("limit is 2: set threads = 3 in its [ai.ID]"));
        assert!(
            check(2, 101, &granted).ends_with("limit is 100: set memory_mb = 101 in its [ai.ID]")
        );
        assert!(check(9, 999, &granted).contains("threads = 9 in its [ai.ID]; it needs 999 MB"));
        assert_eq!(
            check(
                9,
                999,
                &SandboxSettings {
                    mode: SandboxMode::Off,
                    ..granted
                }
            ),
            "accepted"
        );
    }

    #[test]
    fn accepts_valid_options() {
        let options = [
            OptionSpec::integer("hash_mb", 1, 1..=1, "one size"),
            OptionSpec::flag("x", false, ""),
            OptionSpec::choice("style", "calm", &["calm"], ""),
            OptionSpec::text("book", "", ""),
            OptionSpec::decimal("contempt", 0.0, -1.0..=1.0, "")
                .live()
                .advanced(),
            OptionSpec::text("token", "", "").secret().live(),
            OptionSpec::file("net", ""),
            OptionSpec::folder("books", ""),
            OptionSpec::files("tables", ""),
        ];
        assert_eq!(refusal(&options), "accepted");
        assert_eq!(refusal(&[]), "accepted");
    }

    #[test]
    fn rejects_contradictory_options() {
        #[expect(clippy::reversed_empty_ranges, reason = "the range must be invalid")]
        let reversed = 9..=1;
        let etc = OptionValue::Text("/etc".into());
        for (option, part) in [
            (OptionSpec::flag("", true, ""), "its name must be 1 to 64"),
            (
                OptionSpec::flag("Loud", true, ""),
                "its name must be 1 to 64",
            ),
            (
                OptionSpec::flag("a\u{1b}[2J", true, ""),
                "its name must be 1 to 64",
            ),
            (
                OptionSpec::flag(&"x".repeat(65), true, ""),
                "its name must be 1 to 64",
            ),
            (
                OptionSpec::integer("n", 5, reversed, ""),
                "its range from 9 to 1 is not valid",
            ),
            (
                OptionSpec::integer("n", 10, 1..=9, ""),
                "'n': its default '10' is not a whole number from 1 to 9",
            ),
            (
                OptionSpec::choice("c", "x", &["y"], ""),
                "its default 'x' is not one of \"y\"",
            ),
            (OptionSpec::choice("c", "x", &[], ""), "it has no choices"),
            (
                OptionSpec::decimal("d", 2.0, 0.0..=1.0, ""),
                "its default '2.0' is not a number from 0 to 1",
            ),
            (
                OptionSpec::decimal("d", 0.0, 0.0..=f64::INFINITY, ""),
                "its range from 0 to inf is not valid",
            ),
            (
                OptionSpec::decimal("d", 0.0, f64::NAN..=1.0, ""),
                "its range from NaN to 1 is not valid",
            ),
            (
                OptionSpec::decimal("d", f64::NAN, 0.0..=1.0, ""),
                "its default 'NaN' is not a number",
            ),
            (
                OptionSpec::flag("f", true, "").secret(),
                "only a text option can be secret",
            ),
            (
                OptionSpec {
                    default: etc,
                    ..OptionSpec::file("net", "")
                },
                "'net': it can't have a default",
            ),
            (OptionSpec::file("f", "").live(), "can't be live"),
            (OptionSpec::folder("f", "").live(), "can't be live"),
            (OptionSpec::files("f", "").live(), "can't be live"),
        ] {
            let message = refusal(&[option]);
            assert!(
                message.contains(part) && !message.contains(char::is_control),
                "{message:?}"
            );
        }
        let twice = [
            OptionSpec::flag("same", true, ""),
            OptionSpec::flag("same", false, ""),
        ];
        assert!(refusal(&twice).contains("another option has the same name"));
        let both = [
            OptionSpec::flag("A", true, ""),
            OptionSpec::flag("B", false, ""),
        ];
        assert!(refusal(&both).contains("in 2 options; the first is the option 'A'"));
    }
}

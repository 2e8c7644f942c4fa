//! Rewrites serde's errors in the host's form: what was found, what was expected and what to do.

use text::suggest;

/// A serde error, without its location.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Explained {
    /// The object field that the error is about.
    pub(crate) field: Option<String>,
    pub(crate) detail: String,
}

/// Explains a serde error, given its text.
pub(crate) fn explained(error: &str) -> Explained {
    let of_field = |field: &str, detail: String| Explained {
        field: Some(field.to_owned()),
        detail,
    };
    if let Some(field) = quoted(error, "missing field `") {
        return of_field(field, format!("the field '{field}' is missing; add it"));
    }
    if let Some(field) = quoted(error, "duplicate field `") {
        return of_field(
            field,
            format!("the field '{field}' occurs twice; send it once"),
        );
    }
    let of_none = error.strip_suffix(", there are no fields");
    if let Some(field) = of_none.and_then(|start| quoted(start, "unknown field `")) {
        return of_field(
            field,
            format!("no fields are allowed here; remove '{field}'"),
        );
    }
    if let Some((field, known)) = found_and_known(error, "unknown field `") {
        let hint =
            suggest(field, known.iter().copied()).map(|close| format!(" did you mean '{close}'?"));
        let known = listed(&known);
        let detail = format!(
            "there is no field '{field}' here;{} the fields are {known}",
            hint.unwrap_or_default()
        );
        return of_field(field, detail);
    }
    let detail = match found_and_known(error, "unknown variant `") {
        Some((found, known)) => format!("found '{found}', expected one of {}", listed(&known)),
        None => in_words_of_json(error),
    };
    Explained {
        field: None,
        detail,
    }
}

/// Returns the text between `start` and the closing backtick of an error.
fn quoted<'a>(error: &'a str, start: &str) -> Option<&'a str> {
    error.strip_prefix(start)?.strip_suffix('`')
}

/// Splits an error into the name that was found and the known names. The found name may contain the
/// separator, so the split is at the last one.
fn found_and_known<'a>(error: &'a str, start: &str) -> Option<(&'a str, Vec<&'a str>)> {
    let (found, known) = error.strip_prefix(start)?.rsplit_once("`, expected ")?;
    Some((found, known.split('`').skip(1).step_by(2).collect()))
}

fn listed(names: &[&str]) -> String {
    names
        .iter()
        .map(|name| format!("'{name}'"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Rewrites what was found and expected in JSON's terms instead of serde's.
fn in_words_of_json(error: &str) -> String {
    const WORDS: [(&str, &str); 4] = [
        ("a sequence", "a list"),
        ("u64", "a non-negative integer"),
        ("i64", "an integer"),
        ("f64", "a number"),
    ];
    let rest = ["invalid type: ", "invalid value: "]
        .iter()
        .find_map(|prefix| error.strip_prefix(prefix));
    // A client's value may contain the separator, so split at the last one.
    let Some((found, expected)) = rest.and_then(|rest| rest.rsplit_once(", expected ")) else {
        return error.to_owned();
    };
    let found = match found {
        "sequence" => "a list",
        "map" => "an object",
        other => other,
    };
    let expected = WORDS
        .iter()
        .find_map(|(serde, json)| Some(format!("{json}{}", expected.strip_prefix(serde)?)))
        .unwrap_or_else(|| expected.to_owned());
    let size = if is_large(found) {
        " of at most 64 bits"
    } else {
        ""
    };
    format!("found {found}, expected {expected}{size}")
}

/// Returns whether serde found a whole number that no integer type can hold.
fn is_large(found: &str) -> bool {
    let number = found
        .strip_prefix("floating point `")
        .and_then(|rest| rest.strip_suffix('`'));
    number
        .and_then(|number| number.parse::<f64>().ok())
        .is_some_and(|number| number.fract() == 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_was_found_and_expected_and_what_to_do() {
        for (error, field, detail) in [
            (
                "missing field `game`",
                Some("game"),
                "the field 'game' is missing; add it",
            ),
            (
                "duplicate field `moves`",
                Some("moves"),
                "the field 'moves' occurs twice; send it once",
            ),
            (
                "unknown field `fenn`, expected one of `fen`, `moves`",
                Some("fenn"),
                "there is no field 'fenn' here; did you mean 'fen'? the fields are 'fen', 'moves'",
            ),
            (
                "unknown field `a`, expected `game`",
                Some("a"),
                "there is no field 'a' here; the fields are 'game'",
            ),
            (
                "unknown field `a`, there are no fields",
                Some("a"),
                "no fields are allowed here; remove 'a'",
            ),
            (
                "unknown field `a`, expected `b`, expected `game`",
                Some("a`, expected `b"),
                "there is no field 'a`, expected `b' here; the fields are 'game'",
            ),
            (
                "unknown variant `FEN`, expected one of `fen`, `pgn`",
                None,
                "found 'FEN', expected one of 'fen', 'pgn'",
            ),
            (
                "invalid type: map, expected a string",
                None,
                "found an object, expected a string",
            ),
            (
                "invalid type: floating point `1.5`, expected u64",
                None,
                "found floating point `1.5`, expected a non-negative integer",
            ),
            (
                "invalid type: floating point `1e30`, expected i64",
                None,
                "found floating point `1e30`, expected an integer of at most 64 bits",
            ),
            (
                "a limit is more than that",
                None,
                "a limit is more than that",
            ),
        ] {
            let expected = Explained {
                field: field.map(str::to_owned),
                detail: detail.to_owned(),
            };
            assert_eq!(explained(error), expected);
        }
    }
}

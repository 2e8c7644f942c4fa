//! Suggests corrections for misspelled names.

/// The maximum length of names to compare, to limit the work.
const LONGEST: usize = 64;

/// Returns the candidate with the fewest edits from `name`, if they change at most a third of its
/// letters.
pub fn suggest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters = name.chars().count();
    if letters > LONGEST {
        return None;
    }
    let name = name.to_lowercase();
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= LONGEST * 4)
        .map(|candidate| {
            (
                strsim::damerau_levenshtein(&name, &candidate.to_lowercase()),
                candidate,
            )
        })
        .filter(|&(edits, candidate)| {
            let longer = letters.max(candidate.chars().count());
            edits <= longer.div_ceil(3) && edits < longer
        })
        .min()
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_name_with_the_fewest_edits() {
        let keys = [
            "a",
            "library",
            "workers",
            "move_timeout_ms",
            "limit",
            "options",
        ];
        for (typed, meant) in [
            ("workres", Some("workers")),
            ("Limit", Some("limit")),
            ("timeout_ms", Some("move_timeout_ms")),
            ("librarry", Some("library")),
            ("quiescence", None),
            ("", None),
            ("x", None),
        ] {
            assert_eq!(suggest(typed, keys), meant, "{typed}");
        }
        assert_eq!(suggest(&"x".repeat(100_000), ["xx"]), None);
    }
}

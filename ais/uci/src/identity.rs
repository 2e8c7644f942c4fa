//! The name, version and author of an engine.

/// Longer strings are truncated.
const MAX_CHARS: usize = 64;

/// An engine's description of itself. A field is empty if the engine does not provide it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) name: String,
    pub(crate) version: String,
    author: String,
}

impl Identity {
    /// Reads the text after `id`. UCI has no field for the version, and engines write it at the end
    /// of the name. It starts at the first word that begins with a digit, or with `v` and a digit,
    /// but never at the name's first word.
    pub(crate) fn read(&mut self, text: &str) {
        match text.split_once(' ') {
            Some(("name", name)) => {
                let name = bounded(name);
                let is_version = |&at: &usize| {
                    let word = name[at..].strip_prefix(' ').unwrap_or_default();
                    word.strip_prefix(['v', 'V'])
                        .unwrap_or(word)
                        .starts_with(|first: char| first.is_ascii_digit())
                };
                let at = name
                    .match_indices(' ')
                    .map(|(at, _)| at)
                    .find(is_version)
                    .unwrap_or(name.len());
                let (name, version) = name.split_at(at);
                (self.name, self.version) = (name.to_owned(), version.trim().to_owned());
            }
            Some(("author", author)) => self.author = bounded(author),
            _ => {}
        }
    }

    /// Returns name, version and author, or `None` for an engine without a name.
    pub(crate) fn texts(&self) -> Option<[String; 3]> {
        let Self {
            name,
            version,
            author,
        } = self.clone();
        (!name.is_empty()).then_some([name, version, author])
    }
}

fn bounded(text: &str) -> String {
    let printable: String = text
        .chars()
        .filter(|character| !character.is_control())
        .collect();
    let words = printable.split_whitespace().collect::<Vec<_>>().join(" ");
    words
        .chars()
        .take(MAX_CHARS)
        .collect::<String>()
        .trim_end()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_ends_before_its_version() {
        for (line, name, version) in [
            ("Stockfish 15.1", "Stockfish", "15.1"),
            ("GNU Chess 6.2.7", "GNU Chess", "6.2.7"),
            ("Stockfish 11 64 BMI2", "Stockfish", "11 64 BMI2"),
            ("Lc0 v0.30.0+git.dirty", "Lc0", "v0.30.0+git.dirty"),
            ("Toga II 3.0", "Toga II", "3.0"),
            ("Sunfish", "Sunfish", ""),
            ("3Check Vixen", "3Check Vixen", ""),
            ("  Deep   Thought\t", "Deep Thought", ""),
            ("Sting SF 26", "Sting SF", "26"),
        ] {
            let mut identity = Identity::default();
            identity.read(&format!("name {line}"));
            identity.read("author J. Doe \u{7}");
            let texts = identity.texts().unwrap();
            assert_eq!(texts, [name, version, "J. Doe"], "{line}");
        }
    }

    #[test]
    fn an_engine_without_a_name_has_no_identity() {
        let mut identity = Identity::default();
        for line in ["author A", "name", "name ", "names X", ""] {
            identity.read(line);
        }
        assert_eq!(identity.texts(), None);
        identity.read(&format!("name {} 1", "é".repeat(100)));
        assert_eq!(identity.name, "é".repeat(MAX_CHARS));
    }
}

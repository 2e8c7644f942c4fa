//! Words and phrases that documents and comments avoid. Each has a plainer alternative.

use std::fs;

use super::{root, sources};

/// A phrase to avoid, and what to write instead.
const PHRASES: [(&str, &str); 12] = [
    ("anew", "again"),
    ("barely", "almost no"),
    ("beside", "next to, or besides"),
    ("dearest", "most expensive"),
    ("hence", "so"),
    ("mend", "fix"),
    ("mends", "fixes"),
    ("no longer any", "no"),
    ("respectively", "in that order"),
    ("seldom", "rarely"),
    ("somebody", "someone, or the actor's name"),
    ("the one of", "the thing's name"),
];

/// Returns the phrases in a line of text, ignoring code.
fn phrases(line: &str) -> Vec<&'static str> {
    let words = line.split('`').step_by(2).collect::<Vec<_>>().join(" ");
    let words = words.to_lowercase().replace(
        |letter: char| !letter.is_alphanumeric() && letter != '-',
        " ",
    );
    let spaced = format!(
        " {} ",
        words.split_whitespace().collect::<Vec<_>>().join(" ")
    );
    let found = PHRASES
        .iter()
        .filter(|(phrase, _)| spaced.contains(&format!(" {phrase} ")));
    found.map(|(phrase, _)| *phrase).collect()
}

/// Returns each phrase to avoid in numbered lines, with the file and the line number.
fn places<'a>(file: &str, lines: impl Iterator<Item = (usize, &'a str)>) -> Vec<String> {
    let found = lines.flat_map(|(number, line)| {
        phrases(line)
            .into_iter()
            .map(move |phrase| (number, phrase))
    });
    found
        .map(|(number, phrase)| format!("{file}:{number}: '{phrase}'"))
        .collect()
}

#[test]
fn documents_and_comments_use_plain_words() {
    let mut found = Vec::new();
    for folder in ["ai-api", "ai-basic1", "ais", "host", "sdk", "tools"] {
        for (file, text) in sources(folder) {
            let lines = (1..).zip(text.lines());
            let comments = lines.filter(|(_, line)| line.trim_start().starts_with("//"));
            found.extend(places(&file, comments));
        }
    }
    let documents = fs::read_dir(root().join("docs"))
        .unwrap()
        .chain(fs::read_dir(root()).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    for document in documents {
        let (text, mut is_code) = (fs::read_to_string(&document).unwrap(), false);
        let lines = (1..).zip(text.lines()).filter(|(_, line)| {
            is_code ^= line.starts_with("```");
            !is_code
        });
        found.extend(places(&document.display().to_string(), lines));
    }
    assert!(found.is_empty(), "write it plainly:\n{}", found.join("\n"));
}

#[test]
fn phrases_are_whole_words_outside_code() {
    assert_eq!(phrases("/// Hence it starts anew."), ["anew", "hence"]);
    assert_eq!(phrases("// Unlike\tthe one of the host."), ["the one of"]);
    for plain in [
        "// `beside` is a name.",
        "// thence, amend, renewed",
        "a net-beside",
    ] {
        assert!(phrases(plain).is_empty(), "{plain}");
    }
}

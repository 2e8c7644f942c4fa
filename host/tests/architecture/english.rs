//! Words and phrases that documents and comments avoid. Each has a plainer alternative.

use std::fs;

use super::{files, root};

/// A phrase to avoid, and what to write instead.
const PHRASES: [(&str, &str); 17] = [
    ("anew", "again"),
    ("barely", "almost no"),
    ("beside", "next to, or besides"),
    ("dearest", "most expensive"),
    ("hardly", "almost no"),
    ("hence", "so"),
    ("mend", "fix"),
    ("mends", "fixes"),
    ("no longer any", "no"),
    ("respectively", "in that order"),
    ("seldom", "rarely"),
    ("simply", "nothing"),
    ("somebody", "someone, or the actor's name"),
    ("that of", "the thing's name"),
    ("the one of", "the thing's name"),
    ("thereby", "so"),
    ("whilst", "while"),
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

/// Returns a comment, or else the texts in quotes that have several words.
fn prose(line: &str) -> String {
    let comments = ["//", "#", "* ", "/*", "--"];
    if comments
        .iter()
        .any(|start| line.trim_start().starts_with(start))
    {
        return line.to_owned();
    }
    let texts = line.split(['"', '\'']).skip(1).step_by(2);
    texts
        .filter(|text| text.contains(' '))
        .collect::<Vec<_>>()
        .join(" . ")
}

#[test]
fn documents_comments_and_messages_use_plain_words() {
    let mut found = Vec::new();
    for folder in ["ai-api", "ai-basic1", "ais", "host", "sdk", "tools"] {
        let kinds = ["rs", "py", "sh", "ts", "tsx", "in", "h", "c", "go", "zig"];
        for (file, text) in files(folder, &kinds) {
            // This file contains every phrase.
            if !file.ends_with("architecture/english.rs") {
                let lines = text.lines().map(prose).collect::<Vec<_>>();
                let lines = (1..).zip(lines.iter().map(String::as_str));
                found.extend(places(&file, lines));
            }
        }
    }
    let mut documents = files("docs", &["md"]);
    documents.extend(files("sdk", &["md"]));
    let in_root = fs::read_dir(root()).unwrap();
    for path in in_root.map(|entry| entry.unwrap().path()) {
        if path.extension().is_some_and(|extension| extension == "md") {
            let text = fs::read_to_string(&path).unwrap();
            documents.push((path.display().to_string(), text));
        }
    }
    for (document, text) in documents {
        let mut is_code = false;
        let lines = (1..).zip(text.lines()).filter(|(_, line)| {
            is_code ^= line.starts_with("```");
            !is_code
        });
        found.extend(places(&document, lines));
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

#[test]
fn prose_is_a_comment_or_a_text_of_several_words() {
    assert_eq!(prose("    // A comment."), "    // A comment.");
    assert_eq!(prose(r#"let beside = f("one text", "word");"#), "one text");
}

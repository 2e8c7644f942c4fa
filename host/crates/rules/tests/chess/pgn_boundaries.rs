//! PGN text, split at its boundaries.

use proptest::{prelude::*, sample::select};
use rules::{PgnBoundaries, PgnReader, ReadVariations};

/// Pieces of text that begin, end and hide games.
const PIECES: [&str; 52] = [
    "[White \"A\"]\n",
    "[White \"A\"]\n\n",
    "\n\n[White \"A\"]\n",
    "\n[Site \"A\"]\n",
    "[Black \"a \"b\" c\"]\n",
    "[Black \"a \"",
    "\u{1a}",
    "\u{feff}[White \"A\"]\n",
    "\u{b1}",
    "[White \"A\"]\n",
    "[White \"A\"]",
    " [Black \"x ; { y\"]\n",
    "[Black \"\\\\ \\\"\"] ",
    "[Black \"\\\n",
    "[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n",
    "[Variant \"Atomic\"]\r\n",
    "[Event\n",
    "[\u{a0}White \"{\"]\n",
    "[",
    "]",
    "\"",
    "\n",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    " ",
    "\u{a0}",
    "\u{2003}",
    "\u{feff}",
    "{",
    "{",
    "}",
    "}",
    ";",
    "%",
    "\n%",
    "(",
    ")",
    "1.",
    "1. e4 ",
    "e5",
    "e.p. ",
    "?? ",
    "$1 ",
    "$x ",
    "--",
    "0000 ",
    "* ",
    "*\n",
    "1-0\n",
    "\u{e9}",
];

/// Reads the games. Returns each game's text or its errors.
fn read(text: &str, games: &mut usize, lines: usize) -> Vec<String> {
    let before = *games;
    let read: Vec<_> = PgnReader::new(text)
        .variations(ReadVariations::Keep)
        .map(|game| match game {
            Ok(game) => game.to_string(),
            Err(mut errors) => {
                for error in &mut errors {
                    error.game += before;
                    error.line += lines;
                }
                format!("{errors:?}")
            }
        })
        .collect();
    *games += read.len();
    read
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn parts_contain_the_games_of_the_complete_text(
        pieces in proptest::collection::vec(select(&PIECES[..]), 0..40),
    ) {
        let text = pieces.concat();
        let whole = read(&text, &mut 0, 0);
        let mut boundaries = PgnBoundaries::default();
        let (mut part, mut parts, mut games, mut lines_before) = (String::new(), Vec::new(), 0, 0);
        for (lines, line) in text.split_inclusive('\n').enumerate() {
            if boundaries.begins_game(line.as_bytes()) {
                parts.extend(read(&part, &mut games, lines_before));
                lines_before = lines;
                part.clear();
            }
            part.push_str(line);
        }
        parts.extend(read(&part, &mut games, lines_before));
        prop_assert_eq!(parts, whole, "{:?}", text);
    }
}

#[test]
fn splits_the_games_of_collections() {
    let text = "{by \"x\" [y]}\n[Event \"{\"]\n[Site \"?\"]\n\n1. e4 {a\n\n[b]} e5 *\n\n[Event \
        \"2\"]\n\n*\n[Event \"3\"]\r\n\r\n1-0\r\n\r\n  [Event \"4\"]\n\n1. d4 ; {\n1-0\n% \
        {\n[Event \"5\"]\n";
    let mut boundaries = PgnBoundaries::default();
    let begins: Vec<_> = text
        .lines()
        .filter(|line| boundaries.begins_game(line.as_bytes()))
        .collect();
    assert_eq!(
        begins,
        [
            "[Event \"2\"]",
            "[Event \"3\"]",
            "  [Event \"4\"]",
            "[Event \"5\"]"
        ]
    );
    // Positions without moves or results.
    let mut boundaries = PgnBoundaries::default();
    let positions = [
        "[FEN \"1\"]",
        "[White \"a\"]",
        "[Annotator \"b\"]",
        " ",
        "[FEN \"2\"]",
        "",
        "[White \"c\"]",
        "",
        "[FEN \"3\"]",
        "[FEN \"4\"]",
    ];
    let begins = positions.map(|line| boundaries.begins_game(line.as_bytes()));
    assert_eq!(
        begins,
        [
            false, false, false, false, true, false, false, false, true, false
        ]
    );
}

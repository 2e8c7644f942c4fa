//! Tags, and where a game begins, in PGN from programs, people and attackers.

use rules::{Game, ImportNote, format_fen, parse_pgn};

use crate::{
    pgn::{kept, read},
    pgn_of_others::errors,
    position,
};

#[test]
fn starts_games_from_their_tags() {
    const FEN: &str = "4k3/8/8/8/8/8/4P3/4K3 b - - 3 20";
    for (tags, start) in [
        (format!("[SetUp \"1\"]\n[FEN \"{FEN}\"]"), FEN),
        (format!("[FEN \"{FEN}\"]"), FEN),
        (format!("[FEN \" {FEN} \"][SetUp \"1\"]"), FEN),
        (format!("[Variant \"From Position\"]\n[FEN \"{FEN}\"]"), FEN),
        (
            "[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - -\"]".to_owned(),
            "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1",
        ),
    ] {
        let game = kept(&format!("{tags}\n\n20... Kd7 21. e4 *"));
        assert_eq!(
            (
                format_fen(game.game.start()).as_str(),
                game.game.moves().len()
            ),
            (start, 2),
            "{tags}"
        );
        let of_game = game.tag("FEN").or(game.tag("SetUp"));
        assert_eq!(of_game, None, "these follow from the game");
    }
    assert_eq!(kept("[SetUp \"1\"]\n\n1. e4 *").game.uci_moves(), ["e2e4"]);
    let found = errors("[FEN \"4k3/8/8/8/8/8/8/8 w - - 0 1\"]\n\n1. e4 zz (1. zz) *");
    assert!(
        found[0].starts_with("missing_king game 1, line 1, column 1: the FEN of the game"),
        "{found:?}"
    );
    assert_eq!(
        found.len(),
        2,
        "moves after a bad FEN are only parsed: {found:?}"
    );
}

#[test]
fn rejects_other_variants() {
    for variant in [
        "Standard",
        "chess",
        "Chess960",
        "Chess 960",
        "Fischerandom",
        "fischer-random",
        "From Position",
    ] {
        let game = kept(&format!("[Variant \"{variant}\"]\n\n1. e4 *"));
        assert_eq!(
            (game.game.moves().len(), game.tag("Variant")),
            (1, Some(variant))
        );
        assert_eq!(kept(&game.to_string()).tag("Variant"), Some(variant));
    }
    for variant in [
        "Atomic",
        "Crazyhouse",
        "Antichess",
        "King of the Hill",
        "Shogi",
    ] {
        let found = errors(&format!(
            "[White \"A\"]\n[Variant \"{variant}\"]\n\n1. e4 *\n\n1. d4 *"
        ));
        assert_eq!(
            found,
            [format!(
                "bad_pgn game 1, line 2, column 1: unsupported variant \"{variant}\"; expected \
                 chess or Chess960"
            )]
        );
    }
}

#[test]
fn reads_tags_from_other_programs() {
    let game = kept(
        "[Event \"K\u{f6}ln [A] {B} ; C % D\"]\n[ White \"R\\\\\u{e9}ti \\\"R\\\"\" ]\n[Black \
         \"\"]\n[WhiteElo \"2500\"]\n[Date \"2026.??.??\"] [TimeControl \"40/7200:3600\"]\n\n1. e4 \
         *",
    );
    assert_eq!(game.tag("Event"), Some("K\u{f6}ln [A] {B} ; C % D"));
    assert_eq!(
        (game.tag("White"), game.tag("Black")),
        (Some("R\\\u{e9}ti \"R\""), Some(""))
    );
    assert_eq!(
        (game.tag("Date"), game.tag("TimeControl")),
        (Some("2026.??.??"), Some("40/7200:3600"))
    );
    let again = kept(&game.to_string());
    for name in ["Event", "White", "Date", "WhiteElo", "TimeControl"] {
        assert_eq!(again.tag(name), game.tag(name));
    }
    // A position without moves counts as a game.
    let unplayed = kept("[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n*");
    let start = position("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
    assert_eq!(
        (unplayed.game.position(), unplayed.game.moves().len()),
        (Game::new(start).position(), 0)
    );
}

#[test]
fn a_first_move_after_a_blank_line_begins_a_game() {
    let moves = |text: &str| -> Vec<usize> {
        read(text)
            .iter()
            .map(|game| game.as_ref().map_or(0, |game| game.game.moves().len()))
            .collect()
    };
    assert_eq!(moves("1. e4 e5 2. Nf3\n\n1. d4 d5\n\n 1. c4"), [3, 2, 1]);
    assert_eq!(moves("1. e4 e5\n2. Nf3\n1. d4 d5\n"), [0], "no blank line");
    assert_eq!(
        moves("1. e4\n\n1... e5\n\n2. Nf3\n\n2... Nc6 (2... d6\n\n1. d3)\n\n3. Bb5"),
        [5]
    );
}

#[test]
fn a_repeated_tag_after_a_blank_line_begins_a_game() {
    let text = "[Event \"A\"]\n[White \"Anna\"]\n[WhiteElo \"2800\"]\n[Result \"1-0\"]\n\n\
        [Event \"B\"]\n[White \"Ben\"]\n\n1. e4 e5 *\n";
    let games = parse_pgn(text).expect("two games");
    let names: Vec<_> = games
        .iter()
        .map(|game| (game.tag("White"), game.game.moves().len()))
        .collect();
    assert_eq!(names, [(Some("Anna"), 0), (Some("Ben"), 2)]);
    assert_eq!(
        games
            .iter()
            .map(|game| game.result.text())
            .collect::<Vec<_>>(),
        ["1-0", "*"]
    );
    assert_eq!(games[1].tag("WhiteElo"), None);

    let positions = [
        "8/2K5/8/8/4N3/8/2k4p/8 w - - 0 2",
        "8/2K5/8/8/4N3/3k4/7p/8 w - - 0 2",
    ];
    let text = positions
        .map(|fen| format!("[FEN \"{fen}\"]\r\n \r\n"))
        .concat();
    let games = parse_pgn(&text).expect("two positions");
    assert_eq!(
        games
            .iter()
            .map(|game| format_fen(game.game.start()))
            .collect::<Vec<_>>(),
        positions
    );

    // Different tags with a blank line between them belong to one game. So do repeated tags without
    // a blank line.
    let game = kept("[Event \"A\"]\n\n[White \"Anna\"]\n\n1. e4 *");
    assert_eq!(
        (game.tag("Event"), game.tag("White")),
        (Some("A"), Some("Anna"))
    );
    assert_eq!(game.accepted, []);
    let game = kept("[Event \"A\"]\n[Source \"x\"]\n[Event \"B\"]\n[Source \"y\"]\n\n1. e4 *");
    assert_eq!(
        (game.tag("Event"), game.accepted.as_slice()),
        (Some("A"), &[ImportNote::RepeatedTag; 2][..])
    );
    let written = game.to_string();
    assert!(
        written.contains("[Event \"B\"]") && written.contains("[Source \"y\"]"),
        "nothing is lost: {written}"
    );
}

#[test]
fn tags_keep_quotes_and_backslashes() {
    let bare = &[ImportNote::BareQuote][..];
    for (text, value, accepted) in [
        (
            r#"[Event "5th "Memorial" Open"]"#,
            r#"5th "Memorial" Open"#,
            bare,
        ),
        (r#"[Event "a "b" c"] [Site "?"]"#, r#"a "b" c"#, bare),
        (
            r#"[Event "see "[1]" there" ] ; x"#,
            r#"see "[1]" there"#,
            bare,
        ),
        (r#"[Event ""Open""]"#, r#""Open""#, bare),
        (r#"[Event "C:\path\"]"#, r"C:\path\", bare),
        (r#"[Event "C:\path"]"#, r"C:\path", &[]),
        (r#"[Event "C:\\path \"x\""]"#, r#"C:\path "x""#, &[]),
    ] {
        let game = kept(&format!("{text}\n\n1. e4 *"));
        assert_eq!(
            (game.tag("Event"), game.accepted.as_slice()),
            (Some(value), accepted),
            "{text}"
        );
        assert_eq!(kept(&game.to_string()).tag("Event"), Some(value), "{text}");
    }
    for text in [r#"[Event "no end"#, r#"[Event "no "bracket""#, "[Event ]"] {
        assert!(
            errors(&format!("{text}\n\n1. e4 *"))[0].contains("is not a tag"),
            "{text}"
        );
    }
}

#[test]
fn notes_replaced_control_characters() {
    let game = kept("[Event \"a\u{0}b\tc\u{85}d\"]\n\n1. e4 {x\u{1b}y\u{9d}z \u{e9}\u{a0}w} *");
    assert_eq!(game.accepted, [ImportNote::ControlCharacter; 3]);
    assert_eq!(game.notes.comments[1], "x y z \u{e9} w");
    assert_eq!(kept(&game.to_string()).tag("Event"), Some("a b c d"));
}

#[test]
fn reads_a_line_with_many_unescaped_quotes_in_linear_time() {
    // Quadratic work on a line of this length would take minutes.
    for tag in [
        "[A \"x\"y\"] ",
        "[A \"x\"y\"]z ",
        "[A \"x\\",
        "[A \"",
        "[A \"x\" ",
        "( [A \"x\"y\"] ",
    ] {
        let text = tag.repeat((1 << 20) / tag.len());
        assert!(read(&text).len() <= 1, "{tag}");
    }
}

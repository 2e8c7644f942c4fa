//! PGN: round trips, games from other programs, and errors with their lines.

use ai_api::{Move, Position};
use fastrand::Rng;
use proptest::prelude::*;
use rules::{
    Game, Notes, PgnError, PgnFault, PgnGame, PgnReader, ReadVariations, Variation, format_fen,
    legal_moves, parse_fen, parse_pgn, play,
};

use crate::{game, random_games::random_game};

fn only(text: &str) -> PgnGame {
    let mut games = parse_pgn(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(games.len(), 1, "{text}");
    games.remove(0)
}

#[test]
fn writes_the_export_format() {
    let mut record = PgnGame::new(game(None, "f2f3 e7e5 g2g4 d8h4"));
    record.tags = [
        ("Event", "a \"match\""),
        ("White", "Ann"),
        ("Termination", "normal"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .to_vec();
    record.notes.comments = ["", "", "+0.34/5 {0.1 s}"].map(str::to_owned).to_vec();
    let expected = "[Event \"a \\\"match\\\"\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \
        \"?\"]\n[White \"Ann\"]\n[Black \"?\"]\n[Result \"0-1\"]\n[Termination \"normal\"]\n\n1. \
        f3 e5 {+0.34/5 {0.1 s)} 2. g4 Qh4# 0-1\n\n";
    assert_eq!(record.to_string(), expected);
}

#[test]
fn writes_a_custom_start_position() {
    let fen = "4k3/8/8/8/8/8/4P3/4K3 b - - 3 20";
    let mut from_there = Game::new(parse_fen(fen).expect("legal"));
    from_there
        .play(legal_moves(from_there.position())[0])
        .expect("legal");
    let text = PgnGame::new(from_there).to_string();
    assert!(
        text.contains("[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 3 20\"]\n"),
        "{text}"
    );
    assert!(text.contains("\n20... K"), "{text}");
    assert_eq!(format_fen(only(&text).game.start()), fen);
}

#[test]
fn wraps_lines_at_eighty_characters() {
    let mut long = Game::new(rules::start_position());
    for uci in ["g1f3", "g8f6", "f3g1", "f6g8"].iter().cycle().take(15) {
        long.play(rules::parse_uci(long.position(), uci).expect("legal"))
            .expect("legal");
    }
    let mut record = PgnGame::new(long);
    record.notes.comments = vec!["a comment of some words".to_owned(); 10];
    let text = record.to_string();
    assert!(text.lines().all(|line| line.len() <= 80), "{text}");
    assert!(
        text.lines().filter(|line| line.len() > 60).count() > 3,
        "{text}"
    );
}

#[test]
fn reads_texts_from_other_programs() {
    let text = "\u{feff}% not for us\r\n[Event \"x\"]\r\n[White \"A\\\\B \\\"C\\\"\"] [Black \
        \"D\"]\r\n\r\n{First} 1.e4 $1 e5 2. Nf3! ; the best\n% nor this 9. Zz9\n( 2. f4 exf4 (2... \
        d5 {a ) here}) 3. Nf3 ) 2... Nc6 {one} {two} 3. Bb5 ?! a6 1/2-1/2\r\n\r\n1. d4 *\n[White \
        \"unplayed\"]\n[Result \"1-0\"]\n\n1-0";
    let games = parse_pgn(text).expect("it is PGN");
    assert_eq!(games.len(), 3);
    let first = &games[0];
    assert_eq!(
        (first.tag("White"), first.tag("Black")),
        (Some("A\\B \"C\""), Some("D"))
    );
    assert_eq!(
        first.game.uci_moves().join(" "),
        "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6"
    );
    assert_eq!(
        first.notes.comments,
        ["First", "", "", "the best", "one two"]
    );
    assert_eq!(
        games
            .iter()
            .map(|game| game.result.text())
            .collect::<Vec<_>>(),
        ["1/2-1/2", "*", "1-0"]
    );
    assert!(games[2].game.moves().is_empty());
}

#[test]
fn reports_errors_with_their_lines() {
    for (text, line, part) in [
        ("1. e4\ne5 2. Qh6", 2, "Qh6 is illegal"),
        ("1. e4 xyz", 1, "\"xyz\" is not a move"),
        ("\n\n[White Ann]", 3, "is not a tag"),
        ("1. e4 $256", 1, "\"$256\" is not a glyph"),
        ("[White \"Ann", 1, "is not a tag"),
        ("1. e4 {never\nends", 1, "the comment that starts here"),
        ("1. e4\n(1. d4", 2, "the variation that starts here"),
        ("1. e4 )", 1, "unmatched ')'"),
        ("1. e4 }", 1, "unmatched '}'"),
        ("1. f3 e5 2. g4 Qh4# 3. a3", 1, "the game is over"),
        (
            "\n[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n1. e4",
            2,
            "not legal",
        ),
    ] {
        let error = parse_pgn(text).expect_err(text);
        assert!(error.to_string().contains(part), "{text:?}: {error}");
        assert!(error.line == line, "{text:?}: {error}");
    }
    let error = parse_pgn("[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n1. e4").expect_err("no kings");
    assert!(matches!(error.fault, PgnFault::Fen(issue) if issue.code() == "missing_king"));
}

/// Reads games with their variations.
pub(crate) fn read(text: &str) -> Vec<Result<PgnGame, Vec<PgnError>>> {
    PgnReader::new(text)
        .variations(ReadVariations::Keep)
        .collect()
}

/// Reads the only game in the text, with its variations.
pub(crate) fn kept(text: &str) -> PgnGame {
    let mut games = read(text);
    assert_eq!(games.len(), 1, "{text}");
    games
        .remove(0)
        .unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
}

pub(crate) fn errors(text: &str) -> Vec<PgnError> {
    read(text)
        .into_iter()
        .filter_map(Result::err)
        .flatten()
        .collect()
}

#[test]
fn keeps_variations_glyphs_and_clocks() {
    let text = "1. e4! {[%clk 0:10:00] first} (1. d4 d5 {same} (1... Nf6 $14 2. c4) 2. c4 1/2-1/2) \
        (1. c4) 1... e5 $6 $14 ({worse} 1... f6?? 2. d4) 2. Nf3 *";
    let game = kept(text);
    assert_eq!(game.game.uci_moves().join(" "), "e2e4 e7e5 g1f3");
    assert_eq!(game.notes.comments, ["", "[%clk 0:10:00] first"]);
    assert_eq!(game.notes.glyphs, [vec![1], vec![6, 14]]);
    let [queens, english, worse] = game.notes.variations.as_slice() else {
        panic!("{:?}", game.notes)
    };
    assert_eq!(
        [queens.instead_of, english.instead_of, worse.instead_of],
        [0, 0, 1]
    );
    assert_eq!(
        [queens.moves.len(), english.moves.len(), worse.moves.len()],
        [3, 1, 2]
    );
    let [indian] = queens.notes.variations.as_slice() else {
        panic!("{:?}", queens.notes)
    };
    assert_eq!(
        (indian.instead_of, &indian.notes.glyphs[..]),
        (1, &[vec![14]][..])
    );
    let written = game.to_string();
    let expected = "1. e4 $1 {[%clk 0:10:00] first} (1. d4 d5 {same} (1... Nf6 $14 2. c4) 2. c4) \
        (1.\nc4) 1... e5 $6 $14 ({worse} 1... f6 $4 2. d4) 2. Nf3 *\n";
    assert!(written.contains(expected), "{written}");
    assert_eq!(kept(&written).notes, game.notes);
    // Skipping variations does not change the game.
    let skipped = only(text);
    assert_eq!(
        (skipped.game.moves(), &skipped.notes.glyphs),
        (game.game.moves(), &game.notes.glyphs)
    );
    assert!(skipped.notes.variations.is_empty());
}

#[test]
fn removes_control_characters_from_comments() {
    let game = only("1. e4 {a ( b [ ) c\u{1b}[2J\0d} (1. d4 {( e} d5) *");
    assert_eq!(game.notes.comments[1], "a ( b [ ) c [2J d");
    assert_eq!(only(&game.to_string()).notes, game.notes);
    let varied = kept("1. e4 {( a} (1. d4 {( b} d5) *");
    assert_eq!(kept(&varied.to_string()).notes, varied.notes);
}

#[test]
fn reports_every_error_and_reads_the_other_games() {
    let text = "[White \"A\"]\n\n1. e4 Ke5 2. zz Nf3 *\n\n[White \"B\"]\n\n1. d4 d5 1-0\n\n[FEN \
        \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n1. e4 (1. q4) *\n[White B]\n1. f3 e5 2. g4 Qh4# 3. a3 a6 \
        *";
    assert_eq!(
        read(text).iter().map(Result::is_ok).collect::<Vec<_>>(),
        [false, true, false, false]
    );
    let found: Vec<_> = errors(text)
        .iter()
        .map(|error| {
            (
                error.game,
                error.line,
                error.column,
                error.ply,
                error.fault.code(),
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            (1, 3, 7, Some(2), "illegal_move"),
            (1, 3, 14, None, "illegal_move"),
            (3, 9, 1, None, "missing_king"),
            (3, 9, 1, None, "missing_king"),
            (4, 12, 1, None, "bad_pgn"),
            (4, 13, 24, Some(5), "moves_after_end"),
        ]
    );
    let shown = errors(text)[0].to_string();
    assert!(
        shown.starts_with("game 1, line 3, column 7, ply 2: Ke5 is illegal"),
        "{shown}"
    );
}

#[test]
fn keeps_reading_after_a_bad_variation() {
    let found = errors("1. e4 (1. e5 e6) e5 (1... Ke4) 2. Nf3 Nf3 *");
    let places: Vec<_> = found
        .iter()
        .map(|error| (error.column, error.ply))
        .collect();
    assert_eq!(places, [(11, Some(1)), (27, Some(2)), (39, Some(4))]);
    assert!(matches!(
        errors("(1. d4) 1. e4")[..],
        [PgnError {
            fault: PgnFault::NoMoveToVary,
            ..
        }]
    ));
}

#[test]
fn limits_variations_and_games() {
    let nested =
        |depth: usize| format!("1. e4 {} {} *", "(1. d4 ".repeat(depth), ")".repeat(depth));
    assert_eq!(errors(&nested(100)), []);
    let found = errors(&nested(101));
    assert!(
        matches!(
            found[..],
            [PgnError {
                fault: PgnFault::TooDeep { most: 100 },
                ..
            }]
        ),
        "{found:?}"
    );
    // The reader does not parse skipped text, at any depth.
    assert_eq!(only(&nested(100_000)).game.moves().len(), 1);

    let mut long = PgnReader::new("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6").max_plies(4);
    let found = long.next().expect("a game").expect_err("it is too long");
    assert!(
        matches!(
            found[..],
            [PgnError {
                ply: Some(5),
                fault: PgnFault::TooLong { most: 4 },
                ..
            }]
        ),
        "{found:?}"
    );
}

#[test]
fn reads_or_rejects_hostile_input() {
    for (text, games, wrong) in [
        ("[a \"b\"]".repeat(100_000), 1, 0),
        ("[a \"b\"]\n{".repeat(100_000), 0, 1),
        ("[a".repeat(300_000), 0, 1),
        ("(".repeat(1_000_000), 0, 2),
        ("1. e4 ) ".repeat(100_000), 0, 1000),
        ("{}".repeat(400_000), 0, 0),
        (" \n\n".to_owned(), 0, 0),
        ("$1 ".repeat(300_000), 0, 0),
        ("1".repeat(1_000_000), 0, 0),
        ("%\n".repeat(400_000), 0, 0),
        (format!("1. e4 {}", "(1. d4 d5) ".repeat(20_000)), 1, 0),
        ("1. e4 Ke5 * ".repeat(20_000), 0, 20_000),
    ] {
        let read = read(&text);
        let found: usize = read
            .iter()
            .filter_map(|game| game.as_ref().err())
            .map(Vec::len)
            .sum();
        let shown: String = text.chars().take(20).collect();
        assert_eq!(
            (read.iter().filter(|game| game.is_ok()).count(), found),
            (games, wrong),
            "{shown:?}"
        );
        assert_eq!(parse_pgn(&text).is_ok(), wrong == 0, "{shown:?}");
    }
}

/// Random comments, glyphs and variations, nested at most this deep.
fn random_notes(start: Position, moves: &[Move], depth: usize, random: &mut Rng) -> Notes {
    const WORDS: [&str; 6] = [
        "good",
        "[%clk 1:02:03]",
        "a (b) c",
        "\u{265e} is strong; $5",
        "[x \"y\"] %",
        "",
    ];
    let comments = (0..=moves.len())
        .map(|_| WORDS[random.usize(..12).min(5)].to_owned())
        .collect();
    let glyphs = moves
        .iter()
        .map(|_| (0..random.usize(..3) as u8).map(|n| n * 7 + 1).collect())
        .collect();
    let mut notes = Notes {
        comments,
        glyphs,
        variations: Vec::new(),
    };
    let mut position = start;
    for (instead_of, &chosen) in moves.iter().enumerate() {
        while depth > 0 && random.usize(..6) == 0 {
            let moves = random_game(position, 1 + random.usize(..6), random)
                .moves()
                .to_vec();
            let notes_there = random_notes(position, &moves, depth - 1, random);
            notes.variations.push(Variation {
                instead_of,
                moves,
                notes: notes_there,
            });
        }
        position = play(&position, chosen);
    }
    while notes.comments.last().is_some_and(String::is_empty) {
        notes.comments.pop();
    }
    while notes.glyphs.last().is_some_and(Vec::is_empty) {
        notes.glyphs.pop();
    }
    notes
}

#[test]
fn thousands_of_generated_games_round_trip() {
    let mut random = Rng::with_seed(7);
    let mut text = String::new();
    let mut games = Vec::new();
    for _ in 0..3000 {
        let plies = random.usize(..120);
        let mut game = PgnGame::new(random_game(rules::start_position(), plies, &mut random));
        game.tags.push((
            "Annotator".to_owned(),
            format!("\"{}\" \\", random.usize(..1000)),
        ));
        game.notes = random_notes(*game.game.start(), game.game.moves(), 3, &mut random);
        text.push_str(&game.to_string());
        games.push(game);
    }
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "lines are too long"
    );
    let read = read(&text);
    assert_eq!(read.len(), games.len());
    for (game, read) in games.iter().zip(read) {
        let read = read.unwrap_or_else(|errors| panic!("{errors:?}\n{game}"));
        assert_eq!(read.game.moves(), game.game.moves());
        assert_eq!(read.notes, game.notes, "{game}");
        assert_eq!(&read.tags[6..], &game.tags[..]);
        assert_eq!(
            (read.result, read.to_string()),
            (game.result, game.to_string())
        );
    }
}

proptest! {
    #[test]
    fn written_texts_round_trip(
        choices in proptest::collection::vec(any::<u16>(), 0..120),
        comments in proptest::collection::vec("[ -~é\n]{0,30}", 0..20),
        value in "[ -~é]{0,40}",
    ) {
        let mut played = Game::new(rules::start_position());
        for choice in choices {
            let moves = legal_moves(played.position());
            if moves.is_empty() || played.play(moves[usize::from(choice) % moves.len()]).is_err() {
                break;
            }
        }
        let mut record = PgnGame::new(played);
        record.tags.push(("Annotator".to_owned(), value));
        record.notes.comments = comments;
        record.notes.comments.truncate(record.game.moves().len() + 1);
        let read = only(&record.to_string());
        prop_assert_eq!(read.game.moves(), record.game.moves());
        prop_assert_eq!(&read.tags[6..], &record.tags[..]);
        prop_assert_eq!(read.result, record.result);
        prop_assert_eq!(read.to_string(), record.to_string());
    }

    #[test]
    fn never_panics_on_any_text(text in "[\\[\\]{}()\\\\\";%.$*0-9a-hKQRBNOx=+#!?/ \
        \n-]{0,200}") {
        for game in read(&text).into_iter().flatten() {
            let written = game.to_string();
            let again = kept(&written);
            prop_assert_eq!((again.notes, again.result), (game.notes, game.result), "{}", written);
        }
    }
}

//! PGN from programs, people and attackers, each example with its result.

use rules::{
    ImportNote, Language, NullMoves, PgnError, PgnFault, PgnReader, ReadVariations, parse_pgn,
};

use crate::pgn::{self, kept, read};

pub(crate) fn errors(text: &str) -> Vec<String> {
    pgn::errors(text)
        .iter()
        .map(|error| format!("{} {error}", error.fault.code()))
        .collect()
}

#[test]
fn finds_moves_in_any_context() {
    for (text, moves, comments) in [
        // Line endings from Unix, Windows and old Macs.
        (
            "1. e4 ; one\n1... e5 ; two\n2. Nf3",
            "e2e4 e7e5 g1f3",
            "|one|two",
        ),
        (
            "\u{feff}1. e4 ; one\r\n1... e5\r\n% not for us\r\n2. Nf3\r\n\r\n",
            "e2e4 e7e5 g1f3",
            "|one",
        ),
        ("1. e4 ; one\r1... e5\r2. Nf3\r", "e2e4 e7e5 g1f3", "|one"),
        // A comment ends at the first closing brace, and may contain opening ones.
        (
            "1. e4 {a { b ( c [d \"e\"] ; f\n% g} e5",
            "e2e4 e7e5",
            "|a { b ( c [d \"e\"] ; f % g",
        ),
        (
            "1. e4 ; a {b} c\n e5 {; d} 2. Nf3 {% e}",
            "e2e4 e7e5 g1f3",
            "|a {b) c|; d|% e",
        ),
        (
            "{\u{e9}\u{2654}\u{1f600}} 1. e4 {\0\u{7}x\u{202e}y}",
            "e2e4",
            "\u{e9}\u{2654}\u{1f600}|",
        ),
        (
            "1. e4 {[%clk 1:30:00] [%emt 0:00:05]} e5 {[%eval #-3,12][%csl Ge4,Rd5]}",
            "e2e4 e7e5",
            "|[%clk 1:30:00] [%emt 0:00:05]|[%eval #-3,12][%csl Ge4,Rd5]",
        ),
        // Numbers, dots and marks.
        ("1.e4e5", "", ""),
        ("1.e4 1...e5 2.Nf3", "e2e4 e7e5 g1f3", ""),
        ("1 e4 e5 2 Nf3", "e2e4 e7e5 g1f3", ""),
        ("1... e4 17. e5 3.... Nf3", "e2e4 e7e5 g1f3", ""),
        ("e4 $0 $1 $255 e5!? ?! Nf3!!+", "e2e4 e7e5 g1f3", ""),
        ("e4 $0 $1 $255 e5!? ?! Nf3+!!", "e2e4 e7e5 g1f3", ""),
        ("e2-e4 Ng8-f6 e4\u{2013}e5 Nf6xe4", "", ""),
        (
            "e2-e4 d7\u{2212}d5 e4xd5 Qd8xd5 Ng1-f3",
            "e2e4 d7d5 e4d5 d8d5 g1f3",
            "",
        ),
        (
            "e4 \u{265e}f6 \u{2658}\u{fe0e}c3 \u{265f}d5 \u{2659}e5",
            "e2e4 g8f6 b1c3 d7d5 e4e5",
            "",
        ),
        // Joined files keep the line ends and marks of each part.
        (
            "1. e4 e5\u{1a}\u{feff}2. Nf3\n\u{1a}\n",
            "e2e4 e7e5 g1f3",
            "",
        ),
        ("e2e4 Ng8f6 d2d3 0-0-0", "", ""),
        (
            "1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. 0-0 o-o",
            "g1f3 g8f6 g2g3 g7g6 f1g2 f8g7 e1g1 e8g8",
            "",
        ),
        ("1. g1-f3 g8-f6 2. g2-g3+ g7-g6 3. e1-g1", "", ""),
        (
            "1. g1-f3 g8-f6 2. g2-g3 a7-a5 3. f1-g2 a5-a4 4. e1-g1",
            "g1f3 g8f6 g2g3 a7a5 f1g2 a5a4 e1g1",
            "",
        ),
        (
            "1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. 0-0 O-O",
            "g1f3 g8f6 g2g3 g7g6 f1g2 f8g7 e1g1 e8g8",
            "",
        ),
        (
            "1. e4 d5 2. e5 f5 3. exf6 e.p.",
            "e2e4 d7d5 e4e5 f7f5 e5f6",
            "",
        ),
        (
            "1. e4 d5 2. e5 f5 3. exf6 ep",
            "e2e4 d7d5 e4e5 f7f5 e5f6",
            "",
        ),
        (
            "1. e4 d5 2. e5 f5 3. exf6e.p.",
            "e2e4 d7d5 e4e5 f7f5 e5f6",
            "",
        ),
        (
            "1. e4 d5 2. e5 f5 3. e5xf6ep! *",
            "e2e4 d7d5 e4e5 f7f5 e5f6",
            "",
        ),
        ("1. e4 f5 2. Qh5 + g6", "e2e4 f7f5 d1h5 g7g6", ""),
        ("1. Pe4 f5 2. Qh5 # Pg6", "e2e4 f7f5 d1h5 g7g6", ""),
        (
            "1. e4, f5 $1. 2. Qh5+, g6. 3. Nf3 , Nf6",
            "e2e4 f7f5 d1h5 g7g6 g1f3 g8f6",
            "",
        ),
    ] {
        let games = read(text);
        let game = games[0].as_ref();
        assert_eq!(games.len(), 1, "{text:?}");
        if moves.is_empty() {
            assert!(game.is_err(), "{text:?}");
            continue;
        }
        let game = game.unwrap_or_else(|errors| panic!("{text:?}: {errors:?}"));
        assert_eq!(game.game.uci_moves().join(" "), moves, "{text:?}");
        let found = game.notes.comments.join("|");
        assert!(found.starts_with(comments), "{text:?}: {found:?}");
        // Exporting a game and reading it again changes nothing.
        let again = kept(&game.to_string());
        assert_eq!(
            (again.game.moves(), &again.notes),
            (game.game.moves(), &game.notes),
            "{text:?}"
        );
    }
}

#[test]
fn reports_nested_comments_at_their_ends() {
    assert_eq!(
        errors("1. e4 {a {b} c} e5"),
        [
            "illegal_move game 1, line 1, column 14, ply 2: \"c\" is not a move in SAN, such as \
             e4, Nbd2, exd6, e8=Q+ or O-O",
            "bad_pgn game 1, line 1, column 15: unmatched '}'"
        ]
    );
}

#[test]
fn reads_results_as_people_write_them() {
    for (text, result) in [
        ("1. e4 1-0", "1-0"),
        ("1. e4 1-o", "1-0"),
        ("1. e4 O-1", "0-1"),
        ("1. e4 o-1", "0-1"),
        ("1. e4 1\u{2013}0", "1-0"),
        ("1. e4 1:0", "1-0"),
        ("1. e4 1 - 0", "1-0"),
        ("1. e4 1/2 : 1/2", "1/2-1/2"),
        ("1. e4 0 -1 ", "0-1"),
        // No blank before the result.
        ("1. Nf31-0", "1-0"),
        ("1. e41/2-1/2", "1/2-1/2"),
        ("1. e4*", "*"),
        ("1. e4 1/2", "1/2-1/2"),
        ("1. e4 \u{bd}-\u{bd}", "1/2-1/2"),
        ("1. e4 \u{bd}", "1/2-1/2"),
        ("1. e4 *", "*"),
        ("1. e4", "*"),
        // The board supplies a missing result.
        ("1. f3 e5 2. g4 Qh4#", "0-1"),
        ("1. f3 e5 2. g4 Qh4# *", "0-1"),
        // The tag applies if no result follows the moves. The board overrides the tag.
        ("[Result \"0-1\"]\n\n1. e4", "0-1"),
        ("[Result \"0-1\"]\n\n1. e4 *", "0-1"),
        ("[Result \"0-1\"]\n\n1. e4 1/2-1/2", "1/2-1/2"),
        ("[Result \"1-0\"]\n\n1. f3 e5 2. g4 Qh4#", "0-1"),
        ("[Result \"1-0, on time\"]\n\n1. e4", "*"),
    ] {
        let game = kept(text);
        assert_eq!(
            (game.result.text(), game.game.moves().is_empty()),
            (result, false),
            "{text}"
        );
    }
    // Castling is not a result.
    assert_eq!(errors("1. e4 O-O").len(), 1);
    assert!(errors("1. e4 1-1")[0].contains("is not a move"));
}

#[test]
fn reports_null_moves_and_skips_them_in_variations() {
    for null in ["--", "Z0", "<>", "null", "@@@@", "0000"] {
        let text = format!("1. e4 (1. d4 {null} 2. c4 {null} (2. zz)) e5 *");
        let found = errors(&text);
        assert_eq!(found.len(), 2, "{found:?}");
        let expected = format!(
            "illegal_move game 1, line 1, column 14, ply 2: {null} is a null move, which is not \
             legal"
        );
        assert!(found[0].starts_with(&expected), "{found:?}");
        assert!(
            found[1].contains("\"zz\" is not a move"),
            "the rest is parsed: {found:?}"
        );
        let skipped = parse_pgn(&text).expect("skipped text is not read");
        assert_eq!(skipped[0].game.uci_moves(), ["e2e4", "e7e5"]);
        assert_eq!(errors(&format!("1. e4 {null} 2. d4 *")).len(), 1, "{null}");
    }
}

#[test]
fn cuts_lines_before_null_moves() {
    let text = "1. e4 {a} (1. d4 {b} -- {c} 2. c4 $1 (2. zz) (2. c3) --) e5 (1... --) {d} 2. Z0 \
        {e} Nf6 (2. zz) $1 (( 1-0\n\n[White \"A\"]\n\n1. c4 *";
    let games: Vec<_> = PgnReader::new(text)
        .variations(ReadVariations::Keep)
        .null_moves(NullMoves::Cut)
        .collect();
    // Skipped text is not read, but its brackets are counted.
    let [Err(unclosed), Ok(second)] = games.as_slice() else {
        panic!("{games:?}")
    };
    assert!(
        matches!(
            unclosed[..],
            [PgnError {
                fault: PgnFault::Unclosed(_),
                ..
            }]
        ),
        "{unclosed:?}"
    );
    assert_eq!((second.cut_lines, second.game.moves().len()), (0, 1));

    let text = text.replace("((", "");
    let otherwise = "1. e4 e5 ({otherwise} 1... -- 2. d4) 2. Nf3 *";
    let mut games = PgnReader::new(otherwise)
        .variations(ReadVariations::Keep)
        .null_moves(NullMoves::Cut);
    let cut = games.next().expect("a game").expect("it is cut");
    assert!(
        cut.to_string().contains("1. e4 e5 {otherwise} 2. Nf3 *"),
        "a variation has moves: {cut}"
    );

    let mut games = PgnReader::new(&text)
        .variations(ReadVariations::Keep)
        .null_moves(NullMoves::Cut);
    let first = games
        .next()
        .expect("two games")
        .unwrap_or_else(|errors| panic!("{errors:?}"));
    assert_eq!(
        (first.cut_lines, first.game.uci_moves().join(" ").as_str()),
        (3, "e2e4 e7e5")
    );
    let written = first.to_string();
    assert!(
        written.ends_with("\n\n1. e4 {a} (1. d4 {b}) 1... e5 {d} 1-0\n\n"),
        "{written}"
    );
}

#[test]
fn reads_moves_in_uci_notation() {
    let text =
        "1. e2e4 e7e5 2. g1f3! Nc6 3. f1b5 a7a6 4. b5c6+ d7c6 5. e1g1 (5. e1h1) d8d2 6. c1d2 *";
    let game = kept(text);
    assert_eq!(
        game.game.moves(),
        kept("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 dxc6 5. O-O Qxd2 6. Bxd2 *")
            .game
            .moves()
    );
    assert_eq!(game.notes.variations[0].moves, game.game.moves()[8..9]);
    let promoted = kept("[FEN \"8/P6k/8/8/8/8/8/K7 w - - 0 1\"]\n\n1. a7a8q# *");
    assert_eq!(promoted.game.uci_moves(), ["a7a8q"]);
    let found = errors("1. g1e2 e7e8q 2. e2e9 *");
    assert!(
        found[0].starts_with("illegal_move game 1, line 1, column 4, ply 1: g1e2 is illegal: "),
        "{found:?}"
    );
    assert!(
        found[1].contains("\"e2e9\" is not a move") && found.len() == 2,
        "{found:?}"
    );
}

#[test]
fn comments_between_games_belong_to_no_game() {
    let text = "{by hand}\n[White \"A\"]\n\n1. e4 *\n\n{next} ; one\n12.\n[White \"B\"]\n\n1. d4 \
        *\n\n{last}";
    let games = <[_; 2]>::try_from(parse_pgn(text).expect("it is PGN")).expect("two games");
    let names = games.each_ref().map(|game| game.tag("White"));
    assert_eq!(names, [Some("A"), Some("B")]);
    // Each comment is noted with the game before it, and the first comment with the game after it.
    assert_eq!(
        games.map(|game| game.accepted),
        [
            vec![ImportNote::StrayComment; 3],
            vec![ImportNote::StrayComment]
        ]
    );
}

#[test]
fn reads_deeply_nested_variations() {
    // Each variation replaces the move before it.
    let nested = |depth: usize| {
        (0..depth).fold("1. Nf3".to_owned(), |text, _| text + " (1. Nc3 Nf6")
            + &")".repeat(depth)
            + " 1... e5 *"
    };
    let mut notes = &kept(&nested(1)).notes.clone();
    assert_eq!(notes.variations.len(), 1);
    let text = "1. e4 ".to_owned() + &"(1. d4 ".repeat(50) + &"{deep} ) ".repeat(50) + "1... e5 *";
    let game = kept(&text);
    notes = &game.notes;
    for depth in 0..50 {
        let [variation] = notes.variations.as_slice() else {
            panic!("{depth}: {notes:?}")
        };
        assert_eq!((variation.instead_of, variation.moves.len()), (0, 1));
        notes = &variation.notes;
    }
    assert_eq!(notes.comments, ["", "deep"]);
    let again = kept(&game.to_string());
    assert_eq!(again.notes, game.notes);
}

#[test]
fn reads_castling_in_chess960() {
    // Rights by rook file and by side. The king is between a1 and c1, or on c1.
    for (fen, moves, kings) in [
        ("4k3/8/8/8/8/8/8/RKR5 w CA - 0 1", "1. O-O *", "g1"),
        ("4k3/8/8/8/8/8/8/RK5R w HA - 0 1", "1. O-O-O *", "c1"),
        ("4k3/8/8/8/8/8/8/RK5R w KQ - 0 1", "1. 0-0-0 *", "c1"),
        ("4k3/8/8/8/8/8/8/R1K4R w HA - 0 1", "1. O-O-O *", "c1"),
        ("4k3/8/8/8/8/8/8/6KR w H - 0 1", "1. O-O *", "g1"),
        ("rkr5/8/8/8/8/8/8/4K3 b ca - 0 1", "1... O-O+ *", "g8"),
    ] {
        let game = kept(&format!(
            "[Variant \"Chess960\"]\n[FEN \"{fen}\"]\n\n{moves}"
        ));
        let position = game.game.position();
        let king = position.role(ai_api::Role::King) & position.color(game.game.start().turn());
        assert_eq!(
            king.into_iter()
                .map(|square| square.to_string())
                .collect::<Vec<_>>(),
            [kings],
            "{fen} {moves}"
        );
        let text = game.to_string();
        assert!(
            text.contains("[Variant \"Chess960\"]\n[SetUp \"1\"]\n"),
            "{text}"
        );
        let again = kept(&text);
        assert_eq!(
            (again.game.start(), again.game.moves()),
            (game.game.start(), game.game.moves()),
            "{text}"
        );
    }
    assert!(
        errors("[FEN \"4k3/8/8/8/8/8/8/RKR5 w A - 0 1\"]\n\n1. O-O *")[0]
            .contains("O-O is illegal")
    );
}

#[test]
fn reads_ten_thousand_games_and_reports_bad_ones() {
    let game = |number: usize| {
        let bad = if number.is_multiple_of(100) {
            "3. Ke5"
        } else {
            "3. Bb5"
        };
        format!("[Event \"{number}\"]\n\n1. e4 e5 2. Nf3 Nc6 {bad} {{n}} (3. Bc4) a6 1/2-1/2\n\n")
    };
    let text: String = (1..=10_000).map(game).collect();
    let games = read(&text);
    assert_eq!(games.len(), 10_000);
    for (number, game) in (1..).zip(&games) {
        match game {
            Ok(game) => assert_eq!(game.tag("Event"), Some(number.to_string().as_str())),
            Err(errors) => {
                let [
                    PgnError {
                        game,
                        line,
                        ply: Some(5),
                        fault: PgnFault::San(_),
                        ..
                    },
                ] = errors.as_slice()
                else {
                    panic!("{errors:?}")
                };
                assert_eq!((*game, *line, number % 100), (number, 4 * number - 1, 0));
            }
        }
    }
    assert_eq!(games.iter().filter(|game| game.is_err()).count(), 100);
}

#[test]
fn keeps_a_megabyte_long_comment() {
    for comment in [
        "word ".repeat(200_000),
        "x".repeat(1 << 20),
        "{".repeat(1 << 20),
    ] {
        let game = kept(&format!("1. e4 {{{comment}}} e5 *"));
        assert_eq!(game.notes.comments[1].len(), comment.trim().len());
        assert_eq!(kept(&game.to_string()).notes, game.notes);
        let unclosed = errors(&format!("1. e4 {{{comment}"));
        assert_eq!(
            unclosed,
            ["bad_pgn game 1, line 1, column 7: the comment that starts here is not closed"]
        );
    }
}

#[test]
fn reads_symbols_as_glyphs() {
    let game = kept(
        "1. e4 +- e5 -+ 2. Nf3 = Nc6 \u{221e} 3. Bb5\u{b1} a6!\u{2213} 4. Ba4+/- Nf6 += 5. O-O= \
         Be7\u{2a71} 6. Re1+\u{2212} b5!? \u{25a1} 7. Bb3 \u{21c6} *",
    );
    assert_eq!(game.game.moves().len(), 13);
    let glyphs: Vec<&[u8]> = game.notes.glyphs.iter().map(Vec::as_slice).collect();
    let expected: [&[u8]; 13] = [
        &[18],
        &[19],
        &[10],
        &[13],
        &[16],
        &[1, 17],
        &[16],
        &[14],
        &[10],
        &[15],
        &[18],
        &[5, 7],
        &[132],
    ];
    assert_eq!(glyphs, expected);
    assert_eq!(kept(&game.to_string()).notes, game.notes);
    assert_eq!(
        kept("1. e4!!! e5!?! 2. Nf3\u{203c} *").notes.glyphs,
        [vec![3, 1], vec![5, 1], vec![3]]
    );
    // A check sign is not an evaluation.
    assert_eq!(kept("1. e4 f5 2. Qh5+- g6 *").notes.glyphs[2], [18]);
    assert_eq!(kept("1. e4 f5 2. Qh5++= g6 *").notes.glyphs[2], [14]);
}

#[test]
fn glyphs_before_the_first_move_belong_to_that_move() {
    let game = kept("$10 1. e4 \\$2 e5 ($142 1... c5 $1 2. Nf3) *");
    assert_eq!(game.notes.glyphs, [vec![10, 2]]);
    assert_eq!(game.notes.variations[0].notes.glyphs, [vec![142, 1]]);
    assert_eq!(kept(&game.to_string()).notes, game.notes);
}

#[test]
fn comments_after_the_result_belong_to_the_last_move() {
    let games =
        read("1. e4 e5 1-0 {White won} ; on time\n\n[White \"B\"]\n\n1. d4 * {a}\n{of none}\n");
    let comments: Vec<_> = games
        .iter()
        .map(|game| game.as_ref().unwrap().notes.comments.concat())
        .collect();
    assert_eq!(comments, ["White won on time", "a"]);
}

#[test]
fn notes_contradictory_results() {
    for (text, result, notes) in [
        ("[Result \"1-0\"]\n\n1. e4 0-1", "0-1", 1),
        ("[Result \"1-0\"]\n\n1. f3 e5 2. g4 Qh4#", "0-1", 1),
        ("[Result \"1-0\"]\n\n1. e4 1-0", "1-0", 0),
        ("[Result \"*\"]\n\n1. e4 1-0", "1-0", 0),
        // The players continued, so the rule does not determine the result.
        (
            "[FEN \"4k3/8/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. Ke2 *",
            "*",
            0,
        ),
    ] {
        let game = kept(text);
        let found = game
            .accepted
            .iter()
            .filter(|note| **note == ImportNote::OtherResult)
            .count();
        assert_eq!((game.result.text(), found), (result, notes), "{text}");
    }
}

#[test]
fn names_the_language_of_piece_letters() {
    let german = "1. e4 e5 2. Sf3 Sc6 3. Lb5 a6 4. Lxc6 dxc6 5. O-O Dd4 *";
    let found = errors(german);
    assert!(
        found[0].starts_with(
            "illegal_move game 1, line 1, column 13, ply 3: \"Sf3\" is not a move in the chosen \
             language, but is one in Danish (da), German (de), Norwegian (nb), Polish (pl), \
             Swedish (sv); choose"
        ),
        "{found:?}"
    );
    for (language, text, moves) in [
        (
            Language::German,
            german,
            "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5c6 d7c6 e1g1 d8d4",
        ),
        (
            Language::French,
            "1. Cf3 Cf6 2. Tg1 Tg8 3. e4 Cxe4",
            "g1f3 g8f6 h1g1 h8g8 e2e4 f6e4",
        ),
        (
            Language::Russian,
            "1. e4 e5 2. \u{424}h5 \u{41a}\u{440}e7",
            "e2e4 e7e5 d1h5 e8e7",
        ),
        (
            Language::Czech,
            "1. Jf3 Jf6 2. e4 g6 3. Sb5 Sg7 4. 0-0 O-O",
            "g1f3 g8f6 e2e4 g7g6 f1b5 f8g7 e1g1 e8g8",
        ),
        (
            Language::German,
            "[FEN \"8/P6k/8/8/8/8/8/K7 w - - 0 1\"]\n\n1. a8=D",
            "a7a8q",
        ),
        (
            Language::German,
            "[FEN \"8/P6k/8/8/8/8/8/K7 w - - 0 1\"]\n\n1. a7-a8S!",
            "a7a8n",
        ),
    ] {
        let read = PgnReader::new(text)
            .language(language)
            .next()
            .expect("a game");
        let game = read.unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
        assert_eq!(game.game.uci_moves().join(" "), moves);
    }
    let english = PgnReader::new("1. Nf3 Ng7")
        .language(Language::German)
        .next()
        .expect("a game");
    let found = english.expect_err("N is not a piece letter in German");
    assert!(
        found[0]
            .to_string()
            .contains("is not a move in the chosen language, but is one in English (en)"),
        "{found:?}"
    );
    assert_eq!(found.len(), 2);
    // The error doesn't name a language if the text isn't a move in any.
    assert!(errors("1. e4 Xf6")[0].contains("\"Xf6\" is not a move in SAN"));
}

#[test]
fn games_continue_after_a_draw_by_todays_rules() {
    let text = "[FEN \"8/8/4k3/8/8/4K3/8/R7 w - - 148 160\"]\n\n160. Ra2 Kd5 161. Ra3 (161. Kd3) \
        Kc4 1/2-1/2";
    let game = kept(text);
    assert_eq!(game.game.uci_moves(), ["a1a2", "e6d5", "a2a3", "d5c4"]);
    assert_eq!(game.game.drawn_at().map(|drawn| drawn.ply), Some(2));
    assert_eq!(game.accepted, [ImportNote::WentOnAfterDraw]);
    assert_eq!(kept(&game.to_string()).game.moves(), game.game.moves());
    assert!(errors("1. f3 e5 2. g4 Qh4# 3. a3 *")[0].contains("Black gave checkmate"));
}

//! PGN: what is written is read again, what others write is understood, and what is wrong is named with its line.

use proptest::prelude::*;
use rules::{Game, PgnFault, PgnGame, PgnResult, format_fen, legal_moves, parse_fen, parse_pgn};

fn game(moves: &str) -> Game {
    Game::from_moves(None, &moves.split_whitespace().collect::<Vec<_>>()).expect("legal moves")
}

fn only(text: &str) -> PgnGame {
    let mut games = parse_pgn(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(games.len(), 1, "{text}");
    games.remove(0)
}

#[test]
fn writes_the_export_format() {
    let mut record = PgnGame::new(game("f2f3 e7e5 g2g4 d8h4"));
    record.tags = [("Event", "a \"match\""), ("White", "Ann"), ("Termination", "normal")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec();
    record.comments = ["", "", "+0.34/5 {0.1 s}"].map(str::to_owned).to_vec();
    let expected = "[Event \"a \\\"match\\\"\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"Ann\"]\n\
        [Black \"?\"]\n[Result \"0-1\"]\n[Termination \"normal\"]\n\n\
        1. f3 e5 {+0.34/5 {0.1 s)} 2. g4 Qh4# 0-1\n\n";
    assert_eq!(record.to_string(), expected);
}

#[test]
fn writes_the_first_position_where_it_is_not_the_start() {
    let fen = "4k3/8/8/8/8/8/4P3/4K3 b - - 3 20";
    let mut from_there = Game::new(parse_fen(fen).expect("legal"));
    from_there.play(legal_moves(from_there.position())[0]).expect("legal");
    let text = PgnGame::new(from_there).to_string();
    assert!(text.contains("[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 3 20\"]\n"), "{text}");
    assert!(text.contains("\n20... K"), "{text}");
    assert_eq!(format_fen(only(&text).game.start()), fen);
}

#[test]
fn lines_have_eighty_characters_at_most() {
    let mut long = Game::new(rules::start_position());
    for uci in ["g1f3", "g8f6", "f3g1", "f6g8"].iter().cycle().take(15) {
        long.play(rules::parse_uci(long.position(), uci).expect("legal")).expect("legal");
    }
    let mut record = PgnGame::new(long);
    record.comments = vec!["a comment of some words".to_owned(); 10];
    let text = record.to_string();
    assert!(text.lines().all(|line| line.len() <= 80), "{text}");
    assert!(text.lines().filter(|line| line.len() > 60).count() > 3, "{text}");
}

#[test]
fn reads_what_others_write() {
    let text = "\u{feff}% not for us\r\n[Event \"x\"]\r\n[White \"A\\\\B \\\"C\\\"\"] [Black \"D\"]\r\n\r\n\
        {First} 1.e4 $1 e5 2. Nf3! ; the best\n\
        % nor this 9. Zz9\n\
        ( 2. f4 exf4 (2... d5 {a ) here}) 3. Nf3 ) 2... Nc6 {one} {two} 3. Bb5 ?! a6 1/2-1/2\r\n\r\n\
        1. d4 *\n[White \"unplayed\"]\n[Result \"1-0\"]\n\n1-0";
    let games = parse_pgn(text).expect("it is PGN");
    assert_eq!(games.len(), 3);
    let first = &games[0];
    assert_eq!((first.tag("White"), first.tag("Black")), (Some("A\\B \"C\""), Some("D")));
    assert_eq!(first.game.uci_moves().join(" "), "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6");
    assert_eq!(first.comments, ["First", "", "", "the best", "one two"]);
    assert_eq!(games.iter().map(|game| game.result.text()).collect::<Vec<_>>(), ["1/2-1/2", "*", "1-0"]);
    assert!(games[2].game.moves().is_empty());
}

#[test]
fn a_game_without_a_result_ended_as_it_did_on_the_board() {
    assert_eq!(only("1. f3 e5 2. g4 Qh4#").result.text(), "0-1");
    assert_eq!(only("1. f3 e5 2. g4 Qh4# *").result.text(), "0-1");
    assert_eq!(only("1. f3 e5").result, PgnResult::Unknown);
    // What the players agreed upon stands.
    assert_eq!(only("1. f3 e5 1-0").result.text(), "1-0");
    assert!(parse_pgn(" \n\n").expect("nothing").is_empty());
}

#[test]
fn names_what_is_wrong_with_its_line() {
    for (text, line, part) in [
        ("1. e4\ne5 2. Qh6", 2, "Qh6 is illegal"),
        ("1. e4 xyz", 1, "\"xyz\" is no move"),
        ("\n\n[White Ann]", 3, "is no tag"),
        ("[White \"Ann", 1, "is no tag"),
        ("1. e4 {never\nends", 1, "within a comment"),
        ("1. e4 (1. d4", 1, "within a variation"),
        ("1. e4 )", 1, "')' closes nothing"),
        ("1. e4 }", 1, "'}' closes nothing"),
        ("1. f3 e5 2. g4 Qh4# 3. a3", 1, "the game is over"),
        ("[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n1. e4", 3, "not legal"),
    ] {
        let error = parse_pgn(text).expect_err(text);
        assert!(error.to_string().contains(part), "{text:?}: {error}");
        assert!(error.line == line, "{text:?}: {error}");
    }
    let error = parse_pgn("[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n1. e4").expect_err("no kings");
    assert!(
        matches!(error.fault, PgnFault::Fen(issues) if issues.iter().any(|i| i.code() == "missing_king"))
    );
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(
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
        record.comments = comments;
        record.comments.truncate(record.game.moves().len() + 1);
        let read = only(&record.to_string());
        prop_assert_eq!(read.game.moves(), record.game.moves());
        prop_assert_eq!(&read.tags[6..], &record.tags[..]);
        prop_assert_eq!(read.result, record.result);
        prop_assert_eq!(read.to_string(), record.to_string());
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "[\\[\\]{}()\\\\\";%.$*0-9a-hKQRBNOx=+#!?/ \n-]{0,200}") {
        let _ = parse_pgn(&text);
    }
}

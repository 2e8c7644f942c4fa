//! Match openings from books, files and standard input.

use std::collections::BTreeSet;

use super::{games, play, players};
use crate::{
    cli::{command, outcome},
    support::assert_has,
};

#[test]
fn games_are_tagged_with_their_openings() {
    let file = players(&[]);
    std::fs::write(
        file.folder().join("mine.pgn"),
        "[Opening \"Mine\"]\n\n1. e4 c5 *\n",
    )
    .unwrap();
    let tags = |more: &str| {
        let outcome = play(
            &file,
            &format!("full quick --games 2 --depth 1 --max-moves 4 --pgn {more}"),
        );
        assert_eq!(outcome.status, Some(0), "{}", outcome.stderr);
        let games = games(&file.folder().join(more.split(' ').next().unwrap()));
        let tag = |name: &str| games[0].tag(name).unwrap_or_default().to_owned();
        (tag("ECO"), tag("Opening"))
    };
    let (eco, name) = tags("built-in.pgn");
    assert_eq!((eco.len(), name.is_empty()), (3, false), "{eco} {name}");
    let (eco, name) = tags("named.pgn --openings mine.pgn");
    assert!(eco.starts_with('B') && name == "Mine", "{eco} {name}");
}

#[test]
fn deterministic_players_repeat_no_game_until_all_openings_are_played() {
    let file = players(&[]);
    let openings: String = ["a3", "b3", "c3", "d3", "e3"]
        .map(|first| format!("1. {first} *\n\n"))
        .concat();
    std::fs::write(file.folder().join("five.pgn"), openings).unwrap();
    let command = "full quick --games 12 --depth 1 --max-moves 6 --draw off --pgn all.pgn \
        --openings five.pgn";
    let outcome = play(&file, command);
    // Each opening is played with both colours.
    assert!(
        outcome
            .stderr
            .starts_with("note: the 5 openings give 10 different games"),
        "{}",
        outcome.stderr
    );
    let games = games(&file.folder().join("all.pgn"));
    let different: BTreeSet<_> = games
        .iter()
        .map(|game| (game.tag("White").unwrap(), game.game.uci_moves()))
        .collect();
    assert_eq!((games.len(), different.len()), (12, 10));
}

#[test]
fn plays_the_lines_of_a_polyglot_book() {
    let file = players(&[]);
    let games_of_book = "1. e4 e5 2. Nf3 Nc6 1-0\n\n1. d4 d5 2. c4 e6 1-0\n\n1. d4 Nf6 1/2-1/2\n\n";
    std::fs::write(file.folder().join("book.pgn"), games_of_book).unwrap();
    let mut command = command(&[
        "book", "make", "book.pgn", "--out", "book.bin", "--points", "1,1,1",
    ]);
    let made = outcome(
        command
            .args(["--min-games", "1"])
            .current_dir(file.folder()),
    );
    assert_eq!(made.status, Some(0), "{}", made.stderr);
    let play = |more: &str| {
        play(
            &file,
            &format!("full quick --games 6 --depth 1 --openings book.bin {more}"),
        )
    };
    let outcome = play("--max-moves 4 --pgn games.pgn --book-plies 3");
    assert_eq!(
        (outcome.status, outcome.stderr.contains("note:")),
        (Some(0), false),
        "{}",
        outcome.stderr
    );
    let games = games(&file.folder().join("games.pgn"));
    let mut openings: Vec<_> = games
        .iter()
        .step_by(2)
        .map(|game| game.game.uci_moves()[..2].join(" "))
        .collect();
    openings.sort();
    assert_eq!(openings, ["d2d4 d7d5", "d2d4 g8f6", "e2e4 e7e5"]);
    std::fs::write(file.folder().join("book.bin"), [0; 32]).unwrap();
    play("").fails_with(
        2,
        &["book.bin: the book has no move for the start position"],
    );
    std::fs::write(file.folder().join("book.bin"), [0; 33]).unwrap();
    play("").fails_with(2, &["book.bin: found 33 bytes; expected a Polyglot book"]);
}

#[test]
fn an_sprt_plays_each_opening_once_with_both_colours_by_default() {
    let file = players(&[]);
    std::fs::write(file.folder().join("two.pgn"), "1. a3 *\n\n1. b3 *\n\n").unwrap();
    let outcome = play(
        &file,
        "full quick --depth 1 --max-moves 4 --sprt 0,10 --openings two.pgn",
    );
    assert_eq!(
        (outcome.status, outcome.stderr.contains("note:")),
        (Some(4), false),
        "{}",
        outcome.stderr
    );
    assert!(
        outcome.stdout.starts_with("4 games, "),
        "{}",
        outcome.stdout
    );
    assert_has(&outcome.stdout, &["undecided"]);
    assert_has(
        &outcome.stderr,
        &[
            "; LLR ",
            " of -2.94 to 2.94 (0 to 10 Elo); ",
            " games/min, at most 0s left",
        ],
    );
}

#[test]
fn uses_openings_and_adjudication_rules() {
    let file = players(&[]);
    let pawn_up = "4k3/8/8/8/8/8/3QP3/4K3 w - - 0 1";
    std::fs::write(file.folder().join("won.epd"), pawn_up).unwrap();
    let play = |more: &str| {
        play(
            &file,
            &format!("full quick --games 2 --depth 2 --openings won.epd {more}"),
        )
    };
    let outcome = play("--pgn resign.pgn --resign 2,500");
    assert!(
        outcome.last_line().starts_with("full - quick: "),
        "{}",
        outcome.stdout
    );
    for game in games(&file.folder().join("resign.pgn")) {
        assert_eq!(rules::format_fen(game.game.start()), pawn_up);
        assert_eq!(
            (game.tag("Termination"), game.result.text()),
            (Some("adjudication"), "1-0")
        );
        assert_eq!(game.game.moves().len(), 4);
    }
    let on = play("--pgn on.pgn --resign off --draw off");
    assert_eq!(on.status, Some(0), "{}", on.stderr);
    assert!(
        games(&file.folder().join("on.pgn"))
            .iter()
            .all(|game| game.game.moves().len() > 4)
    );
}

#[test]
fn openings_continue_after_a_draw_by_todays_rules() {
    let file = players(&[]);
    let opening = "Nf3 Nf6 Ng1 Ng8 ".repeat(4) + "e4 *\n1. d4 *\n";
    std::fs::write(file.folder().join("drawn.pgn"), opening).unwrap();
    let outcome = play(
        &file,
        "full quick --games 2 --depth 1 --max-moves 12 --openings drawn.pgn --pgn on.pgn --seed 0",
    );
    assert_eq!(outcome.status, Some(0), "{}", outcome.stderr);
    let note = "drawn.pgn: opening 1 was drawn by fivefold repetition after ply 16 but continues\n";
    assert!(outcome.stderr.contains(note), "{}", outcome.stderr);
}

#[test]
fn reads_openings_from_standard_input() {
    let file = players(&[]);
    let mut run = command(&[
        "match",
        "full",
        "quick",
        "--games",
        "2",
        "--depth",
        "1",
        "--openings",
        "-",
    ]);
    run.args(["--pgn", "games.pgn", "--max-moves", "3", "--config"])
        .arg(file.path());
    run.current_dir(file.folder()).write_stdin("1. e2e4 e5 *\n");
    let outcome = outcome(&mut run);
    assert_eq!(outcome.status, Some(0), "{}", outcome.stderr);
    for game in games(&file.folder().join("games.pgn")) {
        assert_eq!(game.game.uci_moves()[..2], ["e2e4", "e7e5"]);
    }
}

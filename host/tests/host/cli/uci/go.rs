//! `go`, `stop` and `ponderhit`.

use super::{Engine, word_after};
use crate::support::assert_has;

#[test]
fn a_search_with_any_limit_returns_one_legal_move() {
    let mut engine = Engine::of("ai_basic1");
    for limit in [
        "depth 3",
        "nodes 2000",
        "movetime 30",
        "wtime 1000 btime 1000 winc 100 binc 100",
        "wtime 5000 btime 5000 movestogo 10",
        "wtime -20 btime -20",
        "mate 1",
        "depth 40 movetime 20",
        "",
    ] {
        engine.send(&format!("position startpos moves e2e4 e7e5\ngo {limit}"));
        let lines = engine.until("bestmove");
        let info = &lines[lines.len() - 2];
        assert_has(
            info,
            &[
                "info depth ",
                " score cp ",
                " nodes ",
                " nps ",
                " time ",
                " pv ",
            ],
        );
        assert_eq!(
            engine.reply(""),
            Vec::<String>::new(),
            "{limit}: nothing follows the answer"
        );
    }
}

#[test]
fn scores_are_from_the_side_to_move() {
    let mut engine = Engine::of("ai_basic1");
    engine.send("position fen 6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1\ngo depth 3");
    assert!(engine.until("bestmove a1a8")[0].contains(" score mate 1 "));
    engine.send("position fen 6k1/5ppp/8/8/8/8/8/R5K1 b - - 0 1\ngo depth 1");
    assert!(engine.until("bestmove")[0].contains(" score cp -"));
}

#[test]
fn go_infinite_answers_only_after_stop() {
    let mut engine = Engine::of("ai_basic1");
    // The engine finds the mate immediately and withholds it.
    engine.send("position fen 6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1\ngo infinite");
    let mut printed = engine.until("info depth 1");
    printed.extend(engine.reply(""));
    assert!(
        !printed.iter().any(|line| line.starts_with("bestmove")),
        "{printed:#?}"
    );
    engine.send("stop");
    assert_eq!(engine.until("bestmove").last().unwrap(), "bestmove a1a8");
    engine.send("position startpos\ngo infinite");
    engine.until("info depth 3");
    assert!(engine.best_move("stop").starts_with("bestmove "));
    // A second stop has no effect.
    assert!(engine.reply("stop").is_empty());
}

#[test]
fn searchmoves_restricts_the_search() {
    let mut engine = Engine::of("ai_basic1");
    // The moves exclude the mate on a8.
    let position = "position fen 6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1";
    for limit in [
        "depth 3",
        "nodes 3000",
        "movetime 100",
        "wtime 2000 btime 2000",
    ] {
        engine.send(&format!("{position}\ngo {limit} searchmoves a1a2 a1a7"));
        let lines = engine.until("bestmove");
        let best = lines.last().unwrap();
        assert!(
            best.starts_with("bestmove a1a2") || best.starts_with("bestmove a1a7"),
            "{limit}: {lines:?}"
        );
        assert!(
            lines.iter().any(|line| line.contains(" pv a1a")),
            "{limit}: {lines:?}"
        );
    }
    engine.send(&format!("{position}\ngo searchmoves a1a2 a1a8 depth 2"));
    let lines = engine.until("bestmove");
    assert_eq!(lines.last().unwrap(), "bestmove a1a8");
    assert!(
        lines.iter().any(|line| line.contains("score mate 1 ")),
        "{lines:?}"
    );
    // An infinite search deepens until it is stopped.
    engine.send(&format!("{position}\ngo infinite searchmoves g1f1 g1f2"));
    engine.until("info depth 3");
    let best = engine.best_move("stop");
    assert!(
        best.starts_with("bestmove g1f1") || best.starts_with("bestmove g1f2"),
        "{best}"
    );
    // Illegal moves are ignored.
    assert_eq!(
        engine.best_move(&format!("{position}\ngo depth 2 searchmoves a1h8 e2e4")),
        "bestmove a1a8"
    );
}

#[test]
fn multipv_prints_lines_best_first() {
    let mut engine = Engine::of("ai_basic1");
    engine.send("setoption name MultiPV value 3\nposition startpos moves e2e4\ngo depth 3");
    let printed = engine.until("bestmove");
    let of_depth_3: Vec<_> = printed
        .iter()
        .filter(|line| line.starts_with("info depth 3 "))
        .collect();
    let lines = &of_depth_3[..3];
    let numbers: Vec<_> = lines
        .iter()
        .map(|line| word_after(line, " multipv "))
        .collect();
    assert_eq!(numbers, ["1", "2", "3"], "{printed:#?}");
    let scores: Vec<i32> = lines
        .iter()
        .map(|line| word_after(line, " score cp ").parse().unwrap())
        .collect();
    assert!(
        scores.is_sorted_by(|better, worse| better >= worse),
        "{scores:?}"
    );
    let mut moves: Vec<_> = lines.iter().map(|line| word_after(line, " pv ")).collect();
    assert_eq!(
        printed.last().unwrap().split(' ').nth(1),
        Some(moves[0].as_str())
    );
    moves.sort();
    moves.dedup();
    assert_eq!(moves.len(), 3);
    // Back to one line.
    engine.send("setoption name MultiPV value 1\ngo depth 2");
    assert!(
        engine
            .until("bestmove")
            .iter()
            .all(|line| !line.contains("multipv"))
    );
}

#[test]
fn ponderhit_starts_the_clock() {
    let mut engine = Engine::of("ai_basic1");
    engine
        .send("position startpos moves e2e4 e7e5\ngo ponder wtime 1000 btime 1000 winc 10 binc 10");
    engine.until("info depth 5");
    assert!(engine.best_move("ponderhit").starts_with("bestmove "));
    // The opponent played a different move.
    engine.send("go ponder wtime 1000 btime 1000");
    engine.until("info depth 5");
    assert!(engine.best_move("stop").starts_with("bestmove "));
    // An early result is withheld until `ponderhit`.
    let printed = engine.reply("go ponder depth 1");
    assert!(
        !printed.iter().any(|line| line.starts_with("bestmove")),
        "{printed:#?}"
    );
    assert!(engine.best_move("ponderhit").starts_with("bestmove "));
    assert!(engine.reply("").is_empty());
}

#[test]
fn passes_ponderhit_to_a_pondering_ai() {
    let mut engine = Engine::of("pondering");
    let moves = rules::legal_moves(&rules::start_position());
    let (first, last) = (moves[0], moves[moves.len() - 1]);
    engine.send("go ponder movetime 60000");
    engine.until("info depth 1");
    assert_eq!(engine.best_move("ponderhit"), format!("bestmove {last}"));
    // The opponent played a different move.
    engine.send("go ponder wtime 60000 btime 60000");
    engine.until("info depth 1");
    assert_eq!(engine.best_move("stop"), format!("bestmove {first}"));
    // The ponder hit arrives before the search starts.
    let best = engine.best_move("go ponder movetime 60000\nponderhit");
    assert!(
        [first, last]
            .iter()
            .any(|chosen| best == format!("bestmove {chosen}")),
        "{best}"
    );
    assert_eq!(
        engine.best_move("go movetime 60000"),
        format!("bestmove {first}")
    );
}

#[test]
fn answers_each_go_of_a_burst() {
    let mut engine = Engine::of("ai_basic1");
    engine.send("go infinite\ngo infinite\nposition startpos moves e2e4\ngo depth 2\nquit");
    let answers = engine
        .close()
        .iter()
        .filter(|line| line.starts_with("bestmove "))
        .count();
    assert_eq!(answers, 3);
}

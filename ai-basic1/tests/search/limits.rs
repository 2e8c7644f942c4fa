//! Tests depth, node and time limits, and stop requests.

use std::time::{Duration, Instant};

use ai_api::{Evaluator, Flag, Host, Limits, Position, Score, SearchResult};
use ai_basic1::Evaluation;

use crate::{
    Case, GUARDED_PAWN, MIDDLEGAME, START, best_move, new_search, positions::varied, run,
    search_with_reports,
};

const MATE_IN_TWO: &str = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1";

/// Checks that the best move and its line can be played.
fn assert_playable(case: &Case, result: &SearchResult) {
    assert_eq!(
        result.pv.first(),
        result.best_move.as_ref(),
        "{}",
        case.name
    );
    assert!(!result.pv.is_empty());
    let mut position = case.position;
    for &chosen in &result.pv {
        assert!(
            rules::is_legal(&position, chosen),
            "{}: {chosen} of {:?}",
            case.name,
            result.pv
        );
        position = rules::play(&position, chosen);
    }
}

#[test]
fn completes_the_requested_depth() {
    for fen in [START, MIDDLEGAME, MATE_IN_TWO] {
        let case = Case::of(fen);
        for depth in 0..=5 {
            let result = run(&mut new_search(true), &case, Limits::depth(depth));
            assert_eq!(result.depth, depth, "{fen}");
            assert_playable(&case, &result);
        }
    }
}

#[test]
fn stops_at_the_maximum_depth() {
    // Two kings and a pawn with a high half-move clock: the tree is small even at 128 plies.
    let case = Case::of("k7/8/K7/P7/8/8/8/8 b - - 99 80");
    let result = run(&mut new_search(true), &case, Limits::depth(u32::MAX));
    assert_eq!(result.depth, ai_search::MAX_DEPTH);
    assert_playable(&case, &result);
}

#[test]
fn never_visits_more_nodes_than_allowed() {
    for fen in [START, MIDDLEGAME, MATE_IN_TWO] {
        let case = Case::of(fen);
        for quiescence in [false, true] {
            let mut search = new_search(quiescence);
            for nodes in (0..200).chain([999, 5_000, 54_321]) {
                let result = run(&mut search, &case, Limits::nodes(nodes));
                assert!(result.nodes <= nodes, "{} of {nodes}", result.nodes);
                assert_playable(&case, &result);
                if fen != MATE_IN_TWO {
                    assert_eq!(result.nodes, nodes, "the limit is used up");
                }
            }
        }
    }
}

#[test]
fn stops_before_its_limit_once_a_mate_is_proven() {
    let case = Case::of(MATE_IN_TWO);
    for limit in [Limits::nodes(u64::MAX), Limits::movetime_ms(60_000)] {
        let result = run(&mut new_search(true), &case, limit);
        assert_eq!(result.score, Score::mate_in_plies(3));
        assert_eq!(result.depth, 3);
    }
}

/// An evaluator that takes time for every position, and may set the stop flag at one of them.
struct Slow<'a> {
    each: Duration,
    stop: &'a Flag,
    stop_at: u64,
    calls: u64,
    /// When it was first called, which is later than the start of the search.
    began: Option<Instant>,
    movetime: Duration,
    /// The number of calls after the search's deadline.
    late_calls: u64,
}

impl<'a> Slow<'a> {
    const fn stopping_at(stop: &'a Flag, stop_at: u64) -> Self {
        let (each, movetime) = (Duration::ZERO, Duration::MAX);
        Self {
            each,
            stop,
            stop_at,
            calls: 0,
            began: None,
            movetime,
            late_calls: 0,
        }
    }
}

impl Evaluator for Slow<'_> {
    fn evaluate(&mut self, position: &Position, host: &Host<'_>) -> Score {
        let start = Instant::now();
        let began = *self.began.get_or_insert(start);
        self.late_calls += u64::from(start - began >= self.movetime);
        while start.elapsed() < self.each {
            std::hint::spin_loop();
        }
        self.calls += 1;
        if self.calls == self.stop_at {
            self.stop.set(true);
        }
        Evaluation::default().evaluate(position, host)
    }
}

#[test]
fn keeps_within_its_time_limit() {
    let case = Case::of(MIDDLEGAME);
    let mut search = new_search(true);
    // Counts calls rather than time: a busy machine may suspend the search for any length of time.
    for (each_us, most_late_calls) in [(0, 64), (10, 64), (2_000, 10)] {
        for movetime_ms in [0, 1, 7, 50, 200] {
            let stop = Flag::new(false);
            let (each, movetime) = (
                Duration::from_micros(each_us),
                Duration::from_millis(movetime_ms),
            );
            let mut evaluator = Slow {
                each,
                movetime,
                ..Slow::stopping_at(&stop, u64::MAX)
            };
            let request = case.request(Limits::movetime_ms(movetime_ms));
            let start = Instant::now();
            let (_, result) = search_with_reports(&mut search, &mut evaluator, &request, &stop);
            let (elapsed, late_calls) = (start.elapsed(), evaluator.late_calls);
            assert_playable(&case, &result);
            assert!(elapsed >= movetime, "{elapsed:?} of {movetime_ms} ms used");
            assert!(
                late_calls <= most_late_calls,
                "{late_calls} calls of {each_us} µs after {movetime_ms} ms"
            );
        }
    }
}

#[test]
fn returns_at_once_after_a_stop() {
    let case = Case::of(MIDDLEGAME);
    let limit = Limits::depth(60);
    let mut search = new_search(true);
    for stop_at in [1, 2, 50, 1_000, 20_000] {
        let stop = Flag::new(false);
        let mut evaluator = Slow::stopping_at(&stop, stop_at);
        let (_, result) =
            search_with_reports(&mut search, &mut evaluator, &case.request(limit), &stop);
        assert!(
            evaluator.calls <= stop_at + 1,
            "{} calls after the stop",
            evaluator.calls - stop_at
        );
        assert_playable(&case, &result);
    }
}

#[test]
fn returns_a_legal_move_with_zero_nodes() {
    let case = Case::of(START);
    let stop = Flag::new(true);
    let mut evaluator = Slow::stopping_at(&stop, u64::MAX);
    let request = case.request(Limits::depth(5));
    let (reports, result) =
        search_with_reports(&mut new_search(true), &mut evaluator, &request, &stop);
    assert_eq!(
        (reports.len(), evaluator.calls, result.depth, result.nodes),
        (0, 0, 0, 0)
    );
    assert_playable(&case, &result);
}

#[test]
fn returns_no_move_after_the_end_of_the_game() {
    for (fen, score) in [
        ("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", Score::MAX),
        ("8/8/8/8/8/6k1/6q1/6K1 w - - 0 1", Score::MIN),
        ("k7/2Q5/8/8/8/8/8/7K b - - 0 1", Score::DRAW),
    ] {
        let result = run(&mut new_search(true), &Case::of(fen), Limits::depth(3));
        assert_eq!(
            (result.best_move, result.score, result.pv.len()),
            (None, score, 0),
            "{fen}"
        );
    }
}

#[test]
fn reports_each_iteration_and_returns_the_last() {
    let stop = Flag::new(false);
    for case in varied(2) {
        let request = case.request(Limits::depth(4));
        let (reports, result) = search_with_reports(
            &mut new_search(true),
            &mut Evaluation::default(),
            &request,
            &stop,
        );
        let depths: Vec<u32> = reports.iter().map(|report| report.0).collect();
        assert_eq!(depths, [1, 2, 3, 4], "{}", case.name);
        assert!(
            reports.is_sorted_by_key(|report| report.2),
            "nodes never decrease"
        );
        assert_eq!(
            reports.last(),
            Some(&(4, result.score, result.nodes, result.pv.clone()))
        );
        assert_playable(&case, &result);
    }
}

#[test]
fn an_unfinished_iteration_never_worsens_the_result() {
    // At depth 1 the queen takes a guarded pawn. A completed depth 2 corrects this.
    let case = Case::of(GUARDED_PAWN);
    for nodes in 1..3_000 {
        let result = run(&mut new_search(false), &case, Limits::nodes(nodes));
        if result.depth >= 2 {
            assert_ne!(best_move(&result), "d2d5", "{nodes} nodes");
        }
    }
}

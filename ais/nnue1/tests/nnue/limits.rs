//! Depth, node and time limits, stops and pondering.

use std::time::{Duration, Instant};

use ai_api::{Clocks, Limits, OptionValue, SearchRequest, harness::Timing};

use crate::{
    ENDING, MIDDLEGAME, START, TACTICAL, ai, assert_playable, fen, request, search, setting,
    with_options,
};

#[test]
fn completes_the_requested_depth() {
    let mut ai = ai();
    for text in [START, MIDDLEGAME, ENDING] {
        for depth in 1..=7 {
            assert_eq!(
                search(&mut ai, text, Limits::depth(depth)).result.depth,
                depth,
                "{text}"
            );
        }
    }
}

#[test]
fn stops_at_the_maximum_depth() {
    let found = search(
        &mut ai(),
        "k7/8/K7/P7/8/8/8/8 b - - 97 80",
        Limits::depth(u32::MAX),
    );
    assert_eq!(found.result.depth, ai_search::MAX_DEPTH);
}

#[test]
fn never_visits_more_nodes_than_allowed() {
    let threads = setting("threads", OptionValue::Integer(3));
    for mut ai in [ai(), with_options(&[threads])] {
        for text in [START, TACTICAL, ENDING] {
            for nodes in (1..40).chain([999, 5_000, 30_000]) {
                let found = search(&mut ai, text, Limits::nodes(nodes));
                assert!(
                    found.result.nodes <= nodes,
                    "{} of {nodes}",
                    found.result.nodes
                );
            }
        }
    }
}

#[test]
fn one_thread_uses_all_nodes() {
    for nodes in [1, 2, 77, 10_000] {
        assert_eq!(
            search(&mut ai(), START, Limits::nodes(nodes)).result.nodes,
            nodes
        );
    }
}

#[test]
fn a_stopped_search_returns_a_complete_line() {
    let mut ai = ai();
    for text in [START, MIDDLEGAME, TACTICAL, ENDING] {
        for nodes in (5_000..).step_by(97).take(50) {
            ai.new_game().unwrap();
            let line = search(&mut ai, text, Limits::nodes(nodes)).result.pv;
            assert!(line.len() >= 4, "{text}, {nodes} nodes: {line:?}");
        }
    }
}

/// Returns how long a search takes, and checks that its line can be played.
fn time_of(asked: &SearchRequest<'_>, timing: Timing) -> Duration {
    let mut ai = ai();
    let begin = Instant::now();
    let found = ai.request(asked, timing).unwrap();
    let elapsed = begin.elapsed();
    assert_playable(&asked.position, &found);
    elapsed
}

#[test]
fn uses_the_full_move_time() {
    let asked = SearchRequest::new(fen(MIDDLEGAME), Limits::movetime_ms(80));
    assert!(time_of(&asked, Timing::default()) >= Duration::from_millis(80));
}

#[test]
fn a_stop_ends_a_search_without_limits() {
    for after_ms in [0, 1, 50] {
        let timing = Timing {
            stop_after: Some(Duration::from_millis(after_ms)),
            ..Timing::default()
        };
        time_of(
            &SearchRequest::new(fen(TACTICAL), Limits::depth(200)),
            timing,
        );
    }
}

#[test]
fn the_time_begins_after_pondering() {
    let timing = Timing {
        ponder_for: Some(Duration::from_millis(100)),
        ..Timing::default()
    };
    let asked = SearchRequest::new(fen(TACTICAL), Limits::movetime_ms(1));
    assert!(time_of(&asked, timing) >= Duration::from_millis(100));
}

#[test]
fn plays_the_only_move_at_once_on_a_clock() {
    const HOUR_MS: u64 = 3_600_000;
    let limits = Limits {
        soft_ms: Some(HOUR_MS),
        hard_ms: Some(HOUR_MS),
        ..Limits::NONE
    };
    let clocks = Clocks {
        remaining_ms: [10 * HOUR_MS; 2],
        ..Clocks::default()
    };
    let position = fen("7k/8/8/8/8/8/1r6/K7 w - - 0 1");
    let asked = SearchRequest {
        clocks: Some(clocks),
        ..SearchRequest::new(position, limits)
    };
    assert_eq!(request(&mut ai(), &asked).best_move.to_string(), "a1b2");
}

#[test]
fn equal_requests_after_new_game_have_equal_results() {
    let mut used = ai();
    for limits in [Limits::depth(6), Limits::nodes(20_000)] {
        for text in [START, TACTICAL, ENDING, MIDDLEGAME] {
            let mut fresh = ai();
            let first =
                [text, MIDDLEGAME, text].map(|text| search(&mut fresh, text, limits).result);
            used.new_game().unwrap();
            let again = [text, MIDDLEGAME, text].map(|text| search(&mut used, text, limits).result);
            assert_eq!(again, first, "{text}");
            search(&mut used, MIDDLEGAME, Limits::movetime_ms(20));
        }
    }
}

#[test]
fn a_game_reuses_earlier_results() {
    let mut ai = ai();
    let [first, again] = [(); 2].map(|()| search(&mut ai, MIDDLEGAME, Limits::depth(9)).result);
    assert!(
        again.nodes < first.nodes / 2,
        "{} nodes, then {}",
        first.nodes,
        again.nodes
    );
}

//! Level, depth, nodes, time and stop requests.

use std::time::{Duration, Instant};

use ai_api::{
    Ai, Flag, Host, Limits, OptionKind, SearchInfo, SearchRequest, SearchResult, Searcher,
};
use ai_huo1::{Huo1, MAX_LEVEL};

use crate::{
    MIDDLEGAME, POSITIONS, START, at_depth, at_level, level_of, of_level, position, request,
    result, with_host,
};

#[test]
fn the_level_is_the_depth() {
    for level in 1..=4 {
        let request = SearchRequest::new(position(START), Limits::nodes(u64::MAX));
        assert_eq!(i64::from(at_level(level, &request).depth), level);
    }
}

#[test]
fn the_level_is_an_option_with_bounds() {
    let declared = Huo1::options();
    let bounds = OptionKind::Integer {
        min: 1,
        max: MAX_LEVEL.into(),
    };
    assert_eq!(
        (declared.len(), declared[0].name.as_str(), &declared[0].kind),
        (2, "level", &bounds)
    );
    let is_created = |level| with_host(|host| Huo1::create(&level_of(level), host).is_ok());
    assert!((1..=i64::from(MAX_LEVEL)).all(is_created));
}

#[test]
fn a_requested_depth_overrides_the_level() {
    for fen in POSITIONS {
        for depth in 0..=3 {
            assert_eq!(at_level(1, &request(fen, depth)).depth, depth, "{fen}");
        }
    }
}

fn assert_playable(fen: &str, result: &SearchResult) {
    let mut position = position(fen);
    assert_eq!(result.pv.first(), result.best_move.as_ref(), "{fen}");
    for &chosen in &result.pv {
        assert!(
            rules::is_legal(&position, chosen),
            "{fen}: {chosen} of {:?}",
            result.pv
        );
        position = rules::play(&position, chosen);
    }
}

#[test]
fn never_visits_more_nodes_than_allowed() {
    for fen in POSITIONS {
        for nodes in [0, 1, 2, 30, 500, 4000] {
            let result = result(&SearchRequest::new(position(fen), Limits::nodes(nodes)));
            assert!(result.nodes <= nodes, "{} of {nodes}", result.nodes);
            assert_playable(fen, &result);
        }
    }
}

#[test]
fn equal_requests_have_equal_results() {
    let mut huo = of_level(3);
    for limit in [Limits::depth(3), Limits::nodes(2000)] {
        for fen in POSITIONS {
            let request = SearchRequest::new(position(fen), limit);
            let again = with_host(|host| huo.search(&request, host).unwrap());
            assert_eq!(again, result(&request), "{fen}");
        }
    }
}

#[test]
fn stops_when_the_time_is_up() {
    let request = SearchRequest::new(position(MIDDLEGAME), Limits::movetime_ms(30));
    let began = Instant::now();
    let result = at_level(MAX_LEVEL.into(), &request);
    assert!(
        began.elapsed() < Duration::from_secs(20),
        "level 6 takes far longer"
    );
    assert!(result.depth < MAX_LEVEL);
    assert_playable(MIDDLEGAME, &result);
}

#[test]
fn stops_when_the_host_requests_it() {
    let stop = Flag::new(false);
    let reporter = |report: &SearchInfo<'_>| stop.set(report.depth >= 2);
    let host = Host::new(&rules::RULES, &stop, &reporter);
    let result = of_level(3).search(&request(MIDDLEGAME, 60), &host).unwrap();
    assert_eq!(result.depth, 2);
    assert_playable(MIDDLEGAME, &result);
}

#[test]
fn time_starts_when_pondering_ends() {
    let (stop, pondering) = (Flag::new(false), Flag::new(true));
    let reporter = |_: &SearchInfo<'_>| {};
    let host = Host::new(&rules::RULES, &stop, &reporter).with_pondering(&pondering);
    let request = SearchRequest::new(position(START), Limits::movetime_ms(1));
    // Depth 3 takes longer than a millisecond, but the time does not start while the AI ponders.
    let result = of_level(3).search(&request, &host).unwrap();
    assert_eq!(result.depth, 3);
}

#[test]
fn each_iteration_is_reported() {
    let stop = Flag::new(false);
    let reports = std::cell::RefCell::new(Vec::new());
    let reporter =
        |report: &SearchInfo<'_>| reports.borrow_mut().push((report.depth, report.score));
    let host = Host::new(&rules::RULES, &stop, &reporter);
    let result = of_level(3).search(&request(MIDDLEGAME, 3), &host).unwrap();
    let reports = reports.into_inner();
    assert_eq!(
        reports.iter().map(|&(depth, _)| depth).collect::<Vec<_>>(),
        [1, 2, 3]
    );
    assert_eq!(reports[2].1, at_depth(MIDDLEGAME, 3).score);
    assert_eq!(reports[2].1, result.score);
}

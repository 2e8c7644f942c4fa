//! Level, depth, nodes, time and the host's wish to stop.

use std::time::{Duration, Instant};

use ai_api::{Ai, Flag, Host, Limits, OptionKind, SearchInfo, SearchRequest, SearchResult, Searcher};
use ai_huo1::{Huo1, MAX_LEVEL};

use crate::{MIDDLEGAME, POSITIONS, START, answer, at_depth, level_of, of_level, position, with_host};

#[test]
fn the_level_is_the_search_depth() {
    for level in 1..=4 {
        let question = SearchRequest::new(position(START), Limits::nodes(u64::MAX));
        let answer = with_host(|host| of_level(level).search(&question, host).unwrap());
        assert_eq!(i64::from(answer.depth), level);
    }
}

#[test]
fn the_level_is_an_option_with_bounds() {
    let declared = Huo1::options();
    let bounds = OptionKind::Integer { min: 1, max: MAX_LEVEL.into() };
    assert_eq!((declared.len(), declared[0].name.as_str(), &declared[0].kind), (1, "level", &bounds));
    let is_created = |level| with_host(|host| Huo1::create(&level_of(level), host).is_ok());
    assert!((1..=i64::from(MAX_LEVEL)).all(is_created));
}

#[test]
fn a_depth_limit_overrides_the_level() {
    for fen in POSITIONS {
        for depth in 0..=3 {
            let question = SearchRequest::new(position(fen), Limits::depth(depth));
            let answer = with_host(|host| of_level(1).search(&question, host).unwrap());
            assert_eq!(answer.depth, depth, "{fen}");
        }
    }
}

fn assert_playable(fen: &str, answer: &SearchResult) {
    let mut position = position(fen);
    assert_eq!(answer.pv.first(), answer.best_move.as_ref(), "{fen}");
    for &chosen in &answer.pv {
        assert!(rules::is_legal(&position, chosen), "{fen}: {chosen} of {:?}", answer.pv);
        position = rules::play(&position, chosen);
    }
}

#[test]
fn never_exceeds_the_node_limit() {
    for fen in POSITIONS {
        for nodes in [0, 1, 2, 30, 500, 4000] {
            let answer = answer(&SearchRequest::new(position(fen), Limits::nodes(nodes)));
            assert!(answer.nodes <= nodes, "{} of {nodes}", answer.nodes);
            assert_playable(fen, &answer);
        }
    }
}

#[test]
fn repeats_its_result() {
    let mut huo = of_level(3);
    for limit in [Limits::depth(3), Limits::nodes(2000)] {
        for fen in POSITIONS {
            let question = SearchRequest::new(position(fen), limit);
            let again = with_host(|host| huo.search(&question, host).unwrap());
            assert_eq!(again, answer(&question), "{fen}");
        }
    }
}

#[test]
fn stops_at_the_time_limit() {
    let question = SearchRequest::new(position(MIDDLEGAME), Limits::movetime_ms(30));
    let began = Instant::now();
    let answer = with_host(|host| of_level(i64::from(MAX_LEVEL)).search(&question, host).unwrap());
    assert!(began.elapsed() < Duration::from_secs(20), "level 6 takes far longer");
    assert!(answer.depth < MAX_LEVEL);
    assert_playable(MIDDLEGAME, &answer);
}

#[test]
fn stops_on_request() {
    let stop = Flag::new(false);
    let reporter = |report: &SearchInfo<'_>| stop.set(report.depth >= 2);
    let host = Host::new(&rules::RULES, &stop, &reporter);
    let question = SearchRequest::new(position(MIDDLEGAME), Limits::depth(60));
    let answer = of_level(3).search(&question, &host).unwrap();
    assert_eq!(answer.depth, 2);
    assert_playable(MIDDLEGAME, &answer);
}

#[test]
fn the_time_starts_at_the_ponder_hit() {
    let (stop, pondering) = (Flag::new(false), Flag::new(true));
    let reporter = |_: &SearchInfo<'_>| {};
    let host = Host::new(&rules::RULES, &stop, &reporter).with_pondering(&pondering);
    let question = SearchRequest::new(position(START), Limits::movetime_ms(1));
    // Looking three plies ahead takes longer than a millisecond, which does not begin.
    let answer = of_level(3).search(&question, &host).unwrap();
    assert_eq!(answer.depth, 3);
}

#[test]
fn reports_each_iteration() {
    let stop = Flag::new(false);
    let reports = std::cell::RefCell::new(Vec::new());
    let reporter = |report: &SearchInfo<'_>| reports.borrow_mut().push((report.depth, report.score));
    let host = Host::new(&rules::RULES, &stop, &reporter);
    let question = SearchRequest::new(position(MIDDLEGAME), Limits::depth(3));
    let answer = of_level(3).search(&question, &host).unwrap();
    let reports = reports.into_inner();
    assert_eq!(reports.iter().map(|&(depth, _)| depth).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(reports[2].1, at_depth(MIDDLEGAME, 3).score);
    assert_eq!(reports[2].1, answer.score);
}

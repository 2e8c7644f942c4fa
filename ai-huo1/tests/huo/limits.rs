//! Level, depth, nodes, time and the host's wish to stop.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use ai_api::{Ai, Answer, Host, Limit, OptionKind, Question, Report, Searcher};
use ai_huo1::{Huo1, MAX_LEVEL};

use crate::{MIDDLEGAME, POSITIONS, START, answer, at_depth, level_of, of_level, position, with_host};

#[test]
fn the_level_is_how_far_it_looks_ahead() {
    for level in 1..=4 {
        let question = Question::new(position(START), Limit::Nodes(u64::MAX));
        let answer = with_host(|host| of_level(level).search(&question, host).unwrap());
        assert_eq!(i64::from(answer.depth), level);
    }
}

#[test]
fn the_level_is_an_option_with_bounds() {
    let declared = Huo1::options();
    let bounds = OptionKind::Integer { min: 1, max: MAX_LEVEL.into() };
    assert_eq!((declared.len(), declared[0].name.as_str(), &declared[0].kind), (1, "level", &bounds));
    assert!((1..=i64::from(MAX_LEVEL)).all(|level| Huo1::create(&level_of(level)).is_ok()));
}

#[test]
fn a_depth_that_is_asked_for_is_searched_whatever_the_level() {
    for fen in POSITIONS {
        for depth in 0..=3 {
            let question = Question::new(position(fen), Limit::Depth(depth));
            let answer = with_host(|host| of_level(1).search(&question, host).unwrap());
            assert_eq!(answer.depth, depth, "{fen}");
        }
    }
}

fn assert_playable(fen: &str, answer: &Answer) {
    let mut position = position(fen);
    assert_eq!(answer.line.first(), answer.best_move.as_ref(), "{fen}");
    for &chosen in &answer.line {
        assert!(rules::is_legal(&position, chosen), "{fen}: {chosen} of {:?}", answer.line);
        position = rules::play(&position, chosen);
    }
}

#[test]
fn never_looks_at_more_positions_than_allowed() {
    for fen in POSITIONS {
        for nodes in [0, 1, 2, 30, 500, 4000] {
            let answer = answer(&Question::new(position(fen), Limit::Nodes(nodes)));
            assert!(answer.nodes <= nodes, "{} of {nodes}", answer.nodes);
            assert_playable(fen, &answer);
        }
    }
}

#[test]
fn an_answer_is_the_same_every_time() {
    let mut huo = of_level(3);
    for limit in [Limit::Depth(3), Limit::Nodes(2000)] {
        for fen in POSITIONS {
            let question = Question::new(position(fen), limit);
            let again = with_host(|host| huo.search(&question, host).unwrap());
            assert_eq!(again, answer(&question), "{fen}");
        }
    }
}

#[test]
fn stops_when_the_time_is_up() {
    let question = Question::new(position(MIDDLEGAME), Limit::MovetimeMs(30));
    let began = Instant::now();
    let answer = with_host(|host| of_level(i64::from(MAX_LEVEL)).search(&question, host).unwrap());
    assert!(began.elapsed() < Duration::from_secs(20), "level 6 takes far longer");
    assert!(answer.depth < MAX_LEVEL);
    assert_playable(MIDDLEGAME, &answer);
}

#[test]
fn stops_when_the_host_says_so() {
    let stop = AtomicBool::new(false);
    let reporter = |report: &Report<'_>| stop.store(report.depth >= 2, Ordering::Relaxed);
    let host = Host::new(&rules::SERVICES, &stop, &reporter);
    let question = Question::new(position(MIDDLEGAME), Limit::Depth(60));
    let answer = of_level(3).search(&question, &host).unwrap();
    assert_eq!(answer.depth, 2);
    assert_playable(MIDDLEGAME, &answer);
}

#[test]
fn its_time_begins_when_the_opponent_has_moved() {
    let (stop, pondering) = (AtomicBool::new(false), AtomicBool::new(true));
    let reporter = |_: &Report<'_>| {};
    let host = Host::new(&rules::SERVICES, &stop, &reporter).with_pondering(&pondering);
    let question = Question::new(position(START), Limit::MovetimeMs(1));
    // Looking three plies ahead takes longer than a millisecond, which does not begin.
    let answer = of_level(3).search(&question, &host).unwrap();
    assert_eq!(answer.depth, 3);
}

#[test]
fn each_iteration_is_reported() {
    let stop = AtomicBool::new(false);
    let reports = std::cell::RefCell::new(Vec::new());
    let reporter = |report: &Report<'_>| reports.borrow_mut().push((report.depth, report.score));
    let host = Host::new(&rules::SERVICES, &stop, &reporter);
    let question = Question::new(position(MIDDLEGAME), Limit::Depth(3));
    let answer = of_level(3).search(&question, &host).unwrap();
    let reports = reports.into_inner();
    assert_eq!(reports.iter().map(|&(depth, _)| depth).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(reports[2].1, at_depth(MIDDLEGAME, 3).score);
    assert_eq!(reports[2].1, answer.score);
}

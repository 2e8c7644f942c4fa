//! Tests of the lists of games.

use std::collections::BTreeSet;

use ai_api::Color;
use tournament::GameResult;

use super::{
    super::games::MAX_PAIRINGS,
    sample::{open, pair, players, random_pair},
};
use crate::{
    finished::{GameFault, GameSummary, StoredGame},
    player::{NewPlayer, PlayerId},
    store::{FaultFilter, GameFilter, GamePage, PlayerFilter},
};

/// Returns every combination of filters on these players.
fn filters(players: [PlayerId; 3]) -> Vec<GameFilter> {
    let [one, two, three] = players;
    let players = [
        PlayerFilter::Any,
        PlayerFilter::Player(one),
        PlayerFilter::Player(three),
        PlayerFilter::Pairing(one, two),
        PlayerFilter::Pairing(two, one),
    ];
    let results = [
        None,
        Some(GameResult::Win),
        Some(GameResult::Draw),
        Some(GameResult::Loss),
    ];
    let one_and_two = BTreeSet::from([(one, two), (two, one)]);
    let many = (100..=100 + MAX_PAIRINGS as i64).map(|id| (PlayerId(id), one));
    let visible = [
        None,
        Some(one_and_two.clone()),
        Some(one_and_two.into_iter().chain(many).collect()),
        Some(BTreeSet::new()),
    ];
    let mut filters = Vec::new();
    for player in players {
        for result in results {
            for fault in [None, Some(FaultFilter::Any), Some(FaultFilter::Player(two))] {
                for opening in [None, Some(3), Some(99)] {
                    for visible in &visible {
                        filters.push(GameFilter {
                            players: player,
                            result,
                            fault,
                            opening,
                            match_id: None,
                            match_client: None,
                            visible: visible.clone(),
                            before: None,
                        });
                    }
                }
            }
        }
    }
    filters
}

/// Returns whether a game matches a filter, computed without the indexes.
fn matches(filter: &GameFilter, row: &StoredGame) -> bool {
    let GameSummary {
        white,
        black,
        result,
        fault,
        opening,
        ..
    } = &row.record;
    let sides = [*white, *black];
    let result_of = |player| {
        if *white == player {
            *result
        } else {
            result.reversed()
        }
    };
    let (are_players, result) = match filter.players {
        PlayerFilter::Any => (true, *result),
        PlayerFilter::Player(player) => (sides.contains(&player), result_of(player)),
        PlayerFilter::Pairing(player, other) => (
            sides.contains(&player) && sides.contains(&other),
            result_of(player),
        ),
    };
    are_players
        && filter.result.is_none_or(|wanted| wanted == result)
        && match filter.fault {
            None => true,
            Some(FaultFilter::Any) => fault.is_some(),
            Some(FaultFilter::Player(player)) => row.record.faulty_player() == Some(player),
        }
        && filter.opening.is_none_or(|wanted| *opening == Some(wanted))
        && filter
            .visible
            .as_ref()
            .is_none_or(|visible| visible.contains(&(*white, *black)))
}

#[test]
fn filters_list_the_matching_games_in_pages_newest_first() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let players = players(&store);
    let mut random = fastrand::Rng::with_seed(3);
    for number in 0..150 {
        store
            .add_pair(&random_pair(&players, &mut random, number))
            .unwrap();
    }
    let all = store
        .reader()
        .games(&GameFilter::default(), usize::MAX)
        .unwrap();
    assert_eq!(all.next, None);
    assert!(all.games.is_sorted_by(|one, next| one.id > next.id));
    for filter in filters(players) {
        let expected: Vec<_> = all
            .games
            .iter()
            .filter(|row| matches(&filter, row))
            .cloned()
            .collect();
        let (mut found, mut page_filter) = (Vec::new(), filter.clone());
        loop {
            let GamePage { games, next } = store.reader().games(&page_filter, 20).unwrap();
            assert!(games.len() <= 20);
            found.extend(games);
            page_filter.before = next;
            if next.is_none() {
                break;
            }
        }
        assert_eq!(found, expected, "{filter:?}");
    }
}

#[test]
fn the_work_for_a_page_is_limited() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let [one, two, three] = players(&store);
    for number in 0..100 {
        let opponent = if number % 33 == 0 { three } else { two };
        store.add_pair(&pair(one, opponent, number)).unwrap();
    }
    let pages = |mut filter: GameFilter, max_work| {
        let mut pages = Vec::new();
        loop {
            let page = store.reader().games_within(&filter, 50, max_work).unwrap();
            pages.push(page.games.len());
            filter.before = page.next;
            if page.next.is_none() {
                return pages;
            }
        }
    };
    // Every 33rd pair is between these players.
    let many = (100..=100 + MAX_PAIRINGS as i64).map(|id| (PlayerId(id), one));
    let visible = Some(
        [(one, three), (three, one)]
            .into_iter()
            .chain(many)
            .collect(),
    );
    let filter = GameFilter {
        visible,
        ..GameFilter::default()
    };
    // The first game of a list costs as much as a game far from the previous one.
    assert_eq!(pages(filter.clone(), 80), [2, 2, 4]);
    assert_eq!(pages(filter, 1000), [8]);
}

#[test]
fn no_filter_requires_sorting() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let mut filters = filters(players(&store));
    filters.push(GameFilter {
        match_id: Some("m".to_owned()),
        ..GameFilter::default()
    });
    let explain = |filter: &GameFilter| {
        store.reader().read(|transaction| {
            let Some(sql) = filter.sql() else {
                return Ok(Vec::new());
            };
            let mut select = transaction.prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
            let mut rows = select.raw_query();
            let mut plan = Vec::new();
            while let Some(row) = rows.next()? {
                plan.push(row.get::<_, String>("detail")?);
            }
            Ok(plan)
        })
    };
    for filter in filters {
        let plan = explain(&filter).unwrap();
        assert!(
            plan.iter().all(|step| !step.contains("TEMP B-TREE")),
            "{filter:?}: {plan:#?}"
        );
    }
}

#[test]
fn a_page_of_few_pairings_is_full_despite_other_games() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let [one, two, three] = players(&store);
    let visible = Some(BTreeSet::from([(one, three), (three, one)]));
    store.add_pair(&pair(one, three, 0)).unwrap();
    for number in 1..100 {
        store.add_pair(&pair(one, two, number)).unwrap();
    }
    store.add_pair(&pair(three, one, 100)).unwrap();
    for players in [PlayerFilter::Any, PlayerFilter::Player(one)] {
        let filter = GameFilter {
            visible: visible.clone(),
            players,
            ..GameFilter::default()
        };
        // The allowed work is not enough to read the games in between.
        let page = store.reader().games_within(&filter, 50, 4 * 40).unwrap();
        assert_eq!(
            page.games.iter().map(|game| game.id.0).collect::<Vec<_>>(),
            [202, 201, 2, 1]
        );
    }
}

#[test]
fn a_page_filtered_by_fault_or_opening_is_full_despite_other_players_games() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let [one, two, three] = players(&store);
    let [entry, fingerprint, ai, name] = ["four"; 4].map(str::to_owned);
    let four = store
        .player(&NewPlayer {
            entry,
            fingerprint,
            ai,
            name,
        })
        .unwrap()
        .id;
    let add = |white, black, number: u32| {
        let mut pair = pair(white, black, 5 * number);
        let [code, details] = ["ai_timeout", "too late"].map(str::to_owned);
        pair.first.record.fault = Some(GameFault {
            code,
            ply: 9,
            color: Color::Black,
            details,
        });
        assert_eq!(pair.first.record.opening, Some(0));
        store.add_pair(&pair).unwrap();
    };
    add(one, three, 0);
    (1..100).for_each(|number| add(two, four, number));
    add(three, one, 100);
    let visible = Some(BTreeSet::from([(one, three), (three, one)]));
    let of_visible = GameFilter {
        visible,
        ..GameFilter::default()
    };
    let faults = GameFilter {
        fault: Some(FaultFilter::Any),
        ..of_visible.clone()
    };
    let openings = GameFilter {
        opening: Some(0),
        ..of_visible
    };
    for filter in [faults, openings] {
        let page = store.reader().games_within(&filter, 50, 2 * 40).unwrap();
        assert_eq!(
            page.games.iter().map(|game| game.id.0).collect::<Vec<_>>(),
            [201, 1],
            "{filter:?}"
        );
    }
}

//! Recounts a match from its PGN with independent formulas.

use std::collections::BTreeMap;

use ai_api::Color;
use rules::{PgnGame, PgnResult};
use serde_json::Value;

use super::Finished;

impl Finished {
    /// Like [`assert_games`](Self::assert_games), but also asserts that the report contains each
    /// node's number of pairs.
    #[track_caller]
    pub(super) fn assert_counts(&self, games: usize) -> BTreeMap<String, u64> {
        let of_nodes = self.assert_games(games);
        for (node, pairs) in &of_nodes {
            assert_eq!(self.node(node)["pairs"], *pairs, "{node}");
        }
        of_nodes
    }

    /// Asserts that each game occurs once, that one node played each complete pair, and that the
    /// printed result matches the games. Returns the number of pairs that each node played.
    #[track_caller]
    pub(super) fn assert_games(&self, games: usize) -> BTreeMap<String, u64> {
        let mut numbers: Vec<_> = self.games.iter().map(number).collect();
        numbers.sort_unstable();
        if self.report["finish"] == "decided" {
            // Unplayed pairs may come before played ones.
            assert!(numbers.is_sorted_by(|one, next| one < next), "{numbers:?}");
        } else {
            let expected: Vec<_> = (1..=games).collect();
            assert_eq!(numbers, expected, "{}", self.log);
        }
        assert_eq!(
            (numbers.len(), numbers.len() % 2),
            (games, 0),
            "{numbers:?}"
        );
        let by_number: BTreeMap<_, _> =
            self.games.iter().map(|game| (number(game), game)).collect();
        let mut of_nodes = BTreeMap::<_, u64>::new();
        // The first player is White in the first game of each pair.
        let (_, first) = by_number.first_key_value().unwrap();
        let first = first.tag("White").unwrap();
        let (mut results, mut pairs) = ([0_u32; 3], [0_u32; 5]);
        for odd in numbers.into_iter().step_by(2) {
            let pair = [by_number[&odd], by_number[&(odd + 1)]];
            let [one, other] = pair.map(|game| game.tag("Node").unwrap());
            assert_eq!(one, other, "two nodes played the pair from game {odd}");
            *of_nodes.entry(one.to_owned()).or_default() += 1;
            assert_eq!(pair[0].tag("White"), pair[1].tag("Black"));
            let halves = pair.map(|game| {
                let white = match game.result {
                    PgnResult::Win(Color::White) => 2,
                    PgnResult::Win(Color::Black) => 0,
                    PgnResult::Draw => 1,
                    PgnResult::Unknown => panic!("a game without a result"),
                };
                let is_white = game.tag("White") == Some(first);
                if is_white { white } else { 2 - white }
            });
            pairs[halves[0] + halves[1]] += 1;
            for halves in halves {
                results[halves] += 1;
            }
        }
        let encounter = &self.report["encounters"][0];
        let printed = ["losses", "draws", "wins"].map(|name| encounter[name].as_u64().unwrap());
        assert_eq!(printed, results.map(u64::from));
        assert_eq!(
            encounter["pairs"],
            serde_json::to_value(pairs).unwrap(),
            "{encounter}"
        );
        let (elo, error) = elo(pairs);
        let estimate = &encounter["estimate"];
        // If one player wins every game, the report contains only a bound for the difference.
        if estimate["bound"] == "exact" {
            assert_near("elo", &estimate["elo"], elo);
            assert_near("error", &estimate["error"], error);
        } else {
            assert!(elo.is_infinite(), "{encounter}");
        }
        if let Some(test) = self.report.get("sprt") {
            let [elo0, elo1] = ["elo0", "elo1"].map(|name| test[name].as_f64().unwrap());
            assert_near("llr", &test["llr"], log_likelihood_ratio(pairs, elo0, elo1));
        }
        of_nodes
    }
}

fn number(game: &PgnGame) -> usize {
    game.tag("Round").unwrap().parse().unwrap()
}

#[track_caller]
fn assert_near(what: &str, printed: &Value, expected: f64) {
    let printed = printed.as_f64().unwrap_or(f64::INFINITY);
    // Some results have an infinite error.
    let is_near = printed.total_cmp(&expected).is_eq() || (printed - expected).abs() < 0.005;
    assert!(is_near, "{what}: printed {printed}, recounted {expected}");
}

/// Returns the difference in Elo and the half-width of its 95 % interval.
fn elo(pairs: [u32; 5]) -> (f64, f64) {
    let count: f64 = pairs.iter().map(|&pairs| f64::from(pairs)).sum();
    let moment = |power: i32| {
        let parts = (0..).zip(pairs);
        let parts = parts
            .map(|(quarters, pairs)| (f64::from(quarters) / 4.0).powi(power) * f64::from(pairs));
        parts.sum::<f64>() / count
    };
    let mean = moment(1);
    let error = ((moment(2) - mean * mean) / count).sqrt();
    let of_score = |score: f64| -400.0 * (1.0 / score - 1.0).log10();
    let margin = 1.959_963_985 * error;
    let half = (of_score(mean + margin) - of_score(mean - margin)) / 2.0;
    // If all results are equal, the error is unknown.
    (
        of_score(mean),
        if half == 0.0 { f64::INFINITY } else { half },
    )
}

/// Returns the log-likelihood ratio of both hypotheses' most likely distributions. The distribution
/// for the mean `s` gives a result `a` the share `p / (1 + x (a - s))`.
fn log_likelihood_ratio(pairs: [u32; 5], elo0: f64, elo1: f64) -> f64 {
    // Like other programs, this treats no result as impossible just because it has not occurred.
    let counts = pairs.map(|count| f64::from(count).max(1e-3));
    let results = [0.0, 0.25, 0.5, 0.75, 1.0];
    let expected = |elo: f64| 1.0 / (1.0 + 10_f64.powf(-elo / 400.0));
    let root = |mean: f64| {
        let slope = |x: f64| -> f64 {
            let parts = counts.iter().zip(results);
            let parts =
                parts.map(|(count, result)| count * (result - mean) / (1.0 + x * (result - mean)));
            parts.sum()
        };
        let (mut low, mut high) = (1.0 / (mean - 1.0) + 1e-9, 1.0 / mean - 1e-9);
        for _ in 0..100 {
            let middle = low + (high - low) / 2.0;
            *(if slope(middle) > 0.0 {
                &mut low
            } else {
                &mut high
            }) = middle;
        }
        low
    };
    let [s0, s1] = [elo0, elo1].map(expected);
    let [x0, x1] = [s0, s1].map(root);
    let parts = counts.iter().zip(results);
    let parts = parts.map(|(count, result)| {
        count * ((1.0 + x0 * (result - s0)) / (1.0 + x1 * (result - s1))).ln()
    });
    parts.sum()
}

/// A published test by the Stockfish developers, and one by fastchess.
#[test]
fn the_recount_of_a_fleet_match_is_correct() {
    for (pairs, elo0, elo1, llr) in [
        ([253, 4282, 17604, 4431, 286], -0.25, 1.25, 2.94),
        ([17, 253, 1042, 337, 39], -0.5, 1.5, 2.96),
        ([0, 1, 0, 2, 9], 0.0, 100.0, 2.96),
    ] {
        let found = log_likelihood_ratio(pairs, elo0, elo1);
        assert!((found - llr).abs() < 0.006, "{pairs:?}: {found}");
    }
    let (elo, error) = elo([1, 10, 78, 48, 13]);
    assert!((elo - 72.85).abs() < 0.006 && (error - 22.33).abs() < 0.006);
}

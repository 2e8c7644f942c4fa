//! The tallies that allow a promotion.

use std::time::Duration;

use config::section::Section as _;
use fastrand::Rng;
use rollout::{PromotionRefusal, Reason, RolloutSettings, Tallies, refusals};
use tournament::{GameResult, Hypothesis, Sprt, Tally};

fn settings() -> RolloutSettings {
    RolloutSettings::defaults()
}

/// Returns the tallies of a candidate that meets every condition.
fn good() -> Tallies {
    let mut tallies = Tallies::default();
    for side in [&mut tallies.ai, &mut tallies.candidate] {
        side.requests = 1000;
        for ms in 1..=1000 {
            side.times.add(Duration::from_millis(ms));
        }
    }
    tallies.strength.pairs = [0, 20, 300, 200, 100];
    tallies
}

#[track_caller]
fn check(tallies: &Tallies, expected: &[Reason]) {
    let found = refusals(tallies, &settings());
    let reasons: Vec<_> = found.iter().map(|refusal| refusal.reason).collect();
    let expected: Vec<_> = expected.iter().map(Reason::into_str).collect();
    assert_eq!(reasons, expected, "{found:?}");
}

#[test]
fn gives_every_reason_at_once() {
    check(&good(), &[]);
    check(
        &Tallies::default(),
        &[Reason::Requests, Reason::Time, Reason::Strength],
    );
    let mut tallies = Tallies::default();
    tallies.candidate.faults.insert("ai_crashed".to_owned(), 1);
    check(
        &tallies,
        &[
            Reason::Requests,
            Reason::Faults,
            Reason::Time,
            Reason::Strength,
        ],
    );
    assert_eq!(
        Reason::names().collect::<Vec<_>>(),
        ["requests", "faults", "time", "strength"]
    );
}

#[test]
fn counts_copied_requests() {
    let mut tallies = good();
    tallies.candidate.requests = 10;
    check(&tallies, &[Reason::Requests]);
    tallies.shadow.asked = 990;
    check(&tallies, &[]);
}

#[test]
fn ignores_faults_that_the_ai_shares() {
    let mut tallies = good();
    tallies.candidate.faults.insert("ai_timeout".to_owned(), 3);
    check(&tallies, &[Reason::Faults]);
    tallies.ai.faults.insert("ai_timeout".to_owned(), 1);
    check(&tallies, &[]);
}

#[test]
fn refuses_a_slow_tail() {
    for (slowdown, expected) in [(115, &[][..]), (130, &[Reason::Time])] {
        let mut tallies = good();
        tallies.candidate.times = rollout::Times::default();
        for ms in 1..=1000 {
            let is_tail = ms > 900;
            let percent = if is_tail { slowdown } else { 100 };
            tallies
                .candidate
                .times
                .add(Duration::from_millis(ms * percent / 100));
        }
        check(&tallies, expected);
    }
}

#[test]
fn details_contain_the_figures() {
    let mut tallies = good();
    tallies.candidate.requests = 3;
    tallies.strength = Tally::default();
    let found = refusals(&tallies, &settings());
    let refusal = |reason, detail: &str| PromotionRefusal {
        reason,
        detail: detail.to_owned(),
    };
    let expected = [
        refusal("requests", "it got 3 requests; `min_requests` is 1000"),
        refusal(
            "strength",
            "its strength is not decided: LLR 0.00 of 2.94 after 0 pairs of games",
        ),
    ];
    assert_eq!(found, expected);
}

/// Plays pairs of games with this Elo difference until the test ends.
fn pairs_until(sprt: Sprt, elo: f64, rng: &mut Rng) -> (Hypothesis, u32) {
    const DRAWS: f64 = 0.4;
    let score = 1.0 / (1.0 + 10_f64.powf(-elo / 400.0));
    let win = score - DRAWS / 2.0;
    let mut game = || match rng.f64() {
        place if place < win => GameResult::Win,
        place if place < win + DRAWS => GameResult::Draw,
        _ => GameResult::Loss,
    };
    let mut tally = Tally::default();
    for pairs in 1.. {
        let (first, second) = (game(), game());
        tally.add(first);
        tally.add(second);
        tally.add_pair(first, second);
        if let Some(accepted) = sprt.state(&tally).accepted {
            return (accepted, pairs);
        }
    }
    unreachable!("the test ends")
}

/// Simulates games, 40 % of them drawn, since real ones are too slow. Checks how often the test is
/// right, and within how many pairs 95 % of the tests end.
#[test]
fn the_strength_test_ends_within_the_stated_pairs() {
    let sprt = settings().sprt;
    let mut rng = Rng::with_seed(56);
    for (elo, right, most) in [
        (-60.0, Hypothesis::H0, 200),
        (0.0, Hypothesis::H1, 1100),
        (30.0, Hypothesis::H1, 250),
    ] {
        let runs: Vec<_> = (0..200).map(|_| pairs_until(sprt, elo, &mut rng)).collect();
        let wrong = runs
            .iter()
            .filter(|(accepted, _)| *accepted != right)
            .count();
        let mut pairs: Vec<_> = runs.iter().map(|(_, pairs)| *pairs).collect();
        pairs.sort_unstable();
        println!(
            "{elo:+} Elo: {wrong} of 200 wrong, median {}, 95 % {}",
            pairs[100], pairs[190]
        );
        assert!(wrong <= 16, "{elo}: {wrong} of 200 are wrong");
        assert!(pairs[190] <= most, "{elo}: {}", pairs[190]);
    }
}

//! Properties of the chosen pairs in simulated ladders.

use std::collections::BTreeMap;

use tournament::{Prior, Tally, posterior};

use super::*;

/// A ladder whose games are simulated.
struct Ladder {
    elos: Vec<f64>,
    candidates: Vec<PairCandidate>,
    pairings: BTreeMap<(usize, usize), Tally>,
    posterior: Posterior,
    rng: Rng,
}

impl Ladder {
    /// Creates a ladder of newcomers evenly spread over `range` Elo around 1500.
    fn new(players: u32, range: f64, seed: u64) -> Self {
        let step = range / f64::from(players - 1);
        let elos: Vec<_> = (0..players)
            .map(|player| 1500.0 - range / 2.0 + step * f64::from(player))
            .collect();
        let candidate = PairCandidate {
            availability: Availability::Available,
            games: 0,
            waited_pairs: 0,
            pair_seconds: 1.0,
        };
        let mut ladder = Self {
            candidates: vec![candidate; elos.len()],
            posterior: posterior(&[], &BTreeMap::new()),
            pairings: BTreeMap::new(),
            rng: Rng::with_seed(seed),
            elos,
        };
        ladder.fit();
        ladder
    }

    fn fit(&mut self) {
        self.posterior = posterior(&vec![Prior::Newcomer; self.elos.len()], &self.pairings);
    }

    fn next_pair(&mut self) -> Option<(usize, usize)> {
        next_pair(&self.candidates, &self.posterior, &mut self.rng)
    }

    /// Simulates game pairs and adds their results. A quarter of the games between equal players
    /// are drawn.
    fn play(&mut self, (first, second): (usize, usize), pairs: u32) {
        let score = 1.0 / (1.0 + 10_f64.powf((self.elos[second] - self.elos[first]) / 400.0));
        let draws = score.min(1.0 - score) / 2.0;
        let tally = self.pairings.entry((first, second)).or_default();
        for _ in 0..pairs {
            let results = [self.rng.f64(), self.rng.f64()].map(|random| match random {
                _ if random < draws => 1,
                _ if random < score + draws / 2.0 => 2,
                _ => 0,
            });
            for result in results {
                *[&mut tally.losses, &mut tally.draws, &mut tally.wins][result] += 1;
            }
            tally.pairs[results[0] + results[1]] += 1;
        }
        for (player, candidate) in self.candidates.iter_mut().enumerate() {
            let plays = player == first || player == second;
            candidate.games += if plays { 2 * pairs } else { 0 };
            candidate.waited_pairs = if plays { 0 } else { candidate.waited_pairs + 1 };
        }
    }

    fn squared_error(&self) -> f64 {
        let errors = self
            .elos
            .iter()
            .enumerate()
            .map(|(player, elo)| self.posterior.rating(player).elo - elo);
        errors.map(|error| error.powi(2)).sum()
    }
}

fn round_robin(players: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..players).flat_map(move |first| (first + 1..players).map(move |second| (first, second)))
}

/// Returns a ladder in which any two players have played this many game pairs.
fn played(players: u32, pairs: u32) -> Ladder {
    let mut ladder = Ladder::new(players, 1200.0, 1);
    for pairing in round_robin(players as usize) {
        ladder.play(pairing, pairs);
    }
    for candidate in &mut ladder.candidates {
        candidate.waited_pairs = 0;
    }
    ladder.fit();
    ladder
}

/// Returns the pair that is chosen most often while nothing changes.
fn usual_pair(ladder: &mut Ladder) -> (usize, usize) {
    let mut counts = BTreeMap::new();
    for _ in 0..100 {
        *counts.entry(ladder.next_pair().unwrap()).or_insert(0) += 1;
    }
    counts
        .into_iter()
        .max_by_key(|(_, count)| *count)
        .unwrap()
        .0
}

#[test]
fn needs_fewer_games_than_round_robin_for_the_same_error() {
    let (pairs, share, seeds) = (330, 0.8, 50);
    let (mut round_robins, mut chosen) = (0.0, 0.0);
    for seed in 0..seeds {
        let mut ladder = Ladder::new(12, 1200.0, seed);
        for pairing in round_robin(12) {
            ladder.play(pairing, pairs / 66);
        }
        ladder.fit();
        round_robins += ladder.squared_error();
        let mut ladder = Ladder::new(12, 1200.0, seed);
        for number in 1..=(f64::from(pairs) * share) as usize {
            let pair = ladder.next_pair().unwrap();
            ladder.play(pair, 1);
            // The arena fits the ratings after each pair. This test does so less often, because the
            // fits take most of its time.
            if number % 6 == 0 {
                ladder.fit();
            }
        }
        chosen += ladder.squared_error();
    }
    // The squared error is inversely proportional to the number of games.
    println!(
        "{:.2} of the games in a round robin",
        share * chosen / round_robins
    );
    assert!(chosen <= round_robins, "{chosen} {round_robins}");
}

#[test]
fn neighbours_play_before_strangers() {
    let ladder = played(12, 40);
    for player in 0..12_usize {
        let mut opponents: Vec<_> = (0..12).filter(|opponent| *opponent != player).collect();
        let gain = |opponent: &usize| ladder.posterior.gain(player, *opponent);
        opponents.sort_by(|left, right| gain(right).total_cmp(&gain(left)));
        let farthest = if player < 6 { 11 } else { 0 };
        assert!(
            opponents[0].abs_diff(player) <= 3 && opponents[10] == farthest,
            "{player}: {opponents:?}"
        );
    }
}

#[test]
fn newcomers_play_first() {
    let mut ladder = played(6, 40);
    ladder.elos.push(1500.0);
    ladder.candidates.push(PairCandidate {
        games: 0,
        ..ladder.candidates[0]
    });
    ladder.fit();
    assert!((0..100).all(|_| ladder.next_pair().unwrap().1 == 6));
    // A player without opponents of similar strength does not come first forever.
    ladder.candidates[6].games = NEWCOMER_GAMES;
    assert!((0..100).any(|_| ladder.next_pair().unwrap().1 != 6));
}

#[test]
fn requested_players_play_until_they_are_rated() {
    let mut ladder = Ladder::new(6, 600.0, 1);
    ladder.candidates[2].availability = Availability::Requested;
    let mut pairs = 0;
    while ladder.posterior.rating(2).error > 60.0 {
        // Otherwise an overdue player would be chosen first.
        for candidate in &mut ladder.candidates {
            candidate.waited_pairs = 0;
        }
        let (first, second) = ladder.next_pair().unwrap();
        assert!(first == 2 || second == 2, "{first} {second}");
        ladder.play((first, second), 1);
        ladder.fit();
        pairs += 1;
    }
    assert!((20..500).contains(&pairs), "{pairs}");
    assert!((0..100).any(|_| !matches!(ladder.next_pair().unwrap(), (2, _) | (_, 2))));
}

#[test]
fn short_pairs_play_before_long_ones() {
    let mut ladder = played(6, 40);
    let (first, second) = usual_pair(&mut ladder);
    ladder.candidates[first].pair_seconds = 1000.0;
    ladder.candidates[second].pair_seconds = 1000.0;
    let (third, fourth) = usual_pair(&mut ladder);
    assert!(
        ![first, second].contains(&third) && ![first, second].contains(&fourth),
        "{third} {fourth}"
    );
}

#[test]
fn a_tenth_of_the_pairs_are_random() {
    let mut ladder = played(6, 40);
    let usual = usual_pair(&mut ladder);
    let others: Vec<_> = (0..1000)
        .map(|_| ladder.next_pair().unwrap())
        .filter(|pair| *pair != usual)
        .collect();
    assert!((70..130).contains(&others.len()), "{}", others.len());
    assert!(
        round_robin(6).all(|pair| pair == usual || others.contains(&pair)),
        "{others:?}"
    );
}

#[test]
fn no_player_waits_longer_than_four_pairs_per_player() {
    let mut ladder = played(12, 40);
    // The gain alone would not choose these players.
    for slow in [0, 1, 11] {
        ladder.candidates[slow].pair_seconds = 1e9;
    }
    let mut longest = 0;
    for _ in 0..2000 {
        let pair = ladder.next_pair().unwrap();
        ladder.play(pair, 1);
        longest = ladder
            .candidates
            .iter()
            .map(|candidate| candidate.waited_pairs)
            .max()
            .unwrap()
            .max(longest);
    }
    assert!((36..48).contains(&longest), "{longest}");
}

#[test]
fn unavailable_players_do_not_play() {
    let mut ladder = Ladder::new(4, 300.0, 1);
    for absent in [3, 0] {
        ladder.candidates[absent] = PairCandidate {
            availability: Availability::Unavailable,
            waited_pairs: 1000,
            ..ladder.candidates[absent]
        };
        for _ in 0..100 {
            let (first, second) = ladder.next_pair().unwrap();
            assert!(first != absent && second != absent, "{first} {second}");
        }
    }
    ladder.candidates[1].availability = Availability::Unavailable;
    assert_eq!(ladder.next_pair(), None);
    ladder.candidates[2].availability = Availability::Unavailable;
    assert_eq!(ladder.next_pair(), None);
    assert_eq!(
        next_pair(
            &[],
            &posterior(&[], &BTreeMap::new()),
            &mut Rng::with_seed(1)
        ),
        None
    );
}

#[test]
fn a_pairing_with_a_clear_result_continues() {
    let ladder = &mut Ladder::new(2, 400.0, 1);
    ladder.play((0, 1), 100_000);
    ladder.fit();
    assert_eq!(ladder.next_pair(), Some((0, 1)));
}

#[test]
fn equal_seeds_give_equal_pairs() {
    let pairs = || {
        let mut ladder = played(6, 2);
        ladder.rng = Rng::with_seed(5);
        (0..50)
            .map(|_| ladder.next_pair().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(pairs(), pairs());
}

//! Play at a limited strength: fewer nodes, and noise in the choice among the best moves, as in
//! <https://www.chessprogramming.org/Stockfish#Strength>.

use std::ops::RangeInclusive;

use ai_api::{Limits, Move, Position, SearchRequest};
use ai_book::mixed;
use ai_search::MAX_LINES;

/// The available strengths, on the scale of CCRL Blitz.
pub const ELO: RangeInclusive<u32> = 400..=3220;

/// A limited strength of play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strength {
    /// Within [`ELO`]. A value outside its bounds becomes the nearest bound.
    pub elo: u32,
    pub seed: u64,
}

/// The limits that weaken a search to a strength.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Weakness {
    nodes: f64,
    /// The number of best root moves to choose from.
    moves: f64,
    /// The spread of the noise in centipawns.
    noise: f64,
}

const fn weakness(nodes: f64, moves: f64, noise: f64) -> Weakness {
    Weakness {
        nodes,
        moves,
        noise,
    }
}

/// The measured strengths and their weaknesses (`docs/lab/nnue1.md`). Other strengths are
/// interpolated.
const WEAKNESSES: [(u32, Weakness); 24] = [
    (400, weakness(1_000.0, 64.0, 73.0)),
    (550, weakness(1_000.0, 64.0, 62.4)),
    (680, weakness(1_000.0, 64.0, 51.8)),
    (810, weakness(1_000.0, 64.0, 41.3)),
    (960, weakness(1_000.0, 64.0, 30.7)),
    (1100, weakness(1_000.0, 64.0, 20.1)),
    (1170, weakness(1_000.0, 64.0, 9.5)),
    (1300, weakness(3_073.0, 26.0, 4.0)),
    (1380, weakness(3_997.0, 23.0, 4.0)),
    (1500, weakness(5_200.0, 21.0, 4.0)),
    (1580, weakness(7_086.0, 17.0, 4.0)),
    (1720, weakness(9_499.0, 14.0, 4.0)),
    (1780, weakness(10_999.0, 13.0, 4.0)),
    (1890, weakness(12_944.0, 11.0, 4.0)),
    (2060, weakness(17_927.0, 9.0, 4.0)),
    (2240, weakness(24_829.0, 7.0, 4.0)),
    (2380, weakness(33_784.0, 6.0, 4.0)),
    (2510, weakness(45_767.0, 5.0, 4.0)),
    (2650, weakness(62_000.0, 4.0, 4.0)),
    (2780, weakness(52_000.0, 1.0, 4.0)),
    (2910, weakness(88_000.0, 1.0, 4.0)),
    (3010, weakness(150_000.0, 1.0, 4.0)),
    (3140, weakness(300_000.0, 1.0, 4.0)),
    (3220, weakness(600_000.0, 1.0, 4.0)),
];

impl Weakness {
    fn of(elo: u32) -> Self {
        let elo = elo.clamp(*ELO.start(), *ELO.end());
        let above = WEAKNESSES.partition_point(|&(known, _)| known < elo).max(1);
        let [(low, weak), (high, strong)] = [WEAKNESSES[above - 1], WEAKNESSES[above]];
        let share = f64::from(elo - low) / f64::from(high - low);
        let between = |from: f64, to: f64| from + (to - from) * share;
        let by_factor = |from: f64, to: f64| from * (to / from).powf(share);
        Self {
            nodes: by_factor(weak.nodes, strong.nodes),
            moves: by_factor(weak.moves, strong.moves),
            noise: between(weak.noise, strong.noise),
        }
    }
}

/// Returns a random number for these bits. It is in (0, 1) to keep Gumbel variables finite.
fn uniform(bits: u64) -> f64 {
    (f64::from((mixed(bits) >> 32) as u32) + 0.5) / 2_f64.powi(32)
}

impl Strength {
    /// Returns the request limited to this strength's nodes, and with at least as many lines as it
    /// has moves to choose from. The seed varies the nodes by 5 %, because it has no other effect
    /// on a player with a single line.
    pub(super) fn weaken<'r>(&self, request: &SearchRequest<'r>) -> SearchRequest<'r> {
        const VARIATION: f64 = 0.05;
        let random = uniform(request.position.hash() ^ mixed(self.seed));
        let varied = Weakness::of(self.elo).nodes * (1.0 + VARIATION * (2.0 * random - 1.0));
        let most = varied as u64;
        let nodes = request.limits.nodes.map_or(most, |nodes| nodes.min(most));
        SearchRequest {
            limits: Limits {
                nodes: Some(nodes),
                ..request.limits
            },
            lines: request.lines.max(self.lines() as u32),
            ..*request
        }
    }

    /// The number of best moves to choose from.
    pub(super) fn lines(&self) -> usize {
        (Weakness::of(self.elo).moves.round() as usize).min(MAX_LINES as usize)
    }

    /// Returns the index of the move to play among moves with these values, the best one first. The
    /// same position and seed give the same choice. A move's noise grows with its distance from the
    /// best one, so the player does not choose only near misses.
    pub(super) fn choose(
        &self,
        position: &Position,
        moves: impl Iterator<Item = (usize, Move, i32)>,
    ) -> usize {
        const GROWTH: f64 = 1.0 / 1000.0;
        const FARTHEST: i32 = 1500;
        let noise = Weakness::of(self.elo).noise;
        let mut best = None;
        let mut chosen = (0, f64::NEG_INFINITY);
        for (place, candidate, value) in moves {
            let best = *best.get_or_insert(value);
            let distance = f64::from((best - value).min(FARTHEST));
            let random =
                uniform(position.hash() ^ mixed(self.seed ^ mixed(u64::from(candidate.to_bits()))));
            let gumbel = -(-random.ln()).ln();
            let seen = noise * (1.0 + distance * GROWTH) * gumbel - distance;
            if seen > chosen.1 {
                chosen = (place, seen);
            }
        }
        chosen.0
    }
}

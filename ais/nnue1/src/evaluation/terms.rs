//! The evaluation with hand-written terms.

use std::sync::Arc;

use ai_api::{Color, Position, Role};

use super::{
    bare_king, bishop_pair,
    evaluate::Evaluate,
    features::{COUNT, GROUPS, TEMPO, Term},
    king_attack::{self, Attackers},
    king_shield, mobility, outposts, passed_pawns, pawns, piece_squares, rooks,
    scale::{self, FULL},
    tally::{Counts, Packed, Sum, Tally},
    threats,
    view::View,
    weights::Weights,
    x_rays,
};
use crate::processor::Modern;

/// The phase of a game with all its pieces. A pawn ending has phase 0.
const MIDDLEGAME: i32 = 24;

/// The counts of a position's features, and the factors that interpolate between middlegame and
/// endgame.
#[derive(Clone, Debug)]
pub struct Trace {
    /// White's counts minus Black's.
    pub counts: Box<[i16; COUNT]>,
    /// From 0 (endgame) to 24 (middlegame).
    pub phase: i32,
    /// The factors for the endgame value if White is better and if Black is better, in 64ths.
    pub scales: [i32; 2],
}

impl Trace {
    /// Returns the value for White in centipawns with these weights.
    pub fn value(&self, weights: &Weights) -> i32 {
        let sum = |stage: usize| {
            let products = self
                .counts
                .iter()
                .zip(&weights.0)
                .map(|(&count, of)| i32::from(count) * i32::from(of[stage]));
            products.sum::<i32>()
        };
        taper(sum(0), sum(1), self.phase, self.scales)
    }
}

/// Returns the counts of all features in a position.
pub fn trace(position: &Position) -> Trace {
    let mut counts = Counts(Box::new([0; COUNT]));
    tally(position, &mut counts);
    Trace {
        counts: counts.0,
        phase: phase(position),
        scales: Color::ALL.map(|color| scale::factor(position, color)),
    }
}

/// The evaluation with hand-written terms.
#[derive(Clone, Debug)]
pub struct Terms {
    weights: Arc<[Packed; COUNT]>,
}

impl Default for Terms {
    fn default() -> Self {
        Self::new(&Weights::default(), &Term::ALL)
    }
}

impl Terms {
    /// Creates an evaluation with these weights and only these terms.
    pub fn new(weights: &Weights, terms: &[Term]) -> Self {
        let mut packed = Box::new([Packed::default(); COUNT]);
        for group in GROUPS.iter().filter(|group| terms.contains(&group.term)) {
            for index in group.start..group.end() {
                packed[index] = Packed::new(weights.0[index]);
            }
        }
        Self {
            weights: Arc::from(packed),
        }
    }

    /// Returns the value for White in centipawns.
    pub fn for_white(&self, position: &Position) -> i32 {
        let total = self.sum(position);
        let (middlegame, endgame) = (total.middlegame(), total.endgame());
        let better = if endgame >= 0 {
            Color::White
        } else {
            Color::Black
        };
        let scale = scale::factor(position, better);
        taper(middlegame, endgame, phase(position), [scale; 2])
    }

    fn sum(&self, position: &Position) -> Packed {
        match Modern::detect() {
            Some(modern) => modern.run(|| self.sum_by::<true>(position)),
            None => self.sum_by::<false>(position),
        }
    }

    #[inline]
    fn sum_by<const MODERN: bool>(&self, position: &Position) -> Packed {
        let mut sum = Sum::<MODERN>::new(&self.weights);
        tally(position, &mut sum);
        sum.total()
    }

    /// Returns each term's contribution, for White. The contributions add up to
    /// [`for_white`](Self::for_white): each is the change that its term makes to the sum of the
    /// previous terms.
    pub fn parts(&self, position: &Position) -> Vec<(Term, i32)> {
        let trace = trace(position);
        let (mut middlegame, mut endgame, mut before) = (0, 0, 0);
        let scale = trace.scales[usize::from(self.sum(position).endgame() < 0)];
        let mut parts = Vec::new();
        for term in Term::ALL {
            for group in GROUPS.iter().filter(|group| group.term == term) {
                for index in group.start..group.end() {
                    let count = i32::from(trace.counts[index]);
                    middlegame += count * self.weights[index].middlegame();
                    endgame += count * self.weights[index].endgame();
                }
            }
            let value = taper(middlegame, endgame, trace.phase, [scale; 2]);
            parts.push((term, value - before));
            before = value;
        }
        parts
    }
}

impl Evaluate for Terms {
    fn evaluate(&mut self, _: usize, position: &Position) -> i32 {
        self.for_white(position) * position.turn().sign()
    }
}

/// Counts every feature in a position.
fn tally(position: &Position, tally: &mut impl Tally) {
    let mut view = View::new(position);
    let mut attackers = Attackers::default();
    piece_squares::tally(&view, tally);
    mobility::tally(&mut view, &mut attackers, tally);
    pawns::tally(&view, tally);
    passed_pawns::tally(&view, tally);
    king_shield::tally(&view, tally);
    king_attack::tally(&view, &attackers, tally);
    bishop_pair::tally(&view, tally);
    rooks::tally(&view, tally);
    x_rays::tally(&view, tally);
    threats::tally(&view, tally);
    outposts::tally(&view, tally);
    bare_king::tally(&view, tally);
    tally.add(position.turn(), TEMPO.at(0), 1);
}

fn phase(position: &Position) -> i32 {
    let count = |role| position.role(role).count() as i32;
    let pieces =
        count(Role::Knight) + count(Role::Bishop) + 2 * count(Role::Rook) + 4 * count(Role::Queen);
    pieces.min(MIDDLEGAME)
}

/// Interpolates between middlegame and endgame.
fn taper(middlegame: i32, endgame: i32, phase: i32, scales: [i32; 2]) -> i32 {
    let endgame = endgame * scales[usize::from(endgame < 0)] / FULL;
    (middlegame * phase + endgame * (MIDDLEGAME - phase)) / MIDDLEGAME
}

//! Evaluates a search's positions with a network.

#![expect(
    clippy::inline_always,
    reason = "each processor's variant must inline the complete evaluation"
)]

use std::sync::Arc;

use ai_api::{Color, Position, Square};

use super::{Net, accumulator::Accumulator, output, view::View};
use crate::{
    evaluation::{Evaluate, Terms},
    processor::Modern,
};

/// Evaluates positions with a network. In positions with a bare king it uses the terms, which know
/// how to mate.
///
/// It keeps an accumulator for each view and ply. A position starts from the accumulator that
/// shares the most pieces with it: the previous ply's, usually its parent, or the same ply's,
/// usually a sibling.
#[derive(Clone, Debug)]
pub struct NetEvaluation {
    net: Arc<Net>,
    /// Indexed by ply and by [`Color::index`].
    accumulators: Vec<[Accumulator; 2]>,
    terms: Terms,
    processor: Option<Modern>,
}

impl NetEvaluation {
    /// Creates an evaluation with this network.
    pub fn new(net: Arc<Net>) -> Self {
        Self {
            net,
            accumulators: Vec::new(),
            terms: Terms::default(),
            processor: Modern::detect(),
        }
    }

    /// Creates an evaluation that uses only instructions that every processor has.
    #[cfg(test)]
    fn portable(net: Arc<Net>) -> Self {
        Self {
            processor: None,
            ..Self::new(net)
        }
    }

    #[inline(always)]
    fn value(&mut self, ply: usize, position: &Position) -> i32 {
        while self.accumulators.len() <= ply {
            let empty = Color::ALL
                .map(|side| Accumulator::empty(&self.net, View::new(side, Square::from_index(0))));
            self.accumulators.push(empty);
        }
        for side in Color::ALL {
            self.update(ply, side, position);
        }
        let [own, other] = [position.turn(), !position.turn()]
            .map(|side| self.accumulators[ply][side.index()].values(&self.net));
        output::centipawns(&self.net, own, other)
    }

    #[inline(always)]
    fn update(&mut self, ply: usize, side: Color, position: &Position) {
        let view = View::new(side, position.king(side));
        let side = side.index();
        let mut base = None;
        let mut fewest = position.occupied().count();
        for candidate in [ply, ply.saturating_sub(1)] {
            let changes = self.accumulators[candidate][side].distance(position, view);
            if let Some(changes) = changes.filter(|&changes| changes < fewest) {
                (base, fewest) = (Some(candidate), changes);
            }
        }
        match base {
            Some(base) if base == ply => {}
            Some(base) => {
                let base = self.accumulators[base][side].clone();
                self.accumulators[ply][side] = base;
            }
            None => self.accumulators[ply][side] = Accumulator::empty(&self.net, view),
        }
        self.accumulators[ply][side].move_to(&self.net, position);
    }
}

impl Evaluate for NetEvaluation {
    fn evaluate(&mut self, ply: usize, position: &Position) -> i32 {
        if Color::ALL
            .iter()
            .any(|&side| position.color(side).count() == 1)
        {
            return self.terms.evaluate(ply, position);
        }
        match self.processor {
            Some(modern) => modern.run(|| self.value(ply, position)),
            None => self.value(ply, position),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rules::{legal_moves, parse_fen, play};

    use super::{
        super::{
            HIDDEN_UNITS, MAX_HIDDEN_WEIGHT, MAX_OUTPUT_WEIGHT, MAX_WIDTH, OUTPUT_UNITS, SCALE,
            tests::random_net,
        },
        *,
    };

    /// Positions in which kings castle or cross to the other half of the board, and pawns promote.
    const FENS: [&str; 3] = [
        "r3k2r/pPppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/P1PBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "4k3/1P6/8/8/3K4/8/6p1/8 w - - 0 1",
    ];

    /// Visits a tree of positions as a search does.
    fn walk(position: &Position, ply: usize, visit: &mut impl FnMut(usize, &Position)) {
        visit(ply, position);
        if ply < 3 {
            for &chosen in legal_moves(position).iter().step_by(2) {
                walk(&play(position, chosen), ply + 1, visit);
            }
        }
    }

    fn walk_all(mut visit: impl FnMut(usize, &Position)) {
        for fen in FENS {
            walk(&parse_fen(fen).unwrap(), 0, &mut visit);
        }
    }

    #[test]
    fn updated_values_equal_fresh_ones() {
        let net = Arc::new(random_net(32, 1));
        let mut updated = NetEvaluation::new(Arc::clone(&net));
        let mut values = BTreeSet::new();
        walk_all(|ply, position| {
            let value = updated.evaluate(ply, position);
            assert_eq!(
                value,
                NetEvaluation::new(Arc::clone(&net)).evaluate(0, position)
            );
            values.insert(value);
        });
        assert!(values.len() > 500, "{} different values", values.len());
    }

    #[test]
    fn every_processor_computes_the_same_value() {
        for width in [16, 128, 256] {
            let net = Arc::new(random_net(width, 2));
            let mut detected = NetEvaluation::new(Arc::clone(&net));
            let mut portable = NetEvaluation::portable(net);
            walk_all(|ply, position| {
                assert_eq!(
                    detected.evaluate(ply, position),
                    portable.evaluate(ply, position)
                );
            });
        }
    }

    #[test]
    fn the_largest_weights_do_not_overflow() {
        let mut net = random_net(MAX_WIDTH, 3);
        net.hidden.fill(MAX_HIDDEN_WEIGHT);
        net.hidden_bias.fill(MAX_HIDDEN_WEIGHT);
        net.output.fill(MAX_OUTPUT_WEIGHT);
        let start = rules::start_position();
        assert_eq!(
            NetEvaluation::new(Arc::new(net.clone())).evaluate(0, &start),
            20_000
        );
        net.output.fill(-MAX_OUTPUT_WEIGHT);
        assert_eq!(
            NetEvaluation::new(Arc::new(net.clone())).evaluate(0, &start),
            -20_000
        );
        net.hidden.fill(-MAX_HIDDEN_WEIGHT);
        net.hidden_bias.fill(-MAX_HIDDEN_WEIGHT);
        net.output_bias = HIDDEN_UNITS * OUTPUT_UNITS;
        assert_eq!(NetEvaluation::new(Arc::new(net)).evaluate(0, &start), SCALE);
    }

    #[test]
    fn mirrored_positions_have_the_same_value() {
        let net = Arc::new(random_net(32, 4));
        let value =
            |fen| NetEvaluation::new(Arc::clone(&net)).evaluate(0, &parse_fen(fen).unwrap());
        let white = value("4k3/1P3n2/8/8/3K4/8/6p1/8 w - - 0 1");
        assert_eq!(white, value("8/6P1/8/3k4/8/8/1p3N2/4K3 b - - 0 1"));
        assert_eq!(white, value("3k4/2n3P1/8/8/4K3/8/1p6/8 w - - 0 1"));
        assert_ne!(white, value("4k3/1P3n2/8/8/3K4/8/6p1/8 b - - 0 1"));
    }
}

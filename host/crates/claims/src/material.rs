//! What a line wins.

use ai_api::{Color, Position, Role};
use rules::{attackers_of, worth};

use crate::{
    claim::{Claim, ClaimKind, LineVerb, Motif},
    line::{Line, can_capture},
};

/// A line must reach its gain by this position.
const LATEST: usize = 9;

/// The pieces that are counted, the most valuable first.
const COUNTED: [Role; 5] = [
    Role::Queen,
    Role::Rook,
    Role::Bishop,
    Role::Knight,
    Role::Pawn,
];

/// What the actor of a line wins permanently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gain {
    /// The quiet position that shows the gain.
    pub(crate) after: usize,
    /// The gain in pawns, more than 0.
    pub(crate) value: i32,
}

fn balance(position: &Position, side: Color) -> i32 {
    let count = |color, role| position.pieces(color, role).count() as i32;
    COUNTED
        .into_iter()
        .map(|role| worth(role) * (count(side, role) - count(!side, role)))
        .sum()
}

impl Line {
    /// Returns what a side gains between the position before the judged move and position `n`.
    fn gain(&self, n: usize, side: Color) -> i32 {
        balance(&self.positions[n], side) - balance(&self.before, side)
    }

    /// Returns the actor's balance before the judged move.
    pub(crate) fn balance_before(&self) -> i32 {
        balance(&self.before, self.actor)
    }

    /// Returns what a side has gained by the last quiet position.
    pub(crate) fn last_gain(&self, side: Color) -> Option<i32> {
        Some(self.gain(self.last_quiet()?, side))
    }

    pub(crate) fn last_quiet(&self) -> Option<usize> {
        (0..=self.len()).rev().find(|&n| self.is_quiet(n))
    }

    /// Returns what the actor gains at quiet positions and keeps until the last one, the largest
    /// gain first.
    pub(crate) fn lasting_gains(&self) -> Vec<Gain> {
        let quiet = |last: usize| (1..=last.min(self.len())).filter(|&n| self.is_quiet(n));
        let mut gains: Vec<Gain> = Vec::new();
        for after in quiet(self.len()).rev() {
            let value = self.gain(after, self.actor);
            match gains.last_mut() {
                Some(later) if value == later.value => later.after = after,
                Some(later) if value > later.value => {}
                _ => gains.push(Gain { after, value }),
            }
        }
        gains.retain(|gain| {
            gain.value > 0
                && quiet(LATEST).any(|n| self.gain(n, self.actor) >= gain.value)
                && (gain.value > 1 || !self.declines_recapture(gain.after))
        });
        gains
    }

    /// Returns whether the victim could recapture the actor's last capture, but does not.
    fn declines_recapture(&self, last: usize) -> bool {
        self.after_actor(1, last).any(|n| {
            let square = self.move_to(n).to();
            let is_answered = n < self.moves.len() && self.move_to(n + 1).to() == square;
            self.is_capture(n) && !is_answered && can_capture(&self.positions[n], square)
        })
    }

    /// Returns whether the line begins by capturing a piece for nothing.
    pub(crate) fn takes_hanging(&self, gain: Gain) -> bool {
        if self.moves.is_empty() || !self.is_capture(1) {
            return false;
        }
        let taken = self.positions[0].role_at(self.move_to(1).to());
        taken.is_some_and(|role| gain.value == worth(role))
            && !can_capture(&self.positions[1], self.move_to(1).to())
    }
}

/// Returns the claims about the material that a line wins.
pub(crate) fn material(line: &Line, gain: Gain) -> Vec<Claim> {
    let Gain { after, value } = gain;
    let claim = Claim {
        after,
        value: Some(value),
        ..line.claim(Motif::Material)
    };
    if line.verb == LineVerb::Allows && line.takes_hanging(gain) {
        let square = line.move_to(1).to();
        return vec![Claim {
            kind: ClaimKind::HangsPiece,
            piece: line.positions[0].role_at(square),
            square: Some(square),
            ..claim
        }];
    }
    let captures: Vec<_> = line
        .after_actor(1, after)
        .filter_map(|n| line.placed(n - 1, line.captured(n)?))
        .collect();
    let best = captures.iter().rev().max_by_key(|piece| worth(piece.role));
    let whole = Claim {
        piece: best.map(|piece| piece.role),
        square: best.map(|piece| piece.square),
        exchange: exchange(line, after),
        ..claim
    };
    let weakness = underdefended(line, &whole);
    [Some(whole), weakness].into_iter().flatten().collect()
}

/// Returns what the victim and the actor have lost at position `n`, after cancelling pieces that
/// both lost; `None` if a promotion gave a side more pieces of a kind than before.
fn exchange(line: &Line, n: usize) -> Option<[Vec<Role>; 2]> {
    let lost = |side: Color| {
        COUNTED.map(|role| {
            let count = |position: &Position| position.pieces(side, role).count() as i32;
            count(&line.before) - count(&line.positions[n])
        })
    };
    let mut sides = [lost(line.victim()), lost(line.actor)];
    if sides.as_flattened().iter().any(|&count| count < 0) {
        return None;
    }
    let [bishop, knight] = [2, 3];
    let pairs = (0..COUNTED.len())
        .map(|role| (role, role))
        .chain([(bishop, knight), (knight, bishop)]);
    for (victims, actors) in pairs {
        let both = sides[0][victims].min(sides[1][actors]);
        sides[0][victims] -= both;
        sides[1][actors] -= both;
    }
    Some(sides.map(|counts| {
        let repeated = |(role, count): (Role, i32)| std::iter::repeat_n(role, count as usize);
        COUNTED.into_iter().zip(counts).flat_map(repeated).collect()
    }))
}

/// Returns the claim that the piece captured by the reply is defended but has more attackers than
/// defenders.
fn underdefended(line: &Line, whole: &Claim) -> Option<Claim> {
    if line.verb != LineVerb::Allows || line.captured(1)? != line.move_to(1).to() {
        return None;
    }
    let (after_move, square) = (&line.positions[0], line.move_to(1).to());
    let [attackers, defenders] =
        [line.actor, line.victim()].map(|side| attackers_of(after_move, square)[side.index()]);
    let is_defended = !defenders.is_empty();
    (is_defended && attackers.count() > defenders.count()).then(|| Claim {
        kind: ClaimKind::Underdefended,
        piece: after_move.role_at(square),
        square: Some(square),
        attackers: attackers.into_iter().collect(),
        defenders: defenders.into_iter().collect(),
        exchange: None,
        ..whole.clone()
    })
}

//! Scores, from White's point of view in every type of the contract.

use std::{fmt, ops::Neg};

/// An evaluation: centipawns or moves until mate. **In every type of the contract, a score is from
/// White's point of view**: higher is better for White. A search may negate it internally.
///
/// Scores are ordered: being mated is worst (sooner is worse), mating is best (sooner is better).
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "layout", derive(abi_stable::StableAbi))]
#[cfg_attr(feature = "host", derive(serde::Serialize, serde::Deserialize))]
pub struct Score(i32);

/// The two kinds of [`Score`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScoreKind {
    /// Hundredths of a pawn.
    Centipawns(i32),
    /// Moves until mate, negative if Black mates. 0 means that a king is mated now.
    Mate(i32),
}

impl Score {
    const MATE: i32 = 1_000_000;
    const LONGEST_MATE_PLIES: i32 = 10_000;
    const LARGEST_CENTIPAWNS: i32 = Self::MATE - Self::LONGEST_MATE_PLIES - 1;

    /// An equal position.
    pub const DRAW: Self = Self(0);
    /// The highest score: White has mated.
    pub const MAX: Self = Self(Self::MATE);
    /// The lowest score: White is mated.
    pub const MIN: Self = Self(-Self::MATE);

    /// Marks a failed evaluation. No operation on scores returns it.
    pub(crate) const NONE: Self = Self(i32::MIN);

    /// Returns whether this marks a failed evaluation.
    #[doc(hidden)]
    #[inline]
    pub const fn is_none(self) -> bool {
        self.0 == i32::MIN
    }

    /// Creates a score in hundredths of a pawn, limited to ±989,999, which keeps it below every
    /// mate.
    #[inline]
    pub const fn centipawns(value: i32) -> Self {
        Self::limited(value, Self::LARGEST_CENTIPAWNS)
    }

    /// Creates the score for White mating in this many plies (half-moves), limited to 10,000. 1
    /// means that the next move mates.
    #[inline]
    pub const fn mate_in_plies(plies: u32) -> Self {
        Self(
            Self::MATE
                - if plies > Self::LONGEST_MATE_PLIES as u32 {
                    Self::LONGEST_MATE_PLIES
                } else {
                    plies as i32
                },
        )
    }

    /// Creates the score for White being mated in this many plies, limited to 10,000. 0 means that
    /// White is mated now.
    #[inline]
    pub const fn mated_in_plies(plies: u32) -> Self {
        Self(-Self::mate_in_plies(plies).0)
    }

    /// Returns the plies until either side mates, or `None` for centipawns.
    #[inline]
    pub const fn plies_to_mate(self) -> Option<u32> {
        let distance = Self::MATE - self.0.saturating_abs();
        if distance <= Self::LONGEST_MATE_PLIES {
            Some(if distance < 0 { 0 } else { distance as u32 })
        } else {
            None
        }
    }

    /// Returns the score as centipawns or moves until mate.
    pub const fn kind(self) -> ScoreKind {
        match self.plies_to_mate() {
            None => ScoreKind::Centipawns(self.0),
            Some(plies) if self.0 > 0 => ScoreKind::Mate(plies.div_ceil(2) as i32),
            Some(plies) => ScoreKind::Mate(-(plies.div_ceil(2) as i32)),
        }
    }

    /// Returns the score as a number. Numbers have the same order as their scores.
    #[inline]
    pub const fn value(self) -> i32 {
        self.0
    }

    /// Returns the score for a number from [`value`](Self::value).
    #[inline]
    pub const fn from_value(value: i32) -> Self {
        Self::limited(value, Self::MATE)
    }

    #[inline]
    const fn limited(value: i32, limit: i32) -> Self {
        if value > limit {
            Self(limit)
        } else if value < -limit {
            Self(-limit)
        } else {
            Self(value)
        }
    }
}

/// White's chances per mille. If they do not add up to 1000, the host treats them as unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "host", derive(serde::Serialize, serde::Deserialize))]
pub struct Wdl {
    /// White wins.
    pub win: u16,
    /// A draw.
    pub draw: u16,
    /// Black wins.
    pub loss: u16,
}

impl Wdl {
    /// Returns whether the chances add up to 1000.
    pub const fn is_whole(self) -> bool {
        self.win as u32 + self.draw as u32 + self.loss as u32 == 1000
    }

    /// Returns the same chances from Black's point of view.
    #[must_use]
    pub const fn swapped(self) -> Self {
        Self {
            win: self.loss,
            draw: self.draw,
            loss: self.win,
        }
    }
}

impl Neg for Score {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self(self.0.saturating_neg())
    }
}

impl fmt::Display for Score {
    /// Writes pawns with a sign (`+0.34`), or `#3` and `#-3` for a mate.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind() {
            ScoreKind::Centipawns(value) => write!(f, "{:+.2}", f64::from(value) / 100.0),
            ScoreKind::Mate(0) => f.write_str(if self.0 > 0 { "#0" } else { "#-0" }),
            ScoreKind::Mate(moves) => write!(f, "#{moves}"),
        }
    }
}

impl fmt::Debug for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_moves_until_mate_from_plies() {
        for (plies, moves) in [(0, 0), (1, 1), (2, 1), (3, 2), (4, 2), (5, 3)] {
            assert_eq!(
                Score::mate_in_plies(plies).kind(),
                ScoreKind::Mate(moves),
                "{plies} plies"
            );
            assert_eq!(
                Score::mated_in_plies(plies).kind(),
                ScoreKind::Mate(-moves),
                "{plies} plies"
            );
            assert_eq!(Score::mate_in_plies(plies).plies_to_mate(), Some(plies));
        }
    }

    #[test]
    fn orders_mates_before_centipawns() {
        let ordered = [
            Score::mated_in_plies(0),
            Score::mated_in_plies(4),
            Score::centipawns(i32::MIN),
            Score::centipawns(-5),
            Score::DRAW,
            Score::centipawns(i32::MAX),
            Score::mate_in_plies(u32::MAX),
            Score::mate_in_plies(3),
            Score::mate_in_plies(1),
        ];
        assert!(ordered.is_sorted());
        assert!(ordered.windows(2).all(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn reads_any_number_without_panicking() {
        for value in [i32::MIN, i32::MAX, -1_000_001, 0, 1_000_001] {
            let score = Score::from_value(value);
            let _ = (score.kind(), -score, score.to_string());
        }
    }
}

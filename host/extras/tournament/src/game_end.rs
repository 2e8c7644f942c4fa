//! How a game ended.

use std::fmt;

use ai_api::Color;
use rules::{DrawClaim, Outcome};

use crate::{adjudication::AdjudicatedResult, tally::GameResult};
use pool::Fault;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameEnd {
    /// `None` for a draw.
    pub winner: Option<Color>,
    pub reason: EndReason,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EndReason {
    Rules(Outcome),
    /// A draw that the host claims for a player.
    Claim(DrawClaim),
    Adjudicated(AdjudicatedResult),
    /// The loser's flag fell.
    Time,
    /// The loser had a fault.
    Fault(Fault),
}

impl GameEnd {
    pub fn result_for(&self, side: Color) -> GameResult {
        match self.winner {
            None => GameResult::Draw,
            Some(winner) if winner == side => GameResult::Win,
            Some(_) => GameResult::Loss,
        }
    }

    /// Returns the loser's fault.
    pub const fn fault(&self) -> Option<&Fault> {
        match &self.reason {
            EndReason::Fault(fault) => Some(fault),
            _ => None,
        }
    }

    /// Returns the value of PGN's `Termination`.
    pub const fn termination(&self) -> &'static str {
        match &self.reason {
            EndReason::Rules(_) | EndReason::Claim(_) => "normal",
            EndReason::Adjudicated(_) => "adjudication",
            EndReason::Time => "time forfeit",
            EndReason::Fault(Fault::IllegalMove(_)) => "rules infraction",
            EndReason::Fault(_) => "abandoned",
        }
    }
}

impl fmt::Display for GameEnd {
    /// Writes text such as `White loses on time`. The flag `#` adds the details of a fault.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let loser = if self.winner == Some(Color::White) {
            "Black"
        } else {
            "White"
        };
        match &self.reason {
            EndReason::Rules(outcome) => outcome.fmt(f),
            EndReason::Claim(DrawClaim::ThreefoldRepetition) => {
                f.write_str("drawn by threefold repetition")
            }
            EndReason::Claim(DrawClaim::FiftyMoves) => f.write_str("drawn by the 50-move rule"),
            EndReason::Adjudicated(AdjudicatedResult::Draw) => f.write_str("drawn by adjudication"),
            EndReason::Adjudicated(AdjudicatedResult::MaxMoves) => {
                f.write_str("drawn by adjudication: too long")
            }
            EndReason::Adjudicated(AdjudicatedResult::Tablebase(None)) => {
                f.write_str("drawn by tablebase")
            }
            EndReason::Adjudicated(AdjudicatedResult::Tablebase(Some(_))) => {
                write!(f, "{loser} loses by tablebase")
            }
            EndReason::Adjudicated(AdjudicatedResult::Win(_)) => {
                write!(f, "{loser} loses by adjudication")
            }
            EndReason::Time => write!(f, "{loser} loses on time"),
            EndReason::Fault(fault) => {
                write!(f, "{loser} loses: {}", fault.code().into_str())?;
                // Details may be for the operator only.
                if f.alternate() {
                    write!(f, ": {}", fault.in_full())
                } else {
                    Ok(())
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_loser_and_the_reason() {
        let end = |winner, reason| GameEnd { winner, reason };
        let crashed =
            EndReason::Fault(Fault::Crashed("its process was killed by signal 11".into()));
        let lost = end(Some(Color::White), crashed);
        assert_eq!(lost.to_string(), "Black loses: ai_crashed");
        assert_eq!(
            format!("{lost:#}"),
            "Black loses: ai_crashed: the AI crashed: its process was killed by signal 11"
        );
        assert_eq!(
            (lost.termination(), lost.result_for(Color::Black)),
            ("abandoned", GameResult::Loss)
        );
        let late = end(Some(Color::Black), EndReason::Time);
        assert_eq!(
            (late.to_string().as_str(), late.termination()),
            ("White loses on time", "time forfeit")
        );
        let drawn = end(None, EndReason::Claim(DrawClaim::ThreefoldRepetition));
        assert_eq!(
            (drawn.termination(), drawn.result_for(Color::White)),
            ("normal", GameResult::Draw)
        );
    }
}

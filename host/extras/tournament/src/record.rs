//! The record of a played game, from which another machine computes its result.

use std::{fmt, time::Duration};

use ai_api::Score;
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};

use crate::{game_end::EndReason, tally::GameResult};
use pool::{Fault, Stall};

/// The length of the longest move in UCI notation, such as `e7e8q`.
const MAX_UCI_BYTES: usize = 5;

/// What the players of a game did after its opening.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayRecord {
    pub moves: Vec<RecordedMove>,
    pub end: RecordedEnd,
    /// White's result, as the machine that played the game reported it.
    pub result: GameResult,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedMove {
    #[serde(deserialize_with = "short_text")]
    pub uci: String,
    /// For White, or `None` if the player gave none.
    pub score: Option<Score>,
    pub depth: u32,
    pub time_us: u64,
}

/// What happened after the last move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum RecordedEnd {
    /// The position, its history or the scores ended the game.
    Played,
    /// The flag of the side to move fell. Its move came after this time.
    Late { time_us: u64 },
    /// A fault by the side to move. Its text is sanitized when it is read.
    Fault(Fault),
}

impl RecordedEnd {
    /// Returns the fault if the machine caused it rather than a player. Such a game has no result.
    pub fn fault_of_machine(&self) -> Option<&Fault> {
        match self {
            Self::Fault(fault) if !is_of_player(fault) => Some(fault),
            _ => None,
        }
    }

    /// Records why the side to move lost, with the time until then.
    pub(crate) fn of(reason: &EndReason, time: Duration) -> Self {
        match reason {
            EndReason::Time => Self::Late {
                time_us: time.as_micros() as u64,
            },
            EndReason::Fault(fault) => Self::Fault(fault.clone()),
            EndReason::Rules(_) | EndReason::Claim(_) | EndReason::Adjudicated(_) => Self::Played,
        }
    }
}

impl fmt::Display for RecordedEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Played => f.write_str("the end of the game"),
            Self::Late { time_us } => write!(f, "a move after {} ms", time_us / 1000),
            Self::Fault(fault) => write!(f, "the fault {}", fault.code().into_str()),
        }
    }
}

fn short_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.len() > MAX_UCI_BYTES {
        return Err(D::Error::custom(format_args!(
            "a move of {} bytes; expected UCI notation, at most {MAX_UCI_BYTES} bytes",
            text.len()
        )));
    }
    Ok(text)
}

/// Returns whether a player loses because of this fault. Other faults are the machine's.
pub(crate) fn is_of_player(fault: &Fault) -> bool {
    match fault {
        Fault::Failed(_)
        | Fault::Crashed(_)
        | Fault::Killed(_)
        | Fault::OutOfMemory(_)
        | Fault::IllegalMove(_)
        | Fault::Protocol(_)
        | Fault::Stalled(
            Stall::Answer(_) | Stall::NewGame(_) | Stall::Instance(_) | Stall::Short { .. },
        )
        | Fault::Unavailable { .. } => true,
        Fault::BlockedRequest { fault, .. } => is_of_player(fault),
        Fault::Stalled(Stall::Starved(_))
        | Fault::Tablebase(_)
        | Fault::QueueFull { .. }
        | Fault::NotStarted { .. }
        | Fault::ShuttingDown(_)
        | Fault::Declined
        | Fault::Lost { .. } => false,
    }
}

//! Games that a player lost because of a fault.

use ai_api::Color;
use rules::{PgnGame, PgnResult};

use crate::lost_from_won::reason;

/// A game that a player lost because of a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostByFault {
    /// The game's number in the schedule.
    pub game: usize,
    /// The colour of the loser.
    pub color: Color,
    /// The fault's stable code.
    pub code: String,
    /// The fault's message, with the AI's last output.
    pub message: String,
}

impl LostByFault {
    /// Returns the fault that ended a game that was played here.
    pub(crate) fn find(pgn: &PgnGame) -> Option<Self> {
        let PgnResult::Win(winner) = pgn.result else {
            return None;
        };
        let code = pgn.tag("Fault")?;
        let reason = reason(pgn);
        let message = reason
            .split_once(&format!(" loses: {code}: "))
            .map_or(reason.as_str(), |(_, message)| message);
        Some(Self {
            game: pgn.tag("Round")?.parse().ok()?,
            color: !winner,
            code: code.to_owned(),
            message: message.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(fault: &str, comment: &str, result: &str) -> Option<LostByFault> {
        let text = format!("[Round \"7\"]\n{fault}\n\n1. e4 {{{comment}}} {result}\n");
        LostByFault::find(&rules::parse_pgn(&text).unwrap()[0])
    }

    #[test]
    fn keeps_brackets_and_line_breaks_of_the_last_output() {
        let found = lost(
            "[Fault \"ai_crashed\"]",
            "[%eval\n0.10,3] [%emt 0:00:00.001] Black\nloses: ai_crashed:\nthe AI crashed; it \
             printed: [E] bad [hash] entry",
            "1-0",
        );
        let expected = LostByFault {
            game: 7,
            color: Color::Black,
            code: "ai_crashed".into(),
            message: "the AI crashed; it printed: [E] bad [hash] entry".into(),
        };
        assert_eq!(found, Some(expected));
    }

    #[test]
    fn a_fallen_flag_is_not_a_fault() {
        assert_eq!(lost("", "White loses on time", "0-1"), None);
    }
}

//! What a client asks for.

use config::ClockControl;
use game::Limit;
use rules::Game;
use serde::{Deserialize, Serialize};
use tournament::{Openings, TimeControl};

use crate::play::built_in_openings;

/// A checked request for a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchRequest {
    /// AI ids with options and limits, as in `rookery match`. They differ and are not paths.
    pub players: [String; 2],
    /// At least one.
    pub games: u32,
    pub pace: Pace,
    /// The client's maxima for each search.
    pub maxima: Limit,
    /// If empty, the match uses the built-in openings.
    pub openings: Vec<MatchOpening>,
}

/// What limits the searches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pace {
    /// The limits of each move.
    Limit(Limit),
    #[serde(with = "clock_text")]
    TimeControl(ClockControl),
}

/// The start of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchOpening {
    pub fen: String,
    /// In UCI.
    pub moves: Vec<String>,
}

impl MatchRequest {
    pub(crate) fn time_control(&self) -> TimeControl {
        match &self.pace {
            Pace::Limit(limit) => TimeControl::Fixed(limit.limits()),
            Pace::TimeControl(clock) => TimeControl::Clock(*clock),
        }
    }

    /// Returns the openings, or `None` if one of them is illegal.
    pub(crate) fn openings(&self) -> Option<Openings> {
        if self.openings.is_empty() {
            return Some(built_in_openings());
        }
        let games = self
            .openings
            .iter()
            .map(|opening| Game::from_moves(Some(&opening.fen), &opening.moves));
        Openings::of_games(games.collect::<Result<_, _>>().ok()?).ok()
    }
}

impl From<&Game> for MatchOpening {
    fn from(game: &Game) -> Self {
        Self {
            fen: rules::format_fen(game.start()),
            moves: game.uci_moves(),
        }
    }
}

mod clock_text {
    use config::ClockControl;
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub(super) fn serialize<S: Serializer>(
        clock: &ClockControl,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(clock)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<ClockControl, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(D::Error::custom)
    }
}

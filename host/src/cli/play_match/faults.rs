//! The games that players lost by faults, as text and as JSON.

use std::fmt;

use ai_api::Color;
use serde::Serialize;

use text::counted;
use tournament::{LostByFault, ScheduledGame};

/// The faults of each player, in the order of the players.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(super) struct MatchFaults(Vec<PlayerFaults>);

#[derive(Debug, Serialize)]
struct PlayerFaults {
    player: String,
    /// The number of games that the player lost by a fault.
    games: usize,
    first: Option<FirstFault>,
}

#[derive(Debug, Serialize)]
struct FirstFault {
    game: usize,
    /// The colour of the player.
    color: &'static str,
    code: String,
    message: String,
}

impl MatchFaults {
    pub(super) fn new(
        players: &[String],
        schedule: &[ScheduledGame],
        mut lost: Vec<LostByFault>,
    ) -> Self {
        lost.sort_by_key(|fault| fault.game);
        // A file may contain a game twice, or more games than the match.
        lost.dedup_by_key(|fault| fault.game);
        let mut faults: Vec<_> = players
            .iter()
            .map(|player| PlayerFaults {
                player: player.clone(),
                games: 0,
                first: None,
            })
            .collect();
        for fault in lost {
            let Some(scheduled) = schedule.get(fault.game.wrapping_sub(1)) else {
                continue;
            };
            let (loser, color) = if fault.color == Color::White {
                (scheduled.white, "white")
            } else {
                (scheduled.black, "black")
            };
            let player = &mut faults[loser];
            player.games += 1;
            player.first.get_or_insert(FirstFault {
                game: fault.game,
                color,
                code: fault.code,
                message: fault.message,
            });
        }
        Self(faults)
    }

    pub(super) fn games(&self) -> usize {
        self.0.iter().map(|player| player.games).sum()
    }

    /// Returns whether every game was lost by a fault, and every player has faults. Such a match
    /// does not compare anything: the side that moves first loses.
    pub(super) fn are_all_of(&self, games: u32) -> bool {
        self.games() == games as usize && self.0.iter().all(|player| player.games > 0)
    }
}

impl fmt::Display for MatchFaults {
    /// `2 games were lost by a fault (new.so 2, old.so 0); the first is game 1, which new.so
    /// (white) lost: the AI crashed`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let players: Vec<_> = self
            .0
            .iter()
            .map(|player| format!("{} {}", player.player, player.games))
            .collect();
        let games = self.games();
        let verb = if games == 1 { "was" } else { "were" };
        write!(
            f,
            "{} {verb} lost by a fault ({})",
            counted(games, "game"),
            players.join(", ")
        )?;
        let first = self
            .0
            .iter()
            .filter_map(|player| Some((&player.player, player.first.as_ref()?)))
            .min_by_key(|(_, fault)| fault.game);
        let Some((player, fault)) = first else {
            return Ok(());
        };
        let FirstFault {
            game,
            color,
            message,
            ..
        } = fault;
        write!(
            f,
            "; the first is game {game}, which {player} ({color}) lost: {message}"
        )
    }
}

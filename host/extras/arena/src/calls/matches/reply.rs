//! Replies that describe a match.

use serde::Serialize;
use tournament::{EloEstimate, Tally};
use utoipa::ToSchema;

use crate::{Match, MatchState, MatchStatus, Pace, calls::words::MatchStateWord};
use api::replies::search::LimitReply;

/// A match.
#[derive(Serialize, ToSchema)]
pub(super) struct MatchReply {
    /// The id. Its first part names the server.
    id: String,
    /// The players.
    players: [String; 2],
    /// The number of games requested.
    games: u32,
    #[serde(flatten)]
    progress: ProgressReply,
    /// The limits of each move, if the match has no clocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<LimitReply>,
    /// The time control of each game.
    #[serde(skip_serializing_if = "Option::is_none")]
    time_control: Option<String>,
    /// The finished games.
    results: Vec<GameOfMatchReply>,
}

/// The progress of a match.
#[derive(Serialize, ToSchema)]
#[schema(as = MatchProgressReply)]
pub(super) struct ProgressReply {
    /// `waiting` before the first game and `paused` later, during the turns of other matches or
    /// while no node is available. `running` while games are played. `finished`, `stopped` by a
    /// client, or `failed` for the `reason` given.
    #[schema(value_type = MatchStateWord)]
    state: MatchState,
    /// Why it failed.
    #[schema(required)]
    reason: Option<String>,
    /// The number of finished games.
    played: usize,
    /// The results of the first player.
    tally: Tally,
    /// How much stronger the first player is, or `null` before the first game.
    #[schema(required)]
    elo: Option<EloEstimate>,
}

/// A finished game of a match.
#[derive(Serialize, ToSchema)]
pub(super) struct GameOfMatchReply {
    /// The number of the game, from 1.
    game: usize,
    /// The player with White.
    white: String,
    /// `1-0`, `0-1` or `1/2-1/2`.
    result: &'static str,
    /// How the game ended, in English.
    termination: String,
}

impl MatchReply {
    pub(super) fn of(found: &Match) -> Self {
        let status = found.watch();
        let status = status.borrow();
        let (limit, time_control) = match &found.request.pace {
            Pace::Limit(limit) => (Some(LimitReply::from(*limit)), None),
            Pace::TimeControl(clock) => (None, Some(clock.to_string())),
        };
        Self {
            id: found.id.clone(),
            players: found.request.players.clone(),
            games: found.request.games,
            progress: ProgressReply::of(&status),
            limit,
            time_control,
            results: GameOfMatchReply::of(found, &status, 0),
        }
    }
}

impl ProgressReply {
    pub(super) fn of(status: &MatchStatus) -> Self {
        let tally = status.tally();
        Self {
            state: status.state,
            reason: status.reason.clone(),
            played: status.games.len(),
            tally,
            elo: EloEstimate::of(&tally),
        }
    }
}

impl GameOfMatchReply {
    /// Returns the finished games after the first `after`.
    pub(super) fn of(found: &Match, status: &MatchStatus, after: usize) -> Vec<Self> {
        let games = status.games.iter().enumerate().skip(after);
        games
            .map(|(index, game)| Self {
                game: index + 1,
                white: found.request.players[index % 2].clone(),
                result: game.result.in_pgn().text(),
                termination: game.termination.clone(),
            })
            .collect()
    }
}

//! The stream of a match.

use rules::format_fen;
use serde::Serialize;
use strum::AsRefStr;
use tokio::sync::broadcast::error::RecvError;
use utoipa::ToSchema;

use super::reply::{GameOfMatchReply, ProgressReply};
use crate::{
    LiveEvent, LiveGame, Match,
    calls::ladder::live::{LiveClocksReply, LiveMoveReply},
};
use api::record_queue::RecordQueue;

/// A record of the stream.
#[derive(Serialize, AsRefStr)]
#[serde(tag = "type", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub(super) enum MatchRecord {
    Playing(PlayingGameReply),
    Move(LiveMoveReply),
    Game(GameOfMatchReply),
    Progress(ProgressReply),
}

/// The game in progress.
#[derive(Serialize, ToSchema)]
pub(super) struct PlayingGameReply {
    /// The number of the game, from 1.
    game: u64,
    /// The player with White.
    white: String,
    /// The player with Black.
    black: String,
    /// The position in which the game started.
    fen: String,
    /// The moves so far, in UCI.
    moves: Vec<String>,
    /// The clocks.
    #[schema(required)]
    clocks: Option<LiveClocksReply>,
}

/// Sends the finished games, the game in progress with its moves, and the state, until the match
/// ends.
pub(super) async fn follow(found: &Match, records: &RecordQueue<MatchRecord>) {
    let mut watched = found.watch();
    let (mut playing, mut events) = found.watch_game();
    watched.mark_changed();
    let mut sent = 0;
    loop {
        tokio::select! {
            biased;
            // Moves come first, so that they precede the end of their game.
            event = events.recv() => match event {
                Ok(LiveEvent::Game(game)) => playing = Some(*game),
                Ok(LiveEvent::Move(played)) => records.send(MatchRecord::Move((*played).into())),
                Ok(LiveEvent::End { .. } | LiveEvent::State(_)) => {}
                Err(RecvError::Lagged(_)) => (playing, events) = found.watch_game(),
                Err(RecvError::Closed) => return,
            },
            changed = watched.changed() => {
                let status = watched.borrow_and_update();
                for game in GameOfMatchReply::of(found, &status, sent) {
                    records.send(MatchRecord::Game(game));
                }
                sent = status.games.len();
                records.send(MatchRecord::Progress(ProgressReply::of(&status)));
                // The sender lives as long as the match.
                if status.state.is_ended() || changed.is_err() {
                    return;
                }
            }
        }
        if let Some(game) = playing.take() {
            records.send(MatchRecord::Playing(PlayingGameReply::of(found, game)));
        }
    }
}

impl PlayingGameReply {
    fn of(found: &Match, running: LiveGame) -> Self {
        let LiveGame {
            number,
            game,
            clocks_ms,
            ..
        } = running;
        let mut players = found.request.players.clone();
        if number % 2 == 0 {
            players.reverse();
        }
        let [white, black] = players;
        Self {
            game: number,
            white,
            black,
            fen: format_fen(game.start()),
            moves: game.uci_moves(),
            clocks: clocks_ms.map(Into::into),
        }
    }
}

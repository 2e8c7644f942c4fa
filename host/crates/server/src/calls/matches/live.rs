//! The stream of a match.

use serde::Serialize;
use strum::AsRefStr;

use super::reply::{GameOfMatchReply, ProgressReply};
use crate::stream::RecordQueue;
use arena::Match;

/// A record of the stream.
#[derive(Serialize, AsRefStr)]
#[serde(tag = "type", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub(super) enum MatchRecord {
    Game(GameOfMatchReply),
    Progress(ProgressReply),
}

/// Sends the finished games and the state, until the match ends.
pub(super) async fn follow(found: &Match, records: &RecordQueue<MatchRecord>) {
    let mut watched = found.watch();
    let mut sent = 0;
    loop {
        let status = watched.borrow_and_update().clone();
        for game in GameOfMatchReply::of(found, &status, sent) {
            records.send(MatchRecord::Game(game));
        }
        sent = status.games.len();
        records.send(MatchRecord::Progress(ProgressReply::of(&status)));
        // The sender lives as long as the match.
        if status.state.is_ended() || watched.changed().await.is_err() {
            return;
        }
    }
}

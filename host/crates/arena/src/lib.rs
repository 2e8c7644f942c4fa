//! The endless tournament: players, ratings, schedule and the file that keeps its games.

mod player;
mod stored_match;
mod finished;
mod results;
mod store;

pub use finished::{Effort, FinishedGame, FinishedPair, GameFault};
pub use player::{NewPlayer, PlayerId, StoredPlayer};
pub use results::{PlayerRecord, Results};
pub use store::{
    GameFilter, GameId, GamePage, GameRow, ImportReport, PlayerFilter, Refusal, RefusalReason, Store,
    StoreError, StoreReader,
};
pub use stored_match::{MatchProgress, StoredMatch};

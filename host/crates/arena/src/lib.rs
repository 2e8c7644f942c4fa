//! The endless tournament: players, ratings, schedule and the file that keeps its games.

mod player;
mod stored_match;
mod finished;
mod results;
mod retention;
mod store;
mod ladder;
mod contestant;
mod scheduler;
mod standing;
mod live;
mod play;
mod threads;
mod shared;
mod runner;
mod arena;
mod matches;

pub use arena::{Arena, ArenaError, Venue};
pub use finished::{FinishedGame, FinishedPair, GameFault, GameId, GameRecord, StoredGame};
pub use ladder::{Ladder, LadderRow};
pub use live::{ArenaState, LiveEvent, LiveGame, LiveMove};
pub use matches::{
    AddMatchError, Match, MatchGame, MatchOpening, MatchRequest, MatchState, MatchStatus, Matches, Pace,
};
pub use player::{NewPlayer, PlayerId, StoredPlayer};
pub use results::{PlayerRecord, Results};
pub use store::{
    FaultFilter, GameFilter, GamePage, ImportReport, PlayerFilter, Refusal, RefusalReason, Store, StoreError,
    StoreFault, StoreReader,
};
pub use stored_match::{MatchProgress, StoredMatch};

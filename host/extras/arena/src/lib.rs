//! The endless tournament: players, ratings, schedule and the file that keeps its games.

pub mod calls;

mod arena;
mod contestant;
mod finished;
mod guest;
mod ladder;
mod live;
mod matches;
mod nodes;
mod on_nodes;
mod play;
mod player;
mod results;
mod retention;
mod runner;
mod scheduler;
mod settings;
mod shared;
mod standing;
mod store;
mod stored_match;
mod threads;

pub use arena::{Arena, ArenaError, ArenaVenue};
pub use finished::{FinishedGame, FinishedPair, GameFault, GameId, GameSummary, StoredGame};
pub use guest::Guest;
pub use ladder::{Ladder, LadderRow};
pub use live::{ArenaState, LiveEvent, LiveGame, LiveMove};
pub use matches::{
    AddMatchError, Match, MatchGame, MatchOpening, MatchRequest, MatchState, MatchStatus, Matches,
    Pace,
};
pub use nodes::PlayingFleet;
pub use player::{NewPlayer, PlayerId, StoredPlayer};
pub use results::{PlayerRecord, Results};
pub use settings::{Anchor, ArenaSettings};
pub use store::{
    FaultFilter, GameFilter, GamePage, ImportRefusal, ImportReport, PlayerFilter, RefusalReason,
    Store, StoreError, StoreFault, StoreReader,
};
pub use stored_match::{MatchProgress, StoredMatch};
pub use threads::Threads;

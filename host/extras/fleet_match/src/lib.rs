//! Matches in which the nodes of a fleet play the pairs of games.
//!
//! An organizer hands out pairs through a NATS work queue. It doesn't trust the nodes: it replays
//! each returned game and computes the result itself.

mod file_cache;
mod node;
mod observe;
mod organizer;
mod player_files;
mod queue;
mod speed;
mod subjects;
mod wire;

pub use node::MatchNode;
pub use observe::{NodeMatchStatus, PlayingStatus, observe_matches};
pub use organizer::{
    AcceptedNodes, MatchObserver, NodeProgress, NodeStanding, Organizer, OrganizerError,
};
#[doc(hidden)]
pub use player_files::{PlayerFilesError, PlayerManifest, ShippedFile, ShippedLink};
pub use queue::QueueError;
pub use subjects::{permissions_of_organizer, permissions_of_playing_node};

//! Replaces an AI based on evidence: counts how its candidate handles clients' requests, sends it
//! copies of them, measures its strength, and promotes or aborts it.
//!
//! The core splits the traffic and reports each answered request. Nothing here delays a reply.
#![expect(
    clippy::cast_precision_loss,
    reason = "shares and means of counts are rounded"
)]

mod automatic;
mod calls;
mod change;
mod fault_log;
mod metrics;
mod positions;
mod reply;
mod rollouts;
mod settings;
mod shadow;
mod state;
mod strength;
mod tallies;
mod times;
mod verdict;

pub use calls::ENDPOINTS;
pub use change::{ChangeError, RolloutChange};
pub use rollouts::{RolloutVenue, Rollouts};
pub use settings::RolloutSettings;
pub use tallies::{Tallies, TrafficSide};
pub use times::Times;
pub use verdict::{PromotionRefusal, Reason, refusals};

//! The arena's file.

#[cfg(not(feature = "sqlite"))]
mod absent;
mod error;
mod filter;
mod patience;
mod report;
#[cfg(feature = "sqlite")]
mod sqlite;

#[cfg(not(feature = "sqlite"))]
pub use absent::{Store, StoreReader};
pub use error::{StoreError, StoreFault};
pub use filter::{FaultFilter, GameFilter, GamePage, PlayerFilter};
pub(crate) use patience::{PATIENCE, lock_within};
pub use report::{ImportReport, Refusal, RefusalReason};
#[cfg(feature = "sqlite")]
pub use sqlite::{Store, StoreReader};

//! The arena's file.

mod error;
mod filter;
mod patience;
mod report;
mod sqlite;

pub use error::{StoreError, StoreFault};
pub use filter::{FaultFilter, GameFilter, GamePage, PlayerFilter};
pub(crate) use patience::{PATIENCE, lock_within};
pub use report::{ImportRefusal, ImportReport, RefusalReason};
pub use sqlite::{Store, StoreReader};

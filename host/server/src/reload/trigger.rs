//! The trigger of a reload.

use tokio::sync::mpsc;

use super::record::ReloadRecord;
use pool::Retry;

/// A request for a reload.
#[derive(Debug)]
pub(super) struct Trigger {
    pub(super) retry: Retry,
    /// Receives the records of the reload.
    pub(super) listener: Option<mpsc::UnboundedSender<ReloadRecord>>,
}

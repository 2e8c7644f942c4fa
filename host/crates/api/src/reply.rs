//! Replies in JSON.

use serde::Serialize;

/// A reply in JSON.
pub trait JsonReply {
    /// Appends the reply.
    ///
    /// # Errors
    /// A value can't be serialized.
    fn write_json(&self, out: &mut Vec<u8>) -> serde_json::Result<()>;
}

impl<T: Serialize> JsonReply for T {
    fn write_json(&self, out: &mut Vec<u8>) -> serde_json::Result<()> {
        serde_json::to_writer(out, self)
    }
}

//! Turns a configuration into AIs with ready workers.

pub(crate) mod ais;
pub(crate) mod error;
pub(crate) mod worker;

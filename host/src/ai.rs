//! Asking AIs.
pub mod protocol;

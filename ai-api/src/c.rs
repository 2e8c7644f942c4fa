//! The contract in plain C: the types of `include/rookery_ai.h`. The header documents them.
//!
//! [`Position`](crate::Position), [`MoveList`](crate::MoveList),
//! [`RulesVtable`](crate::RulesVtable), [`Host`](crate::Host) and [`TraceNode`](crate::TraceNode)
//! are the same in both languages. The other types exist once in each language, and a test compares
//! every field with the header.

mod ai;
mod convert;
mod header;
mod options;
mod sized;
#[cfg(test)]
mod tests;
mod types;

pub use ai::{ABI, CAi, ENTRY};
pub use options::{Texts, UnknownKind, text};
pub use sized::{InvalidSize, SizedStruct, list, pointer, read_sized, write_sized};
pub use types::*;

//! Endings with known results: Syzygy tables, and a bitbase for king and pawn against king.

pub(crate) mod king_pawn;
mod known;
mod tables;

pub(crate) use known::Known;
pub(crate) use tables::{Tables, open};

//! Runs any chess AI, yours or Stockfish, behind one API and one board, safely.
//!
//! A request goes straight through: [`http`] reads it, the [`arbiter`] decides what is legal and asks an AI, and the
//! checked answer goes back.

pub mod cli;
pub mod telemetry;
pub mod http;
pub mod reload;
pub mod arbiter;
pub mod uci;
pub mod tournament;
pub mod check;
pub mod template;
pub mod clock;

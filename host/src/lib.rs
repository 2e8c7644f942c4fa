//! Runs any chess AI, yours or Stockfish, behind one API and one board, safely.
//!
//! A request goes straight through: [`http`] reads it, the [`arbiter`] decides what is legal and asks an [`ai`], and the
//! checked answer goes back. The AI itself runs in a [`worker`] process.

pub mod cli;
pub mod config;
pub mod telemetry;
pub mod http;
pub mod reload;
pub mod arbiter;
pub mod formats;
pub mod uci;
pub mod tournament;
pub mod check;
pub mod template;
pub mod ai;
pub mod worker;
pub mod api_key;
pub mod clock;
pub mod sha256;

mod suggest;
mod file_access;
mod open_files;
mod text;

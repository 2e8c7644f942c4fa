//! An AI as a UCI engine on standard input and output.
//!
//! The protocol is described at <https://backscattering.de/chess/uci/>. This crate does not parse a
//! command line.

mod command;
mod engine;
mod input;
mod options;
mod position;
mod pv_info;
mod search;
mod search_moves;
mod session;
mod strength;

pub use options::{OptionError, parse_option};
pub use session::{UciError, run};

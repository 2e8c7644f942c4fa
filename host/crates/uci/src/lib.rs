//! An AI as a UCI engine on standard input and output.
//!
//! Knows no command line. <https://backscattering.de/chess/uci/>

mod input;
mod command;
mod position;
mod options;
mod strength;
mod engine;
mod pv_info;
mod search_moves;
mod search;
mod session;

pub use options::{OptionError, parse_option};
pub use session::{UciError, run};

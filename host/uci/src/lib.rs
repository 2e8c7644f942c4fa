//! An AI as a UCI engine: what a chess program says on standard input, and what is answered on standard output.
//!
//! A line goes from `input` through `command` to the `session`, which asks the AI; `options` turns the AI's options into those of
//! UCI, `report` findings into lines.
//! <https://backscattering.de/chess/uci/>

mod command;
mod engine;
mod input;
mod options;
mod position;
mod report;
mod search;
mod search_moves;
mod session;

pub use options::OptionRefusal;
pub use options::read as read_option;
pub use session::{UciError, run};

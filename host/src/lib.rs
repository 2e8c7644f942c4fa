//! The `rookery` binary: the command line, and the place where everything is put together.

pub mod cli;

mod log;
mod template;

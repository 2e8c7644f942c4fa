//! The README and the documents: their examples, links and tables.

pub(crate) mod configuration;
mod deploy;
mod foreign;
mod http_api;
mod levels;
mod readme;
mod tutorial;

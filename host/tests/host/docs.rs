//! The README and the documents: their examples, links and tables.

mod configuration;
mod deploy;
mod foreign;
mod http_api;
mod readme;
mod tutorial;

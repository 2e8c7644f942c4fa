//! The README and the documents: their examples, links and tables.

mod deploy;
mod foreign;
mod readme;

//! The README and the documents: their examples, links and tables.

mod foreign;
mod readme;

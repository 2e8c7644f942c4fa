//! The README and the documents: their examples, links and tables.

mod examples;
mod readme;

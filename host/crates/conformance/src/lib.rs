//! Checks that an AI follows the contract, for `rookery check-ai`.
//!
//! Each check runs in its own worker. This crate reads no command line and prints nothing.

/// The guide for authors. The doc tests compile its Rust code.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/writing-an-ai.md")]
pub struct Guide;

/// The cookbook for authors. The doc tests compile its Rust code.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/ai-cookbook.md")]
pub struct Cookbook;

mod check;
mod checks;
mod failure;
mod positions;
mod random_games;
mod report;
mod schedule;
mod session;
mod subject;
mod trial;

pub use check::Check;
pub use checks::checks;
pub use report::{CheckReport, Verdict};
pub use schedule::run_checks;
pub use subject::{Printed, Subject};
pub use trial::{Trial, TrialError, TrialLength, TrialStep, trial};

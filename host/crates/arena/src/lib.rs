//! The endless tournament: players, ratings, schedule and the file that keeps its games.

mod scheduler;

pub use scheduler::{Availability, Candidate, next_pair};

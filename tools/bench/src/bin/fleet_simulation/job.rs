//! A job on its way.

use crate::scenario::Time;

/// One of this many jobs warms up: the first ones.
pub const WARM_UP: usize = 5;

#[derive(Clone, Debug)]
pub struct Job {
    pub arrived: Time,
    /// Of the run that has the result.
    pub started: Time,
    /// On a node of speed 1.
    pub work: f64,
    pub gateway: u32,
    pub node: u32,
    pub asks: u32,
    /// How often a node has run it to its end.
    pub ends: u32,
    pub is_rejected: bool,
    /// Whether a node died with it.
    pub is_lost: bool,
    /// Whether it was asked of a node that was dead.
    pub is_delayed: bool,
}

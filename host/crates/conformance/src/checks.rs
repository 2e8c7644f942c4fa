//! All checks, one module for each group.

mod analysis;
mod endurance;
mod limits;
mod lines;
mod loading;
mod moves;
mod options;
mod pondering;
mod repeatability;
mod scores;
mod stopping;
mod tracing;

use crate::check::Check;

/// Returns every check in running order: basic ones first.
pub fn checks() -> impl Iterator<Item = &'static Check> {
    [
        loading::CHECKS,
        options::CHECKS,
        moves::CHECKS,
        // Comes before the limit checks, because an engine that does not stop also fails those.
        stopping::CHECKS,
        limits::CHECKS,
        repeatability::CHECKS,
        scores::CHECKS,
        lines::CHECKS,
        tracing::CHECKS,
        pondering::CHECKS,
        analysis::CHECKS,
        endurance::CHECKS,
    ]
    .into_iter()
    .flatten()
}

//! The parts of an analysis that yields to jobs that play.

use std::time::Duration;

use ai_api::{Limits, SearchResult};

/// The shortest time for which resuming a search is worthwhile.
const SHORTEST_REST: Duration = Duration::from_millis(50);

/// What the parts of a search have found.
#[derive(Clone, Debug)]
pub(super) struct SearchParts {
    /// The deepest result, with the nodes of all parts.
    pub(super) best: SearchResult,
    /// The total time of all parts.
    searched: Duration,
}

impl SearchParts {
    pub(super) const fn first(best: SearchResult, searched: Duration) -> Self {
        Self { best, searched }
    }

    /// Adds another part. If two results are equally deep, the later one is kept.
    pub(super) fn add(&mut self, part: SearchResult, time: Duration) {
        let nodes = self.best.nodes.saturating_add(part.nodes);
        if part.best_move.is_some() && part.depth >= self.best.depth {
            self.best = part;
        }
        self.best.nodes = nodes;
        self.searched += time;
    }

    /// Returns the limits for the rest of a search; `None` if continuing is not worthwhile.
    pub(super) fn rest_of(&self, limits: Limits) -> Option<Limits> {
        let searched_ms = self.searched.as_millis() as u64;
        let rest = |ms: u64| ms.saturating_sub(searched_ms).max(1);
        let least_ms = SHORTEST_REST.as_millis() as u64;
        let rest = Limits {
            soft_ms: limits.soft_ms.map(rest),
            hard_ms: limits.hard_ms.map(rest),
            ..limits
        };
        rest.hard_ms.is_none_or(|ms| ms >= least_ms).then_some(rest)
    }
}

#[cfg(test)]
mod tests {
    use ai_api::Move;

    use super::*;

    fn part(chosen: u16, depth: u32, nodes: u64) -> SearchResult {
        SearchResult {
            depth,
            nodes,
            ..SearchResult::play(Move::from_bits(chosen))
        }
    }

    #[test]
    fn keeps_the_deepest_part_and_all_nodes() {
        let second = Duration::from_secs(1);
        let mut parts = SearchParts::first(part(1, 9, 100), second);
        for (further, chosen, depth, nodes) in [
            (part(2, 8, 10), 1, 9, 110),
            (part(3, 9, 10), 3, 9, 120),
            (
                SearchResult {
                    best_move: None,
                    ..part(4, 30, 5)
                },
                3,
                9,
                125,
            ),
            (part(5, 12, u64::MAX), 5, 12, u64::MAX),
        ] {
            parts.add(further, second);
            let best = &parts.best;
            let found = (best.best_move, best.depth, best.nodes);
            assert_eq!(found, (Some(Move::from_bits(chosen)), depth, nodes));
        }
    }

    #[test]
    fn searches_for_the_remaining_time() {
        let parts = |ms| SearchParts::first(part(1, 9, 1), Duration::from_millis(ms));
        let limits = Limits {
            soft_ms: Some(400),
            ..Limits::movetime_ms(1000)
        };
        for (searched_ms, rest) in [
            (100, Some((300, 900))),
            (500, Some((1, 500))),
            (950, Some((1, 50))),
            (951, None),
            (5000, None),
        ] {
            let found = parts(searched_ms).rest_of(limits);
            let found = found.map(|rest| (rest.soft_ms.unwrap(), rest.hard_ms.unwrap()));
            assert_eq!(found, rest, "{searched_ms} ms");
        }
    }
}

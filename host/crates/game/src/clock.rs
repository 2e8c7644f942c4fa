//! A player's clock, and the time for a move.

use ai_api::{Clocks, Color, Limits};

/// The assumed number of remaining moves if no time control follows.
const MOVES_AHEAD: u64 = 30;

/// The maximum time for a move by an AI that manages its time, as a multiple of the move's share.
const MAX_SHARES: u64 = 4;

/// The clock of the side to move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    pub remaining_ms: u64,
    pub increment_ms: u64,
    /// The number of moves until the next time control, if known.
    pub moves_to_go: Option<u64>,
}

impl Clock {
    /// Returns the time for this move: an equal share of the remaining time and the expected
    /// increments. Each move costs an additional `overhead_ms`. The result never exceeds the
    /// remaining time minus the overhead, but is at least 1 ms.
    fn time_for_move_ms(&self, overhead_ms: u64) -> u64 {
        let usable = self.remaining_ms.saturating_sub(overhead_ms);
        let moves = self
            .moves_to_go
            .unwrap_or(MOVES_AHEAD)
            .clamp(1, MOVES_AHEAD);
        // Part of each increment is a reserve for delays on a busy machine.
        let expected = self.increment_ms.saturating_mul(moves - 1) / 4 * 3;
        let lost = overhead_ms.saturating_mul(moves);
        let share = self
            .remaining_ms
            .saturating_add(expected)
            .saturating_sub(lost)
            / moves;
        // Leaves time for the next moves even if this one is slow.
        let most = if moves == 1 { usable } else { usable / 4 * 3 };
        share.min(most).max(1)
    }

    /// Returns the time limits of a move: its share, and a higher hard limit for an AI that manages
    /// its time.
    pub fn limits(&self, overhead_ms: u64, manages_time: bool) -> Limits {
        let soft_ms = self.time_for_move_ms(overhead_ms);
        let most = self.remaining_ms.saturating_sub(overhead_ms) / 4 * 3;
        let hard_ms = if manages_time {
            soft_ms.saturating_mul(MAX_SHARES).min(most).max(soft_ms)
        } else {
            soft_ms
        };
        Limits {
            soft_ms: Some(soft_ms),
            hard_ms: Some(hard_ms),
            ..Limits::NONE
        }
    }
}

/// The clocks of both players, as the request gives them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunningClocks {
    pub clocks: Clocks,
    /// The player whose clock runs.
    pub turn: Color,
}

impl RunningClocks {
    /// The time that each move may cost in addition to the search: the transfer of the request and
    /// its reply.
    const OVERHEAD_MS: u64 = 50;

    /// Returns the time limits of the player whose clock runs, like [`Clock::limits`].
    pub(crate) fn limits(&self, manages_time: bool) -> Limits {
        let Clocks {
            remaining_ms,
            increment_ms,
            moves_to_go,
            ..
        } = self.clocks;
        let turn = self.turn.index();
        let clock = Clock {
            remaining_ms: remaining_ms[turn],
            increment_ms: increment_ms[turn],
            moves_to_go: (moves_to_go > 0).then_some(moves_to_go.into()),
        };
        clock.limits(Self::OVERHEAD_MS, manages_time)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn allocates_a_share_of_the_clock() {
        for (remaining_ms, increment_ms, moves_to_go, overhead_ms, expected) in [
            // Sudden death: a thirtieth of the remaining time.
            (60_000, 0, None, 0, 2000),
            (60_000, 0, None, 30, 1970),
            // With little time left, less than the increment.
            (1000, 100, None, 30, 75),
            (180_000, 2000, None, 30, 7420),
            // Forty moves in five minutes: the first, one of the last, and the last.
            (300_000, 0, Some(40), 30, 9970),
            (20_000, 0, Some(4), 30, 4970),
            (20_000, 0, Some(1), 30, 19_970),
            // A nearly expired clock.
            (100, 1000, None, 30, 51),
            (30, 0, None, 30, 1),
            (0, 0, None, 30, 1),
            (0, 100, Some(0), 0, 1),
        ] {
            let clock = Clock {
                remaining_ms,
                increment_ms,
                moves_to_go,
            };
            assert_eq!(
                clock.time_for_move_ms(overhead_ms),
                expected,
                "{clock:?}, overhead {overhead_ms}"
            );
        }
    }

    #[test]
    fn does_not_lose_a_long_game_on_time() {
        for (remaining_ms, increment_ms) in
            [(1000, 100), (60_000, 0), (10_000, 40), (180_000, 2000)]
        {
            let mut clock = Clock {
                remaining_ms,
                increment_ms,
                moves_to_go: None,
            };
            for number in 1..=200 {
                let overhead_ms = 30;
                let spent = clock.time_for_move_ms(overhead_ms)
                    + if increment_ms > 0 { overhead_ms } else { 0 };
                assert!(
                    spent <= clock.remaining_ms,
                    "move {number} of {remaining_ms}+{increment_ms}: {clock:?}"
                );
                clock.remaining_ms = clock.remaining_ms - spent + increment_ms;
            }
        }
    }

    proptest! {
        #[test]
        fn never_exceeds_the_time_minus_overhead(
            remaining_ms: u64,
            increment_ms: u64,
            moves_to_go: Option<u64>,
            overhead_ms in 0_u64..10_000,
        ) {
            let clock = Clock { remaining_ms, increment_ms, moves_to_go };
            let time = clock.time_for_move_ms(overhead_ms);
            prop_assert!(time >= 1);
            prop_assert!(time <= remaining_ms.saturating_sub(overhead_ms).max(1), "{time}");
        }

        #[test]
        fn only_ais_that_manage_time_can_exceed_their_share(
            remaining_ms: u64,
            increment_ms: u64,
            moves_to_go: Option<u64>,
            overhead_ms in 0_u64..10_000,
        ) {
            let clock = Clock { remaining_ms, increment_ms, moves_to_go };
            let share = clock.time_for_move_ms(overhead_ms);
            prop_assert_eq!(clock.limits(overhead_ms, false), Limits::movetime_ms(share));
            let Limits { soft_ms, hard_ms, .. } = clock.limits(overhead_ms, true);
            let hard = hard_ms.unwrap();
            prop_assert_eq!(soft_ms, Some(share));
            prop_assert!(hard >= share && hard <= share.saturating_mul(MAX_SHARES));
            prop_assert!(hard <= remaining_ms.saturating_sub(overhead_ms).max(1), "{hard}");
        }

        #[test]
        fn more_clock_time_never_shortens_a_move(
            remaining_ms in 0_u64..1_000_000,
            more_ms in 0_u64..1_000_000,
            increment_ms in 0_u64..10_000,
            moves_to_go in proptest::option::of(0_u64..60),
        ) {
            let time = |on_clock_ms| {
                let clock = Clock { remaining_ms: on_clock_ms, increment_ms, moves_to_go };
                clock.time_for_move_ms(30)
            };
            prop_assert!(time(remaining_ms) <= time(remaining_ms + more_ms));
        }
    }
}

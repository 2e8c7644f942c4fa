//! The turns of gateways that found no free slot.

use std::time::Duration;

use tokio::time::Instant;

use super::askers::Asker;

/// How long a free slot is kept for the gateway whose turn it is.
const TURN_TIME: Duration = Duration::from_millis(200);

/// The turns, in order. Without them, a gateway with many questions would take every slot from a
/// gateway with a single question.
#[derive(Debug, Default)]
pub(super) struct Turns(Vec<AskerTurn>);

#[derive(Debug)]
struct AskerTurn {
    asker: Asker,
    ai: String,
    /// The time until which a slot is kept; `None` until one is free.
    until: Option<Instant>,
}

impl Turns {
    /// Returns whether a gateway may take one of an AI's free slots. If not, the gateway gets a
    /// turn later.
    pub(super) fn take(&mut self, asker: &Asker, ai: &str, free: usize) -> bool {
        let own = self
            .0
            .iter()
            .position(|turn| turn.ai == ai && turn.asker == *asker);
        let before = &self.0[..own.unwrap_or(self.0.len())];
        let may_take = free > before.iter().filter(|turn| turn.ai == ai).count();
        match own {
            Some(own) if may_take => _ = self.0.remove(own),
            None if !may_take => {
                self.0.push(AskerTurn {
                    asker: asker.clone(),
                    ai: ai.to_owned(),
                    until: None,
                });
            }
            _ => {}
        }
        may_take
    }

    /// Keeps an AI's free slots for the gateways that have waited longest.
    pub(super) fn keep(&mut self, ai: &str, free: usize, now: Instant) {
        let until = now + TURN_TIME;
        for turn in self.0.iter_mut().filter(|turn| turn.ai == ai).take(free) {
            turn.until.get_or_insert(until);
        }
    }

    /// Drops the turns of gateways that are silent or did not ask in time. Returns whether there
    /// were any.
    pub(super) fn drop_unused(&mut self, now: Instant, is_heard: impl Fn(&Asker) -> bool) -> bool {
        let count = self.0.len();
        self.0
            .retain(|turn| is_heard(&turn.asker) && turn.until.is_none_or(|until| now < until));
        self.0.len() < count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Id;

    fn asker(digit: char) -> Asker {
        let gateway = Id::try_from(digit.to_string().repeat(32)).unwrap();
        Asker {
            server: "web".into(),
            gateway,
        }
    }

    #[test]
    fn gives_the_next_slot_to_the_gateway_that_has_waited_longest() {
        let (mut turns, one, other) = (Turns::default(), asker('a'), asker('b'));
        assert!(turns.take(&one, "ai", 1));
        assert!(!turns.take(&one, "ai", 0));
        assert!(turns.take(&one, "ai", 1), "no other gateway waits");
        assert!(!turns.take(&other, "ai", 0));
        assert!(turns.take(&one, "another", 1));
        assert!(!turns.take(&one, "ai", 1), "the other gateway has the turn");
        assert!(turns.take(&other, "ai", 1));
        assert!(
            !turns.take(&other, "ai", 1),
            "it is the first gateway's turn"
        );
        assert!(turns.take(&one, "ai", 1));
        assert!(turns.take(&other, "ai", 1));
    }

    #[test]
    fn keeps_a_slot_for_a_short_time() {
        let (mut turns, one, other) = (Turns::default(), asker('a'), asker('b'));
        let now = Instant::now();
        assert!(!turns.take(&other, "ai", 0));
        assert!(
            !turns.drop_unused(now + 2 * TURN_TIME, |_| true),
            "no slot was free"
        );
        turns.keep("ai", 1, now);
        assert!(!turns.drop_unused(now, |_| true));
        assert!(turns.drop_unused(now + TURN_TIME, |_| true));
        assert!(turns.take(&one, "ai", 1));
    }

    #[test]
    fn forgets_silent_gateways() {
        let (mut turns, one, other) = (Turns::default(), asker('a'), asker('b'));
        assert!(!turns.take(&other, "ai", 0));
        assert!(turns.drop_unused(Instant::now(), |asker| *asker == one));
        assert!(turns.take(&one, "ai", 1));
    }
}

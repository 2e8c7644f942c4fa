//! Whether an AI thinks on the opponent's time, where it declares to.

use std::time::Duration;

use ai_api::Limit;

use super::{
    Check, Passed, Subject, Trouble,
    positions::{ORDINARY, game},
    table::{Table, place},
};
use crate::ai::Wishes;

/// The time of its own, which is not to run, and how long the opponent thinks.
const OWN_TIME: Limit = Limit::MovetimeMs(30);
const OPPONENTS_TIME: Duration = Duration::from_millis(400);

pub(super) const CHECKS: &[Check] = &[Check {
    name: "ponder.thinks_on",
    description: "While its opponent thinks, its own time does not run; asked to stop, it answers. Where it declares to ponder.",
    run: |subject| Box::pin(thinks_on(subject)),
}];

async fn thinks_on(subject: &Subject) -> Result<Passed, Trouble> {
    let mut table = Table::of(subject).await?;
    if !table.probe.manifest().abilities.ponder {
        return Err(Trouble::skipped("the AI does not declare to ponder"));
    }
    for fen in &ORDINARY[1..4] {
        let game = game(fen);
        let wishes = Wishes { ponder: true, ..Wishes::default() };
        let found = table.find_with(&game, OWN_TIME, wishes, Some(OPPONENTS_TIME)).await?;
        if found.after_stop.is_none() {
            return Err(Trouble::failed(
                format!(
                    "{}: it answered after {} ms, and its opponent was still thinking",
                    place(&game),
                    found.elapsed.as_millis()
                ),
                "let the time of a limit begin when host.is_pondering() turns false",
            ));
        }
    }
    Ok(Passed::PLAINLY)
}

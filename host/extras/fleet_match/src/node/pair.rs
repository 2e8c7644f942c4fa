//! A pair of games on a node.

use tournament::{NoReferee, PlayError, Venue, seed};

use super::prepare::PreparedMatch;
use crate::{
    speed::{settings_for, time_factor},
    wire::{GameOrder, PairOrder, PairOutcome},
};

/// Plays the games of a pair. Dropping the future cancels the running search.
pub(super) async fn play_pair(
    venue: &mut Venue,
    found: &PreparedMatch,
    order: &PairOrder,
    speed: u32,
) -> PairOutcome {
    let Some(opening) = order.opening() else {
        return PairOutcome::Void("the opening has an invalid position or move".into());
    };
    let factor = time_factor(found.reference_speed, speed);
    let settings = settings_for(found.settings, found.reference_speed, speed);
    let mut records = Vec::new();
    for &GameOrder {
        number,
        white,
        black,
    } in &order.games
    {
        let indices = [white, black];
        let known = indices.map(|index| found.players.get(index));
        let [Some(one), Some(other)] = known else {
            return PairOutcome::Void("a game has a player that is not in the match".into());
        };
        let [one, other] = [one, other].map(|player| player.clone().scaled(factor));
        let seeds = indices.map(|index| seed(found.seed, number as u64, index as u64));
        let played = venue
            .play([&one, &other], seeds, &opening, &settings, &NoReferee)
            .await;
        match played {
            Ok(played) => match played.record.end.fault_of_machine() {
                Some(fault) => return PairOutcome::Void(fault.to_string()),
                None => records.push(played.record),
            },
            Err(error) => {
                if !matches!(error, PlayError::Disturbed { .. }) {
                    venue.clear();
                }
                return PairOutcome::Void(error.to_string());
            }
        }
    }
    PairOutcome::Played(records)
}

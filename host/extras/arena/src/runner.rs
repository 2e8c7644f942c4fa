//! A table of the arena: plays one pair of games after another.

use std::{
    pin::pin,
    time::{Duration, SystemTime},
};

use futures_util::future::poll_immediate;
use tokio::{runtime::Handle, time::sleep};
use tournament::{PlayError, Referee, Venue};

use crate::{
    contestant::ArenaPlayer,
    play::PairInProgress,
    shared::{ArenaControl, ArenaShared},
};

/// How often the table checks whether a player's rest has ended.
const REST_CHECK: Duration = Duration::from_mins(1);

/// Plays until the future is dropped. `loads` is set for the table that starts the players.
pub(crate) async fn play_pairs(shared: &ArenaShared, runtime: Handle, loads: bool) {
    let mut table = Venue::new(shared.program.clone(), runtime, None);
    loop {
        Gate::of_arena(shared).ready().await;
        if loads && shared.control.borrow().is_loading {
            shared.load();
        }
        let mut control = shared.control.subscribe();
        let drawn = shared.standing().next_pair(SystemTime::now(), |_| true);
        if let Some(contestants) = drawn {
            play_pair(shared, &mut table, &contestants).await;
            continue;
        }
        table.clear();
        tokio::select! {
            _ = control.changed() => {}
            () = sleep(REST_CHECK) => {}
        }
    }
}

/// Plays a pair until it ends or a player leaves. After a disturbance, it continues from the moves
/// so far. Clients can easily disturb a pair, and must not be able to choose in this way which
/// games count.
async fn play_pair(shared: &ArenaShared, table: &mut Venue, contestants: &[ArenaPlayer; 2]) {
    let (pair, mut played) = (shared.new_pair(contestants), PairInProgress::default());
    while shared.standing().plays(contestants, SystemTime::now()) {
        match pair
            .play(table, &shared.live, &Gate::of_arena(shared), &mut played)
            .await
        {
            Ok(finished) => {
                if let Err(error) = shared.record(&finished, contestants) {
                    shared.pause_for(&error);
                }
                return;
            }
            Err(error) => give_up(shared, table, contestants, error).await,
        }
    }
}

/// Handles a pair without a result.
async fn give_up(
    shared: &ArenaShared,
    table: &mut Venue,
    players: &[ArenaPlayer; 2],
    error: PlayError,
) {
    let [first, second] = players.each_ref().map(|contestant| &contestant.stored);
    match error {
        PlayError::Disturbed { .. } => {
            tracing::info!(first = first.entry, second = second.entry, %error, "a disturbed \
                move is played again");
            if let Err(store_error) = shared.store.add_void_pair(first.id, second.id) {
                return shared.pause_for(&store_error);
            }
            shared.standing().add_void_pair();
            // The other work usually outlasts a search, so wait before the next pair.
            shared.change(|control| control.disturbed += 1);
            sleep(shared.idle).await;
            shared.change(|control| control.disturbed -= 1);
        }
        PlayError::Start { side, errors } => {
            shared.rest([first, second][side.index()].id, &errors.to_string());
        }
        PlayError::Changed(_) => {
            table.clear();
            // The players do not play until they have restarted.
            shared.standing().remove([first.id, second.id]);
            shared
                .control
                .send_modify(|control| control.is_loading = true);
        }
        PlayError::Tablebase(error) => shared.pause_for(&error),
    }
}

/// Lets games run while the server is idle and the arena is not paused. The arena's own games wait
/// until its guests have finished.
pub(crate) struct Gate<'a> {
    shared: &'a ArenaShared,
    /// The number of guests to ignore.
    guests: usize,
}

impl<'a> Gate<'a> {
    pub(crate) const fn of_arena(shared: &'a ArenaShared) -> Self {
        Self { shared, guests: 0 }
    }

    pub(crate) const fn of_guest(shared: &'a ArenaShared) -> Self {
        Self {
            shared,
            guests: usize::MAX,
        }
    }

    fn is_closed(&self, control: &ArenaControl) -> bool {
        control.paused.is_some() || control.guests > self.guests
    }

    async fn open(&self) {
        let mut control = self.shared.control.subscribe();
        loop {
            // This cannot fail: the sender lives as long as this future.
            let _ = control.wait_for(|control| !self.is_closed(control)).await;
            self.shared.activity.idle_for(self.shared.idle).await;
            if !self.is_closed(&control.borrow()) {
                return;
            }
        }
    }
}

impl Referee for Gate<'_> {
    async fn ready(&self) {
        let mut open = pin!(self.open());
        if poll_immediate(&mut open).await.is_none() {
            self.shared.show_state();
            open.await;
            self.shared.show_state();
        }
    }

    async fn interrupted(&self) {
        let mut control = self.shared.control.subscribe();
        tokio::select! {
            () = self.shared.activity.busy_within(self.shared.idle) => {}
            _ = control.wait_for(|control| self.is_closed(control)) => {}
        }
    }
}

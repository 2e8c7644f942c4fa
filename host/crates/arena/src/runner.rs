//! A table of the arena: plays one pair of games after the other.

use std::{
    pin::pin,
    time::{Duration, SystemTime},
};

use ai_api::Color;
use futures_util::future::poll_immediate;
use tokio::{runtime, time::sleep};
use tournament::{GameError, PlayedMove, Referee, Table};

use crate::{
    contestant::Contestant,
    finished::{FinishedGame, FinishedPair},
    live::LiveGuard,
    play::{NewGame, play_game},
    shared::Shared,
};

pub(crate) const EVENT: &str = "rookery arena";
/// How often a rest that has ended is noticed.
const REST_CHECK: Duration = Duration::from_mins(1);

/// Plays until the arena stops. `loads` is true for the table that starts the players.
pub(crate) fn run(shared: &Shared, loads: bool) {
    let runtime = match runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return shared.pause(format!("a table cannot start: {error}")),
    };
    let table = Table::new(shared.program.clone(), runtime.handle().clone(), None);
    let mut control = shared.control.subscribe();
    runtime.block_on(async {
        tokio::select! {
            _ = control.wait_for(|control| control.is_stopping) => {}
            () = play_pairs(shared, table, loads) => {}
        }
    });
}

async fn play_pairs(shared: &Shared, mut table: Table, loads: bool) {
    let gate = Gate { shared, game: None };
    loop {
        gate.ready().await;
        if loads && shared.control.borrow().is_loading {
            shared.load();
        }
        let mut control = shared.control.subscribe();
        let drawn = shared.standing().next_pair(SystemTime::now());
        let Some(pair) = drawn else {
            table.clear();
            tokio::select! {
                _ = control.changed() => {}
                () = sleep(REST_CHECK) => {}
            }
            continue;
        };
        play_pair(shared, &mut table, &pair).await;
    }
}

/// Plays a pair until it is not disturbed, or a player does not start.
async fn play_pair(shared: &Shared, table: &mut Table, pair: &[Contestant; 2]) {
    let [first, second] = pair;
    let (round, number) = shared.standing().round(pair);
    let opening = shared.openings.for_round(round);
    let opening_number = u32::try_from(shared.openings.number(round)).ok();
    loop {
        let mut games = Vec::new();
        for (game, contestants) in (1..).zip([[first, second], [second, first]]) {
            let (opening, settings) = (&opening, &shared.settings);
            let new = NewGame {
                event: EVENT,
                number,
                game,
                contestants,
                opening,
                opening_number,
                settings,
                is_rated: true,
            };
            match play_live(shared, table, new).await {
                Ok(game) => games.push(game),
                Err(error) => {
                    give_up(shared, table, contestants, error).await;
                    break;
                }
            }
        }
        match <[FinishedGame; 2]>::try_from(games) {
            Ok([one, other]) => {
                let finished =
                    FinishedPair { first: one, second: Some(other), is_rated: true, match_progress: None };
                if let Err(error) = shared.record(&finished, [&first.stored, &second.stored]) {
                    shared.pause(error.to_string());
                }
                return;
            }
            Err(_) if shared.standing().plays(pair, SystemTime::now()) => {}
            Err(_) => return,
        }
    }
}

/// Handles a game without a result.
async fn give_up(shared: &Shared, table: &mut Table, players: [&Contestant; 2], error: GameError) {
    let [white, black] = players.map(|contestant| contestant.stored.id);
    match error {
        GameError::Disturbed { .. } => {
            tracing::info!(white = players[0].stored.entry, black = players[1].stored.entry, %error, "a pair is void and played again");
            if let Err(error) = shared.store.add_void_pair(white, black) {
                return shared.pause(error.to_string());
            }
            shared.standing().add_void_pair();
            // Other work takes longer than a search.
            shared.control.send_modify(|control| control.disturbed += 1);
            shared.show_state();
            sleep(shared.idle).await;
            shared.control.send_modify(|control| control.disturbed -= 1);
            shared.show_state();
        }
        GameError::Start { side, errors } => {
            let player = if side == Color::White { white } else { black };
            shared.rest(player, &errors.to_string());
        }
        GameError::Changed(_) => {
            table.clear();
            shared.reload([white, black]);
        }
        GameError::Tablebase(error) => shared.pause(error.to_string()),
    }
}

/// Plays a game that can be watched.
async fn play_live(shared: &Shared, table: &mut Table, new: NewGame<'_>) -> Result<FinishedGame, GameError> {
    let live = shared.live.begin(new.live(shared.live.next_number()));
    let game = play_game(table, new, &Gate { shared, game: Some(&live) }).await?;
    live.end(game.record.result.in_pgn(), game.record.termination.clone());
    Ok(game)
}

/// Lets games run while the server is idle and nobody has paused them.
struct Gate<'a> {
    shared: &'a Shared,
    game: Option<&'a LiveGuard<'a>>,
}

impl Gate<'_> {
    async fn open(&self) {
        let mut control = self.shared.control.subscribe();
        loop {
            // The sender lives as long as this future.
            let _ = control.wait_for(|control| control.paused.is_none()).await;
            self.shared.activity.idle_for(self.shared.idle).await;
            if control.borrow().paused.is_none() {
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
            _ = control.wait_for(|control| control.paused.is_some()) => {}
        }
    }

    fn moved(&self, played: PlayedMove<'_>) {
        if let Some(game) = self.game {
            game.moved(played);
        }
    }
}

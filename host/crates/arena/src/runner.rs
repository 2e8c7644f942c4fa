//! A table of the arena: plays one pair of games after the other.

use std::{
    pin::pin,
    time::{Duration, SystemTime},
};

use ai_api::Color;
use futures_util::future::poll_immediate;
use time::OffsetDateTime;
use tokio::{runtime, time::sleep};
use tournament::{
    EndReason, FaultDetails, GameError, Heading, Opening, PlayedGame, PlayedMove, Referee, Table, pgn_game,
    seed,
};

use crate::{
    contestant::Contestant,
    finished::{FinishedGame, FinishedPair, GameFault},
    live::LiveGuard,
    shared::Shared,
};

const EVENT: &str = "rookery arena";
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
        for (game, players) in (1..).zip([[first, second], [second, first]]) {
            let seeds = players.map(|contestant| seed(number, game, contestant.stored.id.0 as u64));
            let heading = format!("{number}.{game}");
            match play_game(shared, table, players, &opening, &heading, seeds).await {
                Ok(game) => games.push(FinishedGame { opening: opening_number, ..game }),
                Err(error) => {
                    give_up(shared, table, players, error).await;
                    break;
                }
            }
        }
        match <[FinishedGame; 2]>::try_from(games) {
            Ok([first, second]) => {
                let pair = FinishedPair { first, second: Some(second), is_rated: true, match_progress: None };
                return shared.record(&pair);
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

async fn play_game(
    shared: &Shared,
    table: &mut Table,
    contestants: [&Contestant; 2],
    opening: &Opening,
    round: &str,
    seeds: [u64; 2],
) -> Result<FinishedGame, GameError> {
    let ids = contestants.map(|contestant| contestant.stored.id);
    let clock_ms = shared.time_control.base_ms;
    let live = shared.live.begin(ids, opening.game.clone(), Some([clock_ms; 2]));
    let gate = Gate { shared, game: Some(&live) };
    let players = contestants.map(|contestant| &contestant.player);
    let played = table.play(players, seeds, opening, &shared.settings, &gate).await?;
    let PlayedGame { game, end, effort, .. } = &played;
    let (plies, effort) = (game.moves().len() as u32, *effort);
    let fault = match &end.reason {
        EndReason::Fault(fault) => Some(GameFault {
            code: fault.code().into_str().to_owned(),
            ply: plies + 1,
            color: game.position().turn(),
            details: fault.in_full(),
        }),
        _ => None,
    };
    let (result, termination) = (end.result_for(Color::White), end.to_string());
    let names = contestants.map(|contestant| contestant.stored.name_in_games());
    let names: [&str; 2] = [&names[0], &names[1]];
    let heading = Heading { event: EVENT, round, names, fingerprint: None, details: FaultDetails::Hidden };
    let mut pgn = pgn_game(heading, opening, &shared.settings, played);
    let ended = SystemTime::now();
    pgn.tags.push(("Date".to_owned(), pgn_date(ended)));
    live.end(pgn.result, termination.clone());
    Ok(FinishedGame {
        white: ids[0],
        black: ids[1],
        result,
        termination,
        fault,
        opening: None,
        plies,
        ended,
        pgn: pgn.to_string(),
        effort,
    })
}

/// `2026.11.25`, in UTC.
fn pgn_date(time: SystemTime) -> String {
    let date = OffsetDateTime::from(time).date();
    format!("{:04}.{:02}.{:02}", date.year(), u8::from(date.month()), date.day())
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
            () = self.shared.activity.busy() => {}
            _ = control.wait_for(|control| control.paused.is_some()) => {}
        }
    }

    fn moved(&self, played: PlayedMove<'_>) {
        if let Some(game) = self.game {
            game.moved(played);
        }
    }
}

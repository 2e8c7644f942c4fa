//! Plays the games of a tournament on threads of this process.

use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use tokio::{runtime, sync::mpsc};

use crate::{
    pgn_file::RecordedGame,
    schedule::ScheduledGame,
    searches::NoReferee,
    standings::Standings,
    tournament::{
        FinishedMatchGame, MatchEnd, PendingGames, PlayedMatchGame, Tournament, TournamentError,
        seed,
    },
    venue::Venue,
};

impl Tournament {
    /// Plays the games that are not in `recorded`, and calls `on_finished` after each. Ends without
    /// waiting for running games when `interrupted` resolves or the SPRT decides.
    ///
    /// Dropping the future cancels the running games.
    ///
    /// # Errors
    /// A game has no result, or `on_finished` fails.
    ///
    /// # Panics
    /// Never: games do not panic.
    pub async fn run(
        self,
        recorded: &[RecordedGame],
        interrupted: impl Future<Output = ()>,
        on_finished: impl FnMut(FinishedMatchGame<'_>) -> io::Result<()>,
    ) -> Result<(Standings, MatchEnd), TournamentError> {
        self.run_with(recorded, interrupted, on_finished, play_here)
            .await
    }
}

/// Plays parallel games until none is pending, one fails, or the tournament ends.
async fn play_here(pending: PendingGames) {
    let results = pending.results.clone();
    let (running, mut finished) = mpsc::channel::<()>(1);
    match start_threads(pending, &running) {
        Ok(threads) => {
            drop((results, running));
            // The threads never send, so this returns when the last thread ends and drops its
            // sender.
            finished.recv().await;
            for thread in threads {
                thread.join().expect("a game does not panic");
            }
        }
        Err(error) => {
            // If the receiver is gone, the tournament is over.
            let _ = results.send(Err(TournamentError::Thread(error)));
        }
    }
}

/// Starts the threads, each with a clone of `running`.
fn start_threads(
    PendingGames {
        tournament,
        pairs,
        tablebases,
        results,
    }: PendingGames,
    running: &mpsc::Sender<()>,
) -> io::Result<Vec<thread::JoinHandle<()>>> {
    let games: Vec<_> = pairs.into_iter().flatten().collect();
    let concurrency = tournament.concurrency.min(games.len());
    let games = Arc::new(Mutex::new(games.into_iter()));
    let start = |_| {
        let runtime = runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let table = Venue::new(
            tournament.program.clone(),
            runtime.handle().clone(),
            tablebases.clone(),
        );
        let (tournament, games) = (Arc::clone(&tournament), Arc::clone(&games));
        let (results, running) = (results.clone(), running.clone());
        let play_all = move || {
            runtime.block_on(play_all(table, &tournament, &games, &results));
            drop(running);
        };
        thread::Builder::new()
            .name("match-table".into())
            .spawn(play_all)
    };
    (0..concurrency).map(start).collect()
}

/// Plays games at a table until none is pending, one fails, or the receiver of the results is gone.
async fn play_all(
    mut table: Venue,
    tournament: &Tournament,
    pending: &Mutex<std::vec::IntoIter<ScheduledGame>>,
    results: &mpsc::UnboundedSender<Result<Vec<PlayedMatchGame>, TournamentError>>,
) {
    let next = || {
        pending
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .next()
    };
    while let Some(game) = next() {
        let players = [game.white, game.black].map(|index| &tournament.players[index]);
        let seeds = [game.white, game.black]
            .map(|index| seed(tournament.seed, game.number as u64, index as u64));
        let opening = tournament.openings.for_round(game.round);
        let playing = table.play(players, seeds, &opening, &tournament.settings, &NoReferee);
        let played = tokio::select! {
            played = playing => played,
            () = results.closed() => return,
        };
        let is_over = played.is_err();
        let result = played.map(|played| {
            vec![PlayedMatchGame {
                scheduled: game,
                played,
                node: None,
            }]
        });
        // If the receiver is gone, the tournament is over.
        if results.send(result.map_err(Into::into)).is_err() || is_over {
            return;
        }
    }
}

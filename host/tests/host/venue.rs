//! Games at a table, under a referee.

use std::{
    cell::{Cell, RefCell},
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use pool::WorkerProgram;
use tokio::{runtime, sync::Notify, task::yield_now};
use tournament::{
    Adjudication, Disturbances, GameInProgress, GameSettings, Openings, PlayError, PlayedGame,
    PlayedMove, Player, Referee, TimeControl, Venue,
};

use crate::support::{ConfigFile, basic1_and, rookery};

const NO_RULES: Adjudication = Adjudication {
    draw: None,
    resign: None,
    max_moves: Some(20),
};

/// Plays a game with ten minutes for each player.
fn play(
    file: &ConfigFile,
    players: [&str; 2],
    program: WorkerProgram,
    disturbances: Disturbances,
    referee: &impl Referee,
) -> Result<PlayedGame, PlayError> {
    let settings = GameSettings {
        time_control: TimeControl::Clock("600".parse().unwrap()),
        margin_ms: 0,
        adjudication: NO_RULES,
        disturbances,
    };
    let players = players.map(|text| Player::load(&file.load(), text, &program).unwrap());
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let mut table = Venue::new(program, runtime.handle().clone(), None);
    let opening = Openings::built_in().for_round(0);
    runtime.block_on(table.play(players.each_ref(), [0, 0], &opening, &settings, referee))
}

/// Interrupts every other search.
#[derive(Default)]
struct Interrupting {
    searches: Cell<u32>,
    interrupted: Cell<u32>,
    clocks_ms: RefCell<Vec<[u64; 2]>>,
}

impl Referee for Interrupting {
    async fn ready(&self) {
        self.searches.set(self.searches.get() + 1);
    }

    async fn interrupted(&self) {
        if self.searches.get().is_multiple_of(2) {
            return pending().await;
        }
        // Lets the search begin first.
        yield_now().await;
        self.interrupted.set(self.interrupted.get() + 1);
    }

    fn moved(&self, played: PlayedMove<'_>) {
        self.clocks_ms.borrow_mut().extend(played.clocks_ms);
    }
}

#[test]
fn an_interrupted_search_restarts_with_the_same_clock() {
    let (file, referee) = (basic1_and(""), Interrupting::default());
    let program = WorkerProgram::at(rookery());
    let players = ["basic1,nodes=3000", "basic1,depth=1"];
    let played = play(&file, players, program, Disturbances::Ignored, &referee).unwrap();
    let moves: u64 = played.effort.iter().map(|effort| effort.moves).sum();
    assert!(moves > 10, "{moves}");
    assert!(
        u64::from(referee.interrupted.get()) > moves / 2,
        "{}",
        referee.interrupted.get()
    );
    assert_eq!(
        u64::from(referee.searches.get()),
        moves + u64::from(referee.interrupted.get())
    );
    let clocks = referee.clocks_ms.borrow();
    let last = clocks.last().unwrap();
    let spent_ms: u64 = played.effort.iter().map(|effort| effort.time_ms).sum();
    assert_eq!(clocks.len() as u64, moves);
    // Each move loses less than a millisecond to rounding.
    assert!(
        last.iter().all(|clock| clock + spent_ms + moves >= 600_000),
        "{last:?} {spent_ms}"
    );
}

/// Stops a game before its fifth search.
#[derive(Default)]
struct Suspending {
    moves: Cell<u32>,
    is_stopped: Notify,
}

impl Referee for Suspending {
    async fn ready(&self) {
        if self.moves.get() == 4 {
            self.is_stopped.notify_one();
            pending::<()>().await;
        }
    }

    fn moved(&self, _: PlayedMove<'_>) {
        self.moves.set(self.moves.get() + 1);
    }
}

#[test]
fn an_interrupted_game_continues_in_other_workers() {
    let (config, program) = (basic1_and("").load(), WorkerProgram::at(rookery()));
    let players = ["basic1,depth=1", "basic1,nodes=200"]
        .map(|text| Player::load(&config, text, &program).unwrap());
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let settings = GameSettings {
        time_control: TimeControl::Clock("600".parse().unwrap()),
        margin_ms: 0,
        adjudication: NO_RULES,
        disturbances: Disturbances::Ignored,
    };
    let opening = Openings::built_in().for_round(0);
    let mut game = GameInProgress::new(&opening, &settings);
    let play_on = async |referee: &Suspending, game: &mut GameInProgress| {
        let mut table = Venue::new(program.clone(), runtime.handle().clone(), None);
        tokio::select! {
            played = table.play_on(players.each_ref(), [0, 0], &settings, referee, game) => {
                Some(played.unwrap())
            }
            () = referee.is_stopped.notified() => None,
        }
    };
    assert!(
        runtime
            .block_on(play_on(&Suspending::default(), &mut game))
            .is_none()
    );
    let (before, clocks) = (
        game.game().moves().to_vec(),
        game.clocks_ms(&settings).unwrap(),
    );
    assert_eq!(before.len(), opening.game.moves().len() + 4);
    let going_on = Suspending {
        moves: Cell::new(5),
        ..Suspending::default()
    };
    let played = runtime.block_on(play_on(&going_on, &mut game)).unwrap();
    assert!(played.game.moves().starts_with(&before));
    let moves: u64 = played.effort.iter().map(|effort| effort.moves).sum();
    assert_eq!(
        moves as usize,
        played.game.moves().len() - opening.game.moves().len()
    );
    assert_eq!(played.comments.len(), played.game.moves().len() + 1);
    let after = game.clocks_ms(&settings).unwrap();
    assert!(
        after
            .iter()
            .zip(clocks)
            .all(|(after, before)| *after <= before),
        "{after:?} {clocks:?}"
    );
}

/// Keeps every processor busy from the first search on.
#[derive(Default)]
struct Busy {
    stop: Arc<AtomicBool>,
    is_busy: Cell<bool>,
}

impl Referee for Busy {
    async fn ready(&self) {
        if self.is_busy.replace(true) {
            return;
        }
        for _ in 0..2 * thread::available_parallelism().unwrap().get() {
            let stop = Arc::clone(&self.stop);
            thread::spawn(move || while !stop.load(Ordering::Relaxed) {});
        }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_search_that_waits_for_a_processor_voids_the_game() {
    let file = basic1_and("");
    let players = ["basic1,movetime_ms=200", "basic1,depth=1"];
    let program = || WorkerProgram::at(rookery()).at_idle_priority();
    let played = play(
        &file,
        players,
        program(),
        Disturbances::Void,
        &Busy::default(),
    );
    let Err(PlayError::Disturbed { waited, time }) = played else {
        panic!("{played:?}")
    };
    assert!(
        waited > time / 20 && waited <= time,
        "{waited:?} of {time:?}"
    );
}

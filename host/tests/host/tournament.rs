//! Matches whose games other machines play.

use std::future::pending;

use ::tournament::{
    Adjudication, Disturbances, GameResult, GameSettings, MatchEnd, MatchFormat, Openings,
    PendingGames, PlayRecord, PlayedMatchGame, Player, RecordedEnd, RecordedGame, ScheduledGame,
    TimeControl, Tournament, TournamentError, replay,
};
use ai_api::Limits;
use pool::{Fault, WorkerProgram};
use tokio::{
    runtime,
    sync::{
        Notify,
        oneshot::{self, error::TryRecvError},
    },
};

use crate::support::{basic1_and, rookery};

fn tournament(games: usize) -> Tournament {
    let (file, program) = (basic1_and(""), WorkerProgram::at(rookery()));
    let players = ["basic1,depth=1", "basic1,depth=2"]
        .map(|text| Player::load(&file.load(), text, &program).unwrap());
    Tournament {
        players: players.to_vec(),
        format: MatchFormat::RoundRobin,
        games,
        settings: GameSettings {
            time_control: TimeControl::Fixed(Limits::depth(1)),
            margin_ms: 0,
            adjudication: Adjudication::USUAL,
            disturbances: Disturbances::Ignored,
        },
        tablebases: None,
        openings: Openings::built_in(),
        seed: 0,
        sprt: None,
        concurrency: 1,
        program,
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(future)
}

/// Plays games on a node. In each, the side to move fails at once.
async fn played(
    tournament: &Tournament,
    pair: &[ScheduledGame],
    node: &str,
) -> Vec<PlayedMatchGame> {
    let mut games = Vec::new();
    for &scheduled in pair {
        let opening = tournament.openings.for_round(scheduled.round);
        let is_white = opening.game.position().turn() == ai_api::Color::White;
        let record = PlayRecord {
            moves: Vec::new(),
            end: RecordedEnd::Fault(Fault::Failed("x".into())),
            result: if is_white {
                GameResult::Loss
            } else {
                GameResult::Win
            },
        };
        let replaying = replay(&record, &opening, &tournament.settings, None);
        games.push(PlayedMatchGame {
            scheduled,
            played: replaying.await.unwrap(),
            node: Some(node.to_owned()),
        });
    }
    games
}

#[test]
fn games_from_elsewhere_count_like_games_played_here() {
    let recorded = [RecordedGame {
        number: 2,
        white: GameResult::Draw,
        lost_from_won: None,
        lost_by_fault: None,
    }];
    let play = async |pending: PendingGames| {
        let numbers =
            |pair: &Vec<ScheduledGame>| -> Vec<_> { pair.iter().map(|game| game.number).collect() };
        let found: Vec<_> = pending.pairs.iter().map(numbers).collect();
        assert_eq!(found, [vec![1], vec![3, 4], vec![5]]);
        for (pair, node) in pending.pairs.iter().rev().zip(["elm", "oak", "yew"]) {
            let games = played(&pending.tournament, pair, node).await;
            pending.results.send(Ok(games)).unwrap();
        }
    };
    let mut finished = Vec::new();
    let run = tournament(5).run_with(
        &recorded,
        pending(),
        |game| {
            assert_eq!(game.node, game.pgn.tag("Node"));
            assert_eq!(game.pgn.tag("Fault"), Some("ai_failed"));
            finished.push((
                game.scheduled.number,
                game.node.unwrap().to_owned(),
                game.standings.games(),
            ));
            Ok(())
        },
        play,
    );
    let (standings, end) = block_on(run).unwrap();
    assert_eq!(end, MatchEnd::AllGamesPlayed);
    let expected = [(5, "elm", 2), (3, "oak", 3), (4, "oak", 4), (1, "yew", 5)];
    assert_eq!(
        finished,
        expected.map(|(number, node, games)| (number, node.to_owned(), games))
    );
    // One pair has a loss and a draw, and the other pair has a loss for each player.
    assert_eq!(standings.pairings[&(0, 1)].pairs.iter().sum::<u32>(), 2);
}

/// Starts a match of a hundred games. `play` sends some results, and then the match waits forever.
/// Returns how the match ended and its number of games.
fn run_until(
    interrupted: impl Future<Output = ()>,
    sprt: Option<&str>,
    mut on_finished: impl FnMut(),
    play: &impl AsyncFn(&PendingGames),
) -> Result<(MatchEnd, u32), TournamentError> {
    let match_of_hundred = Tournament {
        sprt: sprt.map(|text| text.parse().unwrap()),
        ..tournament(100)
    };
    let (running, mut is_running) = oneshot::channel::<()>();
    let (results, mut kept) = oneshot::channel();
    let run = match_of_hundred.run_with(
        &[],
        interrupted,
        |_| {
            on_finished();
            Ok(())
        },
        async |games| {
            results.send(games.results.clone()).unwrap();
            play(&games).await;
            pending::<()>().await;
            drop(running);
        },
    );
    let ended = block_on(run);
    // The match has stopped playing games and has closed its channel for results.
    assert_eq!(is_running.try_recv(), Err(TryRecvError::Closed));
    assert!(kept.try_recv().unwrap().is_closed());
    ended.map(|(standings, end)| (end, standings.games()))
}

#[test]
fn ending_a_match_drops_games_in_progress_elsewhere() {
    let play = async |games: &PendingGames| {
        for pair in &games.pairs {
            let pair = played(&games.tournament, pair, "oak").await;
            games.results.send(Ok(pair)).unwrap();
        }
    };
    let (end, games) = run_until(pending(), Some("0,100"), || {}, &play).unwrap();
    assert_eq!(end, MatchEnd::SprtDecided);
    assert!(games < 100 && games.is_multiple_of(2), "{games}");

    let first = async |games: &PendingGames| {
        let pair = played(&games.tournament, &games.pairs[0], "oak").await;
        games.results.send(Ok(pair)).unwrap();
    };
    let finished = Notify::new();
    let interrupted = finished.notified();
    let ended = run_until(interrupted, None, || finished.notify_one(), &first).unwrap();
    assert_eq!(ended, (MatchEnd::Interrupted, 2));

    let fails = async |games: &PendingGames| {
        let error = TournamentError::Elsewhere("no node".into());
        games.results.send(Err(error)).unwrap();
    };
    let failed = run_until(pending(), None, || {}, &fails).unwrap_err();
    assert_eq!(failed.to_string(), "no node");
}

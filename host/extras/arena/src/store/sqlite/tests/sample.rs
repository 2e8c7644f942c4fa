//! Made-up players and games.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ai_api::Color;
use rules::{Game, Notes, PgnGame, PgnResult};
use tempfile::TempDir;
use tournament::{Effort, GameResult};

use crate::{
    finished::{FinishedGame, FinishedPair, GameFault, GameSummary},
    play::{OPENING, time_tags},
    player::{NewPlayer, PlayerId},
    store::Store,
};

pub(super) const TIME_CONTROL: &str = "10+0.1";
pub(super) const MAX_BYTES: u64 = 1_000_000_000;

const NAMES: [&str; 4] = ["one", "two", "three", "four"];

pub(super) fn open(folder: &TempDir) -> Store {
    Store::open(&folder.path().join("arena.db"), TIME_CONTROL, MAX_BYTES).unwrap()
}

pub(super) fn players(store: &Store) -> [PlayerId; 3] {
    [0, 1, 2].map(|index| {
        let name = NAMES[index];
        let [entry, ai, name] = [name, name, name].map(str::to_owned);
        store
            .player(&NewPlayer {
                entry,
                fingerprint: "f".to_owned(),
                ai,
                name,
            })
            .unwrap()
            .id
    })
}

pub(super) fn time(seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(seconds)
}

/// Returns a game whose text is different for every number.
pub(super) fn game(white: PlayerId, black: PlayerId, number: u32) -> FinishedGame {
    let moves = [
        "e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6",
    ];
    let game = Game::from_moves(None, &moves).unwrap();
    let winner = [Some(Color::White), None, Some(Color::Black)][number as usize % 3];
    let result = winner.map_or(PgnResult::Draw, PgnResult::Win);
    let mut comments = vec![String::new(); 5];
    comments
        .extend([1, 2, 3, 4].map(|ms| format!("[%eval 0.10,{}] [%emt 0:00:00.00{ms}]", ms + 4)));
    let id = |PlayerId(id): PlayerId| NAMES[id as usize - 1].to_owned();
    let tags = [
        ("Round", number.to_string()),
        ("White", id(white)),
        ("Black", id(black)),
        ("TimeControl", TIME_CONTROL.to_owned()),
    ];
    let mut tags = tags.map(|(name, value)| (name.to_owned(), value)).to_vec();
    let (opening, ended) = (number % 5, time(u64::from(number)));
    tags.push((OPENING.to_owned(), opening.to_string()));
    tags.extend(time_tags(ended));
    let pgn = PgnGame {
        tags,
        notes: Notes {
            comments,
            ..Notes::default()
        },
        result,
        ..PgnGame::new(game)
    };
    FinishedGame {
        record: GameSummary {
            white,
            black,
            result: match winner {
                Some(Color::White) => GameResult::Win,
                Some(Color::Black) => GameResult::Loss,
                None => GameResult::Draw,
            },
            termination: "normal".to_owned(),
            fault: None,
            opening: Some(opening),
            plies: 8,
            ended,
        },
        pgn: pgn.to_string(),
        effort: [
            Effort {
                moves: 2,
                depth_sum: 12,
                time_ms: 4,
            },
            Effort {
                moves: 2,
                depth_sum: 14,
                time_ms: 6,
            },
        ],
    }
}

pub(super) fn pair(one: PlayerId, two: PlayerId, number: u32) -> FinishedPair {
    let second = Some(game(two, one, 2 * number + 1));
    FinishedPair {
        first: game(one, two, 2 * number),
        second,
        is_rated: true,
        match_progress: None,
    }
}

/// Returns a pair between two of the players. It is sometimes unrated, has only one game, or has a
/// fault.
pub(super) fn random_pair(
    players: &[PlayerId; 3],
    random: &mut fastrand::Rng,
    number: u32,
) -> FinishedPair {
    let mut order = *players;
    random.shuffle(&mut order);
    let mut pair = pair(order[0], order[1], number);
    if let (GameResult::Win | GameResult::Loss, 0) = (pair.first.record.result, random.u8(..5)) {
        let color = if pair.first.record.result == GameResult::Win {
            Color::Black
        } else {
            Color::White
        };
        let [code, details] = ["ai_timeout", "too late"].map(str::to_owned);
        pair.first.record.fault = Some(GameFault {
            code,
            ply: 9,
            color,
            details,
        });
    }
    if random.u8(..5) == 0 {
        pair.second = None;
    }
    pair.is_rated = random.u8(..5) > 0;
    pair
}

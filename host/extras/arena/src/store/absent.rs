//! A build without the feature `sqlite`, which opens no file: a `Store` and a `StoreReader` have no
//! values.

#![expect(clippy::missing_errors_doc, reason = "as in the module with SQLite")]

use std::{
    convert::Infallible,
    io::{BufRead, Write},
    path::Path,
    time::SystemTime,
};

use tournament::GameResult;

use super::{GameFilter, GamePage, ImportReport, StoreError, StoreFault};
use crate::{
    finished::{FinishedPair, GameId, StoredGame},
    player::{NewPlayer, PlayerId, StoredPlayer},
    results::Results,
    stored_match::{MatchProgress, StoredMatch},
};

#[derive(Debug)]
pub struct Store(Infallible);

#[derive(Clone, Debug)]
pub struct StoreReader(Infallible);

/// Methods that nothing can call.
macro_rules! absent {
    ($($name:ident($($argument:ty),*) -> $reply:ty;)*) => {
        $(pub fn $name(&self, $(_: $argument),*) -> Result<$reply, StoreError> {
            match self.0 {}
        })*
    };
}

impl Store {
    pub fn open(path: &Path, _: &str, _: u64) -> Result<Self, StoreError> {
        Err(StoreFault::Absent.at(path))
    }

    pub fn reader(&self) -> &StoreReader {
        match self.0 {}
    }

    absent! {
        add_match(&StoredMatch) -> ();
        add_pair(&FinishedPair) -> Vec<GameId>;
        add_void_pair(PlayerId, PlayerId) -> ();
        anchored_player(&NewPlayer, Option<f64>) -> StoredPlayer;
        begin_match(&str, &[NewPlayer; 2]) -> [StoredPlayer; 2];
        import(impl BufRead) -> ImportReport;
        player(&NewPlayer) -> StoredPlayer;
        set_rest(PlayerId, SystemTime) -> ();
        update_match(&MatchProgress) -> ();
        update_match_soon(&MatchProgress) -> ();
    }
}

impl StoreReader {
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Err(StoreFault::Absent.at(path))
    }

    absent! {
        backup(&Path) -> ();
        export(&mut impl Write) -> u64;
        game(GameId) -> Option<(StoredGame, String)>;
        games(&GameFilter, usize) -> GamePage;
        keyed_match(&str, &str) -> Option<StoredMatch>;
        match_pgn(&str) -> String;
        match_results(&str) -> Vec<(GameResult, String)>;
        players() -> Vec<StoredPlayer>;
        results() -> Results;
        server() -> String;
        stored_match(&str) -> Option<StoredMatch>;
        unfinished_matches() -> Vec<StoredMatch>;
    }
}

#[test]
fn a_file_is_refused_with_the_feature_to_build() {
    let error = Store::open(Path::new("arena.db"), "10+0.1", 1 << 30)
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        StoreReader::open(Path::new("arena.db"))
            .unwrap_err()
            .to_string()
    );
    assert_eq!(
        error,
        "arena.db cannot be opened: this `rookery` has no SQLite; build it with the feature `arena`"
    );
}

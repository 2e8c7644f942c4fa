//! Nnue1 with its own tables. Runs in its own process, because a process can have only one open
//! prober.
#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod directories;
mod games;
mod searches;

use std::{
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
};

use ai_api::{AiError, OptionSetting, OptionValue, Position, TableResult, harness::Harness};
use ai_nnue1::Nnue1;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/syzygy");

static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn open(directories: &[&Path]) -> Result<Harness<Nnue1>, AiError> {
    let paths = directories
        .iter()
        .map(|directory| directory.display().to_string())
        .collect();
    let setting = |name: &str, value| OptionSetting {
        name: name.into(),
        value,
    };
    let settings = [
        setting("hash_mb", OptionValue::Integer(1)),
        setting("syzygy", OptionValue::List(paths)),
    ];
    Harness::new(&rules::RULES, &settings)
}

fn ai() -> Harness<Nnue1> {
    open(&[Path::new(DATA)]).unwrap()
}

fn fen(text: &str) -> Position {
    rules::parse_fen(text).unwrap_or_else(|issues| panic!("{text}: {issues:?}"))
}

/// Returns the result for the other side.
fn opposite(result: TableResult) -> TableResult {
    TableResult::from_number(6 - result as u32).unwrap()
}

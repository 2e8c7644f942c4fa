//! An AI that writes every game that it is asked about to its standard error, counts the questions of its process, and aborts in
//! a position whose half-move clock is 50 or more.

use std::{
    fmt::Write as _,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use ai_api::{Ai, AiError, Host, Options, SearchRequest, SearchResult, Searcher, export_ai};

static QUESTIONS: AtomicU64 = AtomicU64::new(0);

struct Leaks;

impl Ai for Leaks {
    fn create(_: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Searcher for Leaks {
    fn search(&mut self, question: &SearchRequest<'_>, host: &Host<'_>) -> Result<SearchResult, AiError> {
        let moves = question.moves.iter().fold(String::new(), |mut text, chosen| {
            let _ = write!(text, " {chosen}");
            text
        });
        eprintln!("asked about{moves}");
        if question.position.halfmove_clock() >= 50 {
            std::process::abort();
        }
        // Occupies its worker.
        if let Some(time_ms) = question.limits.soft_ms {
            std::thread::sleep(Duration::from_millis(time_ms));
        }
        let mut answer = SearchResult::play(host.legal_moves(&question.position)[0]);
        answer.nodes = QUESTIONS.fetch_add(1, Ordering::Relaxed) + 1;
        Ok(answer)
    }
}

export_ai!(Leaks: Searcher);

//! An AI that writes every game that it is asked about to its standard error, counts the questions of its process, and aborts in
//! a position whose half-move clock is 50 or more.

use std::{
    fmt::Write as _,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use ai_api::{Ai, AiError, Answer, Host, Limit, Options, Question, Searcher, export_ai};

static QUESTIONS: AtomicU64 = AtomicU64::new(0);

struct Leaks;

impl Ai for Leaks {
    fn create(_: &Options) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Searcher for Leaks {
    fn search(&mut self, question: &Question<'_>, host: &Host<'_>) -> Result<Answer, AiError> {
        let moves = question.moves.iter().fold(String::new(), |mut text, chosen| {
            let _ = write!(text, " {chosen}");
            text
        });
        eprintln!("asked about{moves}");
        if question.position.halfmove_clock() >= 50 {
            std::process::abort();
        }
        // Occupies its worker.
        if let Limit::MovetimeMs(time_ms) = question.limit {
            std::thread::sleep(Duration::from_millis(time_ms));
        }
        let mut answer = Answer::play(host.legal_moves(&question.position)[0]);
        answer.nodes = QUESTIONS.fetch_add(1, Ordering::Relaxed) + 1;
        Ok(answer)
    }
}

export_ai!(Leaks: Searcher);

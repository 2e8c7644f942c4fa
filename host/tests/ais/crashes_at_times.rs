//! An AI that crashes whenever it is asked for the tenth time.

use std::sync::atomic::{AtomicU32, Ordering};

use ai_api::{Ai, AiError, Answer, Host, Options, Question, Searcher, export_ai};

static CALLS: AtomicU32 = AtomicU32::new(0);

struct CrashesAtTimes;

impl Ai for CrashesAtTimes {
    fn create(_: &Options) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Searcher for CrashesAtTimes {
    fn search(&mut self, question: &Question<'_>, host: &Host<'_>) -> Result<Answer, AiError> {
        if CALLS.fetch_add(1, Ordering::Relaxed) % 10 == 9 {
            std::process::abort();
        }
        Ok(Answer::play(host.legal_moves(&question.position)[0]))
    }
}

export_ai!(CrashesAtTimes: Searcher);

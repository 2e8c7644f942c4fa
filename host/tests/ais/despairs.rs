//! An AI that can be made only once in a process, and panics when it is asked.

use std::sync::atomic::{AtomicBool, Ordering};

use ai_api::{Ai, AiError, Answer, Host, Options, Question, Searcher, export_ai};

static MADE: AtomicBool = AtomicBool::new(false);

struct Despairs;

impl Ai for Despairs {
    fn create(_: &Options) -> Result<Self, AiError> {
        if MADE.swap(true, Ordering::Relaxed) { Err(AiError::new("once is enough")) } else { Ok(Self) }
    }
}

impl Searcher for Despairs {
    fn search(&mut self, _: &Question<'_>, _: &Host<'_>) -> Result<Answer, AiError> {
        panic!("all is lost")
    }
}

export_ai!(Despairs: Searcher);

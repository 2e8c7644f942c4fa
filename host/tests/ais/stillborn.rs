//! An AI that crashes while it is loaded.

use ai_api::{Ai, AiError, Answer, Host, Options, Question, Searcher, export_ai};

/// The linker calls what stands here before it gives the library to whoever loads it.
#[used]
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: extern "C" fn() = constructor;

extern "C" fn constructor() {
    std::process::abort();
}

struct Stillborn;

impl Ai for Stillborn {
    fn create(_: &Options) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Searcher for Stillborn {
    fn search(&mut self, question: &Question<'_>, host: &Host<'_>) -> Result<Answer, AiError> {
        Ok(Answer::play(host.legal_moves(&question.position)[0]))
    }
}

export_ai!(Stillborn: Searcher, id = "stillborn");

//! An AI that reads where nothing is.

use ai_api::{Ai, AiError, Answer, Host, Options, Question, Searcher, export_ai};

struct Segfaults;

impl Ai for Segfaults {
    fn create(_: &Options) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Searcher for Segfaults {
    fn search(&mut self, _: &Question<'_>, _: &Host<'_>) -> Result<Answer, AiError> {
        // SAFETY: none; that is the point.
        let value = unsafe { std::ptr::read_volatile(std::ptr::without_provenance::<u64>(16)) };
        Err(AiError::new(value.to_string()))
    }
}

export_ai!(Segfaults: Searcher, id = "segfaults");

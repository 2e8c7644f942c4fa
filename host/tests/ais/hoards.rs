//! An AI that wants more memory than there is.

use ai_api::{Ai, AiError, Answer, Host, Options, Question, Searcher, export_ai};

struct Hoards;

impl Ai for Hoards {
    fn create(_: &Options) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Searcher for Hoards {
    fn search(&mut self, _: &Question<'_>, _: &Host<'_>) -> Result<Answer, AiError> {
        let hoard: Vec<u8> = Vec::with_capacity(isize::MAX as usize / 2);
        Err(AiError::new(format!("{:?}", std::hint::black_box(hoard.as_ptr()))))
    }
}

export_ai!(Hoards: Searcher);

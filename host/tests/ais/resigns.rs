//! An AI that answers without a move.

use ai_api::{Ai, AiError, Answer, Host, Options, Question, Searcher, export_ai};

struct Resigns;

impl Ai for Resigns {
    fn create(_: &Options) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Searcher for Resigns {
    fn search(&mut self, question: &Question<'_>, host: &Host<'_>) -> Result<Answer, AiError> {
        let moves = host.legal_moves(&question.position);
        Ok(Answer { best_move: None, ..Answer::play(moves[0]) })
    }
}

export_ai!(Resigns: Searcher);

//! An AI that moves its king to where it likes.

use ai_api::{Ai, AiError, Answer, Host, Move, Options, Question, Searcher, Square, export_ai};

struct Cheats;

impl Ai for Cheats {
    fn create(_: &Options) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Searcher for Cheats {
    fn search(&mut self, question: &Question<'_>, _: &Host<'_>) -> Result<Answer, AiError> {
        let position = &question.position;
        Ok(Answer::play(Move::new(position.king(position.turn()), Square::new(4, 4))))
    }
}

export_ai!(Cheats: Searcher, id = "cheats");

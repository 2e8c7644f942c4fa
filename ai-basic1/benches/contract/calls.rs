//! An AI whose functions do almost nothing, so that only the calls take time. The evaluation
//! depends only on the turn, and `terms` calls the host a hundred times. `calls.c` is the same AI
//! in C.

use ai_api::{Ai, AiError, EvalTerm, Evaluator, Host, Options, Position, Score};

struct Calls;

impl Ai for Calls {
    fn create(_: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Evaluator for Calls {
    fn evaluate(&mut self, position: &Position, _: &Host<'_>) -> Score {
        Score::centipawns(10 * position.turn().sign())
    }

    fn terms(&mut self, position: &Position, host: &Host<'_>) -> Vec<EvalTerm> {
        let count = (0..100)
            .filter(|_| host.is_insufficient_material(position))
            .count();
        if count == 0 {
            Vec::new()
        } else {
            vec![EvalTerm::new("insufficient material", Score::DRAW)]
        }
    }
}

ai_api::export_ai!(Calls: Evaluator, id = "calls");

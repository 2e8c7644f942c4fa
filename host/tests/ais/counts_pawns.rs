//! An evaluator that the host searches with. It panics if Black has eight queens.

use ai_api::{
    Ai, AiError, Color, EvalTerm, Evaluator, Host, Options, Position, Role, Score, export_ai,
};

struct CountsPawns;

impl Ai for CountsPawns {
    fn create(_: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Evaluator for CountsPawns {
    fn evaluate(&mut self, position: &Position, _: &Host<'_>) -> Score {
        assert!(
            position.pieces(Color::Black, Role::Queen).count() < 8,
            "too many queens"
        );
        let pawns = |color| position.pieces(color, Role::Pawn).count() as i32;
        Score::centipawns(100 * (pawns(Color::White) - pawns(Color::Black)))
    }

    fn terms(&mut self, position: &Position, host: &Host<'_>) -> Vec<EvalTerm> {
        vec![EvalTerm::new("pawns\u{7}", self.evaluate(position, host))]
    }
}

export_ai!(
    CountsPawns: Evaluator,
    id = "counts_pawns",
    name = "Pawn\tcounter",
    version = "2.0.0",
    author = "A. U. Thor"
);

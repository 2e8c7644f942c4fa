//! The AI of a worker without a library. It probes tablebases for the host.

use ai_api::{
    Ai, AiError, Evaluator, Host, Options, Position, Score, TableResult, c::CAi, export::Exported,
};

use crate::tablebase;

/// The score of a tablebase win, from the winner's point of view. Mates score higher.
const WIN: i32 = 20_000;

pub(crate) static ENTRY: CAi =
    CAi::exporting::<TableEvaluator>().with_evaluator::<TableEvaluator>();

struct TableEvaluator;

impl Exported for TableEvaluator {
    const NAME: &'static str = "Tablebases";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    const AUTHOR: &'static str = "";
}

impl Ai for TableEvaluator {
    fn create(_: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Evaluator for TableEvaluator {
    fn evaluate(&mut self, position: &Position, _: &Host<'_>) -> Score {
        let found = tablebase::probe(position).found;
        let value = found.map_or(0, |found| match found.result {
            TableResult::Win => WIN,
            TableResult::Loss => -WIN,
            TableResult::CursedWin | TableResult::Draw | TableResult::BlessedLoss => 0,
        });
        Score::centipawns(value * position.turn().sign())
    }
}

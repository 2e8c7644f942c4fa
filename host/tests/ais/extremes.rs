//! An AI whose scores and counts are the greatest or least that their types can hold.

use ai_api::{
    Ai, AiError, Evaluator, Host, OptionSpec, Options, Position, Score, SearchInfo, SearchRequest,
    SearchResult, Searcher, export_ai,
};

struct Extremes {
    score: Score,
}

impl Ai for Extremes {
    fn options() -> Vec<OptionSpec> {
        let range = i64::from(i32::MIN)..=i64::from(i32::MAX);
        vec![OptionSpec::integer("value", 0, range, "the number behind its scores")]
    }

    fn create(options: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        let value = options.integer("value")? as i32;
        // SAFETY: a `Score` is a transparent wrapper of any `i32`.
        Ok(Self { score: unsafe { std::mem::transmute::<i32, Score>(value) } })
    }
}

impl Searcher for Extremes {
    fn search(&mut self, question: &SearchRequest<'_>, host: &Host<'_>) -> Result<SearchResult, AiError> {
        let chosen = host.legal_moves(&question.position)[0];
        host.report(&SearchInfo::new(1, self.score, u64::MAX, &[chosen]));
        Ok(SearchResult { depth: u32::MAX, nodes: u64::MAX, score: self.score, ..SearchResult::play(chosen) })
    }
}

impl Evaluator for Extremes {
    fn evaluate(&mut self, _: &Position, _: &Host<'_>) -> Score {
        self.score
    }
}

export_ai!(Extremes: Searcher + Evaluator);

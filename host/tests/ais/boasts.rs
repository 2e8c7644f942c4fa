//! An AI whose line of play is legal only at its start, and whose reports are many.

use ai_api::{
    Ai, AiError, Host, Move, Options, Score, SearchInfo, SearchRequest, SearchResult, Searcher, export_ai,
};

struct Boasts;

impl Ai for Boasts {
    fn create(_: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Searcher for Boasts {
    fn search(&mut self, question: &SearchRequest<'_>, host: &Host<'_>) -> Result<SearchResult, AiError> {
        let first = host.legal_moves(&question.position)[0];
        let next = host.legal_moves(&host.play(&question.position, first))[0];
        let nonsense = Move::from_bits(u16::MAX);
        let line = [first, next, nonsense, first];
        for depth in 0..10_000 {
            host.report(&SearchInfo::new(depth, Score::MAX, u64::MAX, &line));
        }
        Ok(SearchResult { depth: u32::MAX, nodes: u64::MAX, pv: line.to_vec(), ..SearchResult::play(first) })
    }
}

export_ai!(Boasts: Searcher, id = "boasts");

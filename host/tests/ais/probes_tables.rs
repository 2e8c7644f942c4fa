//! An AI that plays the best move in the host's tablebases and evaluates by their results.

use ai_api::{
    Ai, AiError, Evaluator, Host, Options, Position, Score, SearchRequest, SearchResult, Searcher,
    TableResult, export_ai,
};

struct ProbesTables;

impl Ai for ProbesTables {
    fn create(_: &Options, host: &Host<'_>) -> Result<Self, AiError> {
        match host.tablebase() {
            Some(_) => Ok(Self),
            None => Err(AiError::new("the host has no extension for tablebases")),
        }
    }
}

impl Searcher for ProbesTables {
    fn search(
        &mut self,
        request: &SearchRequest<'_>,
        host: &Host<'_>,
    ) -> Result<SearchResult, AiError> {
        let tables = host
            .tablebase()
            .ok_or_else(|| AiError::new("the extension has disappeared"))?;
        let Some(found) = tables.probe_root(&request.position) else {
            return Ok(SearchResult::play(host.legal_moves(&request.position)[0]));
        };
        let best = found
            .moves
            .first()
            .ok_or_else(|| AiError::new("a table without moves"))?;
        let score = Score::centipawns(best.dtz * request.position.turn().sign());
        Ok(SearchResult {
            score,
            ..SearchResult::play(best.chosen)
        })
    }
}

impl Evaluator for ProbesTables {
    fn evaluate(&mut self, position: &Position, host: &Host<'_>) -> Score {
        let Some(tables) = host.tablebase() else {
            return Score::DRAW;
        };
        let value = match tables.probe_wdl(position) {
            Some(TableResult::Win) => 1000,
            Some(TableResult::Loss) => -1000,
            Some(_) => 0,
            None => tables.max_pieces() as i32,
        };
        Score::centipawns(value * position.turn().sign())
    }
}

export_ai!(ProbesTables: Searcher + Evaluator);

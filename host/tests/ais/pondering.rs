//! An AI that ponders. Its move reports the outcome: the last legal move after a ponder hit, else
//! the first.

use ai_api::{
    Ai, AiError, Capabilities, Host, Options, Score, SearchInfo, SearchRequest, SearchResult,
    Searcher, export_ai,
};

struct Pondering;

impl Ai for Pondering {
    fn capabilities(_: &Options, _: &Host<'_>) -> Capabilities {
        Capabilities {
            ponder: true,
            ..Capabilities::SIMPLEST
        }
    }

    fn create(_: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Searcher for Pondering {
    fn search(
        &mut self,
        request: &SearchRequest<'_>,
        host: &Host<'_>,
    ) -> Result<SearchResult, AiError> {
        let moves = host.legal_moves(&request.position);
        let was_pondering = host.is_pondering();
        if was_pondering {
            host.report(&SearchInfo::new(1, Score::DRAW, 1, &moves[..1]));
        }
        while host.is_pondering() && !host.should_stop() {
            std::thread::yield_now();
        }
        let has_hit = was_pondering && !host.is_pondering();
        let chosen = if has_hit { moves.last() } else { moves.first() };
        chosen
            .copied()
            .map(SearchResult::play)
            .ok_or_else(|| AiError::new("there is no move"))
    }
}

export_ai!(Pondering: Searcher);

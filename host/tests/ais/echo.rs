//! An AI that returns its request's parameters, and more lines and trace nodes than requested.

use ai_api::{
    Ai, AiError, Bound, Capabilities, Host, Move, NodeKind, Options, PvLine, Score, SearchRequest,
    SearchResult, Searcher, TraceNode, export_ai,
};

const TOO_MANY: u32 = 5;

struct Echo;

impl Ai for Echo {
    fn capabilities(_: &Options, _: &Host<'_>) -> Capabilities {
        Capabilities {
            root_moves: true,
            max_lines: 8,
            max_trace_nodes: 100,
            ..Capabilities::SIMPLEST
        }
    }

    fn create(_: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Searcher for Echo {
    fn search(
        &mut self,
        request: &SearchRequest<'_>,
        host: &Host<'_>,
    ) -> Result<SearchResult, AiError> {
        let choice = if request.root_moves.is_empty() {
            host.legal_moves(&request.position).to_vec()
        } else {
            request.root_moves.to_vec()
        };
        let mut reached = request.start;
        for &played in request.moves {
            reached = host.play(&reached, played);
        }
        if reached != request.position {
            return Err(AiError::new(
                "the moves of the game do not lead to its position",
            ));
        }
        let node = |parent: u32| TraceNode {
            parent,
            depth: 0,
            alpha: Score::MIN,
            beta: Score::MAX,
            score: Score::DRAW,
            chosen: Move::from_bits(0),
            bound: Bound::Exact,
            kind: NodeKind::StaticEval,
            ..TraceNode::ROOT
        };
        let nodes = std::iter::once(TraceNode::NO_PARENT).chain(0..);
        let line = |chosen: Move| PvLine::new(1, Score::DRAW, vec![chosen]);
        let remaining = request.clocks.map_or(0, |clocks| clocks.remaining_ms[0]);
        Ok(SearchResult {
            score: Score::centipawns(remaining as i32),
            depth: request.moves.len() as u32,
            pv: choice.clone(),
            multipv: (0..request.lines + TOO_MANY)
                .map(|_| line(choice[0]))
                .collect(),
            trace: nodes
                .take((request.trace_nodes + TOO_MANY) as usize)
                .map(node)
                .collect(),
            ..SearchResult::play(choice[0])
        })
    }
}

export_ai!(Echo: Searcher);

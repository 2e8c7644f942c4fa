//! Searches one ply, counts material and returns the search tree.

use ai_api::*;

struct Greedy;

impl Ai for Greedy {
    fn capabilities(_: &Options, _: &Host) -> Capabilities {
        Capabilities {
            // The root, plus the maximum number of legal moves in a position.
            max_trace_nodes: 1 + 218,
            ..Capabilities::SIMPLEST
        }
    }

    fn create(_: &Options, _: &Host) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Searcher for Greedy {
    fn search(&mut self, request: &SearchRequest, host: &Host) -> Result<SearchResult, AiError> {
        let position = &request.position;
        let mut leaves = Vec::new();
        for &chosen in &host.legal_moves(position) {
            leaves.push((men(&host.play(position, chosen)), chosen));
        }
        let sign = position.turn().sign();
        leaves.sort_by_key(|(score, _)| -sign * score.value());
        let (score, best) = leaves[0];

        // A node comes after its parent.
        let mut trace = vec![TraceNode {
            depth: 1,
            kind: NodeKind::Complete,
            ..node(TraceNode::NO_PARENT, best, score)
        }];
        trace.extend(leaves.iter().map(|&(score, chosen)| node(0, chosen, score)));
        trace.truncate(request.trace_nodes as usize);

        Ok(SearchResult {
            score,
            depth: 1,
            nodes: leaves.len() as u64,
            trace,
            ..SearchResult::play(best)
        })
    }
}

/// Returns an evaluated leaf. Nothing is pruned, so every window is open.
fn node(parent: u32, chosen: Move, score: Score) -> TraceNode {
    TraceNode {
        parent,
        alpha: Score::MIN,
        beta: Score::MAX,
        score,
        chosen,
        kind: NodeKind::StaticEval,
        ..TraceNode::ROOT
    }
}

/// Counts 100 centipawns for each piece, and returns White's total minus Black's.
fn men(position: &Position) -> Score {
    let white = position.color(Color::White).count() as i32;
    let black = position.color(Color::Black).count() as i32;
    Score::centipawns(100 * (white - black))
}

export_ai!(Greedy: Searcher);

//! Search traces, if the AI declares them.

use ai_api::{Limits, NodeKind, TraceNode};
use rules::{Game, is_legal, legal_moves, play};

use crate::{
    check::{Passed, checks},
    failure::CheckFailure,
    positions::{MATE_IN_ONE, ORDINARY, STALEMATE_POSSIBLE, game},
    session::{CheckSession, FoundMove, fen_of},
    subject::Subject,
};
use protocol::SearchParams;

const LIMIT: Limits = Limits::depth(3);
const MAX_NODES: u32 = 500;

checks! { subject =>
    "trace.legal": "Returns a trace in which each move is legal in the position of its parent, if \
        it declares a trace.",
        legal(subject);
    "trace.root": "Returns a trace that begins with the position of the request and the score of \
        the result.",
        root(subject);
    "trace.endings": "Marks trace nodes as checkmate or stalemate only if their positions are.",
        endings(subject);
    "trace.changes_nothing": "Finds the same move, score and node count with a trace as without, \
        so the trace shows the search that is played.",
        changes_nothing(subject);
}

fn positions() -> impl Iterator<Item = &'static str> {
    ORDINARY
        .iter()
        .chain(MATE_IN_ONE)
        .chain(STALEMATE_POSSIBLE)
        .copied()
}

async fn start(subject: &Subject) -> Result<CheckSession, CheckFailure> {
    let session = CheckSession::start(subject).await?;
    if session.manifest().capabilities.max_trace_nodes == 0 {
        return Err(CheckFailure::skipped("the AI declares no trace"));
    }
    Ok(session)
}

async fn search_with_trace(
    session: &mut CheckSession,
    game: &Game,
) -> Result<FoundMove, CheckFailure> {
    let trace_nodes = session
        .manifest()
        .capabilities
        .max_trace_nodes
        .min(MAX_NODES);
    let params = SearchParams {
        trace_nodes,
        ..SearchParams::default()
    };
    session.search_with_params(game, LIMIT, params, None).await
}

async fn legal(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = start(subject).await?;
    let mut longest = 0;
    for fen in positions() {
        let game = game(fen);
        let found = search_with_trace(&mut session, &game).await?;
        longest = longest.max(found.result.trace.len());
        check_nodes(&game, &found.result.trace, |_, _| None)?;
    }
    Ok(Passed::with_note(format!(
        "the longest trace has {longest} nodes"
    )))
}

async fn root(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = start(subject).await?;
    for fen in positions() {
        let result = search_with_trace(&mut session, &game(fen)).await?.result;
        let Some(root) = result.trace.first() else {
            return Err(CheckFailure::failed(
                format!(
                    "{fen}: returned no trace that begins with a root, although a trace was \
                     requested"
                ),
                "put the root first into trace of the result, without a parent, and each other \
                 node after its parent",
            ));
        };
        if root.score != result.score {
            return Err(CheckFailure::failed(
                format!(
                    "{fen}: the score of the result is {}, but the score of the trace root is {}",
                    result.score, root.score
                ),
                "trace the iteration that produced the result",
            ));
        }
    }
    Ok(Passed::WITHOUT_NOTE)
}

async fn endings(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = start(subject).await?;
    let mut count = 0;
    for fen in positions() {
        let game = game(fen);
        let found = search_with_trace(&mut session, &game).await?;
        check_nodes(&game, &found.result.trace, |node, position| {
            let in_check = match node.kind {
                NodeKind::Checkmate => true,
                NodeKind::Stalemate => false,
                _ => return None,
            };
            count += 1;
            let is_correct = legal_moves(position).is_empty() && position.in_check() == in_check;
            (!is_correct).then(|| format!("is marked {:?}, but the position is not", node.kind))
        })?;
    }
    Ok(Passed::with_note(format!("{count} mates and stalemates")))
}

async fn changes_nothing(subject: &Subject) -> Result<Passed, CheckFailure> {
    const REMEDY: &str =
        "record the search as it runs, and let nothing else depend on trace_nodes of the request";
    let (mut plain, mut tracing) = (CheckSession::start(subject).await?, start(subject).await?);
    for fen in positions() {
        let game = game(fen);
        let without = plain.fingerprint(&game, LIMIT).await?;
        let with = search_with_trace(&mut tracing, &game).await?.fingerprint();
        let equal = without.must_equal(&with, &game, "with a trace");
        equal.map_err(|failure| CheckFailure {
            remedy: Some(REMEDY),
            ..failure
        })?;
    }
    Ok(Passed::WITHOUT_NOTE)
}

/// Checks that the move of each node is legal in its parent's position, and that `fault` finds
/// nothing.
fn check_nodes(
    game: &Game,
    trace: &[TraceNode],
    mut fault: impl FnMut(&TraceNode, &ai_api::Position) -> Option<String>,
) -> Result<(), CheckFailure> {
    let mut positions = Vec::with_capacity(trace.len());
    for (index, node) in trace.iter().enumerate() {
        let position = match positions.get(node.parent as usize) {
            None => *game.position(),
            Some(parent) if is_legal(parent, node.chosen) => play(parent, node.chosen),
            Some(_) => {
                let reason = format!(
                    "{}: the move {} of trace node {index} is illegal in the position of its \
                     parent",
                    fen_of(game),
                    node.chosen
                );
                return Err(CheckFailure::failed(
                    reason,
                    "record the parent of each node and the move from that parent",
                ));
            }
        };
        if let Some(fault) = fault(node, &position) {
            let reason = format!("{}: trace node {index} {fault}", fen_of(game));
            return Err(CheckFailure::failed(
                reason,
                "set the kind of a node only after looking for legal moves and check",
            ));
        }
        positions.push(position);
    }
    Ok(())
}

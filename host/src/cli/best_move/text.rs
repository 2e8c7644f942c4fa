//! The reply and its progress as text.

use api::{calls::best_move::BestMoveReply, replies::game::ScoreReply, search_progress::InfoReply};

/// The maximum number of moves in a line of progress.
const PROGRESS_MOVES: usize = 12;

pub(super) fn progress_text(info: &InfoReply) -> String {
    let InfoReply {
        depth, nodes, san, ..
    } = info;
    let line = san
        .iter()
        .take(PROGRESS_MOVES)
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(" ");
    format!(
        "depth {depth:>2}  {}  {nodes} nodes  {line}",
        score_text(info.score)
    )
}

pub(crate) fn score_text(score: ScoreReply) -> String {
    match score {
        ScoreReply::Cp(value) => format!("{:+.2}", f64::from(value) / 100.0),
        ScoreReply::Mate(moves) => format!("#{moves}"),
    }
}

pub(super) fn reply_text(reply: &BestMoveReply) -> String {
    let score = score_text(reply.score);
    let Some(chosen) = &reply.chosen else {
        let status = &reply.game.status;
        return format!(
            "the game is over: {} ({})",
            status.state,
            status.reason.unwrap_or_default()
        );
    };
    let search = &reply.search;
    let best = format!(
        "{}  {}  {score} for White  depth {}  {} nodes  {} ms  {}",
        chosen.uci,
        chosen.san,
        search.depth,
        search.nodes,
        search.time_ms,
        search.pv.join(" ")
    );
    let others = search.lines.iter().flatten().skip(1).filter_map(|line| {
        let (uci, san) = (line.pv.first()?, line.san.first()?);
        Some(format!(
            "\n{uci}  {san}  {} for White  depth {}  {}",
            score_text(line.score),
            line.depth,
            line.pv.join(" ")
        ))
    });
    best + &others.collect::<String>()
}

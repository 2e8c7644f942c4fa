//! Claims about the terms of an AI's evaluation.

use ai_api::{EvalTerm, Move};
use claims::{Claim, quiet_part};
use pool::Ai;
use rules::Game;

use crate::{client::Client, options::RequestedOptions, report::Report, service::GameService};

/// The maximum number of term claims per move.
const MAX_TERMS: usize = 2;
/// The term for the unnamed part of an evaluation.
const REST: &str = "rest";
/// The smallest drop worth claiming, in centipawns.
const LEAST_CHANGE: i32 = 40;

impl GameService {
    /// Adds claims about worse evaluation terms to bad moves that have no other claim. An AI that
    /// can't evaluate, or fails, adds none.
    pub(crate) async fn add_term_claims(
        &self,
        client: &Client,
        report: &mut Report<'_>,
        games: &[Game],
        options: &RequestedOptions,
    ) {
        let ai = report.responder.ai;
        if !ai.about.evaluator {
            return;
        }
        for (game, found) in games.iter().zip(&mut report.games) {
            let unexplained = found.moves.iter_mut().filter(|judged| {
                judged.judgement.is_some() && judged.claims.is_empty() && !judged.reply.is_empty()
            });
            for judged in unexplained {
                let Some(best) = &judged.best else { continue };
                let after = rules::play(&judged.position, judged.played);
                let turn = judged.position.turn();
                let lines = quiet_part(&after, &judged.reply, turn)
                    .zip(quiet_part(&judged.position, &best.pv, turn))
                    .filter(|(line, instead)| !line.is_empty() && !instead.is_empty());
                let Some((line, instead)) = lines else {
                    continue;
                };
                let worse = self
                    .terms_at(client, ai, game, (judged.ply, line), options)
                    .await;
                let better = self
                    .terms_at(client, ai, game, (judged.ply - 1, instead), options)
                    .await;
                let (Some(worse), Some(better)) = (worse, better) else {
                    return;
                };
                let sign = judged.position.turn().sign();
                let worse = changes(&worse, &better, sign).into_iter();
                judged.claims = worse
                    .map(|(term, change)| {
                        Claim::evaluation_term(term, change, line.to_vec(), instead.to_vec())
                    })
                    .collect();
            }
        }
    }

    /// Returns the terms of the position after some moves of a game and a line; `None` if the AI
    /// reports fewer than two terms, or a fallback answered.
    async fn terms_at(
        &self,
        client: &Client,
        ai: &Ai,
        game: &Game,
        (ply, line): (usize, &[Move]),
        options: &RequestedOptions,
    ) -> Option<Vec<EvalTerm>> {
        let mut game = game.until(ply);
        for &chosen in line {
            game.play(chosen).ok()?;
        }
        let (_, terms, responder) = self.evaluate(client, ai, &game, options).await.ok()?;
        (terms.len() > 1 && responder.ai.id == ai.id).then_some(terms)
    }
}

/// Returns the terms that became worse for a side, the worst first.
fn changes(worse: &[EvalTerm], better: &[EvalTerm], sign: i32) -> Vec<(String, i32)> {
    let mut changes: Vec<_> = better
        .iter()
        .filter_map(|before| {
            let after = worse
                .iter()
                .find(|after| after.name == before.name && after.name != REST)?;
            let change = sign * (after.score.value() - before.score.value());
            (change <= -LEAST_CHANGE).then(|| (before.name.clone(), change))
        })
        .collect();
    changes.sort_by_key(|(_, change)| *change);
    changes.truncate(MAX_TERMS);
    changes
}

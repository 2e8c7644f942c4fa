//! Claims that need more than the rules and a line: tablebases, a second line, and the terms of an
//! AI's evaluation.

use ai_api::{EvalTerm, Move, TableProbe};
use claims::{Claim, Evidence, Judged, quiet_part};
use pool::Ai;
use rules::Game;

use crate::{
    client::Client,
    judgement::{Judgement, loss, winning_chances},
    options::RequestedOptions,
    play::{ChosenMove, Played},
    report::Report,
    service::GameService,
};

/// The most terms that a move is said to make worse.
const MAX_TERMS: usize = 2;
/// The name of what no term of an evaluation names.
const REST: &str = "rest";
/// A smaller change of a term says nothing, in centipawns.
const LEAST_CHANGE: i32 = 25;

/// What a table says about a move.
pub(crate) fn table_claims(table: &TableProbe, played: Move) -> Vec<Claim> {
    let result_of = |is_played: bool| {
        let results = table.moves.iter();
        results
            .filter(move |found| (found.chosen == played) == is_played)
            .map(|found| found.result)
            .max()
    };
    match (result_of(true), result_of(false)) {
        (Some(after), _) if after < table.result => {
            vec![Claim::tablebase_result(table.result, after)]
        }
        (Some(after), Some(others)) if others < after => {
            vec![Claim::only_move(Evidence::Tablebase)]
        }
        _ => Vec::new(),
    }
}

/// Returns whether a move captures where the opponent has just captured, after this many half-moves
/// of a game.
pub(crate) fn recaptures(game: &Game, plies: usize, chosen: Move) -> bool {
    let Some(last) = plies.checked_sub(1) else {
        return false;
    };
    let answered = game.moves()[last];
    answered.to() == chosen.to() && game.until(last).position().is_capture(answered)
}

/// Why an AI chose its move, and why its second line is worse.
#[derive(Debug)]
pub struct Reasons {
    /// About the chosen move.
    pub claims: Vec<Claim>,
    /// `None` if the AI has reported one line.
    pub second: Option<SecondMove>,
}

/// The first move of an AI's second line.
#[derive(Debug)]
pub struct SecondMove {
    pub chosen: Move,
    /// `None` if it is as good.
    pub judgement: Option<Judgement>,
    /// Why it is worse.
    pub claims: Vec<Claim>,
}

/// Returns why an AI chose its move. `game` is the game before it.
pub fn reasons(game: &Game, played: &Played) -> Option<Reasons> {
    let ChosenMove {
        position,
        chosen,
        pv,
        search,
    } = played.chosen.as_ref()?;
    let second_line = search
        .lines
        .iter()
        .find(|line| line.moves.first() != Some(chosen));
    let best = Judged {
        before: position,
        played: *chosen,
        recaptures: recaptures(game, game.moves().len(), *chosen),
        reply: pv.get(1..).unwrap_or_default(),
        better: &[],
        second: second_line.map_or(&[], |line| &line.moves),
        scores: [Some(played.score); 2],
        is_bad: false,
    };
    let mut claims = claims::claims(&best);
    let second = second_line.and_then(|line| {
        let (&alternative, reply) = line.moves.split_first()?;
        let scores = [played.score, line.score];
        let [before, after] = scores.map(winning_chances);
        let judgement = Judgement::of_loss(loss(position.turn(), before, after));
        let worse = Judged {
            played: alternative,
            reply,
            better: pv,
            second: &[],
            scores: scores.map(Some),
            is_bad: judgement.is_some(),
            ..best
        };
        Some(SecondMove {
            chosen: alternative,
            judgement,
            claims: claims::claims(&worse),
        })
    });
    let judgement = second.as_ref().and_then(|second| second.judgement);
    if judgement == Some(Judgement::Blunder) {
        claims.push(Claim::only_move(Evidence::Lines));
    }
    Some(Reasons { claims, second })
}

impl GameService {
    /// Adds what becomes worse in the AI's own evaluation to bad moves about which nothing else is
    /// known. An AI that can't evaluate, or fails, adds nothing.
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
                let line = quiet_part(&after, &judged.reply);
                let instead = quiet_part(&judged.position, &best.pv);
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
    /// has none.
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
        let (_, terms, _) = self.evaluate(client, ai, &game, options).await.ok()?;
        (terms.len() > 1).then_some(terms)
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

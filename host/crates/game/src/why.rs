//! Claims that need more than the rules and a line: tablebases, earlier moves, and a second line.

use ai_api::{Move, Position, Role, TableProbe};
use claims::{Claim, Evidence, Judged, MateEffort};
use rules::Game;

use crate::{
    judgement::{Judgement, loss, winning_chances},
    play::{ChosenMove, Played},
};

/// Returns what a table says about a move.
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

/// Returns the piece that a move captures. A pawn captured en passant is not on the target square.
pub(crate) fn captured(position: &Position, chosen: Move) -> Option<Role> {
    let is_capture = position.is_capture(chosen);
    is_capture.then(|| position.role_at(chosen.to()).unwrap_or(Role::Pawn))
}

/// Why an AI chose its move, and why its second line is worse.
#[derive(Debug)]
pub struct Reasons {
    /// The claims about the chosen move.
    pub claims: Vec<Claim>,
    /// `None` if the AI has reported only one line.
    pub second: Option<SecondMove>,
}

/// The first move of an AI's second line.
#[derive(Debug)]
pub struct SecondMove {
    pub chosen: Move,
    /// `None` if the move loses less than 5 points.
    pub judgement: Option<Judgement>,
    /// Why the move is worse.
    pub claims: Vec<Claim>,
}

/// Returns why an AI chose its move. `game` is the game before the move.
pub fn reasons(game: &Game, played: &Played) -> Option<Reasons> {
    let ChosenMove {
        position,
        chosen,
        pv,
        search,
    } = played.chosen.as_ref()?;
    let last = game.moves().len().checked_sub(1);
    let second_line = search
        .lines
        .iter()
        .find(|line| line.moves.first() != Some(chosen));
    let best = Judged {
        before: position,
        played: *chosen,
        lost_before: last.and_then(|last| {
            let before = game.until(last);
            captured(before.position(), game.moves()[last])
        }),
        reply: pv.get(1..).unwrap_or_default(),
        better: &[],
        second: second_line.map_or(&[], |line| &line.moves),
        scores: [Some(played.score); 2],
        is_bad: false,
    };
    let mut effort = MateEffort::default();
    let mut claims = claims::claims(&best, &mut effort);
    let second = second_line.and_then(|line| {
        let (&alternative, reply) = line.moves.split_first()?;
        let scores = [played.score, line.score];
        let [before, after] = scores.map(winning_chances);
        let mated = rules::play(position, alternative);
        let judgement = Judgement::of_loss(loss(position.turn(), before, after))
            .filter(|_| !mated.in_check() || rules::has_legal_move(&mated));
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
            claims: claims::claims(&worse, &mut effort),
        })
    });
    let judgement = second.as_ref().and_then(|second| second.judgement);
    if judgement == Some(Judgement::Blunder) {
        claims.push(Claim::only_move(Evidence::Lines));
    }
    Some(Reasons { claims, second })
}

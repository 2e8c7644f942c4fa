//! A judged move in a game.

use crate::{
    replies::{
        claim::ClaimReply,
        game::{MoveReply, OpeningReply, ScoreReply},
        search::notations,
    },
    words::{GlyphWord, JudgementWord},
};
use game::{
    JudgedMove,
    judgement::{Judgement, rounded},
};
use serde::Serialize;
use utoipa::ToSchema;

/// A judged move in a game.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct JudgedReply {
    /// The number of the half-move, from 1.
    pub ply: usize,
    /// The move.
    #[serde(rename = "move")]
    pub played: MoveReply,
    /// The opening, for every move up to the game's last position that is in the list of openings.
    /// The AI judges these moves like any other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opening: Option<OpeningReply>,
    /// The score before the move, from White's point of view, or `null` if no search found one.
    #[schema(required)]
    pub score: Option<ScoreReply>,
    /// The score after the move, from White's point of view, or `null` if no search found one.
    #[schema(required)]
    pub score_after: Option<ScoreReply>,
    /// White's winning chances before and after the move, in percent.
    pub winning_chances: WinningChancesReply,
    /// The winning chances that the move lost for its side, in percentage points. `null` if a score
    /// is missing.
    #[schema(required)]
    pub loss: Option<f64>,
    /// `inaccuracy` for a loss of at least 5 points, `mistake` for 10, `blunder` for 20. `null` for
    /// a good move, for the only legal move, and if `loss` is `null`.
    #[schema(required, value_type = Option<JudgementWord>)]
    pub judgement: Option<&'static str>,
    /// The judgement as an annotation symbol: `?!`, `?` or `??`.
    #[schema(required, value_type = Option<GlyphWord>)]
    pub glyph: Option<&'static str>,
    /// The AI's move and line, if the AI chose another move. The AI's own choice loses nothing.
    #[schema(required)]
    pub best: Option<BestReply>,
    /// The accuracy of the move in percent. It is `null` for a forced move or if `loss` is `null`.
    /// Such a move does not count.
    #[schema(required)]
    pub accuracy: Option<f64>,
    /// Why the move is good or bad, the strongest reason first. In a stream, only the last record
    /// has reasons from the AI's evaluation terms.
    pub claims: Vec<ClaimReply>,
}

/// White's winning chances in percent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
pub struct WinningChancesReply {
    /// The chances before the move, or `null` if there is no score.
    #[schema(required)]
    pub before: Option<f64>,
    /// The chances after the move, or `null` if there is no score.
    #[schema(required)]
    pub after: Option<f64>,
}

/// The best move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct BestReply {
    /// The move.
    #[serde(rename = "move")]
    pub chosen: MoveReply,
    /// The line of play in UCI.
    pub pv: Vec<String>,
    /// The same moves in SAN.
    pub san: Vec<String>,
}

/// A judged move, with the progress of the report.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct JudgedRecord {
    /// The move.
    #[serde(flatten)]
    pub judged: JudgedReply,
    /// The index of the game, from 0, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
    /// The number of judged moves in all games.
    pub done: usize,
    /// The number of moves in all games.
    pub of: usize,
}

impl JudgedReply {
    pub fn new(judged: &JudgedMove, opening: Option<OpeningReply>) -> Self {
        let [before, after] = judged.winning_chances.map(|chances| chances.map(rounded));
        let best = judged.best.as_ref().map(|best| {
            let (pv, san) = notations(&best.position, &best.pv);
            BestReply {
                chosen: MoveReply::new(&best.position, best.chosen),
                pv,
                san,
            }
        });
        Self {
            ply: judged.ply,
            played: MoveReply::new(&judged.position, judged.played),
            opening,
            score: judged.score.map(Into::into),
            score_after: judged.score_after.map(Into::into),
            winning_chances: WinningChancesReply { before, after },
            loss: judged.loss,
            judgement: judged.judgement.map(Judgement::name),
            glyph: judged.judgement.map(Judgement::glyph),
            best,
            accuracy: judged.accuracy,
            claims: ClaimReply::list(&judged.position, judged.played, &judged.claims),
        }
    }
}

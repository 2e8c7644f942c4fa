//! A game's theory: its moves up to the last position that is in the list of openings.

use claims::Claim;
use formats::eco::Opening;
use game::JudgedMove;
use rules::Game;

use crate::replies::{claim::ClaimReply, game::OpeningReply, judged::JudgedReply};

/// The opening after each move of a game's theory.
pub(crate) struct Theory(Vec<Option<Opening>>);

impl Theory {
    pub(crate) fn of(game: &Game) -> Self {
        Self(Opening::theory(game))
    }

    /// Describes a judged move of the game.
    pub(crate) fn judged(&self, judged: &JudgedMove) -> JudgedReply {
        let opening_after = |ply: usize| {
            let place = ply.checked_sub(1)?;
            self.0.get(place).copied().flatten()
        };
        let opening = opening_after(judged.ply);
        let mut reply = JudgedReply::new(judged, opening.map(OpeningReply::from));
        if judged.ply == self.0.len() + 1
            && let Some(last) = opening_after(judged.ply - 1)
        {
            let claim = Claim::leaves_theory(last.name.to_owned());
            let claims = ClaimReply::list(&judged.position, judged.played, &[claim]);
            reply.claims.extend(claims);
        }
        reply
    }
}

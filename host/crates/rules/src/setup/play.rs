//! Moves in any arrangement of pieces.

use ai_api::{Move, Role, Square};

use super::Setup;
use crate::{
    illegal::refusal,
    play,
    uci::{MoveError, castling_as_king_takes_rook, read_uci},
};

impl Setup {
    /// Plays a move in UCI notation. Pins and checks count only if the mover has a king.
    ///
    /// # Errors
    /// The text is not a move, or the move is illegal. The set-up is then unchanged.
    ///
    /// # Examples
    /// ```
    /// // Black has no king.
    /// let fen = "8/2p5/8/3P4/3K4/8/8/8 b - - 0 1";
    /// let mut setup = rules::parse_setup(fen).expect("a well-formed FEN");
    /// setup.play_uci("c7c5").expect("a legal move");
    /// assert_eq!(rules::format_setup(&setup), "8/8/8/2pP4/3K4/8/8/8 w - c6 0 2");
    /// ```
    pub fn play_uci(&mut self, text: &str) -> Result<(), MoveError> {
        let written = read_uci(text).ok_or_else(|| MoveError::malformed(text))?;
        let arranged = self.unchecked();
        let is_king = self.piece_at(written.from()) == Some((self.turn, Role::King));
        let chosen = if is_king {
            castling_as_king_takes_rook(&arranged, written)
        } else {
            written
        };
        if let Some(reason) = refusal(&arranged, chosen) {
            return Err(MoveError::Illegal {
                text: text.to_owned(),
                reason,
            });
        }
        self.advance(chosen);
        Ok(())
    }

    /// Plays a move that nothing prevents.
    pub(crate) fn advance(&mut self, chosen: Move) {
        let (from, to) = (chosen.from(), chosen.to());
        let is_pawn = self
            .piece_at(from)
            .is_some_and(|(_, role)| role == Role::Pawn);
        let is_double_push = is_pawn && from.rank().abs_diff(to.rank()) == 2;
        *self = Self::from(&play(&self.unchecked(), chosen));
        // `play` sets the square only if a capture is legal. That depends on a king, which may be
        // missing.
        self.en_passant =
            is_double_push.then(|| Square::new(to.file(), from.rank().midpoint(to.rank())));
    }
}

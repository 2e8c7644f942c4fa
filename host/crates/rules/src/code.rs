//! The codes of issues.

use crate::texts::words;

words! {
    /// The stable code of an issue with a position, a game or a notation. As text, it is the name
    /// in snake case.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[expect(missing_docs, reason = "each is named after a documented issue")]
    pub enum IssueCode {
        MissingKing = "missing_king",
        TooManyKings = "too_many_kings",
        PawnOnBackRank = "pawn_on_back_rank",
        TooMuchMaterial = "too_much_material",
        OpponentInCheck = "opponent_in_check",
        ImpossibleCheck = "impossible_check",
        BadCastlingRights = "bad_castling_rights",
        BadEnPassantSquare = "bad_en_passant_square",
        BadFen = "bad_fen",
        BadBoard = "bad_board",
        IllegalMove = "illegal_move",
        NotOneMove = "not_one_move",
        WrongTurn = "wrong_turn",
        MovesAfterEnd = "moves_after_end",
        BadEpd = "bad_epd",
        BadPgn = "bad_pgn",
    }
}

impl IssueCode {
    /// The codes for a position that is well-formed but illegal.
    pub const OF_POSITIONS: &[Self] = &[
        Self::MissingKing,
        Self::TooManyKings,
        Self::PawnOnBackRank,
        Self::TooMuchMaterial,
        Self::OpponentInCheck,
        Self::ImpossibleCheck,
        Self::BadCastlingRights,
        Self::BadEnPassantSquare,
    ];
}

//! The codes of issues.

use strum::{IntoStaticStr, VariantNames};

/// The stable code of an issue of a position, a game or a text; its text is the name in snake case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case", const_into_str)]
#[expect(missing_docs, reason = "each is the name of an issue that is documented")]
pub enum IssueCode {
    MissingKing,
    TooManyKings,
    PawnOnBackRank,
    TooMuchMaterial,
    OpponentInCheck,
    ImpossibleCheck,
    BadCastlingRights,
    BadEnPassantSquare,
    BadFen,
    BadBoard,
    IllegalMove,
    NotOneMove,
    WrongTurn,
    MovesAfterEnd,
    BadEpd,
    BadPgn,
}

//! The move between two boards.

use ai_api::{Bitboard, CastlingSide, Color, Move, Position, Role, Square};

use crate::{
    is_legal, movegen::any_move, names::title, placement::Placement, play, setup::Setup,
    why_illegal,
};

/// A legal move and the position after it.
pub(super) struct Join {
    pub(super) chosen: Move,
    pub(super) after: Position,
}

/// Finds the legal move that leads from a position to the next board. There is at most one: the
/// squares that the mover left and reached determine it.
pub(super) fn find_move(position: &Position, next: &Placement) -> Option<Join> {
    let chosen = match plain_move(&Placement::of(position), position.turn(), next) {
        Some(chosen) => chosen,
        None => castling(position, next)?,
    };
    let after = is_legal(position, chosen).then(|| play(position, chosen))?;
    (Placement::of(&after) == *next).then_some(Join { chosen, after })
}

/// The move of the only piece that left its square.
pub(super) fn plain_move(before: &Placement, mover: Color, next: &Placement) -> Option<Move> {
    let from = only(before.color(mover) & !next.color(mover))?;
    let to = only(next.color(mover) & !before.color(mover))?;
    let became = |role| next.role(role).contains(to);
    let promotes = before.role(Role::Pawn).contains(from) && !became(Role::Pawn);
    let promotion = Role::PROMOTIONS
        .into_iter()
        .find(|&role| promotes && became(role));
    Some(any_move(from, to, promotion))
}

/// The castling move that leads to the king's square on the next board.
fn castling(position: &Position, next: &Placement) -> Option<Move> {
    let (turn, king) = (position.turn(), position.king(position.turn()));
    let side = match next.king(turn)?.file() {
        6 => CastlingSide::King,
        2 => CastlingSide::Queen,
        _ => return None,
    };
    let file = position.castling().rook_file(turn, side)?;
    Some(Move::new(king, Square::new(file, king.rank())))
}

fn only(squares: Bitboard) -> Option<Square> {
    if squares.has_several() {
        None
    } else {
        squares.first()
    }
}

/// The target of the en passant capture that the boards show, if any.
pub(super) fn en_passant_target(
    before: &Placement,
    mover: Color,
    next: &Placement,
) -> Option<Square> {
    let chosen = plain_move(before, mover, next)?;
    let (from, to) = (chosen.from(), chosen.to());
    let captured = Square::new(to.file(), from.rank());
    let is_en_passant = before.at(from) == Some((mover, Role::Pawn))
        && from.file() != to.file()
        && before.at(captured) == Some((!mover, Role::Pawn))
        && next.at(captured).is_none();
    is_en_passant.then_some(to)
}

/// Explains why no legal move leads from a position to the next board.
pub(super) fn refusal(position: &Position, next: &Placement) -> String {
    let before = Placement::of(position);
    let mover = position.turn();
    if before == *next {
        return "this board equals the one before; expected one move between them".to_owned();
    }
    if let Some(chosen) = plain_move(&before, !mover, next)
        && let Some(other) = with_turn(position, !mover)
        && find_move(&other, next).is_some()
    {
        return format!(
            "{} has moved ({chosen}), but it was {}'s turn",
            title(!mover),
            title(mover)
        );
    }
    if let Some(chosen) = plain_move(&before, mover, next)
        && moved(&before, chosen) == *next
        && let Some(reason) = why_illegal(position, chosen)
    {
        return format!("no legal move leads to this board: {chosen} is illegal: {reason}");
    }
    let changed: Vec<String> = Square::all()
        .filter(|&square| before.at(square) != next.at(square))
        .map(|square| square.to_string())
        .collect();
    format!(
        "no legal move of {} leads to this board; {} squares differ from the one before: {}",
        title(mover),
        changed.len(),
        changed.join(", ")
    )
}

fn with_turn(position: &Position, turn: Color) -> Option<Position> {
    let mut setup = Setup::from(position);
    setup.turn = turn;
    setup.en_passant = None;
    setup.into_position().ok()
}

/// The pieces after a move, legal or not.
fn moved(before: &Placement, chosen: Move) -> Placement {
    let mut after = *before;
    if let Some((color, role)) = after.take(chosen.from()) {
        after.put(chosen.to(), color, chosen.promotion().unwrap_or(role));
    }
    after
}

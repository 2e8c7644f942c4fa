//! The rules as a vtable for AIs.

use ai_api::{Bitboard, Color, Move, MoveList, Position, RulesVtable, Square};

use crate::{attacks, movegen, outcome, play};

/// The rules of this crate as the vtable for AIs.
pub static RULES: RulesVtable = RulesVtable {
    size: size_of::<RulesVtable>(),
    legal_moves,
    legal_captures,
    has_legal_move,
    count_legal_moves,
    is_insufficient_material,
    play: play_move,
    pass: pass_turn,
    is_legal,
    attackers,
    gives_check,
};

extern "C" fn legal_moves(position: &Position, list: &mut MoveList) {
    movegen::list_legal_moves(position, list);
}

extern "C" fn legal_captures(position: &Position, list: &mut MoveList) {
    movegen::list_legal_captures(position, list);
}

extern "C" fn has_legal_move(position: &Position) -> bool {
    movegen::has_legal_move(position)
}

extern "C" fn count_legal_moves(position: &Position, color: Color) -> u32 {
    movegen::count_legal_moves(position, color)
}

extern "C" fn is_insufficient_material(position: &Position) -> bool {
    outcome::is_insufficient_material(position)
}

extern "C" fn play_move(position: &Position, chosen: Move, next: &mut Position) {
    play::play_into(position, chosen, next);
}

extern "C" fn pass_turn(position: &Position, next: &mut Position) -> bool {
    play::pass(position).map(|passed| *next = passed).is_some()
}

extern "C" fn is_legal(position: &Position, chosen: Move) -> bool {
    movegen::is_legal(position, chosen)
}

extern "C" fn attackers(position: &Position, square: Square, color: Color) -> Bitboard {
    let parts = position.parts();
    attacks::attackers(&parts.roles, &parts.colors, square, color)
}

extern "C" fn gives_check(position: &Position, chosen: Move) -> bool {
    play::gives_check(position, chosen)
}

//! Attacked squares, pins, and the pieces and squares in danger.

use ai_api::{Bitboard, Color, Position, Role, Square};
use ai_attacks::{attackers, attacks_on_empty_board, between, is_dangerous};

use crate::legal_moves;

/// A piece that can't leave the line between its king and an attacker without exposing the king.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pin {
    /// The pinned piece.
    pub square: Square,
    /// The piece that pins it.
    pub by: Square,
    /// The squares between the king and `by`, and the square of `by`.
    pub line: Bitboard,
}

/// Returns the value of a role in pawns. A king is worth more than all other pieces together.
pub const fn worth(role: Role) -> i32 {
    match role {
        Role::Pawn => 1,
        Role::Knight | Role::Bishop => 3,
        Role::Rook => 5,
        Role::Queen => 9,
        Role::King => 100,
    }
}

/// Returns the pieces of each side that attack a square, including pinned pieces. White's come
/// first.
///
/// # Examples
/// ```
/// let position = rules::parse_fen("4k3/8/8/8/4n3/3B4/8/4K3 w - - 0 1").expect("a legal position");
/// let [white, black] = rules::attackers_of(&position, "e4".parse()?);
/// assert_eq!((white.first(), black.first()), (Some("d3".parse()?), None));
/// # Ok::<(), ai_api::ParseSquareError>(())
/// ```
pub fn attackers_of(position: &Position, square: Square) -> [Bitboard; 2] {
    let all = attackers(position, square, position.occupied());
    Color::ALL.map(|color| all & position.color(color))
}

/// Returns the pinned pieces of both sides.
pub fn pins(position: &Position) -> Vec<Pin> {
    let occupied = position.occupied();
    let of_king = |color: Color| {
        let king = position.king(color);
        let pin = move |by: Square| {
            let way = between(king, by);
            let blockers = way & occupied;
            let square = blockers.first().filter(|_| !blockers.has_several())?;
            let sees_king = attacks_on_empty_board(position.role_at(by)?, king).contains(by);
            (position.color_at(square) == Some(color) && sees_king).then_some(Pin {
                square,
                by,
                line: way | by.into(),
            })
        };
        position.color(!color).into_iter().filter_map(pin)
    };
    Color::ALL.into_iter().flat_map(of_king).collect()
}

/// Returns the pieces of both sides that are attacked and undefended, or attacked by a cheaper
/// piece. Kings are left out: an attacked king is in check.
pub fn hanging(position: &Position) -> Bitboard {
    let hangs = |&square: &Square| {
        let Some((color, role)) = position.color_at(square).zip(position.role_at(square)) else {
            return false;
        };
        let sides = attackers_of(position, square);
        let (enemies, defenders) = (sides[(!color).index()], sides[color.index()]);
        // A king can't take a defended piece.
        let enemies = if defenders.is_empty() {
            enemies
        } else {
            enemies & !Bitboard::of(position.king(!color))
        };
        let cheapest = enemies
            .into_iter()
            .filter_map(|by| position.role_at(by))
            .map(worth)
            .min();
        role != Role::King
            && cheapest.is_some_and(|cheapest| defenders.is_empty() || cheapest < worth(role))
    };
    position.occupied().into_iter().filter(hangs).collect()
}

/// Returns the squares that the side to move can reach only with pieces that would be lost there or
/// exchanged at a loss.
pub fn dangerous_squares(position: &Position) -> Bitboard {
    let (mut reached, mut safe) = (Bitboard::EMPTY, Bitboard::EMPTY);
    for chosen in legal_moves(position)
        .iter()
        .filter(|chosen| !position.is_castling(**chosen))
    {
        let (from, to) = (chosen.from(), chosen.to());
        reached |= to.into();
        let is_fair = position.role_at(to).is_some_and(|taken| {
            position
                .role_at(from)
                .is_some_and(|by| worth(taken) >= worth(by))
        });
        if is_fair || !is_dangerous(position, from, to, worth) {
            safe |= to.into();
        }
    }
    reached & !safe
}

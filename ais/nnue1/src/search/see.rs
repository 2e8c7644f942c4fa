//! Static exchange evaluation (<https://www.chessprogramming.org/Static_Exchange_Evaluation>).

use ai_api::{Bitboard, Move, Position, Role, Square};
use ai_attacks::{attackers, bishop_attacks, rook_attacks};

use super::value::of_role;

/// Returns whether a legal move gains at least `threshold` after all exchanges on its target. Each
/// side captures with its least valuable piece and may stop at any time.
pub(crate) fn gains(position: &Position, chosen: Move, threshold: i32) -> bool {
    let (from, to) = (chosen.from(), chosen.to());
    if position.is_castling(chosen) {
        return threshold <= 0;
    }
    let mover = position.role_at(from).unwrap_or(Role::Pawn);
    let is_en_passant = mover == Role::Pawn && position.en_passant() == Some(to);
    let taken = match position.role_at(to) {
        Some(role) => of_role(role),
        None if is_en_passant => of_role(Role::Pawn),
        None => 0,
    };
    let placed = chosen.promotion().unwrap_or(mover);
    let promoted = chosen
        .promotion()
        .map_or(0, |role| of_role(role) - of_role(Role::Pawn));
    // How far the gain of the side that moved last exceeds the threshold.
    let mut balance = taken + promoted - threshold;
    if balance < 0 {
        return false;
    }
    balance -= of_role(placed);
    if balance >= 0 {
        return true;
    }
    let mut occupied = position.occupied() & !Bitboard::of(from) | Bitboard::of(to);
    if is_en_passant {
        occupied &= !Bitboard::of(Square::new(to.file(), from.rank()));
    }
    let diagonal = position.role(Role::Bishop) | position.role(Role::Queen);
    let straight = position.role(Role::Rook) | position.role(Role::Queen);
    let mut attackers = attackers(position, to, occupied);
    let mut turn = position.turn();
    loop {
        turn = !turn;
        let own = attackers & position.color(turn);
        let Some((role, square)) = least_valuable(position, own) else {
            break;
        };
        // A king cannot capture a guarded piece.
        if role == Role::King && !(attackers & position.color(!turn)).is_empty() {
            break;
        }
        balance = -balance - 1 - of_role(role);
        occupied &= !Bitboard::of(square);
        if balance >= 0 {
            turn = !turn;
            break;
        }
        if matches!(role, Role::Pawn | Role::Bishop | Role::Queen) {
            attackers |= bishop_attacks(to, occupied) & diagonal;
        }
        if matches!(role, Role::Rook | Role::Queen) {
            attackers |= rook_attacks(to, occupied) & straight;
        }
        attackers &= occupied;
    }
    // The side that cannot continue has lost the exchange.
    turn != position.turn()
}

fn least_valuable(position: &Position, set: Bitboard) -> Option<(Role, Square)> {
    Role::ALL
        .into_iter()
        .find_map(|role| Some((role, (set & position.role(role)).first()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the most that a move can gain.
    fn gain(fen: &str, chosen: &str) -> i32 {
        let position = rules::parse_fen(fen).unwrap();
        let chosen = *rules::legal_moves(&position)
            .iter()
            .find(|of| of.to_string() == chosen)
            .unwrap();
        (-2000..2000)
            .rev()
            .find(|&threshold| gains(&position, chosen, threshold))
            .unwrap()
    }

    #[test]
    fn counts_exchanges_on_a_square() {
        for (fen, chosen, expected) in [
            // An unguarded and a guarded pawn.
            ("4k3/8/8/3p4/8/8/8/3RK3 w - - 0 1", "d1d5", 100),
            ("4k3/8/4p3/3p4/8/8/8/3RK3 w - - 0 1", "d1d5", 100 - 500),
            // A pawn takes a knight and is taken.
            ("4k3/8/4p3/3n4/4P3/8/8/4K3 w - - 0 1", "e4d5", 310 - 100),
            // Rooks behind one another.
            ("3rk3/8/8/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5", 100),
            ("3rk3/3r4/8/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5", 100 - 500),
            // The king takes an unguarded piece, and leaves a guarded one.
            ("8/8/4k3/3p4/8/8/8/3RK3 w - - 0 1", "d1d5", 100 - 500),
            ("8/8/4k3/3p4/8/1B6/8/3RK3 w - - 0 1", "d1d5", 100),
            // En passant, a promotion, a quiet move to a guarded square, castling.
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 100),
            ("8/P3k3/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", 860),
            ("4k3/8/4p3/8/8/8/8/3RK3 w - - 0 1", "d1d5", -500),
            ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1h1", 0),
        ] {
            assert_eq!(gain(fen, chosen), expected, "{fen} {chosen}");
        }
    }
}

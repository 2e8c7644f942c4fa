//! The Zobrist hash of positions.

use ai_api::{CastlingRights, CastlingSide, Color, PositionParts, Role, Square};

/// One random number for each feature that distinguishes positions.
struct Keys {
    /// By color, role index and square. There are two more roles than needed, so that any three
    /// bits are a valid index.
    pieces: [[[u64; 64]; 8]; 2],
    /// By color and file of the rook; the king's square determines the side.
    castling: [[u64; 8]; 2],
    en_passant: [u64; 8],
    turn: u64,
}

static KEYS: Keys = keys();

/// Splitmix64 from a fixed seed, so that hashes are the same in every build.
const fn keys() -> Keys {
    const fn next(state: &mut u64) -> u64 {
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = *state;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }
    const fn fill(keys: &mut [u64], state: &mut u64) {
        let mut index = 0;
        while index < keys.len() {
            keys[index] = next(state);
            index += 1;
        }
    }
    let mut state = 0x526f_6f6b_6572_7921;
    let mut keys = Keys {
        pieces: [[[0; 64]; 8]; 2],
        castling: [[0; 8]; 2],
        en_passant: [0; 8],
        turn: 0,
    };
    let mut color = 0;
    while color < 2 {
        let mut role = 0;
        while role < 6 {
            fill(&mut keys.pieces[color][role], &mut state);
            role += 1;
        }
        fill(&mut keys.castling[color], &mut state);
        color += 1;
    }
    fill(&mut keys.en_passant, &mut state);
    keys.turn = next(&mut state);
    keys
}

/// The key of a piece on a square.
#[inline]
pub(crate) fn piece(color: Color, role: Role, square: Square) -> u64 {
    piece_by_index(color, role.index(), square)
}

/// The key of a piece, by the index of its role.
#[inline]
pub(crate) fn piece_by_index(color: Color, role: usize, square: Square) -> u64 {
    KEYS.pieces[color.index()][role & 7][square.index()]
}

/// The key of Black's turn.
#[inline]
pub(crate) fn turn() -> u64 {
    KEYS.turn
}

/// The key of a legal en passant capture's file; 0 if `file` is 8 or more.
#[inline]
pub(crate) fn en_passant(file: u8) -> u64 {
    KEYS.en_passant.get(usize::from(file)).copied().unwrap_or(0)
}

/// The key of the castling rights of both sides.
#[inline]
pub(crate) fn castling(rights: CastlingRights) -> u64 {
    let mut hash = 0;
    for color in Color::ALL {
        for side in CastlingSide::ALL {
            if let Some(file) = rights.rook_file(color, side) {
                hash ^= castling_rook(color, file);
            }
        }
    }
    hash
}

/// The key of the right to castle with the rook on a file.
#[inline]
pub(crate) fn castling_rook(color: Color, file: u8) -> u64 {
    KEYS.castling[color.index()][usize::from(file & 7)]
}

/// Computes the hash of placement, turn, castling rights and en passant file. Ignores `parts.hash`.
/// `parts.en_passant_file` must name a legal capture or none.
pub(crate) fn hash(parts: &PositionParts) -> u64 {
    let mut hash = castling(parts.castling) ^ en_passant(parts.en_passant_file);
    if parts.turn == Color::Black {
        hash ^= turn();
    }
    for color in Color::ALL {
        for role in Role::ALL {
            for square in parts.colors[color.index()] & parts.roles[role.index()] {
                hash ^= piece(color, role, square);
            }
        }
    }
    hash
}

//! Training positions with their known results.

use ai_api::{Color, Position, Role, Square};
use rules::Setup;

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameResult {
    BlackWins,
    Draw,
    WhiteWins,
}

/// The source of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A position from a game.
    Game,
    /// A position from a search tree.
    Leaf,
}

/// A position with the score of a search and the result of its game. Castling rights and en passant
/// are omitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    occupied: u64,
    /// Four bits for each occupied square, lowest first: the role, plus 8 for Black.
    pieces: u128,
    pub turn: Color,
    pub origin: Origin,
    /// For White, in centipawns.
    pub score: i16,
    pub result: GameResult,
}

impl Sample {
    /// The size of a sample in a file.
    pub const BYTES: usize = 28;

    pub fn new(position: &Position, origin: Origin, score: i16, result: GameResult) -> Self {
        let occupied = position.occupied();
        let mut pieces = 0;
        // No legal position has more than 32 pieces.
        for (index, square) in occupied.into_iter().enumerate().take(32) {
            let role = position.role_at(square).map_or(0, Role::index);
            let color = position.color_at(square).map_or(0, Color::index);
            pieces |= ((color << 3 | role) as u128) << (4 * index);
        }
        Self {
            occupied: occupied.0,
            pieces,
            turn: position.turn(),
            origin,
            score,
            result,
        }
    }

    /// Returns the pieces, lowest square first.
    #[inline]
    pub fn pieces(&self) -> impl Iterator<Item = (Color, Role, Square)> {
        let mut codes = self.pieces;
        ai_api::Bitboard(self.occupied)
            .into_iter()
            .map(move |square| {
                let code = codes as usize & 15;
                codes >>= 4;
                (Color::ALL[code >> 3], Role::ALL[code & 7], square)
            })
    }

    /// Returns the squares of the kings, by [`Color::index`].
    #[inline]
    pub fn kings(&self) -> [Square; 2] {
        let mut kings = [Square::from_index(0); 2];
        for (color, role, square) in self.pieces() {
            if role == Role::King {
                kings[color.index()] = square;
            }
        }
        kings
    }

    /// Returns the position without castling rights and en passant, or `None` if the bytes of a
    /// file do not describe a legal one.
    pub fn position(&self) -> Option<Position> {
        let mut setup = Setup::empty();
        setup.turn = self.turn;
        for (color, role, square) in self.pieces() {
            setup.put(square, color, role);
        }
        setup.into_position().ok()
    }

    pub fn to_bytes(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&self.occupied.to_le_bytes());
        bytes[8..24].copy_from_slice(&self.pieces.to_le_bytes());
        bytes[24..26].copy_from_slice(&self.score.to_le_bytes());
        bytes[26] = self.result as u8;
        bytes[27] = self.turn as u8 | (self.origin as u8) << 1;
        bytes
    }

    /// Reads a sample. Returns `None` if the bytes are not a valid sample.
    pub fn from_bytes(bytes: &[u8; Self::BYTES]) -> Option<Self> {
        let (occupied, rest) = bytes.split_first_chunk()?;
        let (pieces, rest) = rest.split_first_chunk()?;
        let (score, rest) = rest.split_first_chunk()?;
        let &[result, flags] = rest else { return None };
        let sample = Self {
            occupied: u64::from_le_bytes(*occupied),
            pieces: u128::from_le_bytes(*pieces),
            score: i16::from_le_bytes(*score),
            result: *[
                GameResult::BlackWins,
                GameResult::Draw,
                GameResult::WhiteWins,
            ]
            .get(usize::from(result))?,
            turn: *Color::ALL.get(usize::from(flags & 1))?,
            origin: *[Origin::Game, Origin::Leaf].get(usize::from(flags >> 1))?,
        };
        let is_role = |index: u32| (sample.pieces >> (4 * index)) as usize & 7 < Role::ALL.len();
        let count = sample.occupied.count_ones();
        (count <= 32 && (0..count).all(is_role)).then_some(sample)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIDDLEGAME: &str = "r3k2r/pPppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/P1PBBPPP/R3K2R b - - 0 1";

    fn sample() -> Sample {
        Sample::new(
            &rules::parse_fen(MIDDLEGAME).unwrap(),
            Origin::Leaf,
            -123,
            GameResult::Draw,
        )
    }

    #[test]
    fn keeps_the_pieces_of_a_position() {
        let position = sample().position().unwrap();
        assert_eq!(rules::format_fen(&position), MIDDLEGAME);
        assert_eq!(sample().kings(), Color::ALL.map(|side| position.king(side)));
    }

    #[test]
    fn samples_round_trip_through_bytes() {
        assert_eq!(Sample::from_bytes(&sample().to_bytes()), Some(sample()));
        let start = Sample::new(
            &rules::start_position(),
            Origin::Game,
            i16::MAX,
            GameResult::WhiteWins,
        );
        assert_eq!(Sample::from_bytes(&start.to_bytes()), Some(start));
    }

    #[test]
    fn rejects_bytes_that_are_not_a_sample() {
        for (at, byte) in [(26, 3), (27, 4), (8, 6), (0, 0xff)] {
            let mut bytes = sample().to_bytes();
            bytes[at] = byte;
            assert_eq!(Sample::from_bytes(&bytes), None, "byte {at}");
        }
    }
}

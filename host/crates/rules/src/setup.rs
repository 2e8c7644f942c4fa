//! Arrangements of pieces, and which of them are legal positions.

use std::sync::LazyLock;

use ai_api::{
    Bitboard, CastlingRights, CastlingSide, Color, Position, PositionParts, Role, Square,
};

use crate::{
    ImportNote,
    attacks::set_checkers_and_pinned,
    placement::{Placement, back_rank},
    play::{NO_EN_PASSANT, is_en_passant_legal},
    zobrist,
};

use castling::RequestedRights;
use history::DoublePush;

mod castling;
mod history;
mod issue;
mod material;
mod play;

pub use castling::{CastlingFault, CastlingRook};
pub use history::EnPassantFault;
pub use issue::{FenField, SetupIssue};
pub use material::Excess;

/// An arrangement of pieces with the other parts of a position, legal or not.
///
/// # Examples
/// ```
/// use ai_api::{Color, Role};
/// use rules::{Setup, SetupIssue};
///
/// let mut setup = Setup::empty();
/// setup.put("e1".parse()?, Color::White, Role::King);
/// assert_eq!(setup.into_position(), Err(vec![SetupIssue::MissingKing { color: Color::Black }]));
///
/// setup.put("e8".parse()?, Color::Black, Role::King);
/// assert!(setup.into_position().is_ok());
/// # Ok::<(), ai_api::ParseSquareError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    pub(crate) placement: Placement,
    castling: RequestedRights,
    /// The side to move.
    pub turn: Color,
    /// The square that a pawn has just passed with a double push.
    pub en_passant: Option<Square>,
    /// Plies since the last capture or pawn move.
    pub halfmove_clock: u8,
    /// The move number, from 1. Some programs write 0 for the first move.
    pub fullmove_number: u16,
    /// Whether castling is written as in Chess960 even if orthodox notation could express it.
    pub chess960: bool,
}

/// Returns the start position of orthodox chess.
///
/// # Panics
/// Never: the position is legal.
pub fn start_position() -> Position {
    static START: LazyLock<Position> = LazyLock::new(|| {
        Setup::standard()
            .into_position()
            .expect("the orthodox start is legal")
    });
    *START
}

impl Setup {
    /// Creates an empty board with White to move at the first move.
    pub fn empty() -> Self {
        Self {
            placement: Placement::default(),
            castling: RequestedRights::default(),
            turn: Color::White,
            en_passant: None,
            halfmove_clock: 0,
            fullmove_number: 1,
            chess960: false,
        }
    }

    /// Creates the start position of orthodox chess.
    pub fn standard() -> Self {
        const BACK_RANK: [Role; 8] = [
            Role::Rook,
            Role::Knight,
            Role::Bishop,
            Role::Queen,
            Role::King,
            Role::Bishop,
            Role::Knight,
            Role::Rook,
        ];
        let mut setup = Self::empty();
        for color in Color::ALL {
            for (file, role) in (0..).zip(BACK_RANK) {
                setup.put(Square::new(file, back_rank(color)), color, role);
                setup.put(DoublePush::of(color, file).origin, color, Role::Pawn);
            }
            for side in CastlingSide::ALL {
                setup.allow_castling(color, CastlingRook::Outermost(side));
            }
        }
        setup
    }

    /// Puts a piece on a square, replacing any piece there.
    pub fn put(&mut self, square: Square, color: Color, role: Role) {
        self.placement.put(square, color, role);
    }

    /// Removes the piece from a square and returns it.
    pub fn take(&mut self, square: Square) -> Option<(Color, Role)> {
        self.placement.take(square)
    }

    /// Returns the piece on a square.
    pub fn piece_at(&self, square: Square) -> Option<(Color, Role)> {
        self.placement.at(square)
    }

    /// Adds a castling right. Returns whether it is new.
    pub fn allow_castling(&mut self, color: Color, rook: CastlingRook) -> bool {
        self.castling.add(color, rook)
    }

    /// Converts the set-up into a position to play. Drops an en passant square on which no capture
    /// is legal, and reads move number 0 as 1.
    ///
    /// # Errors
    /// Every issue that makes the position illegal.
    pub fn into_position(self) -> Result<Position, Vec<SetupIssue>> {
        let mut issues = Vec::new();
        let rights = self.check_all(&mut issues);
        if issues.is_empty() {
            Ok(self.position_with(rights))
        } else {
            Err(issues)
        }
    }

    /// Converts the set-up into a position to look at: like [`into_position`](Self::into_position),
    /// but accepts the issues that have a [note](SetupIssue::note). Returns notes on what it
    /// accepted.
    ///
    /// # Errors
    /// Every other issue.
    ///
    /// # Examples
    /// ```
    /// // Two knights give check at once.
    /// let setup = rules::parse_setup("4k3/8/3N1N2/8/8/8/8/5K2 b - - 0 1")?;
    /// assert!(setup.into_position().is_err());
    /// let (position, notes) = setup.into_composed()?;
    /// assert_eq!(rules::perft(&position, 1), 3);
    /// assert_eq!(notes, [rules::ImportNote::ImpossibleCheck]);
    /// # Ok::<(), Vec<rules::SetupIssue>>(())
    /// ```
    pub fn into_composed(self) -> Result<(Position, Vec<ImportNote>), Vec<SetupIssue>> {
        let mut issues = Vec::new();
        let rights = self.check_all(&mut issues);
        let zero = (self.fullmove_number == 0).then_some(ImportNote::MoveNumberZero);
        let notes = zero
            .into_iter()
            .chain(issues.iter().filter_map(SetupIssue::note))
            .collect();
        issues.retain(|issue| issue.note().is_none());
        if issues.is_empty() {
            Ok((self.position_with(rights), notes))
        } else {
            Err(issues)
        }
    }

    /// Adds every issue of the set-up. Returns the castling rights.
    fn check_all(&self, issues: &mut Vec<SetupIssue>) -> CastlingRights {
        self.check(Checks::ALL, issues)
    }

    /// Returns the king of the side to move, if it is in check.
    pub fn checked_king(&self) -> Option<Square> {
        let arranged = self.unchecked();
        arranged.in_check().then(|| arranged.king(self.turn))
    }

    /// Returns a position with these pieces, which may be illegal. It must not leave this crate.
    pub(crate) fn unchecked(&self) -> Position {
        let rights = self.castling.resolve(&self.placement, |_| {});
        self.position_with(rights)
    }

    /// Adds every issue in the parts that `checks` selects. Returns the castling rights.
    pub(crate) fn check(&self, checks: Checks, issues: &mut Vec<SetupIssue>) -> CastlingRights {
        self.check_pieces(issues);
        let sound_material = !issues
            .iter()
            .any(|issue| matches!(issue, SetupIssue::TooMuchMaterial { .. }));
        let rights = if checks.castling {
            self.castling.resolve(&self.placement, |fault| {
                issues.push(SetupIssue::BadCastlingRights(fault));
            })
        } else {
            CastlingRights::NONE
        };
        if checks.turn {
            self.check_checks(rights, sound_material, issues);
        }
        if let (true, true, Some(square)) = (checks.turn, checks.en_passant, self.en_passant) {
            let faults = history::en_passant_faults(&self.placement, self.turn, square);
            issues.extend(
                faults
                    .into_iter()
                    .map(|fault| SetupIssue::BadEnPassantSquare { square, fault }),
            );
        }
        rights
    }

    fn check_pieces(&self, issues: &mut Vec<SetupIssue>) {
        for color in Color::ALL {
            let kings = self.placement.pieces(color, Role::King);
            match kings.count() {
                0 => issues.push(SetupIssue::MissingKing { color }),
                1 => {}
                count => issues.push(SetupIssue::TooManyKings {
                    color,
                    count,
                    kings,
                }),
            }
        }
        for color in Color::ALL {
            let ends = Bitboard::rank(0) | Bitboard::rank(7);
            let strays = self.placement.pieces(color, Role::Pawn) & ends;
            issues.extend(
                strays
                    .into_iter()
                    .map(|square| SetupIssue::PawnOnBackRank { color, square }),
            );
        }
        for color in Color::ALL {
            let excesses = material::excesses(&self.placement, color);
            issues.extend(excesses.map(|excess| SetupIssue::TooMuchMaterial { color, excess }));
        }
    }

    fn check_checks(
        &self,
        rights: CastlingRights,
        sound_material: bool,
        issues: &mut Vec<SetupIssue>,
    ) {
        let (turn, opponent) = (self.turn, !self.turn);
        if let Some(king) = self.placement.king(opponent) {
            let by = self.placement.attackers(king, turn);
            if !by.is_empty() {
                issues.push(SetupIssue::OpponentInCheck {
                    color: opponent,
                    king,
                    by,
                });
            }
        }
        if let Some(king) = self.placement.king(turn) {
            let by = self.placement.attackers(king, opponent) & !self.placement.role(Role::King);
            let explained = by.count() < 2
                || by.count() == 2
                    && (!sound_material
                        || history::explains_double_check(&self.placement, turn, by, rights));
            if !explained {
                issues.push(SetupIssue::ImpossibleCheck {
                    color: turn,
                    king,
                    by,
                });
            }
        }
    }

    fn position_with(&self, castling: CastlingRights) -> Position {
        let orthodox = castling::is_orthodox(&self.placement, castling);
        let mut parts = PositionParts {
            roles: self.placement.roles(),
            colors: self.placement.colors(),
            checkers: Bitboard::EMPTY,
            pinned: Bitboard::EMPTY,
            hash: 0,
            castling,
            en_passant_file: NO_EN_PASSANT,
            halfmove_clock: self.halfmove_clock,
            fullmove_number: self.fullmove_number.max(1),
            turn: self.turn,
            chess960: self.chess960 || self.castling.names_files() || !orthodox,
            reserved: [0; 6],
        };
        set_checkers_and_pinned(&mut parts);
        let (own, enemy) = (
            self.placement.color(self.turn),
            self.placement.color(!self.turn),
        );
        if let Some(square) = self.en_passant
            && (self.placement.king(self.turn).is_none()
                || is_en_passant_legal(&parts.roles, own, enemy, self.turn, square))
        {
            parts.en_passant_file = square.file();
        }
        parts.hash = zobrist::hash(&parts);
        Position::from_parts_unchecked(parts)
    }

    /// Adds a castling right if king and rook are on these squares.
    fn allow_castling_from(
        &mut self,
        color: Color,
        king: Square,
        rook: Square,
        right: CastlingRook,
    ) {
        if self.piece_at(king) == Some((color, Role::King))
            && self.piece_at(rook) == Some((color, Role::Rook))
        {
            self.allow_castling(color, right);
        }
    }

    /// Adds a castling right if king and rook are on their orthodox squares.
    pub(crate) fn allow_orthodox_castling(&mut self, color: Color, side: CastlingSide) {
        let rank = back_rank(color);
        let rook_file = if side == CastlingSide::King { 7 } else { 0 };
        let (king, rook) = (Square::new(4, rank), Square::new(rook_file, rank));
        self.allow_castling_from(color, king, rook, CastlingRook::Outermost(side));
    }

    /// Adds the castling rights of a position whose king and rook are on the same squares here.
    pub(crate) fn keep_castling(&mut self, position: &Position) {
        for color in Color::ALL {
            for side in CastlingSide::ALL {
                let Some(file) = position.castling().rook_file(color, side) else {
                    continue;
                };
                let right = if self.chess960 {
                    CastlingRook::OnFile(file)
                } else {
                    CastlingRook::Outermost(side)
                };
                let rook = Square::new(file, back_rank(color));
                self.allow_castling_from(color, position.king(color), rook, right);
            }
        }
    }
}

impl From<&Position> for Setup {
    fn from(position: &Position) -> Self {
        let mut setup = Self {
            placement: Placement::of(position),
            castling: RequestedRights::default(),
            turn: position.turn(),
            en_passant: position.en_passant(),
            halfmove_clock: position.halfmove_clock(),
            fullmove_number: position.fullmove_number(),
            chess960: position.is_chess960(),
        };
        setup.keep_castling(position);
        setup
    }
}

/// The known parts of a set-up, which are checked in addition to the pieces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Checks {
    pub(crate) turn: bool,
    pub(crate) castling: bool,
    pub(crate) en_passant: bool,
}

impl Checks {
    const ALL: Self = Self {
        turn: true,
        castling: true,
        en_passant: true,
    };
}

pub(crate) const HALFMOVE_CLOCK: &str = "a whole number from 0 to 255";
pub(crate) const FULLMOVE_NUMBER: &str = "a whole number from 1 to 65535";

//! The features counted in a position. An evaluation is the sum of the counts, each multiplied by
//! its weight.

/// A named part of the evaluation. An option can switch off each part except material.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    Material,
    PieceSquares,
    Mobility,
    DoubledPawns,
    IsolatedPawns,
    BackwardPawns,
    PawnIslands,
    PawnChains,
    PassedPawns,
    KingShield,
    KingAttack,
    BishopPair,
    RookFiles,
    RooksOnSeventh,
    DoubledRooks,
    XRays,
    Threats,
    Outposts,
    Tempo,
    BareKing,
}

impl Term {
    pub const ALL: [Self; 20] = [
        Self::Material,
        Self::PieceSquares,
        Self::Mobility,
        Self::DoubledPawns,
        Self::IsolatedPawns,
        Self::BackwardPawns,
        Self::PawnIslands,
        Self::PawnChains,
        Self::PassedPawns,
        Self::KingShield,
        Self::KingAttack,
        Self::BishopPair,
        Self::RookFiles,
        Self::RooksOnSeventh,
        Self::DoubledRooks,
        Self::XRays,
        Self::Threats,
        Self::Outposts,
        Self::Tempo,
        Self::BareKing,
    ];

    /// Returns the name, which is also its option's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Material => "material",
            Self::PieceSquares => "piece_squares",
            Self::Mobility => "mobility",
            Self::DoubledPawns => "doubled_pawns",
            Self::IsolatedPawns => "isolated_pawns",
            Self::BackwardPawns => "backward_pawns",
            Self::PawnIslands => "pawn_islands",
            Self::PawnChains => "pawn_chains",
            Self::PassedPawns => "passed_pawns",
            Self::KingShield => "king_shield",
            Self::KingAttack => "king_attack",
            Self::BishopPair => "bishop_pair",
            Self::RookFiles => "rook_files",
            Self::RooksOnSeventh => "rooks_on_seventh",
            Self::DoubledRooks => "doubled_rooks",
            Self::XRays => "x_rays",
            Self::Threats => "threats",
            Self::Outposts => "outposts",
            Self::Tempo => "tempo",
            Self::BareKing => "bare_king",
        }
    }

    /// Returns a one-line help text for the operator.
    pub const fn help(self) -> &'static str {
        match self {
            Self::Material => "evaluate the number of pieces",
            Self::PieceSquares => "evaluate where pieces stand, relative to the kings",
            Self::Mobility => "evaluate the squares that pieces can go to",
            Self::DoubledPawns => "evaluate pawns behind pawns",
            Self::IsolatedPawns => "evaluate pawns without neighbours",
            Self::BackwardPawns => "evaluate pawns that cannot be supported",
            Self::PawnIslands => "evaluate the number of groups of pawns",
            Self::PawnChains => "evaluate pawns that support each other",
            Self::PassedPawns => "evaluate pawns that no pawn can stop",
            Self::KingShield => "evaluate the pawns in front of the king",
            Self::KingAttack => "evaluate attacks around the king",
            Self::BishopPair => "evaluate two bishops",
            Self::RookFiles => "evaluate rooks on files without pawns",
            Self::RooksOnSeventh => "evaluate rooks on the seventh rank",
            Self::DoubledRooks => "evaluate rooks on the same file",
            Self::XRays => "evaluate attacks through another piece",
            Self::Threats => "evaluate attacks on more valuable and on unguarded pieces",
            Self::Outposts => "evaluate minor pieces that no pawn can expel",
            Self::Tempo => "evaluate the advantage of having the move",
            Self::BareKing => "evaluate how close a king without pieces is to being mated",
        }
    }
}

/// Consecutive features of a term, under one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    pub name: &'static str,
    pub term: Term,
    pub start: usize,
    pub count: usize,
}

impl Group {
    const fn first(name: &'static str, term: Term, count: usize) -> Self {
        Self {
            name,
            term,
            start: 0,
            count,
        }
    }

    const fn then(self, name: &'static str, term: Term, count: usize) -> Self {
        Self {
            name,
            term,
            start: self.end(),
            count,
        }
    }

    /// Returns the overall index of the feature at `index` in the group.
    #[inline]
    pub const fn at(self, index: usize) -> usize {
        self.start + index
    }

    /// Returns the index after the last feature.
    pub const fn end(self) -> usize {
        self.start + self.count
    }
}

/// Pieces by role, without the king.
pub const MATERIAL: Group = Group::first("material", Term::Material, 5);
/// By role and square, from the owner's side, with the owner's king on files e to h.
pub const PIECE_SQUARES: Group = MATERIAL.then("piece_squares", Term::PieceSquares, 6 * 64);
/// By role and square, from the owner's side, with the enemy's king on files e to h.
pub const ENEMY_KING_SQUARES: Group =
    PIECE_SQUARES.then("enemy_king_squares", Term::PieceSquares, 5 * 64);
/// By the number of squares to which the piece can move.
pub const KNIGHT_MOBILITY: Group = ENEMY_KING_SQUARES.then("knight_mobility", Term::Mobility, 9);
pub const BISHOP_MOBILITY: Group = KNIGHT_MOBILITY.then("bishop_mobility", Term::Mobility, 14);
pub const ROOK_MOBILITY: Group = BISHOP_MOBILITY.then("rook_mobility", Term::Mobility, 15);
pub const QUEEN_MOBILITY: Group = ROOK_MOBILITY.then("queen_mobility", Term::Mobility, 28);
pub const DOUBLED: Group = QUEEN_MOBILITY.then("doubled", Term::DoubledPawns, 1);
/// Isolated pawns on a file with enemy pawns, and on a file without.
pub const ISOLATED: Group = DOUBLED.then("isolated", Term::IsolatedPawns, 2);
pub const BACKWARD: Group = ISOLATED.then("backward", Term::BackwardPawns, 2);
pub const ISLANDS: Group = BACKWARD.then("islands", Term::PawnIslands, 1);
/// By rank.
pub const SUPPORTED: Group = ISLANDS.then("supported", Term::PawnChains, 8);
pub const PHALANX: Group = SUPPORTED.then("phalanx", Term::PawnChains, 8);
pub const PASSED: Group = PHALANX.then("passed", Term::PassedPawns, 8);
/// By rank, if the enemy occupies the square in front of the pawn.
pub const PASSED_BLOCKED: Group = PASSED.then("passed_blocked", Term::PassedPawns, 8);
/// By rank, if the enemy neither attacks nor occupies a square in the pawn's way.
pub const PASSED_FREE: Group = PASSED_BLOCKED.then("passed_free", Term::PassedPawns, 8);
/// By the king's distance from the square in front of the pawn, counted once for each rank beyond
/// the third.
pub const PASSED_OWN_KING: Group = PASSED_FREE.then("passed_own_king", Term::PassedPawns, 8);
pub const PASSED_ENEMY_KING: Group =
    PASSED_OWN_KING.then("passed_enemy_king", Term::PassedPawns, 8);
/// By the rank of the pawn nearest to the king on the king's file, or 0 for none.
pub const SHIELD: Group = PASSED_ENEMY_KING.then("shield", Term::KingShield, 8);
/// The same on the adjacent files.
pub const SIDE_SHIELD: Group = SHIELD.then("side_shield", Term::KingShield, 8);
/// By the rank of the enemy pawn nearest to the king, or 0 for none.
pub const STORM: Group = SIDE_SHIELD.then("storm", Term::KingShield, 8);
/// By the number of attack units against the king.
pub const KING_ATTACK: Group = STORM.then("king_attack", Term::KingAttack, 32);
pub const BISHOP_PAIR: Group = KING_ATTACK.then("bishop_pair", Term::BishopPair, 1);
pub const ROOK_OPEN: Group = BISHOP_PAIR.then("rook_open", Term::RookFiles, 1);
pub const ROOK_HALF_OPEN: Group = ROOK_OPEN.then("rook_half_open", Term::RookFiles, 1);
pub const ROOK_SEVENTH: Group = ROOK_HALF_OPEN.then("rook_seventh", Term::RooksOnSeventh, 1);
pub const ROOKS_DOUBLED: Group = ROOK_SEVENTH.then("rooks_doubled", Term::DoubledRooks, 1);
/// By the role attacked through another piece: rook, queen, king.
pub const BISHOP_X_RAY: Group = ROOKS_DOUBLED.then("bishop_x_ray", Term::XRays, 3);
/// By the role attacked through another piece: queen, king.
pub const ROOK_X_RAY: Group = BISHOP_X_RAY.then("rook_x_ray", Term::XRays, 2);
/// By the attacked role, without the king.
pub const PAWN_THREAT: Group = ROOK_X_RAY.then("pawn_threat", Term::Threats, 5);
pub const MINOR_THREAT: Group = PAWN_THREAT.then("minor_threat", Term::Threats, 5);
pub const ROOK_THREAT: Group = MINOR_THREAT.then("rook_threat", Term::Threats, 5);
pub const HANGING: Group = ROOK_THREAT.then("hanging", Term::Threats, 5);
/// Pieces that a pawn can attack with its next move.
pub const PUSH_THREAT: Group = HANGING.then("push_threat", Term::Threats, 1);
/// Knight, bishop.
pub const OUTPOST: Group = PUSH_THREAT.then("outpost", Term::Outposts, 2);
pub const TEMPO: Group = OUTPOST.then("tempo", Term::Tempo, 1);
/// The number of steps from the centre to a king without pieces.
pub const BARE_KING_EDGE: Group = TEMPO.then("bare_king_edge", Term::BareKing, 1);
/// How many steps closer the other king is than the maximum distance.
pub const BARE_KING_NEAR: Group = BARE_KING_EDGE.then("bare_king_near", Term::BareKing, 1);

/// The number of features.
pub const COUNT: usize = BARE_KING_NEAR.end();

/// Every group, in the order of the weights.
pub const GROUPS: [Group; 38] = [
    MATERIAL,
    PIECE_SQUARES,
    ENEMY_KING_SQUARES,
    KNIGHT_MOBILITY,
    BISHOP_MOBILITY,
    ROOK_MOBILITY,
    QUEEN_MOBILITY,
    DOUBLED,
    ISOLATED,
    BACKWARD,
    ISLANDS,
    SUPPORTED,
    PHALANX,
    PASSED,
    PASSED_BLOCKED,
    PASSED_FREE,
    PASSED_OWN_KING,
    PASSED_ENEMY_KING,
    SHIELD,
    SIDE_SHIELD,
    STORM,
    KING_ATTACK,
    BISHOP_PAIR,
    ROOK_OPEN,
    ROOK_HALF_OPEN,
    ROOK_SEVENTH,
    ROOKS_DOUBLED,
    BISHOP_X_RAY,
    ROOK_X_RAY,
    PAWN_THREAT,
    MINOR_THREAT,
    ROOK_THREAT,
    HANGING,
    PUSH_THREAT,
    OUTPOST,
    TEMPO,
    BARE_KING_EDGE,
    BARE_KING_NEAR,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_follow_each_other_without_gaps() {
        let mut next = 0;
        for group in GROUPS {
            assert_eq!(group.start, next, "{}", group.name);
            next = group.end();
        }
        assert_eq!(next, COUNT);
        assert!(
            Term::ALL
                .iter()
                .all(|&term| GROUPS.iter().any(|group| group.term == term))
        );
    }
}

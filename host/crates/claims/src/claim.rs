//! A claim.

use ai_api::{Move, Role, Square, TableResult};
use strum::{IntoStaticStr, VariantArray};

/// A statement about a move, with the line that proves it. Fields that the kind doesn't use are
/// `None` or empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    pub kind: ClaimKind,
    /// Where `line` begins.
    pub start: LineStart,
    pub line: Vec<Move>,
    /// The first `after` moves of the line suffice to show the claim.
    pub after: usize,
    /// The number of the move that creates the tactic, counting from 1.
    pub at: Option<usize>,
    pub piece: Option<Role>,
    pub square: Option<Square>,
    /// The gain of the side that moves first in the line, in pawns.
    pub value: Option<i32>,
    /// The number of moves until mate.
    pub moves: Option<usize>,
    /// What the side that moves second in the line loses, and what it gets in return; `None` if a
    /// promotion gave a side more pieces of a kind than before.
    pub exchange: Option<[Vec<Role>; 2]>,
    pub by: Option<PlacedPiece>,
    pub behind: Option<PlacedPiece>,
    pub targets: Vec<PlacedPiece>,
    pub attackers: Vec<Square>,
    pub defenders: Vec<Square>,
    pub evidence: Option<Evidence>,
    pub opening: Option<String>,
    /// The tablebase results before and after the move, for the side that made it.
    pub results: Option<[TableResult; 2]>,
    pub term: Option<String>,
    /// The change of the term in centipawns, for the side that made the move.
    pub change: Option<i32>,
    /// The better line, from the position before the move.
    pub instead: Vec<Move>,
}

/// A piece and its square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedPiece {
    pub role: Role,
    pub square: Square,
}

/// Where a claim's line begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum LineStart {
    /// In the position before the move.
    Before,
    /// In the position after the move.
    After,
}

/// The evidence that a move is the only good one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Evidence {
    Rules,
    Tablebase,
    Lines,
}

/// A pattern that a line shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Motif {
    Material,
    Mate,
    BackRankMate,
    Fork,
    Pin,
    Skewer,
    DiscoveredAttack,
    TrappedPiece,
    RemovedDefender,
    Promotion,
    Stalemate,
    Perpetual,
}

/// How a judged move relates to a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineVerb {
    /// The opponent's line, after the move.
    Allows,
    /// The mover's line, after a better move.
    Misses,
    /// The mover's line, with the move.
    Finds,
}

/// Declares [`ClaimKind`]: one kind for each motif and verb, and all other kinds.
macro_rules! kinds {
    (
        { $($motif:ident: $allows:ident $misses:ident $finds:ident,)* }
        $($other:ident)*
    ) => {
        /// The kind of a claim. Its name is in snake case.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
        #[strum(serialize_all = "snake_case")]
        pub enum ClaimKind { $($allows, $misses, $finds,)* $($other,)* }

        impl Motif {
            pub(crate) const fn kind(self, verb: LineVerb) -> ClaimKind {
                match (self, verb) { $(
                    (Self::$motif, LineVerb::Allows) => ClaimKind::$allows,
                    (Self::$motif, LineVerb::Misses) => ClaimKind::$misses,
                    (Self::$motif, LineVerb::Finds) => ClaimKind::$finds,
                )* }
            }
        }
    };
}

kinds! {
    {
        Material: LosesMaterial MissesMaterial WinsMaterial,
        Mate: AllowsMate MissesMate FindsMate,
        BackRankMate: AllowsBackRankMate MissesBackRankMate FindsBackRankMate,
        Fork: AllowsFork MissesFork FindsFork,
        Pin: AllowsPin MissesPin FindsPin,
        Skewer: AllowsSkewer MissesSkewer FindsSkewer,
        DiscoveredAttack: AllowsDiscoveredAttack MissesDiscoveredAttack FindsDiscoveredAttack,
        TrappedPiece: AllowsTrappedPiece MissesTrappedPiece FindsTrappedPiece,
        RemovedDefender: AllowsRemovedDefender MissesRemovedDefender FindsRemovedDefender,
        Promotion: AllowsPromotion MissesPromotion FindsPromotion,
        Stalemate: AllowsStalemate MissesStalemate FindsStalemate,
        Perpetual: AllowsPerpetual MissesPerpetual FindsPerpetual,
    }
    HangsPiece Underdefended OnlyMove LeavesTheory TablebaseResult EvaluationTerm
}

impl LineVerb {
    pub(crate) const fn start(self) -> LineStart {
        match self {
            Self::Allows => LineStart::After,
            Self::Misses | Self::Finds => LineStart::Before,
        }
    }
}

impl Claim {
    /// Creates a claim without a line.
    pub(crate) const fn new(kind: ClaimKind) -> Self {
        Self {
            kind,
            start: LineStart::After,
            line: Vec::new(),
            after: 0,
            at: None,
            piece: None,
            square: None,
            value: None,
            moves: None,
            exchange: None,
            by: None,
            behind: None,
            targets: Vec::new(),
            attackers: Vec::new(),
            defenders: Vec::new(),
            evidence: None,
            opening: None,
            results: None,
            term: None,
            change: None,
            instead: Vec::new(),
        }
    }

    /// Claims that the move is the only good one.
    pub fn only_move(evidence: Evidence) -> Self {
        Self {
            evidence: Some(evidence),
            ..Self::new(ClaimKind::OnlyMove)
        }
    }

    /// Claims that the move leaves an opening.
    pub fn leaves_theory(opening: String) -> Self {
        Self {
            opening: Some(opening),
            ..Self::new(ClaimKind::LeavesTheory)
        }
    }

    /// Claims that the tablebase result becomes worse for the mover.
    pub fn tablebase_result(before: TableResult, after: TableResult) -> Self {
        Self {
            results: Some([before, after]),
            ..Self::new(ClaimKind::TablebaseResult)
        }
    }

    /// Claims that a term of the AI's evaluation is worse for the mover at the end of a line than
    /// at the end of the better one.
    pub fn evaluation_term(term: String, change: i32, line: Vec<Move>, instead: Vec<Move>) -> Self {
        Self {
            after: line.len(),
            line,
            term: Some(term),
            change: Some(change),
            instead,
            ..Self::new(ClaimKind::EvaluationTerm)
        }
    }
}

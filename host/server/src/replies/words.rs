//! The words that stand in replies, for the document: each list is made of the type whose words they are.

use std::borrow::Cow;

use ai_api::{Bound, Color, NodeKind, Role};
use rules::{Claim, Movement, Obstacle, Outcome};
use strum::{VariantArray as _, VariantNames as _};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{ObjectBuilder, RefOr, Schema, Type},
};

use ::game::judgement::Judgement;
use config::Isolation;
use formats::Part;
use pool::{FaultCode, State, cgroup::Controller};
use protocol::{Protection, SandboxMode};

/// Why a piece cannot go to a square that its movement reaches: the game is over.
pub(crate) const GAME_OVER: &str = "game_over";

/// The kinds of an AI.
pub fn kinds(searcher: bool, evaluator: bool) -> Vec<&'static str> {
    [(searcher, "searcher"), (evaluator, "evaluator")]
        .into_iter()
        .filter(|kind| kind.0)
        .map(|kind| kind.1)
        .collect()
}

pub(crate) const IN_PROGRESS: &str = "in_progress";
pub(crate) const WIN: &str = "win";
pub(crate) const DRAW: &str = "draw";
/// Every state of a game.
pub(crate) const STATES: [&str; 3] = [IN_PROGRESS, WIN, DRAW];

/// The codes of issues of positions, games, texts and options.
pub const ISSUE_CODES: [&str; 23] = [
    "missing_king",
    "too_many_kings",
    "pawn_on_back_rank",
    "too_much_material",
    "opponent_in_check",
    "impossible_check",
    "bad_castling_rights",
    "bad_en_passant_square",
    "bad_fen",
    "bad_board",
    "illegal_move",
    "not_one_move",
    "wrong_turn",
    "moves_after_end",
    "bad_epd",
    "bad_pgn",
    "bad_uci",
    "bad_html",
    "bad_text",
    "bad_svg",
    "unknown_option",
    "option_not_overridable",
    "bad_option_value",
];

/// Types that stand for a list of words in the document, and nowhere else.
macro_rules! words {
    ($($(#[$documentation:meta])* $name:ident: $words:expr;)*) => {$(
        $(#[$documentation])*
        #[derive(Debug)]
        pub(crate) struct $name;

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                let words: Vec<&str> = $words.into();
                ObjectBuilder::new().schema_type(Type::String).enum_values(Some(words)).into()
            }
        }

        impl ToSchema for $name {
            fn name() -> Cow<'static, str> {
                stringify!($name).into()
            }
        }
    )*};
}

words! {
    /// A color.
    ColorWord: Color::ALL.map(Color::name);
    /// What a piece is.
    RoleWord: Role::ALL.map(Role::name);
    /// What a pawn may become.
    PromotionWord: promotions();
    /// Whether a game goes on.
    StateWord: STATES;
    /// How a game ended.
    ReasonWord: Outcome::reasons();
    /// A draw that can be claimed.
    ClaimWord: Claim::VARIANTS;
    /// How a piece gets to a square.
    MovementWord: Movement::VARIANTS;
    /// Why it does not.
    ObstacleWord: [Obstacle::VARIANTS, &[GAME_OVER]].concat();
    /// What a move was called.
    JudgementWord: Judgement::ALL.map(Judgement::name);
    /// The mark of that.
    GlyphWord: Judgement::ALL.map(Judgement::glyph);
    /// What a score of a trace is.
    BoundWord: Bound::ALL.map(Bound::name);
    /// Why a search went no further.
    NodeKindWord: NodeKind::ALL.map(NodeKind::name);
    /// What an AI is.
    KindWord: kinds(true, true);
    /// What an AI is doing.
    AiStateWord: State::VARIANTS.iter().map(|&state| state.into_str()).collect::<Vec<_>>();
    /// How an AI is confined.
    SandboxWord: SandboxMode::VARIANTS.iter().map(|&mode| mode.into_str()).collect::<Vec<_>>();
    /// Which requests share a process of an AI.
    IsolationWord: Isolation::VARIANTS.iter().map(|&isolation| isolation.into_str()).collect::<Vec<_>>();
    /// A part of a sandbox.
    ProtectionWord: Protection::VARIANTS.iter().map(|&protection| protection.into_str()).collect::<Vec<_>>();
    /// A kind of resource that cgroups bound.
    ControllerWord: Controller::VARIANTS.iter().map(|&controller| controller.into_str()).collect::<Vec<_>>();
    /// A part of a game.
    PartWord: Part::ALL.iter().map(|&part| part.into_str()).collect::<Vec<_>>();
    /// What is wrong with a game.
    IssueWord: ISSUE_CODES;
    /// What an AI did instead of answering.
    FaultWord: FaultCode::VARIANTS.iter().map(|&code| code.into_str()).collect::<Vec<_>>();
}

fn promotions() -> Vec<&'static str> {
    let becomes = |role: &&Role| !matches!(role, Role::Pawn | Role::King);
    Role::ALL.iter().filter(becomes).map(|role| role.name()).collect()
}

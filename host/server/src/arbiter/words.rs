//! The words that stand in replies, for the document: each list is made of the type whose words they are.

use std::borrow::Cow;

use ai_api::{Bound, Color, NodeKind, Role};
use rules::{Claim, Movement, Obstacle, Outcome};
use strum::VariantArray as _;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{ObjectBuilder, RefOr, Schema, Type},
};

use super::{
    IssueReply, kinds,
    reply::{GAME_OVER, STATES},
    trace::{bound_name, kind_name},
};
use config::Isolation;
use formats::Part;
use game::judgement::Judgement;
use pool::{FaultCode, State, cgroup::Controller};
use protocol::{Protection, SandboxMode};

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
    ReasonWord: Outcome::ALL.map(Outcome::reason);
    /// A draw that can be claimed.
    ClaimWord: Claim::ALL.map(Claim::name);
    /// How a piece gets to a square.
    MovementWord: Movement::ALL.map(Movement::name);
    /// Why it does not.
    ObstacleWord: [&Obstacle::ALL.map(Obstacle::code)[..], &[GAME_OVER]].concat();
    /// What a move was called.
    JudgementWord: Judgement::ALL.map(Judgement::name);
    /// The mark of that.
    GlyphWord: Judgement::ALL.map(Judgement::glyph);
    /// What a score of a trace is.
    BoundWord: Bound::ALL.map(bound_name);
    /// Why a search went no further.
    NodeKindWord: NodeKind::ALL.map(kind_name);
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
    PartWord: Part::ALL.map(Part::name);
    /// What is wrong with a game.
    IssueWord: IssueReply::CODES;
    /// What an AI did instead of answering.
    FaultWord: FaultCode::VARIANTS.iter().map(|&code| code.into_str()).collect::<Vec<_>>();
}

fn promotions() -> Vec<&'static str> {
    let becomes = |role: &&Role| !matches!(role, Role::Pawn | Role::King);
    Role::ALL.iter().filter(becomes).map(|role| role.name()).collect()
}

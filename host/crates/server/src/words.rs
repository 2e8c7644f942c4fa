//! The words of replies. Each enumeration, for the `OpenAPI` document, is generated from the type that defines its words.

use std::{borrow::Cow, time::SystemTime};

use ai_api::{Bound, Color, NodeKind, Role, TableResult};
use rules::{Claim, IssueCode, Movement, Obstacle, Outcome};
use strum::{IntoStaticStr, VariantArray as _, VariantNames};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{ObjectBuilder, RefOr, Schema, Type},
};

use ::game::judgement::Judgement;
use arena::MatchState;
use config::Isolation;
use formats::{FormatName, Part};
use pool::{FaultCode, State, cgroup::Controller};
use protocol::{Protection, SandboxMode};

/// The obstacle of every move after the end of the game.
pub(crate) const GAME_OVER: &str = "game_over";

/// Returns a time as RFC 3339 writes it.
pub(crate) fn rfc3339(time: SystemTime) -> String {
    let text = OffsetDateTime::from(time).format(&Rfc3339);
    text.expect("a clock of these days shows a year of four digits")
}

/// Returns the names of the kinds of an AI.
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

/// The code of an issue of an option in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum OptionCode {
    UnknownOption,
    OptionNotOverridable,
    BadOptionValue,
}

/// Returns the codes of issues of positions, games, texts and options.
pub fn issue_codes() -> Vec<&'static str> {
    let of_formats: Vec<_> = FormatName::ALL.iter().filter_map(|name| name.format().code()).collect();
    [IssueCode::VARIANTS, &of_formats, OptionCode::VARIANTS].concat()
}

/// Defines types that represent an enumeration of words in the document.
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
    /// The kind of a piece.
    RoleWord: Role::ALL.map(Role::name);
    /// The piece of a promotion.
    PromotionWord: promotions();
    /// The state of a game.
    StateWord: [IN_PROGRESS, WIN, DRAW];
    /// The reason of the end of a game.
    ReasonWord: Outcome::reasons();
    /// A draw that can be claimed.
    ClaimWord: Claim::VARIANTS;
    /// The kind of movement of a piece.
    MovementWord: Movement::VARIANTS;
    /// The obstacle of a move.
    ObstacleWord: [Obstacle::VARIANTS, &[GAME_OVER]].concat();
    /// The judgement of a move.
    JudgementWord: Judgement::ALL.map(Judgement::name);
    /// The annotation symbol of a judgement.
    GlyphWord: Judgement::ALL.map(Judgement::glyph);
    /// The state of a match.
    MatchStateWord: MatchState::ALL.map(MatchState::name);
    /// Whether a score is exact or a bound.
    BoundWord: Bound::ALL.map(Bound::name);
    /// The kind of a trace node.
    NodeKindWord: NodeKind::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>();
    /// The result of a tablebase.
    TableResultWord: TableResult::ALL.map(TableResult::name);
    /// The kind of an AI.
    KindWord: kinds(true, true);
    /// The state of an AI.
    AiStateWord: names(State::VARIANTS);
    /// The sandbox mode of an AI.
    SandboxWord: names(SandboxMode::VARIANTS);
    /// Which requests share a process of an AI.
    IsolationWord: names(Isolation::VARIANTS);
    /// A protection of the sandbox.
    ProtectionWord: names(Protection::VARIANTS);
    /// A cgroup controller.
    ControllerWord: names(Controller::VARIANTS);
    /// A part of a game.
    PartWord: names(Part::ALL);
    /// The code of an issue.
    IssueWord: issue_codes();
    /// The code of a fault.
    FaultWord: names(FaultCode::VARIANTS);
}

fn names<T: Copy + Into<&'static str>>(variants: &[T]) -> Vec<&'static str> {
    variants.iter().map(|&variant| variant.into()).collect()
}

fn promotions() -> Vec<&'static str> {
    let becomes = |role: &&Role| !matches!(role, Role::Pawn | Role::King);
    Role::ALL.iter().filter(becomes).map(|role| role.name()).collect()
}

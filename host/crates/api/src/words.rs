//! The words in replies. Each enumeration in the `OpenAPI` document is generated from the type that
//! defines its words.

use std::{borrow::Cow, time::SystemTime};

use ai_api::{Bound, Color, NodeKind, Role, TableResult};
use claims::{ClaimKind, Evidence, LineStart};
use rules::{DrawClaim, ImportNote, IssueCode, Language, MoveFault, Movement, Obstacle, Outcome};
use strum::{IntoStaticStr, VariantArray as _, VariantNames};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{ArrayBuilder, ObjectBuilder, RefOr, Schema, Type, extensions::Extensions},
};

use ::game::judgement::Judgement;
use config::Isolation;
use formats::{FormatName, Part};
use pool::{FaultCode, WorkerState, cgroup::Controller};
use protocol::{Protection, SandboxMode};

/// Returns a time in RFC 3339 format.
///
/// # Panics
/// The year has five digits.
pub fn rfc3339(time: SystemTime) -> String {
    let text = OffsetDateTime::from(time).format(&Rfc3339);
    text.expect("the year has four digits")
}

/// Returns the names of an AI's kinds.
pub fn kinds(searcher: bool, evaluator: bool) -> Vec<&'static str> {
    [(searcher, "searcher"), (evaluator, "evaluator")]
        .into_iter()
        .filter(|kind| kind.0)
        .map(|kind| kind.1)
        .collect()
}

pub const IN_PROGRESS: &str = "in_progress";
pub const WIN: &str = "win";
pub const DRAW: &str = "draw";
/// The reason why a move after the end of a game is illegal.
pub const GAME_OVER: &str = "game_over";

/// The code of an issue with an option in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum OptionCode {
    UnknownOption,
    OptionNotOverridable,
    BadOptionValue,
}

/// Returns the issue codes for positions, games, formats and options.
pub fn issue_codes() -> Vec<&'static str> {
    let of_formats: Vec<_> = FormatName::ALL
        .iter()
        .filter_map(|name| name.format().code())
        .collect();
    [IssueCode::VARIANTS, &of_formats, OptionCode::VARIANTS].concat()
}

/// Defines types that represent an enumeration of words in the `OpenAPI` document. A crate that
/// uses this macro must depend on `utoipa`.
#[macro_export]
macro_rules! words {
    ($(
        $(#[$documentation:meta])*
        $name:ident as $schema:literal: $words:expr $(, named $names:expr)?;
    )*) => {$(
        $(#[$documentation])*
        #[derive(Debug)]
        pub struct $name;

        impl ::utoipa::PartialSchema for $name {
            fn schema() -> ::utoipa::openapi::RefOr<::utoipa::openapi::Schema> {
                let words: Vec<&str> = $words.into();
                let schema = ::utoipa::openapi::ObjectBuilder::new()
                    .schema_type(::utoipa::openapi::Type::String)
                    .enum_values(Some(words));
                $(let schema = schema.extensions(Some(variable_names($names.into())));)?
                schema.into()
            }
        }

        impl ::utoipa::ToSchema for $name {
            fn name() -> ::std::borrow::Cow<'static, str> {
                $schema.into()
            }
        }
    )*};
}

words! {
    /// A color.
    ColorWord as "Color": Color::ALL.map(Color::name);
    /// The kind of piece.
    RoleWord as "Role": Role::ALL.map(Role::name);
    /// The piece that the pawn becomes, for a promotion.
    PromotionWord as "Promotion": promotions();
    /// The state of a game.
    StateWord as "GameState": [IN_PROGRESS, WIN, DRAW];
    /// The reason why a game is over.
    ReasonWord as "EndReason": Outcome::reasons();
    /// A draw that can be claimed.
    DrawClaimWord as "DrawClaim": DrawClaim::VARIANTS;
    /// The way a piece moves.
    MovementWord as "Movement": Movement::VARIANTS;
    /// An obstacle to a move.
    ObstacleWord as "Obstacle": Obstacle::VARIANTS;
    /// Why a move is illegal.
    MoveFaultWord as "MoveFault": move_faults();
    /// The kind of claim.
    ClaimKindWord as "ClaimKind": names(ClaimKind::VARIANTS);
    /// Where the line of a claim begins.
    LineStartWord as "LineStart": names(LineStart::VARIANTS);
    /// The evidence that a move is the only good one.
    EvidenceWord as "Evidence": names(Evidence::VARIANTS);
    /// The judgement of a move.
    JudgementWord as "Judgement": Judgement::ALL.map(Judgement::name);
    /// The annotation symbol of a judgement.
    GlyphWord as "Glyph": Judgement::ALL.map(Judgement::glyph),
        named Judgement::ALL.map(Judgement::name);
    /// Whether a score is exact or a bound.
    BoundWord as "Bound": Bound::ALL.map(Bound::name);
    /// The kind of trace node.
    NodeKindWord as "NodeKind": NodeKind::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>();
    /// A tablebase result.
    TableResultWord as "TableResult": TableResult::ALL.map(TableResult::name);
    /// The kind of AI.
    KindWord as "AiKind": kinds(true, true);
    /// The state of an AI.
    AiStateWord as "AiState": ai_states();
    /// An AI's sandbox mode.
    SandboxWord as "SandboxMode": names(SandboxMode::VARIANTS);
    /// Which requests share an AI's process.
    IsolationWord as "Isolation": names(Isolation::VARIANTS);
    /// A protection of the sandbox.
    ProtectionWord as "Protection": names(Protection::VARIANTS);
    /// A cgroup controller.
    ControllerWord as "Controller": names(Controller::VARIANTS);
    /// A part of a game.
    PartWord as "GamePart": names(Part::ALL);
    /// A language code.
    LanguageWord as "Language": languages();
    /// What was accepted in a game.
    NoteWord as "ImportNote": ImportNote::VARIANTS;
    /// An issue code.
    IssueWord as "IssueCode": issue_codes();
    /// A fault code.
    FaultWord as "FaultCode": names(FaultCode::VARIANTS);
}

/// A board.
#[derive(Debug)]
pub struct BoardWord;

impl PartialSchema for BoardWord {
    fn schema() -> RefOr<Schema> {
        let king = Role::King.index() as i32 + 1;
        let field = ObjectBuilder::new()
            .schema_type(Type::Integer)
            .minimum(Some(-king))
            .maximum(Some(king));
        let eight = |items: RefOr<Schema>| {
            ArrayBuilder::new()
                .items(items)
                .min_items(Some(8))
                .max_items(Some(8))
        };
        eight(eight(field.into()).into())
            .description(Some(
                "Eight rows of eight numbers, rank 8 first. 1 is a pawn, 2 a knight, 3 a bishop, \
                    4 a rook, 5 a queen and 6 a king. Black's pieces are negative.",
            ))
            .into()
    }
}

impl ToSchema for BoardWord {
    fn name() -> Cow<'static, str> {
        "Board".into()
    }
}

/// Returns the extension with the names that generated code uses for words that are symbols.
fn variable_names(names: Vec<&str>) -> Extensions {
    let names: Vec<_> = names.into_iter().map(str::to_uppercase).collect();
    Extensions::builder().add("x-enum-varnames", names).build()
}

fn names<T: Copy + Into<&'static str>>(variants: &[T]) -> Vec<&'static str> {
    variants.iter().map(|&variant| variant.into()).collect()
}

/// Returns the states of an AI. An AI is never `reserve`, because its first worker starts with it.
fn ai_states() -> Vec<&'static str> {
    let mut states = names(WorkerState::VARIANTS);
    states.retain(|state| *state != WorkerState::Reserve.into_str());
    states
}

fn languages() -> Vec<&'static str> {
    Language::ALL
        .iter()
        .map(|language| language.code())
        .collect()
}

/// Returns the codes of illegal moves, including the code for a finished game.
fn move_faults() -> Vec<&'static str> {
    [MoveFault::codes(), vec![GAME_OVER]].concat()
}

fn promotions() -> Vec<&'static str> {
    let becomes = |role: &&Role| !matches!(role, Role::Pawn | Role::King);
    Role::ALL
        .iter()
        .filter(becomes)
        .map(|role| role.name())
        .collect()
}

//! The names of the formats.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use strum::VariantArray as _;
use utoipa::ToSchema;

/// The name of a format.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    ToSchema,
    ValueEnum,
    strum::Display,
    strum::VariantArray,
)]
#[strum(serialize_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum FormatName {
    /// A position, in six fields
    Fen,
    /// A FEN that names castling by side in Chess960 too
    Xfen,
    /// A position with operations
    Epd,
    /// Games with tags, comments and variations
    Pgn,
    /// Moves in UCI
    Uci,
    /// Moves in SAN
    San,
    /// Every position as 8×8 numbers, in JSON
    Boards,
    /// A web page
    Html,
    /// A diagram in letters
    Text,
    /// A picture
    Svg,
}

impl FormatName {
    pub const ALL: &[Self] = Self::VARIANTS;
}

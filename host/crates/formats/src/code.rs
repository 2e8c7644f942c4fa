//! The codes of issues of texts.

use strum::{IntoStaticStr, VariantNames};

/// The stable code of a text in a format other than FEN, EPD and PGN, whose codes are [`rules::IssueCode`]s.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum FormatCode {
    BadUci,
    BadHtml,
    BadText,
    BadSvg,
}

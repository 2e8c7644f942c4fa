//! A piece in replies.

use crate::words::{ColorWord, RoleWord};
use ai_api::{Color, Role};
use serde::Serialize;
use utoipa::ToSchema;

/// A piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PieceReply {
    /// The color.
    #[schema(value_type = ColorWord)]
    color: &'static str,
    /// The kind of piece.
    #[schema(value_type = RoleWord)]
    role: &'static str,
}

impl From<(Color, Role)> for PieceReply {
    fn from((color, role): (Color, Role)) -> Self {
        Self {
            color: color.name(),
            role: role.name(),
        }
    }
}

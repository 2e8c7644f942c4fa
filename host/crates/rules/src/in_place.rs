//! Writes positions in place.

use std::ptr;

use ai_api::{Position, PositionParts};

/// Returns the parts of a position, so that they can be written without a copy. The caller must
/// uphold the requirements of [`Position::from_parts_unchecked`].
#[inline]
pub(crate) const fn parts_mut(position: &mut Position) -> &mut PositionParts {
    // SAFETY: by the frozen contract, a position is transparent: it consists of its parts, and all
    // their values are valid.
    unsafe { &mut *ptr::from_mut(position).cast() }
}

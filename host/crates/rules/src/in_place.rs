//! Positions that are written in place.

use std::ptr;

use ai_api::{Position, PositionParts};

/// Returns the parts of a position, so that they can be written without a copy. The caller ensures
/// what it ensures for [`Position::from_parts_unchecked`].
#[inline]
pub(crate) const fn parts_mut(position: &mut Position) -> &mut PositionParts {
    // SAFETY: by the contract, which is frozen, a position is transparent: it is its parts, of
    // which all values are valid.
    unsafe { &mut *ptr::from_mut(position).cast() }
}

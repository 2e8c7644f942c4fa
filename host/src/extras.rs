//! What this program adds to the core of the host.

use server::{Catalog, calls::call::Call};

/// The calls of extras, in the order of the document.
const CALLS: &[&[Call]] = &[arena::calls::CALLS];

pub(crate) fn catalog() -> Catalog {
    Catalog::with(CALLS)
}

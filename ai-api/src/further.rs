//! How structs in the contract grow.

/// The fields that later versions append to a struct. Code outside this crate cannot create one, so
/// a literal ends with `..` and a value of the struct, such as `Limits { nodes: Some(1),
/// ..Limits::NONE }`, and compiles with every later version.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "layout", repr(C), derive(abi_stable::StableAbi))]
pub struct Further(());

impl Further {
    pub(crate) const NONE: Self = Self(());
}

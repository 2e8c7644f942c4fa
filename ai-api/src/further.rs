//! How structs in the contract grow.

/// Stands for the fields that later versions append to a struct. Code outside this crate cannot
/// create this type, so a struct literal has to end with `..` and a value of the struct, such as
/// `Limits { nodes: Some(1), ..Limits::NONE }`. It then compiles with every later version.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "layout", repr(C), derive(abi_stable::StableAbi))]
pub struct Further(());

impl Further {
    pub(crate) const NONE: Self = Self(());
}

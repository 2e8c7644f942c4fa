//! How structs in the contract grow.

/// The last field of a struct to which later versions may append fields. Code outside this crate
/// cannot create it. Struct literals must therefore end with `..` and a value, for example
/// `Limits { nodes: Some(1), ..Limits::NONE }`. Such literals compile with every later version.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "layout", repr(C), derive(abi_stable::StableAbi))]
pub struct Further(());

impl Further {
    pub(crate) const NONE: Self = Self(());
}

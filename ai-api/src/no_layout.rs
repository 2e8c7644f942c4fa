//! Without the feature `layout`, an AI carries no description for `abi_stable`.

#[doc(hidden)]
#[macro_export]
macro_rules! export_layout {
    () => {};
}

//! A description of the contract's structs for `abi_stable`, which [`export_ai!`](crate::export_ai)
//! exports along with the functions.
//!
//! A host with the same minor version compares it with its own before it calls the AI. This detects
//! a library whose author changed these types. Nothing else depends on it: a library without a
//! description, in C or with another version, is not compared.
#![expect(
    clippy::expl_impl_clone_on_copy,
    reason = "the derive of the prefix type writes it"
)]

use abi_stable::{
    StableAbi,
    library::{CheckTypeLayout, LibHeader, RootModule, RootModuleError, RootModuleResult},
    package_version_strings,
    sabi_types::VersionStrings,
    std_types::RResult,
};

use crate::{
    Extension, Host, MoveList, Position, RulesVtable, TraceNode,
    c::{
        CAi, CCapabilities, CClocks, CError, CEvalTerms, CGrants, CLimits, CManifest, CSearchInfo,
        CSearchRequest, CSearchResult, CSetting,
    },
};

/// One field for each struct in the contract that no other one contains. They are functions,
/// because pointers cannot be shared. It has no values.
#[doc(hidden)]
#[repr(C)]
#[derive(StableAbi)]
#[sabi(kind(Prefix(prefix_ref = ContractRef)))]
pub struct Contract {
    pub position: extern "C" fn() -> Position,
    pub move_list: extern "C" fn() -> MoveList,
    pub rules: extern "C" fn() -> RulesVtable,
    pub host: extern "C" fn() -> Host<'static>,
    pub grants: extern "C" fn() -> CGrants,
    pub extension: extern "C" fn() -> Extension,
    pub search_info: extern "C" fn() -> CSearchInfo,
    pub setting: extern "C" fn() -> CSetting,
    pub capabilities: extern "C" fn() -> CCapabilities,
    pub manifest: extern "C" fn() -> CManifest,
    pub limits: extern "C" fn() -> CLimits,
    pub clocks: extern "C" fn() -> CClocks,
    pub search_request: extern "C" fn() -> CSearchRequest,
    pub trace_node: extern "C" fn() -> TraceNode,
    pub search_result: extern "C" fn() -> CSearchResult,
    pub eval_terms: extern "C" fn() -> CEvalTerms,
    pub error: extern "C" fn() -> CError,
    #[sabi(last_prefix_field)]
    pub ai: extern "C" fn() -> CAi,
}

impl RootModule for ContractRef {
    abi_stable::declare_root_module_statics! {ContractRef}

    const BASE_NAME: &'static str = "rookery_ai";
    const NAME: &'static str = "rookery_ai";
    const VERSION_STRINGS: VersionStrings = package_version_strings!();
}

/// Returns whether a library's description has this crate's minor version and pre-release, so that
/// both describe the same structs.
#[doc(hidden)]
pub fn is_comparable(header: &LibHeader) -> bool {
    fn structs(strings: VersionStrings) -> Option<(u32, u32, Option<&'static str>)> {
        let version = strings.parsed().ok()?;
        let pre_release = strings
            .version
            .as_str()
            .split_once('-')
            .map(|(_, rest)| rest);
        Some((version.major, version.minor, pre_release))
    }
    structs(header.version_strings()) == structs(ContractRef::VERSION_STRINGS)
}

/// Returns the function that `abi_stable` would call for a value of the [`Contract`].
#[doc(hidden)]
pub extern "C" fn no_value() -> RootModuleResult {
    RResult::RErr(RootModuleError::Unwound)
}

#[doc(hidden)]
pub type Header = LibHeader;

/// Returns the description.
#[doc(hidden)]
pub const fn header() -> Header {
    // SAFETY: the function never returns a module, so it cannot return one of another type.
    unsafe { LibHeader::from_constructor::<ContractRef>(no_value, CheckTypeLayout::Yes) }
}

/// Exports the description. Called by [`export_ai!`](crate::export_ai).
#[doc(hidden)]
#[macro_export]
macro_rules! export_layout {
    () => {
        // The name under which `abi_stable` looks for a library's header.
        #[unsafe(export_name = "_1as_0lib_1header_0root_bmodule_bloader")]
        static LAYOUT: $crate::layout::Header = $crate::layout::header();
    };
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_macro_exports_the_symbol_of_abi_stable() {
        assert_eq!(
            abi_stable::library::ROOT_MODULE_LOADER_NAME,
            "_1as_0lib_1header_0root_bmodule_bloader"
        );
    }
}

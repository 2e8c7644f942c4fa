//! An AI built against a contract whose root module looks different.
#![expect(missing_docs, clippy::expl_impl_clone_on_copy, reason = "what the attributes write")]

use abi_stable::{
    StableAbi, export_root_module, library::RootModule, prefix_type::PrefixTypeTrait,
    sabi_types::VersionStrings,
};

/// Not the root module of `ai-api`.
#[repr(C)]
#[derive(StableAbi)]
#[sabi(kind(Prefix(prefix_ref = AiModuleRef)))]
pub struct AiModule {
    /// Something else.
    #[sabi(last_prefix_field)]
    pub manifest: extern "C" fn(u64) -> u64,
}

impl RootModule for AiModuleRef {
    abi_stable::declare_root_module_statics! {AiModuleRef}

    const BASE_NAME: &'static str = "rookery_ai";
    const NAME: &'static str = "rookery_ai";
    const VERSION_STRINGS: VersionStrings = VersionStrings::new("1.0.0");
}

extern "C" fn manifest(value: u64) -> u64 {
    value
}

/// What the library exports.
#[export_root_module]
pub fn module() -> AiModuleRef {
    AiModule { manifest }.leak_into_prefix()
}

ai_api::rookery_note!(id = "other_layout", version = "1.0.0");

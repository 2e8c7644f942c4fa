// AIs whose library describes types that differ from version VERSION of the contract.

use abi_stable::{
    StableAbi,
    library::{CheckTypeLayout, LibHeader, RootModule},
    sabi_types::VersionStrings,
};
use ai_api::layout::no_value;

include!("exported.rs");

const LABELS: [&str; 3] = ["Altered", "1.0.0", ""];

ai_api::rookery_note!(id = "altered", version = "1.0.0");

/// A position with half of its fields.
#[repr(C)]
#[derive(StableAbi)]
pub struct Position {
    roles: [u64; 6],
}

/// A description that differs from `ai-api`'s.
#[repr(C)]
#[derive(StableAbi)]
#[sabi(kind(Prefix(prefix_ref = ContractRef)))]
pub struct Contract {
    /// A different layout.
    #[sabi(last_prefix_field)]
    pub position: extern "C" fn() -> Position,
}

impl RootModule for ContractRef {
    abi_stable::declare_root_module_statics! {ContractRef}

    const BASE_NAME: &'static str = "rookery_ai";
    const NAME: &'static str = "rookery_ai";
    const VERSION_STRINGS: VersionStrings = VersionStrings::new(VERSION);
}

#[unsafe(export_name = "_1as_0lib_1header_0root_bmodule_bloader")]
static LAYOUT: LibHeader =
    // SAFETY: the function never returns a module.
    unsafe { LibHeader::from_constructor::<ContractRef>(no_value, CheckTypeLayout::Yes) };

//! An AI built with altered contract types.
#![expect(
    clippy::expl_impl_clone_on_copy,
    reason = "the derive of the prefix type writes it"
)]

include!("altered.rs");

const VERSION: &str = ai_api::note::API_VERSION;

//! An AI built with altered types of another minor version of the contract.
#![expect(
    clippy::expl_impl_clone_on_copy,
    reason = "the derive of the prefix type writes it"
)]

include!("altered.rs");

const VERSION: &str = "1.99.0";

//! Nothing but its dependencies: all those of the workspace, with their features.
//!
//! Cargo unites the features of the packages that one command builds, so that `cargo test -p CRATE`
//! would build dependencies again that `cargo test --workspace` has built with more features. Every
//! crate has this one as a dev-dependency, so both build the same. `host/tests/architecture` checks
//! that nothing is missing here.

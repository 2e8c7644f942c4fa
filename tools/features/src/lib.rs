//! Contains only dependencies: all dependencies of the workspace, with their features.
//!
//! Cargo unifies the features of the packages built by one command, so `cargo test -p CRATE` would
//! rebuild dependencies that `cargo test --workspace` has built with more features. Every crate has
//! this one as a dev-dependency, so that both commands use the same features.
//! `host/tests/architecture` checks that nothing is missing here.

//! AI libraries: how the host loads them, and the contract with them.

pub(crate) mod c_abi;
mod capabilities;
mod extensions;
mod frozen_releases;
mod later_host;
mod loading;
mod options;
pub(crate) mod promises;
pub(crate) mod uci_engines;

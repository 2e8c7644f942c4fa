//! How the contract grows once it is frozen: by extensions.

use abi_stable::StableAbi;

/// The head of an extension: a table of functions that AI or host offers beside what the contract has from the start.
///
/// The table follows in memory. What it holds is told by the name under which it is asked for, `name/revision` such as
/// `rookery.tablebases/1`, and never changes; another revision is another table. Who does not know a name answers none,
/// so that each side can be older or newer than the other.
#[repr(C)]
#[derive(Debug, StableAbi)]
pub struct Extension {
    /// The bytes of the table, this head included.
    pub size: usize,
}

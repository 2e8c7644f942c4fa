//! The name of a node or a server in the fleet.

use crate::cli::failure::Failure;
use fleet::{FleetSettings, NODE_NAME_ALLOWED, is_node_name};

/// Returns `name` in `[fleet]`, or the machine's name.
///
/// # Errors
/// The machine's name is not allowed.
pub(super) fn name_in_fleet(settings: &FleetSettings) -> Result<String, Failure> {
    if let Some(name) = &settings.name {
        return Ok(name.clone());
    }
    let machine = rustix::system::uname()
        .nodename()
        .to_string_lossy()
        .to_lowercase();
    let name = machine
        .split('.')
        .next()
        .unwrap_or_default()
        .replace('-', "_");
    if !is_node_name(&name) {
        let message = format!(
            "the name of this machine, {machine:?}, is not allowed for a node or a server; set \
             `name` in [fleet] to {NODE_NAME_ALLOWED}"
        );
        return Err(Failure::Usage(message));
    }
    Ok(name)
}

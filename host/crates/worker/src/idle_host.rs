//! The host that an AI sees outside a search.

use ai_api::{Flag, GrantTable, Host, SearchInfo};

use crate::extensions::extension;

static NEVER: Flag = Flag::new(false);

/// Calls a function with a host that never stops and ignores reports.
pub(crate) fn with_idle_host<T>(grants: &GrantTable, work: impl FnOnce(&Host<'_>) -> T) -> T {
    let host = Host::new(&rules::RULES, &NEVER, &|_: &SearchInfo<'_>| ());
    work(&host.with_grants(grants).with_extensions(extension))
}

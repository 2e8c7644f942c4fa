//! The AI that a request chooses.

use std::time::Duration;

use config::ClientSettings;
use game::{GameService, ServiceError};
use pool::{Ai, Fault};
use text::{printable, suggest};

use crate::error::RequestError;

/// Returns the chosen AI; by default that of the client.
///
/// # Errors
/// The AI does not exist, or the client may not use it.
pub(crate) fn choose<'a>(
    service: &'a GameService,
    client: &ClientSettings,
    chosen: Option<&str>,
) -> Result<&'a Ai, RequestError> {
    let Some(id) = chosen else { return find(service, &client.ai) };
    let ai = find(service, id)?;
    if client.allows_ai(id) {
        return Ok(ai);
    }
    let allowed = client.allowed_ais.clone().unwrap_or_default();
    Err(RequestError::AiNotAllowed { ai: id.to_owned(), allowed })
}

/// When a client may ask again for an AI of the fleet.
const FLEET_RETRY: Duration = Duration::from_secs(1);

/// Returns the AI with an id.
///
/// # Errors
/// The AI does not exist, or it is one of the fleet that no node has offered yet.
pub(crate) fn find<'a>(service: &'a GameService, id: &str) -> Result<&'a Ai, RequestError> {
    let unknown = || {
        if service.config().is_of_fleet(id) {
            let (reason, retry_after) = ("no node offers it at present".into(), FLEET_RETRY);
            let fault = Fault::Unavailable { reason, retry_after };
            return ServiceError::Fault { ai: id.to_owned(), fault }.into();
        }
        let known = service.ais().iter().map(|ai| ai.id.as_str());
        RequestError::UnknownAi { id: printable(id), closest: suggest(id, known).map(str::to_owned) }
    };
    service.ais().get(id).map(AsRef::as_ref).ok_or_else(unknown)
}

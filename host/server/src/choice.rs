//! The AI that a request chooses.

use config::ClientSettings;
use game::GameService;
use pool::Ai;
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

/// Returns the AI with an id.
///
/// # Errors
/// The AI does not exist.
pub(crate) fn find<'a>(service: &'a GameService, id: &str) -> Result<&'a Ai, RequestError> {
    let unknown = || {
        let known = service.ais().iter().map(|ai| ai.id.as_str());
        RequestError::UnknownAi { id: printable(id), closest: suggest(id, known).map(str::to_owned) }
    };
    service.ais().get(id).map(AsRef::as_ref).ok_or_else(unknown)
}

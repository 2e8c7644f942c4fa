//! The AI that a request chooses.

use std::{borrow::Cow, time::Duration};

use crate::error::RequestError;
use config::{CanaryChoice, ClientSettings};
use game::{Client, GameService, ServiceError};
use pool::{Ai, Fault};
use text::{printable, suggest};

/// The minimum number of fingerprint digits in a request.
const FEWEST_DIGITS: usize = 8;
/// How soon a client may retry if no node offers the AI.
const FLEET_RETRY: Duration = Duration::from_secs(1);

/// Returns the chosen AI, or the client's AI by default. `ID@FINGERPRINT` chooses the
/// fleet's AI with this fingerprint.
///
/// # Errors
/// The AI does not exist, or the client may not use it.
pub fn choose<'a>(
    service: &'a GameService,
    client: &ClientSettings,
    chosen: Option<&str>,
) -> Result<&'a Ai, RequestError> {
    let Some(chosen) = chosen else {
        return find(service, &client.ai);
    };
    let ai = find(service, chosen)?;
    if service.config().lets_name(client, &ai.id) {
        return Ok(ai);
    }
    let allowed = client.allowed_ais.clone().unwrap_or_default();
    Err(RequestError::AiNotAllowed {
        ai: ai.id.clone(),
        allowed,
    })
}

/// Returns a request's client. If the request names a version, the client doesn't get a candidate.
pub fn held_to_version<'a>(client: &'a Client, chosen: Option<&str>) -> Cow<'a, Client> {
    let mut client = Cow::Borrowed(client);
    if chosen.is_some_and(|chosen| chosen.contains('@')) {
        client.to_mut().settings.canary = CanaryChoice::Never;
    }
    client
}

/// Returns the AI with an id, or with an id and a fingerprint.
///
/// # Errors
/// The AI does not exist, or it is a fleet's AI that no node offers.
pub fn find<'a>(service: &'a GameService, chosen: &str) -> Result<&'a Ai, RequestError> {
    let (id, fingerprint) = match chosen.split_once('@') {
        Some((id, fingerprint)) if fingerprint.len() >= FEWEST_DIGITS => (id, Some(fingerprint)),
        _ => (chosen, None),
    };
    let ais = service.ais();
    let found = fingerprint.map_or_else(|| ais.get(id), |fingerprint| ais.pinned(id, fingerprint));
    found.map(AsRef::as_ref).ok_or_else(|| {
        let reason = match (fingerprint, ais.get(id)) {
            (Some(_), Some(_)) => "it currently has a different fingerprint",
            _ if service.config().is_remote(id) => "no node currently offers it",
            _ => return unknown(service, chosen),
        };
        let fault = Fault::Unavailable {
            reason: reason.into(),
            retry_after: FLEET_RETRY,
        };
        ServiceError::Fault {
            ai: printable(id),
            fault,
        }
        .into()
    })
}

fn unknown(service: &GameService, id: &str) -> RequestError {
    let known = service.ais().iter().map(|ai| ai.id.as_str());
    RequestError::UnknownAi {
        id: printable(id),
        closest: suggest(id, known).map(str::to_owned),
    }
}

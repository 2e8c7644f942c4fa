//! The AIs that a node offers.

use std::sync::Arc;

use crate::settings::FleetSettings;
use ai_api::OptionSetting;
use library::sha256::Sha256Sum;
use pool::{Ai, fingerprint};

use crate::{
    connection::FleetError,
    wire::{
        Description, JobReply, LibraryDescription, MAX_AIS, MAX_DESCRIPTION_BYTES, OfferedAi,
        SandboxDescription,
    },
};

/// An offered AI.
#[derive(Debug)]
pub(super) struct Offer {
    pub(super) ai: Arc<Ai>,
    fingerprint: Sha256Sum,
}

/// Returns the AIs that the settings offer.
///
/// # Errors
/// No AI is offered, a named AI is missing, an AI's files can't be read, or a server would not
/// accept so many AIs or options.
pub(super) fn offers(
    settings: &FleetSettings,
    ais: Vec<Arc<Ai>>,
) -> Result<Vec<Offer>, FleetError> {
    let is_offered = |ai: &Arc<Ai>| {
        settings
            .offer
            .as_ref()
            .is_none_or(|offer| offer.contains(&ai.id))
    };
    let known: Vec<_> = ais.iter().map(|ai| ai.id.clone()).collect();
    if let Some(missing) = settings
        .offer
        .iter()
        .flatten()
        .find(|id| !known.contains(id))
    {
        let known = match &*known.join(", ") {
            "" => "it has none".to_owned(),
            known => format!("it has {known}"),
        };
        let message = format!(
            "`offer` in [fleet] names the AI `{missing}`, which this node does not have; {known}"
        );
        return Err(FleetError::Offer(message));
    }
    let offers = ais.into_iter().filter(is_offered).map(|ai| {
        let fingerprint = fingerprint(&ai).map_err(|error| {
            FleetError::Offer(format!("cannot hash a file of the AI `{}`: {error}", ai.id))
        })?;
        Ok(Offer { ai, fingerprint })
    });
    let offers = offers.collect::<Result<Vec<_>, FleetError>>()?;
    if offers.is_empty() && settings.matches.is_none() {
        return Err(FleetError::Offer(
            "this node has no AI to offer; add an [ai.ID]".into(),
        ));
    }
    if offers.len() > MAX_AIS {
        let message = format!(
            "this node offers {} AIs, but a server accepts at most {MAX_AIS} from a node; choose \
             them with `offer` in [fleet]",
            offers.len()
        );
        return Err(FleetError::Offer(message));
    }
    for offer in &offers {
        let reply = JobReply::Description(Box::new(offer.description()));
        let bytes = serde_json::to_vec(&reply).map_or(usize::MAX, |text| text.len());
        if bytes > MAX_DESCRIPTION_BYTES {
            let message = format!(
                "the description of the AI `{}` has {bytes} bytes, but a server accepts at most \
                 {MAX_DESCRIPTION_BYTES}; shorten its options, or leave it out of `offer` in \
                 [fleet]",
                offer.ai.id
            );
            return Err(FleetError::Offer(message));
        }
    }
    Ok(offers)
}

impl Offer {
    pub(super) fn is(&self, id: &str, fingerprint: &str) -> bool {
        self.ai.id == id && self.fingerprint.to_string() == fingerprint
    }

    pub(super) fn state(&self, free: usize) -> OfferedAi {
        OfferedAi {
            id: self.ai.id.clone(),
            fingerprint: self.fingerprint.to_string(),
            slots: self.ai.workers as u32,
            free: free as u32,
        }
    }

    pub(super) fn description(&self) -> Description {
        let ai = &self.ai;
        let about = &ai.about;
        let shown = |setting: &OptionSetting| {
            let spec = about.options.iter().find(|spec| spec.name == setting.name);
            match spec.filter(|spec| spec.secret || spec.names_files()) {
                Some(spec) => OptionSetting {
                    name: spec.name.clone(),
                    value: spec.default.clone(),
                },
                None => setting.clone(),
            }
        };
        Description {
            id: ai.id.clone(),
            fingerprint: self.fingerprint.to_string(),
            name: about.name.clone(),
            version: about.version.clone(),
            author: about.author.clone(),
            searcher: about.searcher,
            evaluator: about.evaluator,
            capabilities: about.capabilities,
            options: about.options.clone(),
            values: ai.options().iter().map(shown).collect(),
            overridable_options: ai.settings.overridable_options.clone(),
            limit: ai.limit,
            move_timeout_ms: ai.settings.move_timeout_ms,
            new_game_timeout_ms: ai.settings.new_game_timeout_ms,
            library: LibraryDescription {
                file: ai.library_file.clone(),
                sha256: ai.library_sha256.to_string(),
            },
            sandbox: SandboxDescription {
                mode: ai.sandbox.mode.into_str().to_owned(),
                memory_mb: ai.sandbox.memory_mb,
                threads: ai.sandbox.threads,
                confined: ai.confined.clone(),
            },
        }
    }
}

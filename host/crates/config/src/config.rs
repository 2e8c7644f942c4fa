//! The complete configuration.

use std::{
    any::Any,
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::Arc,
    time::SystemTime,
};

use ai_api::OptionSetting;

use crate::{
    ai::AiSettings,
    ai_options::show_options,
    api_key::KeyDigest,
    client::{ClientSettings, DEFAULT_CLIENT},
    expiry::ExpiryState,
    extra::{ExtraSettings, Settings},
    level::LevelSettings,
    plugins::PluginSettings,
    section::{Section as _, Shown},
    server::ServerSettings,
    source::Source,
    tablebases::TablebaseSettings,
    tls::TlsSettings,
};
use library::sha256::Sha256Sum;

/// A configuration without errors. Configurations are equal if their settings are, even if they
/// come from different files.
#[derive(Clone, Debug)]
pub struct Config {
    pub server: ServerSettings,
    pub plugins: PluginSettings,
    pub tablebases: TablebaseSettings,
    /// Each `[ai.ID]` by its id, and each library in the plugin directories that is named by a
    /// client, a level, a fallback or the offer to the fleet.
    pub ais: BTreeMap<String, AiSettings>,
    /// Each `[client.ID]` by its id.
    pub clients: BTreeMap<String, ClientSettings>,
    /// Each `[level.ID]` by its id.
    pub levels: BTreeMap<String, LevelSettings>,
    pub(crate) extras: Vec<Arc<dyn Settings>>,
    pub(crate) source: Source,
}

impl Config {
    /// The file that the configuration was read from.
    pub fn path(&self) -> &Path {
        self.source.path()
    }

    /// Returns the hash of the configuration file.
    pub fn sha256(&self) -> Sha256Sum {
        Sha256Sum::of(self.source.text().as_bytes())
    }

    /// Returns the settings of an extra, or `None` if its section is optional and missing, or this
    /// build does not support it.
    pub fn extra<T: ExtraSettings>(&self) -> Option<&T> {
        self.extras
            .iter()
            .find_map(|settings| (&**settings as &dyn Any).downcast_ref())
    }

    /// Replaces the settings of an extra.
    pub fn set_extra<T: ExtraSettings>(&mut self, settings: T) {
        self.extras.retain(|other| other.name() != T::NAME);
        self.extras.push(Arc::new(settings));
    }

    /// Returns the settings of extras that differ in `new` and that a running server cannot apply,
    /// such as `arena.file`.
    pub fn kept_until_restart(&self, new: &Self) -> Vec<String> {
        let names = |config: &Self| config.extras.iter().map(|extra| extra.name()).collect();
        let (old, now): (BTreeSet<_>, BTreeSet<_>) = (names(self), names(new));
        let whole = old.symmetric_difference(&now);
        let whole = whole.map(|name| format!("[{name}]"));
        whole.chain(self.changed_in_extras(new, false)).collect()
    }

    /// Returns the keys of extras that differ in `new`: either only the keys that a running server
    /// applies, or only the others.
    fn changed_in_extras(&self, new: &Self, are_taken_over: bool) -> Vec<String> {
        let mut settings = Vec::new();
        for old in &self.extras {
            let now = new.extras.iter().find(|now| now.name() == old.name());
            let keys = now.map_or_else(Vec::new, |now| old.changed(&**now));
            let keys = keys
                .into_iter()
                .filter(|key| old.is_taken_over(key) == are_taken_over);
            settings.extend(keys.map(|key| format!("{}.{key}", old.name())));
        }
        settings
    }

    /// Returns whether only nodes can have the AI `id`: a client or a level names it, and this
    /// machine has no AI with this id.
    pub fn is_remote(&self, id: &str) -> bool {
        let is_named = self.clients.values().any(|client| {
            client.ai == id
                || client
                    .allowed_ais
                    .iter()
                    .flatten()
                    .any(|allowed| allowed == id)
        }) || self.levels.values().any(|level| level.ai == id);
        self.extras.iter().any(|extra| extra.brings_ais()) && !self.ais.contains_key(id) && is_named
    }

    /// Returns the client `id`, or `[client.default]` if `id` is `None`.
    pub fn client(&self, id: Option<&str>) -> Option<&ClientSettings> {
        self.clients.get(id.unwrap_or(DEFAULT_CLIENT))
    }

    /// Returns whether the AI `id` is the candidate of another AI.
    pub fn is_candidate(&self, id: &str) -> bool {
        self.ais
            .values()
            .any(|ai| ai.rollout.id.as_deref() == Some(id))
    }

    /// Returns whether a client, a level, an extra or another AI names the AI `id`.
    pub fn names_ai(&self, id: &str) -> bool {
        named_ais(&self.ais, &self.clients, &self.levels, &self.extras).contains(id)
            || self.is_candidate(id)
    }

    /// Returns whether a client's requests may name the AI `ai`. A candidate must be listed in
    /// `allowed_ais`.
    pub fn lets_name(&self, client: &ClientSettings, ai: &str) -> bool {
        client.allows_ai(ai) && (client.allowed_ais.is_some() || !self.is_candidate(ai))
    }

    /// Returns whether a client's lists of AIs include `ai`. They omit only candidates that the
    /// client may not name.
    pub fn lets_see(&self, client: &ClientSettings, ai: &str) -> bool {
        client.ai == ai || !self.is_candidate(ai) || self.lets_name(client, ai)
    }

    /// Removes every AI but `ai`, which gets a single worker.
    pub fn keep_only(&mut self, ai: &str) {
        self.ais.retain(|id, _| id == ai);
        self.ais
            .values_mut()
            .for_each(|settings| settings.workers = Some(1));
    }

    /// Returns the client with this key. Takes the same time for every key.
    pub fn client_with_key(&self, key: &[u8]) -> Option<&ClientSettings> {
        let digest = KeyDigest::of(key);
        let keyed = self
            .clients
            .values()
            .flat_map(|client| client.keys().iter().map(move |own| (client, own)));
        keyed.fold(
            None,
            |found, (client, own)| if *own == digest { Some(client) } else { found },
        )
    }

    /// Returns warnings about settings that work but need attention: a private key that other users
    /// can read, and clients whose access has ended or ends soon.
    pub fn warnings(&self, now: SystemTime) -> Vec<String> {
        let of_client = |client: &ClientSettings| {
            let expiry = client.expires?;
            let ends = match expiry.state(now) {
                ExpiryState::Active => return None,
                ExpiryState::ExpiresSoon => "expires soon",
                ExpiryState::Expired => "is rejected because it has expired",
            };
            Some(format!(
                "the client '{}' {ends}: `expires` is {expiry}",
                client.id
            ))
        };
        let of_tls = self.server.tls.as_ref().and_then(TlsSettings::warning);
        of_tls
            .into_iter()
            .chain(self.clients.values().filter_map(of_client))
            .collect()
    }

    /// Writes the configuration as TOML with every key and absolute paths. Omits the options for
    /// which `is_secret` returns true, given the AI's id. Apart from these options, the text loads
    /// as the same configuration.
    pub fn show(&self, is_secret: impl Fn(&str, &OptionSetting) -> bool) -> String {
        let mut shown = Shown::default();
        shown.header("server");
        self.server.show(&mut shown);
        shown.header("plugins");
        self.plugins.show(&mut shown);
        shown.header("tablebases");
        self.tablebases.show(&mut shown);
        for extra in &self.extras {
            extra.show(&mut shown);
        }
        for ai in self.ais.values() {
            shown.header(&format!("ai.{}", ai.id));
            ai.show(&mut shown);
            show_options(
                &format!("ai.{}", ai.id),
                &ai.options,
                |option| is_secret(&ai.id, option),
                &mut shown,
            );
        }
        for client in self.clients.values() {
            shown.header(&format!("client.{}", client.id));
            client.show(&mut shown);
        }
        for level in self.levels.values() {
            let section = format!("level.{}", level.id);
            shown.header(&section);
            level.show(&mut shown);
            show_options(
                &section,
                &level.options,
                |option| is_secret(&level.ai, option),
                &mut shown,
            );
        }
        shown.text
    }

    /// Returns the keys that differ in `new` in sections without an id, such as `server.metrics`.
    /// Omits the keys that [`kept_until_restart`](Self::kept_until_restart) returns.
    pub fn changed_settings(&self, new: &Self) -> Vec<String> {
        let changed = [
            ("server", self.server.changed(&new.server)),
            ("plugins", self.plugins.changed(&new.plugins)),
            ("tablebases", self.tablebases.changed(&new.tablebases)),
        ];
        let mut settings = self.changed_in_extras(new, true);
        for (section, keys) in changed {
            settings.extend(keys.iter().map(|key| format!("{section}.{key}")));
        }
        if let (Some(old), Some(now)) = (&self.server.tls, &new.server.tls)
            && old != now
            && (&old.certificate, &old.key) == (&now.certificate, &now.key)
        {
            settings.retain(|setting| setting != "server.tls");
            settings.push("server.tls, whose files have changed".to_owned());
        }
        settings.sort();
        settings
    }
}

/// Returns the ids of all AIs that a fallback, a client, a level or an extra names.
pub(crate) fn named_ais(
    ais: &BTreeMap<String, AiSettings>,
    clients: &BTreeMap<String, ClientSettings>,
    levels: &BTreeMap<String, LevelSettings>,
    extras: &[Arc<dyn Settings>],
) -> BTreeSet<String> {
    let of_ais = ais.values().filter_map(|ai| ai.fallback.as_ref());
    let of_clients = clients
        .values()
        .flat_map(|client| client.allowed_ais.iter().flatten().chain([&client.ai]));
    let of_levels = levels.values().map(|level| &level.ai);
    of_ais
        .chain(of_clients)
        .chain(of_levels)
        .cloned()
        .chain(extras.iter().flat_map(|extra| extra.named_ais()))
        .collect()
}

impl PartialEq for Config {
    fn eq(&self, other: &Self) -> bool {
        let Self {
            server,
            plugins,
            tablebases,
            ais,
            clients,
            levels,
            extras,
            source: _,
        } = self;
        *server == other.server
            && *plugins == other.plugins
            && *tablebases == other.tablebases
            && *ais == other.ais
            && *clients == other.clients
            && *levels == other.levels
            && extras.len() == other.extras.len()
            && extras
                .iter()
                .zip(&other.extras)
                .all(|(one, other)| one.name() == other.name() && one.changed(&**other).is_empty())
    }
}

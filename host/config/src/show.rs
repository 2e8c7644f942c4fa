//! Writes a configuration as TOML.

use std::fmt::Write as _;

use ai_api::{Limits, OptionSetting, OptionValue};

use super::{AiSettings, ClientSettings, Config, SearchMaxima, keys};

impl Config {
    /// The configuration as a file with every key, defaults included and paths absolute. Loaded again it gives the same, but for
    /// the options of an AI, by its id, that are secret: they are left out.
    pub fn show(&self, is_secret: impl Fn(&str, &OptionSetting) -> bool) -> String {
        let mut sections = vec![self.show_server(), self.show_plugins()];
        sections.extend(self.ais.values().map(|ai| show_ai(ai, |option| is_secret(&ai.id, option))));
        sections.extend(self.clients.values().map(show_client));
        sections.join("\n")
    }

    fn show_server(&self) -> String {
        let mut section = "[server]\n".to_owned();
        line(&mut section, keys::LISTEN.name, &quoted(&self.server.listen.to_string()));
        line(&mut section, keys::ALLOWED_HOSTS.name, &list(&self.server.allowed_hosts));
        let proxies = self.server.trusted_proxies.networks().iter().map(ToString::to_string);
        line(&mut section, keys::TRUSTED_PROXIES.name, &list(proxies));
        line(&mut section, keys::MAX_BODY_BYTES.name, &self.server.max_body_bytes.to_string());
        line(&mut section, keys::MAX_BODY_BYTES_TOTAL.name, &self.server.max_body_bytes_total.to_string());
        line(&mut section, keys::BODY_TIMEOUT_MS.name, &self.server.body_timeout_ms.to_string());
        line(&mut section, keys::MIN_BODY_BYTES_PER_S.name, &self.server.min_body_bytes_per_s.to_string());
        let connections = self.server.max_connections_per_address.to_string();
        line(&mut section, keys::MAX_CONNECTIONS_PER_ADDRESS.name, &connections);
        line(&mut section, keys::SEND_TIMEOUT_MS.name, &self.server.send_timeout_ms.to_string());
        line(&mut section, keys::MAX_PLIES.name, &self.server.max_plies.to_string());
        line(&mut section, keys::REPORT_TIMEOUT_MS.name, &self.server.report_timeout_ms.to_string());
        line(&mut section, keys::CORS_ORIGINS.name, &list(&self.server.cors_origins));
        line(&mut section, keys::METRICS.name, &quoted(self.server.metrics.into_str()));
        line(&mut section, keys::DRAIN_DELAY_MS.name, &self.server.drain_delay_ms.to_string());
        line(&mut section, keys::SHUTDOWN_GRACE_MS.name, &self.server.shutdown_grace_ms.to_string());
        match &self.server.tls {
            Some(tls) => {
                let _ = write!(section, "\n[server.{}]\n", keys::TLS);
                line(&mut section, keys::TLS_CERTIFICATE.name, &quoted(&tls.certificate.to_string_lossy()));
                line(&mut section, keys::TLS_KEY.name, &quoted(&tls.key.to_string_lossy()));
            }
            None => _ = writeln!(section, "# {} is left out: connections are not encrypted", keys::TLS),
        }
        section
    }

    fn show_plugins(&self) -> String {
        let mut section = "[plugins]\n".to_owned();
        let directories = self.plugins.directories.iter().map(|directory| directory.to_string_lossy());
        line(&mut section, keys::DIRECTORIES.name, &list(directories));
        line(&mut section, keys::POLICY.name, &quoted(self.plugins.policy.into_str()));
        line(&mut section, keys::WATCH.name, &self.plugins.watch.to_string());
        section
    }
}

fn show_ai(ai: &AiSettings, is_secret: impl Fn(&OptionSetting) -> bool) -> String {
    let mut section = format!("[ai.{}]\n", ai.id);
    line(&mut section, keys::LIBRARY.name, &quoted(&ai.library.to_string_lossy()));
    match ai.sha256 {
        Some(sum) => line(&mut section, keys::SHA256.name, &quoted(&sum.to_string())),
        None => _ = writeln!(section, "# {} is left out: whatever is there", keys::SHA256.name),
    }
    line(&mut section, keys::WORKERS.name, &ai.workers.to_string());
    line(&mut section, keys::MOVE_TIMEOUT_MS.name, &ai.move_timeout_ms.to_string());
    line(&mut section, keys::START_TIMEOUT_MS.name, &ai.start_timeout_ms.to_string());
    line(&mut section, keys::NEW_GAME_TIMEOUT_MS.name, &ai.new_game_timeout_ms.to_string());
    line(&mut section, keys::QUEUE_CAPACITY.name, &ai.queue.to_string());
    line(&mut section, keys::ISOLATE.name, &quoted(ai.isolate.into_str()));
    match &ai.fallback {
        Some(fallback) => line(&mut section, keys::FALLBACK.name, &quoted(fallback)),
        None => _ = writeln!(section, "# {} is left out: none", keys::FALLBACK.name),
    }
    let Limits { depth, nodes, mate_plies, soft_ms, .. } = ai.limit;
    let limits = [
        (keys::LIMIT_DEPTH.name, depth.map(u64::from)),
        (keys::LIMIT_NODES.name, nodes),
        (keys::LIMIT_MOVETIME_MS.name, soft_ms),
        (keys::LIMIT_MATE.name, mate_plies.map(|plies| u64::from(plies.div_ceil(2)))),
    ];
    let limits: Vec<_> =
        limits.iter().filter_map(|(name, limit)| limit.map(|limit| format!("{name} = {limit}"))).collect();
    line(&mut section, keys::LIMIT, &format!("{{ {} }}", limits.join(", ")));
    line(&mut section, keys::SANDBOX.name, &quoted(ai.sandbox.mode.into_str()));
    line(&mut section, keys::MEMORY_MB.name, &ai.sandbox.memory_mb.to_string());
    line(&mut section, keys::THREADS.name, &ai.sandbox.threads.to_string());
    let read = ai.sandbox.read.iter().map(|path| path.to_string_lossy());
    line(&mut section, keys::ALLOW_READ.name, &list(read));
    let exec = ai.sandbox.exec.iter().map(|executable| executable.file.to_string_lossy());
    line(&mut section, keys::ALLOW_EXEC.name, &list(exec));
    line(&mut section, keys::OVERRIDABLE_OPTIONS.name, &list(&ai.overridable_options));
    let _ = write!(section, "\n[ai.{}.{}]\n", ai.id, keys::OPTIONS);
    for option in &ai.options {
        if is_secret(option) {
            let _ = writeln!(section, "# {} is secret", key(&option.name));
            continue;
        }
        let value = match &option.value {
            OptionValue::Text(text) => quoted(text),
            OptionValue::List(texts) => list(texts),
            value => value.to_string(),
        };
        line(&mut section, &key(&option.name), &value);
    }
    section
}

fn show_client(client: &ClientSettings) -> String {
    let mut section = format!("[client.{}]\n", client.id);
    line(&mut section, keys::CLIENT_AI.name, &quoted(&client.ai));
    match &client.allowed_ais {
        Some(ais) => line(&mut section, keys::ALLOWED_AIS.name, &list(ais)),
        None => _ = writeln!(section, "# {} is left out: every AI", keys::ALLOWED_AIS.name),
    }
    line(&mut section, keys::ADMIN.name, &client.admin.to_string());
    let number = |number: Option<u64>| number.map(|number| number.to_string());
    let SearchMaxima { depth, nodes, movetime_ms } = client.max_search;
    for (key, value, left_out) in [
        (keys::API_KEY_SHA256.name, client.api_key_sha256.map(|hash| quoted(&hash.to_string())), "no key"),
        (keys::RATE.name, client.rate.map(|rate| quoted(&rate.to_string())), "any"),
        (keys::MAX_CONCURRENT.name, client.max_concurrent.map(|most| most.to_string()), "any number"),
        (keys::MAX_DEPTH.name, number(depth.map(u64::from)), "no bound"),
        (keys::MAX_NODES.name, number(nodes), "no bound"),
        (keys::MAX_MOVETIME_MS.name, number(movetime_ms), "no bound"),
    ] {
        match value {
            Some(value) => line(&mut section, key, &value),
            None => _ = writeln!(section, "# {key} is left out: {left_out}"),
        }
    }
    section
}

fn line(section: &mut String, key: &str, value: &str) {
    let _ = writeln!(section, "{key} = {value}");
}

pub(super) fn list(texts: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let texts: Vec<_> = texts.into_iter().map(|text| quoted(text.as_ref())).collect();
    format!("[{}]", texts.join(", "))
}

fn key(name: &str) -> String {
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if !name.is_empty() && name.bytes().all(is_bare) { name.to_owned() } else { quoted(name) }
}

/// A text as TOML writes it.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            _ if character.is_control() => _ = write!(quoted, "\\u{:04X}", u32::from(character)),
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

//! From the tables of a file to settings.

use std::{
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use ai_api::{Limits, OptionSetting, OptionValue};
use toml::{Spanned, de::DeValue};

use super::{
    AiPlaces, AiSettings, ClientSettings, OptionPlace, Overrides, PluginSettings, SearchMaxima,
    ServerSettings, TlsSettings,
    issue::Issues,
    keys::{self, Key, Texts},
    known_ais::KnownAis,
    library_path::{Libraries, absolute, written},
    origin::host_name,
    reader::{TableReader, description},
    show::quoted,
    source::{Source, shortened},
    tls::TlsFile,
};
use library::file_access::metadata;
use protocol::SandboxSettings;

const SECTION_ALLOWED: &str = "a table, as in ";

/// What a file says; whole only where no issue was found.
pub(super) struct Resolved {
    pub(super) server: ServerSettings,
    pub(super) plugins: PluginSettings,
    pub(super) ais: BTreeMap<String, AiSettings>,
    pub(super) clients: BTreeMap<String, ClientSettings>,
    pub(super) places: BTreeMap<String, AiPlaces>,
}

/// Reads every section and reports everything that is wrong.
pub(super) fn resolve(
    root: &TableReader<'_, '_>,
    source: &Source,
    overrides: &Overrides,
    issues: &mut Issues<'_>,
) -> Resolved {
    let names: Vec<_> = keys::SECTIONS.iter().map(|section| section.name).collect();
    root.refuse_unknown(&names, issues);
    let [server, plugins, ai, client] = ["server", "plugins", "ai", "client"].map(|name| {
        let header =
            keys::SECTIONS.iter().find(|section| section.name == name).map_or("", |found| found.header);
        root.table(name, &format!("{SECTION_ALLOWED}{header}"), issues)
    });
    let server = resolve_server(server.as_ref(), source, overrides, issues);
    let plugins = resolve_plugins(plugins.as_ref(), source, issues);

    let tables = ai.map(|ai| ai.tables("a table, as in [ai.ID]", issues)).unwrap_or_default();
    let libraries = Libraries { folder: source.folder(), directories: &plugins.directories };
    let mut ais = BTreeMap::new();
    let mut places = BTreeMap::new();
    for (id, table) in &tables {
        if let Some((settings, of_ai)) = resolve_ai(id, table, &libraries, issues) {
            places.insert(settings.id.clone(), of_ai);
            ais.insert(settings.id.clone(), settings);
        }
    }

    let configured = tables.iter().map(|&(id, _)| id).collect();
    let known = KnownAis { configured, plugins: &plugins, ais: &ais, dropped_in: OnceCell::new() };
    refuse_fallbacks(&tables, &known, issues);

    let tables = client.map(|client| client.tables("a table, as in [client.ID]", issues)).unwrap_or_default();
    let clients: BTreeMap<_, _> = tables
        .iter()
        .filter_map(|(id, table)| resolve_client(id, table, &known, issues))
        .map(|settings| (settings.id.clone(), settings))
        .collect();
    refuse_shared_keys(&tables, &clients, issues);
    let dropped_in = known.into_dropped_in();
    let wanted = ids_named(&ais, &clients);
    // Who names it counts on it as on one that is configured.
    let counted_on = dropped_in.into_iter().filter(|settings| wanted.contains(&settings.id));
    ais.extend(counted_on.map(|settings| (settings.id.clone(), settings)));
    Resolved { server, plugins, ais, clients, places }
}

/// Every AI that a fallback or a client names.
fn ids_named(
    ais: &BTreeMap<String, AiSettings>,
    clients: &BTreeMap<String, ClientSettings>,
) -> BTreeSet<String> {
    let fallbacks = ais.values().filter_map(|settings| settings.fallback.as_ref());
    let of_clients =
        clients.values().flat_map(|client| client.allowed_ais.iter().flatten().chain([&client.ai]));
    fallbacks.chain(of_clients).cloned().collect()
}

fn resolve_server(
    table: Option<&TableReader<'_, '_>>,
    source: &Source,
    overrides: &Overrides,
    issues: &mut Issues<'_>,
) -> ServerSettings {
    let empty = toml::de::DeTable::new();
    let nothing = TableReader::root(&empty);
    let table = table.unwrap_or(&nothing);
    table.refuse_unknown(keys::keys_of("server"), issues);
    let listen = table.setting(&keys::LISTEN, issues);
    let listen = overrides.apply(&keys::LISTEN, listen, issues);
    let allowed_hosts =
        overrides.apply(&keys::ALLOWED_HOSTS, texts(table, &keys::ALLOWED_HOSTS, issues), issues);
    let trusted_proxies =
        overrides.apply(&keys::TRUSTED_PROXIES, texts(table, &keys::TRUSTED_PROXIES, issues), issues);
    let tls = resolve_tls(table, source.folder(), issues);
    let max_body_bytes = table.setting(&keys::MAX_BODY_BYTES, issues);
    let max_body_bytes = overrides.apply(&keys::MAX_BODY_BYTES, max_body_bytes, issues) as usize;
    let max_body_bytes_total = resolve_body_budget(table, max_body_bytes, overrides, issues);
    let body_timeout_ms = table.setting(&keys::BODY_TIMEOUT_MS, issues);
    let min_body_bytes_per_s = table.setting(&keys::MIN_BODY_BYTES_PER_S, issues);
    let max_connections = table.setting(&keys::MAX_CONNECTIONS_PER_ADDRESS, issues);
    let send_timeout_ms = table.setting(&keys::SEND_TIMEOUT_MS, issues);
    let max_plies = table.setting(&keys::MAX_PLIES, issues);
    let report_timeout_ms = table.setting(&keys::REPORT_TIMEOUT_MS, issues);
    let cors_origins = texts(table, &keys::CORS_ORIGINS, issues);
    let metrics = table.setting(&keys::METRICS, issues);
    let drain_delay_ms = table.setting(&keys::DRAIN_DELAY_MS, issues);
    let shutdown_grace_ms = table.setting(&keys::SHUTDOWN_GRACE_MS, issues);
    ServerSettings {
        listen,
        allowed_hosts: allowed_hosts.iter().map(|name| host_name(name)).collect(),
        trusted_proxies: trusted_proxies.into_iter().collect(),
        tls,
        max_body_bytes,
        max_body_bytes_total,
        body_timeout_ms: overrides.apply(&keys::BODY_TIMEOUT_MS, body_timeout_ms, issues),
        min_body_bytes_per_s: overrides.apply(&keys::MIN_BODY_BYTES_PER_S, min_body_bytes_per_s, issues),
        max_connections_per_address: overrides.apply(
            &keys::MAX_CONNECTIONS_PER_ADDRESS,
            max_connections,
            issues,
        ) as usize,
        send_timeout_ms: overrides.apply(&keys::SEND_TIMEOUT_MS, send_timeout_ms, issues),
        max_plies: overrides.apply(&keys::MAX_PLIES, max_plies, issues) as usize,
        report_timeout_ms: overrides.apply(&keys::REPORT_TIMEOUT_MS, report_timeout_ms, issues),
        cors_origins: overrides.apply(&keys::CORS_ORIGINS, cors_origins, issues),
        metrics: overrides.apply(&keys::METRICS, metrics, issues),
        drain_delay_ms: overrides.apply(&keys::DRAIN_DELAY_MS, drain_delay_ms, issues),
        shutdown_grace_ms: overrides.apply(&keys::SHUTDOWN_GRACE_MS, shutdown_grace_ms, issues),
    }
}

/// The right elements of a list; none where it is left out.
fn texts(table: &TableReader<'_, '_>, key: &Key<Texts>, issues: &mut Issues<'_>) -> Vec<String> {
    let texts = table.texts(key, issues).unwrap_or_default();
    texts.into_iter().map(Spanned::into_inner).collect()
}

/// Reads the certificate and its key, so that a configuration whose server could not start is refused.
fn resolve_tls(server: &TableReader<'_, '_>, folder: &Path, issues: &mut Issues<'_>) -> Option<TlsSettings> {
    let table = server.table(keys::TLS, "a table, as in [server.tls]", issues)?;
    table.refuse_unknown(&[keys::TLS_CERTIFICATE.name, keys::TLS_KEY.name], issues);
    let certificate = table.required(&keys::TLS_CERTIFICATE, issues);
    let key = table.required(&keys::TLS_KEY, issues);
    let (certificate, key) = (certificate?, key?);
    let path = |of: &Spanned<String>| absolute(folder, of.get_ref());
    match TlsSettings::read(path(&certificate), path(&key)) {
        Ok(tls) => Some(tls),
        Err((file, error)) => {
            let (name, at) = match file {
                TlsFile::Certificate => (keys::TLS_CERTIFICATE.name, &certificate),
                TlsFile::Key => (keys::TLS_KEY.name, &key),
            };
            let message = format!("`{}` names {}, which {error}", table.path_of(name), path(at).display());
            issues.missing(&at.span(), &message).allow(error.remedy(file));
            None
        }
    }
}

/// What all bodies may hold: as configured, or 64 times what one may. One address may hold an eighth of it, so that must be
/// enough for one body.
fn resolve_body_budget(
    table: &TableReader<'_, '_>,
    max_body_bytes: usize,
    overrides: &Overrides,
    issues: &mut Issues<'_>,
) -> usize {
    let from_file = table.read(&keys::MAX_BODY_BYTES_TOTAL, issues);
    let least = 8 * max_body_bytes as u64;
    if let Some(total) = &from_file
        && *total.get_ref() < least
    {
        let key = table.path_of(keys::MAX_BODY_BYTES_TOTAL.name);
        let message = format!("`{key}` is {}, but `max_body_bytes` is {max_body_bytes}", total.get_ref());
        issues.at(&total.span(), &message).allow(&format!(
            "at least 8 times `max_body_bytes`, here {least}, since one address may hold an eighth of it"
        ));
    }
    let total = from_file.map_or(8 * least, Spanned::into_inner);
    overrides.apply_number(&keys::MAX_BODY_BYTES_TOTAL, total, issues).max(least) as usize
}

fn resolve_plugins(
    table: Option<&TableReader<'_, '_>>,
    source: &Source,
    issues: &mut Issues<'_>,
) -> PluginSettings {
    let empty = toml::de::DeTable::new();
    let nothing = TableReader::root(&empty);
    let table = table.unwrap_or(&nothing);
    table.refuse_unknown(keys::keys_of("plugins"), issues);
    let directories = table.texts(&keys::DIRECTORIES, issues).unwrap_or_default();
    let directories: Vec<PathBuf> =
        directories.iter().map(|directory| absolute(source.folder(), directory.get_ref())).collect();
    PluginSettings {
        directories,
        policy: table.setting(&keys::POLICY, issues),
        watch: table.setting(&keys::WATCH, issues),
    }
}

fn resolve_ai(
    id: &str,
    table: &TableReader<'_, '_>,
    libraries: &Libraries<'_>,
    issues: &mut Issues<'_>,
) -> Option<(AiSettings, AiPlaces)> {
    check_id("an AI", id, table, issues);
    table.refuse_unknown(keys::keys_of("ai"), issues);
    let library = table.required(&keys::LIBRARY, issues).and_then(|library| {
        let name = library.get_ref();
        let found = libraries.find(name);
        found
            .map_err(|missing| {
                let message =
                    format!("the library \"{}\" of the AI `{id}` is not found", shortened(name, 60));
                let issue = issues.missing(&library.span(), &message).allow(keys::LIBRARY.kind.allowed);
                missing.explain(issue);
            })
            .ok()
    });
    let sha256 = table.read(&keys::SHA256, issues);
    let workers = table.setting(&keys::WORKERS, issues);
    let start_timeout_ms = table.setting(&keys::START_TIMEOUT_MS, issues);
    let new_game_timeout_ms = table.setting(&keys::NEW_GAME_TIMEOUT_MS, issues);
    let queue = table.setting(&keys::QUEUE_CAPACITY, issues) as usize;
    let isolate = table.setting(&keys::ISOLATE, issues);
    let fallback = table.read(&keys::FALLBACK, issues).map(Spanned::into_inner);
    let timeout = table.setting_if_right(&keys::MOVE_TIMEOUT_MS, issues);
    let limit = resolve_limit(table, timeout, issues);
    let sandbox = resolve_sandbox(table, libraries.folder, issues);
    let overridable_options = table.texts(&keys::OVERRIDABLE_OPTIONS, issues).unwrap_or_default();
    let (options, option_places) = resolve_options(table, issues).into_iter().unzip();
    let places = AiPlaces {
        header: table.span().clone(),
        library: table.span_of(keys::LIBRARY.name)?,
        sha256: sha256.as_ref().map(Spanned::span),
        options: option_places,
        overridable_options: overridable_options.iter().map(Spanned::span).collect(),
    };
    let settings = AiSettings {
        id: id.to_owned(),
        library: library?,
        sha256: sha256.map(Spanned::into_inner),
        workers: workers as usize,
        move_timeout_ms: timeout?,
        start_timeout_ms,
        new_game_timeout_ms,
        queue,
        isolate,
        fallback,
        limit: limit?,
        sandbox,
        options,
        overridable_options: overridable_options.into_iter().map(Spanned::into_inner).collect(),
    };
    Some((settings, places))
}

impl AiSettings {
    /// The settings of an AI of whose library nobody has said more than where it is. None where the path can't stand in a
    /// file, or there is no library.
    pub fn with_defaults(id: &str, library: &Path) -> Option<Self> {
        // Read like any other, so that it has the defaults that any other has.
        let text = format!("{} = {}", keys::LIBRARY.name, quoted(library.to_str()?));
        let source = Source::new(library, text);
        let mut issues = Issues::new(&source);
        let parsed = toml::de::DeTable::parse(source.text()).ok()?;
        let libraries = Libraries { folder: source.folder(), directories: &[] };
        let resolved = resolve_ai(id, &TableReader::root(parsed.get_ref()), &libraries, &mut issues);
        resolved.filter(|_| issues.finish().is_empty()).map(|(settings, _)| settings)
    }
}

fn resolve_limit(
    ai: &TableReader<'_, '_>,
    move_timeout_ms: Option<u64>,
    issues: &mut Issues<'_>,
) -> Option<Limits> {
    let allowed = keys::limit_allowed();
    if !ai.has(keys::LIMIT) {
        return Some(Limits::depth(keys::DEFAULT_DEPTH));
    }
    let table = ai.table(keys::LIMIT, &allowed, issues)?;
    let names =
        [keys::LIMIT_DEPTH.name, keys::LIMIT_NODES.name, keys::LIMIT_MOVETIME_MS.name, keys::LIMIT_MATE.name];
    table.refuse_unknown(&names, issues);
    let depth = table.read(&keys::LIMIT_DEPTH, issues).map(|plies| plies.into_inner() as u32);
    let nodes = table.read(&keys::LIMIT_NODES, issues).map(Spanned::into_inner);
    let mate_plies = table.read(&keys::LIMIT_MATE, issues).map(|moves| 2 * moves.into_inner() as u32 - 1);
    let movetime = table.read(&keys::LIMIT_MOVETIME_MS, issues);
    if let (Some(movetime), Some(timeout)) = (&movetime, move_timeout_ms)
        && *movetime.get_ref() >= timeout
    {
        let message = format!(
            "`{}` is {}, but `{}` is {timeout}",
            table.path_of(keys::LIMIT_MOVETIME_MS.name),
            movetime.get_ref(),
            ai.path_of(keys::MOVE_TIMEOUT_MS.name),
        );
        issues
            .at(&movetime.span(), &message)
            .allow("less than `move_timeout_ms`, after which the answer is given up");
    }
    if table.entries().next().is_none() {
        let message = format!("`{}` sets no limit", ai.path_of(keys::LIMIT));
        issues.missing(table.span(), &message).allow(&allowed);
    }
    let movetime_ms = movetime.map(Spanned::into_inner);
    let limits = Limits { depth, nodes, mate_plies, soft_ms: movetime_ms, hard_ms: movetime_ms };
    (limits != Limits::NONE).then_some(limits)
}

fn resolve_sandbox(ai: &TableReader<'_, '_>, folder: &Path, issues: &mut Issues<'_>) -> SandboxSettings {
    let (mut read, mut links) = (Vec::new(), Vec::new());
    let mut note_links = |granted: &str, path: &Path| {
        links.extend(Some(written(folder, granted)).filter(|plain| plain != path));
    };
    for granted in ai.texts(&keys::ALLOW_READ, issues).unwrap_or_default() {
        let path = absolute(folder, granted.get_ref());
        note_links(granted.get_ref(), &path);
        if let Err(error) = metadata(&path) {
            let message = format!(
                "`{}` grants {}, which can't be found: {error}",
                ai.path_of(keys::ALLOW_READ.name),
                path.display()
            );
            issues.missing(&granted.span(), &message).allow(keys::ALLOW_READ.kind.allowed);
        }
        read.push(path);
    }
    let mut exec = Vec::new();
    for granted in ai.texts(&keys::ALLOW_EXEC, issues).unwrap_or_default() {
        let path = absolute(folder, granted.get_ref());
        note_links(granted.get_ref(), &path);
        match library::executable::inspect(&path) {
            Ok(executable) => exec.push(executable),
            Err(error) => {
                let message = format!(
                    "`{}` grants {}, which {error}",
                    ai.path_of(keys::ALLOW_EXEC.name),
                    path.display()
                );
                issues.missing(&granted.span(), &message).allow(keys::ALLOW_EXEC.kind.allowed);
            }
        }
    }
    SandboxSettings {
        mode: ai.setting(&keys::SANDBOX, issues),
        memory_mb: ai.setting(&keys::MEMORY_MB, issues),
        threads: ai.setting(&keys::THREADS, issues),
        read,
        exec,
        links,
    }
}

fn resolve_options(ai: &TableReader<'_, '_>, issues: &mut Issues<'_>) -> Vec<(OptionSetting, OptionPlace)> {
    let Some(table) = ai.table(keys::OPTIONS, "a table, as in [ai.ID.options]", issues) else {
        return Vec::new();
    };
    let mut options = Vec::new();
    for (name, value) in table.entries() {
        if let Some(option) = option_value(value) {
            let setting = OptionSetting { name: name.get_ref().as_ref().into(), value: option };
            options.push((setting, OptionPlace { name: name.span(), value: value.span() }));
        } else {
            let message = format!("`{}` is {}", table.path_of(name.get_ref()), description(value.get_ref()));
            issues
                .at(&value.span(), &message)
                .allow("true, false, a whole number of 64 bits, a decimal number, a text in quotes or a list of such texts");
        }
    }
    options.sort_by_key(|(_, place)| place.name.start);
    options
}

fn option_value(value: &Spanned<DeValue<'_>>) -> Option<OptionValue> {
    match value.get_ref() {
        DeValue::Boolean(flag) => Some(OptionValue::Flag(*flag)),
        DeValue::Integer(number) => keys::whole(number).map(OptionValue::Integer),
        DeValue::String(text) => Some(OptionValue::Text(text.as_ref().into())),
        DeValue::Float(number) => {
            let number = number.as_str().parse().ok().filter(|number: &f64| number.is_finite());
            number.map(OptionValue::Decimal)
        }
        DeValue::Array(values) => {
            let texts = values.iter().map(|value| value.get_ref().as_str().map(String::from));
            texts.collect::<Option<_>>().map(OptionValue::List)
        }
        DeValue::Datetime(_) | DeValue::Table(_) => None,
    }
}

fn resolve_client(
    id: &str,
    table: &TableReader<'_, '_>,
    known: &KnownAis<'_>,
    issues: &mut Issues<'_>,
) -> Option<ClientSettings> {
    check_id("a client", id, table, issues);
    table.refuse_unknown(keys::keys_of("client"), issues);
    let ai = table.required(&keys::CLIENT_AI, issues);
    let allowed_ais = table.texts(&keys::ALLOWED_AIS, issues);
    for (key, named) in ai
        .iter()
        .map(|ai| (keys::CLIENT_AI.name, ai))
        .chain(allowed_ais.iter().flatten().map(|ai| (keys::ALLOWED_AIS.name, ai)))
    {
        let name = named.get_ref().as_str();
        if !known.contains(name) {
            let issue = issues.missing(&named.span(), &unknown(&table.path_of(key), name));
            let ids = known.ids();
            let allowed = if ids.is_empty() { "none: there is no [ai.ID]" } else { &ids.join(", ") };
            known.explain(issue, name, "").allow(allowed);
        }
    }
    if let (Some(ai), Some(allowed_ais)) = (&ai, &allowed_ais)
        && !allowed_ais.iter().any(|allowed| allowed.get_ref() == ai.get_ref())
    {
        let ai = shortened(ai.get_ref(), 64);
        let message = format!(
            "`{}` does not hold `{ai}`, the AI that the client is given",
            table.path_of(keys::ALLOWED_AIS.name)
        );
        let span = table.span_of(keys::ALLOWED_AIS.name);
        issues
            .missing(&span.unwrap_or_else(|| table.span().clone()), &message)
            .allow(&format!("a list that holds \"{ai}\"; left out: every AI"));
    }
    let allowed_ais = allowed_ais.map(|ais| ais.into_iter().map(Spanned::into_inner).collect());
    let mut number = |key| table.read(key, issues).map(Spanned::into_inner);
    let max_search = SearchMaxima {
        depth: number(&keys::MAX_DEPTH).map(|plies| plies as u32),
        nodes: number(&keys::MAX_NODES),
        movetime_ms: number(&keys::MAX_MOVETIME_MS),
    };
    let max_concurrent = number(&keys::MAX_CONCURRENT).map(|most| most as usize);
    let rate = table.read(&keys::RATE, issues).map(Spanned::into_inner);
    let api_key_sha256 = table.read(&keys::API_KEY_SHA256, issues).map(Spanned::into_inner);
    let admin = table.setting(&keys::ADMIN, issues);
    if admin && !table.has(keys::API_KEY_SHA256.name) {
        let message = format!(
            "`{}` is true, but the client has no key: whoever gave its name would be one",
            table.path_of(keys::ADMIN.name)
        );
        let span = table.span_of(keys::ADMIN.name).unwrap_or_else(|| table.span().clone());
        issues
            .at(&span, &message)
            .allow("true for a client with `api_key_sha256`; `rookery client add NAME` makes a key");
    }
    Some(ClientSettings {
        id: id.to_owned(),
        ai: ai?.into_inner(),
        allowed_ais,
        api_key_sha256,
        admin,
        rate,
        max_concurrent,
        max_search,
    })
}

fn unknown(path: &str, ai: &str) -> String {
    format!("`{path}` names the AI `{}`, which is not configured", shortened(ai, 64))
}

/// Who answers in an AI's stead is another one, and the last to be asked.
fn refuse_fallbacks(tables: &[(&str, TableReader<'_, '_>)], known: &KnownAis<'_>, issues: &mut Issues<'_>) {
    let key = keys::FALLBACK.name;
    for (id, table) in tables {
        let Some((_, named)) = table.entries().find(|(found, _)| found.get_ref() == key) else { continue };
        let Some(name) = named.get_ref().as_str().filter(|name| !name.is_empty()) else { continue };
        let path = table.path_of(key);
        let issue = match tables.iter().find(|(other, _)| *other == name) {
            None if known.contains(name) => continue,
            None => known.explain(issues.missing(&named.span(), &unknown(&path, name)), name, id),
            Some((other, _)) if other == id => {
                issues.missing(&named.span(), &format!("`{path}` names the AI itself"))
            }
            Some((other, fallback)) if fallback.has(key) => {
                let message = format!("`{path}` names the AI `{other}`, which has a fallback itself");
                issues.missing(&named.span(), &message)
            }
            Some(_) => continue,
        };
        issue.allow(keys::FALLBACK.kind.allowed);
    }
}

/// A key names one client.
fn refuse_shared_keys(
    tables: &[(&str, TableReader<'_, '_>)],
    clients: &BTreeMap<String, ClientSettings>,
    issues: &mut Issues<'_>,
) {
    let mut seen = BTreeMap::new();
    for (id, table) in tables {
        let Some(digest) = clients.get(*id).and_then(|client| client.api_key_sha256) else { continue };
        if let Some(first) = seen.insert(digest.to_string(), *id) {
            let key = keys::API_KEY_SHA256.name;
            let message = format!("`{}` is that of [client.{first}] too", table.path_of(key));
            let span = table.span_of(key).unwrap_or_else(|| table.span().clone());
            issues
                .at(&span, &message)
                .allow("a key of its own for each client; `rookery client add NAME` makes one");
        }
    }
}

fn check_id(kind: &str, id: &str, table: &TableReader<'_, '_>, issues: &mut Issues<'_>) {
    if !keys::is_id(id) {
        let message = format!("`{}` cannot be the id of {kind}", shortened(id, 80));
        issues.at(table.span(), &message).allow(keys::ID_ALLOWED);
    }
}

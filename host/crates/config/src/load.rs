//! Loads a configuration: reads the file, then every section, and reports all errors at once.

use std::{cell::OnceCell, collections::BTreeMap, fs, io, path::Path, sync::Arc};

use library::file_access::{self, ReadFileError};
use toml::de::DeTable;

use crate::{
    ai::{AiSettings, read_ai},
    client::{ClientSettings, check_keys, read_client},
    config::{Config, named_ais},
    duplicate::{DUPLICATE, report_duplicates},
    extra::{AbsentSection, ExtraSection, Settings},
    id::check_id,
    issue::{ConfigErrors, ConfigIssue, Issues},
    known_ais::{KnownAis, check_candidates, check_fallbacks},
    level::{LevelSettings, read_level},
    limit::LimitSettings,
    load_options::LoadOptions,
    places::Places,
    plugins::{PluginSettings, check_directories},
    section::{Section, SettingEntry},
    server::{ServerSettings, read_server},
    source::Source,
    table::{Document, Override, SectionKeys, Table},
    tablebases::TablebaseSettings,
    tls::TlsFiles,
};
use text::without_mark;

const MAX_FILE_BYTES: usize = 1 << 20;

/// The description of a section in documents.
pub struct DocumentedSection {
    /// The header, such as `[ai.ID]`.
    pub header: String,
    pub about: &'static str,
    pub entries: Vec<SettingEntry>,
    /// Whether some builds lack the section.
    pub is_extra: bool,
}

/// Returns every section, the core's first.
pub fn sections(options: &LoadOptions) -> Vec<DocumentedSection> {
    let core = [
        (
            "[server]",
            "Addresses, connections and requests.",
            ServerSettings::entries(),
        ),
        (
            "[server.tls]",
            "The server offers HTTP/1.1 over TLS. A reload reads both files again.",
            TlsFiles::entries(),
        ),
        (
            "[plugins]",
            "The libraries of the AIs.",
            PluginSettings::entries(),
        ),
        (
            "[tablebases]",
            "Exact endgame results for `POST /v1/tablebase`, the page, reports, and AIs that use \
             them.",
            TablebaseSettings::entries(),
        ),
        (
            "[ai.ID]",
            "One section for each AI. Clients use its ID.",
            AiSettings::entries(),
        ),
        (
            "[ai.ID.limit]",
            "The first limit that is reached ends the search.",
            LimitSettings::entries(),
        ),
        (
            "[client.ID]",
            "One section for each client. A request names its client in the `X-Client-Id` header \
             or with a key. `[client.default]` is for requests that name no client. Without that \
             section, they get 401.",
            ClientSettings::entries(),
        ),
        (
            "[level.ID]",
            "One section for each level: an AI with options at a measured strength. `GET \
             /v1/levels` lists levels, and the page offers them as opponents.",
            LevelSettings::entries(),
        ),
    ];
    let core = core.map(|(header, about, entries)| DocumentedSection {
        header: header.to_owned(),
        about,
        entries,
        is_extra: false,
    });
    let of_extra = |name, about, entries: fn() -> Vec<SettingEntry>| DocumentedSection {
        header: format!("[{name}]"),
        about,
        entries: entries(),
        is_extra: true,
    };
    let extras = options.sections.iter().flat_map(|extra| {
        let tables = extra.tables.iter();
        let below = tables.map(move |table| of_extra(table.name, table.about, table.entries));
        std::iter::once(of_extra(extra.name, extra.about, extra.entries)).chain(below)
    });
    core.into_iter().chain(extras).collect()
}

/// Reads and checks the file at `path`. The values in `options` take precedence over it.
///
/// # Errors
/// All errors in the file and in `options`.
pub fn load(path: &Path, options: &LoadOptions) -> Result<Config, ConfigErrors> {
    let (config, checked) = load_in_part(path, options)?;
    checked.map(|()| config)
}

/// Reads and checks a file like [`load`], for a server that runs with the configuration `running`.
/// An AI with an unchanged section keeps its settings even if its library, a granted file, or a
/// file that its command names has disappeared.
///
/// # Errors
/// All other errors in the file and in `options`.
pub fn load_beside(
    path: &Path,
    options: &LoadOptions,
    running: &Config,
) -> Result<Config, ConfigErrors> {
    // The default must not replace a file that has disappeared.
    let source = if running.source.is_written() {
        Source::new(path, read(path)?)
    } else {
        source_of(path, options)?
    };
    let (config, checked) = read_source(source, options, Some(running));
    checked.map(|()| config)
}

/// Reads and checks a file like [`load`], but also returns the configuration if it has errors, for
/// further checks of the AIs. Defaults replace wrong values. AIs whose sections have errors are
/// left out.
///
/// # Errors
/// The file cannot be read.
pub fn load_in_part(
    path: &Path,
    options: &LoadOptions,
) -> Result<(Config, Result<(), ConfigErrors>), ConfigErrors> {
    Ok(read_source(source_of(path, options)?, options, None))
}

/// Checks the text of a file.
pub(crate) fn load_text(
    path: &Path,
    text: String,
    options: &LoadOptions,
) -> Result<Config, ConfigErrors> {
    let (config, checked) = read_source(Source::new(path, text), options, None);
    checked.map(|()| config)
}

/// Returns the configuration of an empty file.
///
/// # Panics
/// Never: every key has a default.
pub fn empty() -> Config {
    let loaded = load_text(Path::new("none"), String::new(), &LoadOptions::none());
    loaded.expect("an empty configuration is valid")
}

fn read_source(
    source: Source,
    options: &LoadOptions,
    running: Option<&Config>,
) -> (Config, Result<(), ConfigErrors>) {
    let mut issues = Issues::new(&source);
    let (table, errors) = DeTable::parse_recoverable(source.text());
    let (duplicates, errors): (Vec<_>, Vec<_>) = errors
        .into_iter()
        .partition(|error| error.message() == DUPLICATE);
    let spans: Vec<_> = duplicates
        .iter()
        .filter_map(toml::de::Error::span)
        .collect();
    report_duplicates(&source, table.get_ref(), &spans, &mut issues);
    for error in &errors {
        report_syntax(error, &mut issues);
    }
    let sections: Vec<SectionKeys> = sections(options)
        .into_iter()
        .map(
            |DocumentedSection {
                 header, entries, ..
             }| { (header, entries.iter().map(|entry| entry.key).collect()) },
        )
        .collect();
    let document = Document {
        folder: source.folder(),
        sections: &sections,
    };
    let root = Table::root(&document, table.get_ref());
    let Sections {
        server,
        plugins,
        tablebases,
        mut ais,
        clients,
        levels,
        extras,
    } = read_sections(&root, options, running, &mut issues);
    if !(errors.is_empty() && duplicates.is_empty()) {
        // Sections with duplicates or syntax errors may lack keys.
        ais.clear();
    }
    let checked = ConfigErrors::none_of(issues.finish());
    (
        Config {
            server,
            plugins,
            tablebases,
            ais,
            clients,
            levels,
            extras,
            source,
        },
        checked,
    )
}

struct Sections {
    server: ServerSettings,
    plugins: PluginSettings,
    tablebases: TablebaseSettings,
    ais: BTreeMap<String, AiSettings>,
    clients: BTreeMap<String, ClientSettings>,
    levels: BTreeMap<String, LevelSettings>,
    extras: Vec<Arc<dyn Settings>>,
}

/// Returns the tables of `[name.ID]`.
fn tables_of<'a>(
    root: &Table<'a>,
    name: &'static str,
    allowed: &str,
    issues: &mut Issues<'_>,
) -> Vec<Table<'a>> {
    root.table(name, allowed, issues)
        .map(|table| table.tables(allowed, issues))
        .unwrap_or_default()
}

fn read_sections(
    root: &Table<'_>,
    options: &LoadOptions,
    running: Option<&Config>,
    issues: &mut Issues<'_>,
) -> Sections {
    let core = ["server", "plugins", "tablebases", "ai", "client", "level"];
    let of_extras = options.sections.iter().map(|extra| extra.name);
    let absent = options.absent.iter().map(|section| section.name);
    let sections: Vec<_> = core.into_iter().chain(of_extras).chain(absent).collect();
    root.reject_unknown(&sections, issues);
    for AbsentSection { name, remedy } in options.absent {
        let message = format!("this build of `rookery` does not support [{name}]");
        if root.get(name).is_some() {
            issues.at(&root.span_of(name), &message).allow(remedy);
        }
        for Override {
            origin,
            separator,
            value,
            ..
        } in options.of_extra(name)
        {
            let mut issue = ConfigIssue::given(&origin, separator, &value, &message);
            issue.allow(remedy);
            issues.elsewhere(issue);
        }
    }
    let empty = DeTable::new();
    let mut section = |name, allowed| {
        let table = root.table(name, allowed, issues);
        table.unwrap_or_else(|| Table::absent(root.document, name, &empty))
    };
    let mut server = section("server", "a table, as in [server]");
    let plugins = section("plugins", "a table, as in [plugins]");
    let tablebases = section("tablebases", "a table, as in [tablebases]");
    server.overrides = options.of_server();
    let server = read_server(&server, issues);
    check_directories(&plugins, issues);
    let plugins = PluginSettings::read_table(&plugins, issues);
    let tablebases = TablebaseSettings::read_table(&tablebases, issues);

    let ai_tables = tables_of(root, "ai", "a table, as in [ai.ID]", issues);
    let (mut ais, mut wrong) = (BTreeMap::new(), Vec::new());
    let running = running.filter(|running| running.plugins.directories == plugins.directories);
    let places = running.map(|running| Places::of(&running.source));
    for table in &ai_tables {
        let before = issues.count();
        check_id("an AI", table, issues);
        let mut ai = read_ai(table, &plugins.directories, issues);
        if let (Some(running), Some(places)) = (running, &places)
            && let Some(settings) = running.ais.get(table.name)
            && places
                .table(&["ai", table.name])
                .is_some_and(|running_table| table.is_same(running_table))
            && !(settings.gone_grants().is_empty() && settings.missing_in_command().is_empty())
        {
            // Only its files have disappeared; the section is unchanged.
            issues.truncate(before);
            ai = settings.clone();
        }
        if issues.is_full() || issues.count() > before {
            wrong.push(table.name);
        }
        ais.insert(table.name.to_owned(), ai);
    }
    let configured = ai_tables.iter().map(|table| table.name).collect();
    let flags: Vec<_> = options
        .sections
        .iter()
        .map(|extra| options.of_extra(extra.name))
        .collect();
    let mut extra_tables = Vec::new();
    for (extra, overrides) in options.sections.iter().zip(&flags) {
        let allowed = format!("a table, as in [{}]", extra.name);
        let written = root.table(extra.name, &allowed, issues);
        let is_absent = extra.is_optional && overrides.is_empty();
        let unwritten = || (!is_absent).then(|| Table::absent(root.document, extra.name, &empty));
        if let Some(mut table) = written.or_else(unwritten) {
            table.overrides = overrides;
            extra_tables.push((extra, table));
        }
    }
    // An extra is considered even if its section has errors.
    let brings_ais = |extra: &ExtraSection| extra.brings_ais && root.get(extra.name).is_some();
    let known = KnownAis {
        configured,
        has_remote: options.sections.iter().any(brings_ais)
            || extra_tables.iter().any(|(extra, _)| extra.brings_ais),
        plugins: &plugins,
        ais: &ais,
        discovered: OnceCell::new(),
    };
    check_fallbacks(&ai_tables, &known, issues);
    check_candidates(&ai_tables, &known, issues);
    let extras: Vec<_> = extra_tables
        .iter()
        .map(|(extra, table)| (extra.read)(table, &known, issues))
        .collect();

    let client_tables = tables_of(root, "client", "a table, as in [client.ID]", issues);
    let clients: BTreeMap<_, _> = client_tables
        .iter()
        .map(|table| (table.name.to_owned(), read_client(table, &known, issues)))
        .collect();
    check_keys(&client_tables, &clients, issues);

    let mut levels = BTreeMap::new();
    for table in &tables_of(root, "level", "a table, as in [level.ID]", issues) {
        let level = read_level(table, &known, &ais, issues);
        levels.insert(table.name.to_owned(), level);
    }

    let discovered = known.into_discovered();
    let named = named_ais(&ais, &clients, &levels, &extras);
    let discovered = discovered.into_iter().filter(|ai| named.contains(&ai.id));
    ais.extend(discovered.map(|ai| (ai.id.clone(), ai)));
    ais.retain(|id, _| !wrong.contains(&id.as_str()));
    Sections {
        server,
        plugins,
        tablebases,
        ais,
        clients,
        levels,
        extras,
    }
}

/// Reads the file, or the default text if it does not exist.
fn source_of(path: &Path, options: &LoadOptions) -> Result<Source, ConfigErrors> {
    match &options.default {
        Some(text) if is_missing(path) => Ok(Source::unwritten(path, text)),
        _ => Ok(Source::new(path, read(path)?)),
    }
}

/// Returns whether nothing has this name, not even a broken link.
pub(crate) fn is_missing(path: &Path) -> bool {
    fs::symlink_metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

/// Reads the text of the file.
pub(crate) fn read(path: &Path) -> Result<String, ConfigErrors> {
    let origin = path.to_string_lossy();
    let refused = |message: &str, allowed: &str| {
        let mut issue = ConfigIssue::of(&origin, message);
        issue.allow(allowed);
        ConfigErrors::from(issue)
    };
    let unreadable = |error: ReadFileError| match error {
        ReadFileError::Io(error) if error.kind() == io::ErrorKind::NotFound => refused(
            "there is no such file",
            "a configuration file in TOML; use `--config FILE` for a different file",
        ),
        ReadFileError::Folder => refused(
            "this is a folder",
            "the configuration file itself, such as `--config FOLDER/rookery.toml`",
        ),
        ReadFileError::TooLarge(_) => refused(
            "the file is too large",
            &format!("at most {MAX_FILE_BYTES} bytes"),
        ),
        ReadFileError::Stalled(error) => refused(
            &format!("cannot be read: {error}"),
            "a file on a disk that responds",
        ),
        ReadFileError::NotRegular(_) | ReadFileError::Generated(_) => {
            refused(&error.to_string(), "a regular file on a disk")
        }
        ReadFileError::Io(error) => refused(
            &format!("cannot be read: {error}"),
            "a file that the server's user may read",
        ),
    };
    let bytes = file_access::read(path, MAX_FILE_BYTES as u64, |_| true).map_err(unreadable)?;
    String::from_utf8(without_mark(&bytes).to_vec()).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
        let mut issue = ConfigIssue::in_file(
            &Source::new(path, text),
            &(at..at + 1),
            "this byte is not UTF-8",
        );
        issue.allow("a text file in UTF-8");
        issue.into()
    })
}

/// Splits the parser's message, `FOUND, expected ALLOWED`, and reports it.
fn report_syntax(error: &toml::de::Error, issues: &mut Issues<'_>) {
    let span = error.span().unwrap_or_default();
    let (found, expected) = error
        .message()
        .split_once(", expected ")
        .unwrap_or((error.message(), ""));
    match expected {
        "literal string" if span.is_empty() => _ = issues.syntax(&span, "the value is missing"),
        "literal string" => _ = issues.syntax(&span, found).allow("a quoted string"),
        "" | "nothing" => _ = issues.syntax(&span, found),
        _ => _ = issues.syntax(&span, found).allow(expected),
    }
}

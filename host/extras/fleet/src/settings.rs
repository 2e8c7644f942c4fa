//! `[fleet]`.

use std::{
    collections::BTreeSet,
    marker::PhantomData,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use ai_api::note::is_id;
use library::file_access::{self, written};

use config::{
    ID_ALLOWED, TlsFile, check_authorities,
    extra::{ExtraSettings, ExtraTable},
    issue::{ConfigIssue, Issues},
    kinds::{Flag, List, allowed_text, description_of_text, number, parsed, path},
    known_ais::KnownAis,
    mode_warning, section,
    section::{IntoField as _, OptionalTable, Section as _},
    shortened,
    table::Table,
};

use crate::nats_address::{NatsAddress, NatsServers};

/// The allowed node names.
pub const NODE_NAME_ALLOWED: &str = "1 to 32 of a-z, 0-9 and `_`";

const MAX_NODE_NAME_BYTES: usize = 32;
const MAX_GUESTS: usize = 64;
const MAX_CREDENTIALS_BYTES: u64 = 64 << 10;
const CREDENTIALS_ALLOWED: &str = "a NATS credentials file or an NKEY seed file, at most 64 KiB, \
                                   that the user of the server or node may read; `nsc \
                                   generate creds` writes one";

section! {
    /// `[fleet]`: AIs on other machines, over NATS.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct FleetSettings {
        /// The NATS servers, unless `rookery node --nats URL` names others. A server on another
        /// machine requires `tls://` and, unless `insecure` is set, `credentials_file`.
        nats: Vec<NatsAddress> = NatsServers,
        /// The NATS login of this server or node. Only its user should be able to read the file.
        credentials_file: Option<PathBuf> = path(
            "the path of a NATS credentials file or an NKEY seed file, relative to this file, such \
             as \"rookery.creds\"",
        ).optional("no login").example("\"rookery.creds\""),
        /// The certificate authorities of the NATS servers, in PEM form.
        ca_file: Option<PathBuf> =
            path("the path of a PEM file, relative to this file, such as \"ca.pem\"")
                .optional("the certificates that the system trusts")
                .example("\"ca.pem\""),
        /// Your nodes. A server serves their AIs under their own ids.
        nodes: BTreeSet<String> = List::new(
            "a list of node names, each 1 to 32 of a-z, 0-9 and `_`, such as [\"big\"]",
            |text, _| allowed_text(text, is_node_name),
            String::clone,
        ).or(BTreeSet::new()),
        /// Other people's nodes, whose AIs a server serves as `NAME-ID`. It ignores nodes in
        /// neither list.
        guests: BTreeSet<String> = List::new(
            "a list of at most 64 node names, each 1 to 32 of a-z, 0-9 and `_`, such as [\"anna\"]",
            |text, _| allowed_text(text, is_node_name),
            String::clone,
        ).or(BTreeSet::new()),
        /// The fleet name of this server or node.
        name: Option<String> = parsed(
            NODE_NAME_ALLOWED,
            |text| is_node_name(text).then(|| text.to_owned()),
            String::clone,
        ).optional("the host name").example("\"gpu1\""),
        /// The AIs that a node offers.
        offer: Option<BTreeSet<String>> = List::new(
            "a list of this machine's AI IDs, at least one",
            |text, _| allowed_text(text, |text| !text.is_empty()),
            String::clone,
        ).optional("every AI").example("[\"basic1\"]"),
        /// How long a server or node may be silent before the others treat it as lost.
        lost_after_ms: u64 = number(500..=60_000).or(3000),
        /// Whether NATS servers on other machines may be used without a login. Any process that can
        /// reach them can then pose as any node or server.
        insecure: bool = Flag.or(false),
        /// The matches that this node plays.
        matches: Option<FleetMatchSettings> = OptionalTable {
            allowed: "a table, as in [fleet.matches]",
            absent: "this node plays no matches",
            settings: PhantomData,
        },
    }
}

section! {
    /// `[fleet.matches]`: the pairs of games that a node plays.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct FleetMatchSettings {
        /// How many pairs of games the node plays at once, at most one for each idle processor.
        slots: Option<usize> = number(1..=256)
            .optional("as many as the processors allow")
            .example("4"),
        /// The node plays matches from these servers and `rookery match --fleet` commands. Their
        /// AIs always require the sandbox.
        from: BTreeSet<String> = List::new(
            "a list of fleet names, each 1 to 32 of a-z, 0-9 and `_`, such as \
             [\"anna\"]",
            |text, _| allowed_text(text, is_node_name),
            String::clone,
        ).required().example("[\"anna\"]"),
        /// The maximum total size, in MiB, of the libraries, engines and nets that the node keeps.
        /// It deletes the least recently used files first and refuses matches that need more.
        max_mb: u64 = number(1..=1 << 20).or(512),
    }
}

impl FleetSettings {
    /// Returns a warning if every user can read or replace the credentials file.
    pub fn warning(&self) -> Option<String> {
        let file = self.credentials_file.as_ref()?;
        mode_warning(
            "credentials",
            file,
            file_access::metadata(file).ok()?.mode(),
        )
    }
}

/// Returns whether `name` is a valid name for a node or a server: 1 to 32 of a-z, 0-9 and `_`. A
/// name contains no `-`, so `NAME-ID` is unambiguous.
pub fn is_node_name(name: &str) -> bool {
    (1..=MAX_NODE_NAME_BYTES).contains(&name.len())
        && name
            .bytes()
            .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'))
}

impl ExtraSettings for FleetSettings {
    const NAME: &'static str = "fleet";
    const ABOUT: &'static str = "AIs on other machines, over NATS; see `docs/fleet.md`. Servers \
        use `nodes` and `guests`, nodes use `offer`.";
    const TABLES: &'static [ExtraTable] = &[ExtraTable {
        name: "fleet.matches",
        about: "Matches that a node plays for others; see `docs/fleet-matches.md`.",
        entries: FleetMatchSettings::entries,
    }];
    const IS_OPTIONAL: bool = true;
    const BRINGS_AIS: bool = true;

    fn read_checked(table: &Table<'_>, known: &KnownAis<'_>, issues: &mut Issues<'_>) -> Self {
        let fleet = read_fleet(table, issues);
        check_offer(&fleet, table, known, issues);
        fleet
    }

    fn named_ais(&self) -> Vec<String> {
        self.offer.iter().flatten().cloned().collect()
    }

    fn is_taken_over(_key: &str) -> bool {
        false
    }
}

/// Reads `[fleet]` and checks the files that it names.
fn read_fleet(table: &Table<'_>, issues: &mut Issues<'_>) -> FleetSettings {
    let mut fleet = FleetSettings::read_table(table, issues);
    fleet.credentials_file = read_file("credentials_file", table, issues, |file| {
        let read = file_access::read(file, MAX_CREDENTIALS_BYTES, |_| true);
        read.map_err(|error| (format!("cannot be read: {error}"), CREDENTIALS_ALLOWED))
            .map(drop)
    });
    fleet.ca_file = read_file("ca_file", table, issues, |file| {
        check_authorities(file)
            .map_err(|error| (error.to_string(), error.remedy(TlsFile::Certificate)))
    });
    let offer = table
        .get("offer")
        .and_then(|offer| offer.get_ref().as_array());
    if offer.is_some_and(|offer| offer.is_empty()) {
        let message = format!("`{}` is an empty list", table.path_of("offer"));
        issues
            .at(&table.span_of("offer"), &message)
            .allow(&FleetSettings::allowed("offer"));
    }
    if fleet.guests.len() > MAX_GUESTS {
        let message = format!(
            "`{}` contains {} nodes",
            table.path_of("guests"),
            fleet.guests.len()
        );
        issues
            .at(&table.span_of("guests"), &message)
            .allow(&FleetSettings::allowed("guests"));
    }
    for (name, span) in table
        .texts("guests")
        .filter(|(name, _)| fleet.nodes.contains(*name))
    {
        let message = format!(
            "`{}` contains {}, which is already in `nodes`",
            table.path_of("guests"),
            description_of_text(name)
        );
        issues
            .at(&span, &message)
            .allow("each node in one of the two lists");
    }
    for key in ["nodes", "guests", "offer"] {
        let mut seen = BTreeSet::new();
        for (name, span) in table.texts(key) {
            if !issues.any_at(&span) && !seen.insert(name) {
                let message = format!(
                    "`{}` contains {} twice",
                    table.path_of(key),
                    description_of_text(name)
                );
                issues.at(&span, &message).allow("each name once");
            }
        }
    }
    check_authentication(&fleet, table, issues);
    fleet
}

/// Reports NATS servers on other machines without a login.
fn check_authentication(fleet: &FleetSettings, table: &Table<'_>, issues: &mut Issues<'_>) {
    let span = table.span_of("nats");
    if fleet.insecure || table.get("credentials_file").is_some() || issues.any_at(&span) {
        return;
    }
    let Some(beyond) = fleet.nats.iter().find(|address| !address.is_local()) else {
        return;
    };
    let message = format!(
        "`{}` names {beyond}, on another machine, without `credentials_file`: any process that \
         can reach it could pose as any node or server",
        table.path_of("nats")
    );
    let allowed = "`credentials_file` with a login that NATS restricts (`rookery fleet \
                   permissions`); or `insecure = true` in [fleet], if you trust every process \
                   that can reach NATS";
    match table.overrides.iter().find(|given| given.key == "nats") {
        Some(given) => {
            let mut issue =
                ConfigIssue::given(&given.origin, given.separator, &given.value, &message);
            issue.allow(allowed);
            issues.elsewhere(issue);
        }
        None => _ = issues.missing(&span, &message).allow(allowed),
    }
}

/// Returns the absolute path in `key`, and reports the file if `check` fails. An error from `check`
/// contains the predicate of a sentence about the file, and the allowed values.
fn read_file(
    key: &str,
    table: &Table<'_>,
    issues: &mut Issues<'_>,
    check: impl FnOnce(&Path) -> Result<(), (String, &'static str)>,
) -> Option<PathBuf> {
    // Links are not resolved, because an operator may replace the file by changing a link.
    let file = written(table.document.folder, table.text(key)?.as_ref());
    if let Err((predicate, allowed)) = check(&file) {
        let message = format!(
            "`{}` names {}, which {predicate}",
            table.path_of(key),
            file.display()
        );
        issues.missing(&table.span_of(key), &message).allow(allowed);
    }
    Some(file)
}

/// Reports unknown AIs in `offer`, and AIs whose ids become too long with the node's name.
fn check_offer(
    fleet: &FleetSettings,
    table: &Table<'_>,
    known: &KnownAis<'_>,
    issues: &mut Issues<'_>,
) {
    for (ai, span) in table.texts("offer").filter(|(ai, _)| !ai.is_empty()) {
        if !issues.any_at(&span) && !known.contains(ai) {
            known.report_unknown(&table.path_of("offer"), ai, &span, issues);
        }
    }
    let Some(name) = &fleet.name else { return };
    let offered = |id: &&str| fleet.offer.as_ref().is_none_or(|offer| offer.contains(*id));
    let too_long = |id: &&str| is_id(id) && !is_id(&format!("{name}-{id}"));
    for id in known
        .configured
        .iter()
        .copied()
        .filter(offered)
        .filter(too_long)
    {
        let message = format!(
            "`{}` gives the AI `{id}` the id `{}` on a server, which is too long",
            table.path_of("name"),
            shortened(&format!("{name}-{id}"), 100)
        );
        issues
            .missing(&table.span_of("name"), &message)
            .allow(&format!(
                "a name that keeps `NAME-ID` a valid id for each offered AI: {ID_ALLOWED}"
            ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_only_valid_node_names() {
        for name in ["a", "0", "gpu_1", "_", &"x".repeat(32)] {
            assert!(is_node_name(name), "{name}");
            assert!(is_id(name), "{name}");
        }
        for other in [
            "",
            "-",
            "a-b",
            "A",
            "a.b",
            "a*",
            ">",
            "a b",
            "ä",
            &"x".repeat(33),
        ] {
            assert!(!is_node_name(other), "{other}");
        }
    }
}

//! Invalid fleet settings.

use test_kit::configuration::{AI, check_printed, errors as errors_with};

use crate::{check, errors, issue, loaded, with_nats};

const URLS: &str = "the URL of a NATS server, \"nats://HOST:PORT\" or \"tls://HOST:PORT\", or \
                    several separated by commas, such as \"tls://nats.example:4222\"; the default \
                    port is 4222";
const ENCRYPTED: &str = "\"tls://HOST:PORT\"; \"nats://HOST:PORT\" only for this machine: \
    localhost, 127.0.0.0/8 or [::1]";
const HOSTS: &str = "a host name or an IP address (IPv6 in brackets), as in \
    \"tls://[2001:db8::1]:4222\"";
const PORTS: &str = "a port from 1 to 65535 (default: 4222)";
const CREDENTIALS: &str =
    "`fleet.nats` contains a user, a password or a token (not shown, because it may be secret)";

#[test]
fn rejects_invalid_addresses() {
    for (value, found, allowed) in [
        ("4222", "is 4222", URLS),
        ("['tls://a']", "is a list", URLS),
        ("''", "is an empty string", URLS),
        ("'tls://a,'", "contains an empty string", URLS),
        ("' , tls://a'", "contains an empty string", URLS),
        (
            "'a:4222'",
            "contains \"a:4222\", which is not the URL of a NATS server",
            URLS,
        ),
        (
            "'http://a'",
            "contains \"http://a\", which is not the URL of a NATS server",
            URLS,
        ),
        (
            "'tls://a/b'",
            "contains \"tls://a/b\", which is not the URL of a NATS server",
            URLS,
        ),
        (
            "'tls://:1'",
            "contains \"tls://:1\", which has no valid host",
            HOSTS,
        ),
        (
            "'tls://::1'",
            "contains \"tls://::1\", which has no valid host",
            HOSTS,
        ),
        (
            "'tls://a:0'",
            "contains \"tls://a:0\", which has no valid port",
            PORTS,
        ),
        (
            "'tls://a:65536'",
            "contains \"tls://a:65536\", which has no valid port",
            PORTS,
        ),
        (
            "'nats://a'",
            "contains \"nats://a\", which connects to another machine without encryption",
            ENCRYPTED,
        ),
        (
            "'tls://a,tls://A.:4222'",
            "names a with port 4222 twice",
            "each NATS server once",
        ),
        (
            "'nats://[::1],tls://[0::1]'",
            "names ::1 with port 4222 twice",
            "each NATS server once",
        ),
    ] {
        let issue = issue(format!("[fleet]\nnats = {value}\n"));
        assert_eq!((issue.line, issue.column), (Some(2), Some(8)), "{value}");
        assert_eq!(issue.message, format!("`fleet.nats` {found}"));
        assert_eq!(issue.allowed.as_deref(), Some(allowed), "{value}");
    }
}

#[test]
fn reports_every_error_at_once() {
    check(
        "[client.c]\nai = 'Big-a'\n[fleet]\nnats = 'nats://a, tls://b:x'\ncredentials_file = \
         '../lib/none'\nca_file = '../lib/notes.txt'\nnodes = ['Big', 3, 'b', 'b']\nname = \
         'a-'\noffer = ['x', 'y', 'x']\nlost_after_ms = 499\nnode = 'a'\n",
        r#"
error: `client.c.ai` names the AI `Big-a`, which is not a valid id
--> 2:6 'Big-a'
= allowed: 1 to 64 of a-z, 0-9, `_` and `-`

error: `fleet.nats` contains "nats://a", which connects to another machine without encryption
--> 4:8 'nats://a, tls://b:x'
= allowed: "tls://HOST:PORT"; "nats://HOST:PORT" only for this machine: localhost, 127.0.0.0/8 or [::1]
= did you mean `tls://a:4222`?

error: `fleet.nats` contains "tls://b:x", which has no valid port
--> 4:8 'nats://a, tls://b:x'
= allowed: a port from 1 to 65535 (default: 4222)

error: `fleet.credentials_file` names /lib/none, which cannot be read: No such file or directory (os error 2)
--> 5:20 '../lib/none'
= allowed: a NATS credentials file or an NKEY seed file, at most 64 KiB, that the user of the server or node may read; `nsc generate creds` writes one

error: `fleet.ca_file` names /lib/notes.txt, which contains no PEM certificate
--> 6:11 '../lib/notes.txt'
= allowed: a PEM file (`-----BEGIN CERTIFICATE-----`) that the server's user may read; `openssl x509 -inform der -in FILE -out NEW_FILE` converts a DER file

error: `fleet.nodes` contains "Big"
--> 7:10 'Big'
= allowed: a list of node names, each 1 to 32 of a-z, 0-9 and `_`, such as ["big"] (default: [])

error: `fleet.nodes` contains 3
--> 7:17 3
= allowed: a list of node names, each 1 to 32 of a-z, 0-9 and `_`, such as ["big"] (default: [])

error: `fleet.nodes` contains "b" twice
--> 7:25 'b'
= allowed: each name once

error: `fleet.name` is "a-"
--> 8:8 'a-'
= allowed: 1 to 32 of a-z, 0-9 and `_` (default: the host name)

error: `fleet.offer` names the AI `x`, which is not configured
--> 9:10 'x'
= allowed: none: there is no [ai.ID]

error: `fleet.offer` names the AI `y`, which is not configured
--> 9:15 'y'
= allowed: none: there is no [ai.ID]

error: `fleet.offer` contains "x" twice
--> 9:20 'x'
= allowed: each name once

error: `fleet.lost_after_ms` is 499
--> 10:17 499
= allowed: a whole number from 500 to 60000 (default: 3000)

error: unknown key `node` in [fleet]
--> 11:1 node
= allowed: nats, credentials_file, ca_file, nodes, guests, name, offer, lost_after_ms, insecure, matches
= did you mean `nodes`?
"#,
    );
}

#[test]
fn rejects_missing_and_invalid_values() {
    for (lines, place, found, allowed) in [
        ("", (1, 2), "[fleet] has no `nats`", URLS),
        (
            "nats = 'nats://[::1]'\noffer = []",
            (3, 9),
            "`fleet.offer` is an empty list",
            "at least one",
        ),
        (
            "nats = 'nats://[::1]'\noffer = [3]",
            (3, 10),
            "`fleet.offer` contains 3",
            "AI IDs",
        ),
        (
            "nats = 'nats://[::1]'\noffer = ['']",
            (3, 10),
            "`fleet.offer` contains an empty string",
            "AI IDs",
        ),
        (
            "nats = 'nats://[::1]'\nlost_after_ms = 60001",
            (3, 17),
            "`fleet.lost_after_ms` is 60001",
            "to 60000",
        ),
        (
            "nats = 'nats://[::1]'\nname = ''",
            (3, 8),
            "`fleet.name` is an empty string",
            "1 to 32 of",
        ),
        (
            "nats = 'nats://[::1]'\nca_file = ''",
            (3, 11),
            "`fleet.ca_file` is an empty string",
            "\"ca.pem\"",
        ),
    ] {
        let issue = issue(format!("[fleet]\n{lines}\n"));
        assert_eq!(
            (issue.line, issue.column),
            (Some(place.0), Some(place.1)),
            "{issue}"
        );
        assert_eq!(issue.message, found);
        assert!(issue.allowed.as_ref().unwrap().contains(allowed), "{issue}");
    }
    let of_wrong_type = issue(format!("fleet = 3\n{AI}[client.b]\nai = 'other'\n"));
    assert_eq!(of_wrong_type.message, "`fleet` is 3");
}

#[test]
fn rejects_invalid_guests() {
    let guests = |guests: &str| {
        issue(format!(
            "[fleet]\nnats = 'nats://[::1]'\nnodes = ['a']\nguests = {guests}\n"
        ))
    };
    let of_both = guests("['b', 'a']");
    assert_eq!(
        of_both.message,
        "`fleet.guests` contains \"a\", which is already in `nodes`"
    );
    assert_eq!((of_both.line, of_both.column), (Some(4), Some(16)));
    assert_eq!(
        of_both.allowed.as_deref(),
        Some("each node in one of the two lists")
    );
    let many: Vec<_> = (0..65).map(|number| format!("'g{number}'")).collect();
    let too_many = guests(&format!("[{}]", many.join(", ")));
    assert_eq!(too_many.message, "`fleet.guests` contains 65 nodes");
    assert!(
        too_many.allowed.as_ref().unwrap().contains("at most 64"),
        "{too_many}"
    );
    loaded(&format!(
        "[fleet]\nnats = 'nats://[::1]'\nguests = [{}]\n",
        many[1..].join(", ")
    ));
}

#[test]
fn rejects_an_offer_or_fallback_that_is_not_configured_here() {
    let fleet = "[fleet]\nnats = 'nats://[::1]'\n";
    let of_offer = issue(format!("{AI}{fleet}offer = ['b']\n"));
    assert_eq!(
        of_offer.message,
        "`fleet.offer` names the AI `b`, which is not configured"
    );
    assert_eq!(of_offer.allowed.as_deref(), Some("a"));
    let of_fallback = issue(format!("{AI}fallback = 'b'\n{fleet}"));
    assert_eq!(
        of_fallback.message,
        "`ai.a.fallback` names the AI `b`, which is not configured"
    );
}

#[test]
fn rejects_a_name_that_makes_an_id_too_long() {
    let id = "x".repeat(60);
    let config = |name: &str, rest: &str| {
        format!(
            "{AI}[ai.{id}]\nlibrary = '../lib/libai_uci.so'\n[fleet]\nnats = 'nats://[::1]'\nname \
             = '{name}'\n{rest}"
        )
    };
    let issue = issue(config("abcd", ""));
    let expected = format!(
        "`fleet.name` gives the AI `{id}` the id `abcd-{id}` on a server, which is too long"
    );
    assert_eq!(
        (issue.line, issue.column, issue.message),
        (Some(7), Some(8), expected)
    );
    loaded(&config("abc", ""));
    loaded(&config("abcd", "offer = ['a']\n"));
}

#[test]
fn names_the_flag_with_an_invalid_address() {
    let flag = with_nats;
    for text in ["", "[fleet]\n"] {
        check_printed(
            &errors_with(text, &flag("nats://nats.example")),
            r#"
error: --nats: `fleet.nats` contains "nats://nats.example", which connects to another machine without encryption
  |
1 | --nats nats://nats.example
  |        ^^^^^^^^^^^^^^^^^^^
  |
  = allowed: "tls://HOST:PORT"; "nats://HOST:PORT" only for this machine: localhost, 127.0.0.0/8 or [::1]
  = did you mean `tls://nats.example:4222`?
"#,
        );
    }
    let empty = errors_with("", &flag(""));
    assert!(
        empty.starts_with("error: --nats: `fleet.nats` is an empty string\n"),
        "{empty}"
    );
    let secret = errors_with("", &flag("tls://me:horse@a"));
    assert!(
        secret.starts_with(&format!("error: --nats: {CREDENTIALS}\n")),
        "{secret}"
    );
    assert!(
        secret.contains("`credentials_file`") && !secret.contains("horse"),
        "{secret}"
    );
}

#[test]
fn never_shows_a_password_in_a_url() {
    for url in [
        "nats://me:horse@a",
        "tls://horse@a:0",
        "tls://a,nats://me:hor,horse/@b,x",
        "me:horse@a",
    ] {
        let issue = issue(format!("[fleet]\nnats = '{url}'\n"));
        assert_eq!(
            (issue.line, issue.column, issue.message.as_str()),
            (Some(2), Some(8), CREDENTIALS)
        );
        assert!(
            issue
                .allowed
                .as_ref()
                .unwrap()
                .contains("`credentials_file`"),
            "{issue}"
        );
        assert!(!format!("{issue} {issue:?}").contains("hor"), "{issue}");
    }
    for lines in [
        "nats = nats://me:horse@a",
        "nats = ['nats://me:horse@a']",
        "nat = 'nats://me:horse@a'",
        "nodes = 3 # nats://me:horse@a",
    ] {
        let errors = errors(&format!("[fleet]\n{lines}\n"));
        assert!(!errors.contains("horse"), "{errors}");
    }
}

#[test]
fn rejects_other_machines_without_a_login() {
    let message = |host: &str| {
        format!(
            "`fleet.nats` names tls://{host}:4222, on another machine, without \
             `credentials_file`: any process that can reach it could pose as any node or server"
        )
    };
    for (nats, host) in [
        ("tls://nats.example", "nats.example"),
        ("nats://127.0.0.1,tls://10.0.0.7", "10.0.0.7"),
        ("tls://[2001:db8::1]", "[2001:db8::1]"),
        ("tls://localhost.example", "localhost.example"),
        ("tls://0.0.0.0", "0.0.0.0"),
    ] {
        let issue = issue(format!("[fleet]\nnats = '{nats}'\n"));
        assert_eq!(
            (issue.line, issue.column, &issue.message),
            (Some(2), Some(8), &message(host))
        );
        assert!(
            issue
                .allowed
                .unwrap()
                .contains("`insecure = true` in [fleet]")
        );
        loaded(&format!("[fleet]\nnats = '{nats}'\ninsecure = true\n"));
        loaded(&format!(
            "[fleet]\nnats = '{nats}'\ncredentials_file = '../lib/rookery.creds'\n"
        ));
    }
    let flag = with_nats("tls://a");
    for text in ["", "[fleet]\nnats = 'nats://127.0.0.1'\n"] {
        let printed = errors_with(text, &flag);
        assert!(
            printed.contains(&message("a")) && printed.contains("--nats tls://a"),
            "{printed}"
        );
    }
    for text in [
        "nats://127.0.0.1",
        "nats://localhost,nats://[::1]:7",
        "tls://127.8.9.10",
    ] {
        loaded(&format!("[fleet]\nnats = '{text}'\n"));
    }
}

#[test]
fn rejects_invalid_match_settings() {
    let messages = errors(
        "[fleet]\nnats = 'nats://[::1]'\n[fleet.matches]\nslots = 0\nmax_mb = 0\nfrm = []\n",
    );
    for part in [
        "`fleet.matches.slots` is 0",
        "`fleet.matches.max_mb` is 0",
        "unknown key `frm` in [fleet.matches]",
        "[fleet.matches] has no `from`",
    ] {
        assert!(messages.contains(part), "no {part} in:\n{messages}");
    }
    let messages = errors("[fleet]\nnats = 'nats://[::1]'\nmatches = ['anna']\n");
    assert!(
        messages.contains("a table, as in [fleet.matches]"),
        "{messages}"
    );
}

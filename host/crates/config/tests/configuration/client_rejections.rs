//! Rejects invalid settings of clients and web pages.

use std::ffi::OsString;

use config::{LoadOptions, api_key};

use crate::support::{errors, errors_with, issue, loaded};

const HEAD: &str = "[ai.a]\nlibrary = '../lib/libai_uci.so'\n[client.b]\nai = 'a'\n";
const SHA256: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

#[test]
fn rejects_invalid_client_maxima() {
    for (line, found, allowed) in [
        (
            "max_depth = 0",
            "`client.b.max_depth` is 0",
            "a whole number from 1 to 1000",
        ),
        (
            "max_nodes = -5",
            "`client.b.max_nodes` is -5",
            "a whole number from 1 to 1000000000000",
        ),
        (
            "max_movetime_ms = '1s'",
            "`client.b.max_movetime_ms` is \"1s\"",
            "from 1 to 3600000",
        ),
        (
            "max_concurrent = 0",
            "`client.b.max_concurrent` is 0",
            "a whole number from 1 to 100000",
        ),
        ("rate = 20", "`client.b.rate` is 20", "such as \"20/s\""),
        (
            "rate = '20 a second'",
            "`client.b.rate` is \"20 a second\"",
            "\"20/s burst 40\"",
        ),
        (
            "expires = '2027-01-31'",
            "`client.b.expires` is \"2027-01-31\"",
            "without quotes",
        ),
        (
            "expires = 2027-01-31T18:00:00",
            "`client.b.expires` is the date 2027-01-31T18:00:00",
            "2027-01-31T18:00:00+01:00",
        ),
        (
            "max_dept = 3",
            "unknown key `max_dept` in [client.b]",
            "max_depth",
        ),
    ] {
        let issue = issue(format!("{HEAD}{line}\n"));
        assert_eq!((issue.line, issue.message.as_str()), (Some(5), found));
        assert!(issue.allowed.as_ref().unwrap().contains(allowed), "{issue}");
    }
}

#[test]
fn rejects_origins_that_no_browser_sends() {
    let issue = issue("[server]\ncors_origins = ['https://a', 'https://b/']");
    assert_eq!(
        issue.message,
        "`server.cors_origins` contains \"https://b/\""
    );
    assert_eq!((issue.line, issue.column), (Some(2), Some(30)));
    let variables = |name: &str| {
        (name == "ROOKERY_CORS_ORIGINS").then(|| OsString::from("https://a;https://b"))
    };
    let errors = errors_with("", &LoadOptions::from_environment(variables));
    assert!(
        errors.starts_with(
            "error: ROOKERY_CORS_ORIGINS: `server.cors_origins` is \"https://a;https://b\""
        ),
        "{errors}"
    );
}

#[test]
fn rejects_invalid_hosts_and_proxies() {
    for (line, found, allowed) in [
        (
            "allowed_hosts = ['a', 'b:80']",
            "contains \"b:80\"",
            "without a port",
        ),
        (
            "allowed_hosts = ['*.example']",
            "contains \"*.example\"",
            "such as [\"chess.example\"]",
        ),
        (
            "trusted_proxies = ['10.0.0.0/33']",
            "contains \"10.0.0.0/33\"",
            "IP addresses and networks",
        ),
        (
            "trusted_proxies = ['proxy']",
            "contains \"proxy\"",
            "\"10.0.0.0/8\"",
        ),
        (
            "trusted_proxies = '10.0.0.1'",
            "is \"10.0.0.1\"",
            "a list of",
        ),
    ] {
        let issue = issue(format!("[server]\n{line}\n"));
        assert_eq!(issue.line, Some(2));
        assert!(issue.message.contains(found), "{issue}");
        assert!(issue.allowed.as_ref().unwrap().contains(allowed), "{issue}");
    }
}

#[test]
fn never_shows_an_api_key() {
    let key = api_key::generate().unwrap();
    let secret = &key[api_key::PREFIX.len()..];
    for line in [
        format!("api_key_sha256 = '{key}'"),
        format!("api_key = '{key}'"),
        format!("rate = '{key}'"),
        format!("api_key_sha256 = {key}"),
        format!("{key} = 1"),
    ] {
        let errors = errors(&format!("{HEAD}{line}\n"));
        assert!(!errors.contains(&secret[..4]), "{errors}");
    }
    let sums = format!("['{SHA256}', '{SHA256}', 'correct horse']");
    for own in [
        "'correct horse'",
        "['correct horse']",
        "{ a = 'correct horse' }",
        &sums,
        "[]",
    ] {
        let errors = errors(&format!("{HEAD}api_key_sha256 = {own}\n"));
        assert!(
            errors.contains("`client.b.api_key_sha256` has an invalid value")
                && errors.contains("toml:5:18\n"),
            "{errors}"
        );
        assert!(
            errors.contains("`rookery client add NAME`") && !errors.contains("horse"),
            "{errors}"
        );
    }
}

#[test]
fn rejects_one_key_for_two_clients() {
    let text = format!(
        "{HEAD}api_key_sha256 = '{SHA256}'\n[client.c]\nai = 'a'\napi_key_sha256 = '{}'\n",
        SHA256.to_uppercase()
    );
    let found = issue(text);
    assert_eq!(
        found.message,
        "`client.c.api_key_sha256` is already used by [client.b]"
    );
    assert_eq!((found.line, found.column), (Some(8), Some(18)));
    let twice = issue(format!("{HEAD}api_key_sha256 = ['{SHA256}', '{SHA256}']\n"));
    assert_eq!(
        twice.message,
        "`client.b.api_key_sha256` contains the same key twice"
    );
}

#[test]
fn rejects_an_admin_without_a_key() {
    for (value, found, allowed) in [
        (
            "true",
            "is true, but the client has no key",
            "`rookery client add NAME` creates a key",
        ),
        ("'yes'", "is \"yes\"", "true or false"),
    ] {
        let issue = issue(format!("{HEAD}admin = {value}\n"));
        assert_eq!((issue.line, issue.column), (Some(5), Some(9)));
        assert!(
            issue
                .message
                .starts_with(&format!("`client.b.admin` {found}")),
            "{issue}"
        );
        assert!(issue.allowed.as_ref().unwrap().contains(allowed), "{issue}");
    }
    let (_folder, config) = loaded(&format!(
        "{HEAD}admin = true\napi_key_sha256 = '{SHA256}'\n"
    ));
    assert!(config.clients["b"].admin);
}

#[test]
fn rejects_matches_on_nodes_without_a_fleet() {
    let issue = issue(format!("{HEAD}fleet_matches = true\n"));
    assert_eq!((issue.line, issue.column), (Some(5), Some(17)));
    assert_eq!(
        issue.message,
        "`client.b.fleet_matches` is true, but there is no [fleet]"
    );
    let found = errors(&format!("{HEAD}fleet_matches = true\nlocal_only = true\n"));
    let message =
        "`client.b.fleet_matches` is true, but `local_only` hides its games from all nodes";
    assert!(found.contains(message), "{found}");
}

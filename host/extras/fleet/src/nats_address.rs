//! The addresses of NATS servers.

use std::{
    collections::BTreeSet,
    fmt,
    net::{Ipv4Addr, Ipv6Addr},
    str::FromStr,
};

use toml::{Spanned, de::DeValue};

use config::{
    host_name, is_host_name,
    issue::{ConfigIssue, Issues},
    kinds::{description, description_of_text, quoted},
    section::{Field, SettingEntry, Shown},
    table::{Override, Table},
};

const DEFAULT_PORT: u16 = 4222;
const EXAMPLE: &str = "\"nats://127.0.0.1:4222\"";
const ALLOWED: &str = "the URL of a NATS server, \"nats://HOST:PORT\" or \"tls://HOST:PORT\", \
                       or several separated by commas, such as \"tls://nats.example:4222\"; the \
                       default port is 4222";

/// The address of a NATS server. An address without TLS is on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NatsAddress {
    /// A host name in lower case or an IP address, without brackets.
    pub host: String,
    pub port: u16,
    pub tls: bool,
}

/// Why a string is not a [`NatsAddress`]. The error continues a sentence about the string.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseNatsAddressError {
    #[error("has a user, a password or a token")]
    Credentials,
    #[error("is not the URL of a NATS server")]
    Url,
    #[error("has no valid host")]
    Host,
    #[error("has no valid port")]
    Port,
    /// Contains the allowed form: the same address with TLS.
    #[error("connects to another machine without encryption")]
    Unencrypted(NatsAddress),
}

impl FromStr for NatsAddress {
    type Err = ParseNatsAddressError;

    fn from_str(text: &str) -> Result<Self, ParseNatsAddressError> {
        if text.contains('@') {
            return Err(ParseNatsAddressError::Credentials);
        }
        let (scheme, authority) = text.split_once("://").ok_or(ParseNatsAddressError::Url)?;
        let tls = match scheme.to_ascii_lowercase().as_str() {
            "nats" => false,
            "tls" => true,
            _ => return Err(ParseNatsAddressError::Url),
        };
        if authority.contains(['/', '?', '#']) {
            return Err(ParseNatsAddressError::Url);
        }
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
            _ => (authority, None),
        };
        let host = parse_host(host).ok_or(ParseNatsAddressError::Host)?;
        let port = match port {
            Some(port) => parse_port(port).ok_or(ParseNatsAddressError::Port)?,
            None => DEFAULT_PORT,
        };
        if tls || is_loopback(&host) {
            return Ok(Self { host, port, tls });
        }
        Err(ParseNatsAddressError::Unencrypted(Self {
            host,
            port,
            tls: true,
        }))
    }
}

fn parse_host(text: &str) -> Option<String> {
    match text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
    {
        Some(address) => address
            .parse::<Ipv6Addr>()
            .ok()
            .map(|address| address.to_string()),
        None => is_host_name(text).then(|| host_name(text)),
    }
}

fn parse_port(text: &str) -> Option<u16> {
    text.parse()
        .ok()
        .filter(|port: &u16| *port != 0 && port.to_string() == text)
}

fn is_loopback(host: &str) -> bool {
    host == "localhost"
        || host
            .parse::<Ipv4Addr>()
            .is_ok_and(|address| address.is_loopback())
        || host
            .parse::<Ipv6Addr>()
            .is_ok_and(|address| address.is_loopback())
}

impl NatsAddress {
    /// Returns whether the server is on this machine.
    pub fn is_local(&self) -> bool {
        is_loopback(&self.host)
    }
}

impl fmt::Display for NatsAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port, tls } = self;
        let scheme = if *tls { "tls" } else { "nats" };
        if host.contains(':') {
            write!(f, "{scheme}://[{host}]:{port}")
        } else {
            write!(f, "{scheme}://{host}:{port}")
        }
    }
}

/// A key whose value is a list of addresses, separated by commas. A flag overrides it.
pub(crate) struct NatsServers;

impl Field for NatsServers {
    type Value = Vec<NatsAddress>;

    fn entries(&self, key: &'static str, doc: &'static str) -> Vec<SettingEntry> {
        vec![SettingEntry {
            key,
            values: ALLOWED.to_owned(),
            default: None,
            example: Some(EXAMPLE),
            doc,
            is_overridable: true,
        }]
    }

    fn read(
        &self,
        key: &'static str,
        table: &Table<'_>,
        issues: &mut Issues<'_>,
    ) -> Vec<NatsAddress> {
        let path = table.path_of(key);
        let given = table.overrides.iter().find(|given| given.key == key);
        let of_file = match table.get(key) {
            Some(value) => read_value(&path, value, issues),
            None if given.is_none() => {
                let message = format!("[{}] has no `{key}`", table.path);
                issues.missing(&table.span, &message).allow(ALLOWED);
                Vec::new()
            }
            None => Vec::new(),
        };
        given.map_or(of_file, |given| read_given(&path, given, issues))
    }

    fn show(&self, key: &'static str, value: &Vec<NatsAddress>, shown: &mut Shown) {
        let addresses: Vec<_> = value.iter().map(NatsAddress::to_string).collect();
        shown.line(key, &quoted(&addresses.join(",")));
    }
}

fn read_value(
    path: &str,
    value: &Spanned<DeValue<'_>>,
    issues: &mut Issues<'_>,
) -> Vec<NatsAddress> {
    let Some(text) = value.get_ref().as_str() else {
        let message = format!("`{path}` is {}", description(value.get_ref()));
        issues.at(&value.span(), &message).allow(ALLOWED);
        return Vec::new();
    };
    parse_all(path, text, |problem| {
        problem.explain(issues.at(&value.span(), &problem.message));
    })
}

fn read_given(path: &str, given: &Override, issues: &mut Issues<'_>) -> Vec<NatsAddress> {
    let Override {
        origin,
        separator,
        value,
        ..
    } = given;
    parse_all(path, value, |problem| {
        let mut issue = ConfigIssue::given(origin, *separator, value, &problem.message);
        problem.explain(&mut issue);
        issues.elsewhere(issue);
    })
}

/// An error in an address.
struct AddressProblem {
    message: String,
    allowed: &'static str,
    suggestion: Option<String>,
    is_secret: bool,
}

impl AddressProblem {
    fn explain(&self, issue: &mut ConfigIssue) {
        issue
            .allow(self.allowed)
            .suggest(self.suggestion.as_deref());
        if self.is_secret {
            issue.conceal();
        }
    }
}

/// Returns the valid addresses in the text, and reports the errors in the others.
fn parse_all(path: &str, text: &str, mut report: impl FnMut(&AddressProblem)) -> Vec<NatsAddress> {
    let mut problem = |message: &str, allowed, suggestion, is_secret| {
        report(&AddressProblem {
            message: format!("`{path}` {message}"),
            allowed,
            suggestion,
            is_secret,
        });
    };
    // A password may contain a comma, so no part of such a string is shown.
    if text.contains('@') {
        problem(
            "contains a user, a password or a token (not shown, because it may be secret)",
            "URLs without them; `credentials_file` names a NATS credentials file or an NKEY seed \
             file",
            None,
            true,
        );
        return Vec::new();
    }
    if text.is_empty() {
        problem("is an empty string", ALLOWED, None, false);
        return Vec::new();
    }
    let mut addresses = Vec::new();
    let mut seen = BTreeSet::new();
    for item in text.split(',').map(str::trim) {
        let error = match item.parse::<NatsAddress>() {
            Ok(address) if seen.insert((address.host.clone(), address.port)) => {
                addresses.push(address);
                continue;
            }
            Ok(NatsAddress { host, port, .. }) => {
                let message = format!("names {host} with port {port} twice");
                problem(&message, "each NATS server once", None, false);
                continue;
            }
            Err(error) => error,
        };
        let found = description_of_text(item);
        let message = if item.is_empty() {
            format!("contains {found}")
        } else {
            format!("contains {found}, which {error}")
        };
        let (allowed, suggestion) = match error {
            ParseNatsAddressError::Unencrypted(encrypted) => (
                "\"tls://HOST:PORT\"; \"nats://HOST:PORT\" only for this machine: localhost, \
                 127.0.0.0/8 or [::1]",
                Some(encrypted.to_string()),
            ),
            ParseNatsAddressError::Host => (
                "a host name or an IP address (IPv6 in brackets), as in \
                 \"tls://[2001:db8::1]:4222\"",
                None,
            ),
            ParseNatsAddressError::Port => ("a port from 1 to 65535 (default: 4222)", None),
            ParseNatsAddressError::Url | ParseNatsAddressError::Credentials => (ALLOWED, None),
        };
        problem(&message, allowed, suggestion, false);
    }
    addresses
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_addresses() {
        for (text, shown) in [
            ("nats://localhost", "nats://localhost:4222"),
            ("nats://LOCALHOST.:1", "nats://localhost:1"),
            ("nats://127.8.9.10:65535", "nats://127.8.9.10:65535"),
            ("nats://[::1]", "nats://[::1]:4222"),
            ("NATS://[0:0::1]:4223", "nats://[::1]:4223"),
            ("tls://Nats.Example", "tls://nats.example:4222"),
            ("tls://192.0.2.1:443", "tls://192.0.2.1:443"),
            ("tls://[2001:db8::1]:4222", "tls://[2001:db8::1]:4222"),
        ] {
            let address: NatsAddress = text.parse().unwrap();
            assert_eq!(address.to_string(), shown);
            assert_eq!(shown.parse().as_ref(), Ok(&address));
        }
        let address: NatsAddress = "tls://[::1]:7".parse().unwrap();
        assert_eq!(
            address,
            NatsAddress {
                host: "::1".into(),
                port: 7,
                tls: true
            }
        );
    }

    #[test]
    fn rejects_invalid_addresses() {
        for (text, error) in [
            ("", ParseNatsAddressError::Url),
            ("localhost", ParseNatsAddressError::Url),
            ("localhost:4222", ParseNatsAddressError::Url),
            ("http://localhost", ParseNatsAddressError::Url),
            ("ws://localhost", ParseNatsAddressError::Url),
            ("nats://localhost/", ParseNatsAddressError::Url),
            ("nats://localhost:4222?tls", ParseNatsAddressError::Url),
            ("nats://", ParseNatsAddressError::Host),
            ("nats://:4222", ParseNatsAddressError::Host),
            ("nats://::1", ParseNatsAddressError::Host),
            ("nats://[::1", ParseNatsAddressError::Host),
            ("nats://[127.0.0.1]", ParseNatsAddressError::Host),
            ("tls://a..b", ParseNatsAddressError::Host),
            ("tls://a b", ParseNatsAddressError::Host),
            ("nats://localhost:", ParseNatsAddressError::Port),
            ("nats://localhost:0", ParseNatsAddressError::Port),
            ("nats://localhost:04222", ParseNatsAddressError::Port),
            ("nats://localhost:+1", ParseNatsAddressError::Port),
            ("nats://localhost:65536", ParseNatsAddressError::Port),
            ("nats://[::1]:x", ParseNatsAddressError::Port),
            ("nats://me@localhost", ParseNatsAddressError::Credentials),
            (
                "tls://me:secret@nats.example:4222",
                ParseNatsAddressError::Credentials,
            ),
        ] {
            assert_eq!(text.parse::<NatsAddress>(), Err(error), "{text}");
        }
    }

    #[test]
    fn rejects_other_machines_without_encryption() {
        for host in [
            "nats.example",
            "localhost.example",
            "127.0.0.1.example",
            "127.1",
            "0.0.0.0",
            "128.0.0.1",
            "10.0.0.1",
            "[::]",
            "[::2]",
            "[::ffff:127.0.0.1]",
        ] {
            let error = format!("nats://{host}:4222")
                .parse::<NatsAddress>()
                .unwrap_err();
            let ParseNatsAddressError::Unencrypted(encrypted) = error else {
                panic!("{host}: {error}")
            };
            assert!(encrypted.tls, "{host}");
            assert_eq!(encrypted.to_string().parse(), Ok(encrypted), "{host}");
        }
    }
}

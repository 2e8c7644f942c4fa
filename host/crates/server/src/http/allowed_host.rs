//! Checks the host of a request to prevent DNS rebinding: if an attacker points the name of a web
//! page at this server's address, the browser treats both as one origin, and the page could read
//! every reply. The request's host reveals the name.

use std::{
    collections::BTreeSet,
    net::{Ipv4Addr, Ipv6Addr},
};

use actix_web::{
    HttpRequest,
    http::{Version, header::HOST},
};

use crate::state::snapshot::Snapshot;
use api::{
    error::Malformed,
    problem::{Code, Problem},
};
use config::{host_name, shortened};

/// A name that always resolves to the browser's machine.
const LOCALHOST: &str = "localhost";
/// The maximum number of characters of a host in a message.
const MAX_SHOWN_CHARS: usize = 80;

/// # Errors
/// The host of the request is missing, malformed or not allowed.
pub(crate) fn check_host(request: &HttpRequest) -> Result<(), Problem> {
    let now = Snapshot::of(request)?;
    let allowed = &now.config().server.allowed_hosts;
    // Targets in absolute form and CONNECT targets contain a host.
    if let Some(authority) = request.uri().authority() {
        check_name(authority.host(), allowed)?;
    }
    let mut headers = request.headers().get_all(HOST);
    match (headers.next(), headers.next()) {
        (Some(host), None) => check_name(&String::from_utf8_lossy(host.as_bytes()), allowed),
        (Some(_), Some(_)) => {
            Err(Malformed::new("", "the request has several Host headers; send one").into())
        }
        (None, _) if request.version() <= Version::HTTP_10 => Ok(()),
        (None, _) => {
            Err(Malformed::new("", "the request has no Host header; HTTP/1.1 requires one").into())
        }
    }
}

/// Checks the host of a request, with or without a port.
fn check_name(text: &str, allowed: &BTreeSet<String>) -> Result<(), Problem> {
    let shown = || shortened(text, MAX_SHOWN_CHARS);
    let Some(host) = RequestHost::parse(text) else {
        let detail = format!(
            "the host of the request is '{}'; expected a name or an IP address",
            shown()
        );
        return Err(Malformed::new("", detail).into());
    };
    let is_allowed = match host {
        RequestHost::Address => true,
        RequestHost::Name(name) => name == LOCALHOST || allowed.contains(&name),
    };
    if is_allowed {
        return Ok(());
    }
    let detail = format!(
        "the host of the request is '{}'; expected localhost, an IP address or a name from \
         `allowed_hosts` in [server]; ask the server's operator to add it",
        shown()
    );
    Err(Problem::new(Code::HostNotAllowed, detail))
}

/// The host of a request.
#[derive(Debug, PartialEq, Eq)]
enum RequestHost {
    /// An IP address, which needs no DNS lookup and so cannot be rebound.
    Address,
    /// A normalized name.
    Name(String),
}

impl RequestHost {
    /// Parses a host with an optional port; any port is accepted.
    fn parse(text: &str) -> Option<Self> {
        let (host, port) = match text.strip_prefix('[') {
            Some(bracketed) => {
                let (address, rest) = bracketed.split_once(']')?;
                address.parse::<Ipv6Addr>().ok()?;
                (
                    None,
                    if rest.is_empty() {
                        ""
                    } else {
                        rest.strip_prefix(':')?
                    },
                )
            }
            None => match text.split_once(':') {
                Some((host, port)) => (Some(host), port),
                None => (Some(text), ""),
            },
        };
        if port.len() > 5 || !port.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let Some(host) = host else {
            return Some(Self::Address);
        };
        if host.is_empty() {
            return None;
        }
        Some(if host.parse::<Ipv4Addr>().is_ok() {
            Self::Address
        } else {
            Self::Name(host_name(host))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_names_and_addresses_with_any_port() {
        for address in [
            "127.0.0.1",
            "127.0.0.1:8080",
            "[::1]",
            "[::1]:8080",
            "[2001:db8::1]:",
            "10.0.0.1:",
        ] {
            assert_eq!(
                RequestHost::parse(address),
                Some(RequestHost::Address),
                "{address}"
            );
        }
        for (text, name) in [
            ("localhost", "localhost"),
            ("LocalHost.:8080", "localhost"),
            ("Chess.Example", "chess.example"),
            ("chess.example.:443", "chess.example"),
            // Browsers write addresses in four parts, so these may be names.
            ("127.1", "127.1"),
            ("0x7f000001", "0x7f000001"),
            ("2130706433", "2130706433"),
            ("127.0.0.1.", "127.0.0.1"),
            ("127.0.0.1.evil.example", "127.0.0.1.evil.example"),
            ("user@localhost", "user@localhost"),
        ] {
            assert_eq!(
                RequestHost::parse(text),
                Some(RequestHost::Name(name.into())),
                "{text}"
            );
        }
        for other in [
            "",
            ":80",
            "[::1",
            "[::1]x",
            "[127.0.0.1]",
            "::1",
            "a:b",
            "a:123456",
            "a:80:80",
            "[]",
        ] {
            assert_eq!(RequestHost::parse(other), None, "{other}");
        }
    }
}

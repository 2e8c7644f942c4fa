//! The check of a request's host. A web page whose name an attacker points at this server's address (DNS rebinding) is of the
//! same origin to its browser, so it could read every reply; the name in the request gives it away.

use std::{
    collections::BTreeSet,
    net::{Ipv4Addr, Ipv6Addr},
};

use actix_web::{
    HttpRequest,
    body::{BoxBody, MessageBody},
    dev::{ServiceRequest, ServiceResponse},
    http::{Version, header::HOST},
    middleware::Next,
};

use super::{
    problem::{Code, Problem, refuse},
    snapshot::Snapshot,
};
use crate::error::Malformed;
use config::{host_name, shortened};

/// A name that always means the machine of the browser itself.
const LOCALHOST: &str = "localhost";
/// Characters of a host that a message repeats.
const SHOWN_HOST: usize = 80;

/// Rejects a request for a host that is not this server, before anything else is read of it.
pub(super) async fn require_allowed_host(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> actix_web::Result<ServiceResponse<BoxBody>> {
    match check(request.request()) {
        Ok(()) => Ok(next.call(request).await?.map_into_boxed_body()),
        Err(problem) => Ok(refuse(request.into_parts().0, problem)),
    }
}

fn check(request: &HttpRequest) -> Result<(), Problem> {
    let now = Snapshot::of(request)?;
    let allowed = &now.config().server.allowed_hosts;
    // A target in absolute form names a host too, and so does that of CONNECT.
    if let Some(authority) = request.uri().authority() {
        check_host(authority.host(), allowed)?;
    }
    let mut headers = request.headers().get_all(HOST);
    match (headers.next(), headers.next()) {
        (Some(host), None) => check_host(&String::from_utf8_lossy(host.as_bytes()), allowed),
        (Some(_), Some(_)) => Err(malformed("the request has several Host headers; send one")),
        (None, _) if request.version() <= Version::HTTP_10 => Ok(()),
        (None, _) => Err(malformed("the request has no Host header; HTTP/1.1 requires one")),
    }
}

/// Checks a host as it stands in a request, with or without a port.
fn check_host(text: &str, allowed: &BTreeSet<String>) -> Result<(), Problem> {
    let shown = || shortened(text, SHOWN_HOST);
    let Some(host) = Host::parse(text) else {
        let detail = format!("the host of the request is '{}'; expected a name or an IP address", shown());
        return Err(malformed(&detail));
    };
    let is_allowed = match host {
        Host::Address => true,
        Host::Name(name) => name == LOCALHOST || allowed.contains(&name),
    };
    if is_allowed {
        return Ok(());
    }
    let detail = format!(
        "the request is for the host '{}', which is not among the `allowed_hosts` in [server] of the configuration; the \
         server's operator can add it, and IP addresses and localhost are always allowed",
        shown()
    );
    Err(Problem::new(Code::HostNotAllowed, detail))
}

fn malformed(detail: &str) -> Problem {
    Malformed { pointer: String::new(), detail: detail.to_owned() }.into()
}

/// The host of a request.
#[derive(Debug, PartialEq, Eq)]
enum Host {
    /// No name is looked up for it, so nobody can point it elsewhere.
    Address,
    /// In the form in which names are compared.
    Name(String),
}

impl Host {
    /// Reads a host with an optional port; any port is accepted.
    fn parse(text: &str) -> Option<Self> {
        let (host, port) = match text.strip_prefix('[') {
            Some(bracketed) => {
                let (address, rest) = bracketed.split_once(']')?;
                address.parse::<Ipv6Addr>().ok()?;
                (None, if rest.is_empty() { "" } else { rest.strip_prefix(':')? })
            }
            None => match text.split_once(':') {
                Some((host, port)) => (Some(host), port),
                None => (Some(text), ""),
            },
        };
        if port.len() > 5 || !port.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let Some(host) = host else { return Some(Self::Address) };
        if host.is_empty() {
            return None;
        }
        Some(if host.parse::<Ipv4Addr>().is_ok() { Self::Address } else { Self::Name(host_name(host)) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_names_and_addresses_with_any_port() {
        for address in ["127.0.0.1", "127.0.0.1:8080", "[::1]", "[::1]:8080", "[2001:db8::1]:", "10.0.0.1:"] {
            assert_eq!(Host::parse(address), Some(Host::Address), "{address}");
        }
        for (text, name) in [
            ("localhost", "localhost"),
            ("LocalHost.:8080", "localhost"),
            ("Chess.Example", "chess.example"),
            ("chess.example.:443", "chess.example"),
            // Not in the four parts that browsers write, so it may be a name.
            ("127.1", "127.1"),
            ("0x7f000001", "0x7f000001"),
            ("2130706433", "2130706433"),
            ("127.0.0.1.", "127.0.0.1"),
            ("127.0.0.1.evil.example", "127.0.0.1.evil.example"),
            ("user@localhost", "user@localhost"),
        ] {
            assert_eq!(Host::parse(text), Some(Host::Name(name.into())), "{text}");
        }
        for other in ["", ":80", "[::1", "[::1]x", "[127.0.0.1]", "::1", "a:b", "a:123456", "a:80:80", "[]"] {
            assert_eq!(Host::parse(other), None, "{other}");
        }
    }
}

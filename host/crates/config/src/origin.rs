//! Web origins and host names.

/// Returns whether `text` is `*` or an origin as browsers send it: a scheme, a lower-case host, and
/// a port only if it is not the scheme's default.
pub(crate) fn is_origin(text: &str) -> bool {
    let Some((scheme, authority)) = text.split_once("://") else {
        return text == "*";
    };
    let own_port = match scheme {
        "http" => 80,
        "https" => 443,
        _ => return false,
    };
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (authority, None),
    };
    let is_port = |digits: &str| {
        let number = digits
            .parse::<u16>()
            .ok()
            .filter(|number| number.to_string() == digits);
        number.is_some_and(|number| number != own_port)
    };
    is_host(host) && port.is_none_or(is_port)
}

/// Returns whether `text` is an IP address or a host name, in upper or lower case, with or without
/// a final dot.
pub fn is_host_name(text: &str) -> bool {
    is_host(&host_name(text))
}

/// Normalizes a host name: lower case without the final dot.
pub fn host_name(text: &str) -> String {
    text.strip_suffix('.').unwrap_or(text).to_ascii_lowercase()
}

fn is_host(host: &str) -> bool {
    if let Some(address) = host
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
    {
        return address
            .parse::<std::net::Ipv6Addr>()
            .is_ok_and(|parsed| parsed.to_string() == address);
    }
    let fits = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_')
    };
    host.len() <= 253
        && host
            .split('.')
            .all(|label| (1..=63).contains(&label.len()) && label.bytes().all(fits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_only_origins_that_browsers_send() {
        for origin in [
            "*",
            "https://chess.example",
            "http://localhost:3000",
            "http://127.0.0.1:81",
            "https://[::1]:80",
        ] {
            assert!(is_origin(origin), "{origin}");
        }
        for other in [
            "",
            "chess.example",
            "https://",
            "https://chess.example/",
            "https://Chess.example",
            "https://*",
            "https://*.example",
            "ftp://chess.example",
            "https://chess.example:443",
            "http://a:80",
            "http://a:080",
            "http://a:",
            "http://a:x",
            "http://a:70000",
            "http://a b",
            "http://me@a",
            "null",
            "http://[::g]",
            "http://[0:0::1]",
            "http://a..b",
        ] {
            assert!(!is_origin(other), "{other}");
        }
    }

    #[test]
    fn accepts_only_host_names() {
        for name in [
            "chess.example",
            "Chess.Example.",
            "rookery",
            "a_b-c",
            "xn--bcher-kva.example",
        ] {
            assert!(is_host_name(name), "{name}");
        }
        for other in [
            "",
            ".",
            "*",
            "*.example",
            "chess.example:80",
            "http://a",
            "a b",
            "a..b",
            "bücher.example",
            "a/b",
        ] {
            assert!(!is_host_name(other), "{other}");
        }
    }
}

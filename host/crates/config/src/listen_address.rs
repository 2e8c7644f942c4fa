//! The addresses that a server listens on.

use std::{
    fmt,
    net::SocketAddr,
    path::{Path, PathBuf},
    str::FromStr,
};

use crate::kinds::{ItemError, List, OneOrMore};

/// The prefix of a Unix socket's address.
const UNIX: &str = "unix:";

/// An address to listen on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListenAddress {
    Tcp(SocketAddr),
    /// The absolute path of a Unix socket.
    Unix(PathBuf),
}

impl ListenAddress {
    /// Returns the TCP address, or `None` for a Unix socket.
    pub const fn tcp(&self) -> Option<&SocketAddr> {
        match self {
            Self::Tcp(address) => Some(address),
            Self::Unix(_) => None,
        }
    }

    /// Returns whether this is `[::]`, whose dual-stack socket would also take the IPv4 address
    /// `other` with the same port.
    pub fn includes_ipv4(&self, other: &Self) -> bool {
        let (Some(SocketAddr::V6(all)), Some(SocketAddr::V4(other))) = (self.tcp(), other.tcp())
        else {
            return false;
        };
        all.ip().is_unspecified() && all.port() == other.port()
    }
}

impl FromStr for ListenAddress {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text.strip_prefix(UNIX).map(Path::new) {
            Some(path) if path.is_absolute() && path.file_name().is_some() => {
                Ok(Self::Unix(path.into()))
            }
            Some(_) => Err(()),
            None => text.parse().map(Self::Tcp).map_err(drop),
        }
    }
}

impl fmt::Display for ListenAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            Self::Unix(path) => write!(f, "{UNIX}{}", path.display()),
        }
    }
}

/// Returns the kind of addresses to listen on.
pub(crate) const fn listen_addresses(values: &'static str) -> OneOrMore<ListenAddress> {
    OneOrMore(List::new(
        values,
        |text, _| text.parse().map_err(|()| ItemError::Value),
        ListenAddress::to_string,
    ))
}

/// Parses the mode of a Unix socket's file.
pub(crate) fn file_mode(text: &str) -> Option<u32> {
    let is_octal = !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
    u32::from_str_radix(text, 8)
        .ok()
        .filter(|&mode| is_octal && mode <= 0o777)
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "`show` functions take a reference"
)]
pub(crate) fn shown_mode(mode: &u32) -> String {
    format!("{mode:04o}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_addresses_and_paths() {
        for text in [
            "127.0.0.1:0",
            "0.0.0.0:8080",
            "[::1]:8080",
            "unix:/run/rookery/rookery.sock",
            "unix:/a b",
        ] {
            assert_eq!(text.parse::<ListenAddress>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "8080",
            "localhost:8080",
            "127.0.0.1",
            "::1:80",
            "unix:",
            "unix:/",
            "unix:x.sock",
            "/x.sock",
            "unix:/run/..",
        ] {
            assert!(text.parse::<ListenAddress>().is_err(), "{text}");
        }
    }

    #[test]
    fn parses_modes() {
        for (text, mode) in [("0660", 0o660), ("666", 0o666), ("0", 0)] {
            assert_eq!(file_mode(text), Some(mode), "{text}");
        }
        for text in ["", "+660", "0o660", "888", "1660", "rw-rw----"] {
            assert_eq!(file_mode(text), None, "{text}");
        }
        assert_eq!(shown_mode(&0o60), "0060");
    }
}

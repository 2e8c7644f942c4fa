//! The proxies that may name a client's address.

use std::{fmt, net::IpAddr};

use ipnet::IpNet;

/// The addresses of proxies whose `Forwarded` and `X-Forwarded-For` headers are used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustedProxies(Vec<Network>);

/// An IP address or a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network(IpNet);

impl TrustedProxies {
    /// Returns whether the address belongs to a trusted proxy, to which limits per address do not
    /// apply.
    pub fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.iter().any(|network| network.0.contains(&address))
    }

    fn iter(&self) -> std::slice::Iter<'_, Network> {
        self.0.iter()
    }
}

impl FromIterator<Network> for TrustedProxies {
    fn from_iter<I: IntoIterator<Item = Network>>(networks: I) -> Self {
        Self(networks.into_iter().collect())
    }
}

impl<'a> FromIterator<&'a str> for TrustedProxies {
    /// Skips strings that are not networks.
    fn from_iter<I: IntoIterator<Item = &'a str>>(texts: I) -> Self {
        texts.into_iter().filter_map(Network::parse).collect()
    }
}

impl<'a> IntoIterator for &'a TrustedProxies {
    type Item = &'a Network;
    type IntoIter = std::slice::Iter<'a, Network>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.prefix_len() == self.0.max_prefix_len() {
            return self.0.addr().fmt(f);
        }
        self.0.fmt(f)
    }
}

impl Network {
    /// Parses an IP address or a network in CIDR notation.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let network = match text.parse::<IpAddr>() {
            Ok(address) => IpNet::from(address.to_canonical()),
            Err(_) => text.parse::<IpNet>().ok()?.trunc(),
        };
        Some(Self(network))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trusts_an_address_in_any_notation() {
        let proxies: TrustedProxies = ["127.0.0.1", "10.1.2.3/8", "fd00::/8", "::ffff:192.0.2.1"]
            .into_iter()
            .collect();
        for address in [
            "127.0.0.1",
            "::ffff:127.0.0.1",
            "10.255.0.1",
            "fdff::1",
            "192.0.2.1",
        ] {
            assert!(proxies.contains(address.parse().unwrap()), "{address}");
        }
        for address in [
            "127.0.0.2",
            "11.0.0.1",
            "::1",
            "fe80::1",
            "192.0.2.2",
            "0.0.0.0",
        ] {
            assert!(!proxies.contains(address.parse().unwrap()), "{address}");
        }
        let written: Vec<_> = (&proxies).into_iter().map(ToString::to_string).collect();
        assert_eq!(
            written,
            ["127.0.0.1", "10.0.0.0/8", "fd00::/8", "192.0.2.1"]
        );
    }

    #[test]
    fn rejects_texts_that_are_not_networks() {
        for text in [
            "",
            "*",
            "localhost",
            "10.0.0.0/33",
            "::/129",
            "10.0.0",
            "10.0.0.1:80",
            "[::1]",
            "1.2.3.4/",
            "/8",
        ] {
            assert!(Network::parse(text).is_none(), "{text}");
        }
    }
}

//! The client address of a request, by which clients without keys are counted.

mod forwarded;

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
};

use actix_web::HttpRequest;

use config::TrustedProxies;

/// The address of clients on a Unix socket, which have no IP address. No TCP client has this
/// address.
const UNIX: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);

/// The number of bits of an IPv6 address that identify its network. A subscriber gets an entire
/// network, so its addresses count as one.
const IPV6_NETWORK_BITS: u32 = 64;

/// The address of a client: the connection's peer, or the address that trusted proxies report. The
/// peer of a Unix socket is a trusted proxy. If it reports no address, the address is [`UNIX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClientAddress {
    address: IpAddr,
    is_exempt: bool,
}

/// An address as the log shows it.
pub(crate) struct ShownAddress(pub(crate) IpAddr);

impl fmt::Display for ShownAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == UNIX {
            f.write_str("unix")
        } else {
            self.0.fmt(f)
        }
    }
}

impl ClientAddress {
    /// Returns the address of a connection's peer. A trusted proxy is exempt from limits per
    /// address.
    pub(crate) fn of_peer(peer: IpAddr, proxies: &TrustedProxies) -> Self {
        let address = peer.to_canonical();
        Self {
            address,
            is_exempt: proxies.contains(address),
        }
    }

    /// Returns the client address of a request. If the peer is a trusted proxy, this is the last
    /// address in `Forwarded` or `X-Forwarded-For` that is not a trusted proxy. From any other peer
    /// the two headers are ignored.
    ///
    /// If a trusted proxy reports no usable address (`unknown`, a malformed entry, two headers that
    /// disagree), the request counts as the proxy's own and is not exempt.
    pub(crate) fn of_request(request: &HttpRequest, proxies: &TrustedProxies) -> Self {
        let of_unix = Self {
            address: UNIX,
            is_exempt: true,
        };
        let peer = request
            .peer_addr()
            .map_or(of_unix, |peer| Self::of_peer(peer.ip(), proxies));
        if !peer.is_exempt {
            return peer;
        }
        let headers = request.headers();
        let reported = [
            forwarded::chain(headers).map(|chain| peer.behind(&chain, proxies)),
            forwarded::x_chain(headers).map(|chain| peer.behind(&chain, proxies)),
        ];
        match reported {
            [None, None] => peer,
            [Some(one), None] | [None, Some(one)] => one,
            // A proxy writes one of the headers and may pass the other on as the client sent it.
            [Some(one), Some(other)] if one.address == other.address => one,
            [Some(_), Some(_)] => Self {
                is_exempt: false,
                ..peer
            },
        }
    }

    /// Returns the last address in a chain that is not a trusted proxy. `self` is the peer, which
    /// reported the chain's last entry.
    fn behind(self, chain: &[Option<IpAddr>], proxies: &TrustedProxies) -> Self {
        let mut found = self;
        for reported in chain.iter().rev() {
            if !found.is_exempt {
                break;
            }
            found = match reported {
                Some(address) => Self::of_peer(*address, proxies),
                None => Self {
                    is_exempt: false,
                    ..found
                },
            };
        }
        found
    }

    pub(crate) const fn address(self) -> IpAddr {
        self.address
    }

    /// Returns the address to count by: an IPv4 address, or the /64 network of an IPv6 address.
    pub(crate) fn network(self) -> IpAddr {
        match self.address {
            IpAddr::V4(address) => IpAddr::V4(address),
            IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(
                address.to_bits() >> IPV6_NETWORK_BITS << IPV6_NETWORK_BITS,
            )),
        }
    }

    /// Returns whether this is a trusted proxy, to which no limit per address applies.
    pub(crate) const fn is_exempt(self) -> bool {
        self.is_exempt
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use actix_web::test::TestRequest;

    use super::*;

    /// Returns the client address of a request from `peer` with these headers, and whether it is
    /// exempt.
    fn found(peer: &str, headers: &[(&'static str, &str)]) -> (String, bool) {
        let proxies: TrustedProxies = ["10.0.0.0/8", "::1", "fd00::/8"].into_iter().collect();
        let mut request =
            TestRequest::default().peer_addr(SocketAddr::new(peer.parse().unwrap(), 40_000));
        for &(name, value) in headers {
            request = request.append_header((name, value));
        }
        let client = ClientAddress::of_request(&request.to_http_request(), &proxies);
        (client.address.to_string(), client.is_exempt())
    }

    #[test]
    fn ignores_headers_of_untrusted_peers() {
        for headers in [
            &[][..],
            &[("X-Forwarded-For", "192.0.2.1")],
            &[("Forwarded", "for=192.0.2.1")],
        ] {
            assert_eq!(found("203.0.113.9", headers), ("203.0.113.9".into(), false));
            assert_eq!(
                found("::ffff:203.0.113.9", headers),
                ("203.0.113.9".into(), false)
            );
        }
    }

    #[test]
    fn takes_the_rightmost_untrusted_address() {
        for (header, value, address) in [
            ("X-Forwarded-For", "192.0.2.1", "192.0.2.1"),
            (
                "X-Forwarded-For",
                "198.51.100.7, 192.0.2.1,10.3.3.3",
                "192.0.2.1",
            ),
            ("X-Forwarded-For", "192.0.2.1:4711", "192.0.2.1"),
            ("X-Forwarded-For", "2001:db8::7", "2001:db8::7"),
            ("X-Forwarded-For", "[2001:db8::7]", "2001:db8::7"),
            ("X-Forwarded-For", "[2001:db8::7]:443", "2001:db8::7"),
            ("X-Forwarded-For", "::ffff:192.0.2.1", "192.0.2.1"),
            ("X-Forwarded-For", "unknown, 192.0.2.1", "192.0.2.1"),
            ("Forwarded", "for=192.0.2.1", "192.0.2.1"),
            (
                "Forwarded",
                "proto=https;FOR=192.0.2.1;by=10.0.0.1",
                "192.0.2.1",
            ),
            (
                "Forwarded",
                "for=198.51.100.7, for=\"192.0.2.1:80\" , for=10.1.1.1",
                "192.0.2.1",
            ),
            (
                "Forwarded",
                "for=\"[2001:db8::7]:4711\"; host=\"a,b;c\"",
                "2001:db8::7",
            ),
            ("Forwarded", "for=\"[2001:db8\\::7]\"", "2001:db8::7"),
            ("Forwarded", "for=_hidden, for=192.0.2.1", "192.0.2.1"),
        ] {
            assert_eq!(
                found("10.0.0.1", &[(header, value)]),
                (address.into(), false),
                "{header}: {value}"
            );
        }
    }

    #[test]
    fn joins_repeated_headers() {
        let first = ("X-Forwarded-For", "198.51.100.7");
        assert_eq!(
            found("::1", &[first, ("X-Forwarded-For", "192.0.2.1")]).0,
            "192.0.2.1"
        );
        let first = ("Forwarded", "for=198.51.100.7");
        let second = ("Forwarded", "for=192.0.2.1, for=\"[fd00::5]\"");
        assert_eq!(found("::1", &[first, second]).0, "192.0.2.1");
    }

    #[test]
    fn attributes_bad_entries_to_the_proxy() {
        for (header, value) in [
            ("X-Forwarded-For", "192.0.2.1, unknown"),
            ("X-Forwarded-For", "192.0.2.1,"),
            ("X-Forwarded-For", "192.0.2.1, 300.1.1.1"),
            ("X-Forwarded-For", "192.0.2.1, [2001:db8::7"),
            ("X-Forwarded-For", "192.0.2.1, [2001:db8::7]x"),
            ("X-Forwarded-For", "192.0.2.1, 192.0.2.1:x"),
            ("X-Forwarded-For", ""),
            ("Forwarded", "for=192.0.2.1, for=unknown"),
            ("Forwarded", "for=192.0.2.1, for=_hidden"),
            ("Forwarded", "for=192.0.2.1, proto=https"),
            ("Forwarded", "for=192.0.2.1;for=192.0.2.2"),
            ("Forwarded", "for=192.0.2.1, for=\""),
            ("Forwarded", "for=\"192.0.2.1\"x"),
            ("Forwarded", "for"),
            ("Forwarded", "=x"),
            ("Forwarded", ""),
        ] {
            assert_eq!(
                found("10.0.0.1", &[(header, value)]),
                ("10.0.0.1".into(), false),
                "{header}: {value}"
            );
        }
        // The proxy that reports the unusable entry is the last known address.
        let chain = ("X-Forwarded-For", "192.0.2.1, unknown, 10.9.9.9");
        assert_eq!(found("10.0.0.1", &[chain]), ("10.9.9.9".into(), false));
    }

    #[test]
    fn trusts_two_headers_only_if_they_agree() {
        let own = ("X-Forwarded-For", "192.0.2.1");
        assert_eq!(
            found("10.0.0.1", &[own, ("Forwarded", "for=192.0.2.1")]),
            ("192.0.2.1".into(), false)
        );
        for forged in ["for=198.51.100.7", "for=unknown", "for=10.0.0.2", "x"] {
            assert_eq!(
                found("10.0.0.1", &[own, ("Forwarded", forged)]),
                ("10.0.0.1".into(), false),
                "{forged}"
            );
        }
    }

    #[test]
    fn exempts_only_trusted_proxies() {
        assert_eq!(found("10.0.0.1", &[]), ("10.0.0.1".into(), true));
        assert_eq!(
            found("10.0.0.1", &[("X-Forwarded-For", "10.0.0.9, 10.0.0.8")]),
            ("10.0.0.9".into(), true)
        );
        assert_eq!(found("11.0.0.1", &[]), ("11.0.0.1".into(), false));
    }

    #[test]
    fn counts_ipv6_clients_by_their_network() {
        let none = TrustedProxies::default();
        for (address, network) in [
            ("192.0.2.1", "192.0.2.1"),
            ("::ffff:192.0.2.1", "192.0.2.1"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
            ("2001:db8:1:2::", "2001:db8:1:2::"),
        ] {
            let client = ClientAddress::of_peer(address.parse().unwrap(), &none);
            assert_eq!(client.network().to_string(), network);
        }
    }
}

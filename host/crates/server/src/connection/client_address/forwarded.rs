//! Parses the addresses that proxies report in the headers `Forwarded` (RFC 7239) and
//! `X-Forwarded-For`.

use std::net::{IpAddr, Ipv6Addr, SocketAddrV4};

use actix_web::http::header::{FORWARDED, HeaderMap, X_FORWARDED_FOR};

/// Returns the addresses in `X-Forwarded-For`, with the nearest proxy's entry last. An entry is
/// `None` if it is not an address. Returns `None` if there is no such header.
pub(super) fn x_chain(headers: &HeaderMap) -> Option<Vec<Option<IpAddr>>> {
    let list = list(headers, X_FORWARDED_FOR)?;
    Some(list.split(',').map(|entry| address(entry.trim())).collect())
}

/// Returns the addresses in `Forwarded`, like [`x_chain`]. A malformed header counts as one
/// unusable entry.
pub(super) fn chain(headers: &HeaderMap) -> Option<Vec<Option<IpAddr>>> {
    let list = list(headers, FORWARDED)?;
    Some(elements(&list).unwrap_or_else(|| vec![None]))
}

/// Joins the values of repeated headers into one list.
fn list(headers: &HeaderMap, name: actix_web::http::header::HeaderName) -> Option<String> {
    let values = headers
        .get_all(name)
        .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    values.reduce(|list, value| format!("{list},{value}"))
}

/// Returns the address in `for` of each element of a `Forwarded` list; `None` if the list is
/// malformed.
fn elements(list: &str) -> Option<Vec<Option<IpAddr>>> {
    let mut elements = Vec::new();
    let mut found = None;
    let mut rest = list;
    loop {
        let (name, value) = rest.split_once('=')?;
        let name = name.trim();
        if name.is_empty()
            || !name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
        {
            return None;
        }
        let (value, after) = value_of(value)?;
        if name.eq_ignore_ascii_case("for") && found.replace(address(&value)).is_some() {
            return None;
        }
        rest = after.trim_start();
        match rest.chars().next() {
            Some(';') => {}
            Some(',') => elements.push(found.take().flatten()),
            Some(_) => return None,
            None => {
                elements.push(found.flatten());
                return Some(elements);
            }
        }
        rest = &rest[1..];
    }
}

/// Returns a value, quoted or not, and the remaining text.
fn value_of(text: &str) -> Option<(String, &str)> {
    let text = text.trim_start();
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find([',', ';', '"', ' ', '\t']).unwrap_or(text.len());
        return Some((text[..end].to_owned(), &text[end..]));
    };
    let mut value = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((value, &quoted[at + 1..])),
            '\\' => value.push(characters.next()?.1),
            _ => value.push(character),
        }
    }
    None
}

/// Parses an address with an optional port; an IPv6 address with a port needs brackets.
fn address(entry: &str) -> Option<IpAddr> {
    if let Some(bracketed) = entry.strip_prefix('[') {
        let (address, rest) = bracketed.split_once(']')?;
        let address = address.parse::<Ipv6Addr>().ok()?;
        let has_port = rest
            .strip_prefix(':')
            .is_some_and(|port| port.parse::<u16>().is_ok());
        return (rest.is_empty() || has_port).then_some(IpAddr::V6(address));
    }
    entry
        .parse()
        .ok()
        .or_else(|| Some(IpAddr::V4(*entry.parse::<SocketAddrV4>().ok()?.ip())))
}

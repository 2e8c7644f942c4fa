//! Parses the tables of bad input.

use std::collections::BTreeMap;

/// Long values by name.
type Names = BTreeMap<String, Vec<u8>>;

/// A request and its expected rejection.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) line: usize,
    pub(super) status: u16,
    pub(super) code: String,
    /// The JSON pointers of a malformed request.
    pub(super) pointers: Vec<String>,
    pub(super) issues: Vec<String>,
    /// Text that the detail must contain.
    pub(super) part: String,
    pub(super) method: Vec<u8>,
    pub(super) path: Vec<u8>,
    pub(super) headers: Vec<(String, Vec<u8>)>,
    pub(super) body: Vec<u8>,
}

/// Returns the rows of the request table.
pub(super) fn rows(text: &str) -> impl Iterator<Item = Row> {
    lines(text).map(|(line, columns, names)| {
        let [status, rejection, target, headers, body] = columns
            .splitn(5, '|')
            .map(str::trim)
            .collect::<Vec<_>>()
            .try_into()
            .unwrap_or_else(|found: Vec<_>| {
                panic!("line {line} has {} columns, expected 5", found.len())
            });
        let (code, about) = rejection.split_once(' ').unwrap_or((rejection, ""));
        let (about, part) = about.split_once('"').unwrap_or((about, ""));
        let about = about.trim();
        let is_game = code == "illegal_game";
        let target = bytes(target, &names);
        let space = target
            .iter()
            .position(|&byte| byte == b' ')
            .expect("a method and a path");
        let body = bytes(body, &names);
        Row {
            line,
            status: status.parse().expect("a status"),
            code: code.to_owned(),
            pointers: about
                .split(", ")
                .filter(|_| !is_game)
                .map(str::to_owned)
                .collect(),
            issues: about
                .split(", ")
                .filter(|_| is_game)
                .map(str::to_owned)
                .collect(),
            part: part.trim_end_matches('"').to_owned(),
            method: target[..space].to_vec(),
            path: target[space + 1..].to_vec(),
            headers: sent_headers(
                headers,
                !body.is_empty() || target.starts_with(b"POST "),
                &names,
            ),
            body,
        }
    })
}

/// Returns each malformed request with its line and the status of the reply.
pub(super) fn malformed_http(text: &str) -> impl Iterator<Item = (usize, u16, Vec<u8>)> {
    lines(text).map(|(line, columns, names)| {
        let (status, sent) = columns.split_once('|').expect("two columns");
        (
            line,
            status.trim().parse().expect("a status"),
            bytes(sent.trim(), &names),
        )
    })
}

/// Returns each row with the names defined above it.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str, Names)> {
    let mut names = Names::new();
    let rows = text.lines().enumerate().filter_map(move |(index, line)| {
        if line.is_empty() || line.starts_with('#') {
            return None;
        }
        if let Some((name, value)) = line.split_once(" = ").filter(|(name, _)| is_name(name)) {
            let value = bytes(value, &names);
            names.insert(name.to_owned(), value);
            return None;
        }
        Some((index + 1, line, names.clone()))
    });
    rows.collect::<Vec<_>>().into_iter()
}

fn is_name(text: &str) -> bool {
    text.chars()
        .all(|letter| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_')
}

fn sent_headers(text: &str, has_body: bool, names: &Names) -> Vec<(String, Vec<u8>)> {
    let mut headers: Vec<_> = text
        .split(" & ")
        .filter_map(|header| header.split_once(':'))
        .map(|(name, value)| (name.to_owned(), bytes(value.trim(), names)))
        .collect();
    if has_body && !headers.iter().any(|(name, _)| name == "Content-Type") {
        headers.push(("Content-Type".to_owned(), b"application/json".to_vec()));
    }
    headers.retain(|(_, value)| !value.is_empty());
    headers
}

/// Expands the brackets in the text.
pub(super) fn bytes(text: &str, names: &Names) -> Vec<u8> {
    let Some((before, rest)) = text.split_once('⟨') else {
        return text.as_bytes().to_vec();
    };
    let mut depth = 1;
    let end = rest.char_indices().find_map(|(index, character)| {
        depth += i32::from(character == '⟨') - i32::from(character == '⟩');
        (depth == 0).then_some(index)
    });
    let end = end.unwrap_or_else(|| panic!("unclosed bracket in {text}"));
    let (inner, after) = (&rest[..end], &rest[end + '⟩'.len_utf8()..]);
    let meant = if let Some(digits) = inner.strip_prefix("hex ") {
        digits
            .split(' ')
            .map(|pair| u8::from_str_radix(pair, 16).expect("two digits"))
            .collect()
    } else if let Some((count, repeated)) = inner.split_once(" × ") {
        bytes(repeated, names).repeat(count.parse().expect("a count"))
    } else {
        names
            .get(inner)
            .unwrap_or_else(|| panic!("'{inner}' is not defined"))
            .clone()
    };
    [before.as_bytes(), &meant, &bytes(after, names)].concat()
}

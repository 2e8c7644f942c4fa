//! Conceals users and passwords in URLs, so that no message shows them.

use std::{borrow::Cow, iter::repeat_n};

/// Replaces each byte of the users and passwords in the text's URLs with an asterisk.
pub(crate) fn without_userinfo(text: &str) -> Cow<'_, str> {
    let mut parts = text.split("://");
    let mut concealed = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_end = |character: char| character.is_whitespace() || matches!(character, '"' | '\'');
        let url = &part[..part.find(is_end).unwrap_or(part.len())];
        let secret = url.rfind('@').unwrap_or(0);
        concealed.push_str("://");
        concealed.extend(repeat_n('*', secret));
        concealed.push_str(&part[secret..]);
    }
    if concealed == text {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(concealed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conceals_users_and_passwords_in_urls() {
        for (text, expected) in [
            (
                "nats = 'nats://localhost:4222' # me@home",
                "nats = 'nats://localhost:4222' # me@home",
            ),
            (
                "nats = 'nats://me:a/b@c@h,tls://é@h'",
                "nats = 'nats://********@h,tls://**@h'",
            ),
            ("nats = nats://token@h", "nats = nats://*****@h"),
            ("me@home", "me@home"),
        ] {
            assert_eq!(without_userinfo(text), expected);
            assert_eq!(text.len(), expected.len());
        }
    }
}

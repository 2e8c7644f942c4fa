//! Detects a file that looks emptied or truncated compared with the running configuration.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use crate::{
    config::Config,
    issue::ConfigIssue,
    kinds::list,
    source::{Source, shortened},
};
use text::counted;

/// The maximum number of keys in a message.
const MAX_NAMED: usize = 5;
/// The maximum number of characters of a name in a message.
const MAX_NAME: usize = 60;

impl Config {
    /// Returns an issue if `new`, which replaces this configuration, looks emptied or truncated: it
    /// has lost all AIs or all clients, its file ends within a line, or its last section has lost
    /// its last keys.
    pub fn lost_in(&self, new: &Self) -> Option<ConfigIssue> {
        if !self.ais.is_empty() && new.ais.is_empty() {
            return Some(new.without("AI", self.ais.len()));
        }
        if !self.clients.is_empty() && new.clients.is_empty() {
            return Some(new.without("client", self.clients.len()));
        }
        let (span, message) = cut(&self.source, &new.source)?;
        Some(forced(ConfigIssue::in_file(&new.source, &span, &message)))
    }

    /// Returns the issue for a configuration that would remove all served AIs.
    pub fn without_ais(&self, served: usize) -> ConfigIssue {
        self.without("AI", served)
    }

    fn without(&self, what: &str, before: usize) -> ConfigIssue {
        let path = self.path().to_string_lossy();
        let message = format!(
            "it has no {what}s; the running server has {}",
            counted(before, what)
        );
        forced(ConfigIssue::of(&path, &message))
    }
}

/// Adds instructions to the issue.
fn forced(mut issue: ConfigIssue) -> ConfigIssue {
    let path = issue.origin.clone();
    issue
        .allow("the complete file; an empty or truncated file is not applied automatically")
        .note(&format!(
            "if this is intended, `rookery reload --allow-empty --config {path}` applies it"
        ));
    issue
}

/// Returns where and how the new text was cut off, compared with the old one.
fn cut(old: &Source, new: &Source) -> Option<(Range<usize>, String)> {
    within_line(old.text(), new.text()).or_else(|| within_section(old.text(), new.text()))
}

/// Finds an unterminated last line that is the start of a longer line in the old text.
fn within_line(old: &str, new: &str) -> Option<(Range<usize>, String)> {
    let last = new
        .lines()
        .next_back()
        .filter(|line| !line.trim().is_empty() && !new.ends_with('\n'))?;
    let is_start = |line: &str| line.len() > last.len() && line.starts_with(last);
    ((old.ends_with('\n') || old.starts_with(new)) && old.lines().any(is_start)).then(|| {
        let message = "the file ends in the middle of a line that used to be longer";
        (new.len() - last.len()..new.len(), message.to_owned())
    })
}

/// Finds a last section that has lost the keys at its end.
fn within_section(old: &str, new: &str) -> Option<(Range<usize>, String)> {
    let (old, new) = (Key::all(old), Key::all(new));
    let last = new.last()?;
    let of_section = |key: &&Key| key.section == last.section;
    let before: Vec<_> = old.iter().filter(of_section).collect();
    let is_kept = |key: &Key| {
        new.iter()
            .any(|other| other.section == key.section && other.path == key.path)
    };
    let missing: Vec<_> = before.iter().filter(|key| !is_kept(key)).collect();
    let was_there = before.iter().any(|key| key.is_at_or_in(&last.path));
    let last_kept = before
        .iter()
        .rposition(|key| is_kept(key))
        .map_or(0, |index| index + 1);
    if missing.is_empty() || !was_there || last_kept + missing.len() != before.len() {
        return None;
    }
    let names = list(
        missing
            .iter()
            .take(MAX_NAMED)
            .map(|key| shortened(&key.path, MAX_NAME)),
    );
    let section = shortened(&last.section, MAX_NAME);
    Some((
        last.span.clone(),
        format!("the file ends within [{section}]; its remaining keys are missing: {names}"),
    ))
}

/// A key in the file, or the header of a section without keys.
struct Key {
    /// The top-level section with its id, such as `ai.basic1`.
    section: String,
    /// The name in the section, such as `options.hash_mb`; empty for a header.
    path: String,
    span: Range<usize>,
}

impl Key {
    /// Returns all keys in the file, in order.
    fn all(text: &str) -> Vec<Self> {
        let Ok(root) = DeTable::parse(text) else {
            return Vec::new();
        };
        let mut keys = Vec::new();
        for (name, value) in root.get_ref() {
            let name_text = name.get_ref().as_ref();
            match value.get_ref() {
                DeValue::Table(sections) if matches!(name_text, "ai" | "client" | "level") => {
                    for (id, section) in sections {
                        let path = format!("{name_text}.{}", id.get_ref());
                        Self::collect(&path, "", id.span(), section.get_ref(), &mut keys);
                    }
                }
                value => Self::collect(name_text, "", name.span(), value, &mut keys),
            }
        }
        keys.sort_by_key(|key| key.span.start);
        keys
    }

    /// Returns whether this is the key or table `path` or a key of that table.
    fn is_at_or_in(&self, path: &str) -> bool {
        match self.path.strip_prefix(path) {
            Some(rest) => path.is_empty() || rest.is_empty() || rest.starts_with('.'),
            None => false,
        }
    }

    fn collect(
        section: &str,
        path: &str,
        span: Range<usize>,
        value: &DeValue<'_>,
        keys: &mut Vec<Self>,
    ) {
        match value {
            DeValue::Table(table) if !table.is_empty() => {
                for (name, inner) in table {
                    let name_text = name.get_ref();
                    let path = if path.is_empty() {
                        name_text.to_string()
                    } else {
                        format!("{path}.{name_text}")
                    };
                    Self::collect(section, &path, name.span(), inner.get_ref(), keys);
                }
            }
            _ => keys.push(Self {
                section: section.to_owned(),
                path: path.to_owned(),
                span,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    const BEFORE: &str = "\
[server]
listen = \"127.0.0.1:0\"
[ai.one]
library = \"one\"
workers = 16
[ai.one.options]
hash_mb = 64
# Bob's.
[client.bob]
ai = \"one\"
local_only = true
max_depth = 12
";

    fn found(old: &str, new: &str) -> Option<String> {
        let source = |text: &str| Source::new(Path::new("rookery.toml"), text.to_owned());
        cut(&source(old), &source(new)).map(|(_, message)| message)
    }

    #[test]
    fn every_prefix_looks_cut_off_unless_it_ends_a_section() {
        let whole = ["[ai.one]", "# Bob's.", "[client.bob]"].map(|next| BEFORE.find(next).unwrap());
        for end in 1..BEFORE.len() - 1 {
            let text = &BEFORE[..end];
            let is_whole = whole.contains(&text.trim_end().len().saturating_add(1))
                || text.ends_with("# Bob's.");
            if DeTable::parse(text).is_ok() {
                assert_eq!(found(BEFORE, text).is_none(), is_whole, "{text:?}");
            }
        }
    }

    #[test]
    fn changes_are_not_losses() {
        let without = |part: &str| {
            assert!(BEFORE.contains(part));
            BEFORE.replace(part, "")
        };
        for text in [
            BEFORE.to_owned(),
            BEFORE.trim_end().to_owned(),
            without("local_only = true\n"),
            without("workers = 16\n"),
            without("[ai.one.options]\nhash_mb = 64\n"),
            without("[client.bob]\nai = \"one\"\nlocal_only = true\nmax_depth = 12\n"),
            BEFORE.replace("max_depth", "max_nodes"),
            BEFORE.replace("max_depth = 12\n", "max_depth = 1\n"),
            without("max_depth = 12\n") + "[client.ann]\nai = \"one\"",
        ] {
            assert_eq!(found(BEFORE, &text), None, "{text}");
        }
        let within_line = "the file ends in the middle of a line that used to be longer";
        assert_eq!(
            found(BEFORE.trim_end(), &BEFORE[..BEFORE.len() - 2]).unwrap(),
            within_line
        );
        assert_eq!(
            found(BEFORE, &without("max_depth = 12\n")).unwrap(),
            "the file ends within [client.bob]; its remaining keys are missing: [\"max_depth\"]"
        );
    }
}

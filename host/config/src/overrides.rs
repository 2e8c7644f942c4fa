//! Values that stand above the file: flags before environment variables.

use std::ffi::OsString;

use super::{
    issue::{ConfigIssue, Issues},
    keys::{Key, Kind, LISTEN, Number, Setting, keys_of},
    source::shortened,
};

/// Values of `[server]` from the command line and the environment; a flag beats a variable, both beat the file.
#[derive(Clone, Debug, Default)]
pub struct Overrides(Vec<Override>);

#[derive(Clone, Debug)]
struct Override {
    key: &'static str,
    origin: Origin,
    value: String,
}

#[derive(Clone, Debug)]
enum Origin {
    Flag(&'static str),
    Variable(String),
}

impl Overrides {
    /// Nothing above the file.
    pub fn none() -> Self {
        Self::default()
    }

    /// What `ROOKERY_…` variables say, one for each key of `[server]`, such as `ROOKERY_LISTEN`; an empty one says
    /// nothing. `variable` gives the value of a variable: [`std::env::var_os`].
    pub fn from_environment(variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let overrides = keys_of("server").iter().filter_map(|&key| {
            let name = format!("ROOKERY_{}", key.to_uppercase());
            let value = variable(&name)?.to_string_lossy().into_owned();
            (!value.is_empty()).then_some(Override { key, origin: Origin::Variable(name), value })
        });
        Self(overrides.collect())
    }

    /// These, and above them what the flag `--listen` says, if it was given.
    #[must_use]
    pub fn with_listen(mut self, address: Option<String>) -> Self {
        if let Some(value) = address {
            self.0.insert(0, Override { key: LISTEN.name, origin: Origin::Flag("--listen"), value });
        }
        self
    }

    /// The value that stands above the file's, which is `from_file`.
    pub(super) fn apply<K: Setting>(
        &self,
        key: &Key<K>,
        from_file: K::Value,
        issues: &mut Issues<'_>,
    ) -> K::Value {
        self.apply_parsed(key, |text| key.kind.parse(text), from_file, issues)
    }

    /// The same for a number whose default depends on other keys.
    pub(super) fn apply_number(&self, key: &Key<Number>, from_file: u64, issues: &mut Issues<'_>) -> u64 {
        self.apply_parsed(key, |text| key.kind.parse(text), from_file, issues)
    }

    fn apply_parsed<K: Kind>(
        &self,
        key: &Key<K>,
        parse: impl FnOnce(&str) -> Option<K::Value>,
        from_file: K::Value,
        issues: &mut Issues<'_>,
    ) -> K::Value {
        let Some(Override { origin, value, .. }) = self.0.iter().find(|given| given.key == key.name) else {
            return from_file;
        };
        parse(value).unwrap_or_else(|| {
            let (origin, lead) = match origin {
                Origin::Flag(flag) => (*flag, format!("{flag} ")),
                Origin::Variable(name) => (name.as_str(), format!("{name}=")),
            };
            let message = match value.as_str() {
                "" => format!("`server.{}` is an empty text", key.name),
                text => format!("`server.{}` is the text \"{}\"", key.name, shortened(text, 60)),
            };
            let mut issue = ConfigIssue::given(origin, &lead, value, &message);
            issue.allow(&key.kind.allowed());
            issues.elsewhere(issue);
            from_file
        })
    }
}

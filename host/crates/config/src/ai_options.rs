//! `[ai.ID.options]` and `[level.ID.options]`: options that the AI itself declares.

use ai_api::{OptionSetting, OptionValue};
use toml::de::DeValue;

use crate::{
    issue::Issues,
    kinds::{description, integer, list, quoted},
    section::{Field, SettingEntry, Shown},
    table::Table,
};

/// The table `options`. The options are checked once the AI's library is known. [`show_options`]
/// writes them, because the library declares which options are secret.
pub(crate) struct OptionTable {
    pub(crate) allowed: &'static str,
    /// The options that apply if the table is missing.
    pub(crate) default: &'static str,
}

const VALUES: &str = "true, false, a 64-bit whole number, a decimal number, a quoted string or a \
    list of strings";

impl Field for OptionTable {
    type Value = Vec<OptionSetting>;

    fn entries(&self, key: &'static str, doc: &'static str) -> Vec<SettingEntry> {
        vec![SettingEntry {
            example: Some("{ quiescence = false }"),
            ..SettingEntry::of_table(key, doc, self.allowed, self.default)
        }]
    }

    /// Reads the options in file order.
    fn read(
        &self,
        key: &'static str,
        table: &Table<'_>,
        issues: &mut Issues<'_>,
    ) -> Vec<OptionSetting> {
        let Some(table) = table.table(key, self.allowed, issues) else {
            return Vec::new();
        };
        let mut entries: Vec<_> = table.entries().collect();
        entries.sort_by_key(|(name, _)| name.span().start);
        let mut options = Vec::new();
        for (name, value) in entries {
            let name = name.get_ref().as_ref();
            if let Some(value) = option_value(value.get_ref()) {
                options.push(OptionSetting {
                    name: name.into(),
                    value,
                });
            } else {
                let message = format!(
                    "`{}` is {}",
                    table.path_of(name),
                    description(value.get_ref())
                );
                issues.at(&value.span(), &message).allow(VALUES);
            }
        }
        options
    }
}

/// Writes the table of options without secret values.
pub(crate) fn show_options(
    section: &str,
    options: &[OptionSetting],
    is_secret: impl Fn(&OptionSetting) -> bool,
    shown: &mut Shown,
) {
    shown.header(&format!("{section}.options"));
    for option in options {
        let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        let is_bare = !option.name.is_empty() && option.name.bytes().all(is_bare);
        let key = if is_bare {
            option.name.clone()
        } else {
            quoted(&option.name)
        };
        match &option.value {
            _ if is_secret(option) => shown.comment(&format!("{key} is secret")),
            OptionValue::Text(text) => shown.line(&key, &quoted(text)),
            OptionValue::List(texts) => shown.line(&key, &list(texts)),
            value => shown.line(&key, &value.to_string()),
        }
    }
}

fn option_value(given: &DeValue<'_>) -> Option<OptionValue> {
    match given {
        DeValue::Boolean(flag) => Some(OptionValue::Flag(*flag)),
        DeValue::Integer(_) => integer(given).map(OptionValue::Integer),
        DeValue::String(text) => Some(OptionValue::Text(text.as_ref().into())),
        DeValue::Float(number) => {
            let number = number
                .as_str()
                .parse()
                .ok()
                .filter(|number: &f64| number.is_finite());
            number.map(OptionValue::Decimal)
        }
        DeValue::Array(values) => {
            let texts = values
                .iter()
                .map(|value| value.get_ref().as_str().map(String::from));
            texts.collect::<Option<_>>().map(OptionValue::List)
        }
        DeValue::Datetime(_) | DeValue::Table(_) => None,
    }
}

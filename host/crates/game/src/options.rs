//! The AI options that a request sets.

use ai_api::OptionSetting;

/// The options that a request sets, and the resulting value of each of the AI's options.
#[derive(Clone, Debug, Default)]
pub struct RequestedOptions {
    set: Vec<OptionSetting>,
    /// The value of every option; empty if all have their configured values.
    all: Vec<OptionSetting>,
}

impl RequestedOptions {
    /// Replaces some of the configured values.
    pub fn new(set: Vec<OptionSetting>, configured: &[OptionSetting]) -> Self {
        let value = |option: &OptionSetting| {
            set.iter()
                .find(|setting| setting.name == option.name)
                .unwrap_or(option)
                .clone()
        };
        let all: Vec<_> = configured.iter().map(value).collect();
        let all = if all == configured { Vec::new() } else { all };
        Self { set, all }
    }

    /// Returns the options that the request sets.
    pub fn set(&self) -> &[OptionSetting] {
        &self.set
    }

    pub(crate) fn all(&self) -> Vec<OptionSetting> {
        self.all.clone()
    }
}

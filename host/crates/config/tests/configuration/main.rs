//! Loads configurations, right and wrong ones.
#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

mod support;
mod settings;
mod pins;
mod options;
mod overridable_options;
mod rejections;
mod ai_rejections;
mod arena;
mod client_rejections;
mod fleet;
mod fleet_rejections;
mod levels;
mod arbitrary_text;

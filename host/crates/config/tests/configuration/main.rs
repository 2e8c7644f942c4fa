//! Loads valid and invalid configurations.
#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

mod ai_rejections;
mod arbitrary_text;
mod candidates;
mod client_rejections;
mod extras;
mod levels;
mod options;
mod overridable_options;
mod pins;
mod rejections;
mod settings;
mod support;

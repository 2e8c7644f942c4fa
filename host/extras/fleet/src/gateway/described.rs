//! The AIs that nodes describe. A node is not trusted: strings are truncated, and numbers are
//! clamped.

use std::path::PathBuf;

use ai_api::{Capabilities, Limits};
use config::{AiSettings, Isolation, SetLimit};
use library::sha256::Sha256Sum;
use pool::{About, RemoteAi};
use protocol::{MAX_LINES, MAX_TRACE_NODES, SandboxMode, SandboxSettings};
use text::printable;

use crate::wire::Description;

const MAX_NAME: usize = 200;
const MAX_TIME_MS: u64 = 3_600_000;

/// Returns an AI with the id under which this server serves it.
///
/// # Errors
/// The description is invalid. The text says why.
pub(super) fn remote_ai(id: &str, described: Description) -> Result<RemoteAi, String> {
    let sum = |name: &str, text: &str| {
        text.parse::<Sha256Sum>()
            .map_err(|error| format!("its {name} is {error}"))
    };
    let fingerprint = sum("fingerprint", &described.fingerprint)?;
    let library_sha256 = sum("library's SHA-256", &described.library.sha256)?;
    pool::check_manifest(&described.options).map_err(|refusal| printable(&refusal.message))?;
    let is_value = |spec: &ai_api::OptionSpec| {
        described
            .values
            .iter()
            .any(|value| value.name == spec.name && spec.allows(&value.value))
    };
    if let Some(spec) = described.options.iter().find(|spec| !is_value(spec)) {
        return Err(format!(
            "it has no allowed value for its option {}",
            bounded(&spec.name)
        ));
    }
    if !described.searcher && !described.evaluator {
        return Err("it neither searches nor evaluates".into());
    }
    let mode = described.sandbox.mode.parse().unwrap_or(SandboxMode::Off);
    let time = |ms: u64| ms.clamp(1, MAX_TIME_MS);
    let settings = AiSettings {
        workers: Some(0),
        move_timeout_ms: time(described.move_timeout_ms),
        start_timeout_ms: MAX_TIME_MS,
        new_game_timeout_ms: time(described.new_game_timeout_ms),
        // The AI's node keeps clients apart.
        isolate: Isolation::None,
        limit: Some(SetLimit::default(limit(
            described.limit,
            time(described.move_timeout_ms),
        ))),
        sandbox: SandboxSettings {
            mode,
            memory_mb: described.sandbox.memory_mb,
            threads: described.sandbox.threads,
            ..SandboxSettings::default()
        },
        overridable_options: described.overridable_options,
        ..AiSettings::of_library(id, PathBuf::new())
    };
    let mut confined = described.sandbox.confined;
    for missing in &mut confined.missing {
        missing.reason = bounded(&missing.reason);
    }
    Ok(RemoteAi {
        settings,
        about: About {
            name: bounded(&described.name),
            version: bounded(&described.version),
            author: bounded(&described.author),
            searcher: described.searcher,
            evaluator: described.evaluator,
            options: described.options,
            capabilities: Capabilities {
                max_lines: described.capabilities.max_lines.clamp(1, MAX_LINES),
                max_trace_nodes: described.capabilities.max_trace_nodes.min(MAX_TRACE_NODES),
                ..described.capabilities
            },
        },
        options: described.values,
        library_file: bounded(&described.library.file),
        library_sha256,
        confined,
        fingerprint,
    })
}

/// Clamps the times of a limit to the move timeout, and its counts to at least 1.
fn limit(mut limit: Limits, move_timeout_ms: u64) -> Limits {
    for time in [&mut limit.soft_ms, &mut limit.hard_ms] {
        *time = time.map(|ms| ms.clamp(1, move_timeout_ms));
    }
    limit.depth = limit.depth.map(|depth| depth.max(1));
    limit.nodes = limit.nodes.map(|nodes| nodes.max(1));
    limit
}

fn bounded(text: &str) -> String {
    printable(&text.chars().take(MAX_NAME).collect::<String>())
}

//! Starting the AI and its manifest.

use std::time::{Duration, Instant};

use super::endurance::check_idle;
use crate::{
    check::{Check, Passed},
    failure::CheckFailure,
    subject::Subject,
};
use library::Note;
use text::printable;

/// The time of a start, with a margin for a busy machine.
const MAX_START_TIME: Duration = Duration::from_secs(2);
/// The greatest length of a name, a version or an author.
const MAX_CHARS: usize = 64;

pub(crate) const CHECKS: &[Check] = &[
    Check {
        name: "load.starts",
        description: "Loads in its sandbox, has a valid manifest and creates an instance with the default options.",
        run: |subject| Box::pin(starts(subject)),
    },
    Check {
        name: "load.soon",
        description: "Is ready within 2 seconds: clients wait while a worker is replaced.",
        run: |subject| Box::pin(soon(subject)),
    },
    Check {
        name: "load.same_again",
        description: "Has the same manifest in two workers.",
        run: |subject| Box::pin(same_again(subject)),
    },
    Check {
        name: "load.rests",
        description: "Uses no processor time before the first request.",
        run: |subject| Box::pin(idle_before_requests(subject)),
    },
    Check {
        name: "manifest.name",
        description: "Has a name of 1 to 64 printable characters.",
        run: |subject| Box::pin(name(subject)),
    },
    Check {
        name: "manifest.version",
        description: "Has a version of 1 to 64 printable characters.",
        run: |subject| Box::pin(version(subject)),
    },
    Check {
        name: "manifest.author",
        description: "Has no author, or one of at most 64 printable characters.",
        run: |subject| Box::pin(author(subject)),
    },
    Check {
        name: "manifest.note",
        description: "Has the same version in the note of its library and in its manifest.",
        run: |subject| Box::pin(note(subject)),
    },
];

async fn starts(subject: &Subject) -> Result<Passed, CheckFailure> {
    let session = subject.start().await?;
    let manifest = session.manifest();
    let kind = match (session.is_searcher(), session.is_evaluator()) {
        (true, true) => "searcher and evaluator",
        (true, false) => "searcher",
        _ => "evaluator",
    };
    Ok(Passed::with_note(format!("{} {}, {kind}", printable(&manifest.name), printable(&manifest.version))))
}

async fn soon(subject: &Subject) -> Result<Passed, CheckFailure> {
    let start = Instant::now();
    subject.start().await?;
    let taken = start.elapsed();
    let (taken_ms, max_ms) = (taken.as_millis(), MAX_START_TIME.as_millis());
    if taken <= MAX_START_TIME {
        return Ok(Passed::with_note(format!("ready after {taken_ms} ms")));
    }
    Err(CheckFailure::warning(
        format!("ready after {taken_ms} ms; expected at most {max_ms} ms"),
        "do in constructors and in create only what the first request needs",
    ))
}

async fn same_again(subject: &Subject) -> Result<Passed, CheckFailure> {
    let (one, other) = (subject.load(&subject.settings).await?, subject.load(&subject.settings).await?);
    if one.manifest() == other.manifest() {
        return Ok(Passed::WITHOUT_NOTE);
    }
    Err(CheckFailure::failed(
        "the manifests of two workers differ",
        "return the same manifest whenever the settings are the same",
    ))
}

async fn idle_before_requests(subject: &Subject) -> Result<Passed, CheckFailure> {
    const REMEDY: &str = "do not compute before a request; the host replaces workers that do";
    check_idle(&mut subject.start().await?, "before the first request", REMEDY).await
}

async fn name(subject: &Subject) -> Result<Passed, CheckFailure> {
    let session = subject.load(&subject.settings).await?;
    check_label(
        "name",
        &session.manifest().name,
        "set a name: name in export_ai! (Rust), name in the manifest (C, C++)",
    )
}

async fn version(subject: &Subject) -> Result<Passed, CheckFailure> {
    let session = subject.load(&subject.settings).await?;
    check_label(
        "version",
        &session.manifest().version,
        "set a version: version in Cargo.toml or export_ai! (Rust), version in the manifest (C, C++)",
    )
}

async fn author(subject: &Subject) -> Result<Passed, CheckFailure> {
    const REMEDY: &str =
        "shorten or remove the author: authors in Cargo.toml (Rust), author in the manifest (C, C++)";
    let session = subject.load(&subject.settings).await?;
    let author = &session.manifest().author;
    // The author is optional.
    if author.is_empty() {
        Ok(Passed::with_note("no author".to_owned()))
    } else {
        check_label("author", author, REMEDY)
    }
}

fn check_label(what: &str, text: &str, remedy: &'static str) -> Result<Passed, CheckFailure> {
    if text.trim().is_empty() {
        return Err(CheckFailure::failed(format!("the {what} in the manifest is empty"), remedy));
    }
    let chars = text.chars().count();
    if chars > MAX_CHARS {
        return Err(CheckFailure::failed(
            format!("the {what} in the manifest has {chars} characters; expected at most {MAX_CHARS}"),
            remedy,
        ));
    }
    if printable(text) != text {
        return Err(CheckFailure::failed(
            format!(
                "the {what} '{}' has control characters or surrounding spaces; expected printable text",
                printable(text)
            ),
            remedy,
        ));
    }
    Ok(Passed::with_note(text.to_owned()))
}

async fn note(subject: &Subject) -> Result<Passed, CheckFailure> {
    let session = subject.load(&subject.settings).await?;
    check_note(subject.library.note(), &session.manifest().version)
}

fn check_note(note: &Note, version: &str) -> Result<Passed, CheckFailure> {
    if note.version == version {
        return Ok(Passed::with_note(format!("'{}', built with {}", note.id, note.compiler)));
    }
    Err(CheckFailure::failed(
        format!("the note has version {}, but the manifest has {}", note.version, printable(version)),
        "build with export_ai!, which writes both (Rust), or use one string for ROOKERY_NOTE and the manifest (C, C++)",
    ))
}

#[cfg(test)]
mod tests {
    use ai_api::note::ABI_VERSION;

    use super::*;

    #[test]
    fn accepts_the_note_of_another_contract_release() {
        let note = Note {
            abi: ABI_VERSION,
            api: "1.99.0".into(),
            id: "c".into(),
            version: "2.0".into(),
            compiler: "cc 12".into(),
        };
        assert!(check_note(&note, "2.0").is_ok());
        assert!(check_note(&note, "1.99.0").is_err());
    }
}

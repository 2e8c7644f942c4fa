//! The AI's start and its manifest.

use std::time::{Duration, Instant};

use super::endurance::check_idle;
use crate::{
    check::{Passed, checks},
    failure::CheckFailure,
    subject::Subject,
};
use library::LibraryNote;
use text::printable;

/// The allowed start time, with a margin for a busy machine.
const MAX_START_TIME: Duration = Duration::from_secs(2);
/// The maximum length of a name, a version or an author.
const MAX_CHARS: usize = 64;

checks! { subject =>
    "load.starts": "Loads in its sandbox, has a valid manifest and creates an instance with the \
        default options.",
        starts(subject);
    "load.soon" [MeasuresTime]: "Is ready within 2 seconds: clients wait while a worker is \
        replaced.",
        soon(subject);
    "load.same_again" [OnlyFull]: "Has the same manifest in two workers.",
        same_again(subject);
    "load.rests": "Uses no processor time before the first request.",
        idle_before_requests(subject);
    "manifest.name": "Has a name of 1 to 64 printable characters.",
        name(subject);
    "manifest.version": "Has a version of 1 to 64 printable characters; a program that it drives \
        may have none.",
        version(subject);
    "manifest.author": "Has no author, or one of at most 64 printable characters.",
        author(subject);
    "manifest.note": "Has the same version in its library's note and in its manifest, unless it \
        drives a program.",
        note(subject);
}

async fn starts(subject: &Subject) -> Result<Passed, CheckFailure> {
    let session = subject.start().await?;
    let manifest = session.manifest();
    let kind = match (session.is_searcher(), session.is_evaluator()) {
        (true, true) => "searcher and evaluator",
        (true, false) => "searcher",
        _ => "evaluator",
    };
    let name = printable(&format!("{} {}", manifest.name, manifest.version));
    Ok(Passed::with_note(format!("{name}, {kind}")))
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
        "in constructors and in create, do only what the first request needs",
    ))
}

async fn same_again(subject: &Subject) -> Result<Passed, CheckFailure> {
    let (one, other) = (
        subject.load(&subject.settings).await?,
        subject.load(&subject.settings).await?,
    );
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
    check_idle(
        &mut subject.start().await?,
        "before the first request",
        REMEDY,
    )
    .await
}

async fn name(subject: &Subject) -> Result<Passed, CheckFailure> {
    const REMEDY: &str = "set a name: name in export_ai! (Rust), name in the manifest (C, C++)";
    check_label("name", &subject.manifest().await?.name, REMEDY)
}

async fn version(subject: &Subject) -> Result<Passed, CheckFailure> {
    const REMEDY: &str = "set a version: version in Cargo.toml or export_ai! (Rust), version in \
        the manifest (C, C++)";
    let version = subject.manifest().await?.version;
    if version.is_empty() && subject.drives_a_program() {
        return Ok(Passed::with_note("no version".to_owned()));
    }
    check_label("version", &version, REMEDY)
}

async fn author(subject: &Subject) -> Result<Passed, CheckFailure> {
    const REMEDY: &str = "shorten or remove the author: authors in Cargo.toml (Rust), author in \
        the manifest (C, C++)";
    let author = subject.manifest().await?.author;
    // The author is optional.
    if author.is_empty() {
        return Ok(Passed::with_note("no author".to_owned()));
    }
    check_label("author", &author, REMEDY)
}

fn check_label(what: &str, text: &str, remedy: &'static str) -> Result<Passed, CheckFailure> {
    let (chars, shown) = (text.chars().count(), printable(text));
    let reason = if text.trim().is_empty() {
        format!("the {what} in the manifest is empty")
    } else if chars > MAX_CHARS {
        format!("the {what} in the manifest has {chars} characters; expected at most {MAX_CHARS}")
    } else if shown != text {
        format!(
            "the {what} '{shown}' has control characters or surrounding spaces; expected printable \
             text"
        )
    } else {
        return Ok(Passed::with_note(shown));
    };
    Err(CheckFailure::failed(reason, remedy))
}

async fn note(subject: &Subject) -> Result<Passed, CheckFailure> {
    if subject.drives_a_program() {
        return Err(CheckFailure::skipped("the version is the driven program's"));
    }
    check_note(subject.library.note(), &subject.manifest().await?.version)
}

fn check_note(note: &LibraryNote, version: &str) -> Result<Passed, CheckFailure> {
    if note.version == version {
        return Ok(Passed::with_note(format!(
            "'{}', built with {}",
            note.id, note.compiler
        )));
    }
    Err(CheckFailure::failed(
        format!(
            "the note has version {}, but the manifest has {}",
            note.version,
            printable(version)
        ),
        "build with export_ai!, which writes both (Rust), or use one string for ROOKERY_NOTE and \
         the manifest (C, C++)",
    ))
}

#[cfg(test)]
mod tests {
    use ai_api::note::ABI_VERSION;

    use super::*;

    #[test]
    fn accepts_a_note_from_another_contract_release() {
        let note = LibraryNote {
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

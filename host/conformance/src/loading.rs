//! Whether an AI starts, and what it says of itself.

use std::time::{Duration, Instant};

use super::{Check, CheckFailure, Passed, Subject, endurance::rests};
use library::Note;
use text::printable;

/// What a start should take, and still be fine on a machine with much else to do.
const SOON: Duration = Duration::from_secs(2);
/// What a name, a version or an author may have.
const MOST_CHARS: usize = 64;

pub(super) const CHECKS: &[Check] = &[
    Check {
        name: "load.starts",
        description: "It loads in its sandbox, describes itself and makes an instance with its default options.",
        run: |subject| Box::pin(starts(subject)),
    },
    Check {
        name: "load.soon",
        description: "It is ready within 2 seconds, since a lost worker is replaced while clients wait.",
        run: |subject| Box::pin(soon(subject)),
    },
    Check {
        name: "load.same_again",
        description: "Two workers of it describe it alike.",
        run: |subject| Box::pin(same_again(subject)),
    },
    Check {
        name: "load.rests",
        description: "It computes nothing before it is asked.",
        run: |subject| Box::pin(rests_before(subject)),
    },
    Check {
        name: "manifest.name",
        description: "It has a name of 1 to 64 characters that can be shown.",
        run: |subject| Box::pin(name(subject)),
    },
    Check {
        name: "manifest.version",
        description: "It has a version of 1 to 64 characters that can be shown.",
        run: |subject| Box::pin(version(subject)),
    },
    Check {
        name: "manifest.author",
        description: "The author, if it names one, has at most 64 characters that can be shown.",
        run: |subject| Box::pin(author(subject)),
    },
    Check {
        name: "manifest.note",
        description: "The note in its library has the same version as its manifest, whatever release of the contract it was built with.",
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
    Ok(Passed::and(format!("{} {}, {kind}", printable(&manifest.name), printable(&manifest.version))))
}

async fn soon(subject: &Subject) -> Result<Passed, CheckFailure> {
    let start = Instant::now();
    subject.start().await?;
    let taken = start.elapsed();
    if taken <= SOON {
        return Ok(Passed::and(format!("ready after {} ms", taken.as_millis())));
    }
    Err(CheckFailure::warning(
        format!("it was ready after {} ms, expected {} at most", taken.as_millis(), SOON.as_millis()),
        "do in constructors and create only what the first question needs",
    ))
}

async fn same_again(subject: &Subject) -> Result<Passed, CheckFailure> {
    let (one, other) = (subject.load(&subject.settings).await?, subject.load(&subject.settings).await?);
    if one.manifest() == other.manifest() {
        return Ok(Passed::PLAINLY);
    }
    Err(CheckFailure::failed(
        "two workers of it declare different names, versions or options",
        "declare the same options whenever you are asked with the same settings",
    ))
}

async fn rests_before(subject: &Subject) -> Result<Passed, CheckFailure> {
    const REMEDY: &str = "have no thread work when nobody asks; the host replaces workers that do";
    rests(&mut subject.start().await?, "without a question", REMEDY).await
}

async fn name(subject: &Subject) -> Result<Passed, CheckFailure> {
    let session = subject.load(&subject.settings).await?;
    shown(
        "name",
        &session.manifest().name,
        "give it one: name in export_ai! (Rust), name in the manifest (C, C++)",
    )
}

async fn version(subject: &Subject) -> Result<Passed, CheckFailure> {
    let session = subject.load(&subject.settings).await?;
    shown(
        "version",
        &session.manifest().version,
        "give it one: version in Cargo.toml or export_ai! (Rust), version in the manifest (C, C++)",
    )
}

async fn author(subject: &Subject) -> Result<Passed, CheckFailure> {
    const REMEDY: &str = "name the author in a short line: authors in Cargo.toml (Rust), author in the manifest (C, C++), or none";
    let session = subject.load(&subject.settings).await?;
    let author = &session.manifest().author;
    // The contract demands none.
    if author.is_empty() {
        Ok(Passed::and("none is named".to_owned()))
    } else {
        shown("author", author, REMEDY)
    }
}

fn shown(what: &str, text: &str, remedy: &'static str) -> Result<Passed, CheckFailure> {
    if text.trim().is_empty() {
        return Err(CheckFailure::failed(format!("its {what} is empty"), remedy));
    }
    let chars = text.chars().count();
    if chars > MOST_CHARS {
        return Err(CheckFailure::failed(format!("its {what} has {chars} characters"), remedy));
    }
    if printable(text) != text {
        return Err(CheckFailure::failed(
            format!("its {what} '{}' has control characters or spaces around it", printable(text)),
            remedy,
        ));
    }
    Ok(Passed::and(text.to_owned()))
}

async fn note(subject: &Subject) -> Result<Passed, CheckFailure> {
    let session = subject.load(&subject.settings).await?;
    agrees(subject.library.note(), &session.manifest().version)
}

fn agrees(note: &Note, version: &str) -> Result<Passed, CheckFailure> {
    if note.version == version {
        return Ok(Passed::and(format!("'{}' of {}", note.id, note.compiler)));
    }
    Err(CheckFailure::failed(
        format!("the note has version {}, the manifest version {}", note.version, printable(version)),
        "let export_ai! write both; in C give ROOKERY_NOTE and the manifest the same text",
    ))
}

#[cfg(test)]
mod tests {
    use ai_api::note::ABI_VERSION;

    use super::*;

    #[test]
    fn a_note_of_another_release_of_the_contract_agrees_if_it_has_the_version_of_the_ai() {
        let note = Note {
            abi: ABI_VERSION,
            api: "1.99.0".into(),
            id: "c".into(),
            version: "2.0".into(),
            compiler: "cc 12".into(),
        };
        assert!(agrees(&note, "2.0").is_ok());
        assert!(agrees(&note, "1.99.0").is_err());
    }
}

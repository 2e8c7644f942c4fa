//! The configuration after a promotion or an abort.
#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

use std::{fs, path::Path};

use config::{FileEdit, LoadOptions};
use rollout::{ChangeError, RolloutChange};

const FILE: &str = "\
# The AIs of a club.

# Bob, since 2024.
[ai.bob]
library = \"./libbob.so\" # strong
candidate = \"bob_2\"
shadow = \"10%\"
canary = \"5%\"
fallback = \"quick\"
memory_mb = 64

[ai.bob.options]
hash_mb = 1 # small
style = \"calm\"

# To be tried.
[ai.bob_2]
library = \"./libbob_2.so\"
limit = { depth = 3 }

[ai.bob_2.options]
hash_mb = 2

[ai.quick]
library = \"./libquick.so\"

[client.default]
ai = \"bob\"
";

/// Returns the changed text.
fn changed(text: &str, change: RolloutChange) -> Result<String, ChangeError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rookery.toml");
    for library in ["bob", "bob_2", "quick"] {
        fs::write(folder.path().join(format!("lib{library}.so")), "").unwrap();
    }
    fs::write(&path, text).unwrap();
    apply(&path, change)?;
    Ok(fs::read_to_string(&path).unwrap())
}

fn apply(path: &Path, change: RolloutChange) -> Result<(), ChangeError> {
    let before = fs::read_to_string(path).unwrap();
    let copy = FileEdit::change(path, &LoadOptions::none(), |edit| {
        change.apply(edit, "bob")?;
        Ok::<_, ChangeError>(change.keep_copy(edit, "bob")?)
    })?;
    assert_eq!(fs::read_to_string(copy).unwrap(), before);
    Ok(())
}

#[test]
fn promotion_keeps_the_comments_and_the_fallback() {
    let expected = "\
# The AIs of a club.

# Bob, since 2024.
[ai.bob]
library = \"./libbob_2.so\" # strong
fallback = \"quick\"
limit = { depth = 3 }

[ai.bob.options]
hash_mb = 2 # small

[ai.quick]
library = \"./libquick.so\"

[client.default]
ai = \"bob\"
";
    let found = changed(FILE, RolloutChange::Promote).unwrap();
    assert_eq!(found, expected);
}

#[test]
fn aborting_removes_the_candidate() {
    let start = FILE.find("# To be tried.").unwrap();
    let end = FILE.find("[ai.quick]").unwrap();
    let mut expected = format!("{}{}", &FILE[..start], &FILE[end..]);
    for line in [
        "candidate = \"bob_2\"\n",
        "shadow = \"10%\"\n",
        "canary = \"5%\"\n",
    ] {
        expected = expected.replace(line, "");
    }
    let found = changed(FILE, RolloutChange::Abort).unwrap();
    assert_eq!(found, expected);
}

#[test]
fn changes_inline_tables() {
    let text = "ai = { bob = { library = \"./libbob.so\", candidate = \"bob_2\" }, bob_2 = { \
                library = \"./libbob_2.so\", limit = { depth = 3 } } }\n";
    let found = changed(text, RolloutChange::Promote).unwrap();
    let spaced: Vec<_> = found.split_whitespace().collect();
    assert_eq!(
        spaced.join(" "),
        "ai = { bob = { library = \"./libbob_2.so\", limit = { depth = 3 } }}"
    );
}

/// The AI cannot be its own fallback.
#[test]
fn a_candidate_that_falls_back_to_its_ai_gets_the_ais_fallback() {
    let text = FILE
        .replace("limit = { depth = 3 }", "fallback = \"bob\"")
        .replace("fallback = \"quick\"\n", "");
    let found = changed(&text, RolloutChange::Promote).unwrap();
    assert!(!found.contains("fallback"), "{found}");
}

#[test]
fn leaves_an_ai_without_a_candidate_unchanged() {
    let text = FILE.replace(
        "candidate = \"bob_2\"\nshadow = \"10%\"\ncanary = \"5%\"\n",
        "",
    );
    let error = changed(&text, RolloutChange::Promote).unwrap_err();
    assert_eq!(error.to_string(), "[ai.bob] has no `candidate`");
    let error = changed(
        "[ai.other]\nlibrary = \"./libbob.so\"\n",
        RolloutChange::Abort,
    );
    assert_eq!(error.unwrap_err().to_string(), "found no [ai.bob]");
}

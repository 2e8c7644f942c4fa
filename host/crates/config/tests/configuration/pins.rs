//! Checks libraries against their pins.

use std::{fs, path::Path};

use config::Config;
use library::sha256::Sha256Sum;

use crate::support::{AI, FULL, errors, loaded};

/// Returns the issue for a library with these bytes, without the path of the test's folder.
fn pin_issue(config: &Config, ai: &str, bytes: &[u8]) -> Option<String> {
    let issue = config.check_pin(ai, Sha256Sum::of(bytes))?.to_string();
    let folder = config.path().parent().unwrap().parent().unwrap();
    Some(
        issue
            .replace(&*folder.to_string_lossy(), "")
            .replace(&*fs::canonicalize(folder).unwrap().to_string_lossy(), ""),
    )
}

#[test]
fn rejects_a_library_whose_sha256_differs_from_its_pin() {
    let (_folder, config) = loaded(FULL);
    assert_eq!(pin_issue(&config, "basic1", b"abc"), None);
    let other = pin_issue(&config, "basic1", b"abd").unwrap();
    for part in [
        "AI 'basic1': the library does not match its pin: its sha256 is a52d159f",
        "expected ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n",
        " | sha256 = \"BA7816bf",
        "`rookery ais pin basic1` prints the line",
        "its library is /lib/libai_basic1.so\n",
    ] {
        assert!(other.contains(part), "no {part} in {other}");
    }
}

#[test]
fn rejects_an_unpinned_library_only_if_pins_are_required() {
    let (_folder, config) = loaded(FULL);
    let unpinned = pin_issue(&config, "uci", b"abc").unwrap();
    for part in [
        "error: AI 'uci': the library is not pinned, and plugins.policy requires it\n",
        ":5\n   |\n64 | [ai.uci]\n   |     ^^^\n",
        "`rookery ais pin uci` prints the line",
    ] {
        assert!(unpinned.contains(part), "no {part} in {unpinned}");
    }
    for policy in ["configured", "any"] {
        let (_folder, config) = loaded(&FULL.replace("pinned", policy));
        assert_eq!(pin_issue(&config, "uci", b"abc"), None);
        assert!(
            pin_issue(&config, "basic1", b"abd").is_some(),
            "a pin applies under every policy"
        );
    }
}

/// Returns a configuration whose AI may read the folder `lib` and start a program.
fn with_files(pins: &str) -> String {
    let options =
        "[ai.a.options]\ncommand = \"/bin/true --net=notes.txt\"\nnet = \"../lib/engine\"\n";
    format!(
        "[plugins]\npolicy = \"pinned\"\n{AI}allow_read = ['../lib']\nallow_exec = ['/bin/true']\n\
         working_directory = '../lib'\n{options}{pins}"
    )
}

#[test]
fn pins_the_programs_and_files_of_an_ai() {
    let (folder, config) = loaded(&with_files(""));
    let root = fs::canonicalize(folder.path()).unwrap();
    let program = fs::canonicalize("/bin/true").unwrap();
    let mut files = vec![root.join("lib/engine"), root.join("lib/notes.txt"), program];
    if Path::new("/bin/true") != files[2] {
        // The link and its target.
        files.push("/bin/true".into());
    }
    let mut expected = files.clone();
    expected.sort();
    assert!(
        config.ais["a"]
            .files_to_pin(config.folder())
            .iter()
            .eq(&expected),
        "{expected:?}"
    );
    let issue = config.check_files("a").unwrap().to_string();
    for file in &expected {
        let message = format!(
            "{} is not pinned, and plugins.policy requires it",
            file.display()
        );
        assert!(issue.contains(&message), "{issue}");
    }

    let sums: Vec<_> = files
        .iter()
        .map(|file| Sha256Sum::of(&fs::read(file).unwrap()))
        .collect();
    let lines: Vec<_> = files
        .iter()
        .zip(&sums)
        .map(|(file, sum)| format!("{:?} = \"{sum}\"", file.display().to_string()))
        .collect();
    let lines = lines.join("\n");
    let pins = format!(
        "[ai.a.files_sha256]\n{}",
        lines.replace(&*root.to_string_lossy(), "..")
    );
    let (folder, config) = loaded(&with_files(&pins));
    assert_eq!(config.check_files("a"), None);
    let (_, shown) = loaded(&config.show(|_, _| false));
    assert_eq!(shown.ais["a"].files_sha256, config.ais["a"].files_sha256);

    let script = folder.path().join("lib/engine");
    fs::write(&script, "forged").unwrap();
    let issue = config.check_files("a").unwrap().to_string();
    let forged = Sha256Sum::of(b"forged");
    let message = format!(
        "does not match its pin: its sha256 is {forged}, expected {}",
        sums[0]
    );
    for part in [
        &message,
        "| \"../lib/engine\" = ",
        "`rookery ais pin a` prints the lines",
    ] {
        assert!(issue.contains(part), "no {part} in {issue}");
    }
    // A link to a different file.
    fs::remove_file(&script).unwrap();
    std::os::unix::fs::symlink("notes.txt", &script).unwrap();
    let issue = config.check_files("a").unwrap().to_string();
    assert!(issue.contains("engine does not match its pin"), "{issue}");
    fs::remove_file(script).unwrap();
    let issue = config.check_files("a").unwrap().to_string();
    assert!(issue.contains("is pinned but cannot be read"), "{issue}");
}

#[test]
fn rejects_a_pin_that_is_not_a_hash() {
    for wrong in ["1", "\"abc\"", "[\"abc\"]"] {
        let found = errors(&format!("{AI}files_sha256 = {{ \"/bin/true\" = {wrong} }}"));
        assert!(
            found.contains("`ai.a.files_sha256./bin/true` is "),
            "{found}"
        );
    }
    assert!(errors(&format!("{AI}files_sha256 = 1")).contains("`ai.a.files_sha256` is 1"));
}

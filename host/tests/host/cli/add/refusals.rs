//! Targets that are not AIs, and the advice in the messages.

use std::fs;

use super::{ENGINE, engine, refused, script, text};
use crate::support::{basic1_and, built};

/// An ELF program for another processor.
fn of_another_processor() -> Vec<u8> {
    let mut program = fs::read("/bin/sh").unwrap();
    // e_machine: 243 is RISC-V.
    program[18..20].copy_from_slice(&243_u16.to_le_bytes());
    program
}

#[test]
fn explains_wrong_targets() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let write = |name: &str, bytes: &[u8]| {
        let file = script(path, name, "");
        fs::write(&file, bytes).unwrap();
        file.to_str().unwrap().to_owned()
    };
    let windows = write("engine.exe", b"MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff\0\0");
    let mac = write(
        "engine-mac",
        &[
            &0xfeed_facf_u32.to_le_bytes()[..],
            &[7, 0, 0, 1, 3, 0, 0, 0, 2, 0, 0, 0],
        ]
        .concat(),
    );
    let other = write("engine-riscv", &of_another_processor());
    let notes = write("notes.txt", b"1. e4 e5\n");
    let nothing = write("nothing", b"");
    let lost = write("lost.sh", b"#!/nowhere/bin/chess\n");
    let unknown = write("unknown.sh", b"#!/usr/bin/env no-such-interpreter\n");
    let plain = write("plain.sh", ENGINE.as_bytes());
    fs::set_permissions(&plain, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
    let plain_file = |name: &str| {
        let file = write(name, b"print(1)\n");
        fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
        file
    };
    let (node, ruby, plain_text) = (
        plain_file("eng.js"),
        plain_file("eng.rb"),
        plain_file("text.txt"),
    );
    let no_line = write("empty-line", b"#!\n");
    let no_ai = built("no_ai");
    // This library has a version in its name and is not executable.
    let versioned = write("libm.so.6", &fs::read(&no_ai).unwrap());
    fs::set_permissions(
        &versioned,
        std::os::unix::fs::PermissionsExt::from_mode(0o644),
    )
    .unwrap();
    let missing = path.join("missing").to_str().unwrap().to_owned();
    let folder_path = path.to_str().unwrap().to_owned();
    let file = basic1_and("");
    let before = text(&file);
    for (words, status, part) in [
        (
            &*windows,
            1,
            "is a Windows program or DLL, not a program for Linux",
        ),
        (
            &mac,
            1,
            "is a Mach-O file for macOS, not a program for Linux",
        ),
        (&other, 1, "is a program for riscv64, but this machine is "),
        (&notes, 1, "is "),
        (&nothing, 1, "is empty, not a program for Linux"),
        (
            &lost,
            1,
            "needs the interpreter /nowhere/bin/chess, which can't be read: there is no such file",
        ),
        (
            &unknown,
            1,
            "needs the interpreter 'no-such-interpreter', which is not in PATH",
        ),
        (&plain, 1, "is not executable (mode 644); chmod a+rx it"),
        (no_ai.to_str().unwrap(), 1, "libno_ai"),
        (
            &versioned,
            1,
            "libm.so.6: the library is not an AI for Rookery: it has no note",
        ),
        (&missing, 1, "there is no such file"),
        (
            &folder_path,
            1,
            "is a folder, expected a file; name the program or the script in it",
        ),
        (
            &node,
            1,
            "has no line such as #!/usr/bin/env node; put its interpreter before it, as in \
             -- node /",
        ),
        (&ruby, 1, "as in -- ruby /"),
        (&plain_text, 1, "text.txt is text, not a program for Linux"),
        (&no_line, 1, "names no interpreter after '#!'"),
        (
            "no-such-engine",
            1,
            "the program 'no-such-engine' is neither in PATH nor in /usr/games",
        ),
        ("", 1, ""),
    ] {
        let message = refused(&file, &[words]).error_output(status);
        assert!(message.contains(part), "{words}: {message}");
    }
    assert_eq!(text(&file), before);
}

#[test]
fn explains_wrong_arguments() {
    let (_folder, engine) = engine();
    let engine = engine.to_str().unwrap();
    let file = basic1_and("");
    refused(&file, &[]).error_output(2);
    refused(&file, &[engine, "--", engine]).error_output(2);
    refused(&file, &["--", "python3", "nothere.py"])
        .fails_with(1, &["/nothere.py can't be read: there is no such file"]);
    refused(&file, &[engine, "--id", "Not An Id"])
        .fails_with(2, &["'Not An Id' is not a valid id; expected 1 to 64 of"]);
    refused(&file, &[engine, "--allow-read", "/nowhere/x"])
        .fails_with(2, &["cannot grant /nowhere/x"]);
    let message = refused(&file, &[engine, "--option", "no_such=1"]);
    assert_eq!(message.status, Some(1));
    assert!(
        message.stderr.contains("declares no option 'no_such'"),
        "{}",
        message.stderr
    );
    // A file with errors is not changed.
    let broken = text(&file) + "\n[ai.other]\nlibrary = \"nowhere\"\n";
    fs::write(file.path(), &broken).unwrap();
    refused(&file, &[engine]).fails_with(
        2,
        &["the library \"nowhere\" of the AI `other` was not found"],
    );
    fs::write(file.path(), "ai = ").unwrap();
    refused(&file, &[engine]).error_output(2);
}

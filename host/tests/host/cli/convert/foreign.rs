//! Games read by `rookery convert` and by python-chess.

use std::{path::Path, process::Command};

use crate::support::{python_with_tools, rookery};

/// `make compare` compares the files in any folder.
#[test]
fn reads_files_like_python_chess() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tools/fuzz/compare.py");
    let mut comparison = Command::new(python_with_tools());
    let output = comparison
        .arg(script)
        .arg("--rookery")
        .arg(rookery())
        .arg("--self-test")
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}

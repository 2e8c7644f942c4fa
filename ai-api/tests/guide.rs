//! The guide for authors: its C compiles without warnings. Its Rust is a doc test.
#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use std::{
    io::Write,
    process::{Command, Stdio},
};

const GUIDE: &str = include_str!("../../docs/writing-an-ai.md");

fn blocks(language: &str) -> impl Iterator<Item = &'static str> {
    let begin = format!("```{language}\n");
    let blocks: Vec<_> = GUIDE.split(begin.as_str()).skip(1).collect();
    blocks.into_iter().map(|rest| rest.split_once("\n```").unwrap().0)
}

#[test]
fn c_of_the_guide_compiles() {
    let mut count = 0;
    for block in blocks("c") {
        let include = concat!(env!("CARGO_MANIFEST_DIR"), "/include");
        let mut compiler = Command::new("cc")
            .args(["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "-I", include])
            .args(["-x", "c", "-"])
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        compiler.stdin.take().unwrap().write_all(format!("{block}\n").as_bytes()).unwrap();
        let output = compiler.wait_with_output().unwrap();
        assert!(output.status.success(), "{}\n{block}", String::from_utf8_lossy(&output.stderr));
        count += 1;
    }
    assert_eq!(count, 2);
}

#[test]
fn rules_of_the_guide_are_numbered_consecutively() {
    let numbers: Vec<u32> =
        GUIDE.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" |")?.0.parse().ok()).collect();
    assert!(numbers.len() >= 20 && numbers.iter().copied().eq(1..=numbers.len() as u32), "{numbers:?}");
}

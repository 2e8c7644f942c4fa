//! Checks the guide for authors. Doc tests compile its Rust code, and a unit test its C code.

const GUIDE: &str = include_str!("../../docs/ai-cookbook.md");

#[test]
fn guide_rules_are_numbered_consecutively() {
    let numbers: Vec<u32> = GUIDE
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split_once(" |")?.0.parse().ok())
        .collect();
    assert!(
        numbers.len() >= 20 && numbers.iter().copied().eq(1..=numbers.len() as u32),
        "{numbers:?}"
    );
}

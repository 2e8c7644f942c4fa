//! Tests of the candidates' counts.

use super::*;

#[test]
fn the_counts_of_a_version_are_replaced_and_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let kept = |ai: &str, versions: &str| store.reader().rollout(ai, versions).unwrap();
    assert_eq!(kept("bob", "1 2"), None);
    store.keep_rollout("bob", "1 2", "{}").unwrap();
    store.keep_rollout("ann", "1 2", "[]").unwrap();
    assert_eq!(kept("bob", "1 2").as_deref(), Some("{}"));
    store.keep_rollout("bob", "1 3", "[1]").unwrap();
    assert_eq!(
        (kept("bob", "1 2"), kept("bob", "1 3")),
        (None, Some("[1]".to_owned()))
    );
    store.forget_rollouts_but(&["ann"]).unwrap();
    assert_eq!(
        (kept("bob", "1 3"), kept("ann", "1 2")),
        (None, Some("[]".to_owned()))
    );
}

#[test]
fn a_full_file_accepts_no_counts() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("arena.db"), TIME_CONTROL, 1).unwrap();
    let error = store.keep_rollout("bob", "1 2", "{}").unwrap_err();
    assert!(matches!(error.fault, StoreFault::MaxSize(_)), "{error}");
    store.forget_rollouts_but(&[]).unwrap();
}

//! A file that begins like a table but has other content makes `pyrrhic-rs` panic. This test runs
//! in its own process, because the prober cannot map further tables after its panic.

use std::fs;

use ai_tablebase::Tablebases;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/syzygy");

#[test]
fn a_table_with_other_content_has_no_result() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["KQvK.rtbw", "KQvK.rtbz"] {
        let mut bytes = fs::read(format!("{DATA}/{name}")).unwrap();
        // A table without pieces.
        bytes[5..].fill(0);
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    let tables = Tablebases::open(&[folder.path()], 64 << 20).unwrap();
    let queen = rules::parse_fen("8/8/8/8/8/2k5/8/K6Q w - - 0 1").unwrap();
    assert!(tables.covers(&queen), "it looks complete");
    for _ in 0..2 {
        assert_eq!(
            (tables.probe_wdl(&queen), tables.probe_root(&queen)),
            (None, None)
        );
    }
}

//! Stockfish passes the checks.

use super::{examine, verdicts};

#[test]
fn a_uci_engine_passes_with_allow_exec() {
    let groups = "load manifest options.declared moves.castling limits stop.answers threads rest".split(' ');
    let only: Vec<_> = groups.flat_map(|group| ["--only", group]).collect();
    let engine = ["--option", "command=/usr/games/stockfish"];
    let granted = examine(
        "ai_uci",
        &[&only[..], &engine, &["--allow-exec", "/usr/games/stockfish", "--json"]].concat(),
    );
    assert_eq!(granted.status, Some(0), "{}", granted.stdout);
    let skipped: Vec<_> = verdicts(&granted)
        .into_iter()
        .filter(|(_, verdict)| verdict == "skipped")
        .map(|(name, _)| name)
        .collect();
    assert_eq!(skipped, ["manifest.note"], "{}", granted.stdout);

    let rejected = examine("ai_uci", &[&["--only", "load.starts"][..], &engine].concat());
    assert_eq!(rejected.status, Some(1), "{}", rejected.stdout);
    assert!(rejected.stdout.contains("grant it with allow_exec ="), "{}", rejected.stdout);
    let nowhere = examine("ai_uci", &["--allow-exec", "/nowhere"]).error_output(2);
    assert!(nowhere.starts_with("error: cannot grant /nowhere: can't be read"), "{nowhere}");
}

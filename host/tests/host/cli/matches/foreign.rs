//! A gauntlet against Stockfish's levels.

use serde_json::Value;

use super::{play, players};
use crate::support::assert_has;

#[test]
fn a_gauntlet_rates_an_ai_against_its_opponents() {
    let file = players(&[]);
    // After so few moves all games are drawn, so the rating is the mean of the opponents' ratings:
    // 1363 and 1612 on CCRL Blitz.
    let arguments = "full --gauntlet --steps 1400,1600 --games 2 --nodes 50 --max-moves 8 --draw \
        off --resign off";
    let text = play(&file, arguments);
    assert_eq!(text.status, Some(0), "{}", text.stderr);
    assert!(
        text.last_line().starts_with("full: 1488 ± "),
        "{}",
        text.stdout
    );
    assert_has(
        text.last_line(),
        &[
            " Elo (95 %) on CCRL Blitz, 1506 ± ",
            "on UCI_Elo",
            "from 2 anchors",
        ],
    );
    assert_has(
        &text.stdout,
        &[
            "uci_elo=1400: 1363, implies 1363 ± ",
            "uci_elo=1600: 1612, implies 1612 ± ",
        ],
    );
    let outcome = play(&file, &format!("{arguments} --json"));
    let reply: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(reply["games"], 4, "{reply}");
    let opponents: Vec<_> = reply["encounters"]
        .as_array()
        .unwrap()
        .iter()
        .map(|met| &met["second"])
        .collect();
    for (opponent, step) in opponents.iter().zip(["uci_elo=1400", "uci_elo=1600"]) {
        assert!(opponent.as_str().unwrap().ends_with(step), "{opponent}");
    }
    let anchors = reply["gauntlet"]["anchors"].as_array().unwrap();
    assert!(
        anchors.iter().all(|anchor| anchor["source"] == "uci_elo"),
        "{reply}"
    );
}

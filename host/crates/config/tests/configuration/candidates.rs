//! `candidate`, `shadow` and `canary` of `[ai.ID]`, and `canary` of `[client.ID]`.

use config::{CanaryChoice, TrafficShare};

use crate::support::{check, loaded};

const LIBRARY: &str = "library = '../lib/libai_uci.so'";

#[test]
fn reads_a_candidate_and_its_shares() {
    let (_folder, config) = loaded(&format!(
        "[ai.bob]\n{LIBRARY}\ncandidate = 'bob_2'\nshadow = '10%'\ncanary = '0.5%'\n\
         [ai.bob_2]\n{LIBRARY}\n[client.default]\nai = 'bob'\n\
         [client.ann]\nai = 'bob'\ncanary = 'always'\n\
         [client.eve]\nai = 'bob'\nallowed_ais = ['bob', 'bob_2']\ncanary = 'never'\n"
    ));
    let rollout = &config.ais["bob"].rollout;
    assert_eq!(rollout.id.as_deref(), Some("bob_2"));
    assert_eq!(
        (rollout.shadow, rollout.canary.ratio()),
        (TrafficShare::percent(10), 0.005)
    );
    assert_eq!(rollout.canary.to_string(), "0.5%");
    assert!(config.is_candidate("bob_2") && !config.is_candidate("bob"));
    let choices = ["default", "ann", "eve"].map(|id| config.clients[id].canary);
    assert_eq!(
        choices,
        [
            CanaryChoice::Share,
            CanaryChoice::Always,
            CanaryChoice::Never
        ]
    );
    let may_name = ["default", "eve"].map(|id| config.lets_name(&config.clients[id], "bob_2"));
    assert_eq!(may_name, [false, true]);
    assert!(config.lets_name(&config.clients["default"], "bob"));
}

#[test]
fn a_share_covers_its_part_of_the_hashes() {
    assert!(!TrafficShare::NONE.has(0) && TrafficShare::percent(100).has(u64::MAX));
    let fifth = TrafficShare::percent(20);
    assert!(fifth.has(u64::MAX / 5 - 1) && !fifth.has(u64::MAX / 5 + 1));
}

#[test]
fn rejects_chains_cycles_and_missing_candidates() {
    check(
        &format!(
            "[ai.a]\n{LIBRARY}\ncandidate = 'b'\n[ai.b]\n{LIBRARY}\ncandidate = 'a'\n\
             [ai.itself]\n{LIBRARY}\ncandidate = 'itself'\n\
             [ai.lost]\n{LIBRARY}\ncandidate = 'goo'\n\
             [ai.good]\n{LIBRARY}\nshadow = '1%'\ncanary = '1%'\n"
        ),
        r"
error: `ai.a.candidate` names the AI `b`, which has its own candidate
--> 3:13 'b'
= allowed: the ID of another AI that has an [ai.ID] and no `candidate` (default: none)

error: `ai.b.candidate` names the AI `a`, which has its own candidate
--> 6:13 'a'
= allowed: the ID of another AI that has an [ai.ID] and no `candidate` (default: none)

error: `ai.itself.candidate` names the AI itself
--> 9:13 'itself'
= allowed: the ID of another AI that has an [ai.ID] and no `candidate` (default: none)

error: `ai.lost.candidate` names the AI `goo`, which is not configured
--> 12:13 'goo'
= allowed: a, b, good, itself, lost
= did you mean `good`?

error: `ai.good.shadow` is 1%, but [ai.good] has no candidate
--> 15:10 '1%'
= allowed: a share only if `candidate` is set

error: `ai.good.canary` is 1%, but [ai.good] has no candidate
--> 16:10 '1%'
= allowed: a share only if `candidate` is set
",
    );
}

#[test]
fn rejects_invalid_shares() {
    check(
        &format!(
            "[ai.a]\n{LIBRARY}\ncandidate = 'b'\nshadow = '101%'\ncanary = '5'\n[ai.b]\n{LIBRARY}\n\
             [client.x]\nai = 'a'\ncanary = '5%'\n"
        ),
        r#"
error: `ai.a.shadow` is "101%"
--> 4:10 '101%'
= allowed: a share from "0%" to "100%", such as "5%" or "0.5%" (default: "0%")

error: `ai.a.canary` is "5"
--> 5:10 '5'
= allowed: a share from "0%" to "100%", such as "5%" or "0.5%" (default: "0%")

error: `client.x.canary` is "5%"
--> 10:10 '5%'
= allowed: "share", "always" or "never" (default: "share")
"#,
    );
}

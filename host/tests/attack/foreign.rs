//! Hostile nodes and servers of a fleet. NATS restricts their credentials to what `rookery fleet
//! permissions` prints. The tests need a NATS server, which `make test-all` installs.

mod fleet;
mod hostile_node;
mod hostile_player;
mod hostile_server;
mod storm;

#[test]
fn every_promise_of_a_fleet_holds_against_its_attacks() {
    crate::assert_holds(
        [
            hostile_node::ATTACKS,
            hostile_server::ATTACKS,
            hostile_player::ATTACKS,
            storm::ATTACKS,
        ]
        .concat(),
        "attack-fleet.md",
    );
}

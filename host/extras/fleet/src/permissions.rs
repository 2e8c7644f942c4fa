//! The permissions for a node and for a server, as nats-server's configuration has them.

use crate::subjects;

/// Returns the block of a user who may be only this node: what it publishes names it.
pub fn permissions_of_node(name: &str) -> String {
    let published = subjects::announcement(name).replace("announcement", ">");
    block(
        &[&published],
        &[
            &subjects::orders(name, "*"),
            &subjects::announcement(name),
            subjects::PRESENCES,
        ],
    )
}

/// Returns the block of a user who may be only this server: what it publishes names it, and it
/// hears no replies to others.
pub fn permissions_of_server(name: &str) -> String {
    block(
        &[&subjects::orders("*", name), &subjects::presence(name)],
        &[subjects::ANNOUNCEMENTS, &subjects::replies("*", name)],
    )
}

fn block(publish: &[&str], subscribe: &[&str]) -> String {
    let list = |subjects: &[&str]| {
        subjects
            .iter()
            .map(|subject| format!("\"{subject}\""))
            .collect::<Vec<_>>()
            .join(", ")
    };
    format!(
        "permissions {{\n  publish = [{}]\n  subscribe = [{}]\n}}",
        list(publish),
        list(subscribe)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allows_a_node_to_publish_under_its_name_alone() {
        let expected = r#"permissions {
  publish = ["rookery.v1.node.big.>"]
  subscribe = ["rookery.v1.orders.big.*", "rookery.v1.node.big.announcement", "rookery.v1.gateway.*"]
}"#;
        assert_eq!(permissions_of_node("big"), expected);
    }

    #[test]
    fn allows_a_server_its_own_orders_and_replies_alone() {
        let expected = r#"permissions {
  publish = ["rookery.v1.orders.*.web", "rookery.v1.gateway.web"]
  subscribe = ["rookery.v1.node.*.announcement", "rookery.v1.node.*.to.web"]
}"#;
        assert_eq!(permissions_of_server("web"), expected);
    }
}

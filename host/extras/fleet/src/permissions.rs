//! The permissions for a node and for a server, as nats-server's configuration has them.

use std::fmt;

use crate::subjects;

/// What NATS allows a user. Its text is the block in nats-server's configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permissions {
    pub publish: Vec<String>,
    pub subscribe: Vec<String>,
    /// Whether the user may answer the requests that it receives.
    pub responds: bool,
}

/// Returns what allows a user to be only this node: what it publishes names it.
pub fn permissions_of_node(name: &str) -> Permissions {
    let published = subjects::announcement(name).replace("announcement", ">");
    Permissions {
        publish: vec![published],
        subscribe: vec![
            subjects::orders(name, "*"),
            subjects::announcement(name),
            subjects::PRESENCES.to_owned(),
        ],
        responds: false,
    }
}

/// Returns what allows a user to be only this server: what it publishes names it, and it hears no
/// replies to others.
pub fn permissions_of_server(name: &str) -> Permissions {
    Permissions {
        publish: vec![subjects::orders("*", name), subjects::presence(name)],
        subscribe: vec![
            subjects::ANNOUNCEMENTS.to_owned(),
            subjects::replies("*", name),
        ],
        responds: false,
    }
}

impl Permissions {
    /// Returns these and others.
    #[must_use]
    pub fn with(mut self, other: Self) -> Self {
        self.publish.extend(other.publish);
        self.subscribe.extend(other.subscribe);
        self.responds |= other.responds;
        self
    }
}

impl fmt::Display for Permissions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |subjects: &[String]| {
            subjects
                .iter()
                .map(|subject| format!("\"{subject}\""))
                .collect::<Vec<_>>()
                .join(", ")
        };
        write!(
            f,
            "permissions {{\n  publish = [{}]\n  subscribe = [{}]\n",
            list(&self.publish),
            list(&self.subscribe)
        )?;
        if self.responds {
            f.write_str("  allow_responses = true\n")?;
        }
        f.write_str("}")
    }
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
        assert_eq!(permissions_of_node("big").to_string(), expected);
    }

    #[test]
    fn allows_a_server_its_own_orders_and_replies_alone() {
        let expected = r#"permissions {
  publish = ["rookery.v1.orders.*.web", "rookery.v1.gateway.web"]
  subscribe = ["rookery.v1.node.*.announcement", "rookery.v1.node.*.to.web"]
}"#;
        assert_eq!(permissions_of_server("web").to_string(), expected);
    }
}

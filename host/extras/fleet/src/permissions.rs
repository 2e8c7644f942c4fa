//! The permissions of nodes and servers, in the format of nats-server's configuration.

use std::fmt;

use crate::subjects;

/// The permissions of a NATS user. They are displayed as a block of nats-server's configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permissions {
    pub publish: Vec<String>,
    pub subscribe: Vec<String>,
    /// Whether the user may answer the requests that it receives.
    pub responds: bool,
}

/// Returns the permissions that let a user act only as this node: it may publish only on subjects
/// that contain its name.
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

/// Returns the permissions that let a user act only as this server: it may publish only on subjects
/// that contain its name, and it cannot read replies to others.
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
    /// Returns these permissions combined with others.
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
    fn allows_a_node_to_publish_only_under_its_name() {
        let expected = r#"permissions {
  publish = ["rookery.v1.node.big.>"]
  subscribe = ["rookery.v1.orders.big.*", "rookery.v1.node.big.announcement", "rookery.v1.gateway.*"]
}"#;
        assert_eq!(permissions_of_node("big").to_string(), expected);
    }

    #[test]
    fn allows_a_server_only_its_own_orders_and_replies() {
        let expected = r#"permissions {
  publish = ["rookery.v1.orders.*.web", "rookery.v1.gateway.web"]
  subscribe = ["rookery.v1.node.*.announcement", "rookery.v1.node.*.to.web"]
}"#;
        assert_eq!(permissions_of_server("web").to_string(), expected);
    }
}

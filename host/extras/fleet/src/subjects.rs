//! The subjects of the messages.
//!
//! A node publishes only below `rookery.v1.node.NAME`, and a server only on subjects that end with
//! its name. NATS checks their credentials, so a subject identifies its sender.

use crate::settings::is_node_name;

/// The subject of all announcements.
pub(crate) const ANNOUNCEMENTS: &str = "rookery.v1.node.*.announcement";
/// The subject of all servers' presence messages.
pub(crate) const PRESENCES: &str = "rookery.v1.gateway.*";

/// Returns the subject of a node's announcements.
pub(crate) fn announcement(node: &str) -> String {
    format!("rookery.v1.node.{node}.announcement")
}

/// Returns the subject of a server's orders to a node. They share one subject, so that they stay in
/// order.
pub(crate) fn orders(node: &str, server: &str) -> String {
    format!("rookery.v1.orders.{node}.{server}")
}

/// Returns the subject of a node's replies to a server.
pub(crate) fn replies(node: &str, server: &str) -> String {
    format!("rookery.v1.node.{node}.to.{server}")
}

pub(crate) fn presence(server: &str) -> String {
    format!("rookery.v1.gateway.{server}")
}

/// Returns the name of the node that published on a subject, if the name is valid.
pub fn node_of(subject: &str) -> Option<&str> {
    subject
        .strip_prefix("rookery.v1.node.")?
        .split('.')
        .next()
        .filter(|name| is_node_name(name))
}

pub(crate) fn is_announcement(subject: &str) -> bool {
    subject.ends_with(".announcement")
}

/// Returns the name of the server that published its presence or orders on a subject, if the name
/// is valid.
pub(crate) fn server_of(subject: &str) -> Option<&str> {
    subject.rsplit('.').next().filter(|name| is_node_name(name))
}

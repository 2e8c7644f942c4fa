//! The subjects of the messages.
//!
//! A node publishes below `rookery.v1.node.NAME` alone, so that its credentials, which the server checks, are its identity.

use std::fmt::Display;

/// All announcements.
pub(crate) const ANNOUNCEMENTS: &str = "rookery.v1.node.*.announcement";
/// The presence of all gateways.
pub(crate) const PRESENCES: &str = "rookery.v1.gateway.*";

/// What a node announces.
pub(crate) fn announcement(node: &str) -> String {
    format!("rookery.v1.node.{node}.announcement")
}

/// The orders for a node, on one subject, so that they keep their order.
pub(crate) fn orders(node: &str) -> String {
    format!("rookery.v1.orders.{node}")
}

/// The replies of a node to a gateway.
pub(crate) fn replies(node: &str, gateway: &impl Display) -> String {
    format!("rookery.v1.node.{node}.to.{gateway}")
}

/// The replies of all nodes to a gateway.
pub(crate) fn all_replies(gateway: &impl Display) -> String {
    format!("rookery.v1.node.*.to.{gateway}")
}

pub(crate) fn presence(gateway: &impl Display) -> String {
    format!("rookery.v1.gateway.{gateway}")
}

/// Returns the name of the node that published on a subject.
pub(crate) fn node_of(subject: &str) -> Option<&str> {
    subject.strip_prefix("rookery.v1.node.")?.split('.').next()
}

//! The fleet: AIs on other machines, over NATS.
//!
//! A node offers its AIs. A gateway adds their slots to its server's pools. Core NATS carries the
//! messages; nothing is stored.

mod connection;
mod gateway;
mod metrics;
mod nats_address;
mod node;
mod observe;
mod permissions;
mod settings;
mod status;
mod subjects;
mod wire;

pub use connection::{FleetError, Message, NatsConnection, Subscriber, next};
pub use gateway::Gateway;
pub use nats_address::{NatsAddress, ParseNatsAddressError};
pub use node::Node;
pub use observe::observe;
pub use permissions::{Permissions, permissions_of_node, permissions_of_server};
pub use settings::{FleetMatchSettings, FleetSettings, NODE_NAME_ALLOWED, is_node_name};
pub use status::{FleetStatus, NodeAi, NodeState, NodeStatus};
pub use subjects::node_of;
pub use wire::{Id, MAX_MESSAGE_BYTES, WireError, decode, encode};

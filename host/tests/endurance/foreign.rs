//! Tests with programs of others, which `make test-all` installs: replicas need HAProxy, the fleet
//! needs NATS.

mod balancer;
mod fleet;
mod node;
mod proxy;
mod replicas;

//! Tests with third-party programs, which `make test-all` installs: replicas need HAProxy, the
//! fleet needs NATS.

mod balancer;
mod fleet;
mod node;
mod proxy;
mod replicas;

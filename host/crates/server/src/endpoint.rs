//! A call with what answers it over HTTP.

use actix_web::{Route, http::Method};
use api::call::{Call, Verb};

/// A call and its route.
#[derive(Clone, Copy, Debug)]
pub struct Endpoint {
    pub call: Call,
    pub route: fn() -> Route,
}

impl Endpoint {
    pub const fn method(&self) -> Method {
        match self.call.method {
            Verb::Get => Method::GET,
            Verb::Post => Method::POST,
            Verb::Delete => Method::DELETE,
        }
    }
}

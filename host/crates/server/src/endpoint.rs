//! A call and the route that answers it.

use actix_web::{Route, http::Method};
use api::call::{Call, Verb};

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

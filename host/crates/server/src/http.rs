//! HTTP beside the calls: middleware, clients, bodies, replies, headers and static files.

pub(crate) mod accept;
pub(crate) mod allowed_host;
pub(crate) mod body;
pub(crate) mod client;
pub(crate) mod cors;
pub(crate) mod explained;
pub(crate) mod query;
pub(crate) mod receive;
pub(crate) mod reply;
pub(crate) mod request_log;
pub(crate) mod resource;
pub(crate) mod security_headers;
pub(crate) mod served_request;
pub(crate) mod static_files;
pub mod strict_json;
pub(crate) mod tagged;

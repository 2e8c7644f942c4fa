//! HTTP apart from the calls: middleware, clients, bodies, replies, headers and static files.

pub mod accept;
pub mod allowed_host;
pub mod body;
pub mod client;
pub mod compression;
pub mod cors;
pub mod cross_site;
pub mod problem;
pub mod query;
pub mod receive;
pub mod reply;
pub mod request_log;
pub mod resource;
pub mod security_headers;
pub mod served_request;
pub mod static_files;
pub mod tagged;

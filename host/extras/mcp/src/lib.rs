//! Tools for assistants over the Model Context Protocol: `POST /mcp` and `rookery mcp`. Each tool
//! accepts the form of an API call and runs the call's function.

mod assistant;
mod endpoint;
mod job;
mod picture;
mod schema;
mod settings;
mod stdio;
mod text;
mod tools;

pub use endpoint::route;
pub use settings::McpSettings;
pub use stdio::{StdioError, serve_stdio};

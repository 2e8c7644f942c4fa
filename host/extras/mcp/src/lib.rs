//! Tools for assistants over the Model Context Protocol: `POST /mcp` and `rookery mcp`. A tool
//! takes the form of a call and runs its function.

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

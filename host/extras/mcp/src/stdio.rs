//! The protocol over standard input and output, for an assistant that starts the program.

use std::sync::Arc;

use rmcp::{
    serve_server,
    service::ServerInitializeError,
    transport::{async_rw::AsyncRwTransport, io::stdio},
};
use tokio::task::JoinError;

use crate::{assistant::Assistant, job::run_during, tools::ToolSession};
use game::{Client, GameService};
use server::state::{server_state::ServerState, snapshot::Snapshot};

/// Why the protocol ended before the end of standard input.
#[derive(Debug, thiserror::Error)]
pub enum StdioError {
    #[error("the assistant's first message is invalid: {0}")]
    Start(#[from] Box<ServerInitializeError>),
    #[error("a task failed: {0}")]
    Task(#[from] JoinError),
}

/// Serves the tools to the assistant over standard input and output, as this client, until standard
/// input ends.
///
/// # Errors
/// The first message is invalid, or a task failed.
pub async fn serve_stdio(service: Arc<GameService>, client: Client) -> Result<(), StdioError> {
    let max_line_bytes = service.config().server.max_body_bytes;
    let state = ServerState::new(service);
    let session = ToolSession::new(&state, Snapshot::current(&state), client);
    let (input, output) = stdio();
    let transport =
        AsyncRwTransport::new_server(input, output).with_max_line_length(max_line_bytes);
    let (assistant, jobs) = Assistant::new();
    let serving = async {
        let running = serve_server(assistant, transport).await.map_err(Box::new)?;
        running.waiting().await?;
        Ok(())
    };
    run_during(Box::pin(serving), &session, jobs).await
}

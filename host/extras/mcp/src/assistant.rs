//! The protocol's server: its capabilities, and the tool that a message calls.

use rmcp::{
    RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, ErrorData, Implementation,
        ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
        ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ServerCapabilities,
        ServerConfig, Tool as ListedTool,
    },
    service::RequestContext,
};
use text::printable;
use tokio::sync::{mpsc, oneshot};

use crate::{
    job::ToolJob,
    picture,
    tools::{LISTED, TOOLS},
};

/// The text that a language model reads first.
const INSTRUCTIONS: &str = "Rookery checks every move of a chess game, so use it instead of your \
    memory of the board. Pass the whole game each time: {\"game\": {\"moves\": [\"e2e4\", \
    \"e7e5\"]}} in UCI, {\"game\": {\"san\": [\"e4\", \"e5\"]}}, {\"game\": {\"pgn\": \"…\"}}, or \
    a position as {\"game\": {\"fen\": \"…\"}}. Scores are White's. An error says which move is \
    wrong and why. To say why a move is good or bad, use only the claims of `why` or `report`. \
    Don't add reasons of your own.";

/// The protocol's server. Its tools run in the request's task, which holds the other end of the
/// channel.
#[derive(Clone)]
pub(crate) struct Assistant {
    jobs: mpsc::Sender<ToolJob>,
}

impl Assistant {
    /// Creates the server, and its job channel for [`run_during`](crate::job::run_during).
    pub(crate) fn new() -> (Self, mpsc::Receiver<ToolJob>) {
        let (jobs, receiver) = mpsc::channel(1);
        (Self { jobs }, receiver)
    }
}

impl ServerHandler for Assistant {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(
                Implementation::new("rookery", env!("CARGO_PKG_VERSION")).with_title("Rookery"),
            )
            .with_instructions(INSTRUCTIONS)
    }

    fn get_tool(&self, name: &str) -> Option<ListedTool> {
        LISTED.iter().find(|tool| tool.name == name).cloned()
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(LISTED.clone()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = TOOLS.iter().find(|tool| tool.name == request.name) else {
            let found = printable(&request.name);
            let known: Vec<_> = TOOLS.iter().map(|tool| tool.name).collect();
            let detail = format!(
                "there is no tool '{found}'; the tools are {}",
                known.join(", ")
            );
            return Err(ErrorData::invalid_params(detail, None));
        };
        let arguments = serde_json::to_vec(&request.arguments.unwrap_or_default())
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        let ended = || ErrorData::internal_error("the call was cancelled", None);
        let (reply, answer) = oneshot::channel();
        let asking = async {
            self.jobs
                .send(ToolJob {
                    tool,
                    arguments,
                    reply,
                })
                .await
                .ok()?;
            answer.await.ok()
        };
        tokio::select! {
            result = asking => Ok(result.ok_or_else(ended)?.into()),
            // This drops the receiver, which ends the job.
            () = context.ct.cancelled() => Err(ended()),
        }
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(vec![picture::of(None)]))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(vec![
            picture::template(),
        ]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        Ok(ReadResourceResult::new(vec![picture::read(&request.uri)?]).into())
    }
}

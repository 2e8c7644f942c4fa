//! Runs the tools that the protocol calls.

use std::pin::pin;

use futures_util::{StreamExt as _, stream::FuturesUnordered};
use rmcp::model::{CallToolResult, ContentBlock};
use tokio::sync::{mpsc, oneshot};

use crate::{
    picture, text,
    tools::{Tool, ToolSession},
};
use pool::RequestScope;
use protocol::RequestId;

/// The maximum number of concurrent calls. Others wait.
const MAX_RUNNING: usize = 64;

/// A tool call.
pub(crate) struct ToolJob {
    pub(crate) tool: &'static Tool,
    /// In JSON.
    pub(crate) arguments: Vec<u8>,
    /// Closed if the call is cancelled.
    pub(crate) reply: oneshot::Sender<CallToolResult>,
}

/// Serves a connection's tool calls until it ends. Dropping the future cancels them.
pub(crate) async fn run_during<T>(
    connection: impl Future<Output = T>,
    session: &ToolSession,
    mut jobs: mpsc::Receiver<ToolJob>,
) -> T {
    let mut connection = pin!(connection);
    let mut running = FuturesUnordered::new();
    loop {
        tokio::select! {
            ended = &mut connection => return ended,
            Some(job) = jobs.recv(), if running.len() < MAX_RUNNING => {
                running.push(job.run(session));
            }
            Some(()) = running.next() => {}
        }
    }
}

impl ToolJob {
    async fn run(mut self, session: &ToolSession) {
        // Over standard input, each call counts as a request.
        let scope = RequestScope::current()
            .unwrap_or_else(|| RequestScope::new(RequestId::generate(), None));
        let running = RequestScope::enter(Some(scope), call(self.tool, &self.arguments, session));
        let result = tokio::select! {
            result = running => result,
            () = self.reply.closed() => return,
        };
        // The call may have been cancelled in the meantime.
        let _ = self.reply.send(result);
    }
}

/// Calls a tool. Returns an error as a result, so that the language model can read it.
async fn call(tool: &Tool, arguments: &[u8], session: &ToolSession) -> CallToolResult {
    let reply = match (tool.run)(session, arguments).await {
        Ok(reply) => reply,
        Err(problem) => {
            session.failed.set(Some(problem.code()));
            let body = problem.record(RequestScope::current_id().as_ref());
            let body = serde_json::to_value(body).unwrap_or_default();
            return CallToolResult::error(vec![ContentBlock::text(text::problem(&body))]);
        }
    };
    let mut lines = (tool.describe)(&reply);
    let position = tool.position(session, arguments, &reply);
    if let Some(fen) = &position {
        lines.push(String::new());
        lines.extend(text::position(fen, &reply["game"]));
    }
    let picture = position.map(|fen| ContentBlock::resource_link(picture::of(Some(&fen))));
    let content = [ContentBlock::text(lines.join("\n"))]
        .into_iter()
        .chain(picture)
        .collect();
    let mut result = CallToolResult::success(content);
    result.structured_content = Some(reply);
    result
}

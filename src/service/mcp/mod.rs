//! The Model Context Protocol: offers tools to a model, through the host that connects to this
//! server.
//!
//! `rmcp` implements the protocol. Nothing is sent unasked, so an incoming message has at most one
//! response, and each message can be served by itself. This module does not know how messages
//! travel.

mod call;
mod tools;

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode, ErrorData,
    Implementation, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;

use super::Services;
use super::pool::{self, Pool};
use crate::pipeline::Deadline;

const INSTRUCTIONS: &str = "Reads back originals that were taken out of a conversation \
    (context_read), keeps what matters beyond it (memory_*), and makes texts and messages shorter \
    and whole again (compress, expand).";

/// Offers the tools to one caller, and runs them in the pool. Cheap to clone.
#[derive(Clone)]
pub struct McpHost {
    services: Services,
    pool: Pool,
    time: CallTime,
    refused: PoolRefusal,
}

/// Time limit of calls.
#[derive(Debug, Clone)]
pub enum CallTime {
    /// A limit for each call, from its arrival.
    Each(Duration),
    /// One limit for all calls of a request, which end with the request or when it is abandoned.
    Until(Deadline),
}

/// The reason why the pool did not run a call, for the owner of the host; the other side gets an
/// error of the protocol.
#[derive(Debug, Clone, Default)]
pub struct PoolRefusal(Arc<OnceLock<pool::Error>>);

impl PoolRefusal {
    pub fn why(&self) -> Option<pool::Error> {
        self.0.get().copied()
    }
}

impl fmt::Debug for McpHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").field("time", &self.time).finish_non_exhaustive()
    }
}

impl McpHost {
    pub fn new(services: Services, pool: Pool, time: CallTime) -> Self {
        Self { services, pool, time, refused: PoolRefusal::default() }
    }

    /// Returns the place in which a refusal by the pool is stored.
    pub fn refused(&self) -> PoolRefusal {
        self.refused.clone()
    }

    fn deadline(&self) -> Deadline {
        match &self.time {
            CallTime::Each(time) => Deadline::at(Instant::now() + *time),
            CallTime::Until(deadline) => deadline.clone(),
        }
    }
}

impl ServerHandler for McpHost {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("contexture", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::list(&self.services)))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let CallToolRequestParams { name, arguments, .. } = request;
        if !tools::may_call(&self.services, &name) {
            return Err(ErrorData::invalid_params(format!("unknown tool: {name}"), None));
        }
        let arguments = Value::Object(arguments.unwrap_or_default());
        let deadline = self.deadline();
        let (services, until) = (self.services.clone(), deadline.clone());
        let tool = name.clone();
        let job = move |seat| call::carry_out(&services.seated(seat), &tool, &arguments, &until);
        let tenant = &self.services.caller().tenant;
        let done = async { self.pool.admit(tenant)?.run(&deadline, job).await };
        let done = tokio::select! {
            done = done => done,
            () = context.ct.cancelled() => {
                deadline.cancel();
                return Err(internal("the call was taken back"));
            }
        };
        match done {
            Ok(Ok(said)) => Ok(said.into()),
            Ok(Err(error)) => {
                tracing::error!(%error, tool = &*name, "a tool of the MCP server failed");
                Err(internal("the server could not do it"))
            }
            Err(error) => {
                // If an owner reads this, its requests have one call each.
                let _ = self.refused.0.set(error);
                Err(internal(&error.to_string()))
            }
        }
    }

    /// A request with the name of a method but not its members comes here too.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        if request.method == "tools/call" {
            let detail = "`name` must be a string and `arguments` an object";
            return Err(ErrorData::invalid_params(detail, None));
        }
        let detail = format!("there is no method {}", request.method);
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, detail, None))
    }
}

fn internal(detail: &str) -> ErrorData {
    ErrorData::internal_error(detail.to_owned(), None)
}

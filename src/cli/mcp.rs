//! `contexture mcp`: the Model Context Protocol over standard input and output, one message for
//! each line.

use std::io::{self, IsTerminal as _};
use std::thread;
use std::time::Duration;

use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use rmcp::transport::stdio;

use super::CommandError;
use super::store::StoreLocation;
use super::terminal::Terminal;
use crate::server;
use crate::service::mcp::{CallTime, McpHost};
use crate::service::pool::Pool;

/// Time that one call may take.
const CALL_TIMEOUT: Duration = Duration::from_mins(1);

#[derive(Debug, clap::Args)]
pub(super) struct McpArgs {
    #[command(flatten)]
    place: StoreLocation,
}

/// Serves requests until the input ends.
pub(super) fn run(args: &McpArgs, terminal: Terminal) -> Result<(), CommandError> {
    if io::stdin().is_terminal() {
        terminal.note(
            "waiting for MCP on standard input, as hosts write it that start this command; Ctrl-D ends it. A \
             running server speaks it at /mcp",
        );
    }
    let services = server::services_beside(&args.place.database_url)?;
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let host = McpHost::new(services, Pool::new(threads), CallTime::Each(CALL_TIMEOUT));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ended = runtime.block_on(async {
        match host.serve(stdio()).await {
            Ok(serving) => Ok(serving.waiting().await.map(drop)?),
            // A host that only checks whether the program starts.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(error.into()),
        }
    });
    // A pending read of the input must not keep the process alive.
    runtime.shutdown_background();
    ended
}

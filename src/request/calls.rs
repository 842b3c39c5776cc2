//! The body of `POST /tools/calls`.

use std::sync::Arc;

use super::memory::read_named_scope;
use super::options::reader::read_allowed_keys;
use super::tools::ToolOptions;
use crate::domain::{MemoryScope, Notes, Source, ToolDefinition};
use crate::json::{Fault, Faults, Fields, Node, Path};
use crate::provider;

/// Calls of one message.
const MAX_CALLS: usize = 256;

/// The calls of one assistant message, and what a model may write.
#[derive(Debug)]
pub struct CallsRequest<'r> {
    /// As the provider gave them.
    pub calls: &'r [Node<'r>],
    pub source: Option<Source>,
    pub session_id: Option<Arc<str>>,
    /// The scope that the calls write to, if the request names one.
    pub scope: Option<MemoryScope>,
    /// Any key if there is no list.
    pub allowed_keys: Option<Vec<Arc<str>>>,
    pub tools: Vec<ToolDefinition>,
    pub options: ToolOptions,
    /// Whether tools were given.
    pub knows_tools: bool,
}

/// Reads it.
pub fn read_calls<'r>(body: &'r Node<'r>) -> Result<CallsRequest<'r>, Vec<Fault>> {
    let mut faults = Faults::default();
    let known = &["calls", "source", "session_id", "scope", "allowed_keys", "tools"];
    let Some(fields) = Fields::read(body, Path::Root, known, &mut faults) else {
        return Err(faults.into_vec());
    };
    if fields.get("calls").is_none() {
        fields.fault("calls", "is missing", &mut faults);
    }
    let mut notes = Notes::default();
    let place = fields.path().key("tools");
    let tools = fields.get("tools");
    let list = tools.map(|tools| provider::read_tools(tools, &place, &mut faults, &mut notes));
    // Targets without groups were shown the functions of each group under their full names.
    let list = provider::with_namespace_functions(list.unwrap_or_default());
    let options = ToolOptions::read(&fields, &list, &mut faults, &mut notes);
    let request = CallsRequest {
        calls: fields.list("calls", MAX_CALLS, &mut faults),
        source: fields.choice("source", Source::WORDS, &mut faults),
        session_id: super::read_session_id(&fields, "session_id", &mut faults),
        scope: read_named_scope(&fields, &mut faults),
        allowed_keys: read_allowed_keys(&fields, &mut faults),
        tools: list,
        options,
        knows_tools: tools.is_some(),
    };
    if faults.is_empty() { Ok(request) } else { Err(faults.into_vec()) }
}

//! Edits the requests that go through the gateway.
//!
//! Each text is decided once, when it is among the newest of its list: it takes its form on arrival,
//! or stays as it came. The decision is known by the text's place
//! ([`crate::gateway::LineageHash`]), is stored before it is sent, and is repeated in every later
//! request, so that no byte before the newest messages changes. What cannot be decided stays as it
//! came, and that is its decision.

mod cache;
mod calibration;
mod decide;
mod exchange;
mod fit;
mod forms;
mod guards;
mod journal;
mod known_blocks;
mod lineage;
mod points;
mod report;
mod sent;
mod sent_forms;
mod session;
mod session_mode;

use std::collections::BTreeSet;
use std::sync::Arc;

pub(super) use self::cache::DecisionCache;
use self::decide::Decider;
pub use self::exchange::{ExchangeEnd, ExchangeUsage, GatewayExchange, finish};
pub use self::forms::short_form;
use self::guards::HookedRequest;
pub use self::guards::{GuardRound, GuardedRequest, ask_guards, has_guards, recalls_guards};
pub use self::journal::{GatewayJournal, JournalEntry, JournalReader};
use self::known_blocks::PutBlocks;
use self::lineage::{DecisionSource, KnownLineage};
pub use self::report::GatewayReport;
pub use self::sent::{MessageEdit, SentRequest, SentTexts};
use self::sent_forms::{SentForms, SplicedBody};
pub use self::session::session_id;
pub use self::session_mode::{BlockRound, put_blocks, waits_for_hooks};
pub use super::event_data::GatewayTokens;
pub use super::gateway_defaults::GatewayDefaults;
use super::{Services, StoreError};
use crate::domain::{ContentHash, GatewayMode, RecordLevel, ToolPattern};
use crate::gateway::{
    LineageScope, ProviderEndpoint, RequestOutline, SentMessage, SessionName, Wire, sent_blocks,
};
pub use crate::hook::HookSet;
use crate::json::{self, Limits};
use crate::pipeline::{self, Deadline};

/// A request for a model, as it came.
#[derive(Debug, Clone)]
pub struct GatewayRequest {
    /// The id of its record, its event and its hook calls.
    pub id: Arc<str>,
    pub body: Arc<str>,
    pub endpoint: ProviderEndpoint,
    pub wire: Wire,
    pub upstream: Arc<str>,
    /// The session that the headers name.
    pub session: Option<SessionName>,
    /// The model that the path names, if it does.
    pub path_model: Option<Arc<str>>,
    pub mode: GatewayMode,
    pub record: RecordLevel,
    /// Tokens that it may have, if the caller says so: mode `fit`.
    pub budget: Option<u64>,
    /// Tools whose results stay as they are.
    pub protected: Arc<[ToolPattern]>,
}

/// What is done about the newest texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewestTexts {
    /// They are decided by the request's mode.
    Decided,
    /// There is no time: they stay as they came.
    Raw(EditSkip),
    /// The store does not answer: what memory has is put in, and they stay as they came.
    Unstored,
}

/// The reason why texts stay as they came that could have been edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditSkip {
    /// The body is no request that can be read.
    Unreadable,
    /// Decisions cannot be read or stored.
    Store,
    /// The time was up.
    Deadline,
    /// Too much other work waits.
    Overloaded,
    /// The body is larger than what is read.
    TooLarge,
    /// The body is signed, so any edit would break it.
    Signed,
    /// The request is above its budget, and nothing more of it may be edited: mode `fit`.
    OverBudget,
    /// The blocks of mode `session` cannot be made: a hook failed, or the defaults cannot be used.
    Session,
}

impl EditSkip {
    /// The word of headers, events and metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unreadable => "unreadable",
            Self::Store => "store",
            Self::Deadline => "deadline",
            Self::Overloaded => "overloaded",
            Self::TooLarge => "too_large",
            Self::Signed => "signed",
            Self::OverBudget => "over_budget",
            Self::Session => "session",
        }
    }
}

/// A request after its edits.
#[derive(Debug, Clone, Default)]
pub struct EditedRequest {
    /// The body; none if it stays as it came.
    pub body: Option<String>,
    pub skipped: Option<EditSkip>,
    pub savings: GatewaySavings,
    /// Whether it passes a compaction point.
    pub is_compacted: bool,
    /// The model that the request names.
    pub model: Option<String>,
    /// The session that the request belongs to.
    pub session: Option<Arc<str>>,
    /// Tokens of the request as it is sent, before any factor, if it was counted: mode `fit`.
    pub counted_tokens: Option<u64>,
    /// What is recorded; none if the request was not read, or is only relayed.
    pub sent: Option<SentRequest>,
    /// The hooks that are to see what is sent.
    pub hooks: Arc<HookSet>,
}

/// Tokens that the gateway saves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GatewaySavings {
    /// By the forms of all texts, new and old, in this request.
    pub tokens: u64,
    /// By the forms of the newest texts alone.
    pub new_tokens: u64,
    /// What the newest texts would have saved: mode `observe`.
    pub observed_tokens: u64,
    /// Tokens of the blocks of mode `session`, new and old, in this request.
    pub added_tokens: u64,
}

/// Whether anything was decided for the caller's tenant, as far as that is in memory.
pub fn knows_of_decisions(services: &Services) -> Option<bool> {
    services.decisions().knows_of(&services.caller().tenant)
}

/// Whether anything was decided for the caller's tenant, so that even a request that is only relayed
/// has to be read. If the store cannot tell, it may have been.
pub fn has_decisions(services: &Services) -> bool {
    match services.tenant().read::<_, StoreError>(|tx| tx.has_decisions()) {
        Ok(found) => {
            services.decisions().note_tenant(&services.caller().tenant, found);
            found
        }
        Err(error) => {
            tracing::debug!(%error, "decisions cannot be read");
            true
        }
    }
}

/// Edits a request. Blocks the thread; reads and writes the store.
pub fn edit(
    services: &Services,
    request: &GatewayRequest,
    newest: NewestTexts,
    deadline: &Deadline,
) -> EditedRequest {
    let body = &*request.body;
    let unreadable =
        || EditedRequest { skipped: Some(EditSkip::Unreadable), ..EditedRequest::default() };
    let Ok(node) = json::parse(body, Limits::default()) else { return unreadable() };
    let Some(outline) = RequestOutline::read(request.endpoint, body, &node) else {
        return unreadable();
    };
    let scope = LineageScope {
        tenant: &services.caller().tenant,
        upstream: &request.upstream,
        wire: request.wire,
    };
    let source = match newest {
        NewestTexts::Unstored => DecisionSource::Memory,
        NewestTexts::Decided | NewestTexts::Raw(_) => DecisionSource::Store,
    };
    let hashes = scope.hashes(&outline.messages);
    let mut lineage = KnownLineage::read(services, &outline, hashes, source);
    let mut edited = EditedRequest::default();
    let model = request.path_model.as_deref().or(outline.model.as_deref());
    edited.model = model.map(str::to_owned);
    let session = request.session.clone().or_else(|| SessionName::of_body(request.endpoint, &node));
    edited.session = session_id(services, &request.upstream, session.as_ref());
    let decider = Decider { services, request, node: &node, outline: &outline, model, deadline };
    let outcome = decider.decide(&mut lineage, newest);
    lineage.note_sent(services);
    let forms = SentForms { outline: &outline, lineage: &lineage, made: &[] };
    let SplicedBody { body: spliced, savings, edits } = forms.splice(body);
    edited.skipped = outcome.skipped;
    edited.counted_tokens = outcome.counted_tokens;
    let blocks = lineage.shown_blocks();
    let added_tokens = if blocks.is_empty() { 0 } else { decider.count_blocks(&blocks) };
    edited.savings =
        GatewaySavings { observed_tokens: outcome.observed_tokens, added_tokens, ..savings };
    if let Some(before) = outcome.saved_before {
        edited.is_compacted = true;
        edited.savings.new_tokens = savings.tokens.saturating_sub(before);
    }
    edited.body = spliced;
    let session = edited.session.as_deref();
    edited.hooks = hooks_of(services, HookedRequest { mode: request.mode, session }, newest);
    if request.mode != GatewayMode::Off && request.record.is_kept() {
        let sent = edited.body.as_deref().unwrap_or(body);
        let is_full = request.record == RecordLevel::Full;
        edited.sent = Some(SentRequest {
            level: request.record,
            payload_hash: ContentHash::of(sent),
            blocks: sent_blocks(&node, &outline.messages, |index| SentMessage {
                decision: lineage.decision(index),
                blocks: texts_after(&blocks, index),
            }),
            edits,
            memory: memory_keys(&blocks),
            texts: is_full
                .then(|| SentTexts { came: Arc::clone(&request.body), sent: sent.into() }),
        });
    }
    edited
}

/// The keys of the memory entries in blocks, each once.
fn memory_keys(blocks: &[PutBlocks]) -> Vec<Arc<str>> {
    let texts = blocks.iter().flat_map(|own| &own.texts);
    let entries = texts.flat_map(|text| pipeline::shown_entries(text));
    entries.map(|entry| entry.key).collect::<BTreeSet<_>>().into_iter().collect()
}

/// The blocks after a message.
fn texts_after(blocks: &[PutBlocks], index: usize) -> Vec<Arc<str>> {
    let at = blocks.binary_search_by_key(&index, |own| own.index).ok();
    at.and_then(|at| blocks.get(at)).map(|own| own.texts.clone()).unwrap_or_default()
}

/// The hooks that are to see a request. If the store cannot tell, those that were known last.
fn hooks_of(services: &Services, request: HookedRequest<'_>, newest: NewestTexts) -> Arc<HookSet> {
    if newest == NewestTexts::Unstored {
        return guards::known_hooks_for(services, request.mode);
    }
    guards::hooks_for(services, request).unwrap_or_else(|error| {
        tracing::debug!(%error, "hooks cannot be read");
        guards::known_hooks_for(services, request.mode)
    })
}

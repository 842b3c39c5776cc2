//! Mode `session`: puts memory data, state and the text of hooks after the newest text of a request.
//!
//! What is shown comes from the defaults of the caller's key, and of the session that these name: no
//! header chooses it. It is stored before it is sent, and stays where it was put.

use std::sync::Arc;

use serde_json::json;

use super::guards::{GuardRound, target_of};
use super::lineage::{DecisionSource, KnownLineage};
use super::sent_forms::SentForms;
use super::{EditSkip, GatewayRequest, session_id};
use crate::domain::{GatewayMode, MemoryEntry, RecordLevel};
use crate::gateway::{GroupKind, LineageScope, RequestOutline, SessionBlocks, SessionName};
use crate::hook::{GuardDecision, HookInput, HookKind, HookSet, MatchContext, Point, join};
use crate::json::{self, Limits, Node, Value};
use crate::pipeline::{self, Deadline, HookPort as _};
use crate::request::{self, CompileRequest, HookChoice};
use crate::service::compile::{Error, inline_hooks, remember_asking, scope};
use crate::service::defaults::add_absent;
use crate::service::effects::Effects;
use crate::service::hook_runner::HookRunner;
use crate::service::sessions::{self, SessionHandle};
use crate::service::{Services, StoreError, adapters};

/// The points at which hooks have a part in what is shown.
const POINTS: [Point; 2] = [Point::RecallMemory, Point::BeforeCompile];
/// The members of defaults that say what is shown. Others are about compiles.
const KEYS: &[&str] = &[
    "dynamic_state",
    "dynamic_state_anchor",
    "hooks",
    "implicit_context",
    "memory",
    "messages",
    "model",
    "session_id",
    "target",
];

/// What became of the blocks of a request.
#[derive(Debug, Default)]
pub struct BlockRound {
    pub(super) effects: Effects,
    /// Why there are none, although the mode asks for them.
    pub skipped: Option<EditSkip>,
}

impl BlockRound {
    /// Adds the effects of the hooks that had a part in the blocks to those of the guards.
    pub fn before(self, guards: GuardRound) -> GuardRound {
        let expired = self.effects.expired.clone();
        let mut all = self.effects;
        all.extend(guards.effects);
        GuardRound { effects: Effects { expired, ..all }, refusal: guards.refusal }
    }

    /// No blocks, for this reason.
    pub fn without(reason: EditSkip) -> Self {
        Self { skipped: Some(reason), ..Self::default() }
    }
}

/// Why no blocks can be made.
#[derive(Debug, thiserror::Error)]
enum BlockError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Compile(#[from] Error),
    #[error("the defaults cannot be used: {0}")]
    Defaults(String),
}

/// Whether hooks have a part in the blocks of a request, as far as memory knows: hooks take time.
pub fn waits_for_hooks(services: &Services) -> bool {
    has_hooks(&services.known_hooks(false))
}

fn has_hooks(set: &HookSet) -> bool {
    POINTS.iter().any(|point| !set.hooks_at(*point).is_empty())
}

/// Decides which blocks follow the last message of a request, and stores them, unless that is decided.
/// Needs a seat in the pool, since hooks are waited for.
pub fn put_blocks(
    services: &Services,
    request: &GatewayRequest,
    deadline: &Deadline,
) -> BlockRound {
    let mut round = BlockRound::default();
    let Ok(node) = json::parse(&request.body, Limits::default()) else { return round };
    let Some(outline) = RequestOutline::read(request.endpoint, &request.body, &node) else {
        return round;
    };
    let owner = LineageScope {
        tenant: &services.caller().tenant,
        upstream: &request.upstream,
        wire: request.wire,
    };
    let hashes = owner.hashes(&outline.messages);
    let mut lineage = KnownLineage::read(services, &outline, hashes, DecisionSource::Store);
    if outline.is_summary_request || lineage.open_blocks().is_none() {
        round.skipped = lineage.skipped();
        return round;
    }
    let name = request.session.clone().or_else(|| SessionName::of_body(request.endpoint, &node));
    let session = session_id(services, &request.upstream, name.as_ref());
    let maker =
        SessionBlockMaker { services, request, node: &node, outline: &outline, session, deadline };
    let made = maker.make(&lineage, &mut round.effects);
    let stored = made.and_then(|blocks| match deadline.check() {
        // The request is sent by another job then.
        Err(stopped) => Err(BlockError::from(Error::from(stopped))),
        Ok(()) => Ok(lineage.put_blocks(services, blocks)),
    });
    round.skipped = match stored {
        Ok(stored) => stored.err(),
        Err(error) => {
            tracing::debug!(%error, "the blocks of a session cannot be made");
            Some(match error {
                BlockError::Store(_) => EditSkip::Store,
                BlockError::Compile(_) | BlockError::Defaults(_) => EditSkip::Session,
            })
        }
    };
    round
}

/// Makes the blocks of one request.
struct SessionBlockMaker<'m> {
    services: &'m Services,
    request: &'m GatewayRequest,
    node: &'m Node<'m>,
    outline: &'m RequestOutline,
    /// The session that the request belongs to.
    session: Option<Arc<str>>,
    deadline: &'m Deadline,
}

impl SessionBlockMaker<'_> {
    fn make(
        &self,
        lineage: &KnownLineage<'_>,
        effects: &mut Effects,
    ) -> Result<SessionBlocks, BlockError> {
        let mut asked = self.options()?;
        let set = self.hooks(&asked)?;
        let scope = scope(self.services, &self.request.id, self.session.as_ref());
        let mut runner = self
            .services
            .hook_runner(set, scope.clone(), self.deadline)
            .keeping_inputs_if(self.request.record == RecordLevel::Full);
        let shown = self.shown(lineage, &mut asked, &mut runner);
        *effects = Effects::of_hooks(runner, scope);
        for event in &mut effects.events_after {
            event.compilation_id = Some(Arc::clone(&self.request.id));
        }
        let (texts, expired) = shown?;
        effects.expired = expired;
        Ok(SessionBlocks(texts.into_iter().map(Arc::from).collect()))
    }

    /// The texts of the blocks, and the memory entries that have expired.
    fn shown(
        &self,
        lineage: &KnownLineage<'_>,
        asked: &mut CompileRequest,
        runner: &mut HookRunner<'_>,
    ) -> Result<(Vec<String>, Vec<MemoryEntry>), BlockError> {
        let expired = remember_asking(self.services, None, asked, runner)?;
        let provided = self.provided(lineage, asked, runner)?;
        let earlier = lineage.shown_blocks().into_iter().flat_map(|own| own.texts);
        let pipeline = self.services.pipeline();
        let texts = pipeline::session_blocks(pipeline, asked, provided, earlier, self.deadline);
        Ok((texts.map_err(Error::from)?, expired))
    }

    /// The text that hooks at `before_compile` provide.
    fn provided(
        &self,
        lineage: &KnownLineage<'_>,
        asked: &CompileRequest,
        runner: &mut HookRunner<'_>,
    ) -> Result<String, BlockError> {
        if !runner.has_any(Point::BeforeCompile) {
            return Ok(String::new());
        }
        let forms = SentForms { outline: self.outline, lineage, made: &[] };
        let body = forms.splice(&self.request.body).body;
        let sent = body.as_deref().map(|body| json::parse(body, Limits::default()));
        let sent = sent.and_then(Result::ok);
        let target = target_of(self.request.endpoint);
        let state = asked.dynamic_state.as_ref();
        let input = pipeline::session_input(sent.as_ref().unwrap_or(self.node), target, state);
        let facts = MatchContext { session: self.session.as_deref(), ..MatchContext::default() };
        let at = HookInput { point: Point::BeforeCompile, input: &input, facts };
        let mut text = String::new();
        if runner.has(Point::BeforeCompile, HookKind::Provide) {
            let counter = &self.services.pipeline().counter;
            let tokens = |text: &str| {
                let scaled = asked.model.scale(counter.count(asked.model.tokenizer, text));
                u32::try_from(scaled).unwrap_or(u32::MAX)
            };
            let provided = runner.provide(at, &tokens, &|_| Ok(())).map_err(Error::from)?;
            text = join(&provided.fragments);
        }
        runner.observe(at, GuardDecision::None).map_err(Error::from)?;
        Ok(text)
    }

    /// What is to be shown, by the defaults of the key and of its session.
    fn options(&self) -> Result<CompileRequest, BlockError> {
        let invalid = |error: &dyn std::fmt::Display| BlockError::Defaults(error.to_string());
        let body = json!({
            "messages": [{"role": "user", "content": self.question()}],
            "model": self.request.path_model.as_deref().or(self.outline.model.as_deref()),
            "target": target_of(self.request.endpoint).as_str(),
        })
        .to_string();
        let mut node = json::parse(&body, Limits::default()).map_err(|error| invalid(&error))?;
        let session = sessions::open(self.services, &node)?;
        let of_key = self.services.caller().defaults.clone();
        for defaults in [session.as_ref().and_then(SessionHandle::defaults), of_key.as_deref()] {
            defaults.map_or(Ok(()), |defaults| add_absent(&mut node, defaults))?;
        }
        if node.get("pack").is_some_and(|pack| !pack.is_null()) {
            let detail = "a pack governs what is shown, and packs do not run in the gateway";
            return Err(BlockError::Defaults(detail.to_owned()));
        }
        if let Value::Object(members) = &mut node.value {
            members.retain(|(key, _)| KEYS.contains(&key.as_ref()));
        }
        let check_url = |url: &str| self.services.check_hook_url(url);
        let built_in = adapters::built_in();
        request::read_compile(&node, self.services.models(), &built_in, &check_url).map_err(
            |faults| {
                let first = faults.into_iter().next();
                let detail = first.map(|fault| format!("{} {}", fault.pointer, fault.detail));
                BlockError::Defaults(detail.unwrap_or_default())
            },
        )
    }

    /// The newest text of the user, which memory is matched with.
    fn question(&self) -> String {
        let words = self.outline.messages.iter().rev().find_map(|message| {
            let words = message.groups.iter().filter(|group| group.kind == GroupKind::Words);
            let texts: Vec<&str> =
                words.flat_map(|group| &group.texts).map(|text| &*text.text).collect();
            (!texts.is_empty()).then(|| texts.join("\n"))
        });
        words.unwrap_or_default()
    }

    /// The hooks that have a part in it; none if there are only others.
    fn hooks(&self, asked: &CompileRequest) -> Result<Arc<HookSet>, StoreError> {
        let session = self.session.as_deref();
        let set = match &asked.hooks {
            HookChoice::Off => self.services.mandatory_hook_set(session)?,
            choice => self.services.hook_set(session, &inline_hooks(self.services, choice))?,
        };
        Ok(if has_hooks(&set) { set } else { Arc::default() })
    }
}

impl GatewayRequest {
    /// Whether blocks are put into it.
    pub fn takes_blocks(&self) -> bool {
        self.mode == GatewayMode::Session
    }
}

//! Summaries that hooks or a model write: each is asked for once, and stands for good.
//!
//! A summary is stored as soon as it is written, before the compile that wanted it is: what was paid
//! for is not paid for again because that compile failed. It is known by what was asked and by who
//! was; the first that is committed is everybody's, on every node.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use tokio::sync::OwnedMutexGuard;

use super::Services;
use crate::domain::{AskedSummary, ContentHash, Summary};
use crate::hook::{HookKind, HookRun, HookSet, Point};
use crate::json::{self, Limits, Node};
use crate::pipeline::{Deadline, SummaryAsk, clean_summary};
use crate::store::Tenant;
use crate::webhook::{Summarizer, new_id};

/// Locks at which those that nobody holds are looked for.
const MANY: usize = 1_024;
/// Bytes of a summary; one that is longer is no summary.
const LONGEST: usize = 256 << 10;

/// How long a turn among all nodes lasts where its holder is heard of no more.
const LONGEST_TURN: Duration = Duration::from_mins(2);
/// How often a node looks whether another one is done.
pub(super) const LOOK_EVERY: Duration = Duration::from_millis(50);

type SummaryLock = tokio::sync::Mutex<()>;
type Locks = HashMap<(Arc<str>, ContentHash), Weak<SummaryLock>>;

/// One at a time writes the summary of a key in this process.
#[derive(Debug, Default)]
pub(super) struct SummaryLocks(Mutex<Locks>);

impl SummaryLocks {
    /// Held by who writes; those behind him find what he wrote.
    pub(super) async fn turn(&self, tenant: &Arc<str>, key: ContentHash) -> OwnedMutexGuard<()> {
        self.lock(tenant, key).lock_owned().await
    }

    fn lock(&self, tenant: &Arc<str>, key: ContentHash) -> Arc<SummaryLock> {
        let mut locks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (Arc::clone(tenant), key);
        if let Some(lock) = locks.get(&key).and_then(Weak::upgrade) {
            return lock;
        }
        if locks.len() >= MANY {
            locks.retain(|_, lock| lock.strong_count() > 0);
        }
        let lock = Arc::new(SummaryLock::new(()));
        locks.insert(key, Arc::downgrade(&lock));
        lock
    }
}

/// Where the summaries of one request come from, and what came of those that were asked for.
#[derive(Debug)]
pub(super) struct Summaries<'s> {
    from: SummarySource<'s>,
    asked: Vec<AskedSummary>,
}

#[derive(Debug)]
enum SummarySource<'s> {
    Live { services: &'s Services, session: Arc<str>, is_dry: bool },
    Record(Vec<AskedSummary>),
}

impl<'s> Summaries<'s> {
    pub(super) fn live(services: &'s Services, session: Option<&Arc<str>>) -> Self {
        let session = session.cloned().unwrap_or_default();
        Self { from: SummarySource::Live { services, session, is_dry: false }, asked: Vec::new() }
    }

    /// Nobody is asked: this came of it.
    pub(super) fn recorded(asked: Vec<AskedSummary>) -> Self {
        Self { from: SummarySource::Record(asked), asked: Vec::new() }
    }

    /// Only what is stored is taken.
    pub(super) fn dry_if(&mut self, dry: bool) {
        if let SummarySource::Live { is_dry, .. } = &mut self.from {
            *is_dry = dry;
        }
    }

    /// Whether there is anybody to write one.
    pub(super) fn are_written(&self, set: &HookSet) -> bool {
        match &self.from {
            SummarySource::Live { services, .. } => {
                services.summarizer().is_some() || hooks(set).next().is_some()
            }
            SummarySource::Record(asked) => !asked.is_empty(),
        }
    }

    /// What is known without asking anybody; and what is to be known before somebody is asked.
    pub(super) fn known(&self, ask: &SummaryAsk<'_>, set: &HookSet) -> SummaryLookup<'s> {
        let hash = ContentHash::of(ask.input);
        match &self.from {
            SummarySource::Record(asked) => {
                SummaryLookup::Settled(asked.iter().find(|asked| asked.ask == hash).cloned())
            }
            SummarySource::Live { services, session, is_dry } => {
                let key = key(ask, set, services.summarizer());
                let wanted =
                    MissingSummary { services, session: Arc::clone(session), ask: hash, key };
                match wanted.stored(!*is_dry) {
                    Some(asked) => SummaryLookup::Settled(Some(asked)),
                    None if *is_dry => SummaryLookup::Dry,
                    None => SummaryLookup::Wanted(wanted),
                }
            }
        }
    }

    pub(super) fn note(&mut self, asked: &AskedSummary) {
        self.asked.push(asked.clone());
    }

    pub(super) fn take(&mut self) -> Vec<AskedSummary> {
        std::mem::take(&mut self.asked)
    }
}

/// What is known of a summary that is asked for.
pub(super) enum SummaryLookup<'s> {
    Settled(Option<AskedSummary>),
    /// Nothing, and nobody may be called.
    Dry,
    Wanted(MissingSummary<'s>),
}

/// A summary that is not stored.
pub(super) struct MissingSummary<'s> {
    pub(super) services: &'s Services,
    session: Arc<str>,
    ask: ContentHash,
    key: ContentHash,
}

impl MissingSummary<'_> {
    pub(super) async fn turn(&self) -> OwnedMutexGuard<()> {
        self.services.writing().turn(&self.services.caller().tenant, self.key).await
    }

    /// Makes it this request's turn among all nodes; none while it is another node's. Where the store
    /// is this process' alone, [`Self::turn`] is enough.
    pub(super) fn claim(&self, deadline: &Deadline) -> Result<Option<Claim>, super::StoreError> {
        let mut claim = Claim { tenant: self.services.tenant(), key: self.key, holder: None };
        if !self.services.is_shared() {
            return Ok(Some(claim));
        }
        let now = Instant::now();
        let left = deadline.end().map_or(LONGEST_TURN, |end| end.saturating_duration_since(now));
        let holder = new_id();
        let (key, name) = (self.key, Arc::clone(&holder));
        let is_ours = claim.tenant.write(move |tx| {
            tx.claim_summary(&key, &name, tx.now().after(left.min(LONGEST_TURN)))
        })?;
        claim.holder = is_ours.then_some(holder);
        Ok(claim.holder.is_some().then_some(claim))
    }

    /// The stored summary; `notes`: a use of it is noted. Where the store cannot be read nobody is
    /// asked: it could not be kept either.
    pub(super) fn stored(&self, notes: bool) -> Option<AskedSummary> {
        let (key, session) = (self.key, Arc::clone(&self.session));
        match self.services.tenant().read(|tx| tx.find_summary(&key, &session)) {
            Ok(None) => None,
            Ok(Some((summary, true))) if notes => Some(self.kept(summary)),
            Ok(Some((summary, _))) => Some(self.came(Ok(summary))),
            Err(error) => Some(self.lost(&error)),
        }
    }

    /// Keeps what was written; the first one stands.
    pub(super) fn kept(&self, summary: Summary) -> AskedSummary {
        let (key, session) = (self.key, Arc::clone(&self.session));
        let kept =
            self.services.tenant().write(move |tx| tx.keep_summary(&key, &session, &summary));
        match kept {
            Ok(summary) => self.came(Ok(summary)),
            Err(error) => self.lost(&error),
        }
    }

    pub(super) fn lost(&self, error: &super::StoreError) -> AskedSummary {
        tracing::warn!(%error, "summaries cannot be kept");
        self.came(Err("the store cannot keep a summary".into()))
    }

    pub(super) fn came(&self, came: Result<Summary, Arc<str>>) -> AskedSummary {
        AskedSummary { ask: self.ask, key: self.key, came }
    }

    /// How long the model may take: a part of what the request has left, so that there is time to
    /// go on without it.
    pub(super) fn allowance(deadline: &Deadline) -> Duration {
        let Some(end) = deadline.end() else { return Duration::MAX };
        let left = end.saturating_duration_since(Instant::now());
        left.saturating_sub(left / 4)
    }
}

/// A turn among all nodes, which ends when it is dropped.
pub(super) struct Claim {
    tenant: Tenant,
    key: ContentHash,
    /// None where there are no other nodes.
    holder: Option<Arc<str>>,
}

impl Drop for Claim {
    fn drop(&mut self) {
        let Some(holder) = self.holder.take() else { return };
        let key = self.key;
        if let Err(error) = self.tenant.write(move |tx| tx.release_summary(&key, &holder)) {
            // It ends by itself when its time is over.
            tracing::warn!(%error, "a turn at a summary cannot be ended");
        }
    }
}

/// The summary in an answer, or why it is none.
pub(super) fn checked(answer: &str, by: String, most: usize) -> Result<Summary, Arc<str>> {
    let text = clean_summary(answer);
    let why = if text.is_empty() {
        "the summary is empty"
    } else if text.len() >= most.min(LONGEST) {
        "the summary is no shorter than what it is of"
    } else {
        return Ok(Summary { text: text.into(), by: by.into() });
    };
    Err(format!("{by}: {why}").into())
}

/// The text of a hook's answer.
pub(super) fn content(answer: &str) -> Result<String, String> {
    let node = json::parse(answer, Limits::default()).map_err(|error| error.to_string())?;
    match node.get("content").and_then(Node::as_str) {
        Some(text) if !clean_summary(text).is_empty() => Ok(text.to_owned()),
        Some(_) => Err("/content: is empty".to_owned()),
        None => Err("/content: must be a string".to_owned()),
    }
}

/// The last hook that failed to write one, and why.
pub(super) fn failed(runs: &[HookRun]) -> Option<Arc<str>> {
    let run = runs.iter().rev().find(|run| run.point == Point::Summarize)?;
    let failure = run.failure()?;
    Some(format!("hook:{}: {}", run.hook, failure.cause.as_str()).into())
}

fn hooks(set: &HookSet) -> impl Iterator<Item = &Arc<crate::hook::Hook>> {
    set.hooks_of_kind(Point::Summarize, HookKind::Provide)
}

/// Of what is asked and of who is asked. A new revision of a hook is the same hook: what it wrote
/// before stands.
fn key(ask: &SummaryAsk<'_>, set: &HookSet, summarizer: Option<&Summarizer>) -> ContentHash {
    let mut text = String::from("summary/1\n");
    for hook in hooks(set) {
        text.push_str(&hook.id);
        text.push('\n');
    }
    if let Some(summarizer) = summarizer {
        text.push_str(summarizer.url());
        text.push(' ');
        text.push_str(summarizer.model());
    }
    text.push_str("\n\n");
    text.push_str(ask.input);
    ContentHash::of(&text)
}

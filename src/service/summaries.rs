//! Summaries that hooks or a model write. Each is written once and then reused.
//!
//! A summary is stored as soon as it is written, before its compile is committed, so that it is not
//! paid for again if that compile fails. Its key is a hash of the text to summarise, the hooks and
//! the model. The first committed summary wins; every node uses it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use tokio::sync::OwnedMutexGuard;

use super::Services;
use crate::domain::{AskedSummary, ContentHash, Summary};
use crate::hook::{HookKind, HookRun, HookSet, Point};
use crate::json::{self, Limits, Node};
use crate::pipeline::{Deadline, SummaryAsk, clean_summary, is_refusal};
use crate::store::Tenant;
use crate::webhook::{Summarizer, new_id};

/// Number of locks from which on unused locks are removed.
const MAX_LOCKS_BEFORE_SWEEP: usize = 1_024;
/// Bytes of a summary; a longer one is not accepted.
const MAX_SUMMARY_BYTES: usize = 256 << 10;

/// Time after which a claim expires if its node does not release it.
const MAX_CLAIM_TIME: Duration = Duration::from_mins(2);
/// Interval at which a node checks whether another node has stored the summary.
pub(super) const POLL_INTERVAL: Duration = Duration::from_millis(50);

type SummaryLock = tokio::sync::Mutex<()>;
type Locks = HashMap<(Arc<str>, ContentHash), Weak<SummaryLock>>;

/// Locks by key: only one request of this process at a time writes the summary of a key.
#[derive(Debug, Default)]
pub(super) struct SummaryLocks(Mutex<Locks>);

impl SummaryLocks {
    /// Waits for the lock of a key. The holder writes the summary; requests that waited find it
    /// stored.
    pub(super) async fn turn(&self, tenant: &Arc<str>, key: ContentHash) -> OwnedMutexGuard<()> {
        self.lock(tenant, key).lock_owned().await
    }

    fn lock(&self, tenant: &Arc<str>, key: ContentHash) -> Arc<SummaryLock> {
        let mut locks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (Arc::clone(tenant), key);
        if let Some(lock) = locks.get(&key).and_then(Weak::upgrade) {
            return lock;
        }
        if locks.len() >= MAX_LOCKS_BEFORE_SWEEP {
            locks.retain(|_, lock| lock.strong_count() > 0);
        }
        let lock = Arc::new(SummaryLock::new(()));
        locks.insert(key, Arc::downgrade(&lock));
        lock
    }
}

/// Source of the summaries of one request, and the outcome of each summary that was requested.
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

    /// Takes summaries from a record; calls no hook and no model.
    pub(super) fn recorded(asked: Vec<AskedSummary>) -> Self {
        Self { from: SummarySource::Record(asked), asked: Vec::new() }
    }

    /// Uses only stored summaries if `dry` is true.
    pub(super) fn dry_if(&mut self, dry: bool) {
        if let SummarySource::Live { is_dry, .. } = &mut self.from {
            *is_dry = dry;
        }
    }

    /// Whether there is a hook or a model that writes summaries, or a record that has some.
    pub(super) fn are_written(&self, set: &HookSet) -> bool {
        match &self.from {
            SummarySource::Live { services, .. } => {
                services.summarizer().is_some() || hooks(set).next().is_some()
            }
            SummarySource::Record(asked) => !asked.is_empty(),
        }
    }

    /// Looks up a summary without calling a hook or a model. If it is missing, the result can be
    /// used to write it.
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

/// Result of looking up a summary.
pub(super) enum SummaryLookup<'s> {
    Settled(Option<AskedSummary>),
    /// The summary is not stored, and a dry run calls no hook and no model.
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

    /// Claims the summary among all nodes; returns none while another node has the claim. If no
    /// other process uses the store, [`Self::turn`] is enough.
    pub(super) fn claim(&self, deadline: &Deadline) -> Result<Option<Claim>, super::StoreError> {
        let mut claim = Claim { tenant: self.services.tenant(), key: self.key, holder: None };
        if !self.services.is_shared() {
            return Ok(Some(claim));
        }
        let now = Instant::now();
        let left = deadline.end().map_or(MAX_CLAIM_TIME, |end| end.saturating_duration_since(now));
        let holder = new_id();
        let (key, name) = (self.key, Arc::clone(&holder));
        let is_ours = claim.tenant.write(move |tx| {
            tx.claim_summary(&key, &name, tx.now().after(left.min(MAX_CLAIM_TIME)))
        })?;
        claim.holder = is_ours.then_some(holder);
        Ok(claim.holder.is_some().then_some(claim))
    }

    /// The stored summary. With `notes`, its use by the session is stored too. If the store cannot
    /// be read, returns a failure: a new summary could not be stored either.
    pub(super) fn stored(&self, notes: bool) -> Option<AskedSummary> {
        let (key, session) = (self.key, Arc::clone(&self.session));
        match self.services.tenant().read(|tx| tx.find_summary(&key, &session)) {
            Ok(None) => None,
            Ok(Some((summary, true))) if notes => Some(self.kept(summary)),
            Ok(Some((summary, _))) => Some(self.with_result(Ok(summary))),
            Err(error) => Some(self.with_store_error(&error)),
        }
    }

    /// Stores a summary. Returns the stored one, which is the first that was committed.
    pub(super) fn kept(&self, summary: Summary) -> AskedSummary {
        let (key, session) = (self.key, Arc::clone(&self.session));
        let kept =
            self.services.tenant().write(move |tx| tx.keep_summary(&key, &session, &summary));
        match kept {
            Ok(summary) => self.with_result(Ok(summary)),
            Err(error) => self.with_store_error(&error),
        }
    }

    pub(super) fn with_store_error(&self, error: &super::StoreError) -> AskedSummary {
        tracing::warn!(
            %error,
            "a summary could not be read or stored; the compile goes on without it"
        );
        self.with_result(Err("the store cannot keep a summary".into()))
    }

    pub(super) fn with_result(&self, result: Result<Summary, Arc<str>>) -> AskedSummary {
        AskedSummary { ask: self.ask, key: self.key, result }
    }

    /// Time limit of the model: three quarters of the time that the request has left, so that the
    /// compile can go on without a summary.
    pub(super) fn allowance(deadline: &Deadline) -> Duration {
        let Some(end) = deadline.end() else { return Duration::MAX };
        let left = end.saturating_duration_since(Instant::now());
        left.saturating_sub(left / 4)
    }
}

/// A claim of a summary among all nodes, released when it is dropped.
pub(super) struct Claim {
    tenant: Tenant,
    key: ContentHash,
    /// None if there are no other nodes.
    holder: Option<Arc<str>>,
}

impl Drop for Claim {
    fn drop(&mut self) {
        let Some(holder) = self.holder.take() else { return };
        let key = self.key;
        if let Err(error) = self.tenant.write(move |tx| tx.release_summary(&key, &holder)) {
            // The claim expires by itself.
            tracing::warn!(%error, "the claim of a summary could not be released; it expires");
        }
    }
}

/// Reads the summary in an answer, or returns why it is not accepted.
pub(super) fn checked(answer: &str, by: String, most: usize) -> Result<Summary, Arc<str>> {
    let text = clean_summary(answer);
    let why = if text.is_empty() {
        "the summary is empty"
    } else if is_refusal(answer) {
        "the answer is a refusal or an error"
    } else if text.len() >= most.min(MAX_SUMMARY_BYTES) {
        "the summary is no shorter than what it is of"
    } else {
        return Ok(Summary { text: text.into(), by: by.into() });
    };
    Err(format!("{by}: {why}").into())
}

/// Reads the text of a hook's answer.
pub(super) fn content(answer: &str) -> Result<String, String> {
    let node = json::parse(answer, Limits::default()).map_err(|error| error.to_string())?;
    match node.get("content").and_then(Node::as_str) {
        Some(text) if !clean_summary(text).is_empty() => Ok(text.to_owned()),
        Some(_) => Err("/content: is empty".to_owned()),
        None => Err("/content: must be a string".to_owned()),
    }
}

/// The failure of the last hook at `summarize`, if it failed.
pub(super) fn failed(runs: &[HookRun]) -> Option<Arc<str>> {
    let run = runs.iter().rev().find(|run| run.point == Point::Summarize)?;
    let failure = run.failure()?;
    Some(format!("hook:{}: {}", run.hook, failure.cause.as_str()).into())
}

fn hooks(set: &HookSet) -> impl Iterator<Item = &Arc<crate::hook::Hook>> {
    set.hooks_of_kind(Point::Summarize, HookKind::Provide)
}

/// Hashes the input, the ids of the hooks and the model. Revisions of hooks are left out: a summary
/// that an older revision wrote is reused.
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

//! A hook: what was registered, with every default decided.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use secrecy::SecretString;

use super::builtin::Builtin;
use super::matching::HookMatch;
use super::point::{HookKind, Point};
use super::projection::Projection;
use super::secret::Secrets;
use crate::domain::word_of;
use crate::limit::Pattern;

/// Replaces the path and query of a URL. No URL in its final form contains it.
pub const HIDDEN_PATH: &str = "\u{2026}";

/// A registered hook. It is read by [`super::read_hook`], which refuses what cannot be.
#[derive(Debug, Clone)]
pub struct Hook {
    /// 1 to 64 of `a-z`, `0-9`, `.`, `_` and `-`, a letter or digit first.
    pub id: Arc<str>,
    /// From 1, one more with each change.
    pub revision: u64,
    /// Its points; at least one, each once.
    pub points: Vec<Point>,
    pub kind: HookKind,
    pub does: HookAction,
    pub enabled: bool,
    /// Why the service disabled the hook: its receiver is gone, or failed for days. No caller chose
    /// that, so a guard then counts as failed.
    pub disabled_because: Option<Arc<str>>,
    /// Whether the hook runs even if a request has `"hooks": false`. `None` until the registry
    /// applies its default.
    pub mandatory: Option<bool>,
    pub mode: EnforcementMode,
    pub delivery: DeliveryMode,
    /// `None`: the default of the kind.
    pub timeout: Option<Duration>,
    /// `None`: the default of the point and kind.
    pub on_failure: Option<OnFailure>,
    /// Whether a guard's failure may count as leave.
    pub allow_fail_open: bool,
    /// Whether a guard is asked again after a transform changed what it saw.
    pub reverify: bool,
    pub matching: HookMatch,
    pub projection: Projection,
    /// Tokens that a provide hook's text may take.
    pub max_tokens: u32,
    /// Higher runs first among hooks of a kind.
    pub priority: i32,
    /// The one session that it is for; none: all.
    pub session: Option<Arc<str>>,
    /// The id of the key whose request contains the hook, empty without a key; `None` if the hook
    /// is registered.
    pub inline_owner: Option<Arc<str>>,
}

/// The action of a hook.
#[derive(Debug, Clone)]
pub enum HookAction {
    /// Calls this address.
    Call(Endpoint),
    /// Runs here.
    Builtin(Builtin),
}

/// The URL that a hook calls, with its headers and secrets.
#[derive(Clone)]
pub struct Endpoint {
    /// As the `url` crate writes it. Paths and queries often contain tokens: plain text in displays
    /// and in the store is [`Self::redacted_url`].
    pub url: Arc<str>,
    /// Sent with every call; names in lower case.
    pub headers: Vec<(Arc<str>, SecretString)>,
    /// Empty until the registry gave the hook its secrets.
    pub secrets: Secrets,
}

/// Whether the answers of a hook are applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EnforcementMode {
    Enforce,
    /// The hook is called and its outcome recorded; nothing is applied.
    Audit,
}

/// When an observe hook is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryMode {
    /// From the queue, after the answer was given.
    Async,
    /// Before the answer is given: the first attempt is waited for.
    Sync,
}

/// The effect of a failure of a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnFailure {
    /// As if the guard had denied.
    Deny,
    /// The request fails.
    Fail,
    /// As if the hook were not there.
    Skip,
}

impl Endpoint {
    /// Scheme, host and port of the URL.
    pub fn origin(&self) -> &str {
        origin(&self.url)
    }

    /// [`redacted_url`] of the URL.
    pub fn redacted_url(&self) -> String {
        redacted_url(&self.url)
    }

    /// Whether the URL is [`Self::redacted_url`] of one that is sealed.
    pub fn is_redacted_url(&self) -> bool {
        *self.url == self.redacted_url()
    }
}

/// A URL as it is displayed: `…` replaces its path and query, which may contain secrets.
pub fn redacted_url(url: &str) -> String {
    let origin = origin(url);
    match url.strip_prefix(origin) {
        Some(path) if !path.is_empty() && path != "/" => format!("{origin}/{HIDDEN_PATH}"),
        _ => url.to_owned(),
    }
}

fn origin(url: &str) -> &str {
    let host = url.find("://").map_or(url.len(), |at| at + 3);
    let end = url.get(host..).and_then(|rest| rest.find(['/', '?', '#']));
    end.and_then(|end| url.get(..host + end)).unwrap_or(url)
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("url", &self.redacted_url()).finish_non_exhaustive()
    }
}

impl Hook {
    /// The effect of a failure at `point`.
    pub fn on_failure(&self, point: Point) -> OnFailure {
        self.on_failure.unwrap_or_else(|| OnFailure::default_of(point, self.kind))
    }

    pub fn timeout(&self) -> Duration {
        self.timeout.unwrap_or_else(|| self.kind.timeout())
    }

    /// Whether the hook takes part: it is enabled, or it is a guard that only the service disabled.
    pub fn is_active(&self) -> bool {
        self.enabled || (self.disabled_because.is_some() && self.kind == HookKind::Guard)
    }

    /// Whether the hook runs even if a request has `"hooks": false`.
    pub fn is_mandatory(&self) -> bool {
        self.mandatory == Some(true)
    }

    /// The patterns of its conditions and of what it does.
    pub fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        let own = match &self.does {
            HookAction::Call(_) => None,
            HookAction::Builtin(builtin) => Some(builtin.patterns()),
        };
        self.matching.patterns().chain(own.into_iter().flatten())
    }

    pub fn endpoint(&self) -> Option<&Endpoint> {
        match &self.does {
            HookAction::Call(endpoint) => Some(endpoint),
            HookAction::Builtin(_) => None,
        }
    }

    /// Tokens to keep free for what it may provide at `point`.
    pub fn reserves(&self, point: Point) -> u32 {
        let provides =
            self.kind == HookKind::Provide && self.enabled && self.mode == EnforcementMode::Enforce;
        if provides && self.points.contains(&point) { self.max_tokens } else { 0 }
    }
}

impl HookKind {
    /// The default limit for the time of a call.
    pub const fn timeout(self) -> Duration {
        Duration::from_secs(match self {
            Self::Guard => 3,
            Self::Transform | Self::Provide => 5,
            Self::Observe => 2,
        })
    }

    /// The most bytes of an answer.
    pub const fn longest_answer(self) -> usize {
        match self {
            Self::Guard => 64 << 10,
            Self::Transform | Self::Provide => 4 << 20,
            // Not read but for the log.
            Self::Observe => 4 << 10,
        }
    }
}

impl OnFailure {
    /// The strictest first: a kind of hook takes all words from one of them on.
    pub const WORDS: &[(&str, Self)] =
        &[("deny", Self::Deny), ("fail", Self::Fail), ("skip", Self::Skip)];

    /// Each kind fails to its safe side. Before a compression all are skipped: there the harm
    /// would be not to compress.
    pub const fn default_of(point: Point, kind: HookKind) -> Self {
        match (point, kind) {
            (Point::BeforeCompress, _) | (_, HookKind::Provide | HookKind::Observe) => Self::Skip,
            (_, HookKind::Guard) => Self::Deny,
            (_, HookKind::Transform) => Self::Fail,
        }
    }

    pub fn as_str(self) -> &'static str {
        word_of(Self::WORDS, self)
    }
}

impl EnforcementMode {
    pub const WORDS: &[(&str, Self)] = &[("enforce", Self::Enforce), ("audit", Self::Audit)];

    pub fn as_str(self) -> &'static str {
        word_of(Self::WORDS, self)
    }
}

impl DeliveryMode {
    pub const WORDS: &[(&str, Self)] = &[("async", Self::Async), ("sync", Self::Sync)];

    pub fn as_str(self) -> &'static str {
        word_of(Self::WORDS, self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_url_the_origin_is_shown_and_no_path() {
        for (url, origin, shown) in [
            ("https://a.example:8443/x/y?z", "https://a.example:8443", "https://a.example:8443/…"),
            ("https://a.example/?token=x", "https://a.example", "https://a.example/…"),
            ("https://a.example?token=x", "https://a.example", "https://a.example/…"),
            ("https://a.example/", "https://a.example", "https://a.example/"),
            ("https://a.example", "https://a.example", "https://a.example"),
            ("https://a.example/…", "https://a.example", "https://a.example/…"),
            ("(hidden)", "(hidden)", "(hidden)"),
        ] {
            let secrets = Secrets::default();
            let endpoint = Endpoint { url: url.into(), headers: Vec::new(), secrets };
            assert_eq!((endpoint.origin(), endpoint.redacted_url()), (origin, shown.to_owned()));
            assert_eq!(endpoint.is_redacted_url(), url == shown, "{url}");
            assert!(!format!("{endpoint:?}").contains("token"));
        }
    }
}

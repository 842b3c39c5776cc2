//! Reads a hook as callers write it: every fault named at once, defaults decided.

mod headers;

use std::sync::Arc;
use std::time::Duration;

use self::headers::read_headers;
use super::builtin::{self, Builtin};
use super::definition::{DeliveryMode, Endpoint, EnforcementMode, Hook, HookAction, OnFailure};
use super::match_parser::{hook_patterns, read_match};
use super::point::{HookKind, Point};
use super::projection::Projection;
use super::secret::Secrets;
use super::text::is_pointer;
use crate::json::{Faults, Fields, Node, Path};
use crate::limit::PatternBudget;

/// Every key of a hook.
pub const HOOK_KEYS: &[&str] = &[
    "id",
    "point",
    "points",
    "kind",
    "url",
    "builtin",
    "config",
    "enabled",
    "mandatory",
    "headers",
    "delivery",
    "timeout_ms",
    "on_failure",
    "allow_fail_open",
    "reverify",
    "match",
    "input",
    "max_tokens",
    "mode",
    "priority",
    "scope",
];

const MAX_ID_BYTES: usize = 64;
const ID_RULE: &str = "must be 1 to 64 of a-z, 0-9, `.`, `_` and `-`, a letter or digit first";
const MAX_TIMEOUT_MS: u64 = 30_000;
const DEFAULT_TOKENS: u64 = 1024;
const MAX_TOKENS: u64 = 1_000_000;
const MAX_PRIORITY: i64 = 1_000_000;
const MAX_POINTERS: usize = 64;

/// Checks whether a hook may call a URL: returns the URL in its final form, or what is wrong with
/// it.
pub type CheckUrl<'c> = &'c dyn Fn(&str) -> Result<String, String>;

/// Reads a hook. `id`: what the address of the request calls it, or one that was made up; the
/// hook's own wins over one that was made up, and must be the same as the address's.
pub fn read_hook<'r>(
    node: &'r Node<'_>,
    path: Path<'r>,
    id: GivenId<'_>,
    check_url: CheckUrl<'_>,
    faults: &mut Faults,
) -> Option<Hook> {
    let checks = HookChecks { check_url, patterns: &mut hook_patterns() };
    read_hook_within(node, path, id, checks, faults)
}

/// The checks of a hook that go beyond its own text.
pub struct HookChecks<'c> {
    pub check_url: CheckUrl<'c>,
    /// Shared by all hooks of a request.
    pub patterns: &'c mut PatternBudget,
}

impl std::fmt::Debug for HookChecks<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HookChecks").field("patterns", &self.patterns).finish_non_exhaustive()
    }
}

/// Reads one of several hooks, which share one budget of patterns.
pub fn read_hook_within<'r>(
    node: &'r Node<'_>,
    path: Path<'r>,
    id: GivenId<'_>,
    mut checks: HookChecks<'_>,
    faults: &mut Faults,
) -> Option<Hook> {
    let fields = Fields::read(node, path, HOOK_KEYS, faults)?;
    let id = read_id(&fields, id, faults);
    let kinds: Vec<(&str, HookKind)> =
        HookKind::ALL.iter().map(|kind| (kind.as_str(), *kind)).collect();
    let kind = fields.choice("kind", &kinds, faults);
    if fields.get("kind").is_none() {
        fields.fault("kind", "is missing", faults);
    }
    let points = read_points(&fields, kind, faults);
    let does = read_action(&fields, &points, kind, &mut checks, faults);
    let limits = CallLimits::read(&fields, kind, faults);
    let (on_failure, allow_fail_open) = read_on_failure(&fields, &points, kind, faults);
    let reverify = only(&fields, "reverify", kind, HookKind::Guard, faults)
        && fields.flag("reverify", faults) == Some(true);
    let matching = read_match(&fields, &points, checks.patterns, faults);
    let projection = read_projection(&fields, faults);
    let mode =
        fields.choice("mode", EnforcementMode::WORDS, faults).unwrap_or(EnforcementMode::Enforce);
    let enabled = fields.flag("enabled", faults).unwrap_or(true);
    let mandatory = fields.flag("mandatory", faults);
    let session = read_session(&fields, faults);
    Some(Hook {
        id: id?,
        revision: 1,
        points,
        kind: kind?,
        does: does?,
        enabled,
        mode,
        disabled_because: None,
        mandatory,
        delivery: limits.delivery,
        timeout: limits.timeout,
        on_failure,
        allow_fail_open,
        reverify,
        matching,
        projection,
        max_tokens: limits.max_tokens,
        priority: limits.priority,
        session,
        inline_owner: None,
    })
}

/// The id of a hook whose definition names none.
#[derive(Debug, Clone, Copy)]
pub enum GivenId<'i> {
    /// By the address of the request.
    Address(&'i str),
    /// By a name that was made up.
    Made(&'i str),
}

/// Whether a text can be a hook's id.
pub fn is_hook_id(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    text.len() <= MAX_ID_BYTES
        && text.bytes().next().is_some_and(allowed)
        && text.bytes().all(|byte| allowed(byte) || b"._-".contains(&byte))
}

fn read_id(fields: &Fields<'_, '_>, given: GivenId<'_>, faults: &mut Faults) -> Option<Arc<str>> {
    let own = fields.text("id", faults);
    if own.is_some_and(|own| !is_hook_id(own)) {
        fields.fault("id", ID_RULE, faults);
    }
    match (own, given) {
        (Some(own), GivenId::Address(address)) if own != address => {
            fields.fault("id", format!("must be `{address}`, as in the address"), faults);
            None
        }
        (None, GivenId::Address(id) | GivenId::Made(id)) => Some(id.into()),
        (Some(own), _) => Some(own.into()),
    }
}

fn read_points(fields: &Fields<'_, '_>, kind: Option<HookKind>, faults: &mut Faults) -> Vec<Point> {
    let many = fields.path().key("points");
    let single = fields.path().key("point");
    let mut given: Vec<(&Node<'_>, Path<'_>)> = Vec::new();
    match (fields.get("point"), fields.get("points")) {
        (Some(node), None) => given.push((node, single)),
        (None, Some(_)) => {
            let items = fields.list("points", Point::ALL.len(), faults);
            if items.is_empty() {
                fields.fault("points", "must name at least one point", faults);
            }
            given.extend(items.iter().enumerate().map(|(at, item)| (item, many.index(at))));
        }
        (Some(_), Some(_)) => fields.fault("points", "excludes `point`: give one", faults),
        (None, None) => fields.fault("point", "is missing", faults),
    }
    let mut points = Vec::new();
    for (node, path) in given {
        let Some(name) = node.as_str() else {
            faults.add(&path, format!("must be a string, not {}", node.kind()));
            continue;
        };
        match Point::parse(name) {
            None => {
                let known = Point::ALL.map(Point::as_str);
                faults.unknown_listed_name(&path, "hook point", name, &known);
            }
            Some(point) if points.contains(&point) => faults.add(&path, "is named twice"),
            Some(point) => {
                if let Some(kind) = kind.filter(|kind| !point.takes(*kind)) {
                    let kinds: Vec<&str> = point.kinds().iter().map(|kind| kind.as_str()).collect();
                    let kinds = kinds.join(", ");
                    faults.add(&path, format!("`{point}` takes {kinds}, and no {kind}"));
                }
                points.push(point);
            }
        }
    }
    points
}

fn read_action(
    fields: &Fields<'_, '_>,
    points: &[Point],
    kind: Option<HookKind>,
    checks: &mut HookChecks<'_>,
    faults: &mut Faults,
) -> Option<HookAction> {
    let (url, name) = (fields.text("url", faults), fields.text("builtin", faults));
    match (fields.get("url"), fields.get("builtin")) {
        (None, None) => {
            fields.fault("url", "is missing: a hook calls a `url` or is a `builtin`", faults);
        }
        (Some(_), Some(_)) => fields.fault("builtin", "excludes `url`: give one", faults),
        _ => {}
    }
    if let Some(url) = url {
        let checked = (checks.check_url)(url).map_err(|why| fields.fault("url", why, faults)).ok();
        if fields.get("config").is_some() {
            fields.fault("config", "is for a `builtin`", faults);
        }
        let headers = read_headers(fields, faults);
        let url = checked?.into();
        return Some(HookAction::Call(Endpoint { url, headers, secrets: Secrets::default() }));
    }
    let name = name?;
    if fields.get("headers").is_some() {
        fields.fault("headers", "are sent to a `url`", faults);
    }
    if !builtin::NAMES.contains(&name) {
        let known = builtin::NAMES.iter().copied();
        faults.unknown_name(&fields.path().key("builtin"), "built-in hook", name, known);
        return None;
    }
    let own = Builtin::kind(name);
    if kind.is_some_and(|kind| kind != own) {
        fields.fault("kind", format!("`{name}` is a {own}"), faults);
    }
    for point in points.iter().filter(|point| point.takes(own)) {
        if !Builtin::works_at(name, *point) {
            fields.fault("builtin", format!("`{name}` does nothing at `{point}`"), faults);
        }
    }
    let config = fields.get("config");
    let path = fields.path().key("config");
    Builtin::read(name, config, path, checks.patterns, faults).map(HookAction::Builtin)
}

struct CallLimits {
    delivery: DeliveryMode,
    timeout: Option<Duration>,
    max_tokens: u32,
    priority: i32,
}

impl CallLimits {
    fn read(fields: &Fields<'_, '_>, kind: Option<HookKind>, faults: &mut Faults) -> Self {
        only(fields, "delivery", kind, HookKind::Observe, faults);
        only(fields, "max_tokens", kind, HookKind::Provide, faults);
        let delivery = fields.choice("delivery", DeliveryMode::WORDS, faults);
        let timeout = fields.whole("timeout_ms", 1, MAX_TIMEOUT_MS, faults);
        let tokens = fields.whole("max_tokens", 1, MAX_TOKENS, faults).unwrap_or(DEFAULT_TOKENS);
        let priority = fields.integer("priority", -MAX_PRIORITY, MAX_PRIORITY, faults);
        Self {
            delivery: delivery.unwrap_or(DeliveryMode::Async),
            timeout: timeout.map(Duration::from_millis),
            max_tokens: u32::try_from(tokens).unwrap_or(u32::MAX),
            priority: priority.and_then(|number| i32::try_from(number).ok()).unwrap_or_default(),
        }
    }
}

/// Whether a key is allowed for this kind; a fault if it belongs to another kind.
fn only(
    fields: &Fields<'_, '_>,
    key: &str,
    kind: Option<HookKind>,
    of: HookKind,
    faults: &mut Faults,
) -> bool {
    let wrong = fields.get(key).is_some() && kind.is_some_and(|kind| kind != of);
    if wrong {
        let article = if of == HookKind::Observe { "an" } else { "a" };
        fields.fault(key, format!("is for {article} {of} hook"), faults);
    }
    !wrong
}

fn read_on_failure(
    fields: &Fields<'_, '_>,
    points: &[Point],
    kind: Option<HookKind>,
    faults: &mut Faults,
) -> (Option<OnFailure>, bool) {
    let strictest = match kind {
        Some(HookKind::Guard) => OnFailure::Deny,
        Some(HookKind::Observe) => OnFailure::Skip,
        _ => OnFailure::Fail,
    };
    let at = OnFailure::WORDS.iter().position(|(_, policy)| *policy == strictest);
    let words = at.and_then(|at| OnFailure::WORDS.get(at..)).unwrap_or_default();
    let chosen = fields.choice("on_failure", words, faults);
    let allowed = only(fields, "allow_fail_open", kind, HookKind::Guard, faults)
        && fields.flag("allow_fail_open", faults) == Some(true);
    let closed = |point: &Point| OnFailure::default_of(*point, HookKind::Guard) == OnFailure::Deny;
    if kind == Some(HookKind::Guard)
        && chosen == Some(OnFailure::Skip)
        && !allowed
        && points.iter().any(closed)
    {
        let rule = "lets pass what a guard that fails should stop: \
                    say `\"allow_fail_open\": true` where that is meant";
        fields.fault("on_failure", rule, faults);
    }
    (chosen, allowed)
}

fn read_projection(fields: &Fields<'_, '_>, faults: &mut Faults) -> Projection {
    let Some(node) = fields.get("input") else { return Projection::default() };
    let path = fields.path().key("input");
    let Some(given) = Fields::read(node, path, &["include", "exclude"], faults) else {
        return Projection::default();
    };
    let list = |key: &str, faults: &mut Faults| {
        let pointers = given.texts(key, MAX_POINTERS, faults);
        if !pointers.iter().all(|pointer| is_pointer(pointer)) {
            given.fault(key, "must hold JSON Pointers, such as `/tool/name`", faults);
        }
        if pointers.is_empty() && given.get(key).is_some_and(|node| node.as_array().is_some()) {
            given.fault(key, "must name something, or be absent", faults);
        }
        pointers.into_iter().map(Arc::from).collect::<Vec<Arc<str>>>()
    };
    Projection { include: list("include", faults), exclude: list("exclude", faults) }
}

fn read_session(fields: &Fields<'_, '_>, faults: &mut Faults) -> Option<Arc<str>> {
    let given =
        Fields::read(fields.get("scope")?, fields.path().key("scope"), &["session_id"], faults)?;
    given.text("session_id", faults).map(Arc::from)
}

#[cfg(test)]
mod tests;

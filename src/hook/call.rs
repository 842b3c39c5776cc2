//! The seam between deciding what to call and calling it: [`Caller`] for webhooks, [`Workplace`] for
//! built-in hooks.

use std::any::Any;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use sha2::{Digest as _, Sha256};

use super::answer::HookAnswer;
use super::definition::Hook;
use super::failure::{CallFailure, FailureCause};
use super::order::hex;
use super::point::{HookKind, Point};
use super::text::LIMITS;
use crate::domain::Timestamp;
use crate::json::{canonical_with_nulls, parse, write_string};

/// Calls of one hook at once.
pub const MAX_CONCURRENT_CALLS: usize = 8;

/// Calls webhooks. The implementation with a network is in the module `webhook`; a replay answers
/// from a record, a test has one of its own.
pub trait Caller: Send + Sync + fmt::Debug {
    /// Calls once, and gives up at [`Call::allowance`]. It reads the answer with [`HookAnswer::read`].
    fn call<'c>(&'c self, call: Call<'c>) -> CallFuture<'c>;
}

/// The future of a call.
pub type CallFuture<'c> = Pin<Box<dyn Future<Output = CallReply> + Send + 'c>>;

/// One call of a hook.
#[derive(Debug, Clone, Copy)]
pub struct Call<'c> {
    pub hook: &'c Hook,
    pub point: Point,
    /// Number of times that the point was reached before in the same compile.
    pub occurrence: u32,
    pub scope: &'c CallScope,
    /// JSON text: what the hook may see of the input.
    pub input: &'c str,
    /// The most time that it may take, from now on.
    pub allowance: Duration,
    /// The cause of a failure if there is no answer within [`Call::allowance`]: `Timeout`, or another
    /// if the request leaves less time than the hook has.
    pub timeout_cause: FailureCause,
}

impl Call<'_> {
    /// The digest of the call in a record; computed again each time.
    pub fn digest(&self) -> String {
        digest(self.point, self.hook.kind, self.occurrence, self.input)
    }
}

/// The result of a call.
#[derive(Debug, Clone)]
pub struct CallReply {
    pub answer: Result<HookAnswer, CallFailure>,
    /// The answer's own text, for the record.
    pub body: Option<Arc<str>>,
    /// The duration of the call.
    pub took: Duration,
    /// Attempts; more than one if no connection was made at first.
    pub attempts: u32,
}

/// The scope of the compile; absent members are null on the wire.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallScope {
    pub tenant: Arc<str>,
    pub compilation_id: Option<Arc<str>>,
    pub session_id: Option<Arc<str>>,
    pub agent: Option<Arc<str>>,
    pub turn: Option<u64>,
    /// Number of instances of this service that the request passed through.
    pub hops: u8,
}

/// The facts about an attempt that are part of its body.
#[derive(Debug, Clone, Copy)]
pub struct Attempt {
    /// From 1.
    pub number: u32,
    pub sent_at: Timestamp,
    pub replay: bool,
    pub test: bool,
}

/// The digest of the question to a hook: 64 hex digits, the SHA-256 of the canonical JSON of
/// `{input, kind, occurrence, point}`. Times and ids are not included.
pub fn digest(point: Point, kind: HookKind, occurrence: u32, input: &str) -> String {
    let mut text = String::from("{\"input\":");
    match parse(input, LIMITS) {
        Ok(node) => canonical_with_nulls(&mut text, &node),
        Err(_) => text.push_str(input),
    }
    text.push_str(",\"kind\":");
    write_string(&mut text, kind.as_str());
    text.push_str(",\"occurrence\":");
    text.push_str(&occurrence.to_string());
    text.push_str(",\"point\":");
    write_string(&mut text, point.as_str());
    text.push('}');
    hex(&Sha256::digest(text))
}

/// The body of a call.
pub fn envelope(call: &Call<'_>, attempt: Attempt) -> String {
    let Call { hook, point, scope, input, .. } = *call;
    let mut out = String::with_capacity(input.len() + 512);
    out.push_str("{\"spec\":\"hooks/1\",\"point\":");
    write_string(&mut out, point.as_str());
    out.push_str(",\"kind\":");
    write_string(&mut out, hook.kind.as_str());
    out.push_str(",\"hook\":{\"id\":");
    write_string(&mut out, &hook.id);
    out.push_str(",\"revision\":");
    out.push_str(&hook.revision.to_string());
    out.push_str("},\"scope\":{\"tenant\":");
    write_string(&mut out, &scope.tenant);
    for (name, value) in [
        (",\"compilation_id\":", &scope.compilation_id),
        (",\"session_id\":", &scope.session_id),
        (",\"agent\":", &scope.agent),
    ] {
        out.push_str(name);
        match value {
            Some(value) => write_string(&mut out, value),
            None => out.push_str("null"),
        }
    }
    out.push_str(",\"turn\":");
    out.push_str(&scope.turn.map_or_else(|| "null".to_owned(), |turn| turn.to_string()));
    out.push_str("},\"delivery\":{\"attempt\":");
    out.push_str(&attempt.number.to_string());
    out.push_str(",\"sent_at\":");
    write_string(&mut out, &attempt.sent_at.to_string());
    out.push_str(if attempt.replay { ",\"replay\":true" } else { ",\"replay\":false" });
    out.push_str(if attempt.test { ",\"test\":true" } else { ",\"test\":false" });
    out.push_str("},\"input\":");
    out.push_str(input);
    out.push('}');
    out
}

/// Gives a place to built-in hooks, whose requests give their own place away while they wait.
pub trait Workplace: Send + Sync + fmt::Debug {
    /// Waits for a place. Returns none if the time of the request is up before.
    fn enter(&self) -> WorkplaceFuture<'_>;
}

/// The future of a place, which is given back on drop.
pub type WorkplaceFuture<'w> =
    Pin<Box<dyn Future<Output = Option<Box<dyn Any + Send>>> + Send + 'w>>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_does_not_depend_on_the_order_of_members() {
        // The published vector has a point of an older name; its text is what counts here.
        let one = r#"{"history": [{"role": "user", "content": "hi"}], "x": null}"#;
        let two = r#"{"x":null,"history":[{"content":"hi","role":"user"}]}"#;
        let of = |input| digest(Point::BeforeCompress, HookKind::Transform, 0, input);
        assert_eq!(of(one), of(two));
        let plain = r#"{"input":{"history":[{"content":"hi","role":"user"}],"x":null},"kind":"transform","occurrence":0,"point":"before_compress"}"#;
        assert_eq!(of(one), hex(&Sha256::digest(plain)));
        assert_ne!(of(one), of(r#"{"history":[{"content":"hi","role":"user"}]}"#));
        assert_ne!(of(one), digest(Point::BeforeCompress, HookKind::Transform, 1, one));
    }

    #[test]
    fn the_published_digest_is_that_of_its_text() {
        let text = r#"{"input":{"history":[{"content":"hi","role":"user"}]},"kind":"transform","occurrence":0,"point":"compress/pre"}"#;
        assert_eq!(
            hex(&Sha256::digest(text)),
            "0e5c662c1aea19c62d2aad05469fee4e6aa48d6d877cead2f188be98ca0e12ee"
        );
    }
}

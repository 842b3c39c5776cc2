//! The lines of a round as a record stores them: one JSON object each, which reads back the same.
//!
//! An answer is stored as the text that arrived, so a replay reads it as the first compile did.

use std::sync::Arc;
use std::time::Duration;

use super::failure::{CallFailure, FailureCause};
use super::point::{HookKind, Point};
use super::run::{HookRun, RunOutcome, SkipReason};
use crate::json::{Node, write_string};

impl HookRun {
    /// Appends the run as a JSON object with every member but its input, which is a text of its own in a
    /// record; absent ones are null.
    pub fn write_record(&self, out: &mut String) {
        let failure = self.failure();
        let (reason, code) = match &self.outcome {
            RunOutcome::Denied { reason, code } => (Some(&**reason), code.as_deref()),
            _ => (None, None),
        };
        let skip = match &self.outcome {
            RunOutcome::Skipped(skip) => Some(skip.as_str()),
            _ => None,
        };
        for (index, (name, value)) in [
            ("hook", Some(&*self.hook)),
            ("point", Some(self.point.as_str())),
            ("kind", Some(self.kind.as_str())),
            ("outcome", Some(self.outcome.as_str())),
            ("reason", reason),
            ("code", code),
            ("skip", skip),
            ("cause", failure.map(|failure| failure.cause.as_str())),
            ("detail", failure.map(|failure| &*failure.detail)),
            ("request_digest", self.request_digest.as_deref()),
            ("answer", self.answer.as_deref()),
        ]
        .into_iter()
        .enumerate()
        {
            out.push(if index == 0 { '{' } else { ',' });
            write_string(out, name);
            out.push(':');
            match value {
                Some(text) => write_string(out, text),
                None => out.push_str("null"),
            }
        }
        let status = failure.and_then(|failure| failure.status).unwrap_or_default();
        let micros = u64::try_from(self.took.as_micros()).unwrap_or(u64::MAX);
        for (name, number) in [
            ("revision", self.revision),
            ("occurrence", self.occurrence.into()),
            ("status", status.into()),
            ("took_us", micros),
            ("attempts", self.attempts.into()),
            ("tokens", self.tokens.into()),
            ("audit", self.audit.into()),
            ("clipped", self.clipped.into()),
        ] {
            out.push(',');
            write_string(out, name);
            out.push(':');
            out.push_str(&number.to_string());
        }
        out.push('}');
    }

    /// Reads what [`Self::write_record`] wrote. `None` if it is something else, such as a line of
    /// another release.
    pub fn read_record(node: &Node<'_>) -> Option<Self> {
        let text = |name: &str| node.get(name).and_then(Node::as_str);
        let shared = |name: &str| text(name).map(Arc::<str>::from);
        let number = |name: &str| node.get(name).and_then(Node::as_u64);
        let small = |name: &str| u32::try_from(number(name)?).ok();
        let kind = HookKind::ALL.into_iter().find(|kind| Some(kind.as_str()) == text("kind"))?;
        let outcome = match text("outcome")? {
            "allowed" => RunOutcome::Allowed,
            "denied" => RunOutcome::Denied { reason: shared("reason")?, code: shared("code") },
            "applied" => RunOutcome::Applied,
            "unchanged" => RunOutcome::Unchanged,
            "delivered" => RunOutcome::Delivered,
            "queued" => RunOutcome::Queued,
            "failed" => {
                let failure =
                    CallFailure::new(FailureCause::parse(text("cause")?)?, shared("detail")?);
                let status = u16::try_from(number("status")?).ok().filter(|status| *status > 0);
                RunOutcome::Failed(CallFailure { status, ..failure })
            }
            "skipped" => {
                let why = text("skip")?;
                RunOutcome::Skipped(SkipReason::ALL.into_iter().find(|skip| skip.as_str() == why)?)
            }
            "would_call" => RunOutcome::WouldCall,
            _ => return None,
        };
        Some(Self {
            hook: shared("hook")?,
            revision: number("revision")?,
            point: Point::parse(text("point")?)?,
            kind,
            occurrence: small("occurrence")?,
            outcome,
            audit: number("audit")? == 1,
            request_digest: shared("request_digest"),
            input: None,
            answer: shared("answer"),
            took: Duration::from_micros(number("took_us")?),
            attempts: small("attempts")?,
            tokens: small("tokens")?,
            clipped: number("clipped")? == 1,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::hook::text::LIMITS;
    use crate::json::parse;

    fn text() -> impl Strategy<Value = Arc<str>> {
        any::<String>().prop_map(Arc::from)
    }

    fn outcome() -> impl Strategy<Value = RunOutcome> {
        prop_oneof![
            Just(RunOutcome::Allowed),
            Just(RunOutcome::Applied),
            Just(RunOutcome::Unchanged),
            Just(RunOutcome::Delivered),
            Just(RunOutcome::Queued),
            Just(RunOutcome::WouldCall),
            prop::sample::select(SkipReason::ALL.to_vec()).prop_map(RunOutcome::Skipped),
            (text(), prop::option::of(text()))
                .prop_map(|(reason, code)| RunOutcome::Denied { reason, code }),
            (
                prop::sample::select(FailureCause::ALL.to_vec()),
                text(),
                prop::option::of(1..1000_u16)
            )
                .prop_map(|(cause, detail, status)| RunOutcome::Failed(CallFailure {
                    cause,
                    detail,
                    status
                })),
        ]
    }

    proptest! {
        #[test]
        fn a_run_is_read_back_as_it_was_written(
            (hook, revision, occurrence, outcome) in (text(), any::<u64>(), any::<u32>(), outcome()),
            point in prop::sample::select(Point::ALL.to_vec()),
            kind in prop::sample::select(HookKind::ALL.to_vec()),
            (request_digest, answer) in (prop::option::of(text()), prop::option::of(text())),
            (micros, attempts, tokens) in (any::<u64>(), any::<u32>(), any::<u32>()),
            (audit, clipped) in (any::<bool>(), any::<bool>()),
        ) {
            let run = HookRun {
                hook, revision, point, kind, occurrence, outcome, audit, request_digest,
                input: None, answer, took: Duration::from_micros(micros), attempts, tokens, clipped,
            };
            let mut written = String::new();
            run.write_record(&mut written);
            let again = HookRun::read_record(&parse(&written, LIMITS).unwrap()).unwrap();
            prop_assert_eq!(format!("{:?}", again), format!("{:?}", run));
        }
    }

    #[test]
    fn what_is_no_run_is_none() {
        for text in ["{}", "[]", "7", r#"{"hook":"h","point":"event","kind":"observe"}"#] {
            assert!(HookRun::read_record(&parse(text, LIMITS).unwrap()).is_none(), "{text}");
        }
    }
}

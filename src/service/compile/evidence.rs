//! Runs the hooks at `retrieve_evidence`, which find evidence for a pack's intent. The evidence
//! stage then admits it by snapshot, hash and classification.

use super::Error;
use crate::hook::{HookInput, HookKind, MatchContext, Point};
use crate::json::write_string;
use crate::pipeline::HookPort;
use crate::request::{self, GovernedRequest};

/// Adds the evidence that hooks find for an intent to the evidence of the request.
pub(super) fn retrieve(
    asking: &mut dyn HookPort,
    intent: &str,
    governed: &mut GovernedRequest,
) -> Result<(), Error> {
    const POINT: Point = Point::RetrieveEvidence;
    if !asking.has(POINT, HookKind::Provide) {
        return Ok(());
    }
    let mut input = String::from("{\"intent_id\":");
    write_string(&mut input, intent);
    input.push_str(",\"query\":");
    input.push_str(&governed.invoke.context_query.to_string());
    input.push('}');
    let at = HookInput { point: POINT, input: &input, facts: MatchContext::default() };
    let check = |answer: &str| request::read_evidence(answer).map(drop);
    let provided = asking.provide(at, &|_| 0, &check)?;
    for (_, answer) in &provided.answers {
        governed.evidence.extend(request::read_evidence(answer).unwrap_or_default());
    }
    Ok(())
}

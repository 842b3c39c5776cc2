//! Runs the hooks at `retrieve_evidence`, which find evidence for a pack's intent. The evidence
//! stage then admits it by snapshot, hash and classification.

use super::Error;
use crate::hook::{
    AnswerReader, HookInput, HookKind, MatchContext, Point, PointInput as _, RetrieveEvidenceInput,
};
use crate::json::JsonText;
use crate::pipeline::HookPort;
use crate::request::{self, GovernedRequest};

/// Adds the evidence that hooks find for an intent to the evidence of the request.
pub(super) fn retrieve(
    runner: &mut dyn HookPort,
    intent: &str,
    governed: &mut GovernedRequest,
) -> Result<(), Error> {
    const POINT: Point = Point::RetrieveEvidence;
    if !runner.has(POINT, HookKind::Provide) {
        return Ok(());
    }
    let query = governed.invoke.context_query.to_string();
    let input = RetrieveEvidenceInput { intent_id: intent, query: JsonText::new(&query) }.to_json();
    let at = HookInput { point: POINT, input: &input, facts: MatchContext::default() };
    let reader = AnswerReader::new(request::read_evidence);
    let provided = runner.provide(at, &|_| 0, &|answer| reader.check(answer))?;
    for (_, answer) in &provided.answers {
        governed.evidence.extend(reader.take(answer).unwrap_or_default());
    }
    Ok(())
}

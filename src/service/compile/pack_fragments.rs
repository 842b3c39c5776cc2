//! Runs the hooks at `before_compile` under a pack. Their fragments become blocks of data, which
//! the pack redacts, counts and drops like any other block.

use super::Error;
use crate::hook::{GuardDecision, HookInput, HookKind, MatchContext, Point};
use crate::pack::Pack;
use crate::pipeline::{self, HookPort};
use crate::request::{CallerBlock, CompileRequest, GovernedRequest, is_bucket_name, is_owned};
use crate::service::Services;

/// Priority of a hook's block: above that of a caller's block (50 by default), below that of a
/// block that a rule requires.
const PRIORITY: i64 = 60;

/// Adds the fragments of hooks to the blocks of the request.
pub(super) fn provide(
    services: &Services,
    runner: &mut dyn HookPort,
    pack: &Pack,
    request: &mut CompileRequest,
    governed: &mut GovernedRequest,
) -> Result<(), Error> {
    const POINT: Point = Point::BeforeCompile;
    if !runner.has_any(POINT) {
        return Ok(());
    }
    let input = pipeline::governed_input(request, pack, services.deadline());
    let at = HookInput { point: POINT, input: &input, facts: MatchContext::default() };
    if runner.has(POINT, HookKind::Provide) {
        let (model, counter) = (&request.model, &services.pipeline().counter);
        // Hooks' limits are in tokens of the report, so counts are scaled by the model's factor.
        let tokens = |text: &str| {
            let scaled = model.scale(counter.count(model.tokenizer, text));
            u32::try_from(scaled).unwrap_or(u32::MAX)
        };
        let provided = runner.provide(at, &tokens, &|_| Ok(()))?;
        for fragment in provided.fragments {
            let named = fragment.bucket.unwrap_or_else(|| "session".into());
            let is_theirs = !is_owned(&named) && is_bucket_name(&named);
            if !is_theirs {
                let detail = format!(
                    "`{}` has text for the bucket `{}`, which is the pack's own or no name of one",
                    fragment.hook,
                    named.escape_debug()
                );
                request.notes.warn("bucket_not_theirs", "/hooks".to_owned(), detail);
            }
            governed.blocks.push(CallerBlock {
                bucket: if is_theirs { named } else { "session".into() },
                kind: "implicit_context".into(),
                text: fragment.content,
                priority: PRIORITY,
                source: format!("hook:{}", fragment.hook).into(),
            });
        }
    }
    runner.observe(at, GuardDecision::None)?;
    Ok(())
}

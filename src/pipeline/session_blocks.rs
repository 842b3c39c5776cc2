//! The blocks of state, context and memory data for a list that somebody else writes, in which earlier
//! blocks stay where they were put.

use std::sync::Arc;

use super::measure::Meter;
use super::points::before_compile;
use super::points::list::ShownMessages;
use super::volatile_blocks::{BlockKind, BlocksInSight};
use super::{Deadline, PipelineContext, StopReason, tail};
use crate::domain::{Notes, RawJson, Target};
use crate::hook::{BeforeCompileInput, PointInput as _};
use crate::json::{Faults, Node};
use crate::provider;
use crate::request::{CompileRequest, MemoryOptions, Placement};

/// Returns the blocks that say something new after `earlier`, which are in the list, the newest last.
/// `request` has the state, the context and the memory; `provided` is the text of hooks.
pub fn session_blocks(
    cx: &PipelineContext,
    request: &CompileRequest,
    provided: String,
    earlier: impl Iterator<Item = Arc<str>>,
    deadline: &Deadline,
) -> Result<Vec<String>, StopReason> {
    let meter = Meter::new(&cx.counter, request.model.tokenizer, request.target, deadline);
    let mut in_sight = BlocksInSight::default();
    earlier.for_each(|block| in_sight.note(block));
    let context = before_compile::context(provided, request.implicit_context.as_deref());
    // System text is not ours to write here.
    let memory = request.memory.clone();
    let memory = memory.map(|own| MemoryOptions { placement: Placement::LastUser, ..own });
    let input = tail::Input {
        dynamic_state: request.dynamic_state.as_ref(),
        dynamic_state_placement: Placement::LastUser,
        dynamic_state_anchor: request.dynamic_state_anchor,
        implicit_context: context.as_deref(),
        memory: memory.as_ref(),
        memory_room: memory.as_ref().map_or(0, |own| request.model.unscale(own.max_tokens)),
        in_sight: &in_sight,
    };
    Ok(tail::run(&meter, &input, &mut Notes::default())?.tail)
}

/// Says of each block whether no later one is of its kind: at a compaction point the others go.
pub fn newest_blocks(blocks: &[Arc<str>]) -> Vec<bool> {
    let mut seen: Vec<Option<BlockKind>> = Vec::new();
    let mut newest: Vec<bool> = Vec::with_capacity(blocks.len());
    for block in blocks.iter().rev() {
        let kind = BlockKind::of(block);
        newest.push(!seen.contains(&kind));
        if !seen.contains(&kind) {
            seen.push(kind);
        }
    }
    newest.reverse();
    newest
}

/// The input of hooks at `before_compile` about a request that somebody else wrote.
pub fn session_input(payload: &Node<'_>, target: Target, state: Option<&RawJson>) -> String {
    let (mut faults, mut notes) = (Faults::default(), Notes::default());
    let read = provider::read(payload, target.into(), &mut faults, &mut notes);
    BeforeCompileInput {
        system: ShownMessages::new(read.system.iter()).json(),
        history: ShownMessages::new(read.history.iter()).json(),
        dynamic_state: state.map(RawJson::as_json),
        dynamic_state_xml: state.and_then(tail::state_xml).as_deref(),
    }
    .to_json()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_block_of_each_kind_stays() {
        let state = |text: &str| Arc::from(format!("<dynamic_state>{text}</dynamic_state>"));
        let memory = Arc::from(format!("{}</memory>", super::super::prose::MEMORY_OPENING));
        assert_eq!(newest_blocks(&[state("1"), memory, state("2")]), [false, true, true]);
        assert_eq!(newest_blocks(&[]), [false; 0]);
    }
}

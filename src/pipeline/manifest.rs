//! Stage 11: everything that happened, as the report.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;
use std::sync::Arc;

use super::arrived_forms::ArrivedForms;
use super::measure::{Cost, Meter};
use super::prose::READ_TOOL;
use super::report::{
    Action, Actions, Cache, Decision, MAX_OVERSIZED_PARTS, MemoryReport, OversizedPart, PartTokens,
    PriceStepReport, Report, ReportBuilder, ToolCost, Tools, write_messages_sentence,
};
use super::slot::{PartName, Slot};
use super::{StopReason, memory};
use crate::compress::Fidelity;
use crate::domain::{Content, Message, Model, Notes, Part, Role, ToolDefinition};
use crate::provider;
use crate::request::{CompileRequest, ExplainLevel, LOAD_TOOLKIT};

/// The outputs of the stages, for the report.
pub(super) struct Input<'i> {
    pub(super) request: &'i CompileRequest,
    pub(super) slots: &'i [Slot],
    /// Raw tokens of the framing before the reply.
    pub(super) reply: u64,
    pub(super) arrival: Arrival<'i>,
    pub(super) actions: Vec<Action>,
    /// Forms of the texts of each message on arrival.
    pub(super) forms: Vec<ArrivedForms>,
    pub(super) notes: Notes,
    /// Decisions on messages that a pack left out; empty if no decisions are asked for.
    pub(super) omitted: Vec<Decision>,
}

/// What hooks did to messages.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct HookedMessages {
    /// Removed before the history was compressed.
    pub(super) removed: usize,
    /// Added to the final list.
    pub(super) added: usize,
    /// Raw tokens of the request's history; none if hooks left it as it was.
    pub(super) history: Option<u64>,
}

/// Costs and names of the conversation as it arrived. Raw tokens.
#[derive(Debug, Clone)]
pub(super) struct Arrival<'i> {
    /// One for each message of the history, and what its form on arrival saves.
    pub(super) costs: &'i [Cost],
    pub(super) saved: &'i [i64],
    /// Names of messages in decisions; empty if no decisions are asked for.
    pub(super) names: &'i [MessageName],
    pub(super) system: u64,
    pub(super) tools: u64,
    pub(super) chosen: Option<Tools>,
    /// Memory data, and the keys of the entries in it.
    pub(super) memory: u64,
    pub(super) injected: Vec<String>,
    /// What hooks did to messages that have no action.
    pub(super) hooked: HookedMessages,
    /// Raw tokens that hooks at `tool_result` took from results; negative if they added some.
    pub(super) result_tokens: i64,
    /// The key of the request's list of messages.
    pub(super) list_key: &'static str,
}

/// The name of a message in a decision.
#[derive(Debug, Clone)]
pub(super) struct MessageName {
    pub(super) index: Option<usize>,
    pub(super) id: String,
}

/// The names of the messages of a list.
pub(super) fn message_names(history: &[Message]) -> Vec<MessageName> {
    let named = history.iter().enumerate();
    named.map(|(at, message)| MessageName::new(message, at)).collect()
}

impl MessageName {
    /// The client's id, or one from content and position.
    pub(super) fn new(message: &Message, position: usize) -> Self {
        let index = message.origin;
        let id = if let Some(id) = &message.id {
            id.to_string()
        } else {
            let mut content = format!("{position}\n{:?}", message.role);
            message.parts.iter().for_each(|part| write_text(part, &mut content));
            let mut id = String::with_capacity(10);
            id.push_str("m_");
            for byte in blake3::hash(content.as_bytes()).as_bytes().iter().take(4) {
                let _ = write!(id, "{byte:02x}");
            }
            id
        };
        Self { index, id }
    }
}

/// Appends what is to be read in a part.
fn write_text(part: &Part, text: &mut String) {
    text.push('\n');
    match &part.content {
        Content::Text(own) => text.push_str(own),
        Content::Thinking(thinking) => text.push_str(&thinking.text),
        Content::ToolCall(call) => {
            text.push_str(&call.name);
            text.push_str(&call.arguments);
        }
        Content::ToolResult(result) => {
            result.content.iter().for_each(|part| write_text(part, text));
        }
        Content::Media(media) => text.push_str(&media.media_type),
        Content::Opaque { raw, .. } => text.push_str(raw.as_str()),
    }
}

pub(super) fn run(input: Input<'_>) -> ReportBuilder {
    let model = &input.request.measured();
    let raw = raw_parts(&input);
    let parts = scale_parts(&raw, input.request.reserve_output, model);
    let tokens_after = model.scale(raw.iter().sum());
    let arrived = &input.arrival;
    let history =
        || restore_saved(arrived.costs.iter().map(|cost| cost.real()).sum(), arrived.saved);
    // Under a pack, the stages did not get the conversation that arrived.
    let came: u64 = input.request.arrived_tokens.unwrap_or_else(|| {
        arrived.hooked.history.unwrap_or_else(history) + arrived.system + arrived.tools
    });
    let came = came.saturating_add_signed(arrived.result_tokens) + input.reply;
    let tokens_before = model.scale(came);
    let budget = input.request.budget();
    let fits = tokens_after <= budget;
    let mut actions = Actions::default();
    for action in &input.actions {
        actions.add(*action);
    }
    actions.added += input.arrival.hooked.added;
    actions.removed += input.arrival.hooked.removed;
    actions.summarized += input.request.omitted.summarized.len();
    actions.dropped += input.request.omitted.dropped.len();
    let too_big = if fits { Vec::new() } else { find_oversized(&input, &parts, budget) };
    let decisions = (input.request.explain == ExplainLevel::Full).then(|| {
        let mut decisions = write_decisions(&input);
        decisions.extend(input.omitted.iter().cloned());
        decisions.sort_by_key(|decision| decision.index);
        decisions
    });
    let has_media = raw.last().is_some_and(|media| *media > 0);
    let is_estimate = input.slots.iter().any(|slot| slot.cost.is_estimate);
    ReportBuilder::new(Report {
        summary: write_messages_sentence(tokens_before, tokens_after, budget, &actions),
        tokens_before,
        tokens_after,
        fits,
        budget,
        tokenizer: model.tokenizer.as_str(),
        exact: model.is_exact() && !has_media && !is_estimate,
        parts,
        actions,
        history_summary: None,
        cache: Cache { stable_tokens: model.scale(stable_tokens(&input)), ..Cache::default() },
        cost: None,
        requires: None,
        unique_saved_tokens: tokens_before.saturating_sub(tokens_after),
        reported_cost: None,
        price_step: input
            .request
            .step_tokens()
            .map(|step| PriceStepReport::new(step, budget, tokens_after)),
        put_off: None,
        memory: MemoryReport { injected: arrived.injected.clone(), expired: Vec::new() },
        skill: input.request.skill.as_ref().map(|skill| skill.name.to_string()),
        service_tools: service_tools(input.request),
        tools: arrived.chosen.clone(),
        hooks: Vec::new(),
        degraded: input.notes.degraded,
        repairs: input.notes.repairs,
        warnings: input.notes.warnings,
        too_big,
        notations: None,
        decisions,
    })
}

pub(super) fn restore_saved(tokens: u64, saved: &[i64]) -> u64 {
    tokens.saturating_add_signed(saved.iter().sum())
}

/// Raw tokens: system, skill, tools, memory, history, tail, media.
fn raw_parts(input: &Input<'_>) -> [u64; 7] {
    let [mut system, mut skill, mut memory, mut history, mut tail, mut media] = [0; 6];
    for slot in input.slots {
        let text = (slot.cost.text + slot.cost.scoped).saturating_sub(slot.tail);
        tail += slot.cost.text.saturating_sub(text);
        media += slot.cost.media;
        match slot.part {
            PartName::System => system += text,
            PartName::Skill => skill += text,
            PartName::Memory => memory += text,
            PartName::History => history += text,
            PartName::Tail => tail += text,
        }
    }
    // Memory data on the last user message is memory all the same.
    let moved = if memory_in_tail(input) { input.arrival.memory.min(tail) } else { 0 };
    [system, skill, input.arrival.tools, memory + moved, history, tail - moved + input.reply, media]
}

/// The tools that are ours to carry out.
fn service_tools(request: &CompileRequest) -> Vec<String> {
    let read = request.compression.read_tool.then(|| READ_TOOL.to_owned());
    let remember = request.memory.iter().flat_map(memory::tools);
    let load = (!request.tools.toolkits.is_empty()).then(|| LOAD_TOOLKIT.to_owned());
    let ours = read.into_iter().chain(remember.map(|tool| tool.name.to_string()));
    ours.chain(load).collect()
}

/// Reports the tools: how many the request has, which of them were removed, and the raw tokens of
/// each in the payload.
pub(super) fn tool_report(
    request: &CompileRequest,
    total: usize,
    removed: &[Arc<str>],
    tools: &[ToolDefinition],
    costs: &[u64],
) -> Option<Tools> {
    let cost = |(tool, tokens): (&ToolDefinition, &u64)| ToolCost {
        name: tool.name.to_string(),
        tokens: request.model.scale(*tokens),
    };
    let surfaced: Vec<ToolCost> = tools.iter().zip(costs).map(cost).collect();
    (total > 0 || !surfaced.is_empty()).then(|| Tools {
        total,
        kept: total - removed.len().min(total),
        removed: removed.iter().map(ToString::to_string).collect(),
        surfaced,
    })
}

fn memory_in_tail(input: &Input<'_>) -> bool {
    let last_user = crate::request::Placement::LastUser;
    input.request.memory.as_ref().is_some_and(|memory| memory.placement == last_user)
}

/// Scales running sums, so that the parts add up to the scaled whole.
fn scale_parts(raw: &[u64; 7], reserve: u64, model: &Model) -> PartTokens {
    let (mut sum, mut done) = (0, 0);
    let mut next = raw.iter().map(|part| {
        sum += part;
        let part = model.scale(sum) - done;
        done += part;
        part
    });
    let mut part = || next.next().unwrap_or_default();
    PartTokens {
        system: part(),
        skill: part(),
        tools: part(),
        memory: part(),
        history: part(),
        tail: part(),
        media: part(),
        reserve,
    }
}

/// Raw tokens before the first place that changes with every compile, in the order in which the
/// provider reads the payload.
fn stable_tokens(input: &Input<'_>) -> u64 {
    let hoists = provider::rules(input.request.target).hoists_system;
    let is_first = |slot: &&Slot| hoists && slot.message.is_hoisted();
    let first = input.slots.iter().filter(is_first);
    let rest = input.slots.iter().filter(|slot| !is_first(slot));
    let mut sum = input.arrival.tools;
    for slot in first.chain(rest) {
        if slot.changes(hoists) {
            let own = if slot.part == PartName::Tail { 0 } else { slot.cost.real() };
            return sum + own.saturating_sub(slot.tail);
        }
        sum += slot.cost.real();
    }
    sum
}

/// Finds the fixed parts that take the room: single parts above the budget, else the largest
/// parts.
fn find_oversized(input: &Input<'_>, parts: &PartTokens, budget: u64) -> Vec<OversizedPart> {
    let model = &input.request.measured();
    let whole = |part, tokens| OversizedPart { part, tokens, pointer: None };
    let mut found = vec![
        whole("system", parts.system),
        whole("skill", parts.skill),
        whole("tools", parts.tools),
        whole("memory", parts.memory),
        whole("tail", parts.tail),
        whole("media", parts.media),
    ];
    let last_user = input.slots.iter().rposition(|slot| slot.message.role == Role::User);
    let mut listed = 0;
    for (at, slot) in input.slots.iter().enumerate() {
        let Some(origin) = slot.message.origin.filter(|_| slot.part == PartName::History) else {
            continue;
        };
        let untouchable = Some(at) == last_user || slot.message.role == Role::System || slot.fixed;
        if untouchable {
            let tokens = model.scale(slot.cost.text.saturating_sub(slot.tail));
            listed += tokens;
            let pointer = Some(format!("/{}/{origin}", input.arrival.list_key));
            found.push(OversizedPart { part: "message", tokens, pointer });
        }
    }
    // At levels that stop short, the history that is left is as untouchable as the rest.
    found.push(whole("history", parts.history.saturating_sub(listed)));
    found.retain(|entry| entry.tokens > 0);
    found.sort_by_key(|entry| std::cmp::Reverse(entry.tokens));
    let culprits = found.iter().take_while(|entry| entry.tokens > budget).count();
    found.truncate(if culprits > 0 {
        culprits.min(MAX_OVERSIZED_PARTS)
    } else {
        MAX_OVERSIZED_PARTS
    });
    found
}

fn write_decisions(input: &Input<'_>) -> Vec<Decision> {
    let model = &input.request.measured();
    // By the message of the request, since hooks may have taken some out and moved others.
    let mut after: BTreeMap<usize, VecDeque<u64>> = BTreeMap::new();
    for slot in input.slots.iter().filter(|slot| slot.part == PartName::History) {
        if let Some(origin) = slot.message.origin {
            let now = slot.cost.real().saturating_sub(slot.tail);
            after.entry(origin).or_default().push_back(now);
        }
    }
    let mut list = Vec::with_capacity(input.actions.len());
    let arrived = &input.arrival;
    let costs = arrived.costs.iter().zip(arrived.saved);
    for (((action, form), name), (cost, saved)) in
        input.actions.iter().zip(&input.forms).zip(arrived.names).zip(costs)
    {
        let gone = matches!(action, Action::Summarized | Action::Dropped | Action::Removed);
        // Messages of ours that ingest put in have no place in the request.
        let now = match (gone, name.index) {
            (true, _) => 0,
            (false, Some(origin)) => {
                after.get_mut(&origin).and_then(VecDeque::pop_front).unwrap_or_default()
            }
            (false, None) => cost.real(),
        };
        let Some(index) = name.index else { continue };
        list.push(Decision {
            index,
            id: name.id.clone(),
            action: *action,
            rule: match action {
                Action::Compressed | Action::Deduplicated => form.rules().into(),
                action => action.rule().into(),
            },
            class: form.class().map(Fidelity::as_str),
            values: form.values(),
            tokens_before: model.scale(cost.real().saturating_add_signed(*saved)),
            tokens_after: model.scale(now),
            artifact: None,
        });
    }
    list
}

/// The decisions on messages for which a pack had no room, with their tokens.
pub(super) fn omitted_decisions(
    meter: &Meter<'_>,
    request: &CompileRequest,
) -> Result<Vec<Decision>, StopReason> {
    let model = request.measured();
    let omitted = &request.omitted;
    let summarized = omitted.summarized.iter().map(|message| (message, Action::Summarized));
    let dropped = omitted.dropped.iter().map(|message| (message, Action::Dropped));
    let mut decisions = Vec::new();
    for (message, action) in summarized.chain(dropped) {
        let Some(index) = message.origin else { continue };
        decisions.push(Decision {
            index,
            id: MessageName::new(message, index).id,
            action,
            rule: "pack:session".into(),
            class: None,
            values: None,
            tokens_before: model.scale(meter.message(message)?.real()),
            tokens_after: 0,
            artifact: None,
        });
    }
    Ok(decisions)
}

//! Has the ladder shorten a list, and reads what became of its texts.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::json;

use super::exact_results::{self, ExactMessage, FURTHER_TEXT};
use crate::domain::{Model, Source};
use crate::gateway::{
    CompactedMessage, DecidedText, GroupKind, MessageDecision, NumberedText, OutlinedMessage,
    ReadTool, RequestOutline, TextGroup, numbered_texts,
};
use crate::json::{self, Limits, Node};
use crate::pipeline::{self, Deadline, MessageAuthor, NoHooks, Original, PipelineRun, Timings};
use crate::provider;
use crate::request::{self, CompressInput, ModelReader, ReferenceStyle};
use crate::service::gateway::GatewayRequest;
use crate::service::gateway::guards::target_of;
use crate::service::gateway::lineage::KnownLineage;
use crate::service::{Services, adapters};

/// A list whose old results are to be shortened.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShortenedList<'l> {
    pub(super) services: &'l Services,
    pub(super) request: &'l GatewayRequest,
    pub(super) outline: &'l RequestOutline,
    pub(super) model: &'l Model,
    pub(super) lineage: &'l KnownLineage<'l>,
}

/// What became of a list.
#[derive(Debug)]
pub(super) struct ShortenedMessages {
    /// The messages with forms, in order.
    pub(super) messages: Vec<CompactedMessage>,
    /// The texts that forms name, for the tool that reads them.
    pub(super) originals: Vec<Arc<str>>,
}

impl ShortenedList<'_> {
    /// Returns the messages with forms once the request has `tokens`, or as few as it can have: all
    /// before the newest ones. Without `tokens`, all results before the last turns are shortened. Exact results stay but for those in `cleared`. None if the list cannot be
    /// read, or the time is up.
    pub(super) fn shorten(
        &self,
        tokens: Option<u64>,
        cleared: &[ExactMessage<'_>],
        deadline: &Deadline,
    ) -> Option<ShortenedMessages> {
        let body = exact_results::clear(&self.request.body, cleared);
        let node = json::parse(body.as_deref().unwrap_or(&self.request.body), Limits::default());
        let text = self.compress_request(&node.ok()?, tokens, cleared)?;
        let node = json::parse(&text, Limits::default()).ok()?;
        let known = adapters::look_up(self.services, Some(&node)).ok()?;
        let mut asked = request::read_compress(&node, self.services.models(), &known).ok()?;
        let reference = self.outline.read_tool.map(|tool| match tool {
            ReadTool::ContextRead => ReferenceStyle::Tool,
            ReadTool::HeadroomRetrieve => ReferenceStyle::Hash,
        });
        asked.reader = ModelReader { results_only: true, reference, ..ModelReader::default() };
        let CompressInput::List(list) = &asked.given else { return None };
        let key = list.key;
        let authors = vec![MessageAuthor::Caller; list.items.len()];
        let (mut hooks, mut timings) = (NoHooks, Timings::default());
        let run = PipelineRun { deadline, hooks: &mut hooks, timings: &mut timings };
        let shown = pipeline::shorten(self.services.pipeline(), &asked, &authors, run).ok()?;
        let originals = shown.output.originals;
        let shown = shown.output.list;
        // At this level every message stays in its place.
        let is_whole = shown.iter().enumerate().all(|(at, own)| own.origin == Some(at));
        if !is_whole || shown.len() != self.outline.messages.len() {
            return None;
        }
        let list: Vec<&str> = shown.iter().map(|own| &*own.json).collect();
        let body = format!("{{\"{key}\":[{}]}}", list.join(","));
        let node = json::parse(&body, Limits::default()).ok()?;
        let shown = RequestOutline::read(self.request.endpoint, &body, &node)?;
        let pairs = self.outline.messages.iter().zip(&shown.messages).enumerate();
        let old = pairs.take(self.outline.newest());
        let compacted = old.map(|(index, (message, shown))| CompactedMessage {
            index,
            decision: self.decide(index, message, shown),
        });
        let messages: Vec<_> = compacted.filter(|own| !own.decision.forms.is_empty()).collect();
        // Without a tool that reads them, no form names them.
        let is_named = |original: &Original| {
            let id = original.artifact.to_string();
            let at = messages.binary_search_by_key(&original.message, |own| own.index).ok();
            let own = at.and_then(|at| messages.get(at)).filter(|_| reference.is_some());
            own.is_some_and(|own| own.decision.forms.iter().any(|form| form.form.contains(&id)))
        };
        let originals = originals.into_iter().filter(is_named).map(|own| own.text).collect();
        Some(ShortenedMessages { messages, originals })
    }

    /// The list as `POST /compress` takes it. The newest messages stay as they are, and so do those with
    /// results of protected tools, or exact ones that are not cleared.
    fn compress_request(
        &self,
        node: &Node<'_>,
        tokens: Option<u64>,
        cleared: &[ExactMessage<'_>],
    ) -> Option<String> {
        let source = Source::from(target_of(self.request.endpoint));
        let newest = self.outline.newest();
        let stays = |(index, message): (usize, &OutlinedMessage)| {
            let is_cleared = cleared.binary_search_by_key(&index, |own| own.index).is_ok();
            let stays =
                |group| self.is_protected(group) || (!is_cleared && exact_results::is_exact(group));
            (index >= newest || message.groups.iter().any(stays)).then_some(index)
        };
        let fixed: Vec<usize> =
            self.outline.messages.iter().enumerate().filter_map(stays).collect();
        let mut members = json!({
            "source": Source::WORDS.iter().find(|(_, own)| *own == source)?.0,
            "model": &*self.model.name,
            "level": "reversible",
            "budget_tokens": tokens.map(|tokens| tokens.max(1)),
            "originals": "return",
            "repair": "lenient",
            "protect": {"messages": fixed},
        })
        .to_string();
        members.pop();
        for (key, member) in node.as_object()? {
            if provider::CONVERSATION_KEYS.contains(&key.as_ref()) || key == "tools" {
                let _ = write!(members, ",{}:{}", json!(&**key), member.raw);
            }
        }
        members.push('}');
        Some(members)
    }

    fn is_protected(&self, group: &TextGroup) -> bool {
        let is_named = |tool: &str| self.request.protected.iter().any(|own| own.covers(tool));
        group.tool.as_deref().is_some_and(is_named)
    }

    /// The decision about a message, by its texts as the ladder shows them. Texts of the user keep the
    /// forms that they have.
    fn decide(
        &self,
        index: usize,
        message: &OutlinedMessage,
        shown: &OutlinedMessage,
    ) -> MessageDecision {
        let mut numbered = numbered_texts(message).into_iter();
        let now = self.lineage.decision(index);
        let mut decision = MessageDecision::default();
        for (at, group) in message.groups.iter().enumerate() {
            let texts: Vec<_> = numbered.by_ref().take(group.texts.len()).collect();
            if group.kind == GroupKind::Words {
                let forms = now.map(|now| now.forms.as_slice()).unwrap_or_default();
                let is_own = |form: &&DecidedText| {
                    texts.iter().any(|text| {
                        (text.digest, text.occurrence) == (form.digest, form.occurrence)
                    })
                };
                decision.forms.extend(forms.iter().filter(is_own).cloned());
                continue;
            }
            let shown = shown.groups.get(at).map(|group| group.texts.as_slice());
            let shown: Vec<&Arc<str>> =
                shown.unwrap_or_default().iter().map(|text| &text.text).collect();
            let forms = shown_forms(group, &shown);
            let decided =
                texts.into_iter().zip(forms).filter_map(|(text, form)| self.decided(text, form?));
            decision.forms.extend(decided);
        }
        decision
    }

    /// The form of a text, if it is shorter.
    fn decided(&self, numbered: NumberedText<'_>, form: Arc<str>) -> Option<DecidedText> {
        let NumberedText { text, digest, occurrence, .. } = numbered;
        let counter = &self.services.pipeline().counter;
        let count = |text: &str| counter.count(self.model.tokenizer, text);
        let saved_tokens = count(&text.text).checked_sub(count(&form))?;
        (saved_tokens > 0).then_some(DecidedText { digest, occurrence, form, saved_tokens })
    }
}

/// The forms of a result's texts, by its texts as the ladder shows them; none for those that stay.
fn shown_forms(group: &TextGroup, shown: &[&Arc<str>]) -> Vec<Option<Arc<str>>> {
    let texts = || group.texts.iter().map(|text| &text.text);
    let changed = |text: &Arc<str>, shown: &Arc<str>| (text != shown).then(|| Arc::clone(shown));
    match shown {
        // One line stands for all of the texts: each has to be there, and none may be empty.
        [line] if group.texts.len() > 1 && pipeline::is_cleared(line) => {
            let further = Arc::from(FURTHER_TEXT);
            let lines = std::iter::once(*line).chain(std::iter::repeat(&further));
            texts().zip(lines).map(|(_, line)| Some(Arc::clone(line))).collect()
        }
        _ if shown.len() == group.texts.len() => {
            texts().zip(shown).map(|(text, shown)| changed(text, shown)).collect()
        }
        _ => texts().map(|_| None).collect(),
    }
}

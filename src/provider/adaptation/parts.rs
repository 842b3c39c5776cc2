//! Parts of messages: thinking, signatures, opaque items, unknown fields, cache marks.

use super::fields::{foreign_fields, member, says_something};
use super::item_ids::is_reasoning_id;
use super::known_members::is_known_of_part;
use super::losses::LossCounts;
use super::media::{MediaChange, MediaHolder};
use super::opaque_items::{CREATED_BY, remove_leftovers, remove_members, search_result};
use super::{ConversationAdapter, MessageRegion, pointer};
use crate::domain::{Content, Message, Part, Role, Source, Target, Thinking, ToolResult};
use crate::provider::GENERATED_IMAGE;
use crate::provider::words::is_leftover;

const ID: &str = "id";

impl ConversationAdapter<'_> {
    /// Adapts the parts of a message; false if nothing is left that the target accepts.
    pub(super) fn message_parts(&mut self, message: &mut Message, place: MessageRegion) -> bool {
        if message.role == Role::Tool && !message.parts.iter().all(is_result) {
            self.strays(message, place);
        }
        let role = message.role;
        let plain = |part| is_plain(part) && !self.is_blank(part, role);
        if message.parts.iter().all(plain) && !message.parts.is_empty() {
            return true;
        }
        let spoke = message.parts.iter().any(|part| !is_empty(part) && !self.is_blank(part, role));
        let mut lost = LossCounts::default();
        let mut kept: Vec<Part> = Vec::with_capacity(message.parts.len());
        for mut part in std::mem::take(&mut message.parts) {
            let keep = self.part(&mut part, message.role, &mut lost);
            if self.target == Target::Anthropic && part.cache.is_some() && !(keep && marks(&part)) {
                let mark = part.cache.take();
                match kept.iter_mut().rev().find(|part| marks(part)) {
                    Some(earlier) => earlier.cache = earlier.cache.or(mark),
                    None => lost.marks += 1,
                }
            }
            if keep {
                kept.push(part);
            }
        }
        message.parts = kept;
        self.report(message, place, lost);
        self.stays(message, place, spoke)
    }

    /// Whether a message still has a place in the payload.
    fn stays(&mut self, message: &Message, place: MessageRegion, spoke: bool) -> bool {
        let at = || pointer(self.source, message.origin, place);
        if !message.parts.is_empty() {
            return true;
        }
        match self.target {
            // All of its content was lost, with a note each. Its fields may still have meaning.
            _ if spoke => !message.extra.is_empty(),
            // It may change the model's effort alone.
            Target::Anthropic if !message.extra.is_empty() => true,
            Target::OpenaiResponses if message.role != Role::Assistant => true,
            Target::Anthropic | Target::Gemini | Target::OpenaiResponses => {
                self.notes.degraded("empty_message_dropped", at(), "");
                false
            }
            Target::Openai | Target::Neutral => true,
        }
    }

    /// A tool message contains results. Other parts are moved into its last result; without a
    /// result they become a user message.
    fn strays(&mut self, message: &mut Message, place: MessageRegion) {
        let at = pointer(self.source, message.origin, place);
        self.notes.degraded("tool_parts_moved", at, "");
        let (results, strays): (Vec<Part>, Vec<Part>) =
            std::mem::take(&mut message.parts).into_iter().partition(is_result);
        message.parts = results;
        let last = message.parts.last_mut().map(|part| &mut part.content);
        if let Some(Content::ToolResult(result)) = last {
            result.content.extend(strays);
        } else {
            message.role = Role::User;
            message.parts = strays;
        }
    }

    /// Adapts one part in place; false takes it out.
    fn part(&mut self, part: &mut Part, role: Role, lost: &mut LossCounts) -> bool {
        if let Content::Thinking(thinking) = &part.content {
            let keep = self.keeps_thinking(thinking, part, role);
            lost.thinking += usize::from(!keep);
            return keep && self.reasoning_item(part, lost);
        }
        if part.signature.is_some() && !self.keeps_signature() {
            part.signature = None;
            lost.signatures += 1;
        }
        self.own_signature(part);
        self.document(part, false, lost);
        self.part_extra(part, lost);
        match &mut part.content {
            Content::Text(_) => !self.is_blank(part, role),
            Content::ToolResult(result) => {
                self.result(result, &mut part.cache, lost);
                true
            }
            Content::Media(_) => {
                let holder = match role {
                    Role::User => MediaHolder::User,
                    Role::Assistant => MediaHolder::Assistant,
                    Role::Tool => MediaHolder::Result,
                    Role::System => MediaHolder::System,
                };
                self.media_part(part, holder, lost);
                true
            }
            Content::Opaque { .. } => self.opaque(part, lost),
            Content::ToolCall(_) | Content::Thinking(_) => true,
        }
    }

    /// A text that the target refuses for saying nothing.
    fn is_blank(&self, part: &Part, role: Role) -> bool {
        let Content::Text(text) = &part.content else { return false };
        match self.target {
            Target::Anthropic => text.trim_start().is_empty(),
            Target::Gemini => text.is_empty() && part.signature.is_none(),
            // Such a message parts reasoning from the item that it led to.
            Target::OpenaiResponses if role == Role::Assistant => text.trim_start().is_empty(),
            _ => false,
        }
    }

    fn media_part(&mut self, part: &mut Part, holder: MediaHolder, lost: &mut LossCounts) {
        let is_generated = part.extra.iter().any(|(name, _)| &**name == GENERATED_IMAGE);
        let keeps_generated = self.target == Target::Neutral
            || (self.target == Target::Openai && holder == MediaHolder::Assistant);
        if is_generated && !keeps_generated {
            part.extra.retain(|(name, _)| &**name != GENERATED_IMAGE);
        }
        let Content::Media(media) = &mut part.content else { return };
        let is_generated = is_generated && keeps_generated;
        // The user's message after the results shows their media.
        let is_user =
            is_generated || (self.target == Target::Openai && holder == MediaHolder::Result);
        let holder = if is_user { MediaHolder::User } else { holder };
        let MediaChange { text, retyped, is_named } = self.media(media, holder);
        lost.retyped.extend(retyped);
        lost.named += usize::from(is_named);
        if let Some(text) = text {
            let first = text.split('\n').next().unwrap_or_default();
            lost.media.push(first.to_owned());
            part.content = Content::Text(text.into());
            part.extra.clear();
        } else if media.name.is_some() && !self.names_media(media, holder) {
            media.name = None;
            lost.fields.push("name".into());
        }
    }

    fn result(
        &mut self,
        result: &mut ToolResult,
        cache: &mut Option<crate::domain::CacheMark>,
        lost: &mut LossCounts,
    ) {
        // All content of a failed result has to be text there.
        let is_text = self.target == Target::Anthropic && result.is_error == Some(true);
        for part in &mut result.content {
            // The result itself carries the mark.
            *cache = cache.or(part.cache.take());
            self.document(part, true, lost);
            if let Content::Opaque { kind, raw } = &mut part.content {
                if self.target != Target::Neutral {
                    remove_leftovers(raw, lost);
                }
                if is_text || !self.knows(kind, raw, true) {
                    let text = search_result(kind, raw);
                    if text.is_some() {
                        lost.results += 1;
                    } else {
                        lost.opaque.push(kind.clone());
                    }
                    let text = text.unwrap_or_else(|| format!("[tool result part: {kind}]"));
                    *part = Part::text(text);
                }
            }
            if matches!(part.content, Content::Media(_)) {
                self.part_extra(part, lost);
                self.media_part(part, MediaHolder::Result, lost);
            } else {
                self.part_extra(part, lost);
            }
        }
        if result.is_error == Some(true) {
            match self.target {
                Target::Openai | Target::OpenaiResponses => {
                    result.is_error = None;
                    lost.errors += 1;
                }
                // An error without words is refused, and text of nothing but white space is not sent.
                Target::Anthropic if result.content.iter().all(is_white_space) => {
                    result.content = vec![Part::text("[error]")];
                }
                _ => {}
            }
        }
    }

    /// Adapts an item of reasoning that is sent; false takes it out. An id may be in a payload once:
    /// the provider refuses a second item with it.
    fn reasoning_item(&mut self, part: &mut Part, lost: &mut LossCounts) -> bool {
        let Content::Thinking(Thinking { opaque: Some(raw), .. }) = &mut part.content else {
            return true;
        };
        if self.target != Target::OpenaiResponses {
            return true;
        }
        remove_leftovers(raw, lost);
        // Models of others give the text of their reasoning; OpenAI's own refuse it, and its state.
        if self.destination.takes_developer {
            remove_members(raw, lost, |name, _| name == "content" || name == "status");
        }
        let id = member(raw, ID);
        if self.destination.takes_developer && id.as_ref().is_some_and(|id| !is_reasoning_id(id)) {
            // The state is of the id that it was made for, so another id is refused too. An item with
            // neither says nothing to the provider.
            if member(raw, "encrypted_content").is_none() {
                lost.thinking += 1;
                return false;
            }
            remove_members(raw, lost, |name, _| name == ID);
            return true;
        }
        let is_new = id.is_none_or(|id| self.reasoned.insert(id));
        lost.doubled += usize::from(!is_new);
        is_new
    }

    /// Reasoning is sent only to a target that can read it: whole, signed, in an assistant's
    /// message.
    fn keeps_thinking(&self, thinking: &Thinking, part: &Part, role: Role) -> bool {
        let signed = part.signature.as_ref().is_some_and(|text| !text.is_empty());
        let kind = || thinking.opaque.as_ref().and_then(|raw| member(raw, "type"));
        if self.destination.takes_unsigned_thinking {
            return role == Role::Assistant && thinking.opaque.is_none();
        }
        match (self.target, self.source) {
            (Target::Neutral, _) => true,
            (Target::OpenaiResponses, _) if !self.destination.takes_reasoning => false,
            (Target::OpenaiResponses, Source::OpenaiResponses) => thinking.opaque.is_some(),
            (Target::OpenaiResponses, Source::Neutral) => kind().as_deref() == Some("reasoning"),
            (Target::Anthropic, Source::Anthropic) => {
                role == Role::Assistant && (signed || thinking.opaque.is_some())
            }
            (Target::Anthropic, Source::Neutral) => {
                role == Role::Assistant
                    && match &thinking.opaque {
                        Some(_) => kind().is_some_and(|kind| kind.ends_with("thinking")),
                        None => signed,
                    }
            }
            (Target::Gemini, Source::Gemini) => signed || thinking.opaque.is_some(),
            // Chat Completions has no place for it.
            _ => false,
        }
    }

    /// Whether the conversation goes back to its own provider.
    pub(super) fn is_own(&self) -> bool {
        self.target.reads_items_of(self.source)
    }

    fn keeps_signature(&self) -> bool {
        self.target.reads_items_of(self.source)
            || (self.source == Source::Neutral && self.target == Target::Gemini)
    }

    /// Unknown fields of a part go back to their own provider only; how closely to look at an
    /// image is the same word in both shapes of one provider.
    fn part_extra(&mut self, part: &mut Part, lost: &mut LossCounts) {
        if self.target != Target::Neutral {
            // As in items, a member that a call does not have is not null, and outputs name no maker.
            let is_item = self.target == Target::OpenaiResponses
                && matches!(part.content, Content::ToolCall(_) | Content::ToolResult(_));
            part.extra.retain(|(name, raw)| {
                let is_null = is_item && (raw.as_str() == "null" || **name == *CREATED_BY);
                let stays = !is_null && !is_leftover(name, raw.as_str());
                if !stays && (self.is_own() || says_something(name, raw)) {
                    lost.leftovers.push(name.clone());
                }
                stays
            });
        }
        let is_refused = self.destination.is_mistral
            && matches!(part.content, Content::ToolCall(_) | Content::ToolResult(_));
        let is_own = self.target.reads_items_of(self.source) && !is_refused;
        if is_own && self.destination.refuses_unknown {
            let Part { content, extra, .. } = part;
            let lost_names = foreign_fields(extra, |name| is_known_of_part(content, name));
            lost.fields.extend(lost_names);
        }
        if part.extra.is_empty() || is_own {
            return;
        }
        let openai = matches!(self.target, Target::Openai | Target::OpenaiResponses)
            && !matches!(self.source, Source::Anthropic | Source::Gemini);
        let keeps_detail = openai && matches!(part.content, Content::Media(_));
        part.extra.retain(|(name, raw)| {
            let keep = (keeps_detail && &**name == "detail") || &**name == GENERATED_IMAGE;
            if !keep && says_something(name, raw) {
                lost.fields.push(name.clone());
            }
            keep
        });
    }
}

fn is_result(part: &Part) -> bool {
    matches!(part.content, Content::ToolResult(_))
}

/// Text that every target accepts unchanged, or a call without further members: calls were adapted
/// before.
fn is_plain(part: &Part) -> bool {
    let bare = part.extra.is_empty() && part.signature.is_none();
    match &part.content {
        Content::Text(_) | Content::ToolCall(_) => bare,
        Content::ToolResult(result) => {
            bare && result.is_error.is_none()
                && result.content.iter().all(|part| {
                    matches!(part.content, Content::Text(_))
                        && part.extra.is_empty()
                        && part.cache.is_none()
                        && part.signature.is_none()
                })
        }
        _ => false,
    }
}

fn is_empty(part: &Part) -> bool {
    part.as_text().is_some_and(|text| text.is_empty())
}

fn is_white_space(part: &Part) -> bool {
    part.as_text().is_some_and(|text| text.trim_start().is_empty())
}

/// Whether a block of Anthropic's can have a cache mark.
fn marks(part: &Part) -> bool {
    match &part.content {
        Content::Text(text) => !text.trim_start().is_empty(),
        Content::ToolCall(_) | Content::ToolResult(_) | Content::Media(_) => true,
        Content::Opaque { raw, .. } => raw.as_str().starts_with('{'),
        Content::Thinking(_) => false,
    }
}

//! Members of a provider's own request that callers send along with the conversation: refused, or with
//! `passthrough` given back in the payload.

use std::collections::BTreeSet;

use crate::domain::{Notes, RawJson, Target};
use crate::json::{Faults, Fields, Node};
use crate::provider::{
    CACHED_CONTENT, ReturnedMember, all_member_forms, is_of_stored_head, is_response_limit,
    member_forms, request_member_names,
};

/// Why a request may not have such a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MemberRule {
    /// `/compress` has no payload.
    NoPayload,
    /// `passthrough` is absent or false.
    Refused,
}

/// The most tokens of a response, as the caller limits it in the provider's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ResponseLimit {
    pub(super) name: &'static str,
    pub(super) tokens: u64,
}

/// The members that a payload gives back.
#[derive(Debug, Clone, Default)]
pub(super) struct PassedMembers {
    /// In the order of their names.
    pub(super) members: Vec<ReturnedMember>,
    pub(super) limit: Option<ResponseLimit>,
}

/// What the members are for.
#[derive(Debug, Clone, Copy)]
pub(super) struct PayloadOwner {
    pub(super) target: Target,
    /// Whether the model is `OpenAI`'s own, whose API refuses members of other services.
    pub(super) refuses_unknown: bool,
}

/// Says of unknown keys that are a provider's where they belong.
pub(super) fn explain(rule: MemberRule, faults: &mut Faults) {
    faults.explain_unknown_keys(|key| {
        if all_member_forms(key).is_empty() {
            return None;
        }
        let mut detail = match rule {
            MemberRule::NoPayload => {
                format!("`{key}` belongs in the provider's request, next to the messages")
            }
            MemberRule::Refused => format!(
                "`{key}` belongs in the provider's request: with `passthrough: true` it is given \
                 back in `payload`, else add it there yourself, as you add `model`: the payload has \
                 only what Contexture makes of the conversation"
            ),
        };
        if is_response_limit(key) && rule == MemberRule::Refused {
            detail.push_str("; the room for the response is `budget.reserve_output`");
        }
        Some(detail)
    });
}

/// The names of the members that a request may have, each once: those of all providers with `passthrough`,
/// else none.
pub fn passed_names(body: &Node<'_>) -> BTreeSet<&'static str> {
    let is_passed = body.get("passthrough").and_then(Node::as_bool) == Some(true);
    if is_passed { request_member_names() } else { BTreeSet::new() }
}

impl PassedMembers {
    /// Reads `passthrough` and the members of the provider's own request. A member that the target does not have is left
    /// out with a note; a value that no provider takes is a fault.
    pub(super) fn read(
        fields: &Fields<'_, '_>,
        owner: PayloadOwner,
        faults: &mut Faults,
        notes: &mut Notes,
    ) -> Self {
        let mut read = Self::default();
        if fields.flag("passthrough", faults) != Some(true) {
            return read;
        }
        let has_stored_head = owner.target == Target::Gemini
            && [CACHED_CONTENT, "cached_content"].iter().any(|key| fields.get(key).is_some());
        for name in request_member_names() {
            let Some(node) = fields.get(name) else { continue };
            let own = member_forms(owner.target, owner.refuses_unknown, name);
            let fits = own.iter().any(|form| form.fits(node));
            if fits && !(has_stored_head && is_of_stored_head(name)) {
                read.limit = read.limit.or_else(|| limit_in(name, node));
                let value = RawJson::new(node.raw);
                read.members.push(ReturnedMember { name, value });
            } else if fits || all_member_forms(name).iter().any(|form| form.fits(node)) {
                let why = match own.first() {
                    None => "the target's API does not have it".to_owned(),
                    Some(_) if fits => "it cannot be next to stored content".to_owned(),
                    Some(form) => format!("the target's API takes {form}"),
                };
                let detail = format!("not given back: {why}");
                notes.degraded("member_left_out", fields.path().key(name).pointer(), detail);
            } else {
                let forms = if own.is_empty() { all_member_forms(name) } else { own };
                let forms: Vec<String> = forms.iter().map(ToString::to_string).collect();
                fields.fault(name, format!("must be {}", forms.join(", or ")), faults);
            }
        }
        read
    }
}

/// The limit of the response in a member of Gemini's, or in one that is the limit itself.
fn limit_in(name: &'static str, node: &Node<'_>) -> Option<ResponseLimit> {
    if !is_response_limit(name) {
        return None;
    }
    let inner = || node.get("maxOutputTokens").or_else(|| node.get("max_output_tokens"));
    let tokens = node.as_u64().or_else(|| inner()?.as_u64())?;
    Some(ResponseLimit { name, tokens })
}

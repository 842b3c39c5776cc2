//! What is to be shown, as blocks: each with its bucket, its weight, and whether it must be there.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::json;

use super::evidence::Admitted;
use super::ledger::hash;
use super::memory::Recalled;
use super::policy::{Decision, Verdict};
use super::tools::Surfaced;
use crate::domain::{ContentHash, MemoryTier, word_of};
use crate::pack::{Pack, Redacted, Redaction};
use crate::request::CallerBlock;

/// A piece of what the model sees.
#[derive(Debug, Clone)]
pub(super) struct Block {
    pub(super) id: String,
    pub(super) kind: Arc<str>,
    pub(super) bucket: Arc<str>,
    pub(super) text: String,
    pub(super) priority: i64,
    pub(super) is_required: bool,
    /// Whether it is data, and nothing in it an instruction.
    pub(super) is_data: bool,
    pub(super) tokens: u64,
    pub(super) hash: ContentHash,
    /// What it came from.
    pub(super) source: Arc<str>,
    pub(super) hits: BTreeMap<Arc<str>, u64>,
}

/// Makes blocks; counts them once nothing in them changes any more.
pub(super) struct Maker<'m> {
    pub(super) redaction: &'m Redaction,
    pub(super) count: &'m dyn Fn(&str) -> u64,
    pub(super) made: Vec<Block>,
}

/// What a block is made of.
pub(super) struct Draft<'d> {
    pub(super) bucket: &'d str,
    pub(super) kind: &'d str,
    pub(super) source: &'d str,
    pub(super) text: String,
    pub(super) priority: i64,
    pub(super) is_required: bool,
    pub(super) is_data: bool,
    /// Whether it holds what callers or others wrote.
    pub(super) is_redacted: bool,
}

impl Maker<'_> {
    pub(super) fn add(&mut self, draft: Draft<'_>) {
        let Draft { bucket, kind, source, text, priority, is_required, is_data, is_redacted } =
            draft;
        let same = |block: &&Block| {
            (&*block.bucket, &*block.kind, &*block.source) == (bucket, kind, source)
        };
        let ordinal = self.made.iter().filter(same).count();
        let id = hash(&json!({"bucket": bucket, "kind": kind, "source_ref": source,
            "ordinal": ordinal}));
        let id = format!("b_{}", id.to_string().get(..16).unwrap_or_default());
        let text = if text.contains("\r\n") { text.replace("\r\n", "\n") } else { text };
        let redacted = if is_redacted { self.redaction.apply(&text) } else { Redacted::default() };
        let text = redacted.text.unwrap_or(text);
        self.made.push(Block {
            id,
            kind: kind.into(),
            bucket: bucket.into(),
            tokens: (self.count)(&text),
            hash: ContentHash::of(&text),
            text,
            priority,
            is_required,
            is_data,
            source: source.into(),
            hits: redacted.hits,
        });
    }

    /// The pack's own words.
    pub(super) fn tone(&mut self, pack: &Pack) {
        let own = |bucket: &'static str, kind, source, text, priority, is_required| Draft {
            bucket,
            kind,
            source,
            text,
            priority,
            is_required,
            is_data: false,
            is_redacted: false,
        };
        for block in &pack.tone.system {
            let text = block.text.to_string();
            self.add(own("system", &block.kind, "pack", text, block.priority, block.required));
        }
        for text in &pack.non_negotiables {
            self.add(own("system", "non_negotiable", "pack", text.to_string(), 90, true));
        }
        if let Some(voice) = &pack.tone.voice {
            self.add(own("system", "voice", "pack", format!("Voice: {voice}"), 10, false));
        }
        for (kind, lead, list) in
            [("do", "Do:", &pack.tone.do_list), ("dont", "Do not:", &pack.tone.dont_list)]
        {
            if !list.is_empty() {
                let text = format!("{lead}\n- {}", list.join("\n- "));
                self.add(own("system", kind, "pack", text, 10, false));
            }
        }
        for block in &pack.tone.developer {
            let text = block.text.to_string();
            self.add(own("developer", &block.kind, "pack", text, block.priority, block.required));
        }
    }

    pub(super) fn task(&mut self, message: &str) {
        self.add(Draft {
            bucket: "task",
            kind: "task",
            source: "request",
            text: message.to_owned(),
            priority: 100,
            is_required: true,
            is_data: false,
            is_redacted: true,
        });
    }

    pub(super) fn decision(&mut self, decision: &Decision) {
        let (priority, is_required) = match decision.verdict {
            Verdict::Deny => (100, true),
            Verdict::Require => (90, true),
            Verdict::Allow => (50, false),
        };
        let mut text = format!(
            "{} {}/{}: {}",
            decision.verdict.as_str(),
            decision.bundle,
            decision.rule,
            decision.rationale
        );
        for (word, list) in [("requires", &decision.requires), ("forbids", &decision.forbids)] {
            if !list.is_empty() {
                let _ = write!(text, "; {word} {}", list.join(", "));
            }
        }
        self.add(Draft {
            bucket: "policy",
            kind: decision.verdict.as_str(),
            source: &decision.rule,
            text,
            priority,
            is_required,
            is_data: false,
            is_redacted: false,
        });
    }

    pub(super) fn tool(&mut self, tool: &Surfaced) {
        let capability = &tool.capability;
        let mut text = format!("{} ({})", capability.key, tool.mode.as_str());
        for part in [&capability.description, &capability.schema_ref].into_iter().flatten() {
            let _ = write!(text, "; {part}");
        }
        if tool.constraints.as_object().is_some_and(|members| !members.is_empty()) {
            let _ = write!(text, "; arguments {}", crate::json::jcs_value(&tool.constraints));
        }
        if !tool.gates.is_empty() {
            let _ = write!(text, "; gates {}", tool.gates.join(", "));
        }
        self.add(Draft {
            bucket: "tools",
            kind: "tool",
            source: &capability.key,
            text,
            priority: 50,
            is_required: false,
            is_data: false,
            is_redacted: false,
        });
    }

    /// `is_wanted`: a rule asks for evidence of its class.
    pub(super) fn evidence(&mut self, one: &Admitted, is_wanted: bool) {
        let Some(content) = &one.given.content else { return };
        let given = &one.given;
        let priority =
            if is_wanted && one.is_eligible { 100 } else { given.priority.unwrap_or(50) };
        self.add(Draft {
            bucket: "evidence",
            kind: "evidence",
            source: &given.id,
            text: format!("{} [{}, {}]\n{}", given.id, given.class, one.level, content.text),
            priority,
            is_required: false,
            is_data: true,
            is_redacted: true,
        });
    }

    pub(super) fn memory(&mut self, one: &Recalled, rank: i64) {
        let tier = word_of(MemoryTier::WORDS, one.tier);
        let date = one.record.promoted_at.to_string();
        let date = date.get(..10).unwrap_or_default();
        self.add(Draft {
            bucket: "memory",
            kind: "memory",
            source: &one.record.id,
            text: format!("{} ({tier}, {date})", one.record.text),
            priority: 1_000 - rank,
            is_required: false,
            is_data: true,
            is_redacted: true,
        });
    }

    /// What the caller said about its developers' wishes: no more than a wish, under a pack.
    pub(super) fn caller_system(&mut self, text: &str) {
        self.add(Draft {
            bucket: "developer",
            kind: "caller",
            source: "request",
            text: text.to_owned(),
            priority: 20,
            is_required: false,
            is_data: false,
            is_redacted: true,
        });
    }

    pub(super) fn caller(&mut self, block: &CallerBlock) {
        self.add(Draft {
            bucket: &block.bucket,
            kind: &block.kind,
            source: "request",
            text: block.text.to_string(),
            priority: block.priority,
            is_required: false,
            is_data: true,
            is_redacted: true,
        });
    }

    /// A turn of the conversation; a later one is of more weight.
    pub(super) fn turn(&mut self, at: usize, text: String, is_open: bool) {
        let priority = i64::try_from(at).unwrap_or(i64::MAX / 2);
        self.add(Draft {
            bucket: "session",
            kind: "turn",
            source: &format!("turn:{at}"),
            text,
            priority: if is_open { 1 << 40 } else { 0 } + priority,
            is_required: is_open,
            is_data: false,
            is_redacted: true,
        });
    }
}

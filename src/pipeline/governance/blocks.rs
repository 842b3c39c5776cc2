//! Makes blocks of what is to be shown: each with its bucket, its weight, and whether it is
//! required.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::sync::Arc;

use super::evidence::AdmittedEvidence;
use super::ledger::hash;
use super::memory::RecalledRecord;
use super::policy::{RuleDecision, RuleVerdict};
use super::redaction::RuleHits;
use super::tools::SurfacedTool;
use crate::domain::{ContentHash, MemoryTier, word_of};
use crate::json::write_string;
use crate::pack::{Pack, RedactedText, Redactor};
use crate::request::CallerBlock;

/// The kind of the block that replaces turns without room.
pub(super) const SUMMARY_KIND: &str = "summary";

/// The number of the turn that a block was made from, read from the source of the block.
pub(super) fn turn_number(source: &str) -> Option<usize> {
    source.strip_prefix("turn:").and_then(|at| at.parse().ok())
}

/// A piece of what the model sees.
#[derive(Debug)]
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
    /// The source that the block was made from.
    pub(super) source: Arc<str>,
    pub(super) hits: RuleHits,
    /// Whether the caller or a hook gave it.
    pub(super) is_callers: bool,
}

/// Hashes the blocks that are not from the pack or the store: those of the request, and those of
/// hooks if there are any.
pub(super) fn hash_blocks(blocks: &[CallerBlock]) -> Vec<(&'static str, ContentHash)> {
    let (own, hooks): (Vec<_>, Vec<_>) =
        blocks.iter().partition(|block| &*block.source == "request");
    let hash_all = |blocks: Vec<&CallerBlock>| {
        let rows =
            blocks.iter().map(|own| (&own.bucket, &own.kind, own.priority, &own.text, &own.source));
        hash(&rows.collect::<Vec<_>>())
    };
    let hooks = (!hooks.is_empty()).then(|| ("hooks.before_compile", hash_all(hooks)));
    std::iter::once(("request.blocks", hash_all(own))).chain(hooks).collect()
}

/// Makes blocks; counts them once nothing in them changes any more.
pub(super) struct BlockMaker<'m> {
    redaction: Redactor<'m>,
    count: &'m dyn Fn(&str) -> u64,
    pub(super) made: Vec<Block>,
    /// Number of blocks of a bucket, a kind and a source.
    ordinals: HashMap<[Arc<str>; 3], usize>,
    /// Names of buckets and kinds, each once.
    names: HashSet<Arc<str>>,
    /// The text that an id is the hash of.
    named: String,
}

/// The parts of a block.
pub(super) struct Draft<'d> {
    pub(super) bucket: &'d str,
    pub(super) kind: &'d str,
    pub(super) source: Arc<str>,
    pub(super) text: String,
    pub(super) priority: i64,
    pub(super) is_required: bool,
    pub(super) is_data: bool,
    /// Whether it holds what callers or others wrote.
    pub(super) is_redacted: bool,
}

impl<'m> BlockMaker<'m> {
    pub(super) fn new(redaction: Redactor<'m>, count: &'m dyn Fn(&str) -> u64) -> Self {
        Self {
            redaction,
            count,
            made: Vec::new(),
            ordinals: HashMap::new(),
            names: HashSet::new(),
            named: String::new(),
        }
    }

    pub(super) fn count(&self, text: &str) -> u64 {
        (self.count)(text)
    }

    fn name(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.names.get(name) {
            return Arc::clone(known);
        }
        let name: Arc<str> = name.into();
        self.names.insert(Arc::clone(&name));
        name
    }

    /// The id of a block: a hash over its bucket, kind and source, as canonical JSON.
    fn id(&mut self, [bucket, kind, source]: [&Arc<str>; 3]) -> String {
        let same = [bucket, kind, source].map(Arc::clone);
        let ordinal = self.ordinals.entry(same).or_default();
        self.named.clear();
        self.named.push_str("{\"bucket\":");
        write_string(&mut self.named, bucket);
        self.named.push_str(",\"kind\":");
        write_string(&mut self.named, kind);
        let _ = write!(self.named, ",\"ordinal\":{ordinal},\"source_ref\":");
        write_string(&mut self.named, source);
        self.named.push('}');
        *ordinal += 1;
        let digits = ContentHash::of(&self.named).digits();
        let digits = digits.get(..16).and_then(|digits| std::str::from_utf8(digits).ok());
        format!("b_{}", digits.unwrap_or_default())
    }

    pub(super) fn add(&mut self, draft: Draft<'_>) {
        let Draft { bucket, kind, source, text, priority, is_required, is_data, is_redacted } =
            draft;
        let (bucket, kind) = (self.name(bucket), self.name(kind));
        let id = self.id([&bucket, &kind, &source]);
        let text = if text.contains("\r\n") { text.replace("\r\n", "\n") } else { text };
        let redacted =
            if is_redacted { self.redaction.apply(&text) } else { RedactedText::default() };
        let text = redacted.text.unwrap_or(text);
        self.made.push(Block {
            id,
            kind,
            bucket,
            tokens: (self.count)(&text),
            hash: ContentHash::of(&text),
            text,
            priority,
            is_required,
            is_data,
            source,
            hits: redacted.hits,
            is_callers: false,
        });
    }

    /// The pack's own words.
    pub(super) fn tone(&mut self, pack: &Pack) {
        let source = self.name("pack");
        let own = |bucket: &'static str, kind, text, priority, is_required| Draft {
            bucket,
            kind,
            source: Arc::clone(&source),
            text,
            priority,
            is_required,
            is_data: false,
            is_redacted: false,
        };
        for block in &pack.tone.system {
            let text = block.text.to_string();
            self.add(own("system", &block.kind, text, block.priority, block.required));
        }
        for text in &pack.non_negotiables {
            self.add(own("system", "non_negotiable", text.to_string(), 90, true));
        }
        if let Some(voice) = &pack.tone.voice {
            self.add(own("system", "voice", format!("Voice: {voice}"), 10, false));
        }
        for (kind, lead, list) in
            [("do", "Do:", &pack.tone.do_list), ("dont", "Do not:", &pack.tone.dont_list)]
        {
            if !list.is_empty() {
                let text = format!("{lead}\n- {}", list.join("\n- "));
                self.add(own("system", kind, text, 10, false));
            }
        }
        for block in &pack.tone.developer {
            let text = block.text.to_string();
            self.add(own("developer", &block.kind, text, block.priority, block.required));
        }
    }

    pub(super) fn task(&mut self, message: &str) {
        let source = self.name("request");
        self.add(Draft {
            bucket: "task",
            kind: "task",
            source,
            text: message.to_owned(),
            priority: 100,
            is_required: true,
            is_data: false,
            is_redacted: true,
        });
    }

    pub(super) fn decision(&mut self, decision: &RuleDecision<'_>) {
        let (priority, is_required) = match decision.verdict {
            RuleVerdict::Deny => (100, true),
            RuleVerdict::Require => (90, true),
            RuleVerdict::Allow => (50, false),
        };
        let mut text = format!(
            "{} {}/{}: {}",
            decision.verdict.as_str(),
            decision.bundle,
            decision.rule,
            decision.rationale
        );
        for (word, list) in [("requires", decision.requires), ("forbids", decision.forbids)] {
            if !list.is_empty() {
                let _ = write!(text, "; {word} {}", list.join(", "));
            }
        }
        self.add(Draft {
            bucket: "policy",
            kind: decision.verdict.as_str(),
            source: Arc::clone(decision.rule),
            text,
            priority,
            is_required,
            is_data: false,
            is_redacted: false,
        });
    }

    pub(super) fn tool(&mut self, tool: &SurfacedTool<'_>) {
        let capability = &tool.capability;
        let mut text = format!("{} ({})", capability.key, tool.mode.as_str());
        for part in [&capability.description, &capability.schema_ref].into_iter().flatten() {
            let _ = write!(text, "; {part}");
        }
        if !tool.constraints.is_empty() {
            let _ = write!(text, "; arguments {}", crate::json::jcs_value(&tool.constraints));
        }
        if !tool.gates.is_empty() {
            let _ = write!(text, "; gates {}", tool.gates.join(", "));
        }
        self.add(Draft {
            bucket: "tools",
            kind: "tool",
            source: Arc::clone(&capability.key),
            text,
            priority: 50,
            is_required: false,
            is_data: false,
            is_redacted: false,
        });
    }

    /// `is_wanted`: a rule asks for evidence of its class.
    pub(super) fn evidence(&mut self, one: &AdmittedEvidence<'_>, is_wanted: bool) {
        let Some(content) = &one.given.content else { return };
        let given = &one.given;
        let priority =
            if is_wanted && one.is_eligible { 100 } else { given.priority.unwrap_or(50) };
        self.add(Draft {
            bucket: "evidence",
            kind: "evidence",
            source: Arc::clone(&given.id),
            text: format!("{} [{}, {}]\n{}", given.id, given.class, one.level, content.text),
            priority,
            is_required: false,
            is_data: true,
            is_redacted: true,
        });
    }

    pub(super) fn memory(&mut self, one: &RecalledRecord<'_>, rank: i64) {
        let tier = word_of(MemoryTier::WORDS, one.tier);
        let date = one.record.promoted_at.to_string();
        let date = date.get(..10).unwrap_or_default();
        self.add(Draft {
            bucket: "memory",
            kind: "memory",
            source: Arc::clone(&one.record.id),
            text: format!("{} ({tier}, {date})", one.record.text),
            priority: 1_000 - rank,
            is_required: false,
            is_data: true,
            is_redacted: true,
        });
    }

    /// Adds the caller's text for developers, which has little weight under a pack.
    pub(super) fn caller_system(&mut self, text: &str) {
        let source = self.name("request");
        self.add(Draft {
            bucket: "developer",
            kind: "caller",
            source,
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
            source: Arc::clone(&block.source),
            text: block.text.to_string(),
            priority: block.priority,
            is_required: false,
            is_data: true,
            is_redacted: true,
        });
        if let Some(made) = self.made.last_mut() {
            made.is_callers = true;
        }
    }

    /// A turn of the conversation, which was redacted message by message; a later one is of more weight.
    pub(super) fn turn(&mut self, at: usize, text: String, hits: RuleHits, is_open: bool) {
        let priority = i64::try_from(at).unwrap_or(i64::MAX / 2);
        self.add(Draft {
            bucket: "session",
            kind: "turn",
            source: format!("turn:{at}").into(),
            text,
            priority: if is_open { 1 << 40 } else { 0 } + priority,
            is_required: is_open,
            is_data: false,
            is_redacted: false,
        });
        if let Some(made) = self.made.last_mut() {
            made.hits = hits;
        }
    }
}

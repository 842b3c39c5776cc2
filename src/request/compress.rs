//! The body of `POST /compress`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::halves::note_halves;
use super::model_name::resolve_model;
use super::options::{
    ClearOptions, ExplainLevel, KnownAdapters, Level, ProtectOptions, read_adapters,
    summary_instructions, warn_idle_options, warn_unused_adapters,
};
use super::provider_members::{self, MemberRule};
use crate::domain::{
    AdapterChoices, AllowedNotations, Conversation, Model, Models, Notes, ReplacedResult, Source,
    Target,
};
use crate::json::{Fault, Faults, Fields, Node, Path};
use crate::provider;

/// Every key that `/compress` reads, conversation keys aside.
pub const COMPRESS_KEYS: &[&str] = &[
    "text",
    "source",
    "level",
    "notations",
    "budget_tokens",
    "model",
    "keep_recent_turns",
    "summary_instructions",
    "clear",
    "adapters",
    "protect",
    "originals",
    "repair",
    "tools",
    "explain",
    "deadline_ms",
    "on_deadline",
];

/// Place of the originals of shortened texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Originals {
    /// Kept as artifacts.
    Store,
    /// Handed to the caller, and not kept.
    Return,
    /// Neither: only edits that decode from what is shown.
    None,
}

impl Originals {
    pub const WORDS: &[(&str, Self)] =
        &[("store", Self::Store), ("return", Self::Return), ("none", Self::None)];
}

/// Values of `level` of `/compress`: all but `off`, which would leave nothing to do.
pub const COMPRESS_LEVELS: &[(&str, Level)] = Level::WORDS.split_at(1).1;

/// Style of the references by which the model learns which originals it can retrieve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReferenceStyle {
    /// By the service's tool.
    Tool,
    /// As `hash=` and the artifact's id, for tools of other products.
    Hash,
}

/// The reader of the compressed text.
#[derive(Debug, Clone, Default)]
pub struct ModelReader {
    /// Style of references to originals; `None` if the model cannot retrieve them.
    pub reference: Option<ReferenceStyle>,
    /// Whether only results of tools may be changed: everything else was written by the user or the
    /// model.
    pub results_only: bool,
    /// Calls whose results keep their bytes, because programs read them and no model.
    pub verbatim_calls: BTreeSet<Arc<str>>,
}

/// The input of a compression.
#[derive(Debug)]
pub enum CompressInput<'r, 'a> {
    Text(Arc<str>),
    List(MessageList<'r, 'a>),
}

/// Messages in their original shape, and as they were read.
#[derive(Debug)]
pub struct MessageList<'r, 'a> {
    /// The key of the list.
    pub key: &'static str,
    pub items: &'r [Node<'a>],
    pub conversation: Conversation,
}

/// A checked request.
#[derive(Debug)]
pub struct CompressRequest<'r, 'a> {
    pub given: CompressInput<'r, 'a>,
    pub target: Target,
    pub model: Model,
    pub level: Level,
    pub notations: AllowedNotations,
    pub budget_tokens: Option<u64>,
    pub keep_recent_turns: usize,
    /// The caller's instructions for a summary.
    pub summary_instructions: Option<Arc<str>>,
    pub clear: ClearOptions,
    pub adapters: AdapterChoices,
    pub protect: ProtectOptions,
    pub originals: Originals,
    pub reader: ModelReader,
    /// Replacements of texts by hooks; no key of a request sets it.
    pub formats: BTreeMap<Arc<str>, Arc<str>>,
    /// Results that hooks replaced; no key of a request sets them.
    pub replaced_results: Vec<ReplacedResult>,
    pub explain: ExplainLevel,
    pub deadline_ms: Option<u64>,
    /// Whether the input is returned unchanged if time is up.
    pub pass_on_deadline: bool,
    pub notes: Notes,
}

/// Reads a request; all faults at once.
pub fn read_compress<'r, 'a>(
    body: &'r Node<'a>,
    models: &Models,
    known_adapters: &KnownAdapters,
) -> Result<CompressRequest<'r, 'a>, Vec<Fault>> {
    /// Turns that are protected if the request does not specify it.
    const DEFAULT_RECENT_TURNS: u64 = 4;
    let mut faults = Faults::default();
    let mut notes = Notes::default();
    let known: Vec<&str> =
        COMPRESS_KEYS.iter().chain(provider::CONVERSATION_KEYS).copied().collect();
    let Some(fields) = Fields::read(body, Path::Root, &known, &mut faults) else {
        return Err(faults.into_vec());
    };
    provider_members::explain(MemberRule::NoPayload, &mut faults);
    let source = fields.choice("source", Source::WORDS, &mut faults);
    let source = source.unwrap_or_else(|| provider::detect(body));
    let target = Target::from(source);
    let model = fields.text_without_nul("model", &mut faults);
    let model = resolve_model(model, target, models, &mut notes);
    fields.choice("repair", provider::REPAIR_MODES, &mut faults);
    let given = read_input(&fields, body, source, &mut faults, &mut notes);
    let budget_tokens = fields.whole("budget_tokens", 1, 1 << 40, &mut faults);
    let usual = if budget_tokens.is_some() { Level::Summary } else { Level::Lossless };
    let asked = fields.choice("level", COMPRESS_LEVELS, &mut faults);
    let notations = fields.choice("notations", AllowedNotations::WORDS, &mut faults);
    let originals = fields.choice("originals", Originals::WORDS, &mut faults);
    let originals = originals.unwrap_or(Originals::Store);
    // Content that cannot be restored may not go.
    let most = if originals == Originals::None { Level::Lossless } else { Level::Drop };
    if asked.is_some_and(|level| level > most) {
        let detail = "without originals nothing beyond `lossless` can be brought back";
        notes.warn("level_without_originals", "/level".to_owned(), detail);
    }
    let level = asked.unwrap_or(usual).min(most);
    let turns =
        fields.whole("keep_recent_turns", 0, 10_000, &mut faults).unwrap_or(DEFAULT_RECENT_TURNS);
    let explain = [("summary", ExplainLevel::Summary), ("full", ExplainLevel::Full)];
    let explain = fields.choice("explain", &explain, &mut faults).unwrap_or(ExplainLevel::Summary);
    let protect = ProtectOptions::read(&fields, &mut faults);
    let clear = ClearOptions::read(&fields, level, &mut faults);
    let summary_instructions = summary_instructions(&fields, &mut faults);
    let adapters = read_adapters(&fields, known_adapters, &mut faults);
    if level < Level::Reversible {
        warn_unused_adapters(&fields, &mut notes);
    }
    warn_idle_options(&fields, &adapters, known_adapters, &mut notes);
    known_adapters.warn_unusable(fields.get("adapters").is_some(), &mut notes);
    let deadline_ms = fields.whole("deadline_ms", 1, 60_000, &mut faults);
    let words = [("fail", false), ("pass", true)];
    let pass_on_deadline = fields.choice("on_deadline", &words, &mut faults).unwrap_or(true);
    let Some(given) = given.filter(|_| faults.is_empty()) else {
        return Err(faults.into_vec());
    };
    Ok(CompressRequest {
        given,
        target,
        model,
        level,
        notations: notations.unwrap_or_default(),
        budget_tokens,
        keep_recent_turns: usize::try_from(turns).unwrap_or(usize::MAX),
        summary_instructions,
        clear,
        adapters,
        protect,
        originals,
        reader: ModelReader::default(),
        formats: BTreeMap::new(),
        replaced_results: Vec::new(),
        explain,
        deadline_ms,
        pass_on_deadline,
        notes,
    })
}

fn read_input<'r, 'a>(
    fields: &Fields<'r, 'a>,
    body: &'r Node<'a>,
    source: Source,
    faults: &mut Faults,
    notes: &mut Notes,
) -> Option<CompressInput<'r, 'a>> {
    let text = fields.text("text", faults);
    let of_list = provider::CONVERSATION_KEYS.iter().find(|key| fields.get(key).is_some());
    match (fields.get("text"), of_list) {
        (None, None) => {
            faults.add(&Path::Root, "must hold either `text` or messages");
            return None;
        }
        (Some(_), Some(key)) => {
            let detail = format!("must hold either `text` or messages, of which `{key}` is a part");
            faults.add(&Path::Root, detail);
            return None;
        }
        (Some(_), None) => {
            if fields.get("tools").is_some() {
                let detail = "tools belong to messages; next to a `text` they are not read";
                notes.warn("tools_without_messages", "/tools".to_owned(), detail);
            }
            note_halves(body, notes);
            return text.map(|text| CompressInput::Text(text.into()));
        }
        (None, Some(_)) => {}
    }
    let conversation = provider::read(body, source, faults, notes);
    let key = provider::list_key(body);
    let items = body.get(key).and_then(Node::as_array).unwrap_or_default();
    check_ids(items, &Path::Root.key(key), faults);
    Some(CompressInput::List(MessageList { key, items, conversation }))
}

/// Messages are distinguished by their ids, if they have any.
fn check_ids(items: &[Node<'_>], list: &Path<'_>, faults: &mut Faults) {
    let mut seen = BTreeSet::new();
    for (index, item) in items.iter().enumerate() {
        let Some(id) = item.get("id").and_then(Node::as_str) else { continue };
        // Items of the Responses shape may share an id with what they belong to.
        if item.get("role").is_some() && !seen.insert(id) {
            faults.add(&list.index(index).key("id"), "is the id of an earlier message already");
        }
    }
}

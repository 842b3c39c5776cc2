//! The tools that a host is offered, and the scopes that each of them needs.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool};
use serde_json::{Value, json};

use crate::domain::{MEMORY_TOOL, Scope};
use crate::request::COMPRESS_LEVELS;
use crate::service::Services;
use crate::service::tools::MEMORY_COMMANDS;

/// A tool with the scopes of which a caller needs one.
struct ToolOffer {
    name: &'static str,
    scopes: &'static [Scope],
    about: &'static str,
    schema: fn() -> JsonObject,
}

const MEMORY_WRITE: &[Scope] = &[Scope::MemoryWrite, Scope::Tools];
const MEMORY_READ: &[Scope] = &[Scope::MemoryRead, Scope::MemoryWrite, Scope::Tools];
const EITHER: &[Scope] = &[Scope::Compile, Scope::Compress, Scope::Tools];
const COMPRESS: &[Scope] = &[Scope::Compress];

const OFFERS: &[ToolOffer] = &[
    ToolOffer {
        name: "context_read",
        scopes: EITHER,
        about: "Reads an original that was taken out of a conversation: all of it, some lines, or \
                the lines that hold some words.",
        schema: || {
            object(
                &json!({
                    "id": text("The artifact's id, 24 hex digits"),
                    "lines": text("Only these lines, such as 120-180"),
                    "query": text("Only lines that hold these words"),
                }),
                &["id"],
            )
        },
    },
    ToolOffer {
        name: "memory_create",
        scopes: MEMORY_WRITE,
        about: "Remembers something beyond this conversation under a key, or changes what is \
                remembered under it.",
        schema: || {
            object(
                &json!({
                    "key": text("A short name for it"),
                    "value": text("What to remember"),
                    "description": text("What it is about"),
                }),
                &["key", "value"],
            )
        },
    },
    ToolOffer {
        name: "memory_modify",
        scopes: MEMORY_WRITE,
        about: "Changes or forgets what is remembered under a key.",
        schema: || {
            object(
                &json!({
                    "action": {"type": "string", "enum": ["update", "delete"]},
                    "key": text("Its name"),
                    "value": text("What to remember instead; for update"),
                    "description": text("What it is about"),
                }),
                &["action", "key"],
            )
        },
    },
    ToolOffer {
        name: MEMORY_TOOL,
        scopes: MEMORY_WRITE,
        about: "Keeps what matters beyond this conversation in text files under /memories. view shows \
                a file or a directory, create writes a file, str_replace and insert edit one, delete \
                and rename take files and directories.",
        schema: || {
            let lines = json!({"type": "array", "items": {"type": "integer"},
                "minItems": 2, "maxItems": 2, "description": "First and last line; for view"});
            object(
                &json!({
                    "command": {"type": "string", "enum": MEMORY_COMMANDS},
                    "path": text("/memories, or a path in it; for all commands but rename"),
                    "view_range": lines,
                    "file_text": text("All of the file; for create"),
                    "old_str": text("The text to replace, which is in the file once; for str_replace"),
                    "new_str": text("The text in its place; for str_replace"),
                    "insert_line": {"type": "integer", "minimum": 0,
                        "description": "The line to insert after, 0 for the beginning; for insert"},
                    "insert_text": text("The lines to insert; for insert"),
                    "old_path": text("The path so far; for rename"),
                    "new_path": text("The new path; for rename"),
                }),
                &["command"],
            )
        },
    },
    ToolOffer {
        name: "memory_recall",
        scopes: MEMORY_READ,
        about: "Finds what is remembered, the most fitting first.",
        schema: || {
            object(
                &json!({
                    "query": text("What it is about"),
                    "max_tokens": {"type": "integer", "minimum": 0, "description": "Tokens that the answer may take, 2000 when absent"},
                }),
                &[],
            )
        },
    },
    ToolOffer {
        name: "compress",
        scopes: COMPRESS,
        about: "Makes a text or the messages of a conversation shorter. Without a level nothing is \
                lost: what is shown decodes to the original. What is left out names its artifact \
                for context_read.",
        schema: || {
            object(
                &json!({
                    "text": text("A text; or give messages"),
                    "messages": messages(),
                    "level": {"type": "string", "enum": levels()},
                    "budget_tokens": {"type": "integer", "minimum": 1, "description": "Tokens that the answer may take"},
                }),
                &[],
            )
        },
    },
    ToolOffer {
        name: "expand",
        scopes: EITHER,
        about: "Gives back the originals of compressed messages, of a text, or of one artifact.",
        schema: || {
            object(
                &json!({
                    "text": text("A text as compress answered it"),
                    "messages": messages(),
                    "artifact": text("The id of an artifact"),
                    "id": text("The id of an answer of compress"),
                }),
                &[],
            )
        },
    },
];

fn text(about: &str) -> Value {
    json!({"type": "string", "description": about})
}

fn levels() -> Vec<&'static str> {
    COMPRESS_LEVELS.iter().map(|(word, _)| *word).collect()
}

fn messages() -> Value {
    json!({"type": "array", "items": {"type": "object"}, "description": "Messages in any provider's shape"})
}

fn object(properties: &Value, required: &[&str]) -> JsonObject {
    JsonObject::from_iter([
        ("type".to_owned(), "object".into()),
        ("properties".to_owned(), properties.clone()),
        ("required".to_owned(), required.into()),
    ])
}

/// Lists the tools that the caller may use.
pub(super) fn list(services: &Services) -> Vec<Tool> {
    let may = |offer: &&ToolOffer| services.caller().has_any(offer.scopes);
    let shown = |offer: &ToolOffer| Tool::new(offer.name, offer.about, Arc::new((offer.schema)()));
    OFFERS.iter().filter(may).map(shown).collect()
}

/// Whether there is a tool of this name for the caller.
pub(super) fn may_call(services: &Services, name: &str) -> bool {
    let offer = OFFERS.iter().find(|offer| offer.name == name);
    offer.is_some_and(|offer| services.caller().has_any(offer.scopes))
}

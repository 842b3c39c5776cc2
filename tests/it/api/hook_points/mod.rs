//! Hooks that fire: real receivers on real sockets, asked by a real server in the middle of its work.

mod agents;
mod before_compile;
mod before_compress;
mod compression;
mod dry_run;
mod format;
mod gone_receiver;
mod idempotency;
mod inputs;
mod memory;
mod replay;
mod result;
mod sessions;
mod stops;
mod tool_call;
mod transform;

use serde_json::Value;

use crate::support::compile::Compiled;

/// What became of each hook: `id outcome why`.
fn outcomes(compiled: &Compiled) -> Vec<String> {
    let lines = compiled.report["hooks"].as_array().expect("a list");
    let word = |line: &Value, key: &str| line[key].as_str().unwrap_or_default().to_owned();
    lines
        .iter()
        .map(|line| {
            let text = [word(line, "id"), word(line, "outcome"), word(line, "why")].join(" ");
            text.trim_end().to_owned()
        })
        .collect()
}

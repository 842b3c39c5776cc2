//! Members and marks for prompt caches, as the providers' guides have them.

use serde_json::{Map, Value};

use super::{Verdict, ensure, object, only, string};

/// Members of `OpenAI`'s requests that direct its cache.
pub(super) const OPENAI_MEMBERS: [&str; 3] =
    ["prompt_cache_key", "prompt_cache_options", "prompt_cache_retention"];
const BREAKPOINT: &str = "prompt_cache_breakpoint";
/// Breakpoints that `OpenAI` writes for a request, its own on the newest message included:
/// <https://developers.openai.com/api/docs/guides/prompt-caching>.
const MAX_BREAKPOINTS: usize = 4;

/// Counts the breakpoint of a part, which only what comes to the model can have.
/// <https://developers.openai.com/api/docs/guides/prompt-caching>,
/// <https://learn.microsoft.com/javascript/api/@azure/ai-projects/promptcachebreakpointconfig>
pub(super) fn breakpoint(
    part: &Map<String, Value>,
    allowed: &[&str],
    at: &str,
    found: &mut usize,
) -> Verdict {
    let Some(mark) = part.get(BREAKPOINT) else { return Ok(()) };
    let kind = part.get("type").and_then(Value::as_str).unwrap_or_default();
    ensure(allowed.contains(&kind), at, &format!("no breakpoint on {kind} here"))?;
    let mark = object(mark, at)?;
    only(mark, &["mode", "ttl"], at)?;
    ensure(mark.get("mode") == Some(&"explicit".into()), at, "a breakpoint is explicit")?;
    let ttl = mark.get("ttl").map_or(Ok("30m"), |ttl| string(ttl, at))?;
    ensure(matches!(ttl, "30m" | "12h"), at, "breakpoint lifetime")?;
    *found += 1;
    Ok(())
}

/// Checks the members of a payload with so many breakpoints.
/// <https://developers.openai.com/api/docs/guides/prompt-caching>,
/// <https://docs.rs/async-openai/0.42.0/async_openai/types/responses/struct.PromptCacheOptionsParam.html>
pub(super) fn openai_members(payload: &Map<String, Value>, breakpoints: usize) -> Verdict {
    let at = "payload";
    if let Some(key) = payload.get("prompt_cache_key") {
        ensure((1..=64).contains(&string(key, at)?.len()), at, "a key of 1 to 64 characters")?;
    }
    let options = payload.get("prompt_cache_options").map(|own| object(own, at)).transpose()?;
    if let Some(retention) = payload.get("prompt_cache_retention") {
        string(retention, at)?;
        ensure(options.is_none(), at, "cache options beside a retention")?;
    }
    let mode =
        options.and_then(|own| own.get("mode")).map_or(Ok("implicit"), |own| string(own, at))?;
    ensure(matches!(mode, "implicit" | "explicit"), at, "cache mode")?;
    let own = usize::from(mode == "implicit");
    ensure(breakpoints + own <= MAX_BREAKPOINTS, at, "more than four breakpoints")?;
    ensure(
        mode == "implicit" || breakpoints > 0,
        at,
        "explicit mode without a breakpoint caches nothing",
    )
}

/// The mark that Anthropic itself sets on the last block, if the request asks for it: one of the four,
/// and a mark of the caller's on that block has its lifetime.
/// <https://github.com/anthropics/skills/blob/main/skills/claude-api/shared/prompt-caching.md>
pub(super) fn automatic<'v>(payload: &'v Map<String, Value>, marks: &mut Vec<&'v str>) -> Verdict {
    let Some(own) = payload.get("cache_control") else { return Ok(()) };
    let at = "payload";
    let ttl = lifetime(own, at)?;
    let last = payload["messages"].as_array().and_then(|messages| messages.last());
    let last = last.and_then(|message| message["content"].as_array()?.last());
    if let Some(mark) = last.and_then(|block| block.get("cache_control")) {
        ensure(lifetime(mark, at)? == ttl, at, "another lifetime on the last block")?;
    }
    marks.push(ttl);
    Ok(())
}

/// Checks a mark of Anthropic's; its lifetime.
pub(super) fn lifetime<'v>(mark: &'v Value, at: &str) -> Result<&'v str, String> {
    let mark = object(mark, at)?;
    only(mark, &["type", "ttl"], at)?;
    ensure(mark.get("type") == Some(&"ephemeral".into()), at, "cache mark type")?;
    let ttl = mark.get("ttl").map_or(Ok("5m"), |ttl| string(ttl, at))?;
    ensure(matches!(ttl, "5m" | "1h"), at, "cache mark lifetime")?;
    Ok(ttl)
}

/// Stored content of Gemini's contains system text and tools: a request that has them, too, is a 400.
/// <https://ai.google.dev/gemini-api/docs/caching>, <https://github.com/BerriAI/litellm/issues/17304>
pub(super) fn stored_content(payload: &Map<String, Value>) -> Verdict {
    let Some(name) = payload.get("cachedContent") else { return Ok(()) };
    ensure(!string(name, "cachedContent")?.is_empty(), "cachedContent", "must be a name")?;
    let head = ["systemInstruction", "tools", "toolConfig"];
    let beside = head.into_iter().find(|key| payload.contains_key(*key));
    ensure(beside.is_none(), "payload", "system text or tools beside stored content")
}

//! Cache marks of blocks, and the members of a request that direct its provider's cache.

use super::context::{ReadContext, present, shown};
use crate::domain::{BreakpointOptions, CacheMark, CacheMarks, CacheMembers, CacheTtl, RawJson};
use crate::json::{Node, Path};

impl ReadContext<'_> {
    /// The `cache_control` of a request, a message, a part or a tool.
    pub(super) fn cache_mark(&mut self, node: &Node<'_>, path: &Path<'_>) -> Option<CacheMark> {
        let kind = CacheMarks::Blocks;
        self.mark(present(node, kind.key())?, &path.key(kind.key()), kind)
    }

    /// The cache mark of a part: `cache_control`, the neutral shape's `cache`, or
    /// `prompt_cache_breakpoint`.
    pub(super) fn part_mark(&mut self, node: &Node<'_>, path: &Path<'_>) -> Option<CacheMark> {
        let neutral = present(node, "cache").filter(|mark| mark.as_object().is_some());
        if let Some(mark) = neutral {
            return self.mark(mark, &path.key("cache"), CacheMarks::Blocks);
        }
        let breakpoint = CacheMarks::Breakpoints;
        match present(node, breakpoint.key()) {
            Some(mark) => self.mark(mark, &path.key(breakpoint.key()), breakpoint),
            None => self.cache_mark(node, path),
        }
    }

    fn mark(&mut self, mark: &Node<'_>, path: &Path<'_>, kind: CacheMarks) -> Option<CacheMark> {
        if mark.as_object().is_none() {
            self.fault(path, format!("must be an object, not {}", mark.kind()));
            return None;
        }
        let word = self.member(mark, "ttl", path);
        let ttl = word.as_deref().and_then(|word| CacheTtl::parse_in(kind, word));
        if let (Some(word), None) = (word, ttl) {
            let [short, long] =
                [CacheTtl::FiveMinutes, CacheTtl::OneHour].map(|ttl| kind.ttl_word(ttl));
            let detail = format!("`{}` is no lifetime: use {short} or {long}", shown(&word));
            self.fault(&path.key("ttl"), detail);
        }
        Some(CacheMark { ttl, kind })
    }
}

/// Reads the members of a request that direct its provider's cache.
pub(super) fn members(cx: &mut ReadContext<'_>, body: &Node<'_>) -> CacheMembers {
    let root = Path::Root;
    CacheMembers {
        automatic: cx.cache_mark(body, &root),
        key: text(cx, body, "prompt_cache_key"),
        options: options(cx, body),
        retention: text(cx, body, "prompt_cache_retention"),
        // Gemini's protocol and its Python library name it so.
        content: text(cx, body, "cachedContent").or_else(|| text(cx, body, "cached_content")),
    }
}

fn text(cx: &mut ReadContext<'_>, body: &Node<'_>, key: &'static str) -> Option<RawJson> {
    let node = present(body, key)?;
    cx.string(node, &Path::Root.key(key)).map(|_| RawJson::new(node.raw))
}

fn options(cx: &mut ReadContext<'_>, body: &Node<'_>) -> Option<BreakpointOptions> {
    const KEY: &str = "prompt_cache_options";
    let node = present(body, KEY)?;
    if node.as_object().is_none() {
        cx.fault(&Path::Root.key(KEY), format!("must be an object, not {}", node.kind()));
        return None;
    }
    let is_explicit = node.get("mode").and_then(Node::as_str) == Some("explicit");
    Some(BreakpointOptions { raw: RawJson::new(node.raw), is_explicit })
}

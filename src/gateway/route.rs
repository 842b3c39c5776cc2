//! Which provider a path is for, and what it asks of it. The path decides, never the host.

/// The wire format of a request and its response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    Anthropic,
    Openai,
    Gemini,
}

/// What a request asks of its provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProviderEndpoint {
    /// Anthropic's `/v1/messages`.
    Messages,
    /// `OpenAI`'s `/v1/chat/completions`.
    ChatCompletions,
    /// `OpenAI`'s `/v1/responses`.
    Responses,
    /// Gemini's `:generateContent` and `:streamGenerateContent`.
    GenerateContent,
    /// Everything else, which is relayed unread.
    Other,
}

/// The target of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProviderRoute<'p> {
    /// The upstream that the path names; none if it is the default one of the wire format.
    pub upstream: Option<&'p str>,
    /// The path at the upstream, as it was sent.
    pub path: &'p str,
    pub wire: Wire,
    pub endpoint: ProviderEndpoint,
}

impl Wire {
    /// The word of metrics, events and logs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::Openai => "openai",
            Self::Gemini => "gemini",
        }
    }

    /// The names of upstreams that speak this wire format and another one never, best first.
    fn own_names(self) -> &'static [&'static str] {
        match self {
            Self::Anthropic => &["anthropic"],
            Self::Openai => &["openai", "openrouter"],
            Self::Gemini => &["gemini"],
        }
    }
}

impl ProviderEndpoint {
    /// The word of metrics, events and logs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Messages => "messages",
            Self::ChatCompletions => "chat_completions",
            Self::Responses => "responses",
            Self::GenerateContent => "generate_content",
            Self::Other => "other",
        }
    }

    fn of_path(path: &str) -> Self {
        let path = path.trim_end_matches('/');
        let last = path.rsplit('/').next().unwrap_or_default();
        match last.rsplit_once(':') {
            Some((_, "generateContent" | "streamGenerateContent")) => Self::GenerateContent,
            _ if path.ends_with("/chat/completions") => Self::ChatCompletions,
            _ if last == "messages" => Self::Messages,
            _ if last == "responses" => Self::Responses,
            _ => Self::Other,
        }
    }
}

/// Beginnings of paths that belong to providers.
const SHARED: &str = "/v1/";
const ANTHROPIC: &str = "/api/";
const GEMINI: &[&str] = &["/v1beta/", "/v1alpha/", "/upload/v1beta/", "/download/v1beta/"];
/// The beginning of a path that names its upstream.
const NAMED: &str = "/u/";

impl<'p> ProviderRoute<'p> {
    /// Reads a path; none if it is not a provider's. `shared` is the wire format of paths that several
    /// have, which the headers of the request tell.
    pub fn of_path(path: &'p str, shared: Wire) -> Option<Self> {
        let (upstream, path) = match path.strip_prefix(NAMED) {
            Some(rest) => {
                let end = rest.find('/')?;
                (Some(rest.get(..end)?), rest.get(end..)?)
            }
            None => (None, path),
        };
        let endpoint = ProviderEndpoint::of_path(path);
        let wire = match endpoint {
            ProviderEndpoint::Messages => Wire::Anthropic,
            ProviderEndpoint::ChatCompletions | ProviderEndpoint::Responses => Wire::Openai,
            ProviderEndpoint::GenerateContent => Wire::Gemini,
            ProviderEndpoint::Other => {
                Self::wire_of_other(path, shared).or(upstream.map(|_| shared))?
            }
        };
        let is_of_provider = upstream.is_some() || Self::wire_of_other(path, shared).is_some();
        is_of_provider.then_some(Self { upstream, path, wire, endpoint })
    }

    fn wire_of_other(path: &str, shared: Wire) -> Option<Wire> {
        if GEMINI.iter().any(|start| path.starts_with(start)) || path.ends_with(":countTokens") {
            return Some(Wire::Gemini);
        }
        if path.starts_with(ANTHROPIC) || path.starts_with("/v1/messages") {
            return Some(Wire::Anthropic);
        }
        path.starts_with(SHARED).then_some(shared)
    }

    /// Whether a path leaves the folder of its upstream by `..`, in any spelling.
    pub fn leaves_folder(&self) -> bool {
        self.path.split(['/', '\\']).any(|segment| {
            let dots = segment.to_ascii_lowercase().replace("%2e", ".");
            dots == ".."
        })
    }

    /// The index of the upstream among `names`: the one that the path names, else the one whose name
    /// says that it speaks the wire format, else the first one of no known wire format.
    pub fn choose(&self, names: &[&str]) -> Option<usize> {
        let find = |wanted: &str| names.iter().position(|name| *name == wanted);
        if let Some(name) = self.upstream {
            return find(name);
        }
        let all = [Wire::Anthropic, Wire::Openai, Wire::Gemini];
        let is_known = |name: &&str| all.iter().any(|wire| wire.own_names().contains(name));
        let own = self.wire.own_names().iter().find_map(|name| find(name));
        own.or_else(|| names.iter().position(|name| !is_known(name)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(path: &str) -> Option<ProviderRoute<'_>> {
        ProviderRoute::of_path(path, Wire::Openai)
    }

    #[test]
    fn a_path_tells_its_wire_format_and_endpoint() {
        for (path, wire, endpoint) in [
            ("/v1/messages", Wire::Anthropic, ProviderEndpoint::Messages),
            ("/v1/messages/count_tokens", Wire::Anthropic, ProviderEndpoint::Other),
            ("/v1/messages/batches/b1/results", Wire::Anthropic, ProviderEndpoint::Other),
            ("/api/hello", Wire::Anthropic, ProviderEndpoint::Other),
            ("/v1/chat/completions", Wire::Openai, ProviderEndpoint::ChatCompletions),
            ("/v1/chat/completions/", Wire::Openai, ProviderEndpoint::ChatCompletions),
            ("/v1/responses", Wire::Openai, ProviderEndpoint::Responses),
            ("/v1/responses/r1/input_items", Wire::Openai, ProviderEndpoint::Other),
            ("/v1/responses/compact", Wire::Openai, ProviderEndpoint::Other),
            ("/v1/models", Wire::Openai, ProviderEndpoint::Other),
            ("/v1beta/models/g:generateContent", Wire::Gemini, ProviderEndpoint::GenerateContent),
            ("/v1/models/g:streamGenerateContent", Wire::Gemini, ProviderEndpoint::GenerateContent),
            ("/v1beta/models/g:countTokens", Wire::Gemini, ProviderEndpoint::Other),
            ("/v1beta/openai/chat/completions", Wire::Openai, ProviderEndpoint::ChatCompletions),
            ("/v1beta/models", Wire::Gemini, ProviderEndpoint::Other),
        ] {
            let found = route(path).map(|found| (found.wire, found.endpoint, found.upstream));
            assert_eq!(found, Some((wire, endpoint, None)), "{path}");
        }
        for shared in [Wire::Anthropic, Wire::Gemini] {
            let found = |path| ProviderRoute::of_path(path, shared).map(|route| route.wire);
            assert_eq!(found("/v1/models"), Some(shared));
            assert_eq!(found("/v1/chat/completions"), Some(Wire::Openai));
        }
    }

    #[test]
    fn paths_of_this_server_are_no_provider_s() {
        for path in ["/", "/compile", "/models", "/v1", "/u", "/u/", "/u/x", "/docs/messages"] {
            assert_eq!(route(path), None, "{path}");
        }
    }

    #[test]
    fn a_named_upstream_takes_any_path() {
        let found = route("/u/azure/openai/deployments/d/chat/completions").unwrap();
        assert_eq!(found.upstream, Some("azure"));
        assert_eq!(found.path, "/openai/deployments/d/chat/completions");
        assert_eq!(found.endpoint, ProviderEndpoint::ChatCompletions);
        assert_eq!(route("/u/any/thing").unwrap().endpoint, ProviderEndpoint::Other);
        assert_eq!(route("/u/any/").unwrap().path, "/");
    }

    #[test]
    fn a_wire_format_has_a_default_upstream() {
        let choose = |path, names: &[&str]| route(path).unwrap().choose(names);
        assert_eq!(choose("/v1/messages", &["openai", "anthropic"]), Some(1));
        assert_eq!(choose("/v1/responses", &["anthropic", "openrouter"]), Some(1));
        assert_eq!(choose("/v1/messages", &["openai", "gemini"]), None);
        assert_eq!(choose("/v1/messages", &["openai", "near", "far"]), Some(1));
        assert_eq!(choose("/u/far/v1/messages", &["openai", "near", "far"]), Some(2));
        assert_eq!(choose("/u/other/v1/messages", &["openai", "near"]), None);
    }

    #[test]
    fn a_path_out_of_its_folder_is_found_in_any_spelling() {
        for path in ["/u/a/../b", "/u/a/x/%2e%2E/b", "/u/a/.%2e", "/u/a/x\\..\\b"] {
            assert!(route(path).unwrap().leaves_folder(), "{path}");
        }
        assert!(!route("/u/a/..b/c../...").unwrap().leaves_folder());
    }
}

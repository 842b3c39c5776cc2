//! Where a model is asked, and with which key: an OpenAI-compatible endpoint.

use std::fmt;
use std::str::FromStr;

/// The address of chat completions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatUrl(String);

impl ChatUrl {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ChatUrl {
    type Err = String;

    /// Takes the endpoint's base, or the whole address.
    fn from_str(text: &str) -> Result<Self, String> {
        const PATH: &str = "/chat/completions";
        let text = text.trim_end_matches('/');
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
        let host = rest.and_then(|rest| rest.split('/').next()).unwrap_or_default();
        let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic());
        if host.is_empty() || host.contains('@') || !is_plain || text.contains(['?', '#']) {
            return Err("must be an http or https URL without user, query or fragment".to_owned());
        }
        let path = if text.ends_with(PATH) { "" } else { PATH };
        Ok(Self(format!("{text}{path}")))
    }
}

/// A key that is not shown.
#[derive(Clone)]
pub struct ChatKey(String);

impl ChatKey {
    /// The key in a variable of the environment; none if the variable is not set.
    pub fn of_variable(name: &str) -> Result<Option<Self>, String> {
        let Some(value) = std::env::var_os(name) else { return Ok(None) };
        let key = value.to_str().unwrap_or_default().parse();
        key.map(Some).map_err(|error| format!("the variable {name} {error}"))
    }

    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ChatKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ChatKey")
    }
}

impl FromStr for ChatKey {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err("must be visible characters");
        }
        Ok(Self(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_and_a_whole_address_are_the_same() {
        let of = |text: &str| text.parse::<ChatUrl>().map(|url| url.0);
        let whole = Ok("http://localhost:11434/v1/chat/completions".to_owned());
        for text in [
            "http://localhost:11434/v1",
            "http://localhost:11434/v1/",
            "http://localhost:11434/v1/chat/completions",
        ] {
            assert_eq!(of(text), whole);
        }
        for text in ["", "localhost", "ftp://a/b", "https://", "https://u:p@a/v1", "https://a/?k=1"]
        {
            assert!(of(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_key_is_not_shown() {
        let key: ChatKey = "sk-abc".parse().unwrap();
        assert_eq!((key.reveal(), format!("{key:?}").as_str()), ("sk-abc", "ChatKey"));
        assert!("".parse::<ChatKey>().is_err() && "a b".parse::<ChatKey>().is_err());
    }
}

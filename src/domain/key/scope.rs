//! The words of a key: scopes, roles, kinds.

use std::fmt;

/// A right. [`Scope::Admin`] includes all of a tenant's; [`Scope::Operator`] those of all tenants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    Compile,
    Compress,
    MemoryRead,
    MemoryWrite,
    SessionsRead,
    SessionsWrite,
    Tools,
    AdaptersRead,
    AdaptersWrite,
    HooksRead,
    HooksWrite,
    EventsRead,
    PacksRead,
    PacksWrite,
    MetricsRead,
    Admin,
    Operator,
}

/// Roles of a principal for captured memory (`docs/keys.md`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MemoryRole {
    Capturer,
    Reviewer,
    Promoter,
    Auditor,
}

/// The holder of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrincipalKind {
    User,
    Agent,
    Service,
    Automation,
}

/// Something of a closed list that is written as a word.
pub trait Keyword: Copy + Ord + 'static {
    /// All of them, in the order in which they are listed.
    const ALL: &'static [(&'static str, Self)];

    fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().find(|(word, _)| *word == text).map(|(_, value)| *value)
    }
}

impl Keyword for Scope {
    const ALL: &'static [(&'static str, Self)] = &[
        ("compile", Self::Compile),
        ("compress", Self::Compress),
        ("memory:read", Self::MemoryRead),
        ("memory:write", Self::MemoryWrite),
        ("sessions:read", Self::SessionsRead),
        ("sessions:write", Self::SessionsWrite),
        ("tools", Self::Tools),
        ("adapters:read", Self::AdaptersRead),
        ("adapters:write", Self::AdaptersWrite),
        ("hooks:read", Self::HooksRead),
        ("hooks:write", Self::HooksWrite),
        ("events:read", Self::EventsRead),
        ("packs:read", Self::PacksRead),
        ("packs:write", Self::PacksWrite),
        ("metrics:read", Self::MetricsRead),
        ("admin", Self::Admin),
        ("operator", Self::Operator),
    ];
}

impl Keyword for MemoryRole {
    const ALL: &'static [(&'static str, Self)] = &[
        ("capturer", Self::Capturer),
        ("reviewer", Self::Reviewer),
        ("promoter", Self::Promoter),
        ("auditor", Self::Auditor),
    ];
}

impl Scope {
    /// Every scope with its word.
    pub const ALL: &'static [(&'static str, Self)] = <Self as Keyword>::ALL;

    pub fn as_str(self) -> &'static str {
        word(self)
    }
}

impl MemoryRole {
    /// Every role with its word.
    pub const ALL: &'static [(&'static str, Self)] = <Self as Keyword>::ALL;

    pub fn as_str(self) -> &'static str {
        word(self)
    }
}

impl PrincipalKind {
    /// Every kind with its word.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("user", Self::User),
        ("agent", Self::Agent),
        ("service", Self::Service),
        ("automation", Self::Automation),
    ];

    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("user", |(word, _)| word)
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().find(|(word, _)| *word == text).map(|(_, kind)| *kind)
    }
}

fn word<W: Keyword>(value: W) -> &'static str {
    W::ALL.iter().find(|(_, known)| *known == value).map_or("", |(word, _)| word)
}

/// A set of scopes or roles, in the order of their list. Shown as words with a space between.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeywordSet<W>(Vec<W>);

impl<W: Keyword> KeywordSet<W> {
    pub fn all() -> Self {
        W::ALL.iter().map(|(_, value)| *value).collect()
    }

    pub fn none() -> Self {
        Self(Vec::new())
    }

    /// Reads words separated by spaces; `None` if one is unknown.
    pub fn parse(text: &str) -> Option<Self> {
        text.split_ascii_whitespace().map(W::parse).collect()
    }

    pub fn iter(&self) -> impl Iterator<Item = W> + '_ {
        self.0.iter().copied()
    }

    pub fn contains(&self, value: W) -> bool {
        self.0.contains(&value)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each as its word.
    pub fn words(&self) -> Vec<&'static str> {
        self.iter().map(word).collect()
    }
}

impl KeywordSet<Scope> {
    /// Whether a right is included, by itself or in a larger one.
    pub fn grants(&self, scope: Scope) -> bool {
        self.contains(scope)
            || self.contains(Scope::Operator)
            || (scope != Scope::Operator && self.contains(Scope::Admin))
    }
}

impl<W: Keyword> FromIterator<W> for KeywordSet<W> {
    fn from_iter<I: IntoIterator<Item = W>>(values: I) -> Self {
        let mut values: Vec<W> = values.into_iter().collect();
        values.sort_unstable();
        values.dedup();
        Self(values)
    }
}

impl<W: Keyword> fmt::Display for KeywordSet<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words().join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_they_are_written() {
        let all = KeywordSet::<Scope>::all();
        assert_eq!(KeywordSet::parse(&all.to_string()), Some(all));
        assert_eq!(KeywordSet::<MemoryRole>::parse(""), Some(KeywordSet(Vec::new())));
        let some = KeywordSet::<Scope>::parse("admin compile compile").unwrap();
        assert_eq!(some.to_string(), "compile admin");
        assert_eq!(KeywordSet::<Scope>::parse("compile Admin"), None);
        for (word, kind) in PrincipalKind::ALL {
            assert_eq!((PrincipalKind::parse(word), kind.as_str()), (Some(*kind), *word));
        }
    }

    #[test]
    fn admin_grants_all_of_its_tenant_and_no_more() {
        let admin = KeywordSet::<Scope>::parse("admin").unwrap();
        assert!(admin.grants(Scope::Compile) && admin.grants(Scope::Admin));
        assert!(!admin.grants(Scope::Operator));
        let operator = KeywordSet::<Scope>::parse("operator").unwrap();
        assert!(KeywordSet::<Scope>::all().iter().all(|scope| operator.grants(scope)));
        let one = KeywordSet::<Scope>::parse("memory:read").unwrap();
        assert!(one.grants(Scope::MemoryRead) && !one.grants(Scope::MemoryWrite));
    }
}

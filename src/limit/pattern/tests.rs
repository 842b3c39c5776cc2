//! Limits of patterns, and that pieces give the matches of the whole.

use std::ops::Range;
use std::time::Instant;

use proptest::prelude::*;
use regex::Regex;

use super::*;
use crate::limit::{Allowance, AllowanceExceeded};

/// Twenty bytes of which each byte of a text would visit thousands of states.
const COSTLY: &str = "(a|b)*a(a|b){10000}z";

fn pattern(source: &str) -> Pattern {
    PatternBudget::new(1, usize::MAX).compile(source).unwrap()
}

fn ranges(pattern: &Pattern, text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut add = |range| {
        found.push(range);
        Ok(())
    };
    pattern.find_each(text, &Deadline::default(), &mut add).unwrap();
    found
}

/// The matches in pieces of at most `max_bytes`, and by the machine alone if that is 0.
fn ranges_in_pieces(pattern: &Pattern, text: &str, max_bytes: usize) -> Vec<Range<usize>> {
    let program = pattern.program.as_ref().unwrap();
    let deadline = Deadline::default();
    let mut found = Vec::new();
    for piece in pieces::split(text, max_bytes, program.crosses_lines) {
        let engine = program.engine(pattern.as_str(), &piece).unwrap();
        if piece.len() <= max_bytes {
            let matches = engine.find_iter(Input::new(text).range(piece));
            found.extend(matches.map(|hit| hit.range()).filter(|range| !range.is_empty()));
        } else {
            let mut add = |range| {
                found.push(range);
                Ok(())
            };
            Machine::new(&program.nfa, &deadline).find_each(text, piece, &mut add).unwrap();
        }
    }
    found
}

#[test]
fn patterns_are_few_and_small_together() {
    let mut budget = PatternBudget::new(3, 4 << 10);
    assert!(budget.compile("a+").unwrap().is_match("baa", &Deadline::default()).unwrap());
    let large = "[a-z]{100}[0-9]{100}";
    assert_eq!(budget.compile(large).unwrap_err(), PatternError::TooLargeTogether(4 << 10));
    budget.compile("b").unwrap();
    budget.compile("c").unwrap();
    assert_eq!(budget.compile("d").unwrap_err(), PatternError::TooMany(3));
}

#[test]
fn a_pattern_that_is_refused_costs_nothing() {
    let mut budget = PatternBudget::new(1, 1 << 13);
    assert_eq!(budget.compile("(").unwrap_err(), PatternError::Syntax("unclosed group".into()));
    budget.compile("a").unwrap();
    let mut budget = PatternBudget::new(1, usize::MAX);
    let too_large = PatternError::TooManyStates(MAX_PATTERN_STATES);
    assert_eq!(budget.compile(COSTLY).unwrap_err(), too_large);
    let wide = PatternError::TooLarge(MAX_PATTERN_BYTES);
    assert_eq!(budget.compile(r"\w{100}").unwrap_err(), wide);
    let long = PatternError::TooLong(MAX_SOURCE_BYTES);
    assert_eq!(budget.compile(&"a".repeat(MAX_SOURCE_BYTES + 1)).unwrap_err(), long);
    budget.compile("a").unwrap();
}

#[test]
fn a_stored_pattern_beyond_the_limits_is_kept_and_never_silently_passes() {
    let mut budget = PatternBudget::new(1, usize::MAX).keeping_unusable();
    let unusable = budget.compile(COSTLY).unwrap();
    assert_eq!(unusable.as_str(), COSTLY);
    let error = SearchError::Unusable(PatternError::TooManyStates(MAX_PATTERN_STATES));
    assert_eq!(unusable.is_match("z", &Deadline::default()), Err(error.clone()));
    assert_eq!(unusable.find_each("z", &Deadline::default(), &mut |_| Ok(())), Err(error));
    budget.compile("a").unwrap();
    let one_more = budget.compile("a").unwrap().is_match("a", &Deadline::default());
    assert_eq!(one_more, Err(SearchError::Unusable(PatternError::TooMany(1))));
}

#[test]
fn ordinary_patterns_fit() {
    for source in [
        r"\w+",
        r"\W",
        r"\S+@\S+",
        r"(?i)\b[A-Z0-9._%+-]+@[A-Z0-9.-]+\.[A-Z]{2,}\b",
        r"\b\w+\s*[:=]\s*\S+",
        r"[\w.+-]+@[\w-]+\.[\w.-]+",
        r"(?i)(password|passwd|secret|token|api[_-]?key)\s*[:=]\s*\S+",
        r"\b(?:\d{1,3}\.){3}\d{1,3}\b",
        r"[A-Za-z0-9+/]{40,}={0,2}",
        r"eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}",
        r"sk-\w{48}",
        r"(?:\w+\s+){3}\w+",
        r"\p{L}+ \p{Lu}\p{Ll}*",
        r"-----BEGIN [A-Z ]+-----[\s\S]*?-----END [A-Z ]+-----",
        r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    ] {
        let compiled = PatternBudget::new(1, usize::MAX).compile(source);
        assert!(compiled.is_ok(), "{source}: {:?}", compiled.err());
    }
}

#[test]
fn a_search_ends_with_the_time_and_with_the_caller() {
    let late = Deadline::at(Instant::now());
    let stopped = SearchError::Stopped(StopReason::TimeUp);
    let long = "b".repeat(MAX_SHORT_STEPS + 1);
    assert_eq!(pattern("a").is_match(&long, &late), Err(stopped.clone()));
    assert_eq!(pattern("a").find_each(&long, &late, &mut |_| Ok(())), Err(stopped));
    assert_eq!(pattern("a").is_match("a", &late), Ok(true));
    // A text that is one piece stops in the middle of it.
    let crossing = pattern(r"(?s)(a|b)*a(a|b){40}z.");
    let text = "ab".repeat(1 << 16);
    let deadline = Deadline::default();
    let program = crossing.program.as_ref().unwrap();
    let mut machine = Machine::new(&program.nfa, &deadline);
    deadline.cancel();
    assert_eq!(machine.find(&text, 0..text.len()), Err(StopReason::Cancelled));
}

#[test]
fn a_search_that_no_deadline_allows_is_refused_before_it_starts() {
    let costly = pattern("(a|b)*a(a|b){200}z");
    let states = costly.program.as_ref().unwrap().states;
    let bytes = usize::try_from(Allowance::MAX_SEARCH_STEPS).unwrap() / states;
    let deadline = Deadline::default();
    assert!(deadline.allowance().allow_search(bytes, states).is_ok());
    let refused = deadline.allowance().allow_search(bytes + 1, states);
    assert!(matches!(refused, Err(AllowanceExceeded::Search { .. })), "{refused:?}");
    // It stays refused: code that cannot return an error is noticed later.
    assert_eq!(deadline.check(), refused.map_err(StopReason::TooMuchText));
}

#[test]
fn matches_of_many_shapes_are_those_of_the_whole_text() {
    for source in [
        "",
        "a",
        "a|",
        "|a",
        "a*",
        r"\b",
        r"\bé?\b",
        "^a",
        "a$",
        "(?m)^a|b$",
        "(?m)^$",
        r"\z",
        r"\A.",
        "(?s)a.*b|a",
        "a.*b|a",
        "(a|ab)(c|bcd)(d*)",
        "a+?",
        r"\s+",
        r"[^a]+",
        r"\w+\W",
        "é|ß",
    ] {
        let (own, whole) = (pattern(source), Regex::new(source).unwrap());
        for text in ["", "a", "\n", "ab\nab\n", "abcd\n\naé ß\nabc", "éa\naé\n b", "aaa\naab\n"]
        {
            let all: Vec<_> = whole.find_iter(text).map(|hit| hit.range()).collect();
            let wanted: Vec<_> = all.iter().filter(|range| !range.is_empty()).cloned().collect();
            assert_eq!(ranges(&own, text), wanted, "{source:?} in {text:?}");
            for max_bytes in [0, 1, 3, 6] {
                let found = ranges_in_pieces(&own, text, max_bytes);
                assert_eq!(found, wanted, "{source:?} in {text:?}, pieces of {max_bytes}");
            }
            let deadline = Deadline::default();
            assert_eq!(own.is_match(text, &deadline).unwrap(), !all.is_empty(), "{source:?}");
        }
    }
}

/// Patterns of every kind of part that a caller can write.
fn sources() -> impl Strategy<Value = String> {
    let atom = prop_oneof![
        Just("a"),
        Just("b"),
        Just("é"),
        Just("."),
        Just(r"\n"),
        Just("[^a]"),
        Just(r"\w"),
        Just(r"\s"),
        Just(r"\b"),
        Just("(?m:^)"),
        Just("(?m:$)"),
        Just(r"\A"),
        Just(r"\z"),
        Just("(?s:.)"),
        Just(r"\B"),
        Just("")
    ];
    atom.prop_map(str::to_owned).prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(one, other)| format!("{one}{other}")),
            (inner.clone(), inner.clone()).prop_map(|(one, other)| format!("(?:{one}|{other})")),
            inner.clone().prop_map(|one| format!("(?:{one})*")),
            inner.clone().prop_map(|one| format!("(?:{one})+?")),
            inner.clone().prop_map(|one| format!("(?:{one})?")),
            inner.prop_map(|one| format!("(?:{one}){{1,3}}")),
        ]
    })
}

proptest! {
    #[test]
    fn a_search_in_pieces_is_a_search_of_the_whole(
        source in sources(),
        text in "[abé \n]{0,24}",
        max_bytes in 0_usize..12,
    ) {
        let (own, whole) = (pattern(&source), Regex::new(&source).unwrap());
        let all: Vec<Range<usize>> = whole.find_iter(&text).map(|hit| hit.range()).collect();
        let wanted: Vec<_> = all.iter().filter(|range| !range.is_empty()).cloned().collect();
        prop_assert_eq!(ranges(&own, &text), wanted.clone());
        prop_assert_eq!(ranges_in_pieces(&own, &text, max_bytes), wanted);
        let program = own.program.as_ref().unwrap();
        let deadline = Deadline::default();
        let first = Machine::new(&program.nfa, &deadline).find(&text, 0..text.len()).unwrap();
        prop_assert_eq!(first, all.first().cloned());
    }
}

//! Lists of adapters and their definitions.

use super::*;
use crate::json::{Limits, Path, parse};

const DEFINITION: &str = r#"{"detect": {"min_lines": 3}, "keep": [{"lines": "1"}]}"#;

/// An adapter of ours that takes all options or none.
fn built_in(name: &str, takes_options: bool) -> BuiltInAdapter {
    BuiltInAdapter {
        name: name.to_owned(),
        takes_ratio: takes_options,
        takes_summarizer: takes_options,
    }
}

fn known() -> KnownAdapters {
    let definition = |name: &str| {
        let node = parse(DEFINITION, Limits::default()).unwrap();
        let mut faults = Faults::default();
        let read =
            read_definition(&node, Path::Root, Some(name), &mut adapter_patterns(), &mut faults)
                .unwrap();
        (Arc::from(name), Arc::new(read))
    };
    KnownAdapters {
        built_in: vec![built_in("xml", true), built_in("csv", true), built_in("diff", false)],
        stored: BTreeMap::from([definition("csv"), definition("ledger")]),
        patterns: 0,
        unusable: BTreeMap::from([("wide".into(), "is wide".to_owned())]),
        names: vec!["invoices".into()],
    }
}

fn read(body: &str) -> Result<AdapterChoices, Vec<Fault>> {
    let node = parse(body, Limits::default()).unwrap();
    let mut faults = Faults::default();
    let fields = Fields::read(&node, Path::Root, &["adapters"], &mut faults).unwrap();
    let choices = read_adapters(&fields, &known(), &mut faults);
    if faults.is_empty() { Ok(choices) } else { Err(faults.into_vec()) }
}

/// The choices: a name for a built-in adapter, a name and the least lines for a definition.
fn chosen(body: &str) -> Vec<String> {
    let AdapterChoices::Chosen(list) = read(body).unwrap() else { panic!("the usual ones") };
    let tell = |choice| match choice {
        AdapterChoice::Named(name) => name.to_string(),
        AdapterChoice::Custom(own) => format!("{} {:?}", own.name, own.detect.min_lines),
        AdapterChoice::Tuned(..) => unreachable!("told below"),
    };
    let tell = |choice| match choice {
        AdapterChoice::Tuned(own, tuning) => {
            format!("{} {:?} {}", tell(*own), tuning.keep_milli, tuning.summarizer)
        }
        other => tell(other),
    };
    list.into_iter().map(tell).collect()
}

#[test]
fn a_name_is_what_the_list_defines_else_what_is_stored_else_ours() {
    let body = r#"{"adapters": ["xml", "csv", "ledger"]}"#;
    assert_eq!(chosen(body), ["xml", "csv Some(3)", "ledger Some(3)"]);
    let body = r#"{"adapters": ["xml", "ledger", {"name": "xml", "detect": {"min_lines": 9}}]}"#;
    assert_eq!(chosen(body), ["xml Some(9)", "ledger Some(3)", "xml Some(9)"]);
    assert_eq!(chosen(r#"{"adapters": []}"#), [""; 0]);
}

#[test]
fn an_entry_may_say_how_its_adapter_works() {
    let body = r#"{"adapters": [{"name": "xml", "ratio": 0.3}, {"name": "csv", "summarizer": true},
        {"name": "own", "detect": {"min_lines": 9}, "ratio": 0.05}, {"name": "own", "ratio": 0.9},
        {"name": "ledger", "summarizer": false}]}"#;
    let told = [
        "xml Some(300) false",
        "csv Some(3) None true",
        "own Some(9) Some(50) false",
        "own Some(9) Some(900) false",
        "ledger Some(3)",
    ];
    assert_eq!(chosen(body), told);
    for (body, pointer) in [
        (r#"{"adapters": [{"name": "xml", "ratio": 0.04}]}"#, "/adapters/0/ratio"),
        (r#"{"adapters": [{"name": "xml", "ratio": 0.91}]}"#, "/adapters/0/ratio"),
        (r#"{"adapters": [{"name": "xml", "ratio": "0.3"}]}"#, "/adapters/0/ratio"),
        (r#"{"adapters": [{"name": "xml", "summarizer": 1}]}"#, "/adapters/0/summarizer"),
        (r#"{"adapters": [{"name": "xml", "ratio": 0.3, "rate": 1}]}"#, "/adapters/0/rate"),
        (r#"{"adapters": [{"name": "xlm", "ratio": 0.3}]}"#, "/adapters/0"),
        (r#"{"adapters": [{"ratio": 0.3}]}"#, "/adapters/0/name"),
    ] {
        let faults = read(body).unwrap_err();
        assert!(faults.iter().any(|fault| fault.pointer == pointer), "{body} {faults:?}");
    }
    let body = DEFINITION.replace("{\"detect", "{\"ratio\": 0.3, \"detect");
    let node = parse(&body, Limits::default()).unwrap();
    let mut faults = Faults::default();
    let stored =
        read_definition(&node, Path::Root, Some("a"), &mut adapter_patterns(), &mut faults);
    assert!(stored.is_none() || !faults.is_empty());
}

#[test]
fn where_nothing_is_chosen_stored_ones_stand_for_ours() {
    for body in ["{}", r#"{"adapters": null}"#] {
        let AdapterChoices::Usual(stored) = read(body).unwrap() else { panic!("a choice") };
        assert!(stored.iter().any(|own| &*own.name == "csv"));
    }
}

#[test]
fn every_unknown_name_is_told_with_the_nearest_known_one() {
    let told = |body: &str| {
        let faults = read(body).unwrap_err().into_iter();
        faults.map(|fault| (fault.pointer, fault.did_you_mean)).collect::<Vec<_>>()
    };
    let body = r#"{"adapters": ["xlm", "xml", "invoice", "legder", "zzzzzzzzzz",
        {"name": "bonds", "detect": {"min_lines": 0}}, "bond"]}"#;
    let near = |pointer: &str, name: Option<&str>| (pointer.to_owned(), name.map(str::to_owned));
    assert_eq!(
        told(body),
        [
            near("/adapters/0", Some("xml")),
            near("/adapters/2", Some("invoices")),
            near("/adapters/3", Some("ledger")),
            near("/adapters/4", None),
            near("/adapters/5/detect/min_lines", None),
            near("/adapters/6", None),
        ]
    );
    let twice = r#"{"adapters": [{"name": "a", "detect": {"min_lines": 1}},
        {"name": "a", "detect": {"min_lines": 2}}]}"#;
    assert_eq!(told(twice), [near("/adapters/1/name", None)]);
}

#[test]
fn a_stored_adapter_beyond_the_limits_is_a_fault_where_it_is_named() {
    let faults = read(r#"{"adapters": ["xml", "wide"]}"#).unwrap_err();
    assert_eq!(faults[0].pointer, "/adapters/1");
    assert_eq!(faults[0].detail, "the stored adapter `wide` cannot be used: is wide");
    let body = r#"{"adapters": ["wide", {"name": "wide", "detect": {"min_lines": 9}}]}"#;
    assert_eq!(chosen(body), ["wide Some(9)", "wide Some(9)"]);
    let mut notes = Notes::default();
    known().warn_unusable(true, &mut notes);
    assert!(notes.warnings.is_empty());
    known().warn_unusable(false, &mut notes);
    assert_eq!(notes.warnings[0].code, "adapter_unusable");
}

#[test]
fn all_faults_of_a_definition_are_told_at_once() {
    let body = r#"{"name": "b", "detect": {"regex": "(", "min_line": 2, "line_matches": {"0": "a"},
        "min_share_of_lines": {"regex": "a", "share": 2}},
        "keep": [{"lines": "0"}, {"regx": "a"}, {}], "shrink": "all", "join": "{kept}"}"#;
    let node = parse(body, Limits::default()).unwrap();
    let mut faults = Faults::default();
    read_definition(&node, Path::Root, Some("a"), &mut adapter_patterns(), &mut faults);
    let faults = faults.into_vec();
    let pointers: BTreeSet<&str> = faults.iter().map(|fault| fault.pointer.as_str()).collect();
    let wanted = [
        "/name",
        "/detect/regex",
        "/detect/min_line",
        "/detect/line_matches/0",
        "/detect/min_share_of_lines/share",
        "/keep/0/lines",
        "/keep/1",
        "/keep/1/regx",
        "/keep/2",
        "/shrink",
        "/join",
    ];
    assert_eq!(pointers, BTreeSet::from(wanted));
    let near = faults.iter().find(|fault| fault.pointer == "/detect/min_line").unwrap();
    assert_eq!(near.did_you_mean.as_deref(), Some("min_lines"));
}

#[test]
fn patterns_are_as_many_and_as_large_as_can_be_compiled_in_time() {
    let pattern = |source: &str| format!(r#"{{"regex": "{source}"}}"#);
    let definition = |name: usize, source: &str, count: usize| {
        let keep = vec![pattern(source); count].join(",");
        format!(r#"{{"name": "a{name}", "detect": {{"min_lines": 1}}, "keep": [{keep}]}}"#)
    };
    let list = |definitions: &[String]| format!(r#"{{"adapters": [{}]}}"#, definitions.join(","));
    let told = |body: &str| read(body).map_err(|faults| faults[0].pointer.clone()).err();
    assert_eq!(told(&list(&[definition(0, "a", 32)])), None);
    assert_eq!(told(&list(&[definition(0, "a", 33)])).as_deref(), Some("/adapters/0"));
    let two = [0, 1].map(|name| definition(name, "a", 32));
    assert_eq!(told(&list(&two)), None);
    let three = [0, 1, 2].map(|name| definition(name, "a", 32));
    assert_eq!(told(&list(&three)).as_deref(), Some("/adapters"));
    // Each pattern by itself may be so large, all of them together not.
    let large = r"\\w{10}";
    assert_eq!(told(&list(&[definition(0, large, 1)])), None);
    let told = told(&list(&[definition(0, large, 32)]));
    assert_eq!(told.as_deref(), Some("/adapters/0/keep/5/regex"));
}

#[test]
fn a_name_is_given_by_the_address_or_by_the_definition() {
    let read = |body: &str, name| {
        let node = parse(body, Limits::default()).unwrap();
        let mut faults = Faults::default();
        let read = read_definition(&node, Path::Root, name, &mut adapter_patterns(), &mut faults);
        let pointers: Vec<_> = faults.into_vec().into_iter().map(|fault| fault.pointer).collect();
        (read.map(|own| own.name.to_string()), pointers)
    };
    let unnamed = r#"{"detect": {"regex": "a"}}"#;
    let named = r#"{"name": "ledger", "detect": {"regex": "a"}}"#;
    assert_eq!(read(unnamed, Some("ledger")), (Some("ledger".to_owned()), vec![]));
    assert_eq!(read(named, Some("ledger")), (Some("ledger".to_owned()), vec![]));
    assert_eq!(read(named, None), (Some("ledger".to_owned()), vec![]));
    assert_eq!(read(unnamed, None).1, ["/name"]);
    assert_eq!(read(named, Some("book")).1, ["/name"]);
    assert_eq!(read(unnamed, Some("1st")).1, [""]);
    assert_eq!(read(r#"{"name": "a b", "detect": {"regex": "a"}}"#, None).1, ["/name"]);
}

#[test]
fn options_that_change_nothing_are_told() {
    let body = r#"{"adapters": [
        {"name": "xml", "ratio": 0.3, "summarizer": true}, "diff",
        {"name": "diff", "ratio": 0.3, "summarizer": true}, {"name": "diff", "summarizer": false},
        {"name": "ledger", "ratio": 0.3, "summarizer": true},
        {"name": "own", "detect": {"min_lines": 3}, "summarizer": true}]}"#;
    let node = parse(body, Limits::default()).unwrap();
    let mut faults = Faults::default();
    let fields = Fields::read(&node, Path::Root, &["adapters"], &mut faults).unwrap();
    let choices = read_adapters(&fields, &known(), &mut faults);
    assert!(faults.is_empty(), "{faults:?}");
    let mut notes = Notes::default();
    warn_idle_options(&fields, &choices, &known(), &mut notes);
    let warnings = &notes.warnings;
    assert!(warnings.iter().all(|note| note.code == "adapter_option_unused"));
    let places: Vec<&str> = warnings.iter().map(|note| &*note.pointer).collect();
    assert_eq!(
        places,
        [
            "/adapters/2/ratio",
            "/adapters/2/summarizer",
            "/adapters/4/summarizer",
            "/adapters/5/summarizer"
        ]
    );
}

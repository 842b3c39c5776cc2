//! The laws of format adapters.

use contexture::compress::fuzz::{
    AdapterOutcome, choose_adapter, plain_text, reports_error, run_adapters,
};
use contexture::domain::{
    AdapterChoice, AdapterChoices, AdapterDefinition, DetectRules, LineRemoval, LineSelector,
};

/// What holds for an adapter of ours, whatever the text: it makes the same of it twice, its cuts
/// follow each other, what is shown is shorter and holds what the format promises.
pub fn adapter(name: &str, data: &[u8]) {
    obeys(&choose_adapter(name), data);
}

/// The same, and each line that reports an error is shown: what holds for those that leave out
/// lines.
pub fn lines(name: &str, data: &[u8]) {
    let (text, made) = obeys(&choose_adapter(name), data);
    let (halved, holds) = made.halved.expect("cuts in order");
    assert!(holds, "not what {name} promises: {halved:?}");
    let plain = plain_text(&text);
    for (text, shown) in std::iter::once((&text, &halved)).chain(made.shown.iter().map(|shown| (&plain, shown))) {
        for line in text.lines().filter(|line| reports_error(line)) {
            assert!(shown.lines().any(|shown| shown == line), "{line:?} is gone");
        }
    }
}

/// All of ours in their order.
pub fn all(data: &[u8]) {
    obeys(&AdapterChoices::default(), data);
}

/// An adapter as data: the first lines are its patterns and how it joins, the others the text.
pub fn custom(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut parts = text.splitn(5, '\n');
    let mut line = || parts.next().unwrap_or_default();
    let (detect, keep, shrink, join, text) = (line(), line(), line(), line(), line());
    let given = |pattern: &str| (!pattern.is_empty()).then(|| pattern.into());
    let definition = AdapterDefinition {
        name: "custom".into(),
        detect: DetectRules {
            regex: given(detect),
            min_lines: Some(keep.len() % 8),
            line_matches: given(shrink).map(|pattern| (2, pattern)).into_iter().collect(),
            min_share_of_lines: given(keep).map(|pattern| (pattern, 250)),
        },
        keep: vec![LineSelector::Between(1, 2), LineSelector::Last(1), LineSelector::Matching(keep.into())],
        shrink: given(shrink).map_or(LineRemoval::Rest, |pattern| LineRemoval::Matching(vec![pattern])),
        join: join.replace("\\n", "\n").into(),
    };
    let choices = AdapterChoices::Chosen(vec![AdapterChoice::Custom(definition.into())]);
    // None where a pattern does not compile.
    let Some(made) = run_adapters(&choices, text) else { return };
    assert_eq!(run_adapters(&choices, text).as_ref(), Some(&made), "not the same twice");
    assert!(made.shown.is_none_or(|shown| shown.len() < text.len()));
}

fn obeys(choices: &AdapterChoices, data: &[u8]) -> (String, AdapterOutcome) {
    let text = String::from_utf8_lossy(data).into_owned();
    let made = run_adapters(choices, &text).expect("there is one");
    assert_eq!(run_adapters(choices, &text).as_ref(), Some(&made), "not the same twice");
    assert!(made.halved.is_some(), "cuts overlap or split a character");
    assert_eq!(made.reverted, Vec::<String>::new(), "taken back");
    if let Some(shown) = &made.shown {
        assert!(shown.len() < text.len(), "shown as {shown:?}");
    }
    (text, made)
}

//! The laws that the targets hold texts to: one function a target.
//!
//! Bytes are read as text. In `list`, U+001E stands between the entries of a list and U+001F
//! between the texts of an entry, so that a seed can be written by hand.

pub mod adapter;
pub mod api;

use std::sync::Arc;

use contexture::compress::{
    DecodedText, Decoder, EditLimit, Encoder, Engine, Fidelity, Lossless, equivalent as clean, fuzz,
    normal,
};
use contexture::domain::{AllowedNotations, TokenizerName, ValueClass};
use contexture::json::{self as ours, Limits, Node};
use contexture::tokenizer::Counter;
use serde_json::Value;

/// Parts of a text follow each other without gaps.
pub fn segment(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut from = 0;
    for span in fuzz::spans(&text) {
        assert_eq!(span.start, from, "a gap");
        assert!(span.end > span.start && text.is_char_boundary(span.end), "{span:?}");
        from = span.end;
    }
    assert_eq!(from, text.len(), "an end that is no part");
}

/// What a notation writes decodes to the very lines; anybody's block decodes within its limit.
pub fn notation(name: &str, data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let lines: Vec<&str> = text.split('\n').filter(|line| !line.contains('§')).collect();
    for values in [ValueClass::Plain, ValueClass::Computed] {
        encoded(name, &lines, values);
    }
    let mut lines = text.split('\n');
    let args = lines.next().unwrap_or_default();
    let body: Vec<&str> = lines.collect();
    within(name, args, &body, 2_000);
}

fn encoded(name: &str, lines: &[&str], values: ValueClass) {
    let mut end = 0;
    for block in fuzz::encode(name, lines, values) {
        let fuzz::EncodedBlock { lines: range, args, body } = block;
        assert!(range.start >= end && range.end <= lines.len() && !range.is_empty());
        end = range.end;
        assert!(!args.contains('\n') && body.iter().all(|line| !line.contains('\n')));
        let plain = lines[range].join("\n");
        let body: Vec<&str> = body.iter().map(String::as_str).collect();
        let back = fuzz::decode(name, &args, &body, plain.len());
        assert_eq!(back.as_deref(), Some(&*plain), "{args:?} {body:?}");
        // Blocks are changed by hand, too.
        for (at, _) in body.iter().enumerate().take(4) {
            let mut part = body.clone();
            part.remove(at);
            within(name, &args, &part, plain.len());
        }
    }
}

fn within(name: &str, args: &str, body: &[&str], limit: usize) {
    let back = fuzz::decode(name, args, body, limit);
    let length = back.map_or(0, |back| back.len());
    assert!(length <= limit, "{length} bytes, {limit} allowed");
}

/// An entry of a list.
enum Entry {
    Call(Arc<str>),
    Result(Vec<Arc<str>>, bool),
}

fn entries(text: &str) -> Vec<Entry> {
    let entry = |text: &str| {
        let rest = text.get(1..).unwrap_or_default();
        match text.bytes().next() {
            Some(b'c') => Entry::Call(rest.into()),
            Some(b'w') => {
                let mut arguments = "{\"path\":\"a.rs\",\"content\":".to_owned();
                ours::write_string(&mut arguments, rest);
                Entry::Call((arguments + "}").into())
            }
            Some(b'f') => Entry::Result(vec![rest.into()], true),
            Some(b'r') => Entry::Result(rest.split('\u{1f}').map(Arc::from).collect(), false),
            _ => Entry::Result(vec![text.into()], false),
        }
    };
    text.split('\u{1e}').map(entry).collect()
}

/// A list that is shown decodes, text by text; nothing takes more tokens.
pub fn list(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let list = entries(&text);
    for (name, allow) in [
        (TokenizerName::Bytes4, Lossless::Exact),
        (TokenizerName::O200kBase, Lossless::Exact),
        (TokenizerName::O200kBase, Lossless::Equivalent),
    ] {
        round_trip(&list, name, allow);
    }
}

fn round_trip(list: &[Entry], name: TokenizerName, allow: Lossless) {
    for notations in [AllowedNotations::Plain, AllowedNotations::Computed, AllowedNotations::None] {
        round_trip_with(list, name, allow, notations);
    }
}

fn round_trip_with(
    list: &[Entry],
    name: TokenizerName,
    allow: Lossless,
    notations: AllowedNotations,
) {
    let (engine, counter) = (Engine::new(), Counter::new());
    let mut encoder = Encoder::new(&engine, &counter, name, allow).with_notations(notations);
    let mut decoder = Decoder::new(1 << 20);
    for entry in list {
        let (texts, fixed) = match entry {
            Entry::Call(arguments) => {
                encoder.add_call(arguments);
                decoder.add_call(arguments);
                continue;
            }
            Entry::Result(texts, fixed) => (texts, *fixed),
        };
        let forms = encoder.encode_result(texts, if fixed { EditLimit::Fixed } else { EditLimit::Free });
        let shown: Vec<Arc<str>> = texts
            .iter()
            .zip(&forms)
            .map(|(text, form)| form.text.clone().unwrap_or_else(|| Arc::clone(text)))
            .collect();
        let decoded = decoder.decode_result(&shown);
        for (((text, form), shown), decoded) in texts.iter().zip(&forms).zip(&shown).zip(decoded) {
            let back = match decoded {
                DecodedText::Same => shown.to_string(),
                DecodedText::Text(back) => back,
                DecodedText::Missing => panic!("not decoded: {shown:?}"),
            };
            assert!(form.reverted.is_empty(), "{:?}", form.reverted);
            let is_exact = form.class == Fidelity::Exact;
            assert!(is_exact || allow == Lossless::Equivalent);
            if is_exact {
                assert_eq!(back, **text, "shown as {shown:?}");
            } else {
                assert_eq!(normal(&back), normal(text), "shown as {shown:?}");
            }
            assert_eq!(counter.count(name, shown), form.tokens_after);
            let spare = if form.rules == ["escape"] { 2 } else { 0 };
            assert!(form.tokens_after <= form.tokens_before + spare, "shown as {shown:?}");
        }
    }
}

/// Taking out what says nothing once takes out all of it.
pub fn equivalent(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let once = clean(&text);
    assert!(once.len() <= text.len());
    assert_eq!(clean(&once), once);
    let (before, after) = (ours::parse(&text, limits()), ours::parse(&once, limits()));
    if let (Ok(before), Ok(after)) = (before, after) {
        assert_eq!(canonical(&before), canonical(&after));
    }
}

/// Atoms are disjoint, and no cut of a summary's line falls inside one.
pub fn atoms(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut end = 0;
    for atom in fuzz::atoms(&text) {
        assert!(atom.start >= end && atom.end > atom.start, "{atom:?}");
        assert!(text.is_char_boundary(atom.start) && text.is_char_boundary(atom.end));
        end = atom.end;
    }
    let whole = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let atoms = fuzz::atoms(&whole);
    for width in [1, 7, 40, 160] {
        let line = fuzz::one_line(&text, width);
        assert!(line.chars().count() <= width + 1);
        let Some(head) = line.strip_suffix('…').filter(|head| head.len() + 3 <= whole.len())
        else {
            continue;
        };
        if whole == line {
            continue;
        }
        assert!(whole.starts_with(head));
        let cut = atoms.iter().find(|atom| atom.start < head.len() && head.len() < atom.end);
        assert_eq!(cut, None, "{line:?} cuts {:?}", cut.map(|atom| &whole[atom.clone()]));
    }
}

fn limits() -> Limits {
    Limits { depth: 100, ..Limits::default() }
}

/// The reader takes what `serde_json` takes, and reads the same.
pub fn json(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let theirs = serde_json::from_str::<serde::de::IgnoredAny>(&text);
    match ours::parse(&text, limits()) {
        Ok(node) => {
            theirs.expect("what we read is JSON");
            if let Ok(value) = serde_json::from_str::<Value>(&text) {
                same(&node, &value);
            }
            let short = ours::minify(&text);
            let again = ours::parse(&short, limits()).expect("minified JSON is JSON");
            assert_eq!(canonical(&again), canonical(&node));
        }
        Err(fault) if fault.kind.is_malformed() => assert!(theirs.is_err(), "{fault}"),
        Err(_) => {}
    }
}

fn canonical(node: &Node<'_>) -> String {
    let mut out = String::new();
    ours::canonical(&mut out, node);
    out
}

fn same(node: &Node<'_>, value: &Value) {
    match (&node.value, value) {
        (ours::Value::Null, Value::Null) => {}
        (ours::Value::Bool(left), Value::Bool(right)) => assert_eq!(left, right),
        (ours::Value::Number(text), Value::Number(number)) => {
            // It reads long numbers to the last bit but one.
            let (ours, theirs) = (text.parse::<f64>().unwrap(), number.as_f64().unwrap());
            assert!((ours - theirs).abs() <= ours.abs() * 1e-15, "{ours} {theirs}");
        }
        (ours::Value::String(left), Value::String(right)) => assert_eq!(**left, **right),
        (ours::Value::Array(left), Value::Array(right)) => {
            assert_eq!(left.len(), right.len());
            left.iter().zip(right).for_each(|(left, right)| same(left, right));
        }
        (ours::Value::Object(left), Value::Object(right)) => {
            assert_eq!(left.len(), right.len());
            for ((name, left), (key, right)) in left.iter().zip(right) {
                assert_eq!(name, key);
                same(left, right);
            }
        }
        (_, right) => panic!("{} is {right:?}", node.raw),
    }
}

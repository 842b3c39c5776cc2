//! Token counts of recorded sessions are those of `bpe-openai`.

use std::fs;

use bpe_openai::Tokenizer;
use contexture::domain::TokenizerName;
use contexture::tokenizer::Counter;
use serde_json::Value;

use crate::support::prerequisite;

fn each_text(value: &Value, check: &mut dyn FnMut(&str)) {
    match value {
        Value::String(text) => check(text),
        Value::Array(items) => items.iter().for_each(|item| each_text(item, check)),
        Value::Object(members) => members.values().for_each(|member| each_text(member, check)),
        _ => {}
    }
}

#[test]
fn every_text_of_recorded_sessions_counts_the_same() {
    let Some(folder) = prerequisite::variable("corpus") else { return };
    let dictionaries: [(TokenizerName, &Tokenizer); 2] = [
        (TokenizerName::O200kBase, bpe_openai::o200k_base()),
        (TokenizerName::Cl100kBase, bpe_openai::cl100k_base()),
    ];
    let counter = Counter::new();
    let mut texts = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let session: Value =
            serde_json::from_slice(&fs::read(entry.unwrap().path()).unwrap()).unwrap();
        each_text(&session, &mut |text| {
            texts += 1;
            for (name, dictionary) in dictionaries {
                let expected = dictionary.count(text) as u64;
                assert_eq!(counter.count_once(name, text), expected, "{name:?} of {text:?}");
            }
        });
    }
    assert!(texts > 1_000, "{texts} texts");
}

use super::*;
use crate::compress::AdapterSet;
use crate::domain::AdapterChoices;
use proptest::prelude::*;

/// One entry of a list: the arguments of a call, or the texts of a result.
#[derive(Debug, Clone)]
enum Entry {
    Call(String),
    Result(Vec<String>, bool),
}

fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        4 => "(the quick brown fox jumps over the lazy dog number [0-3]|src/http/[a-c]/[a-d]{1,2}\\.rs)",
        1 => "[0-9]{1,2}\t[a-z ]{0,30}",
        1 => "§(= result [0-3]( lines? [0-4](-[0-9])?)?|= call 1 content|numbered [0-3] from 1 \"\\\\t\"|tree 2 \">\"|§|)",
        1 => "error: the quick brown fox [0-2]",
        2 => "\\PC{0,20}",
        1 => Just(String::new()),
    ];
    let json = "([a-z:]{0,6}|\u{feff}) ?\\{\"a\": \\[(\\{\"b\": \"a value that stands often\"\\}, ){8,9}[0-9]\\]\\}[a-z ]{0,3}";
    let stdout =
        "\\{\"a\": \\[[0-9]{1,3}, \"[ -!#-\\[\\]-~]{0,8}\"\\],\n  \"stdout\": \"x\\\\ny\"\\}";
    prop_oneof![8 => prop::collection::vec(line, 0..14).prop_map(|lines| lines.join("\n")), 1 => json, 1 => stdout]
}

fn list() -> impl Strategy<Value = Vec<Entry>> {
    let call = text().prop_map(|text| {
        let mut arguments = "{\"content\":".to_owned();
        json::write_string(&mut arguments, &text);
        Entry::Call(arguments + "}")
    });
    let result = (prop::collection::vec(text(), 1..3), prop::bool::weighted(0.1))
        .prop_map(|(texts, fixed)| Entry::Result(texts, fixed));
    prop::collection::vec(prop_oneof![1 => call, 2 => result], 1..8)
}

/// The texts of every result as they are shown.
fn encode(list: &[Entry], allow: Lossless) -> Vec<Vec<(Arc<str>, ShownForm)>> {
    let (engine, counter) = (Engine::new(), Counter::new());
    let mut encoder = Encoder::new(&engine, &counter, TokenizerName::O200kBase, allow);
    let mut shown = Vec::new();
    for entry in list {
        match entry {
            Entry::Call(arguments) => encoder.add_call(&arguments.as_str().into()),
            Entry::Result(texts, fixed) => {
                let texts: Vec<Arc<str>> = texts.iter().map(|text| text.as_str().into()).collect();
                let hold = if *fixed { EditLimit::Fixed } else { EditLimit::Free };
                let forms = encoder.encode_result(&texts, hold);
                let pairs = texts
                    .into_iter()
                    .zip(forms)
                    .map(|(text, form)| (form.text.clone().unwrap_or(text), form));
                shown.push(pairs.collect());
            }
        }
    }
    shown
}

fn decode(list: &[Entry], shown: &[Vec<(Arc<str>, ShownForm)>]) -> Vec<Vec<String>> {
    let mut reader = Decoder::new(1 << 20);
    let mut results = shown.iter();
    let mut back = Vec::new();
    for entry in list {
        match entry {
            Entry::Call(arguments) => reader.add_call(arguments),
            Entry::Result(..) => {
                let texts: Vec<Arc<str>> =
                    results.next().unwrap().iter().map(|(text, _)| Arc::clone(text)).collect();
                let decoded = reader.decode_result(&texts).into_iter().zip(&texts);
                let texts = decoded.map(|(decoded, text)| match decoded {
                    DecodedText::Same => text.to_string(),
                    DecodedText::Text(text) => text,
                    DecodedText::Missing => panic!("not decoded: {text}"),
                });
                back.push(texts.collect());
            }
        }
    }
    back
}

fn originals(list: &[Entry]) -> Vec<&Vec<String>> {
    let results = list.iter().filter_map(|entry| match entry {
        Entry::Result(texts, _) => Some(texts),
        Entry::Call(_) => None,
    });
    results.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn what_is_shown_decodes_to_the_very_bytes(list in list()) {
        let shown = encode(&list, Lossless::Exact);
        let back = decode(&list, &shown);
        prop_assert_eq!(back.iter().collect::<Vec<_>>(), originals(&list), "{:#?}", shown);
    }

    #[test]
    fn what_is_clean_decodes_to_what_says_the_same(list in list()) {
        let squash = |text: &str| text.split_whitespace().collect::<String>();
        let shown = encode(&list, Lossless::Equivalent);
        let (decoded, originals) = (decode(&list, &shown), originals(&list));
        prop_assert_eq!(decoded.len(), originals.len());
        for (back, original) in decoded.iter().zip(originals) {
            prop_assert_eq!(back.len(), original.len());
            for (back, original) in back.iter().zip(original) {
                prop_assert_eq!(squash(back), squash(original));
            }
        }
    }

    #[test]
    fn no_text_takes_more_tokens(list in list()) {
        let counter = Counter::new();
        for (text, form) in encode(&list, Lossless::Equivalent).concat() {
            let tokens = counter.count(TokenizerName::O200kBase, &text);
            prop_assert_eq!(tokens, form.tokens_after);
            let spare = if form.rules == ["escape"] { 2 } else { 0 };
            prop_assert!(tokens <= form.tokens_before + spare, "{:?}", form);
        }
    }

    #[test]
    fn a_longer_list_changes_nothing_before(list in list()) {
        let whole = encode(&list, Lossless::Equivalent);
        let texts = |shown: &[Vec<(Arc<str>, ShownForm)>]| -> Vec<Vec<Arc<str>>> {
            shown.iter().map(|texts| texts.iter().map(|(text, _)| Arc::clone(text)).collect()).collect()
        };
        let part = encode(&list[..list.len() - 1], Lossless::Equivalent);
        prop_assert_eq!(texts(&part), texts(&whole[..part.len()]));
    }

    #[test]
    fn nobodys_text_makes_decoding_panic(texts in prop::collection::vec(text(), 1..6)) {
        let mut decoder = Decoder::new(0);
        for text in texts {
            decoder.decode_result(&[text.into()]);
        }
    }
}

#[test]
fn what_is_too_much_work_for_a_notation_stands_as_it_was() {
    let line = |n: u32| format!("2024-05-01T12:00:01Z INFO worker took job {} of many\n", n * 37);
    let text: String = (0..40).map(line).collect();
    let counter = Counter::new();
    let tokens =
        tokens::EditTokens::new(&counter, TokenizerName::Bytes4, &text, TokenSource::Itself);
    let (role, check) = (TextRole::Result(Lossless::Exact), blocks::DecodeCheck::Each);
    let refused = blocks::write_blocks(&tokens, &text, role, check, text.len() - 1);
    assert_eq!((refused.used.len(), refused.text.as_str()), (0, ""));
    assert!(refused.reverted.contains(&"template"), "{:?}", refused.reverted);
    let taken = blocks::write_blocks(&tokens, &text, role, check, text.len());
    assert_eq!((taken.used, taken.reverted), (vec!["template"], Vec::new()));
}

#[test]
fn what_people_wrote_stays_and_what_they_pasted_does_not() {
    let (engine, counter) = (Engine::new(), Counter::new());
    let encoder = Encoder::new(&engine, &counter, TokenizerName::O200kBase, Lossless::Exact);
    let line = |at| format!("2024-05-01T12:00:{at:02} INFO worker-{} done in {}ms", at % 4, at * 3);
    let log = (0..60).map(line).collect::<Vec<_>>().join("\n");
    let fenced = format!("Why is this slow?\n\n```\n{log}\n```\n\nPlease look at it soon.\n");
    for text in [format!("Why is this slow?\n\n{log}\n"), fenced] {
        let form = encoder.encode_prompt(&text.as_str().into(), EditLimit::Free);
        let shown = form.text.expect("a shorter form");
        assert!(
            form.tokens_after < form.tokens_before / 2 && shown.starts_with("Why is this slow?")
        );
        assert_eq!(Decoder::new(0).decode_prompt(&shown), DecodedText::Text(text));
    }
    let little = log.lines().take(8).collect::<Vec<_>>().join("\n");
    for text in [little, "Waiting for the lock. ".repeat(300), "Wait.\n".repeat(300)] {
        assert_eq!(encoder.encode_prompt(&text.into(), EditLimit::Free).text, None);
    }
}

fn file() -> String {
    let lines: Vec<_> = (0..30).map(|at| format!("fn number_{at}() -> u32 {{ {at} }}")).collect();
    lines.join("\n") + "\n"
}

#[test]
fn a_text_read_twice_is_shown_once() {
    let file = file();
    let edited = file.replace("number_20", "twenty");
    let list = [file.as_str(), &file, &edited].map(|text| Entry::Result(vec![text.into()], false));
    let shown = encode(&list, Lossless::Exact).concat();
    assert_eq!(shown[0].0.as_ref(), file);
    assert_eq!(shown[1].0.as_ref(), "§= result 1");
    assert_eq!(
        shown[2].0.as_ref(),
        "§= result 1 lines 1-20\nfn twenty() -> u32 { 20 }\n§= result 1 lines 22-31"
    );
}

#[test]
fn a_text_read_twice_is_named_rather_than_shortened() {
    let (engine, counter) = (Engine::new(), Counter::new());
    let adapters =
        AdapterSet::new(&AdapterChoices::Chosen(Vec::new()), &crate::limit::Deadline::default());
    let reducer = Reducer { adapters: &adapters, pointer: None };
    let name = TokenizerName::O200kBase;
    let mut encoder = Encoder::new(&engine, &counter, name, Lossless::Exact).with_reducer(reducer);
    let whole: Arc<str> = file().into();
    let other: Arc<str> = whole.replace("number", "figure").into();
    encoder.encode_result(&[Arc::clone(&whole)], EditLimit::Free);
    let mut shown = |text: &Arc<str>| {
        encoder.encode_result(&[Arc::clone(text)], EditLimit::To(Depth::Gist)).remove(0)
    };
    let again = shown(&whole);
    assert_eq!(again.text.as_deref(), Some("§= result 1"));
    assert_eq!(again.rules, ["reference"]);
    let gist = shown(&other);
    assert!(gist.tokens_after > again.tokens_after && gist.tokens_after * 3 < gist.tokens_before);
    assert_eq!(gist.class, Fidelity::Reversible);
}

#[test]
fn what_was_written_is_not_read_again() {
    let file = file();
    let mut arguments = "{\"path\":\"a.rs\",\"content\":".to_owned();
    json::write_string(&mut arguments, &file);
    let list =
        [Entry::Call(arguments + "}"), Entry::Result(vec![format!("// a.rs\n{file}")], false)];
    let shown = encode(&list, Lossless::Exact).concat();
    assert_eq!(shown[0].0.as_ref(), "// a.rs\n§= call 1 content");
}

#[test]
fn no_block_stands_beside_a_word() {
    let rows: Vec<_> = (0..40).map(|at| format!("{{\"id\": {at}, \"name\": \"x\"}}")).collect();
    let json = format!("[{}]", rows.join(", "));
    for text in [
        format!("Result: {json}"),
        format!("<out>{json}</out>"),
        format!("\u{feff}{json}"),
        format!("{json} done"),
        format!("{json}{json}"),
    ] {
        let list = [Entry::Result(vec![text.clone()], false)];
        let shown = encode(&list, Lossless::Exact);
        assert_eq!(decode(&list, &shown), [[text]]);
    }
}

#[test]
fn bytes_made_in_vain_are_taken_from_what_may_be_made() {
    let long = "0123456789abcde\n".repeat(1 << 18);
    // Lines that are copied and end nowhere, and blocks that fail when they have made much.
    for vain in [
        format!("{}§= result 9", "§= result 1\n".repeat(8)),
        format!("{}§none 1\nx", "§= result 1\n".repeat(8)),
        "§repeat 1 ×2000000\n0123456789abcde\n§none 1\nx".to_owned(),
    ] {
        let mut decoder = Decoder::new(0);
        decoder.decode_result(&[long.as_str().into()]);
        let good: Arc<str> = "§repeat 1 ×1000000\n0123456789abcde".into();
        assert!(matches!(
            decoder.decode_result(&[Arc::clone(&good)]).as_slice(),
            [DecodedText::Text(_)]
        ));
        for _ in 0..4 {
            assert_eq!(decoder.decode_result(&[vain.as_str().into()]), [DecodedText::Missing]);
        }
        assert_eq!(decoder.decode_result(&[good]), [DecodedText::Missing], "{vain:.40}");
    }
}

#[test]
fn a_code_before_a_mark_stays() {
    let lines = "the quick brown fox jumps over the lazy dog   \n".repeat(9);
    let text = format!("\u{1b}[0m§= result 1\n{lines}");
    for allow in [Lossless::Exact, Lossless::Equivalent] {
        let list =
            [Entry::Result(vec!["x".to_owned()], false), Entry::Result(vec![text.clone()], false)];
        let shown = encode(&list, allow);
        assert_eq!(decode(&list, &shown), [["x".to_owned()], [text.clone()]], "{allow:?}");
    }
}

#[test]
fn a_few_blocks_that_fail_do_not_take_the_rest() {
    let mut decoder = Decoder::new(0);
    for _ in 0..10 {
        assert_eq!(decoder.decode_result(&["§repeat 1 ×0\nx".into()]), [DecodedText::Missing]);
    }
    let good = decoder.decode_result(&["§repeat 1 ×1000000\n0123456789abcde".into()]);
    assert!(matches!(good.as_slice(), [DecodedText::Text(_)]));
}

#[test]
fn a_table_that_white_space_has_no_say_in_is_exact() {
    let row = |n: usize| serde_json::json!({"id": n, "name": format!("row {n}"), "ok": n.is_multiple_of(3)});
    let rows: Vec<serde_json::Value> = (0..120).map(row).collect();
    for text in [
        serde_json::to_string_pretty(&rows).unwrap(),
        serde_json::to_string(&rows).unwrap().replace(',', ", ").replace(':', ": "),
        rows.iter().fold("<rows>\n".to_owned(), |text, row| {
            text + &format!(
                "  <row>\n    <id>{}</id>\n    <name>{}</name>\n  </row>\n",
                row["id"], row["ok"]
            )
        }) + "</rows>\n",
    ] {
        for name in [TokenizerName::Bytes4, TokenizerName::O200kBase] {
            let (engine, counter) = (Engine::new(), Counter::new());
            let mut encoder = Encoder::new(&engine, &counter, name, Lossless::Equivalent);
            let form = encoder.encode_result(&[text.as_str().into()], EditLimit::Free).remove(0);
            assert_eq!(form.class, Fidelity::Exact, "{:?}", form.rules);
            assert!(form.tokens_after * 2 < form.tokens_before, "{}", form.tokens_after);
        }
    }
}

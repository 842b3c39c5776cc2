use super::*;
use crate::compress::AdapterSet;
use crate::compress::notation::NotationKind;
use crate::domain::{AdapterChoices, ValueClass};
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
        1 => "§(: repeated so many times|= (result [0-3]|above)( lines? [0-4](-[0-9])?)?|= call 1 content|numbered [0-3] from 1 \"\\\\t\"|tree 2 \">\"|§|)",
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

/// The texts of every result as they are shown by default.
fn encode(list: &[Entry], allow: Lossless) -> Vec<Vec<(Arc<str>, ShownForm)>> {
    encode_with(list, allow, AllowedNotations::Plain)
}

/// The texts of every result as they are shown with some notations.
fn encode_with(
    list: &[Entry],
    allow: Lossless,
    notations: AllowedNotations,
) -> Vec<Vec<(Arc<str>, ShownForm)>> {
    let (engine, counter) = (Engine::new(), Counter::new());
    let encoder = Encoder::new(&engine, &counter, TokenizerName::O200kBase, allow);
    let mut encoder = encoder.with_notations(notations);
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
        for (_, notations) in AllowedNotations::WORDS {
            let shown = encode_with(&list, Lossless::Exact, *notations);
            let back = decode(&list, &shown);
            prop_assert_eq!(back.iter().collect::<Vec<_>>(), originals(&list), "{:#?}", shown);
            for (_, form) in shown.concat() {
                prop_assert!(form.values() <= notations.values(), "{:?}", form);
            }
        }
    }

    #[test]
    fn each_kind_of_notation_explains_itself_once_and_first(list in list()) {
        let mut explained = NotationKinds::default();
        for (text, form) in encode(&list, Lossless::Equivalent).concat() {
            let own = legends::explained_in(&text);
            if form.rules == ["escape"] || form.text.is_none() {
                continue;
            }
            prop_assert!(own.without(form.kinds).is_empty(), "{}", text);
            prop_assert_eq!(own, form.kinds.without(explained), "{}", text);
            explained = explained.union(form.kinds);
        }
    }

    #[test]
    fn what_is_clean_decodes_to_what_says_the_same(list in list()) {
        // A byte order mark before a text says nothing.
        let squash = |text: &str| {
            text.trim_start_matches('\u{feff}').split_whitespace().collect::<String>()
        };
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
        let encoded = AllowedNotations::WORDS.iter().flat_map(|(_, notations)| {
            encode_with(&list, Lossless::Equivalent, *notations).concat()
        });
        for (text, form) in encoded {
            let tokens = counter.count(TokenizerName::O200kBase, &text);
            prop_assert_eq!(tokens, form.tokens_after);
            let spare = if form.rules == ["escape"] { 2 } else { 0 };
            prop_assert!(tokens <= form.tokens_before + spare, "{:?}", form);
            prop_assert!(tokens <= form.tokens_alone, "{:?}", form);
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
    let rules = |max_bytes| blocks::BlockRules {
        role: TextRole::Result(Lossless::Exact),
        values: ValueClass::Computed,
        check: blocks::DecodeCheck::Each,
        max_bytes,
    };
    let refused = blocks::write_blocks(&tokens, &text, rules(text.len() - 1));
    assert_eq!((refused.used.len(), refused.text.as_str()), (0, ""));
    assert!(refused.reverted.contains(&"template"), "{:?}", refused.reverted);
    let taken = blocks::write_blocks(&tokens, &text, rules(text.len()));
    assert_eq!((taken.used, taken.reverted), (vec!["template"], Vec::new()));
}

#[test]
fn what_people_wrote_stays_and_what_they_pasted_does_not() {
    let (engine, counter) = (Engine::new(), Counter::new());
    let encoder = Encoder::new(&engine, &counter, TokenizerName::O200kBase, Lossless::Exact);
    let encoder = encoder.with_notations(AllowedNotations::Computed);
    let line = |at| format!("2024-05-01T12:00:{at:02} INFO worker-{} done in {}ms", at % 4, at * 3);
    let log = (0..60).map(line).collect::<Vec<_>>().join("\n");
    let fenced = format!("Why is this slow?\n\n```\n{log}\n```\n\nPlease look at it soon.\n");
    for text in [format!("Why is this slow?\n\n{log}\n"), fenced] {
        let form = encoder.encode_prompt_alone(&text.as_str().into(), EditLimit::Free);
        let shown = form.text.expect("a shorter form");
        assert!(
            form.tokens_after < form.tokens_before / 2 && shown.starts_with("Why is this slow?")
        );
        assert_eq!(Decoder::new(0).decode_prompt(&shown), DecodedText::Text(text));
    }
    let little = log.lines().take(8).collect::<Vec<_>>().join("\n");
    for text in [little, "Waiting for the lock. ".repeat(300), "Wait.\n".repeat(300)] {
        assert_eq!(encoder.encode_prompt_alone(&text.into(), EditLimit::Free).text, None);
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
    let legend = NotationKind::Reference.legend();
    assert_eq!(*shown[1].0, format!("§= result 1\n{legend}"));
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
    let legend = NotationKind::Reference.legend();
    assert_eq!(again.text.as_deref(), Some(&*format!("§= result 1\n{legend}")));
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
    let legend = NotationKind::Reference.legend();
    assert_eq!(*shown[0].0, format!("// a.rs\n§= call 1 content\n{legend}"));
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
            let encoder = Encoder::new(&engine, &counter, name, Lossless::Equivalent);
            let mut encoder = encoder.with_notations(AllowedNotations::Computed);
            let form = encoder.encode_result(&[text.as_str().into()], EditLimit::Free).remove(0);
            assert_eq!(form.class, Fidelity::Exact, "{:?}", form.rules);
            assert!(form.tokens_after * 2 < form.tokens_before, "{}", form.tokens_after);
        }
    }
}

/// Two logs of one form, and what the first of them shows.
fn log(from: usize, rows: usize) -> String {
    let line = |at| format!("2031-05-01 12:00:{at:02} INFO gate {} let {} in", at * 7 % 5, at * at);
    (from..from + rows).map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_first_block_of_a_kind_has_a_legend_and_the_next_has_none() {
    let list = [log(0, 40), log(10, 40)].map(|text| Entry::Result(vec![text], false));
    let shown = encode(&list, Lossless::Exact);
    let legend = NotationKind::Beginning.legend();
    let heads: Vec<String> = shown
        .concat()
        .iter()
        .map(|(text, _)| text.lines().take(2).collect::<Vec<_>>().join("\n"))
        .collect();
    let head = "§lines 40 begin with \"2031-05-01 \"\n";
    assert_eq!(heads[0], format!("{head}{legend}"));
    assert!(heads[1].starts_with(head), "{}", heads[1]);
    assert!(!heads[1].contains(&legend), "{}", heads[1]);
    assert_eq!(decode(&list, &shown), [[log(0, 40)], [log(10, 40)]]);
}

#[test]
fn a_form_that_is_no_shorter_with_its_legend_is_not_taken() {
    // So few that a block of a kind that is explained pays, and one with its legend does not.
    let text = |times: usize| ["Waiting for gate number four"; 40][..times].join("\n");
    let entry = |times| Entry::Result(vec![text(times)], false);
    let taken = |list: &[Entry]| {
        let shown = encode(list, Lossless::Exact).concat();
        shown.last().is_some_and(|(_, form)| form.text.is_some())
    };
    let other = Entry::Result(vec![["The gate is open"; 40].join("\n")], false);
    let few =
        (2..12).find(|times| taken(&[other.clone(), entry(*times)]) && !taken(&[entry(*times)]));
    let few = few.expect("a few lines pay only where the kind is explained");
    assert!(taken(&[entry(few + 8)]), "{few}");
}

#[test]
fn without_notations_a_text_keeps_its_format() {
    let json = format!("{{\n  \"rows\": [{}\n  ]\n}}\n", vec!["\n    [1, 2]"; 40].join(","));
    let list = [log(0, 40), log(0, 40), json].map(|text| Entry::Result(vec![text], false));
    let shown = encode_with(&list, Lossless::Equivalent, AllowedNotations::None).concat();
    assert_eq!((&shown[0].1.text, &shown[1].1.text), (&None, &None));
    assert!(serde_json::from_str::<serde_json::Value>(&shown[2].0).is_ok(), "{}", shown[2].0);
    assert_eq!(shown[2].1.values(), Some(ValueClass::Plain));
}

#[test]
fn plain_lines_show_each_value_as_it_was_written() {
    let texts = [log(0, 40)];
    let list = texts.clone().map(|text| Entry::Result(vec![text], false));
    let plain = encode_with(&list, Lossless::Exact, AllowedNotations::Plain).concat();
    let rows: Vec<&str> = plain[0].0.lines().skip(2).collect();
    for (line, row) in texts[0].lines().zip(rows) {
        let numbers = |text: &str| -> Vec<String> {
            let is_number = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
            let words = text.split(|c: char| !c.is_ascii_alphanumeric());
            words.filter(|word| !word.is_empty()).filter(is_number).map(str::to_owned).collect()
        };
        let shown = numbers(row);
        let tail = numbers(line).split_off(3);
        assert!(tail.iter().all(|number| shown.contains(number)), "{line}: {row}");
    }
    assert_eq!(plain[0].1.values(), Some(ValueClass::Plain));
    let computed = encode_with(&list, Lossless::Exact, AllowedNotations::Computed).concat();
    assert_eq!(computed[0].1.values(), Some(ValueClass::Computed));
    assert!(computed[0].1.tokens_after < plain[0].1.tokens_after);
}

#[test]
fn lines_that_are_further_up_in_the_same_text_are_named() {
    let part = (0..6).map(|at| format!("    let gate_{at} = depot.open(gate, {at})?;"));
    let part = part.collect::<Vec<_>>().join("\n");
    let text =
        format!("fn first() {{\n{part}\n}}\n\nfn second() {{\n{part}\n    wait();\n}}\n{part}\n");
    let list = [Entry::Result(vec![text.clone()], false)];
    let shown = encode(&list, Lossless::Exact).concat();
    let legend = NotationKind::Reference.legend();
    let expected = format!(
        "fn first() {{\n{part}\n}}\n\nfn second() {{\n§= above lines 2-7\n{legend}\n    wait();\n}}\n\
         §= above lines 2-7\n"
    );
    assert_eq!(*shown[0].0, expected);
    assert_eq!(
        decode(&list, &shown.iter().map(|one| vec![one.clone()]).collect::<Vec<_>>()),
        [[text]]
    );
    let few = format!(
        "{}\n\n{}\n",
        "    let gate = depot.open(gate)?;\n}", "    let gate = depot.open(gate)?;\n}"
    );
    let shown = encode(&[Entry::Result(vec![few], false)], Lossless::Exact).concat();
    assert_eq!(shown[0].1.text, None);
}

#[test]
fn a_reference_to_lines_below_itself_leads_nowhere() {
    for text in ["a\n§= above lines 1-2\nb", "§= above line 1", "a\n§= above line 3\nb", "§= above"]
    {
        assert_eq!(Decoder::new(0).decode_result(&[text.into()]), [DecodedText::Missing], "{text}");
    }
}

//! Laws that every notation is held to.

use proptest::prelude::*;

use super::*;

/// The blocks that a notation finds in a text: each decodes to the very lines it stands for.
pub(super) fn blocks(notation: &dyn Notation, text: &str) -> Vec<FoundBlock> {
    let lines: Vec<&str> = text.split('\n').collect();
    let found = notation.encode(&lines, ValueClass::Computed);
    for one in found.iter().chain(&notation.encode(&lines, ValueClass::Plain)) {
        let body: Vec<&str> = one.block.body.lines().collect();
        let original = lines[one.lines.clone()].join("\n");
        let decoded = notation.decode(&one.block.args, &body, original.len());
        assert_eq!(decoded.as_deref(), Some(original.as_str()), "{:#?}", one.block);
        assert!(body.iter().all(|line| !line.contains('\n')));
    }
    found
}

/// Lines as tools print them, in runs that notations look for.
fn lines() -> impl Strategy<Value = Vec<String>> {
    let numbered =
        (1u32..2000, 0usize..8, "(\t|→|:|\\| )", prop::collection::vec("[ -~]{0,20}", 4..12))
            .prop_map(|(first, width, separator, texts)| {
                let line =
                    |(at, text): (u32, String)| format!("{:>width$}{separator}{text}", first + at);
                (0..).zip(texts).map(line).collect::<Vec<_>>()
            });
    let tree = prop::collection::vec(
        "(src/|src/http/|src/http/body/|\tmodified:   src/)[a-z>~]{0,6}(/[a-z]{1,3})?",
        3..12,
    );
    let any = prop::collection::vec("\\PC{0,30}", 0..6);
    prop::collection::vec(prop_oneof![numbered, tree, any], 1..4).prop_map(|runs| runs.concat())
}

fn check(notation: &dyn Notation, lines: &[&str]) -> Result<(), TestCaseError> {
    for values in [ValueClass::Plain, ValueClass::Computed] {
        check_values(notation, lines, values)?;
    }
    Ok(())
}

fn check_values(
    notation: &dyn Notation,
    lines: &[&str],
    values: ValueClass,
) -> Result<(), TestCaseError> {
    let mut end = 0;
    for FoundBlock { lines: range, block } in notation.encode(lines, values) {
        prop_assert!(range.start >= end && range.end <= lines.len() && !range.is_empty());
        end = range.end;
        let body: Vec<&str> = block.body.lines().collect();
        let back = notation.decode(&block.args, &body, usize::MAX);
        prop_assert!(notation.kind(&block.args, &body).values() <= values, "{:?}", block);
        prop_assert_eq!(back, Some(lines[range].join("\n")), "{:?}", block);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn what_is_encoded_decodes_to_the_very_lines(lines in lines()) {
        let lines: Vec<&str> = lines.iter().map(String::as_str).filter(|line| !line.contains('§')).collect();
        for notation in NOTATIONS {
            check(*notation, &lines)?;
        }
    }

    #[test]
    fn nobodys_block_makes_decoding_panic(
        args in "(from [0-9]{1,20} \"\\\\t\"( width [0-9]{1,20})?|\">\"|[ -~]{0,20})",
        body in prop::collection::vec("[> -~]{0,12}", 0..6)
    ) {
        let body: Vec<&str> = body.iter().map(String::as_str).collect();
        for notation in NOTATIONS {
            let back = notation.decode(&args, &body, 200);
            prop_assert!(back.is_none_or(|back| back.len() <= 300));
        }
    }
}

fn shown(notation: &dyn Notation, text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let found = notation.encode(&lines, ValueClass::Computed);
    let write = |found: &FoundBlock| {
        format!("{} {}{}", found.lines.len(), found.block.args, found.block.body.text())
    };
    found.iter().map(write).collect::<Vec<_>>().join("\n")
}

#[test]
fn numbers_of_lines_stand_in_the_header() {
    let text = "41\tfn main() {\n42\t    fail(\"fatal error\");\n43\t44\t\n44\t}";
    assert_eq!(
        shown(&numbered::NumberedNotation, text),
        "4 from 41 \"\\t\"\nfn main() {\n42\t    fail(\"fatal error\");\n44\t\n}"
    );
}

#[test]
fn what_lines_begin_with_stands_once() {
    let text = "src/http/body.rs\nsrc/http/layer.rs\nsrc/http/problem.rs\nsrc/json/mod.rs\nsrc/json/path.rs\nsrc/json/write.rs";
    assert_eq!(
        shown(&tree::TreeNotation, text),
        "6 \">\"\nsrc/http/\n>body.rs\n>layer.rs\n>problem.rs\nsrc/json/\n>mod.rs\n>path.rs\n>write.rs"
    );
}

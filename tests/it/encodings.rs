//! `docs/encodings.md` against the decoder: what it shows decodes to what it says.

use contexture::compress::{DecodedText, Decoder};

#[test]
fn every_example_decodes_to_what_stands_beside_it() {
    let document = include_str!("../../docs/encodings.md");
    let fenced = |word: &str| -> Vec<&str> {
        let open = format!("```{word}\n");
        let blocks = document.split(&open).skip(1);
        blocks.map(|block| block.split("\n```").next().expect("a closed fence")).collect()
    };
    let (shown, originals) = (fenced("shown"), fenced("original"));
    assert_eq!(shown.len(), originals.len());
    assert!(shown.len() > 5, "the examples are gone");
    for (shown, original) in shown.into_iter().zip(originals) {
        let decoded = Decoder::new(0).decode_result(&[shown.into()]);
        assert_eq!(decoded, [DecodedText::Text(original.to_owned())]);
    }
}

#[test]
fn every_notation_has_a_chapter() {
    let document = include_str!("../../docs/encodings.md");
    let names: Vec<_> = contexture::compress::notations().collect();
    assert!(names.len() > 5, "{names:?}");
    for name in names {
        assert!(document.contains(&format!("## `§{name}`")), "docs/encodings.md: explain `{name}`");
    }
}

//! The classes are those of `regex-syntax`, whose Unicode version the patterns of `bpe-openai` have, too.

use super::*;
use regex_syntax::hir::{Class, HirKind};

/// The patterns of the classes, in their order; all others are of the last one.
const PATTERNS: [&str; 6] =
    [r"[\p{Lu}\p{Lt}]", r"\p{Ll}", r"[\p{Lm}\p{Lo}]", r"\p{M}", r"\p{N}", r"\s"];

#[test]
fn classes_are_those_of_the_patterns() {
    let mut classes = vec![6u8; 0x11_0000];
    for (class, pattern) in (0..).zip(PATTERNS) {
        let hir = regex_syntax::parse(pattern).unwrap();
        let HirKind::Class(Class::Unicode(ranges)) = hir.kind() else { panic!("{pattern}") };
        for range in ranges.ranges() {
            classes[range.start() as usize..=range.end() as usize].fill(class);
        }
    }
    let mut numbers = Vec::new();
    let mut blocks: Vec<Vec<u8>> = Vec::new();
    for block in classes.chunks(2 * BLOCK_BYTES) {
        let block: Vec<u8> = block.chunks(2).map(|two| two[0] | two[1] << 4).collect();
        let known = blocks.iter().position(|known| *known == block);
        numbers.push(u8::try_from(known.unwrap_or(blocks.len())).unwrap());
        if known.is_none() {
            blocks.push(block);
        }
    }
    let made = [numbers, blocks.concat()].concat();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/tokenizer/characters/classes.bin");
    if std::env::var_os("UPDATE_TOKEN_TABLES").is_some() {
        std::fs::write(path, &made).unwrap();
    }
    assert!(std::fs::read(path).unwrap() == made, "UPDATE_TOKEN_TABLES=1 writes classes.bin");
    let found = ('\0'..=char::MAX).map(CharacterClass::new);
    let expected = ('\0'..=char::MAX).map(|character| classes[character as usize]);
    assert!(
        made != FILE || found.eq(expected.map(|class| CharacterClass::ALL[usize::from(class)]))
    );
}

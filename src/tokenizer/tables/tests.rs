//! The tables are what the dictionaries of `bpe-openai` say, and are made from them.

use std::collections::{HashMap, HashSet, VecDeque};

use proptest::prelude::*;

use super::*;
use crate::tokenizer::dictionary;

const NAMES: [TokenizerName; 2] = [TokenizerName::O200kBase, TokenizerName::Cl100kBase];

fn file(name: TokenizerName) -> &'static str {
    match name {
        TokenizerName::Cl100kBase => "cl100k_base.bin",
        TokenizerName::O200kBase | TokenizerName::Bytes4 => "o200k_base.bin",
    }
}

fn tokens(name: TokenizerName) -> Vec<&'static [u8]> {
    let bpe = &dictionary(name).bpe;
    (0..u32::try_from(bpe.num_tokens()).unwrap()).map(|token| bpe.token_bytes(token)).collect()
}

#[test]
fn tables_are_those_of_the_dictionaries() {
    for name in NAMES {
        let made = make(&tokens(name));
        let path = format!("{}/src/tokenizer/tables/{}", env!("CARGO_MANIFEST_DIR"), file(name));
        if std::env::var_os("UPDATE_TOKEN_TABLES").is_some() {
            std::fs::write(&path, &made).unwrap();
        }
        assert!(
            std::fs::read(path).unwrap() == made,
            "UPDATE_TOKEN_TABLES=1 writes {}",
            file(name)
        );
    }
}

#[test]
fn every_token_is_found_by_its_bytes_and_its_parts() {
    for name in NAMES {
        let (tables, tokens) = (TokenTables::get(name), tokens(name));
        for (number, bytes) in (0..).zip(&tokens) {
            let longest = tables.longest(bytes).unwrap();
            assert_eq!((longest.token, longest.bytes), (number, bytes.len()));
            let record = tables.token(number).unwrap();
            assert_eq!(record.bytes(), bytes.len());
            let [left, right, prefix] = [record.left(), record.right(), record.prefix()];
            let is_byte = bytes.len() == 1;
            assert_eq!(
                (left == number, right == number, prefix == number),
                (is_byte, is_byte, is_byte)
            );
            if !is_byte {
                assert_eq!([tokens[left as usize], tokens[right as usize]].concat(), *bytes);
                assert_eq!(tables.merged(left, right), Some(number));
                let shorter = tables.longest(&bytes[..bytes.len() - 1]).unwrap();
                assert_eq!((shorter.token, shorter.bytes), (prefix, tokens[prefix as usize].len()));
            }
        }
    }
}

#[test]
fn a_longer_text_is_no_token() {
    for name in NAMES {
        let (tables, tokens) = (TokenTables::get(name), tokens(name));
        let known: HashSet<&[u8]> = tokens.iter().copied().collect();
        for bytes in tokens.iter().step_by(7) {
            for next in [0, b' ', b'e', b's', 0x80, 0xff] {
                let longer = [bytes, &[next][..]].concat();
                let is_token = tables.longest(&longer).unwrap().bytes == longer.len();
                assert_eq!(is_token, known.contains(longer.as_slice()), "{longer:?}");
            }
        }
    }
}

/// Bytes that need no text: halves of characters, and few different ones.
fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..600),
        prop::collection::vec(prop::sample::select(b" \tae-=\xe4\xb8\xad".to_vec()), 0..600),
        "[a-z]{0,600}".prop_map(String::into_bytes),
        "[а-я中-乏가-꺅ก-ฮ😀-😏]{0,200}".prop_map(String::into_bytes),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn pieces_of_any_bytes_count_the_same(piece in any_bytes()) {
        for name in NAMES {
            let encoded = dictionary(name).bpe.encode_via_backtracking(&piece);
            let lengths: Vec<usize> =
                encoded.iter().map(|token| dictionary(name).bpe.token_len(*token)).collect();
            prop_assert_eq!(TokenTables::get(name).count(&piece), lengths.len());
            prop_assert_eq!(TokenTables::get(name).lengths(&piece), lengths);
        }
    }
}

/// Writes the tables of these tokens.
fn make(tokens: &[&[u8]]) -> Vec<u8> {
    let records = records(tokens);
    let units = TokenTrie::new(tokens).place();
    let (slots, pilots) = pair_slots(&records);
    let mut file = Vec::new();
    for count in [units.len(), records.len(), slots.len(), pilots.len()] {
        file.extend(u32::try_from(count).unwrap().to_le_bytes());
    }
    file.extend(units.iter().flat_map(|unit| unit.to_le_bytes()));
    file.extend(records.iter().flat_map(|record| record.0.to_le_bytes()));
    file.extend(slots.iter().flat_map(|slot| slot.to_le_bytes().into_iter().take(3)));
    file.extend(pilots.iter().flat_map(|pilot| pilot.to_le_bytes()));
    file
}

/// Finds what each token was merged from: of its prefixes that are tokens, the one that leaves a token
/// and a border that stays until both are merged.
fn records(tokens: &[&[u8]]) -> Vec<TokenRecord> {
    let numbers: HashMap<&[u8], u32> = tokens.iter().copied().zip(0..).collect();
    let mut pairs: HashMap<(u32, u32), u32> = HashMap::new();
    let mut records: Vec<TokenRecord> = Vec::with_capacity(tokens.len());
    for (number, bytes) in (0..).zip(tokens) {
        let mut prefixes = (1..bytes.len()).rev().filter_map(|end| numbers.get(&bytes[..end]));
        let prefix = prefixes.clone().next().copied().unwrap_or(number);
        let (left, right) = prefixes
            .find_map(|left| {
                let right = numbers.get(&bytes[tokens[*left as usize].len()..])?;
                let is_before = *left < number && *right < number;
                (is_before && stays(&records, &pairs, *left, *right)).then_some((*left, *right))
            })
            .unwrap_or((number, number));
        if left != number {
            pairs.insert((left, right), number);
        }
        let record = u64::from(left)
            | u64::from(right) << TokenRecord::RIGHT_SHIFT
            | u64::from(prefix) << TokenRecord::PREFIX_SHIFT
            | (bytes.len() as u64) << TokenRecord::BYTES_SHIFT;
        records.push(TokenRecord(record));
    }
    records
}

/// As [`TokenTables::is_border`], of the tokens so far.
fn stays(
    records: &[TokenRecord],
    pairs: &HashMap<(u32, u32), u32>,
    mut left: u32,
    mut right: u32,
) -> bool {
    let mut limit = u32::MAX;
    loop {
        if pairs.get(&(left, right)).is_some_and(|merged| *merged < limit) {
            return false;
        }
        let (of_left, of_right) = (records[left as usize].right(), records[right as usize].left());
        if of_left == left && of_right == right {
            return true;
        }
        if of_right == right || of_left != left && left > right {
            (limit, left) = (left, of_left);
        } else {
            (limit, right) = (right + 1, of_right);
        }
    }
}

/// A trie of tokens, node by node.
struct TokenTrie {
    nodes: Vec<TrieNode>,
}

#[derive(Default)]
struct TrieNode {
    token: Option<u32>,
    children: Vec<(u8, usize)>,
}

impl TokenTrie {
    fn new(tokens: &[&[u8]]) -> Self {
        let mut sorted: Vec<(&[u8], u32)> = tokens.iter().copied().zip(0..).collect();
        sorted.sort_unstable();
        let mut nodes = vec![TrieNode::default()];
        // The nodes of the token before: a token shares the first of them.
        let mut path: Vec<(u8, usize)> = Vec::new();
        for (bytes, number) in sorted {
            let shared = path.iter().zip(bytes).take_while(|((label, _), byte)| label == *byte);
            path.truncate(shared.count());
            for byte in &bytes[path.len()..] {
                let parent = path.last().map_or(0, |(_, node)| *node);
                let node = nodes.len();
                nodes[parent].children.push((*byte, node));
                nodes.push(TrieNode::default());
                path.push((*byte, node));
            }
            nodes[path.last().unwrap().1].token = Some(number);
        }
        Self { nodes }
    }

    /// Lays the nodes out so that the children of each are found by their bytes, those with most
    /// children first: the others fill the gaps.
    fn place(&self) -> Vec<u32> {
        let mut order: Vec<usize> =
            (1..self.nodes.len()).filter(|node| !self.nodes[*node].children.is_empty()).collect();
        order.sort_by_key(|node| std::cmp::Reverse(self.nodes[*node].children.len()));
        let mut array = DoubleArray::default();
        array.grow();
        array.taken[TrieUnit::ROOT as usize] = true;
        // By this base, the root would be its own child.
        array.bases[TrieUnit::ROOT as usize] = true;
        let mut place_of = vec![TrieUnit::ROOT; self.nodes.len()];
        let mut bases = vec![0; self.nodes.len()];
        for node in std::iter::once(0).chain(order) {
            let TrieNode { token, children } = &self.nodes[node];
            let mut labels: Vec<u32> = children.iter().map(|(byte, _)| u32::from(*byte)).collect();
            labels.extend(token.map(|_| TrieUnit::NO_CHILD));
            let base = array.find(&labels);
            bases[node] = base;
            for (byte, child) in children {
                place_of[*child] = base ^ u32::from(*byte);
            }
        }
        let mut units = vec![TrieUnit::NO_CHILD; array.taken.len()];
        for (node, TrieNode { token, children }) in self.nodes.iter().enumerate() {
            for (byte, child) in children {
                units[place_of[*child] as usize] = u32::from(*byte);
            }
            if let Some(token) = token
                && !children.is_empty()
            {
                units[(bases[node] ^ TrieUnit::NO_CHILD) as usize] |=
                    token << TrieUnit::PAYLOAD_SHIFT;
            }
        }
        for (node, TrieNode { token, children }) in self.nodes.iter().enumerate() {
            units[place_of[node] as usize] |= match token {
                Some(token) if children.is_empty() => {
                    TrieUnit::LEAF | token << TrieUnit::PAYLOAD_SHIFT
                }
                Some(_) => TrieUnit::TOKEN | bases[node] << TrieUnit::PAYLOAD_SHIFT,
                None => bases[node] << TrieUnit::PAYLOAD_SHIFT,
            };
        }
        units
    }
}

/// Places that are taken, and bases: no two nodes have the same one, so a label tells whose child
/// a unit is.
#[derive(Default)]
struct DoubleArray {
    taken: Vec<bool>,
    bases: Vec<bool>,
    /// Blocks that may have room for one child, and for several.
    open: [VecDeque<OpenBlock>; 2],
}

struct OpenBlock {
    start: u32,
    /// How often it was looked through in vain.
    failures: u32,
}

/// Places of a block: one for each label, and as many for values.
const BLOCK: u32 = 512;
/// Blocks are closed after so many failures.
const MAX_FAILURES: u32 = 16;

impl DoubleArray {
    fn grow(&mut self) {
        let start = u32::try_from(self.taken.len()).unwrap();
        self.taken.resize(self.taken.len() + BLOCK as usize, false);
        self.bases.resize(self.taken.len(), false);
        self.open.iter_mut().for_each(|open| open.push_back(OpenBlock { start, failures: 0 }));
    }

    /// Takes the places of these labels, and returns their base.
    fn find(&mut self, labels: &[u32]) -> u32 {
        let open = usize::from(labels.len() > 1);
        let base = loop {
            let mut found = None;
            for block in &mut self.open[open] {
                found = (block.start..block.start + BLOCK).find(|base| {
                    !self.bases[*base as usize]
                        && labels.iter().all(|label| !self.taken[(base ^ label) as usize])
                });
                if found.is_some() {
                    break;
                }
                block.failures += 1;
            }
            self.open[open].retain(|block| block.failures < MAX_FAILURES);
            match found {
                Some(base) => break base,
                None => self.grow(),
            }
        };
        self.bases[base as usize] = true;
        for label in labels {
            self.taken[(base ^ label) as usize] = true;
        }
        base
    }
}

const FREE_SLOT: u32 = u32::MAX;

/// Slots for all pairs, and the pilots that lead to them.
fn pair_slots(records: &[TokenRecord]) -> (Vec<u32>, Vec<u16>) {
    let pairs: Vec<(PairHash, u32)> = (0..)
        .zip(records)
        .filter(|(number, record)| record.left() != *number)
        .map(|(number, record)| (PairHash::new(record.left(), record.right()), number))
        .collect();
    let mut groups: Vec<Vec<(PairHash, u32)>> = vec![Vec::new(); pairs.len() / 5];
    let count = groups.len();
    for pair in &pairs {
        groups[pair.0.group(count)].push(*pair);
    }
    let mut order: Vec<usize> = (0..groups.len()).collect();
    order.sort_by_key(|group| std::cmp::Reverse(groups[*group].len()));
    let mut slots = vec![FREE_SLOT; pairs.len() + pairs.len() / 32];
    let mut pilots = vec![0; groups.len()];
    for group in order {
        let pairs = &groups[group];
        let pilot = (0..=u16::MAX)
            .find(|pilot| {
                let mut taken: Vec<usize> =
                    pairs.iter().map(|pair| pair.0.slot(*pilot, slots.len())).collect();
                taken.sort_unstable();
                taken.windows(2).all(|two| two[0] != two[1])
                    && taken.iter().all(|slot| slots[*slot] == FREE_SLOT)
            })
            .expect("a pilot for each group; change PairHash::FACTOR or the share of free slots");
        pilots[group] = pilot;
        for (hash, number) in pairs {
            let slot = hash.slot(pilot, slots.len());
            slots[slot] = number | hash.check() << TokenRecord::NUMBER_BITS;
        }
    }
    // No token has this number, so what asks for it is no pair.
    slots
        .iter_mut()
        .filter(|slot| **slot == FREE_SLOT)
        .for_each(|slot| *slot = TokenRecord::NUMBER_MASK);
    (slots, pilots)
}

//! Helpers over bytes and lines that adapters, notations and the engine share: lines and their breaks,
//! classes of bytes, ends of quotes, terminal codes, hashes, sets of words. Nothing here knows a format as a whole.

mod breaks;
mod bytes;
mod clusters;
mod codes;
mod heads;
mod lines;
mod quotes;

pub(crate) use breaks::breaks;
pub(crate) use bytes::{
    ByteClasses, ByteTable, byte_table, chunks, common, has, hash, hash_within, is_same, mix,
    parse_digits,
};
pub use clusters::floor_cluster_boundary;
pub(crate) use clusters::{MAX_CLUSTER_BYTES, is_cluster_end};
pub(crate) use codes::without_codes;
pub(crate) use heads::{HeadScan, WordHeads, each_of, is_of_word, scan_words, word_at};
pub(crate) use lines::{LineTable, count_lines, indent, lines_of};
pub(crate) use quotes::{doubled_quote_end, escaped_quote_end, yaml_quote_end};

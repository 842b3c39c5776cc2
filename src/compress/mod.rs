//! The compression engine: makes texts shorter, by notations, adapters and selection.
//!
//! `docs/glossary.md` defines ladder, rung, notation, adapter and reference.
//!
//! # Rungs
//!
//! The ladder of the pipeline takes old texts down these rungs, one after the other, each shorter
//! and less exact than the one before:
//!
//! | Rung | What stays of a text | Modules |
//! |---|---|---|
//! | lossless | everything, in a shorter notation | `notation`, `lossless`, `engine::standalone` |
//! | structural, [`Depth::Reduced`] | a text of the same format | `adapter` |
//! | outline, [`Depth::Outline`] | a third of its bytes | `digest` |
//! | extract, [`Depth::Extract`] | a fifth | `digest` |
//! | digest, [`Depth::Digest`] | an eighth | `digest` |
//! | gist, [`Depth::Gist`] | a twentieth | `digest` |
//! | excerpt, [`ReducedSize::Excerpt`] | as many bytes as there is room for | `fill`, `document`, `excerpt` |
//! | cleared | one line that says that a text was there | the pipeline |
//!
//! # Between structural and cleared
//!
//! Outline, extract, digest, gist and excerpt are one kind of reduction at different sizes:
//!
//! - They keep no format, but for excerpts of texts that are structured as a whole (`document`). Of
//!   digests, the result is the lines that report errors, and of the other lines
//!   (pieces of long ones) those that show most facts by byte, with `…` in the gaps. Of the
//!   arguments of a call only long strings are reduced: they stay the same JSON object.
//! - The size is a share of the bytes (a gist has a maximum), or, of an excerpt, the bytes for which
//!   there is room ([`find_excerpt`]); error lines come on top of it, in an excerpt up to as many
//!   bytes again, so they are the last to go. A text of fewer than 200 bytes stays whole.
//! - A fact that another message shows at the same depth is worth nothing ([`ShownFacts`]): the
//!   newer message keeps it, the older one may drop it. So the result depends on the list, and the
//!   list is a part of the key under which the engine remembers it. Results of adapters depend on
//!   the text alone.
//! - A [`ReductionChain`] goes through the depths in order and takes a step only if it saves
//!   tokens, so a deeper rung is never longer. The pipeline keeps one chain for each text of a
//!   request, since the ladder asks for the same depth again and again.
//! - The depths run in `/compress` only, with a budget that the rungs before do not meet. An excerpt
//!   is made of one text that is too long for a budget, and of the results of a turn at a compaction
//!   point. The class is [`Fidelity::Reversible`]: the original is in the artifact. Reports name
//!   the rule `outline`, `extract`, `digest`, `gist` or `excerpt`.
//!
//! # Readers of one format
//!
//! XML and CSV are read in several places. What they share is in `text`; the rest differs because
//! the readers promise different things:
//!
//! | Module | Reads | Rule |
//! |---|---|---|
//! | `segment::markup` | elements that begin at a line of any text | balanced, within a budget of bytes; a page may leave elements open |
//! | `lossless::xml` | a text that is one document | well-formed to the last attribute: what is taken out must say nothing |
//! | `adapter::xml` | the same, as pieces | well-formed by quick-xml, which does not look into tags: these keep their bytes anyway |
//! | `adapter::html` | a page | as browsers do: no text is an error |
//! | `notation::table`, `notation::records` | an element | the one spelling that decoding writes; any other is left to the text |
//! | `adapter::settings` | a text that is nothing but settings | each line is a key, a section or a comment; values keep their bytes |
//! | `segment::csv` | rows that begin at a line of any text | RFC 4180, within a number of lines; counts fields |
//! | `adapter::csv` | a text that is one table | RFC 4180, rows of one width |
//! | `notation::columns` | a row on one line | a quote inside a bare field is text: fields are written back as they are |

mod adapter;
mod atom;
mod chain;
mod digest;
mod document;
mod engine;
mod errors;
mod excerpt;
mod extract;
mod fill;
#[cfg(fuzzing)]
pub mod fuzz;
mod gaps;
mod lossless;
mod names;
mod notation;
mod offload_limits;
mod segment;
mod summary;
mod text;

/// Bytes that one edit may be given. The work of each is linear in them, so this bounds it; an edit
/// that would take more is not made, and reported as one that was taken back.
pub const MAX_EDIT_BYTES: usize = 16 << 20;

pub use adapter::{AdapterSet, BuiltInOptions, TrialOutput, built_in_names, built_in_options};
pub use chain::{chain, end_of};
pub use engine::{
    DecodedText, Decoder, Depth, EditLimit, Encoder, Engine, ExcerptSource, FactMessage, FactSet,
    FactState, Fidelity, Lossless, ReducedSize, Reducer, ReductionChain, ShownFacts, ShownForm,
    TextNames, TextOwner, stays_whole,
};
pub use errors::Errors;
pub use excerpt::{Excerpt, MIN_EXCERPT_BYTES, MIN_FILL_BYTES, find_excerpt, find_fill};
pub use gaps::has_gaps;
pub use lossless::{equivalent, normal};
pub use names::names_in;
pub use notation::{NotationKinds, names as notations};
pub use offload_limits::OffloadLimits;
pub use summary::{SECTIONS, SummaryInput, summarize};
pub use text::floor_cluster_boundary;

//! The hook points of a compile: the inputs of hooks, and how their answers are used. Nothing here
//! calls hooks; the driver does.

pub(super) mod before_compile;
pub(super) mod compression;
pub(super) mod format;
pub(super) mod list;
pub(super) mod prose;
pub(super) mod result;
pub(super) mod summary;
pub(super) mod transform;

pub use before_compile::governed_input;
pub use format::{ShorterTexts, ask_formats, ask_texts};
pub(crate) use prose::ask_prose;
pub use result::{ResultCheck, ask_governed_results, ask_results_of, result_inputs};
pub use summary::{clean_summary, is_refusal};
pub use transform::sent_input;

//! The commands of Anthropic's memory tool on the entries of a scope: each entry is a file.
//!
//! Commands are planned first, and only a plan without a fault is carried out, so a refused command
//! changes nothing (<https://platform.claude.com/docs/en/agents-and-tools/tool-use/memory-tool>).

mod command;
mod files;
mod listing;
mod path;
mod plan;
mod text;

pub(crate) use self::command::MEMORY_COMMANDS;
pub(super) use self::files::{FileChanges, FileReader, FileWork};
pub(super) use self::path::FilePath;
pub(super) use self::plan::{FileChange, FileDenial, FilePlan, FileRefusal, PlanFailure, plan};

//! The scenarios of the study of context packs.

mod buckets;
mod budget;
mod controls;
mod evidence;
mod examples;
mod governed;
mod hooks;
mod intent;
mod memory;
mod packs;
mod policy;
mod replay;
mod signed;
mod tools;

pub(crate) use governed::Run;

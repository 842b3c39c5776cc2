//! The scenarios of the study of context packs.

mod buckets;
mod budget;
mod controls;
mod evidence;
mod examples;
mod golden;
mod governed_run;
mod hooks;
mod intent;
mod memory;
mod packs;
mod policy;
mod record;
mod replay;
mod session;
mod shapes;
mod signatures;
mod tools;

pub(crate) use governed_run::Run;

//! The wire of another product, headroom's, which `LiteLLM`'s guardrail speaks too: kept apart from
//! our own, so that neither bends to the other.
//!
//! `POST /v1/compress` refuses nothing that holds messages: an error here is an outage where a
//! gateway waits for the answer.

mod compress;
mod health;
mod retrieve;

pub(super) use compress::*;
pub(super) use health::*;
pub(super) use retrieve::*;

//! Turns what a target cannot hold into what it can.

use crate::domain::{Conversation, Notes, Target};

/// Adapts a conversation to a target.
pub fn adapt(_conversation: &mut Conversation, _target: Target, _notes: &mut Notes) {}

//! Parts that texts of one kind are made of: blocks, records, messages, changed lines, stacks.

use super::SalienceWork;
use super::block_heads::mark_block_heads;
use super::differences::{ChangedLine, mark_differences};
use super::messages::{mark_labels, mark_messages};
use super::rankings::mark_rankings;
use super::records::{RecordLine, mark_records};
use super::stacks::{StackLine, mark_stacks};
use super::tables::{TableRareRows, mark_inner_rows};
use super::weights::{
    BLOCK_HEAD, CHANGE, CHAT_FACT, IDENTITY, LARGEST, NEW_LINE, OLD_LINE, OUTLIER, RARE_GROUP,
    RARE_WORD, SECTION, STACK_CALL, STACK_HEAD,
};

impl SalienceWork<'_, '_> {
    /// The lines by which readers know the parts of a text.
    pub(super) fn weigh_parts(&mut self) {
        let page = self.page;
        mark_differences(page, |at, line| match line {
            ChangedLine::Head { nth } => self.raise_name(at, CHANGE, nth),
            ChangedLine::New { nth } => self.raise_name(at, NEW_LINE, nth),
            ChangedLine::Old { nth } => self.raise_name(at, OLD_LINE, nth),
        });
        let mut blocks = 0;
        mark_block_heads(page, |at| {
            self.raise_name(at, BLOCK_HEAD, blocks);
            blocks += 1;
        });
        mark_records(page, |at, line| match line {
            RecordLine::RareValue => self.raise_name(at, RARE_WORD, 0),
            RecordLine::First { nth } => self.raise_name(at, SECTION, nth),
            RecordLine::Identity { nth } => self.raise_name(at, IDENTITY, nth),
            RecordLine::RareGroup { nth } => self.raise_name(at, RARE_GROUP, nth),
        });
        if !mark_messages(page, |at, nth| self.raise_name(at, CHAT_FACT, nth)) {
            mark_labels(page, |at, nth| self.raise_name(at, SECTION, nth));
        }
        mark_stacks(page, |at, line| match line {
            StackLine::Head { nth } => self.raise_name(at, STACK_HEAD, nth),
            StackLine::Call { nth } => self.raise_name(at, STACK_CALL, nth),
        });
        mark_rankings(page, |at, nth| self.raise_name(at, LARGEST, nth));
        let table = TableRareRows::find(page);
        for at in table.lacking {
            self.raise_name(at, RARE_WORD, 0);
        }
        for at in table.outliers {
            self.raise(at, OUTLIER);
        }
        mark_inner_rows(page, |at| self.raise_name(at, RARE_WORD, 0));
    }
}

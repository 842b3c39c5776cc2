//! Carries out planned commands of the memory tool.

use std::sync::Arc;

use super::hooks::{FileVerdict, FileWriteDenial, denial_text};
use super::memory_command::{MemoryCommand, MemoryOp};
use super::memory_denials::denied_event;
use super::memory_files::{
    FileChange, FileChanges, FileDenial, FilePlan, FileReader, FileRefusal, FileWork, PlanFailure,
    plan,
};
use super::memory_proposals::propose;
use super::{MemoryRights, ToolAnswer};
use crate::domain::{MemoryAction, MemoryOrigin, MemoryPromotion, RawJson, ToolCall};
use crate::request::MemoryWrite;
use crate::service::candidates::Ids;
use crate::service::memory::{MemoryChange, carry_out as write, remove};
use crate::service::{Error, StoreError};
use crate::store::Tx;

/// A command, and what was decided before the transaction.
#[derive(Debug, Clone, Copy)]
pub(super) struct FileCall<'c> {
    pub(super) call: &'c ToolCall,
    /// None if no hook was asked.
    pub(super) verdict: Option<&'c FileVerdict>,
    pub(super) ids: &'c Ids,
    pub(super) promotion: MemoryPromotion,
}

/// Carries out a command. Returns what it did, or its refusal, after which nothing is changed.
pub(super) fn carry_out_file_call(
    tx: &Tx<'_>,
    rights: &MemoryRights,
    file_call: FileCall<'_>,
    work: &mut FileWork,
) -> Result<Result<String, ToolAnswer>, Error> {
    let FileCall { call, verdict, ids, promotion } = file_call;
    let scope = &rights.written;
    let files = FileReader { tx, scope, changes: &FileChanges::new(), work };
    let mut planned = match plan(files, rights, call) {
        Ok(planned) => planned,
        Err(PlanFailure::Store(error)) => return Err(error.into()),
        Err(PlanFailure::Refused(FileRefusal { denial, answer })) => {
            if let Some(FileDenial { key, reason }) = denial {
                tx.publish(&denied_event(scope, &key, reason, None))?;
            }
            return Ok(Err(answer));
        }
    };
    if let Some(FileVerdict { changes, values, denial }) = verdict {
        if *changes != planned.changes {
            let text = "Error: the memory was changed by somebody else meanwhile. Nothing was done; \
                        send this call again.";
            return Ok(Err(ToolAnswer::Refused(text.to_owned())));
        }
        if let Some(FileWriteDenial { key, denial }) = denial {
            tx.publish(&denied_event(scope, key, "hook", Some(denial)))?;
            let reason = denial_text(denial);
            let text = format!("Error: \"{key}\" was not written: {reason}. Nothing was done.");
            return Ok(Err(ToolAnswer::Refused(text)));
        }
        replace_values(&mut planned, values);
    }
    let FilePlan { changes, answer, snippet } = planned;
    if promotion == MemoryPromotion::Review && !changes.is_empty() {
        return propose_changes(tx, rights, changes, ids);
    }
    for change in changes {
        carry_out_change(tx, rights, change)?;
    }
    Ok(Ok(answer + &snippet.unwrap_or_default()))
}

/// Replaces the values for which hooks gave others. What the model wrote is not shown then.
fn replace_values(planned: &mut FilePlan, values: &[Option<RawJson>]) {
    for (change, new) in planned.changes.iter_mut().zip(values) {
        let Some(new) = new else { continue };
        if let FileChange::Write { value, .. } | FileChange::Move { value, .. } = change {
            *value = new.clone();
            planned.snippet = None;
        }
    }
}

/// Proposes the new text of a file. People alone delete and rename what they have reviewed.
fn propose_changes(
    tx: &Tx<'_>,
    rights: &MemoryRights,
    changes: Vec<FileChange>,
    ids: &Ids,
) -> Result<Result<String, ToolAnswer>, Error> {
    let Some(FileChange::Write { key, value, .. }) = changes.into_iter().next() else {
        let text = "Error: memory files are only deleted and renamed by people. Nothing was done.";
        return Ok(Err(ToolAnswer::Refused(text.to_owned())));
    };
    let command = MemoryCommand { op: MemoryOp::Update, key, value, description: None };
    propose(tx, rights.written.clone(), &command, ids)
}

fn carry_out_change(tx: &Tx<'_>, rights: &MemoryRights, change: FileChange) -> Result<(), Error> {
    let scope = &rights.written;
    match change {
        FileChange::Write { key, value, .. } => {
            let old = tx.memory(scope, &key)?;
            let ttl = if old.is_none() { rights.ttl.map(Some) } else { None };
            let written = MemoryWrite { value: Some(value), ttl, ..MemoryWrite::default() };
            write(tx, &model_change(rights, key, written), old)?;
        }
        FileChange::Remove { key, .. } => {
            if let Some(old) = tx.memory(scope, &key)? {
                remove(tx, &old, MemoryAction::Delete, MemoryOrigin::Model)?;
            }
        }
        FileChange::Move { from, to, value } => {
            let Some(old) = tx.memory(scope, &from)? else {
                return Err(StoreError::conflict().into());
            };
            // Removed first: the quota may have no room for one more entry.
            remove(tx, &old, MemoryAction::Delete, MemoryOrigin::Model)?;
            let moved = MemoryWrite {
                value: Some(value),
                description: old.description,
                ttl: Some(old.ttl),
                importance: Some(old.importance),
                tags: Some(old.tags),
                tier: Some(old.tier),
                classification: Some(old.classification),
                status: None,
                source: old.source,
                author: old.author,
                metadata: old.metadata,
            };
            write(tx, &model_change(rights, to, moved), None)?;
        }
    }
    Ok(())
}

fn model_change(rights: &MemoryRights, key: Arc<str>, write: MemoryWrite) -> MemoryChange {
    MemoryChange {
        scope: rights.written.clone(),
        key,
        write,
        action: MemoryAction::Set,
        origin: MemoryOrigin::Model,
    }
}

//! The stored form of a compile in a golden set: its record, with its texts.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::domain::{Compilation, CompilationStatus, ContentHash, RawJson, RecordLevel, Timestamp};
use crate::service::compilations::StoredRecord;

/// Writes a full record as JSON text.
pub(super) fn write(record: &StoredRecord) -> String {
    let own = &record.compilation;
    json!({
        "id": &*own.id,
        "created_at": own.created_at.micros(),
        "session_id": own.session_id.as_deref(),
        "target": &*own.target,
        "model": &*own.model,
        "status": own.status.as_str(),
        "engine": &*own.engine,
        "payload_hash": own.payload_hash.to_string(),
        "tokens_before": own.tokens_before,
        "tokens_after": own.tokens_after,
        "fits": own.fits,
        "body": own.body.as_str(),
        "request": record.request,
        "payload": record.payload,
    })
    .to_string()
}

/// Reads the record of a packet; none if another release wrote it.
pub(super) fn read(packet: &str) -> Option<StoredRecord> {
    let packet: Value = serde_json::from_str(packet).ok()?;
    let text = |key: &str| packet.get(key).and_then(Value::as_str);
    let shared = |key: &str| text(key).map(Arc::<str>::from);
    let number = |key: &str| packet.get(key).and_then(Value::as_u64);
    let status = text("status")?;
    let status = CompilationStatus::WORDS.iter().find(|(word, _)| *word == status);
    let created_at = Timestamp::from_micros(packet.get("created_at")?.as_i64()?);
    let compilation = Compilation {
        id: shared("id")?,
        created_at,
        // A record in a set does not expire.
        expires_at: created_at,
        session_id: shared("session_id"),
        target: shared("target")?,
        model: shared("model")?,
        level: RecordLevel::Full,
        status: status.map(|(_, status)| *status)?,
        engine: shared("engine")?,
        payload_hash: ContentHash::parse(text("payload_hash")?)?,
        tokens_before: number("tokens_before")?,
        tokens_after: number("tokens_after")?,
        fits: packet.get("fits")?.as_bool()?,
        body: RawJson::new(shared("body")?),
        reported_cost: None,
    };
    StoredRecord::of_texts(
        compilation,
        text("request").map(str::to_owned),
        text("payload").map(str::to_owned),
    )
}

//! Packs that are signed, with a key made here.

use std::fs;

use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair as _};
use base64::Engine as _;
use serde_json::{Value, json};

use super::packs::canonical;
use crate::support::pack::{context, minimal};
use crate::support::{TestServer, problem};

fn sign(pack: &mut Value) -> String {
    let pair = Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap();
    let text = canonical(pack);
    let sig = base64::engine::general_purpose::STANDARD.encode(pair.sign(text.as_bytes()));
    pack["signature"] = json!({"alg": "ed25519", "key_id": "team", "sig": sig});
    pair.public_key().as_ref().iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
}

#[tokio::test]
async fn where_there_are_keys_packs_are_signed() {
    let mut pack = minimal();
    let key = sign(&mut pack);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("keys");
    fs::write(&file, format!("# whose packs we take\nteam {key}\n")).unwrap();
    let server = TestServer::with(&["--pack-keys-file", file.to_str().unwrap()]).await;
    problem(server.post("/packs", &minimal()).await, 422, "pack_signature_missing").await;
    let mut other = pack.clone();
    let sig = other["signature"]["sig"].as_str().unwrap();
    let flipped = if sig.starts_with('A') { 'B' } else { 'A' };
    other["signature"]["sig"] = format!("{flipped}{}", &sig[1..]).into();
    problem(server.post("/packs", &other).await, 422, "pack_signature_invalid").await;
    let mut other = pack.clone();
    other["business_context"]["summary"] = "Something.".into();
    problem(server.post("/packs", &other).await, 422, "pack_signature_invalid").await;
    let body = json!({"messages": [], "target": "openai", "pack": {"document": minimal(),
        "request": {"input": {"intent": "x"}}, "run_context": context("tenant_min")}});
    problem(server.post("/compile", &body).await, 422, "pack_signature_missing").await;
    let events = server.get_json("/events?format=json&types=compile:failed").await;
    let failed = events["items"].as_array().unwrap().last().unwrap();
    assert_eq!(failed["data"]["code"], "pack_signature_missing", "{failed}");
    let published = server.post("/packs", &pack).await;
    let status = published.status().as_u16();
    let published: Value = published.json().await.unwrap();
    assert_eq!((status, &published["signed"]), (201, &json!(true)), "{published}");
}

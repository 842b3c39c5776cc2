//! Payloads with the edges that programs send: each is mended or read as what it is.

mod built_in_calls;
mod calls;
mod dialects;
mod ends;
mod gateways;
mod gemini;
mod images;
mod item_ids;
mod items;
mod media;
mod outputs;
mod programs;
mod provider_members;
mod reports;
mod requirements;
mod schemas;
mod sessions;
mod surrogates;
mod tool_search;
mod tools;

use serde_json::{Value, json};

use crate::support::compile::{Compiled, compile};
use crate::support::valid::check;

/// A PNG of one pixel.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";
/// A larger one.
fn large_png() -> String {
    format!("{}{}{}", &PNG[..44], "AAAA".repeat(4_000), &PNG[44..])
}

/// The first bytes of a JPEG.
const JPEG: &str = "/9j/4AAQSkZJRgABAQEAYABgAAD/2wBDAAgGBgcGBQgHBwcJCQgKDBQNDAsLDBkSEw8U";

/// Compiles a request, whose payload its provider must take.
async fn valid(target: &str, mut request: Value) -> Compiled {
    request["target"] = json!(target);
    let compiled = compile(&request).await;
    check(target, &compiled.payload).unwrap_or_else(|rule| panic!("{rule}: {}", compiled.payload));
    compiled
}

//! A model with round prices, whose tokens are bytes by four.

use serde_json::json;

use super::{Folder, TestServer};

/// The prices of `house`: micro-dollars for a token are 2 of input, 10 of output, 0.2 of input that is
/// read from the cache, 2.5 and 4 of input that is written to it; twice that above 50,000 tokens.
/// `house-marks` is the same with cache marks.
pub fn models(folder: &Folder) -> String {
    let row = |name: &str| {
        json!({"name": name, "family": "other", "tokenizer": "bytes4", "factor": 1.0,
            "context_window": 200_000, "max_output": 1_000,
            "prices": {"input": 2.0, "output": 10.0, "cache_read": 0.2, "cache_write": 2.5,
                "cache_write_long": 4.0,
                "step": {"above_tokens": 50_000, "input": 4.0, "output": 20.0, "cache_read": 0.4,
                    "cache_write": 5.0, "cache_write_long": 8.0}}})
    };
    let mut marked = row("house-marks");
    marked["cache_marks"] = json!("blocks");
    folder.write("models.json", json!([row("house"), marked]).to_string())
}

impl TestServer {
    /// Starts a server that knows `house`.
    pub async fn with_prices(flags: &[&str]) -> Self {
        // Read at the start only.
        let folder = Folder::new();
        let path = models(&folder);
        Self::with(&[&["--models-file", &path], flags].concat()).await
    }
}

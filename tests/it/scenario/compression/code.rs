//! K50 to K56: code between fences.

use serde_json::json;

use super::{decodes, message, tool, trip};

const FENCE: &str = "```rust\nfn retry(max: u32) -> u32 {\n    max + 1\n}\n```";
const PROSE: &str = "The retry helper waits a little longer after each failure. However it must \
    never wait more than maxDelay in total. Please read it before the review.";

#[tokio::test]
async fn code_and_the_prose_around_it_stay_where_they_are() {
    for text in [
        format!("{PROSE}\n\n{FENCE}\n\nThe tests for the helper live next to it."),
        format!("Sixteen letters.\n{FENCE}"),
        format!("{PROSE}\n{FENCE}\n{PROSE}\n{FENCE}\n{PROSE}"),
        format!("{PROSE}\n```python\nimport shutil\nshutil.copy('a', 'b')\nshutil.rmtree('a')"),
        "- first:\n\n    ```sh\n    rm -r old\n    ```\n- second".to_owned(),
        format!("````md\n{FENCE}\n````\n~~~\ncode\n~~~\n```\n```\nThe end. {PROSE}"),
        format!("The key is ghp_0123456789abcdefghijABCDEFGHIJ012345.\n{FENCE}\n{PROSE}"),
    ] {
        for (role, level) in [
            ("user", "lossless"),
            ("assistant", "lossless"),
            ("system", "lossless"),
            ("system", "reversible"),
        ] {
            let messages = [message(role, &text), message("user", "And?")];
            let options = json!({"level": level, "keep_recent_turns": 0});
            assert!(trip(&messages, options).await.is_unchanged(), "{role} {level}\n{text}");
        }
        for role in ["user", "assistant"] {
            let messages = [message(role, &text), message("user", "And?")];
            let options = json!({"level": "reversible", "keep_recent_turns": 0});
            let said = trip(&messages, options).await.said(0);
            let code = [
                FENCE,
                "shutil.copy('a', 'b')\nshutil.rmtree('a')",
                "    rm -r old",
                "ghp_0123456789abcdefghijABCDEFGHIJ012345",
            ];
            for code in code {
                assert_eq!(said.matches(code).count(), text.matches(code).count(), "{said}");
            }
        }
        let long = text.repeat(3);
        let trip = decodes(&tool("c", &long)).await;
        let said = trip.said(1);
        // What is shown of the code is shown line by line.
        for line in
            ["    max + 1", "shutil.copy('a', 'b')"].iter().filter(|line| long.contains(**line))
        {
            assert!(said.contains(*line), "{said}");
        }
    }
}

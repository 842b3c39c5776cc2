//! How a payload begins and ends, where its provider is particular about it.

use serde_json::json;

use crate::support::compile::compile;

#[tokio::test]
async fn a_list_of_which_nothing_is_left_gets_the_user_s_message() {
    let system = json!([{"role": "system", "content": "s"}]);
    let blank = json!([{"role": "user", "content": " "}]);
    for messages in [system, blank] {
        let request = json!({"messages": messages, "target": "anthropic"});
        let compiled = compile(&request).await;
        assert_eq!(compiled.roles(), ["user"]);
        assert_eq!(compiled.said(0), "[Conversation continues]");
        assert!(compiled.codes("repairs").contains(&"opening_added"));
    }
}

#[tokio::test]
async fn only_the_last_message_loses_its_white_space_and_only_where_it_is_refused() {
    let messages = json!([{"role": "user", "content": "u "}, {"role": "assistant", "content": "a \n"},
        {"role": "user", "content": "u "}, {"role": "assistant", "content": "a \n"}]);
    let compiled = compile(&json!({"messages": messages, "target": "anthropic"})).await;
    assert_eq!((compiled.said(1), compiled.said(3)), ("a \n".to_owned(), "a".to_owned()));
    assert_eq!(compiled.codes("degraded"), ["end_trimmed"]);
    let compiled = compile(&json!({"messages": messages, "target": "openai"})).await;
    assert_eq!(compiled.said(3), "a \n");
    assert!(compiled.codes("degraded").is_empty());
}

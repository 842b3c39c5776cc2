//! A sample `input` for each point, for trials of hooks.

use super::point::Point;

/// A small input with every member that calls of this point carry, as JSON.
pub const fn sample(point: Point) -> &'static str {
    match point {
        Point::BeforeCompress => {
            r#"{"history":[{"id":"m_1","role":"user","parts":[{"type":"text","text":"Where does the build fail?"}]}],"system":[],"tokens":{"current":130000,"limit":120000},"trigger":"over_limit","to_compress":{"from":0,"to":1}}"#
        }
        Point::Summarize => {
            r#"{"messages":[{"id":"m_1","role":"user","parts":[{"type":"text","text":"Where does the build fail?"}]}],"instructions":null,"material":null,"max_tokens":2000}"#
        }
        Point::AfterCompress => {
            r#"{"summary":"The build failed in the linker.","truncated_count":1,"compressed_messages":[{"id":"m_1","role":"user","parts":[{"type":"text","text":"Where does the build fail?"}]}],"tokens":{"before":130000,"after":60000}}"#
        }
        Point::BeforeCompile => {
            r#"{"system":[],"history":[{"id":"m_1","role":"user","parts":[{"type":"text","text":"Where does the build fail?"}]}],"dynamic_state":{"step":1},"dynamic_state_xml":"<step>1</step>"}"#
        }
        Point::TransformContext => {
            r#"{"target":"openai","model":null,"messages":[{"id":"m_1","role":"user","parts":[{"type":"text","text":"Where does the build fail?"}]}]}"#
        }
        Point::MemoryUpdate => {
            r#"{"origin":"model","op":"create","key":"language","value":"Rust","old_value":null}"#
        }
        Point::MemoryChanged => {
            r#"{"type":"set","key":"language","value":"Rust","old_value":null,"action":"add","target":"long_term","content":"Rust","metadata":null,"memory_id":"language","affected":1,"origin":"direct"}"#
        }
        Point::MemoryExpired => r#"{"entry":{"key":"language","value":"Rust","version":1}}"#,
        Point::Delegation => {
            r#"{"task":"Find the fault","result":"It is the linker","agent_name":"finder","metadata":{"handoff_depth":1},"status":"success","path":"sync"}"#
        }
        Point::SessionSwitch => {
            r#"{"new_session_id":"s_2","parent_session_id":"s_1","reset":false,"reason":"fork"}"#
        }
        Point::ToolCall => {
            r#"{"tool":{"name":"Bash","call_id":"call_1","arguments":{"command":"cargo build"}},"batch":{"index":0,"size":1}}"#
        }
        Point::ToolResult => {
            r#"{"tool":{"name":"Bash","call_id":"call_1","arguments":{"command":"cargo build"}},"result":{"content":"error: linking with cc failed","is_error":true}}"#
        }
        Point::CompressFormat => r#"{"text":"a=1\na=2\na=3","tool":null}"#,
        Point::RetrieveEvidence => r#"{"intent_id":"answer","query":"the build"}"#,
        Point::RecallMemory => {
            r#"{"query":"language","candidates":[{"key":"language","value":"Rust"}],"max_tokens":2000}"#
        }
        Point::Event => {
            r#"{"seq":7,"type":"memory:changed","at":"2026-12-31T23:59:59Z","session_id":null,"compilation_id":null,"data":{"key":"language"}}"#
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::about;
    use crate::json::{Limits, parse};

    #[test]
    fn a_sample_has_the_members_of_its_point() {
        for point in Point::ALL {
            let node = parse(sample(point), Limits::default()).unwrap();
            let members = node.as_object().unwrap().iter().map(|(name, _)| name.to_string());
            let told = about(point).input.iter().map(|(name, _)| (*name).to_owned());
            assert_eq!(members.collect::<Vec<_>>(), told.collect::<Vec<_>>(), "{point}");
        }
    }
}

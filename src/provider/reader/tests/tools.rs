use super::*;

fn tools(list: &str) -> (Vec<ToolDefinition>, Vec<Fault>) {
    let node = parse(list, Limits::default()).unwrap();
    let (mut faults, mut notes) = (Faults::default(), Notes::default());
    let tools = read_tools(&node, &Path::Root.key("tools"), &mut faults, &mut notes);
    (tools, faults.into_vec())
}

#[test]
fn tools_of_every_shape_are_read() {
    let (tools, faults) = tools(
        r#"{"list":[
            {"type":"function","function":{"name":"a","description":"d","parameters":{"x": 1},
             "strict":true}},
            {"type":"function","name":"b","parameters":{"x": 1},"strict":null},
            {"name":"c","input_schema":{"x": 1},"cache_control":{"type":"ephemeral"}},
            {"type":"custom","name":"d","input_schema":{"x": 1}},
            {"functionDeclarations":[{"name":"e","parametersJsonSchema":{"x": 1}}],"googleSearch":{}},
            {"name":"f","description":"d","parameters":{"x": 1},"tags":["t"]}]}"#,
    );
    assert_eq!(faults, []);
    let names: Vec<_> = tools.iter().map(|tool| &*tool.name).collect();
    assert_eq!(names, ["a", "b", "c", "d", "e", "googleSearch", "f"]);
    for tool in &tools {
        match &tool.opaque {
            None => assert_eq!(tool.parameters.as_ref().unwrap().as_str(), r#"{"x": 1}"#),
            Some(raw) => assert_eq!(raw.as_str(), r#"{"googleSearch":{}}"#),
        }
    }
    assert_eq!(extras(&tools[0].extra), [("strict", "true")]);
    assert!(tools[2].cache.is_some());
    assert_eq!(extras(&tools[6].extra), [("tags", "[\"t\"]")]);
}

#[test]
fn tools_of_the_provider_are_carried_whole() {
    let list = [
        r#"{"type":"web_search_20250305", "name":"web_search"}"#,
        r#"{"type":"mcp","server_label":"l"}"#,
        r#"{"type":"mcp","server_label":"m"}"#,
        r#"{"googleSearch": {}}"#,
        r#"{"type":"custom","custom":{"name":"free"}}"#,
    ];
    let (tools, faults) = tools(&format!("[{}]", list.join(",")));
    assert_eq!(faults, []);
    let raw: Vec<_> = tools.iter().map(|tool| tool.opaque.as_ref().unwrap().as_str()).collect();
    assert_eq!(raw, list);
    let names: Vec<_> = tools.iter().map(|tool| &*tool.name).collect();
    assert_eq!(names, ["web_search", "mcp", "mcp", "googleSearch", "free"]);
}

#[test]
fn types_in_capitals_become_json_schema() {
    let (tools, _) = tools(
        r#"[{"functionDeclarations":[{"name":"e","parameters":{"type":"OBJECT","properties":
            {"type":{"type":"STRING","enum":["STRING"]}}}}]}]"#,
    );
    let schema = r#"{"type":"object","properties":{"type":{"type":"string","enum":["STRING"]}}}"#;
    assert_eq!(tools[0].parameters.as_ref().unwrap().as_str(), schema);
}

#[test]
fn a_property_called_like_a_keyword_has_a_schema_all_the_same() {
    let (tools, _) = tools(
        r#"[{"functionDeclarations":[{"name":"e","parameters":{"type":"OBJECT","properties":
            {"default":{"type":"STRING","nullable":true},"enum":{"type":"ARRAY","minItems":"1",
            "items":{"type":"STRING","default":"STRING"}}}}}]}]"#,
    );
    // Other keywords that only Gemini reads stay: the schema may go back there.
    let schema = r#"{"type":"object","properties":{"default":{"type":"string","nullable":true},"enum":{"type":"array","minItems":"1","items":{"type":"string","default":"STRING"}}}}"#;
    assert_eq!(tools[0].parameters.as_ref().unwrap().as_str(), schema);
}

#[test]
fn tags_are_a_list_of_texts() {
    let (_, faults) = tools(
        r#"[{"name":"a","parameters":{},"tags":5},{"name":"b","parameters":{},"tags":["x",7]},
            {"type":"function","function":{"name":"c"},"tags":"x"},
            {"name":"d","parameters":{},"tags":null},{"name":"e","parameters":{},"tags":[]}]"#,
    );
    let pointers: Vec<_> = faults.iter().map(|fault| fault.pointer.as_str()).collect();
    assert_eq!(pointers, ["/tools/0/tags", "/tools/1/tags/1", "/tools/2/tags"]);
}

#[test]
fn faulty_tools_are_named() {
    let (_, faults) = tools(
        r#"[{"name":"a","parameters":{}},{"name":"a","parameters":{}},{"description":"d"},
            {"name":"b","parameters":[]},7,{}]"#,
    );
    let pointers: Vec<_> = faults.iter().map(|fault| fault.pointer.as_str()).collect();
    assert_eq!(
        pointers,
        ["/tools/1/name", "/tools/2", "/tools/3/parameters", "/tools/4", "/tools/5"]
    );
    let many: Vec<_> = (0..2000).map(|index| format!(r#"{{"name":"t{index}"}}"#)).collect();
    let (_, faults) = tools(&format!("[{}]", many.join(",")));
    assert_eq!(faults.len(), 1);
}

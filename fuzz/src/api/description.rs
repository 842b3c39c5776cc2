//! The OpenAPI description that the server gives of itself, as a generator needs it, and shapes of
//! what the description leaves open.

use std::collections::HashMap;

use serde_json::Value;

/// By the name of a member, a schema or a path: examples of what it may be.
const SHAPES: &str = include_str!("../../shapes/shapes.json");

#[derive(Debug)]
pub(super) struct Description {
    pub(super) operations: Vec<Operation>,
    schemas: HashMap<String, Value>,
    shapes: HashMap<String, Vec<Value>>,
}

#[derive(Debug)]
pub(super) struct Operation {
    pub(super) method: String,
    /// With its parameters in braces.
    pub(super) path: String,
    pub(super) parameters: Vec<Parameter>,
    pub(super) body: Option<Body>,
}

#[derive(Debug)]
pub(super) struct Parameter {
    pub(super) name: String,
    /// `path`, `query` or `header`.
    pub(super) place: String,
    pub(super) schema: Value,
}

#[derive(Debug)]
pub(super) struct Body {
    pub(super) media: String,
    pub(super) schema: Value,
}

impl Description {
    pub(super) fn of_the_server() -> Self {
        let document = serde_json::to_value(contexture::http::openapi()).expect("JSON");
        let shapes = serde_json::from_str(SHAPES).expect("shapes");
        let members = |value: &Value| value.as_object().cloned().unwrap_or_default();
        let schemas = members(&document["components"]["schemas"]).into_iter().collect();
        let mut operations = Vec::new();
        for (path, item) in members(&document["paths"]) {
            for (method, operation) in members(&item) {
                operations.push(Operation::read(&method, &path, &operation));
            }
        }
        Self { operations, schemas, shapes }
    }

    /// A schema, and the name that it has.
    pub(super) fn resolve<'a>(&'a self, schema: &'a Value) -> (Option<&'a str>, &'a Value) {
        let name = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next());
        match name.and_then(|name| self.schemas.get(name)) {
            Some(schema) => (name, schema),
            None => (None, schema),
        }
    }

    pub(super) fn shapes(&self, name: &str) -> &[Value] {
        self.shapes.get(name).map_or(&[], Vec::as_slice)
    }
}

impl Operation {
    fn read(method: &str, path: &str, operation: &Value) -> Self {
        let parameter = |given: &Value| Parameter {
            name: given["name"].as_str().unwrap_or_default().to_owned(),
            place: given["in"].as_str().unwrap_or_default().to_owned(),
            schema: given["schema"].clone(),
        };
        let parameters = operation["parameters"].as_array();
        let contents = operation["requestBody"]["content"].as_object();
        Self {
            method: method.to_ascii_uppercase(),
            path: path.to_owned(),
            parameters: parameters.into_iter().flatten().map(parameter).collect(),
            body: contents.and_then(|contents| contents.iter().next()).map(|(media, given)| Body {
                media: media.clone(),
                schema: given["schema"].clone(),
            }),
        }
    }
}

//! The OpenAPI description: what each handler declares, and what all operations have in common.

use std::collections::HashMap;
use std::sync::Arc;

use axum::http::Method;
use serde_json::Value;
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::path::{Operation, Parameter, ParameterIn, Paths};
use utoipa::openapi::response::Response;
use utoipa::openapi::schema::{ArrayItems, KnownFormat, Object, SchemaFormat, SchemaType, Type};
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{OpenApi, Ref, RefOr, Required, Schema};
use utoipa::{Number, OpenApi as _, ToSchema as _};

use super::access::Access;
use super::enum_values::{Words, member_words, parameter_words};
use super::problem;
use crate::json::MAX_WHOLE_NUMBER;

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Contexture",
        description = "A context compiler as a service: a conversation goes in, the payload for \
                       the provider comes out, inside the token budget, with a report of every \
                       decision. Errors are problem documents (RFC 9457); see `/problems`.",
        license(name = "Apache-2.0")
    ),
    servers((url = "/")),
    components(schemas(problem::Body)),
    tags(
        (name = "compile", description = "Conversations to payloads"),
        (name = "compilations", description = "What compiles came to, and why"),
        (name = "artifacts", description = "Originals that stand outside of a payload"),
        (name = "adapters", description = "Text formats that are shortened by what they hold"),
        (name = "memory", description = "What is known beyond one conversation"),
        (name = "sessions", description = "Conversations under a name"),
        (name = "packs", description = "Documents that govern compiles, and their rules"),
        (name = "tools", description = "What models call"),
        (name = "hooks", description = "What others may veto, change, add to and watch"),
        (name = "skills", description = "Instructions under names"),
        (name = "gateway", description = "The wire of headroom's clients and of LiteLLM's guardrail"),
        (name = "events", description = "What happens, as it happens"),
        (name = "keys", description = "Who may do what, and who used how much"),
        (name = "operations", description = "Health, figures, reference"),
    )
)]
pub(super) struct Document;

impl Document {
    /// Returns the description without operations: its title, tags and shared schemas.
    pub(super) fn head() -> OpenApi {
        Self::openapi()
    }
}

/// The served routes, and whether each has query parameters.
#[derive(Debug, Clone)]
pub(super) struct RouteTable {
    /// Whether a route has query parameters, by method and path.
    has_query: Arc<HashMap<(Method, String), bool>>,
}

impl RouteTable {
    pub(super) fn new(mut document: OpenApi) -> Self {
        let in_query = |parameter: &RefOr<Parameter>| match parameter {
            RefOr::T(parameter) => matches!(parameter.parameter_in, ParameterIn::Query),
            RefOr::Ref(_) => true,
        };
        let rows = operations(&mut document.paths).into_iter().map(|route| {
            let has_query = route.operation.parameters.iter().flatten().any(in_query);
            ((route.method, route.path), has_query)
        });
        Self { has_query: Arc::new(rows.collect()) }
    }

    /// Checks whether there is a route of this method and path.
    pub(super) fn contains(&self, method: &Method, path: &str) -> bool {
        self.find(method, path).is_some()
    }

    /// Checks whether a route has query parameters. Returns true if the path is not served with
    /// this method, so that the response is a 405.
    pub(super) fn has_query(&self, method: &Method, path: &str) -> bool {
        self.find(method, path).unwrap_or(true)
    }

    fn find(&self, method: &Method, path: &str) -> Option<bool> {
        // A route for GET also serves HEAD.
        let method = if method == Method::HEAD { &Method::GET } else { method };
        self.has_query.get(&(method.clone(), path.to_owned())).copied()
    }
}

/// Completes the description with what all operations have in common: the key, problems, enums and
/// the bounds of numbers.
pub(super) fn complete(mut document: OpenApi) -> OpenApi {
    let mut bearer = Http::new(HttpAuthScheme::Bearer);
    bearer.description = Some(
        "A key from `POST /keys` or `contexture key create`; not asked for where there never \
         was a key. Each operation names the scopes of which one is needed; a turn of a session \
         needs all that it names."
            .to_owned(),
    );
    let components = document.components.get_or_insert_default();
    components.add_security_scheme("key", SecurityScheme::Http(bearer));
    for (name, schema) in &mut components.schemas {
        bound(schema);
        set_member_enums(name, schema);
    }
    for Route { method, path, operation } in operations(&mut document.paths) {
        let access = Access::for_route(&method, &path);
        if access != Access::Open {
            let words = access.scopes().iter().map(|scope| scope.as_str());
            operation.security =
                Some(vec![SecurityRequirement::new("key", words), SecurityRequirement::default()]);
            add_problems(&path, operation);
        }
        fill_problems(operation);
        if let Some(RefOr::T(body)) = &mut operation.request_body {
            let may_be_empty = MAY_BE_EMPTY.contains(&&*path);
            body.required = Some(if may_be_empty { Required::False } else { Required::True });
        }
        for parameter in operation.parameters.iter_mut().flatten() {
            if let RefOr::T(parameter) = parameter {
                describe(&path, parameter);
            }
        }
    }
    document
}

/// An operation with its method and path.
struct Route<'d> {
    method: Method,
    path: String,
    operation: &'d mut Operation,
}

fn operations(paths: &mut Paths) -> Vec<Route<'_>> {
    let mut found = Vec::new();
    for (path, item) in &mut paths.paths {
        let methods = [
            (Method::GET, &mut item.get),
            (Method::POST, &mut item.post),
            (Method::PUT, &mut item.put),
            (Method::PATCH, &mut item.patch),
            (Method::DELETE, &mut item.delete),
        ];
        for (method, operation) in methods {
            if let Some(operation) = operation {
                found.push(Route { method, path: path.clone(), operation });
            }
        }
    }
    found
}

/// Paths whose POST may have no body.
const MAY_BE_EMPTY: &[&str] = &[
    "/artifacts/cleanup",
    "/hooks/{id}/test",
    "/hooks/{id}/rotate-secret",
    "/memory/import",
    "/memory/{key}/retract",
    "/sessions",
    "/sessions/{id}/fork",
    "/sessions/{id}/snapshots",
    "/sessions/{id}/switch",
    "/v1/compress",
];

/// Paths whose handlers cannot fail: their response is always available. `/v1/compress` returns its
/// input if it cannot compress it.
const NEVER_FAIL: &[&str] = &["/hook-points", "/metrics", "/models", "/v1/compress"];

/// Adds the error responses that every operation with a key may have, unless it describes its own.
fn add_problems(path: &str, operation: &mut Operation) {
    let responses = &mut operation.responses.responses;
    let mut add = |status: &str, description: &str| {
        let response = || RefOr::T(Response::new(description));
        responses.entry(status.to_owned()).or_insert_with(response);
    };
    add("4XX", "The request cannot be met");
    if !NEVER_FAIL.contains(&path) {
        add("5XX", "The server could not do it");
    }
}

/// Gives every error response the body of a problem, unless it describes its own.
fn fill_problems(operation: &mut Operation) {
    for (status, response) in &mut operation.responses.responses {
        if let RefOr::T(response) = response
            && status.starts_with(['4', '5'])
            && response.content.is_empty()
        {
            let problem = Ref::from_schema_name(problem::Body::name());
            let content = ContentBuilder::new().schema(Some(problem)).build();
            response.content.insert(problem::MEDIA_TYPE.to_owned(), RefOr::T(content));
        }
    }
}

/// Completes the schema of a parameter: its type, its bounds, its pattern and its enum.
fn describe(path: &str, parameter: &mut Parameter) {
    let Some(RefOr::T(Schema::Object(schema))) = &mut parameter.schema else { return };
    // An optional parameter is never null: headers and queries have no null.
    if let SchemaType::Array(types) = &schema.schema_type
        && let Some(value_type) = types.iter().find(|kind| **kind != Type::Null)
    {
        schema.schema_type = SchemaType::Type(value_type.clone());
    }
    bound_number(schema);
    let is_header = matches!(parameter.parameter_in, ParameterIn::Header);
    match &*parameter.name {
        "If-Match" if is_header && path == "/memory/{key}" => {
            schema.pattern = Some("^([*]|\"?[0-9]{1,15}\"?)$".to_owned());
        }
        "If-None-Match" if is_header => schema.pattern = Some("^[*]$".to_owned()),
        "If-Match" if is_header => schema.pattern = Some("^\"?[0-9]{1,15}\"?$".to_owned()),
        "Idempotency-Key" if is_header => schema.pattern = Some("^[!-~]{1,255}$".to_owned()),
        _ => {}
    }
    if let Some(words) = parameter_words(path, &parameter.name) {
        set_enum(schema, words);
    }
}

/// Sets the maximum of whole numbers in a schema: JSON numbers are exact up to 2^53, and a larger
/// one is refused.
fn bound(schema: &mut RefOr<Schema>) {
    let RefOr::T(schema) = schema else { return };
    match schema {
        Schema::Object(object) => {
            bound_number(object);
            object.properties.values_mut().for_each(bound);
        }
        Schema::Array(array) => {
            if let ArrayItems::RefOrSchema(items) = &mut array.items {
                bound(items);
            }
        }
        Schema::AllOf(parts) => parts.items.iter_mut().for_each(bound),
        Schema::OneOf(parts) => parts.items.iter_mut().for_each(bound),
        Schema::AnyOf(parts) => parts.items.iter_mut().for_each(bound),
        _ => {}
    }
}

fn bound_number(schema: &mut Object) {
    let is_whole = schema.format == Some(SchemaFormat::KnownFormat(KnownFormat::Int64));
    if is_whole && schema.maximum.is_none() {
        schema.maximum =
            Some(Number::UInt(usize::try_from(MAX_WHOLE_NUMBER).unwrap_or(usize::MAX)));
    }
}

/// Sets the enums of the members of a schema.
fn set_member_enums(name: &str, schema: &mut RefOr<Schema>) {
    let RefOr::T(schema) = schema else { return };
    let members = match schema {
        Schema::Object(object) => &mut object.properties,
        Schema::AllOf(parts) => {
            return parts.items.iter_mut().for_each(|part| set_member_enums(name, part));
        }
        _ => return,
    };
    for (member, schema) in members {
        let Some(words) = member_words(name, member) else { continue };
        match schema {
            RefOr::T(Schema::Object(text)) => set_enum(text, words),
            RefOr::T(Schema::Array(list)) => {
                if let ArrayItems::RefOrSchema(items) = &mut list.items
                    && let RefOr::T(Schema::Object(text)) = &mut **items
                {
                    set_enum(text, words);
                }
            }
            _ => {}
        }
    }
}

/// Lists the values that a text may have.
fn set_enum(schema: &mut Object, words: Words) {
    let mut values: Vec<Value> = words.into_iter().map(Value::from).collect();
    if let SchemaType::Array(types) = &schema.schema_type
        && types.contains(&Type::Null)
    {
        values.push(Value::Null);
    }
    schema.enum_values = Some(values);
}

//! The OpenAPI description: what each handler declares, and what all operations have in common.

mod enums;
mod examples;
mod members;
mod problems;
mod provider_members;
mod webhooks;
mod yaml;

use std::collections::HashMap;
use std::sync::Arc;

use axum::http::Method;
use serde_json::Value;
use utoipa::OpenApi as _;
use utoipa::openapi::path::{Operation, Parameter, ParameterIn, Paths};
use utoipa::openapi::schema::{Object, SchemaType, Type};
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{OpenApi, RefOr, Required, Schema};

use super::access::Access;
use super::enum_values::{Words, parameter_words};
use super::problem;

pub use self::yaml::portable_yaml;

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Contexture",
        description = "A context compiler as a service: a conversation goes in, the payload for \
                       the provider comes out, inside the token budget, with a report of every \
                       decision. Errors are problem documents (RFC 9457); see `/problems`.",
        license(name = "Apache-2.0", identifier = "Apache-2.0")
    ),
    servers((url = "/")),
    components(schemas(problem::Body)),
    tags(
        (name = "compile", description = "Conversations to payloads"),
        (name = "compilations", description = "Records of compiles: results and reasons"),
        (name = "artifacts", description = "Originals that are stored outside of a payload"),
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
    document.webhooks = Some(webhooks::describe(components));
    provider_members::describe(&mut components.schemas);
    components.schemas.values_mut().for_each(members::complete);
    for (name, schema) in members::any_values() {
        components.schemas.insert(name.to_owned(), schema);
    }
    enums::name_enums(&mut components.schemas);
    problems::add_components(components);
    let mut examples = examples::read();
    for Route { method, path, operation } in operations(&mut document.paths) {
        let access = Access::for_route(&method, &path);
        if access == Access::Open {
            operation.security = Some(Vec::new());
            problems::add_refusal(operation);
        } else {
            let words = access.scopes().iter().map(|scope| scope.as_str());
            operation.security =
                Some(vec![SecurityRequirement::new("key", words), SecurityRequirement::default()]);
            problems::add(&path, operation);
        }
        problems::fill(operation);
        if let Some(RefOr::T(body)) = &mut operation.request_body {
            let may_be_empty = MAY_BE_EMPTY.contains(&&*path);
            body.required = Some(if may_be_empty { Required::False } else { Required::True });
        }
        for parameter in operation.parameters.iter_mut().flatten() {
            if let RefOr::T(parameter) = parameter {
                describe(&path, parameter);
            }
        }
        let id = operation.operation_id.as_deref().unwrap_or_default();
        if let Some(example) = examples.remove(id) {
            examples::add(operation, example);
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

/// Completes the schema of a parameter: its type, its bounds, its pattern and its enum.
fn describe(path: &str, parameter: &mut Parameter) {
    let Some(RefOr::T(Schema::Object(schema))) = &mut parameter.schema else { return };
    // An optional parameter is never null: headers and queries have no null.
    if let SchemaType::Array(types) = &schema.schema_type
        && let Some(value_type) = types.iter().find(|kind| **kind != Type::Null)
    {
        schema.schema_type = SchemaType::Type(value_type.clone());
    }
    members::bound_number(schema);
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

/// Lists the values that a text may have.
fn set_enum(schema: &mut Object, words: Words) {
    schema.enum_values = Some(words.into_iter().map(Value::from).collect());
}

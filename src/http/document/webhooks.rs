//! The section `webhooks`: one call for each hook point, described from the table of points.

use serde_json::{Value, json};
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::path::{HttpMethod, OperationBuilder, PathItem, Paths};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::response::{Response, ResponsesBuilder};
use utoipa::openapi::schema::{
    AnyOfBuilder, Discriminator, Object, ObjectBuilder, OneOfBuilder, SchemaType, Type,
};
use utoipa::openapi::{Components, Ref, RefOr, Required, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::members::JSON_VALUE;
use crate::http::schema::{
    CalledHook, GuardAnswer, GuardVerdict, HookCallDelivery, HookCallScope, ProvideAnswer,
    TransformAction, TransformAnswer, constant,
};
use crate::service::hooks::{HookKind, POINTS, Point, PointDoc, point_doc, point_sample};

/// The schema of a call, whatever its point.
const ANY_CALL: &str = "HookCall";

/// Describes the calls of all points. Their bodies become components.
pub(super) fn describe(components: &mut Components) -> Paths {
    let schemas = &mut components.schemas;
    for (name, schema) in [
        (CalledHook::name(), CalledHook::schema()),
        (HookCallScope::name(), HookCallScope::schema()),
        (HookCallDelivery::name(), HookCallDelivery::schema()),
        (GuardAnswer::name(), GuardAnswer::schema()),
        (GuardVerdict::name(), GuardVerdict::schema()),
        (TransformAnswer::name(), TransformAnswer::schema()),
        (TransformAction::name(), TransformAction::schema()),
        (ProvideAnswer::name(), ProvideAnswer::schema()),
    ] {
        schemas.insert(name.into_owned(), schema);
    }
    let mut paths = Paths::new();
    for point in POINTS {
        let doc = point_doc(point);
        let name = schema_name(point, "Call");
        schemas.insert(name.clone(), RefOr::T(describe_call(point, &doc)));
        let input = RefOr::T(Schema::Object(describe_input(point, &doc)));
        schemas.insert(schema_name(point, "Input"), input);
        let content = ContentBuilder::new().schema(Some(Ref::from_schema_name(name))).build();
        let body = RequestBodyBuilder::new()
            .content("application/json", content)
            .required(Some(Required::True));
        let operation = OperationBuilder::new()
            .tag("hooks")
            .operation_id(Some(format!("on_{}", point.as_str())))
            .summary(Some(format!("Hooks at {}", point.as_str())))
            .description(Some(format!(
                "Called {}. Signed by Standard Webhooks: the headers `webhook-id`, \
                 `webhook-timestamp` and `webhook-signature`.",
                doc.sentence
            )))
            .request_body(Some(body.build()))
            .responses(answers(point))
            .securities(Some(Vec::new()));
        paths
            .paths
            .insert(point.as_str().to_owned(), PathItem::new(HttpMethod::Post, operation.build()));
    }
    schemas.insert(ANY_CALL.to_owned(), RefOr::T(describe_any_call()));
    paths
}

/// The body of a call by its point, for receivers of several points.
fn describe_any_call() -> Schema {
    let reference = |point: Point| Ref::from_schema_name(schema_name(point, "Call"));
    let mapping = POINTS.map(|point| (point.as_str().to_owned(), reference(point).ref_location));
    POINTS
        .into_iter()
        .fold(OneOfBuilder::new(), |calls, point| calls.item(reference(point)))
        .discriminator(Some(Discriminator::with_mapping("point", mapping)))
        .description(Some("The body of a call, by `point`."))
        .build()
        .into()
}

/// The name of a point's schema: `ToolResultHookCall` for `tool_result` and `Call`.
fn schema_name(point: Point, suffix: &str) -> String {
    let mut name = String::new();
    for word in point.as_str().split('_') {
        let mut letters = word.chars();
        name.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        name.push_str(letters.as_str());
    }
    name + "Hook" + suffix
}

fn describe_call(point: Point, doc: &PointDoc) -> Schema {
    let kinds: Vec<&str> = point.kinds().iter().map(|kind| kind.as_str()).collect();
    let kind: RefOr<Schema> = if let [kind] = &*kinds {
        constant(kind).description(Some("What the hook may do.")).into()
    } else {
        let mut kind = Ref::from_schema_name("HookKind");
        kind.description = format!("What the hook may do: {}.", kinds.join(", "));
        kind.into()
    };
    ObjectBuilder::new()
        .description(Some(format!("The body of a call {}.", doc.sentence)))
        .property("spec", constant("hooks/1").description(Some("The version of this format.")))
        .property("point", constant(point.as_str()).description(Some("The point.")))
        .property("kind", kind)
        .property("hook", Ref::from_schema_name(CalledHook::name()))
        .property("scope", Ref::from_schema_name(HookCallScope::name()))
        .property("delivery", Ref::from_schema_name(HookCallDelivery::name()))
        .property("input", Ref::from_schema_name(schema_name(point, "Input")))
        .required("spec")
        .required("point")
        .required("kind")
        .required("hook")
        .required("scope")
        .required("delivery")
        .required("input")
        .build()
        .into()
}

/// The input of a point. Members may be left out by the hook's own `input`, so none is required.
fn describe_input(point: Point, doc: &PointDoc) -> Object {
    let sample: Value = serde_json::from_str(&point_sample(point)).unwrap_or_default();
    let members = doc.input.iter().map(|(name, sentence)| {
        let mut member = Object::new();
        member.schema_type = sample.get(name).map_or(SchemaType::AnyValue, type_of);
        member.description = Some((*sentence).to_owned());
        if sample.get(name).is_some_and(Value::is_array) {
            // utoipa has no keyword for the items of a list that may be null.
            let items = json!({"$ref": format!("#/components/schemas/{JSON_VALUE}")});
            member.extensions = Some(Extensions::from_iter([("items", items)]));
        }
        ((*name).to_owned(), RefOr::T(Schema::Object(member)))
    });
    let mut input = Object::with_type(Type::Object);
    input.properties = members.collect();
    input.description = Some("What the hook may see.".to_owned());
    input.example = Some(sample);
    input
}

/// The type of a member by its sample. Objects and lists may be other values: any value is allowed.
fn type_of(sample: &Value) -> SchemaType {
    let kind = match sample {
        Value::String(_) => Type::String,
        Value::Bool(_) => Type::Boolean,
        Value::Number(number) if number.is_u64() => Type::Integer,
        Value::Number(_) => Type::Number,
        Value::Array(_) => Type::Array,
        Value::Object(_) => Type::Object,
        Value::Null => return SchemaType::AnyValue,
    };
    SchemaType::Array(vec![kind, Type::Null])
}

fn answers(point: Point) -> ResponsesBuilder {
    let answer = |kind: &HookKind| match kind {
        HookKind::Guard => Some(Ref::from_schema_name(GuardAnswer::name())),
        HookKind::Transform => Some(Ref::from_schema_name(TransformAnswer::name())),
        HookKind::Provide => Some(Ref::from_schema_name(ProvideAnswer::name())),
        HookKind::Observe => None,
    };
    let answers: Vec<Ref> = point.kinds().iter().filter_map(answer).collect();
    let schema: Option<RefOr<Schema>> = match &*answers {
        [] => None,
        [only] => Some(only.clone().into()),
        several => {
            let either = several.iter().cloned().fold(AnyOfBuilder::new(), AnyOfBuilder::item);
            Some(RefOr::T(Schema::AnyOf(either.build())))
        }
    };
    let mut read =
        Response::new("What the hook decides, by its kind; that of observers is ignored");
    if schema.is_some() {
        let content = ContentBuilder::new().schema(schema).build();
        read.content.insert("application/json".to_owned(), RefOr::T(content));
    }
    ResponsesBuilder::new()
        .response("200", read)
        .response("204", Response::new("Nothing to change or to add"))
        .response("410", Response::new("Call this hook no more: it is disabled"))
}

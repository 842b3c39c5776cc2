//! The members of the providers' own requests that `POST /compile` takes with `passthrough`.

use std::collections::BTreeMap;

use utoipa::Number;
use utoipa::openapi::schema::{Array, KnownFormat, Object, SchemaFormat, SchemaType, Type};
use utoipa::openapi::{RefOr, Schema};

use crate::service::compile::{MemberForm, PassedMember, passed_members};

/// The schema of the request that has them.
const REQUEST: &str = "CompileRequest";

/// Describes the members in the schema of the request.
pub(super) fn describe(schemas: &mut BTreeMap<String, RefOr<Schema>>) {
    let Some(RefOr::T(Schema::Object(request))) = schemas.get_mut(REQUEST) else { return };
    for PassedMember { name, forms, targets } in passed_members() {
        let targets: Vec<String> =
            targets.iter().map(|target| format!("`{}`", target.as_str())).collect();
        let about = format!("With `passthrough`, for {}.", targets.join(", "));
        let form = forms.into_iter().reduce(join).unwrap_or(MemberForm::Any);
        request.properties.insert(name.to_owned(), of_form(form, about));
    }
}

/// The form that has the values of both.
fn join(one: MemberForm, other: MemberForm) -> MemberForm {
    use MemberForm::{Any, Number, Object, Only};
    match (one, other) {
        (Number { least, most }, Number { least: other_least, most: other_most }) => {
            Number { least: least.min(other_least), most: most.max(other_most) }
        }
        (Object | Only(_), Object | Only(_)) => Object,
        _ if one == other => one,
        _ => Any,
    }
}

fn typed(kind: impl Into<SchemaType>, about: String) -> Object {
    let mut object = Object::with_type(kind);
    object.description = Some(about);
    object
}

fn of_form(form: MemberForm, about: String) -> RefOr<Schema> {
    let object = match form {
        MemberForm::Flag => typed(Type::Boolean, about),
        MemberForm::Number { least, most } => {
            let mut number = typed(Type::Number, about);
            number.minimum = Some(Number::Float(least));
            number.maximum = Some(Number::Float(most));
            number
        }
        MemberForm::Whole => {
            let mut number = typed(Type::Integer, about);
            number.minimum = Some(Number::UInt(0));
            number.format = Some(SchemaFormat::KnownFormat(KnownFormat::Int64));
            number
        }
        MemberForm::Text => typed(Type::String, about),
        MemberForm::List => {
            let mut list = Array::new(Object::with_type(SchemaType::AnyValue));
            list.description = Some(about);
            return RefOr::T(Schema::Array(list));
        }
        MemberForm::Object | MemberForm::Only(_) => typed(Type::Object, about),
        MemberForm::Any
        | MemberForm::TextOrList
        | MemberForm::TextOrObject
        | MemberForm::ToolChoice(_) => typed(SchemaType::AnyValue, about),
    };
    object.into()
}

//! How large a payload may be.

use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Type};
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// The key `budget`: the options, or the tokens of the window alone.
#[derive(Debug)]
pub struct BudgetInput;

impl PartialSchema for BudgetInput {
    fn schema() -> RefOr<Schema> {
        let about = "The size that the payload may have: the options, or the tokens of the window alone, of \
                     which none are reserved.";
        let tokens = ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(1));
        let either = OneOfBuilder::new()
            .item(tokens.build())
            .item(Ref::from_schema_name(Budget::name()))
            .description(Some(about));
        RefOr::T(Schema::OneOf(either.build()))
    }
}

impl ToSchema for BudgetInput {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((Budget::name().into_owned(), Budget::schema()));
        Budget::schemas(schemas);
    }
}

/// The budget is the window less what is reserved for the answer; all parts count against it.
#[derive(Debug, ToSchema)]
#[schema(as = BudgetOptions)]
pub struct Budget {
    /// Tokens of the window; the model's when absent.
    #[schema(example = 128_000)]
    pub context_window: Option<u64>,
    /// Tokens kept for the answer. When absent: the model's largest answer up to 8,192, or 0
    /// where `context_window` is given.
    #[schema(example = 4096)]
    pub reserve_output: Option<u64>,
    /// Whether a payload that cannot fit is returned with `fits: false`, or is a 422.
    pub on_overflow: Option<OnOverflow>,
    /// `stay` shortens the history as for a budget of the size above which the model charges other
    /// prices, if that is known and less than the budget. A payload that is above it all the same
    /// still fits. `ignore` when absent.
    pub price_step: Option<PriceStepRule>,
}

#[derive(Debug, ToSchema)]
#[schema(rename_all = "snake_case")]
pub enum PriceStepRule {
    Ignore,
    Stay,
}

#[derive(Debug, ToSchema)]
#[schema(rename_all = "snake_case")]
pub enum OnOverflow {
    Report,
    Fail,
}

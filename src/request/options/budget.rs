//! The key `budget`: how large a payload may be, and what is done if it is not.

use super::shorthand;
use crate::domain::{Model, Notes};
use crate::json::{Faults, Fields, Path};
use crate::request::provider_members::ResponseLimit;

pub(crate) const BUDGET: &[&str] =
    &["context_window", "reserve_output", "on_overflow", "price_step"];

/// Limit of a context window: far above the largest window that any model has.
const MAX_WINDOW_TOKENS: u64 = 1 << 40;
/// Tokens reserved for the reply if the request gives neither a window nor a reserve.
const DEFAULT_RESERVE_TOKENS: u64 = 8_192;

/// Treatment of a payload that does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnOverflow {
    Report,
    Fail,
}

/// Treatment of the size above which a model charges other prices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PriceStepRule {
    Ignore,
    /// The history is shortened as for a budget of that size.
    Stay,
}

/// The key `budget`, with its defaults.
pub(crate) struct BudgetOptions {
    pub(crate) context_window: u64,
    pub(crate) reserve_output: u64,
    pub(crate) on_overflow: OnOverflow,
    pub(crate) price_step: PriceStepRule,
}

impl BudgetOptions {
    pub(crate) fn read(
        fields: &Fields<'_, '_>,
        model: &Model,
        limit: Option<ResponseLimit>,
        faults: &mut Faults,
        notes: &mut Notes,
    ) -> Self {
        let path = fields.path().key("budget");
        let node = shorthand::budget(fields, faults);
        let given = node.as_deref().and_then(|node| Fields::read(node, path, BUDGET, faults));
        let mut window = None;
        let mut reserve = None;
        let mut on_overflow = None;
        let mut price_step = None;
        if let Some(given) = &given {
            window = given.whole("context_window", 1, MAX_WINDOW_TOKENS, faults);
            reserve = given.whole("reserve_output", 0, MAX_WINDOW_TOKENS, faults);
            let words = [("report", OnOverflow::Report), ("fail", OnOverflow::Fail)];
            on_overflow = given.choice("on_overflow", &words, faults);
            let words = [("ignore", PriceStepRule::Ignore), ("stay", PriceStepRule::Stay)];
            price_step = given.choice("price_step", &words, faults);
        }
        let limit = limit.filter(|_| reserve.is_none());
        let default_reserve =
            if window.is_some() { 0 } else { model.max_output.min(DEFAULT_RESERVE_TOKENS) };
        let reserve = reserve.or_else(|| Some(limit?.tokens)).unwrap_or(default_reserve);
        let window = window.unwrap_or_else(|| {
            // Where the provider caps the input, a smaller reserve makes no more room.
            let most = model.max_input.map_or(u64::MAX, |input| input.saturating_add(reserve));
            model.context_window.min(most)
        });
        if reserve >= window {
            let rule = format!("must be less than the window of {window} tokens");
            match limit {
                Some(ResponseLimit { name, tokens }) => {
                    let detail = format!(
                        "the response takes {tokens} tokens, which {rule}; `budget.reserve_output` \
                         reserves another number"
                    );
                    faults.add(&Path::Root.key(name), detail);
                }
                None => faults.add(&path.key("reserve_output"), rule),
            }
        }
        let has_step = model.prices.as_ref().is_some_and(|prices| prices.step.is_some());
        if price_step == Some(PriceStepRule::Stay) && !has_step {
            notes.warn(
                "price_step_unknown",
                "/budget/price_step".to_owned(),
                "no price step of the model is known: the budget is as it would be without",
            );
        }
        Self {
            context_window: window,
            reserve_output: reserve,
            on_overflow: on_overflow.unwrap_or(OnOverflow::Report),
            price_step: price_step.unwrap_or(PriceStepRule::Ignore),
        }
    }
}

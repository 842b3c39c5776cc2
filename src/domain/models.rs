//! The catalogue of models, by name.

use std::sync::LazyLock;

use super::{Family, Model, ModelRow, Target, TokenizerName};

/// The rows that `scripts/models.py` makes, one of each model.
const CATALOGUE: &str = include_str!("../../models/models.json");

static BUILT_IN: LazyLock<Vec<Model>> = LazyLock::new(|| {
    // A test holds that the catalogue is read without a fault.
    let rows: Vec<ModelRow> = serde_json::from_str(CATALOGUE).unwrap_or_default();
    let mut rows: Vec<Model> = rows.into_iter().flat_map(Model::try_from).collect();
    rows.push(bytes4());
    rows
});

/// The row for tests that do sums by hand.
fn bytes4() -> Model {
    Model {
        tokenizer: TokenizerName::Bytes4,
        factor_milli: 1000,
        prefill: true,
        ..Model::new("bytes4", Family::Other, Models::DEFAULT_WINDOW_TOKENS, DEFAULT_ANSWER_TOKENS)
    }
}

/// Tokens of the largest answer of a model that is not in the catalogue.
const DEFAULT_ANSWER_TOKENS: u64 = 8_192;
/// The factor of a Claude that is not in the catalogue, in thousandths: that of the newest ones.
const UNKNOWN_CLAUDE_FACTOR_MILLI: u32 = 1600;

/// All known models.
#[derive(Debug, Clone)]
pub struct Models {
    rows: Vec<Model>,
}

impl Models {
    /// Tokens of the window of a model that is not in the table.
    pub const DEFAULT_WINDOW_TOKENS: u64 = 128_000;

    /// The built-in catalogue.
    pub fn built_in() -> Self {
        Self { rows: BUILT_IN.clone() }
    }

    /// A table without rows.
    pub fn empty() -> Self {
        Self { rows: Vec::new() }
    }

    /// Adds rows; a row with a known name replaces that row.
    pub fn extend(&mut self, rows: impl IntoIterator<Item = Model>) {
        for row in rows {
            match self.rows.iter_mut().find(|known| known.name == row.name) {
                Some(known) => *known = row,
                None => self.rows.push(row),
            }
        }
    }

    pub fn rows(&self) -> &[Model] {
        &self.rows
    }

    /// The row for a model's name: the row of that name, or the longest row name that it extends
    /// with `-`, `@` or `:` (dated and tuned variants such as `gpt-4o-2024-11-20`), with or without
    /// a vendor's path before it (`anthropic/claude-…`, `us.anthropic.claude-…`). Letters match in
    /// both cases.
    pub fn find(&self, name: &str) -> Option<&Model> {
        let bare = bare_name(name);
        // Some gateways write Claude's versions with a dot.
        if starts_with_claude(bare) && bare.contains('.') {
            return self.find_bare(&bare.replace('.', "-"));
        }
        self.find_bare(bare)
    }

    fn find_bare(&self, bare: &str) -> Option<&Model> {
        self.rows
            .iter()
            .filter(|row| {
                let Some((head, rest)) = bare.split_at_checked(row.name.len()) else {
                    return false;
                };
                head.eq_ignore_ascii_case(&row.name)
                    && (rest.is_empty() || rest.starts_with(['-', '@', ':']))
            })
            .max_by_key(|row| row.name.len())
    }

    /// The row for a name in a session's calibration: a model's, or a target's if requests name no
    /// model.
    pub fn calibrated(&self, name: &str) -> Model {
        match (self.find(name), Target::parse(name)) {
            (Some(row), _) => row.clone(),
            (None, Some(target)) => Self::for_target(target),
            (None, None) => Self::unknown(name),
        }
    }

    /// The row for a model that is not in the catalogue.
    pub fn unknown(name: &str) -> Model {
        let row =
            Model::new(name, Family::Other, Self::DEFAULT_WINDOW_TOKENS, DEFAULT_ANSWER_TOKENS);
        if starts_with_claude(bare_name(name)) {
            return Model {
                family: Family::Anthropic,
                factor_milli: UNKNOWN_CLAUDE_FACTOR_MILLI,
                ..row
            };
        }
        row
    }

    /// The row for requests that name no model: the target's family decides the factor.
    pub fn for_target(target: Target) -> Model {
        let family = match target {
            Target::Openai | Target::OpenaiResponses | Target::Neutral => Family::Openai,
            Target::Anthropic => Family::Anthropic,
            Target::Gemini => Family::Gemini,
        };
        let row = Model::new("", family, Self::DEFAULT_WINDOW_TOKENS, DEFAULT_ANSWER_TOKENS);
        match family {
            Family::Anthropic => {
                Model { prefill: true, factor_milli: UNKNOWN_CLAUDE_FACTOR_MILLI, ..row }
            }
            Family::Gemini => Model { prefill: true, ..row },
            _ => row,
        }
    }
}

fn starts_with_claude(name: &str) -> bool {
    name.get(..6).is_some_and(|head| head.eq_ignore_ascii_case("claude"))
}

/// A model's name without the path that gateways put before it.
fn bare_name(name: &str) -> &str {
    let bare = name.rsplit('/').next().unwrap_or(name);
    // Bedrock names regions and vendors so.
    bare.split_once("anthropic.").map_or(bare, |(_, model)| model)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::domain::{Price, Prices};

    #[test]
    fn variants_find_their_row() {
        let models = Models::built_in();
        assert_eq!(&*models.find("gpt-4o-2024-11-20").unwrap().name, "gpt-4o");
        assert_eq!(&*models.find("openai/gpt-4o").unwrap().name, "gpt-4o");
        assert_eq!(&*models.find("gpt-4o-mini").unwrap().name, "gpt-4o-mini");
        assert_eq!(&*models.find("MiniMax-M2.5").unwrap().name, "minimax-m2.5");
        let bedrock = "us.anthropic.claude-opus-4-5-20251101-v1:0";
        assert_eq!(&*models.find(bedrock).unwrap().name, "claude-opus-4-5");
        assert!(models.find("gpt-4oX").is_none());
        assert!(models.find("gpt-4\u{f6}").is_none());
        assert!(models.find("llama-99").is_none());
    }

    #[test]
    fn scaling_back_never_passes_the_budget() {
        let model = Models::for_target(Target::Anthropic);
        for tokens in 0..5000 {
            let raw = model.unscale(tokens);
            assert!(model.scale(raw) <= tokens);
            assert!(model.scale(raw + 1) > tokens);
        }
    }

    #[test]
    fn the_catalogue_is_read_whole_and_in_range() {
        let rows: Vec<ModelRow> = serde_json::from_str(CATALOGUE).unwrap();
        let names: HashSet<_> = rows.iter().map(|row| row.name.clone()).collect();
        assert_eq!(names.len(), rows.len());
        assert!(rows.len() > 150, "{} rows", rows.len());
        for row in rows {
            let name = row.name.clone();
            let model = Model::try_from(row).unwrap_or_else(|fault| panic!("{name}: {fault}"));
            assert_eq!(name.to_lowercase(), name);
            assert!(model.max_output <= model.context_window, "{name}");
            assert!((8_192..=10_000_000).contains(&model.context_window), "{name}");
            assert!((1_000..=2_000).contains(&model.factor_milli), "{name}");
            assert!(model.min_cached_tokens.is_none_or(|least| (512..=8_192).contains(&least)));
            assert!(model.checked.is_some() && model.source.is_some(), "{name}");
            if let Some(prices) = &model.prices {
                check_prices(&name, prices);
            }
        }
    }

    fn check_prices(name: &str, prices: &Prices) {
        let dollars = prices.rates.input.dollars();
        assert!((0.01..=200.0).contains(&dollars), "{name}: {dollars}");
        for rates in [Some(prices.rates), prices.step.map(|step| step.rates)].into_iter().flatten()
        {
            assert!(rates.output >= rates.input, "{name}");
            assert!(rates.cache_read.is_none_or(|read| read <= rates.input), "{name}");
            let writes = [rates.cache_write, rates.cache_write_long].into_iter().flatten();
            let most = Price(rates.input.0 * 5 / 2);
            assert!(writes.clone().all(|write| write <= most), "{name}");
            assert!(writes.is_sorted(), "{name}");
        }
        if let Some(step) = &prices.step {
            assert!(step.rates.input >= prices.rates.input, "{name}");
        }
    }

    #[test]
    fn dated_names_find_the_row_that_knows_them_best() {
        let models = Models::built_in();
        let found = |name: &str| models.find(name).unwrap();
        assert!(found("claude-sonnet-4-5-20250929").prefill);
        assert!(!found("claude-opus-4-6").prefill);
        assert!(!found("claude-fable-5-2").prefill);
        assert_eq!(found("gpt-4-0613").tokenizer, TokenizerName::Cl100kBase);
        assert_eq!(found("gpt-4.1-mini-2025-04-14").tokenizer, TokenizerName::O200kBase);
        assert_eq!(&*found("gpt-6.2-astra-law").name, "gpt-6.2-astra");
        assert_eq!(&*found("google/gemini-3-flash-preview").name, "gemini-3-flash");
    }

    #[test]
    fn a_claude_that_is_unknown_is_counted_as_the_newest_are() {
        for name in ["claude-next-9", "Claude-Next", "eu.anthropic.claude-next-v1:0"] {
            let model = Models::unknown(name);
            assert_eq!((model.family, model.factor_milli), (Family::Anthropic, 1600), "{name}");
        }
        assert_eq!(Models::unknown("other").factor_milli, 1100);
        assert_eq!(Models::for_target(Target::Anthropic).factor_milli, 1600);
    }
}

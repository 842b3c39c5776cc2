//! The tables of `docs/cache.md` are made from the catalogue of models. `UPDATE_README=1 cargo test
//! cache_doc` rewrites them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use contexture::domain::{CacheMarks, CacheTtl, Family, Model, Models, Price};

use crate::readme::check_in;

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/cache.md");
const HEAD: &str = "| Models | Marks | Least prefix | Lookback | TTL | Write | Longer write | Read |\n\
                    |---|---|---|---|---|---|---|---|\n";

/// What a provider's cache does with some models: the cells of a row after the models.
fn cells(model: &Model) -> String {
    let rates = model.prices.as_ref().map(|prices| prices.rates);
    let share = |price: Option<Price>| match (price, rates) {
        (Some(price), Some(rates)) => {
            format!("×{}", (price.dollars() / rates.input.dollars() * 1000.0).round() / 1000.0)
        }
        _ => "–".to_owned(),
    };
    let number = |number: Option<u64>| number.map_or("–".to_owned(), |number| number.to_string());
    let (marks, ttl) = match model.cache_marks {
        Some(kind) => {
            let [short, long] =
                [CacheTtl::FiveMinutes, CacheTtl::OneHour].map(|ttl| kind.ttl_word(ttl));
            (format!("`{}`", kind.key()), format!("{short}, {long}"))
        }
        None => ("none".to_owned(), "the provider's".to_owned()),
    };
    let lookback = match (model.cache_marks, model.cache_lookback_blocks) {
        (Some(CacheMarks::Blocks), Some(blocks)) => format!("{blocks} blocks"),
        (Some(CacheMarks::Breakpoints), Some(marks)) => format!("{marks} marks"),
        _ => "–".to_owned(),
    };
    format!(
        "{marks} | {} | {lookback} | {ttl} | {} | {} | {}",
        number(model.min_cached_tokens),
        share(rates.and_then(|rates| rates.cache_write)),
        share(rates.and_then(|rates| rates.cache_write_long)),
        share(rates.and_then(|rates| rates.cache_read)),
    )
}

fn table(family: Family) -> String {
    let mut rows: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let models = Models::built_in();
    // The day on which the catalogue was made: a table of models that are gone helps nobody.
    let today = models.rows().iter().filter_map(|model| model.checked).max();
    let is_there = |model: &&Model| model.retired.is_none() || model.retired > today;
    for model in models.rows().iter().filter(|model| model.family == family).filter(is_there) {
        rows.entry(cells(model)).or_default().push(format!("`{}`", model.name));
    }
    let mut text = HEAD.to_owned();
    for (cells, names) in rows {
        let _ = writeln!(text, "| {} | {cells} |", names.join(", "));
    }
    text
}

#[test]
fn the_tables_are_those_of_the_catalogue() {
    for (family, name) in
        [(Family::Anthropic, "anthropic"), (Family::Openai, "openai"), (Family::Gemini, "gemini")]
    {
        let table = table(family);
        assert!(table.lines().count() > 3, "{table}");
        check_in(DOCUMENT, name, &table);
    }
}

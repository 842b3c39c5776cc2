//! `contexture models`: the catalogue of models as a table.

use std::io::{self, Write as _};
use std::path::PathBuf;

use super::compress::models;
use super::{CommandError, aligned};
use crate::domain::{Model, ModelRow, Price};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  contexture models
  contexture models claude
  contexture models gpt-5.6 --json

Prices are dollars for a million tokens. `step` is the input above which the whole request is dearer,
`cached from` the shortest prefix that the provider caches; an empty cell is not known.")]
pub(super) struct ModelsArgs {
    /// Only models whose name contains this text
    name: Option<String>,

    /// Print JSON, as `GET /models` returns it
    #[arg(long)]
    json: bool,

    /// JSON file with rows to add to the table of models
    #[arg(long, env = "CONTEXTURE_MODELS_FILE", value_name = "FILE")]
    models_file: Option<PathBuf>,
}

/// Prints the rows. A name that no row has is an error.
pub(super) fn run(args: &ModelsArgs) -> Result<(), CommandError> {
    let catalogue = models(args.models_file.as_deref())?;
    let name = args.name.as_deref().map(str::to_lowercase);
    let rows: Vec<&Model> = catalogue
        .rows()
        .iter()
        .filter(|row| name.as_deref().is_none_or(|name| row.name.to_lowercase().contains(name)))
        .collect();
    if let Some(name) = args.name.as_deref().filter(|_| rows.is_empty()) {
        return Err(format!(
            "no model has `{name}` in its name: `contexture models` has all of them, and --models-file adds \
             others"
        )
        .into());
    }
    let text = if args.json {
        let rows: Vec<ModelRow> = rows.into_iter().map(ModelRow::from).collect();
        format!("{}\n", serde_json::to_string_pretty(&rows)?)
    } else {
        table(&rows)
    };
    io::stdout().write_all(text.as_bytes())?;
    Ok(())
}

const HEADINGS: [&str; 11] = [
    "model",
    "window",
    "input",
    "answer",
    "factor",
    "$ input",
    "$ output",
    "$ read",
    "$ write",
    "step",
    "cached from",
];

fn table(rows: &[&Model]) -> String {
    let mut cells = vec![HEADINGS.map(str::to_owned)];
    cells.extend(rows.iter().map(|row| row_cells(row)));
    aligned::lines(&cells).join("\n") + "\n"
}

fn row_cells(model: &Model) -> [String; HEADINGS.len()] {
    let number = |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
    let dollars =
        |price: Option<Price>| price.map(|price| price.dollars().to_string()).unwrap_or_default();
    let rates = model.prices.map(|prices| prices.rates);
    [
        model.name.to_string(),
        model.context_window.to_string(),
        number(model.max_input),
        model.max_output.to_string(),
        model.factor().to_string(),
        dollars(rates.map(|rates| rates.input)),
        dollars(rates.map(|rates| rates.output)),
        dollars(rates.and_then(|rates| rates.cache_read)),
        dollars(rates.and_then(|rates| rates.cache_write)),
        number(model.prices.and_then(|prices| prices.step).map(|step| step.above_tokens)),
        number(model.min_cached_tokens),
    ]
}

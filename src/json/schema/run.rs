//! One check: a schema against a value, and what of the value it has looked at.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::choices::{Choices, hash};
use super::form::{anchors, resolve};
use super::value::{MAX_QUOTE_BYTES, is_equal, is_of, kind_of, quote};
use super::{Misfit, SchemaError, array, object};
use crate::json::{Path, cut};
use crate::limit::{Deadline, Pattern, PatternBudget, PatternError, SearchError};

/// Schemas that one check may visit.
const MAX_STEPS: usize = 50_000;
/// Names, values and bytes that one check may look at, besides schemas.
const MAX_COST: usize = 8_000_000;
/// Cost of a check before it asks the deadline.
const MAX_COST_UNASKED: usize = 1 << 14;
/// Cost of visiting a schema.
const STEP_COST: usize = 64;
/// Schemas that may be inside of each other, references followed.
const MAX_DEPTH: usize = 256;
/// Misfits that one check reports.
const MAX_MISFITS: usize = 32;
/// Bytes of the reason at one place.
const MAX_MISFIT_BYTES: usize = 4 << 10;
/// Patterns of one check, and the bytes that they take compiled.
const MAX_PATTERNS: usize = 64;
const MAX_PATTERNS_BYTES: usize = 1 << 20;

/// The result of checking one schema.
#[derive(Debug, Default)]
pub(super) struct SchemaOutcome {
    pub(super) fails: bool,
    /// Members that it has looked at.
    pub(super) names: BTreeSet<String>,
    /// Items that it has looked at.
    pub(super) items: BTreeSet<usize>,
}

impl SchemaOutcome {
    /// Takes what another schema, which fits, has looked at.
    pub(super) fn join(&mut self, other: Self) {
        if !other.fails {
            self.names.extend(other.names);
            self.items.extend(other.items);
        }
    }
}

/// A value, the schema that it is checked against, and its place in the document.
#[derive(Debug, Clone, Copy)]
pub(super) struct Instance<'s, 'v> {
    pub(super) schema: &'s Value,
    pub(super) value: &'v Value,
    pub(super) path: &'v Path<'v>,
}

/// The list to which misfits are added; none if only the outcome counts.
pub(super) type MisfitSink<'t> = Option<&'t mut Vec<Misfit>>;

/// Adds a misfit to the list, if there is one and it is not full.
pub(super) fn report_misfit(
    misfits: &mut MisfitSink<'_>,
    path: &Path<'_>,
    detail: impl Into<String>,
) {
    if let Some(misfits) = misfits
        && misfits.len() < MAX_MISFITS
    {
        let mut detail = detail.into();
        detail.truncate(cut(&detail, MAX_MISFIT_BYTES).len());
        misfits.push(Misfit { pointer: path.pointer(), detail });
    }
}

/// The state of one check: its counters against their limits, and the patterns it compiled.
pub(super) struct SchemaCheck<'s> {
    root: &'s Value,
    anchors: BTreeMap<&'s str, &'s Value>,
    patterns: BTreeMap<&'s str, Option<Pattern>>,
    choices: &'s Choices,
    deadline: &'s Deadline,
    budget: PatternBudget,
    steps: usize,
    cost: usize,
    /// Cost since the deadline was asked.
    unasked: usize,
    depth: usize,
}

impl<'s> SchemaCheck<'s> {
    pub(super) fn new(root: &'s Value, choices: &'s Choices, deadline: &'s Deadline) -> Self {
        Self {
            root,
            anchors: anchors(root),
            patterns: BTreeMap::new(),
            choices,
            deadline,
            budget: PatternBudget::new(MAX_PATTERNS, MAX_PATTERNS_BYTES),
            steps: 0,
            cost: 0,
            unasked: MAX_COST_UNASKED,
            depth: 0,
        }
    }

    /// Accounts for what is looked at besides schemas.
    pub(super) fn spend(&mut self, cost: usize) -> Result<(), SchemaError> {
        self.cost = self.cost.saturating_add(cost);
        if self.cost > MAX_COST {
            return Err(SchemaError::Unusable(
                "it asks for more than one check may look at".to_owned(),
            ));
        }
        self.ask(cost)
    }

    /// Asks the deadline, if enough was looked at.
    fn ask(&mut self, cost: usize) -> Result<(), SchemaError> {
        self.unasked = self.unasked.saturating_add(cost);
        if self.unasked > MAX_COST_UNASKED {
            self.unasked = 0;
            self.deadline.check()?;
        }
        Ok(())
    }

    pub(super) fn check(
        &mut self,
        schema: &'s Value,
        value: &Value,
        path: &Path<'_>,
        mut misfits: MisfitSink<'_>,
    ) -> Result<SchemaOutcome, SchemaError> {
        self.steps += 1;
        if self.steps > MAX_STEPS || self.depth > MAX_DEPTH {
            return Err("it refers to itself too often".to_owned().into());
        }
        self.ask(STEP_COST)?;
        let mut outcome = SchemaOutcome::default();
        let Some(members) = schema.as_object() else {
            if schema == &Value::Bool(false) {
                outcome.fails = true;
                report_misfit(&mut misfits, path, "may not be there");
            }
            return Ok(outcome);
        };
        self.depth += 1;
        for key in ["$ref", "$dynamicRef"] {
            let target = members.get(key).and_then(Value::as_str);
            self.spend(target.map_or(0, str::len))?;
            if let Some(target) = target.and_then(|to| resolve(self.root, &self.anchors, to)) {
                let other = self.check(target, value, path, misfits.as_deref_mut())?;
                outcome.fails |= other.fails;
                outcome.join(other);
            }
        }
        let is_reported = misfits.as_ref().is_some_and(|misfits| misfits.len() < MAX_MISFITS);
        if let Some(detail) = self.check_plain(schema, value, is_reported)? {
            outcome.fails = true;
            report_misfit(&mut misfits, path, detail);
        }
        if let (Some(pattern), Some(text)) = (members.get("pattern"), value.as_str())
            && let Some(pattern) = pattern.as_str()
            && !self.matches_pattern(pattern, text)?
        {
            outcome.fails = true;
            let shown = cut(pattern, MAX_QUOTE_BYTES);
            report_misfit(&mut misfits, path, format!("must match the pattern {shown}"));
        }
        let instance = Instance { schema, value, path };
        self.check_combined(instance, &mut outcome, misfits.as_deref_mut())?;
        match value {
            Value::Object(_) => object::check(self, instance, &mut outcome, misfits)?,
            Value::Array(_) => array::check(self, instance, &mut outcome, misfits)?,
            _ => {}
        }
        self.depth -= 1;
        Ok(outcome)
    }

    /// Checks the keywords that combine schemas: `allOf`, `anyOf`, `oneOf`, `not`, `if`.
    fn check_combined(
        &mut self,
        instance: Instance<'s, '_>,
        outcome: &mut SchemaOutcome,
        mut misfits: MisfitSink<'_>,
    ) -> Result<(), SchemaError> {
        let Instance { schema, value, path } = instance;
        let list = |key: &str| schema.get(key).and_then(Value::as_array);
        for one in list("allOf").into_iter().flatten() {
            let other = self.check(one, value, path, misfits.as_deref_mut())?;
            outcome.fails |= other.fails;
            outcome.join(other);
        }
        if let Some(forms) = list("anyOf") {
            let fit = self.count_fitting(forms, value, path, outcome)?;
            if fit == 0 {
                outcome.fails = true;
                report_misfit(
                    &mut misfits,
                    path,
                    "must be of one of the forms that the schema lists",
                );
            }
        }
        if let Some(forms) = list("oneOf") {
            let fit = self.count_fitting(forms, value, path, outcome)?;
            if fit != 1 {
                outcome.fails = true;
                let detail = format!("must be of exactly one of the listed forms, not of {fit}");
                report_misfit(&mut misfits, path, detail);
            }
        }
        if let Some(not) = schema.get("not")
            && !self.check(not, value, path, None)?.fails
        {
            outcome.fails = true;
            report_misfit(&mut misfits, path, "must not be of the form that the schema excludes");
        }
        if let Some(condition) = schema.get("if") {
            let met = self.check(condition, value, path, None)?;
            let next = if met.fails { "else" } else { "then" };
            outcome.join(met);
            if let Some(next) = schema.get(next) {
                let other = self.check(next, value, path, misfits)?;
                outcome.fails |= other.fails;
                outcome.join(other);
            }
        }
        Ok(())
    }

    /// Number of forms that fit.
    fn count_fitting(
        &mut self,
        forms: &'s [Value],
        value: &Value,
        path: &Path<'_>,
        outcome: &mut SchemaOutcome,
    ) -> Result<usize, SchemaError> {
        let mut fit = 0;
        for form in forms {
            let other = self.check(form, value, path, None)?;
            fit += usize::from(!other.fails);
            outcome.join(other);
        }
        Ok(fit)
    }

    fn is_equal(&mut self, known: &Value, value: &Value) -> Result<bool, SchemaError> {
        let mut cost = 0;
        let equal = is_equal(known, value, &mut cost);
        self.spend(cost)?;
        Ok(equal)
    }

    /// Whether a text matches; yes if the pattern needs what cannot be searched for in linear time.
    /// An error if it is too large, or if there are more patterns than one check may compile.
    pub(super) fn matches_pattern(
        &mut self,
        pattern: &'s str,
        text: &str,
    ) -> Result<bool, SchemaError> {
        self.spend(text.len())?;
        let compiled = match self.patterns.entry(pattern) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(match self.budget.compile(pattern) {
                Ok(compiled) => Some(compiled),
                Err(PatternError::Syntax(_)) => None,
                Err(error) => {
                    let shown = cut(pattern, MAX_QUOTE_BYTES);
                    return Err(format!("the pattern {shown} {error}").into());
                }
            }),
        };
        let Some(compiled) = compiled else { return Ok(true) };
        compiled.is_match(text, self.deadline).map_err(|error| match error {
            SearchError::Stopped(stop) => stop.into(),
            SearchError::Unusable(error) => error.to_string().into(),
        })
    }

    /// Whether a list has a value.
    fn is_one_of(&mut self, list: &[Value], value: &Value) -> Result<bool, SchemaError> {
        let (hashed, mut cost) = self.choices.hashed(list);
        let places = hashed.places(hash(value, &mut cost));
        self.spend(cost)?;
        for known in places.iter().filter_map(|at| list.get(*at)) {
            if self.is_equal(known, value)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Checks a value by itself: its type, its size, its being one of some. Without words if these
    /// are not reported: they may quote much of the schema.
    fn check_plain(
        &mut self,
        schema: &Value,
        value: &Value,
        is_reported: bool,
    ) -> Result<Option<String>, SchemaError> {
        let quoted =
            |quote: &dyn Fn() -> String| Some(if is_reported { quote() } else { String::new() });
        let kinds = match schema.get("type") {
            Some(Value::Array(kinds)) => kinds.as_slice(),
            Some(kind) => std::slice::from_ref(kind),
            None => &[],
        };
        let words: Vec<&str> = kinds.iter().filter_map(Value::as_str).collect();
        if !words.is_empty() && !words.iter().any(|kind| is_of(kind, value)) {
            return Ok(Some(format!("must be {}, not {}", words.join(" or "), kind_of(value))));
        }
        if let Some(known) = schema.get("const")
            && !self.is_equal(known, value)?
        {
            return Ok(quoted(&|| format!("must be {}", quote(known))));
        }
        if let Some(known) = schema.get("enum").and_then(Value::as_array)
            && !self.is_one_of(known, value)?
        {
            return Ok(quoted(&|| {
                let list: Vec<String> = known.iter().take(50).map(quote).collect();
                format!("must be one of {}", list.join(", "))
            }));
        }
        Ok(match value {
            Value::Number(_) => number(schema, value.as_f64().unwrap_or_default()),
            Value::String(text) => {
                let count = || text.chars().count();
                size_misfit(schema, "minLength", "maxLength", "characters", count)
            }
            _ => None,
        })
    }
}

fn number(schema: &Value, number: f64) -> Option<String> {
    let limit = |key: &str| schema.get(key).and_then(Value::as_f64);
    if let Some(least) = limit("minimum").filter(|least| number < *least) {
        return Some(format!("must be at least {least}"));
    }
    if let Some(most) = limit("maximum").filter(|most| number > *most) {
        return Some(format!("must be at most {most}"));
    }
    if let Some(least) = limit("exclusiveMinimum").filter(|least| number <= *least) {
        return Some(format!("must be more than {least}"));
    }
    if let Some(most) = limit("exclusiveMaximum").filter(|most| number >= *most) {
        return Some(format!("must be less than {most}"));
    }
    let step = limit("multipleOf").filter(|step| *step > 0.0)?;
    let times = number / step;
    let is_whole = (times - times.round()).abs() <= 1e-9 * times.abs().max(1.0);
    (!is_whole).then(|| format!("must be a multiple of {step}"))
}

/// Misfit of a count, by the two keywords that limit it; `noun` is what is counted.
pub(super) fn size_misfit(
    schema: &Value,
    min_key: &str,
    max_key: &str,
    noun: &str,
    count: impl FnOnce() -> usize,
) -> Option<String> {
    let limit = |key: &str| schema.get(key).and_then(Value::as_f64);
    let (min, max) = (limit(min_key), limit(max_key));
    if min.is_none() && max.is_none() {
        return None;
    }
    let count = u32::try_from(count()).map_or(f64::MAX, f64::from);
    if let Some(min) = min.filter(|min| count < *min) {
        return Some(format!("must have at least {min} {noun}"));
    }
    max.filter(|max| count > *max).map(|max| format!("must have at most {max} {noun}"))
}

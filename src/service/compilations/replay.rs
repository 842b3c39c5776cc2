//! A compile once more, from its record or from its request sent again.
//!
//! What reached the first one from outside comes from the record, so nothing is called and nothing
//! is stored. Where the record has hashes alone, the request is sent again, and what it says by name
//! (memory, adapters, a model) is taken from the store of today; a part that has changed is told by
//! its name.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::compare::payload_diff;
use super::{Record, find};
use crate::domain::{AdapterDefinition, Drift, Models, RecordLevel};
use crate::hook::{HookSet, Recorded, Run, Stop};
use crate::json::{self, Difference, Faults, Fields, Limits, Node, Path};
use crate::pipeline::{self, Asks, Compiled, Deadline, Report, Timings};
use crate::request::{self, CompileRequest, Explain, KnownAdapters};
use crate::service::asking::Asking;
use crate::service::record::{self, ENGINE, Inputs};
use crate::service::{Error, Services, adapters, compile};

/// What a replay came to.
#[derive(Debug)]
pub struct Replayed {
    pub id: Arc<str>,
    pub drift: Drift,
    /// Whether the payload has the bytes that it had.
    pub same_payload: bool,
    /// Between the payload of the record in full and this one.
    pub diff: Vec<Difference>,
    /// JSON text of the payload.
    pub payload: String,
}

impl Replayed {
    /// Whether every stage came to the same.
    pub fn is_equal(&self) -> bool {
        self.same_payload && self.drift.is_none()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// All from the record.
    Strict,
    /// The recorded request, and what stands in the store today.
    Verify,
}

/// Runs a recorded compile again. `body` may be empty.
pub fn replay(
    services: &Services,
    id: &str,
    body: &str,
    deadline: &Deadline,
) -> Result<Replayed, Error> {
    let text = if body.trim().is_empty() { "{}" } else { body };
    let node = json::parse(text, Limits::default())?;
    let mut faults = Faults::default();
    let mut mode = None;
    let mut given = None;
    if let Some(fields) = Fields::of(&node, Path::Root, &["mode", "request"], &mut faults) {
        let words = [("strict", Mode::Strict), ("verify", Mode::Verify)];
        mode = fields.choice("mode", &words, &mut faults);
        given = fields.get("request");
        if let Some(given) = given.filter(|given| given.as_object().is_none()) {
            fields.fault(
                "request",
                format!("must be an object, not {}", given.kind()),
                &mut faults,
            );
        }
    }
    if !faults.is_empty() {
        return Err(Error::Invalid(faults.into_vec()));
    }
    let record = find(services, id)?;
    if !record.is_current {
        let recorded = record.compilation.engine.to_string();
        return Err(Error::EngineChanged { recorded, current: ENGINE });
    }
    match (given, record.request.as_deref()) {
        (Some(given), _) => {
            let mut given = given.clone();
            let defaults = services.caller().defaults.clone();
            if let Some(defaults) = &defaults {
                compile::add_absent(&mut given, defaults)?;
            }
            run(services, &record, &given, Mode::Verify, deadline)
        }
        (None, Some(request)) => {
            let request = json::parse(request, Limits::default())?;
            run(services, &record, &request, mode.unwrap_or(Mode::Strict), deadline)
        }
        (None, None) if record.body.full.is_some() => {
            Err(Error::RecordIncomplete("texts of the record are no longer there"))
        }
        (None, None) => Err(Error::RecordIncomplete(
            "the record holds hashes alone: send the request again as {\"request\": …}",
        )),
    }
}

/// The report of a record in full with every decision in it, by compiling it again.
pub(super) fn again(
    services: &Services,
    record: &Record,
    deadline: &Deadline,
) -> Result<Report, Error> {
    const GONE: Error = Error::RecordIncomplete("texts of the record are no longer there");
    let text = record.request.as_deref().filter(|_| record.is_current).ok_or(GONE)?;
    let node = json::parse(text, Limits::default())?;
    let (mut request, _) = recorded(services, record, &node)?;
    govern(services, record, &node, &mut request)?;
    request.explain = Explain::Full;
    request.record = RecordLevel::None;
    Ok(compiled(services, record, request, deadline)?.0.report)
}

fn run(
    services: &Services,
    record: &Record,
    node: &Node<'_>,
    mode: Mode,
    deadline: &Deadline,
) -> Result<Replayed, Error> {
    let (mut request, adapters) = match mode {
        Mode::Strict => recorded(services, record, node)?,
        Mode::Verify => today(services, node)?,
    };
    request.record = record.compilation.level;
    govern(services, record, node, &mut request)?;
    let inputs = Inputs::of(&request, adapters);
    let (compiled, runs) = compiled(services, record, request, deadline)?;
    Ok(told(record, (node, &inputs, &runs), &compiled))
}

/// Compiles the request's conversation under its pack, where it has one. A published pack is what it
/// was, and so is one in the request; the time is that of the record.
fn govern(
    services: &Services,
    record: &Record,
    node: &Node<'_>,
    request: &mut CompileRequest,
) -> Result<(), Error> {
    let (set, _) = asked(record)?;
    let at = record.compilation.created_at;
    let governed = compile::govern(services, node, request, &set, at);
    governed.map(drop).map_err(|error| Error::Compile(Box::new(error)))
}

/// Compiles with what hooks have said.
fn compiled(
    services: &Services,
    record: &Record,
    request: CompileRequest,
    deadline: &Deadline,
) -> Result<(Compiled, Vec<Run>), Error> {
    let mut timings = Timings::default();
    let (set, runs) = asked(record)?;
    let answers = Arc::new(Recorded::new(&runs));
    let scope = compile::scope(services, &record.compilation.id, request.session_id.as_ref());
    let mut asking = Asking::recorded(set, &answers, scope, deadline);
    let around = (deadline, &mut asking as &mut dyn Asks);
    let compiled =
        pipeline::compile(services.pipeline(), request, String::new(), around, &mut timings);
    let (runs, _) = asking.into_parts();
    let compiled = compiled.map_err(|error| match error {
        pipeline::Error::Hook(Stop::Diverged { .. }) => {
            Error::RecordIncomplete("a hook would be asked something else than was recorded")
        }
        error => Error::Compile(Box::new(error.into())),
    })?;
    Ok((compiled, runs))
}

/// The hooks of a record, and what they said. One of hashes has no answers.
fn asked(record: &Record) -> Result<(Arc<HookSet>, Vec<Run>), Error> {
    let raw = &record.compilation.body;
    if record.body.full.is_none() {
        return match record.body.hooks.as_str() {
            "[]" => Ok((Arc::default(), Vec::new())),
            _ => Err(Error::RecordIncomplete(
                "hooks were asked, and a record of hashes has no answers",
            )),
        };
    }
    let set = record::set_of(raw, record.compilation.session_id.as_deref());
    match (set, record::runs_of(raw)) {
        (Some(set), Some(runs)) => Ok((Arc::new(set), runs)),
        _ => Err(Error::RecordIncomplete("the record was written by another release")),
    }
}

fn told(
    record: &Record,
    (node, inputs, runs): (&Node<'_>, &Inputs, &[Run]),
    compiled: &Compiled,
) -> Replayed {
    let ledger = record::ledger(node, &compiled.hashes, inputs, runs);
    let is_equal = compiled.payload_hash == record.compilation.payload_hash;
    let diff = match &record.payload {
        Some(before) if !is_equal => payload_diff(before, compiled.payload()),
        _ => Vec::new(),
    };
    Replayed {
        id: Arc::clone(&record.compilation.id),
        drift: Drift::between(&record.body.ledger, &ledger),
        same_payload: is_equal,
        diff,
        payload: compiled.payload().to_owned(),
    }
}

type Read = (CompileRequest, BTreeMap<Arc<str>, Arc<AdapterDefinition>>);

/// The request with everything else from the record.
fn recorded(services: &Services, record: &Record, node: &Node<'_>) -> Result<Read, Error> {
    let gone = Error::RecordIncomplete("the record was written by another release");
    let raw = &record.compilation.body;
    let (Some(model), Some(full)) = (record::model_of(raw), &record.body.full) else {
        return Err(gone);
    };
    // As the table was then, for this one model; one that is not in it stays so.
    let mut models = Models::empty();
    let is_known = Models::unknown(&model.name) != model && !model.name.is_empty();
    models.extend(is_known.then_some(model));
    let known = adapters::recorded(&full.adapters)?;
    let mut request = read(services, node, &models, &known)?;
    if let (Some(memory), Some(entries)) = (&mut request.memory, record::memory_of(raw)) {
        memory.entries = entries;
    }
    let (factor, points) = record::session_of(raw).ok_or(gone)?;
    (request.measured_milli, request.points) = (factor, points);
    Ok((request, known.stored))
}

/// The request with everything else as it is now.
fn today(services: &Services, node: &Node<'_>) -> Result<Read, Error> {
    let known = adapters::known(services, node.get("compression"))?;
    let mut request = read(services, node, services.models(), &known)?;
    compile::remember(services, None, &mut request)?;
    Ok((request, known.stored))
}

fn read(
    services: &Services,
    node: &Node<'_>,
    models: &Models,
    known: &KnownAdapters,
) -> Result<CompileRequest, Error> {
    let check_url = |url: &str| services.check_hook_url(url);
    request::read_compile(node, models, known, &check_url).map_err(|faults| {
        let within = faults.into_iter().map(|fault| crate::json::Fault {
            pointer: format!("/request{}", fault.pointer),
            ..fault
        });
        Error::Invalid(within.collect())
    })
}

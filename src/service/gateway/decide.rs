//! Decides about the texts of one request: the newest ones, and at a compaction point all others too.

use std::sync::Arc;

use super::calibration::CalibrationKey;
use super::fit::{FitOutcome, Fitter};
use super::forms::{FormMaker, MadeForms};
use super::known_blocks::PutBlocks;
use super::lineage::KnownLineage;
use super::sent_forms::SentForms;
use super::{EditSkip, GatewayRequest, NewestTexts};
use crate::domain::{GatewayMode, Model, Notes, Target};
use crate::gateway::{RequestOutline, SessionBlocks};
use crate::json::Node;
use crate::pipeline::Deadline;
use crate::request::resolve_model;
use crate::service::Services;

/// Decides about one request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Decider<'d> {
    pub(super) services: &'d Services,
    pub(super) request: &'d GatewayRequest,
    pub(super) node: &'d Node<'d>,
    pub(super) outline: &'d RequestOutline,
    /// The name of the model, if the request has one.
    pub(super) model: Option<&'d str>,
    pub(super) deadline: &'d Deadline,
}

/// What was decided.
#[derive(Debug, Default)]
pub(super) struct EditOutcome {
    pub(super) skipped: Option<EditSkip>,
    /// What the newest texts would have saved: mode `observe`.
    pub(super) observed_tokens: u64,
    /// What the request would have saved without the compaction point that it passed, if it did.
    pub(super) saved_before: Option<u64>,
    /// Tokens of the request as it is sent, before any factor, if it was counted.
    pub(super) counted_tokens: Option<u64>,
}

impl Decider<'_> {
    /// Decides about what is undecided, as the mode of the request says.
    pub(super) fn decide(
        &self,
        lineage: &mut KnownLineage<'_>,
        newest: NewestTexts,
    ) -> EditOutcome {
        let mut outcome = EditOutcome { skipped: lineage.skipped(), ..EditOutcome::default() };
        let asked = self.request.mode;
        if !self.outline.is_summary_request {
            self.close(lineage, newest);
        }
        let is_open = !self.outline.is_summary_request && lineage.has_undecided();
        match newest {
            NewestTexts::Raw(reason) if is_open && asked.edits() => {
                outcome.skip(reason);
                outcome.note(lineage.commit(self.services, Vec::new()));
            }
            // It could not be counted either.
            NewestTexts::Raw(reason) if asked.fits() && !self.outline.is_summary_request => {
                outcome.skip(reason);
            }
            NewestTexts::Unstored if asked.fits() && !self.outline.is_summary_request => {
                outcome.skip(EditSkip::Store);
            }
            NewestTexts::Decided if asked.fits() => self.fit(lineage, &mut outcome),
            NewestTexts::Decided if is_open && asked != GatewayMode::Off => {
                let made = self.make(lineage, &self.model());
                if made.is_cut {
                    outcome.skip(EditSkip::Deadline);
                }
                if asked == GatewayMode::Observe {
                    outcome.observed_tokens = made.saved_tokens();
                } else {
                    outcome.note(lineage.commit(self.services, made.decisions));
                }
            }
            _ => {}
        }
        outcome
    }

    /// Decides what a job that ran out of time may still be about to: that no blocks are put after the newest
    /// message, and that no compaction point is passed.
    fn close(&self, lineage: &mut KnownLineage<'_>, newest: NewestTexts) {
        if self.request.mode == GatewayMode::Session {
            // Those that could be made are put already.
            let closed = lineage.put_blocks(self.services, SessionBlocks::default());
            if let Err(reason) = closed {
                tracing::debug!(reason = reason.as_str(), "no blocks are put");
            }
        }
        if matches!(newest, NewestTexts::Raw(_)) && self.request.mode.fits() {
            lineage.close_point(self.services);
        }
    }

    /// Passes a compaction point if the request is above its budget, then decides about the newest texts.
    fn fit(&self, lineage: &mut KnownLineage<'_>, outcome: &mut EditOutcome) {
        if self.outline.is_summary_request || lineage.skipped().is_some() {
            return;
        }
        let model = self.model();
        let mut made = self.make(lineage, &model);
        if !made.is_cut && !lineage.is_at_point() {
            let fitter = Fitter {
                services: self.services,
                request: self.request,
                node: self.node,
                outline: self.outline,
                model: &model,
                deadline: self.deadline,
            };
            let found = fitter.find(lineage, &made.decisions);
            let point = match found.map(|found| (found.raw_tokens, found.outcome)) {
                Some((counted, FitOutcome::Fits)) => {
                    outcome.counted_tokens = counted;
                    None
                }
                Some((_, FitOutcome::Compacts(point))) => Some(point),
                Some((counted, FitOutcome::OverBudget(point))) => {
                    outcome.counted_tokens = counted.filter(|_| point.is_none());
                    outcome.skip(EditSkip::OverBudget);
                    point
                }
                None => {
                    let is_late = self.deadline.check().is_err();
                    outcome.skip(if is_late { EditSkip::Deadline } else { EditSkip::Unreadable });
                    None
                }
            };
            // Once the time is up, the request is sent by another job, which knows of no point here.
            let is_late = point.is_some() && self.deadline.check().is_err();
            if is_late {
                outcome.skip(EditSkip::Deadline);
            }
            if let Some(point) = point.filter(|_| !is_late) {
                let forms = SentForms { outline: self.outline, lineage, made: &[] };
                let saved_before = forms.splice(&self.request.body).savings.tokens;
                match lineage.pass_point(self.services, point.compaction, point.originals) {
                    Ok(()) => {
                        outcome.saved_before = Some(saved_before);
                        // The newest texts may have referred to what is not in sight any more.
                        made = self.make(lineage, &model);
                    }
                    Err(skip) => outcome.skip(skip),
                }
            }
        }
        if made.is_cut {
            outcome.skip(EditSkip::Deadline);
        }
        if lineage.has_undecided() {
            outcome.note(lineage.commit(self.services, made.decisions));
        }
    }

    pub(super) fn model(&self) -> Model {
        let models = self.services.models();
        let mut model = resolve_model(self.model, Target::Openai, models, &mut Notes::default());
        let key = CalibrationKey {
            tenant: Arc::clone(&self.services.caller().tenant),
            upstream: Arc::clone(&self.request.upstream),
            model: self.model.unwrap_or_default().into(),
        };
        let calibrations = &self.services.decisions().calibrations;
        if let Some(factor_milli) = calibrations.factor(&key, model.factor_milli) {
            model.factor_milli = factor_milli;
        }
        model
    }

    /// Tokens of blocks, as the model counts them.
    pub(super) fn count_blocks(&self, blocks: &[PutBlocks]) -> u64 {
        let model = self.model();
        let counter = &self.services.pipeline().counter;
        let texts = blocks.iter().flat_map(|own| &own.texts);
        model.scale(texts.map(|text| counter.count(model.tokenizer, text)).sum())
    }

    fn make(&self, lineage: &KnownLineage<'_>, model: &Model) -> MadeForms {
        let maker = FormMaker {
            pipeline: self.services.pipeline(),
            tokenizer: model.tokenizer,
            outline: self.outline,
            protected: &self.request.protected,
            deadline: self.deadline,
        };
        maker.make(lineage)
    }
}

impl EditOutcome {
    /// Notes why something stays as it came; the first reason stands.
    fn skip(&mut self, reason: EditSkip) {
        self.skipped = self.skipped.or(Some(reason));
    }

    fn note(&mut self, stored: Result<(), EditSkip>) {
        if let Err(reason) = stored {
            self.skip(reason);
        }
    }
}

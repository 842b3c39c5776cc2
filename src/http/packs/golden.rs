//! Golden sets of packs: recorded compiles that a new version must reproduce.

use axum::extract::{Request, State};
use axum::response::Response;

use super::list::path_segment;
use crate::http::body::{self, RequestInput};
use crate::http::job::{visit, work};
use crate::http::problem::Problem;
use crate::http::response::respond_with;
use crate::http::schema::{
    GoldenCase, GoldenList, GoldenRequest, GoldenRow, GoldenRun, GoldenRunRequest, OutcomeChange,
    RefusalTold, StageRow,
};
use crate::http::state::AppState;
use crate::service::golden::{self, Case, CaseOutcome, GoldenOutcome};

/// Put a golden set
///
/// The compiles whose result a version of the pack has to reach again: records in full of compiles under
/// it, at most 100. They are kept with the set, longer than the records. The list takes the place
/// of the one before; what was in it needs no record any more.
#[utoipa::path(
    put,
    path = "/packs/{id}/{version}/golden",
    tag = "packs",
    operation_id = "put_golden_set",
    params(
        ("id" = String, Path, description = "The pack's id", example = "pack.dbops"),
        ("version" = String, Path, description = "Three numbers", example = "1.4.0"),
    ),
    request_body = GoldenRequest,
    responses(
        (status = OK, description = "The set", body = GoldenList),
        (status = "4XX", description = "A compile cannot be in the set"),
    ),
)]
pub(crate) async fn put_golden_set(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let (id, version) = (path_segment(&request, 2)?, path_segment(&request, 3)?);
    let input = body::read(&state, request).await?;
    let put = visit(&state, input, move |services, text| {
        golden::put_golden(services, &id, &version, text)
    });
    Ok(respond_with(&GoldenList::from(&put.await?)))
}

/// Read a golden set
#[utoipa::path(
    get,
    path = "/packs/{id}/{version}/golden",
    tag = "packs",
    operation_id = "get_golden_set",
    params(
        ("id" = String, Path, description = "The pack's id", example = "pack.dbops"),
        ("version" = String, Path, description = "Three numbers", example = "1.4.0"),
    ),
    responses(
        (status = OK, description = "The set; empty where there is none", body = GoldenList),
        (status = "4XX", description = "No such version is published"),
    ),
)]
pub(crate) async fn get_golden_set(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let (id, version) = (path_segment(&request, 2)?, path_segment(&request, 3)?);
    let input = RequestInput::without_body(&state, &request)?;
    let get = visit(&state, input, move |services, _| golden::golden(services, &id, &version));
    Ok(respond_with(&GoldenList::from(&get.await?)))
}

/// Run a golden set
///
/// Compiles each of the set once more under a version of the pack, with everything else from its
/// record, and tells for each whether the result is the same, and where not. Nothing is called and
/// nothing is stored.
#[utoipa::path(
    post,
    path = "/packs/{id}/{version}/golden/run",
    tag = "packs",
    operation_id = "run_golden_set",
    params(
        ("id" = String, Path, description = "The pack's id", example = "pack.dbops"),
        ("version" = String, Path, description = "Three numbers", example = "1.4.0"),
    ),
    request_body = GoldenRunRequest,
    responses(
        (status = OK, description = "The result of each compile", body = GoldenRun),
        (status = "4XX", description = "One of the versions is not published"),
    ),
)]
pub(crate) async fn run_golden_set(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let (id, version) = (path_segment(&request, 2)?, path_segment(&request, 3)?);
    let input = body::read(&state, request).await?;
    let outcome = work(&state, input, move |services, text| {
        golden::run(services, &id, &version, text, services.deadline())
    });
    Ok(respond_with(&GoldenRun::from(outcome.await?)))
}

impl From<GoldenOutcome> for GoldenRun {
    fn from(run: GoldenOutcome) -> Self {
        let cases: Vec<GoldenCase> = run.cases.into_iter().map(GoldenCase::from).collect();
        let count = |word: &str| cases.iter().filter(|case| case.outcome == word).count();
        let (equal, diverged, failed) = (count("equal"), count("diverged"), count("failed"));
        let engine_changed = count("engine_changed");
        Self {
            pack_ref: run.reference.to_string(),
            against: run.against.to_string(),
            status: match (diverged + failed, engine_changed) {
                (0, 0) => "equal",
                (0, _) => "engine_changed",
                _ => "diverged",
            },
            equal,
            diverged,
            failed,
            engine_changed,
            cases,
        }
    }
}

impl From<Case> for GoldenCase {
    fn from(case: Case) -> Self {
        let mut row = Self {
            golden: GoldenRow::from(&case.golden),
            outcome: "failed",
            first_divergent_stage: None,
            root_stages: Vec::new(),
            stages: Vec::new(),
            outcome_change: None,
            refusal: None,
            code: None,
            detail: None,
        };
        let replayed = match case.outcome {
            CaseOutcome::Replayed(replayed) => *replayed,
            CaseOutcome::EngineChanged => {
                row.outcome = "engine_changed";
                return row;
            }
            CaseOutcome::Failed(error) => {
                let problem = Problem::from(*error);
                row.code = Some(problem.kind.code());
                row.detail = Some(problem.detail).filter(|detail| !detail.is_empty());
                return row;
            }
        };
        let is_same = |line: &StageRow| line.input_equal && line.output_equal;
        let drift = &replayed.drift;
        row.outcome = if replayed.is_equal() { "equal" } else { "diverged" };
        row.first_divergent_stage = drift.first_divergent_stage.map(|stage| stage.as_str());
        row.root_stages = drift.root_stages.iter().map(|stage| stage.as_str()).collect();
        row.stages = drift.stages.iter().map(StageRow::from).collect();
        row.stages.retain(|line| !is_same(line));
        row.outcome_change = OutcomeChange::from_replay(&replayed);
        row.refusal = replayed.refusal.map(RefusalTold::from);
        row
    }
}

//! Has a request for a model edited before it is sent.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, header};

use super::GatewayState;
use super::edit_options::EditOptions;
use super::failure::RelayFailure;
use super::upload::{Upload, WholeUpload};
use crate::domain::GatewayMode;
use crate::gateway::{ProviderEndpoint, SessionName, Wire};
use crate::http::body::{CancelOnDrop, DEADLINE_HEADER};
use crate::http::problem::Problem;
use crate::pipeline::Deadline;
use crate::service::compile::MAX_DEADLINE_MS;
use crate::service::gateway::{
    self as service, BlockRound, EditSkip, EditedRequest, GatewayRequest, GuardRound,
    GuardedRequest, NewestTexts,
};
use crate::service::{Services, pool};

/// Time in which what is decided must be put into a request for whose newest texts there is no time.
const MAX_RAW_TIME: Duration = Duration::from_secs(5);

/// What is sent to an upstream.
#[derive(Debug)]
pub(super) struct OutgoingRequest {
    pub(super) request: Request,
    pub(super) edited: EditedRequest,
    pub(super) mode: GatewayMode,
    /// What the hooks said that see it.
    pub(super) guards: GuardRound,
}

/// Edits requests for one caller and one upstream.
pub(super) struct Editor<'e> {
    pub(super) state: &'e GatewayState,
    /// The id of the request.
    pub(super) id: Arc<str>,
    pub(super) services: Services,
    pub(super) upstream: &'e str,
    /// What the request asks of its provider.
    pub(super) endpoint: ProviderEndpoint,
    pub(super) wire: Wire,
    /// The session that the headers name.
    pub(super) session: Option<SessionName>,
}

impl Editor<'_> {
    /// Whether a request asks a model for a response.
    pub(super) fn is_for_model(&self, request: &Request) -> bool {
        self.endpoint != ProviderEndpoint::Other && *request.method() == Method::POST
    }

    /// Edits a request, if it is one for a model and its mode asks for that.
    pub(super) async fn edit(&self, request: Request) -> Result<OutgoingRequest, RelayFailure> {
        let settings = &self.state.gateway.edits;
        let options = EditOptions::read(&self.services, settings, request.headers())?;
        let mode = options.mode;
        if !self.is_for_model(&request)
            || (mode == GatewayMode::Off && !self.must_read_relayed().await)
        {
            return Ok(relayed(request, mode));
        }
        if is_signed(request.headers()) {
            return Ok(skip(request, mode, EditSkip::Signed));
        }
        let limit = limit(request.headers(), settings.limit);
        let path_model = path_model(request.uri().path());
        let (mut parts, body) = request.into_parts();
        let upload = Upload::read(&self.state.app, &self.services, &parts.headers, body).await?;
        let WholeUpload { bytes, text } = match upload {
            Upload::Whole(whole) => whole,
            Upload::Passed(body, reason) => {
                return Ok(skip(Request::from_parts(parts, body), mode, reason));
            }
        };
        self.state.app.metrics.record_body(bytes.len());
        let Some(body) = text else {
            let request = Request::from_parts(parts, Body::from(bytes));
            return Ok(skip(request, mode, EditSkip::Unreadable));
        };
        let job = Arc::new(self.job(body, path_model, options));
        let mut blocks = BlockRound::default();
        if job.takes_blocks() {
            blocks = self.put_blocks(&job, limit).await;
        }
        let mut edited = self.run(Arc::clone(&job), limit).await;
        edited.skipped = edited.skipped.or(blocks.skipped);
        let mut guards = GuardRound::default();
        if !edited.hooks.is_empty() {
            guards = self.ask_guards(job, &mut edited).await?;
        }
        let guards = blocks.before(guards);
        let body = match edited.body.take() {
            Some(body) => {
                parts.headers.remove(header::CONTENT_ENCODING);
                parts.headers.insert(header::CONTENT_LENGTH, HeaderValue::from(body.len()));
                Body::from(body)
            }
            None => Body::from(bytes),
        };
        Ok(OutgoingRequest { request: Request::from_parts(parts, body), edited, mode, guards })
    }

    /// Whether a request has to be read although it is only relayed: for what was decided before, or
    /// for mandatory hooks.
    async fn must_read_relayed(&self) -> bool {
        let session = service::session_id(&self.services, self.upstream, self.session.as_ref());
        // Memory mostly knows, and another thread would cost more than all else here.
        let known = service::knows_of_decisions(&self.services);
        let guards = service::recalls_guards(&self.services, session.as_deref());
        if let (Some(has_decisions), Some(has_guards)) = (known, guards) {
            return has_decisions || has_guards;
        }
        let services = self.services.clone();
        let look = move || {
            known.unwrap_or_else(|| service::has_decisions(&services))
                || service::has_guards(&services, GatewayMode::Off, session.as_deref())
        };
        // What cannot be asked for may be there.
        self.state.app.pool.look(look).await.unwrap_or(true)
    }

    fn job(
        &self,
        body: Arc<str>,
        path_model: Option<Arc<str>>,
        options: EditOptions,
    ) -> GatewayRequest {
        GatewayRequest {
            id: Arc::clone(&self.id),
            record: options.record,
            body,
            endpoint: self.endpoint,
            wire: self.wire,
            upstream: self.upstream.into(),
            session: self.session.clone(),
            path_model,
            mode: options.mode,
            budget: options.budget,
            protected: Arc::clone(&self.state.gateway.edits.protected),
        }
    }

    /// Edits a request in the pool. If there is no time for its newest texts, what was decided about
    /// the others is sent all the same.
    async fn run(&self, job: Arc<GatewayRequest>, limit: Duration) -> EditedRequest {
        let (pool, services) = (&self.state.app.pool, &self.services);
        if services.reserve_work(job.body.len()).is_err() {
            return self.run_raw(job, EditSkip::Overloaded).await;
        }
        let deadline = Deadline::at(Instant::now() + limit).allowing(services.allowance());
        let _guard = CancelOnDrop(deadline.clone());
        let outcome = match pool.admit(&services.caller().tenant) {
            Ok(place) => {
                let (services, job, until) = (services.clone(), Arc::clone(&job), deadline.clone());
                let edit = move |seat| {
                    let services = services.seated(seat).until(&until);
                    service::edit(&services, &job, NewestTexts::Decided, &until)
                };
                place.run(&deadline, edit).await
            }
            Err(error) => Err(error),
        };
        match outcome {
            Ok(edited) => edited,
            Err(pool::Error::Full) => self.run_raw(job, EditSkip::Overloaded).await,
            Err(pool::Error::TimeUp | pool::Error::Overrun) => {
                self.run_raw(job, EditSkip::Deadline).await
            }
            Err(pool::Error::Panicked) => self.run_raw(job, EditSkip::Unreadable).await,
        }
    }

    /// Decides which blocks follow the newest message. Hooks that have a part in it have their own time
    /// limits. If it takes too long, the request is sent without.
    async fn put_blocks(&self, job: &Arc<GatewayRequest>, limit: Duration) -> BlockRound {
        let waits = service::waits_for_hooks(&self.services);
        let limit = if waits { Duration::from_millis(MAX_DEADLINE_MS) } else { limit };
        let deadline = Deadline::at(Instant::now() + limit).allowing(self.services.allowance());
        let _guard = CancelOnDrop(deadline.clone());
        let Ok(place) = self.state.app.pool.admit(&self.services.caller().tenant) else {
            return BlockRound::without(EditSkip::Overloaded);
        };
        let (services, job, until) = (self.services.clone(), Arc::clone(job), deadline.clone());
        let put = move |seat| {
            let services = services.seated(seat).until(&until);
            service::put_blocks(&services, &job, &until)
        };
        let put = place.run(&deadline, put).await;
        put.unwrap_or_else(|_| BlockRound::without(EditSkip::Deadline))
    }

    /// Asks hooks about a request.
    async fn ask_guards(
        &self,
        job: Arc<GatewayRequest>,
        edited: &mut EditedRequest,
    ) -> Result<GuardRound, RelayFailure> {
        let limit = Duration::from_millis(MAX_DEADLINE_MS);
        let deadline = Deadline::at(Instant::now() + limit).allowing(self.services.allowance());
        let _guard = CancelOnDrop(deadline.clone());
        let (services, until) = (self.services.clone(), deadline.clone());
        let (set, session) = (Arc::clone(&edited.hooks), edited.session.clone());
        let body = edited.body.take();
        let ask = move |seat| {
            let services = services.seated(seat).until(&until);
            let text = body.as_deref().unwrap_or(&job.body);
            let guarded = GuardedRequest { request: &job, session: session.as_ref(), body: text };
            let guards = service::ask_guards(&services, guarded, &set, &until);
            (guards, body)
        };
        let place = self.state.app.pool.admit(&self.services.caller().tenant);
        let place = place.map_err(|error| RelayFailure::from(Problem::from(error)))?;
        // A guard that was not asked has not allowed anything.
        let asked = place.run(&deadline, ask).await;
        let (guards, body) = asked.map_err(|error| RelayFailure::from(Problem::from(error)))?;
        edited.body = body;
        Ok(guards)
    }

    /// Puts in what is decided, and decides that the newest texts stay as they came. If the job that
    /// ran out of time stores its decisions first, these stand.
    async fn run_raw(&self, job: Arc<GatewayRequest>, reason: EditSkip) -> EditedRequest {
        let pool = &self.state.app.pool;
        let edit = |newest| {
            let (services, job) = (self.services.clone(), Arc::clone(&job));
            move || service::edit(&services, &job, newest, &Deadline::default())
        };
        let edited = pool.look(edit(NewestTexts::Raw(reason)));
        let edited = match tokio::time::timeout(MAX_RAW_TIME, edited).await {
            Ok(edited) => edited,
            // A store that does not answer holds no request up, and changes nothing that was sent.
            Err(_) => pool.recall(edit(NewestTexts::Unstored)).await,
        };
        let failed = |_| EditedRequest { skipped: Some(reason), ..EditedRequest::default() };
        edited.unwrap_or_else(failed)
    }
}

/// A request that is sent as it came, since nothing is to be done to it.
fn relayed(request: Request, mode: GatewayMode) -> OutgoingRequest {
    let (edited, guards) = (EditedRequest::default(), GuardRound::default());
    OutgoingRequest { request, edited, mode, guards }
}

/// A request that is sent as it came, although it might have been edited.
fn skip(request: Request, mode: GatewayMode, reason: EditSkip) -> OutgoingRequest {
    let skipped = (mode != GatewayMode::Off).then_some(reason);
    let edited = EditedRequest { skipped, ..EditedRequest::default() };
    OutgoingRequest { edited, ..relayed(request, mode) }
}

/// Returns the time that edits may take: that of the header, else that of the settings.
fn limit(headers: &HeaderMap, usual: Duration) -> Duration {
    let value = headers.get(DEADLINE_HEADER).and_then(|value| value.to_str().ok());
    let asked = value.and_then(|text| text.parse().ok()).map(Duration::from_millis);
    // No request is refused for a wrong limit of ours.
    asked.unwrap_or(usual).min(Duration::from_millis(MAX_DEADLINE_MS))
}

/// Whether the body is signed (AWS Signature Version 4), as requests to Bedrock are.
fn is_signed(headers: &HeaderMap) -> bool {
    let value = headers.get(header::AUTHORIZATION).map(|value| value.as_bytes());
    value.is_some_and(|value| value.starts_with(b"AWS4-"))
}

/// Returns the model that a path names, as Gemini's do: `/v1beta/models/{model}:generateContent`.
fn path_model(path: &str) -> Option<Arc<str>> {
    let (model, _) = path.rsplit('/').next()?.rsplit_once(':')?;
    Some(model.into())
}

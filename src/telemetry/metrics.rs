//! Metrics of the server, in Prometheus' text form.
//!
//! Each server has a recorder of its own, so that two in one process (tests) do not add up.
//! Labels hold route patterns, statuses and words of our own: nothing that a caller chooses.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use metrics::{Recorder, counter, gauge, histogram, with_local_recorder};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle, PrometheusRecorder};
use metrics_process::Collector;

/// Upper bounds of the duration buckets, in seconds.
const BUCKETS: &[f64] =
    &[0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0];

/// The counters of one server. Cheap to clone.
#[derive(Clone)]
pub struct Metrics {
    recorder: Arc<PrometheusRecorder>,
    handle: PrometheusHandle,
    /// The process metrics of the system: memory, descriptors, threads, seconds of work.
    process: Collector,
}

/// Tokens of a request through the gateway, as its provider counted them, and money in millionths of a
/// dollar: 0 if the prices of the model are not known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GatewayUsage {
    pub uncached: u64,
    pub read: u64,
    pub written: u64,
    pub output: u64,
    pub cost_micros: u64,
    pub saved_micros: u64,
}

/// A stream of events that is open, until it is dropped.
#[derive(Debug)]
pub struct Stream(Metrics);

impl Drop for Stream {
    fn drop(&mut self) {
        self.0.streams(-1.0);
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

impl Metrics {
    pub fn new() -> Self {
        let builder = PrometheusBuilder::new();
        // The list of buckets is not empty, the one thing that can be wrong with it.
        let builder = builder.set_buckets(BUCKETS).unwrap_or_else(|_| PrometheusBuilder::new());
        let recorder = builder.build_recorder();
        let handle = recorder.handle();
        let process = Collector::default();
        let metrics = Self { recorder: Arc::new(recorder), handle, process };
        metrics.describe();
        metrics
    }

    /// The text for `GET /metrics`.
    pub fn render(&self) -> String {
        let tasks = tokio::runtime::Handle::try_current().map(|it| it.metrics().num_alive_tasks());
        self.record(|| {
            self.process.collect();
            // Far below the precision of a float.
            #[expect(clippy::cast_precision_loss, reason = "a figure for people to read")]
            gauge!("contexture_runtime_tasks").set(tasks.unwrap_or(0) as f64);
        });
        self.handle.render()
    }

    /// Folds what was recorded into the buckets. To be called now and then: without a scraper
    /// the samples would pile up.
    pub fn tidy(&self) {
        self.handle.run_upkeep();
    }

    pub fn record_response(&self, method: &str, route: &str, status: u16, took: Duration) {
        let (method, route, status) = (method.to_owned(), route.to_owned(), status.to_string());
        self.record(|| {
            counter!("contexture_http_requests_total", "method" => method,
                     "route" => route.clone(), "status" => status.clone())
            .increment(1);
            histogram!("contexture_http_request_duration_seconds", "route" => route,
                       "status" => status)
            .record(took.as_secs_f64());
        });
    }

    /// A request has begun (`+1`) or ended (`-1`).
    pub fn add_in_flight(&self, change: f64) {
        self.record(|| gauge!("contexture_http_requests_in_flight").increment(change));
    }

    /// A caller went away before the answer.
    pub fn record_abandoned(&self) {
        self.record(|| counter!("contexture_http_requests_abandoned_total").increment(1));
    }

    /// A request was refused because the server is full.
    pub fn record_shed(&self, reason: &'static str) {
        self.record(|| {
            counter!("contexture_http_requests_shed_total", "reason" => reason).increment(1);
        });
    }

    /// A body was read: its bytes after decompression.
    pub fn record_body(&self, bytes: usize) {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        self.record(|| {
            counter!("contexture_http_request_body_bytes_total").increment(bytes);
        });
    }

    /// Tokens of a compile, in and out.
    pub fn record_compile(&self, before: u64, after: u64) {
        self.record(|| {
            counter!("contexture_compile_tokens_total", "side" => "before").increment(before);
            counter!("contexture_compile_tokens_total", "side" => "after").increment(after);
        });
    }

    /// A request went through the gateway: its wire format, its mode, why texts stayed as they came
    /// (empty if there is no reason), and the tokens that it was sent with less.
    pub fn record_gateway(
        &self,
        wire: &'static str,
        mode: &'static str,
        skipped: &'static str,
        saved_tokens: u64,
    ) {
        self.record(|| {
            counter!("contexture_gateway_requests_total", "wire" => wire, "mode" => mode,
                     "skipped" => skipped)
            .increment(1);
            counter!("contexture_gateway_saved_tokens_total", "wire" => wire)
                .increment(saved_tokens);
        });
    }

    /// The usage in a response that went through the gateway.
    pub fn record_gateway_usage(&self, wire: &'static str, usage: &GatewayUsage) {
        self.record(|| {
            for (kind, tokens) in [
                ("uncached", usage.uncached),
                ("read", usage.read),
                ("written", usage.written),
                ("output", usage.output),
            ] {
                counter!("contexture_gateway_tokens_total", "wire" => wire, "kind" => kind)
                    .increment(tokens);
            }
            counter!("contexture_gateway_cost_micros_total", "wire" => wire)
                .increment(usage.cost_micros);
            counter!("contexture_gateway_saved_micros_total", "wire" => wire)
                .increment(usage.saved_micros);
        });
    }

    /// A hook was called over the network: `result` is `answered`, or what it failed of.
    pub fn record_hook_call(&self, point: &'static str, result: &'static str, took: Duration) {
        self.record(|| {
            counter!("contexture_hook_calls_total", "point" => point, "result" => result)
                .increment(1);
            histogram!("contexture_hook_call_duration_seconds", "point" => point)
                .record(took.as_secs_f64());
        });
    }

    /// An attempt at a queued call ended: `outcome` is `delivered`, `again`, `later` or `dead`.
    pub fn record_delivery(&self, outcome: &'static str) {
        self.record(|| counter!("contexture_deliveries_total", "outcome" => outcome).increment(1));
    }

    /// Whether the store can be written.
    pub fn set_writable(&self, yes: bool) {
        self.record(|| gauge!("contexture_store_writable").set(if yes { 1.0 } else { 0.0 }));
    }

    /// The machine's clock was set.
    pub fn record_clock_jump(&self) {
        self.record(|| counter!("contexture_clock_jumps_total").increment(1));
    }

    /// Counts a stream of events as open until the returned guard is dropped.
    #[must_use]
    pub fn stream(&self) -> Stream {
        self.streams(1.0);
        Stream(self.clone())
    }

    fn streams(&self, change: f64) {
        self.record(|| gauge!("contexture_event_streams").increment(change));
    }

    fn record(&self, record: impl FnOnce()) {
        let recorder: &dyn Recorder = &*self.recorder;
        with_local_recorder(recorder, record);
    }

    fn describe(&self) {
        use metrics::{describe_counter, describe_gauge, describe_histogram};
        self.record(|| {
            describe_counter!("contexture_http_requests_total", "Answers by route and status");
            describe_histogram!(
                "contexture_http_request_duration_seconds",
                "Seconds from the head of a request to the head of its answer"
            );
            describe_gauge!("contexture_http_requests_in_flight", "Requests being answered");
            describe_counter!(
                "contexture_http_requests_abandoned_total",
                "Requests whose caller went away before the answer"
            );
            describe_counter!(
                "contexture_http_requests_shed_total",
                "Requests refused because the server was full"
            );
            describe_counter!(
                "contexture_http_request_body_bytes_total",
                "Bytes of request bodies, decompressed"
            );
            describe_counter!("contexture_compile_tokens_total", "Tokens before and after");
            describe_counter!(
                "contexture_gateway_requests_total",
                "Requests through the gateway, and why texts of them stayed as they came"
            );
            describe_counter!(
                "contexture_gateway_saved_tokens_total",
                "Tokens that requests through the gateway were sent with less"
            );
            describe_counter!(
                "contexture_gateway_tokens_total",
                "Tokens of requests through the gateway, as their providers counted them"
            );
            describe_counter!(
                "contexture_gateway_cost_micros_total",
                "Millionths of a dollar that input through the gateway cost"
            );
            describe_counter!(
                "contexture_gateway_saved_micros_total",
                "Millionths of a dollar that this input would have cost more as it came"
            );
            describe_counter!(
                "contexture_hook_calls_total",
                "Calls of webhooks by point and outcome"
            );
            describe_histogram!(
                "contexture_hook_call_duration_seconds",
                "Seconds that calls of webhooks took"
            );
            describe_counter!(
                "contexture_deliveries_total",
                "Attempts at queued calls by what followed: delivered, again, later, dead"
            );
            describe_gauge!("contexture_event_streams", "Streams of events that are open");
            describe_counter!("contexture_clock_jumps_total", "Times that the clock was set");
            counter!("contexture_clock_jumps_total").absolute(0);
            describe_gauge!("contexture_runtime_tasks", "Asynchronous tasks that are alive");
            describe_gauge!("contexture_store_writable", "1 where the store can be written");
            describe_gauge!("contexture_build_info", "1, with the version that runs");
            gauge!("contexture_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
            self.process.describe();
        });
        self.add_in_flight(0.0);
        self.streams(0.0);
    }
}

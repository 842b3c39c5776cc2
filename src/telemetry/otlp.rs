//! Sends traces to a collector by OTLP over HTTP, a batch at a time, from a thread of its own: no
//! request waits for it, and what cannot be sent is dropped with a line in the log.

use std::collections::HashMap;

use opentelemetry::propagation::{Extractor, TextMapPropagator as _};
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{Protocol, WithExportConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::{Level, Span, Subscriber};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::registry::LookupSpan;

use super::TRACE_TARGET;

/// The path for traces, after the base of the collector's URL.
const TRACES_PATH: &str = "/v1/traces";

/// Builds the exporter of spans. Spans that still wait are sent by [`SdkTracerProvider::shutdown`].
///
/// The name of the service, its further attributes, headers and the sampler come from the variables
/// that `OpenTelemetry` defines for every program (`OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`,
/// `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_TRACES_SAMPLER`).
pub(super) fn provider(
    endpoint: &str,
) -> Result<SdkTracerProvider, opentelemetry_otlp::ExporterBuildError> {
    let exporter = opentelemetry_otlp::SpanExporter::builder()
        .with_http()
        .with_protocol(Protocol::HttpBinary)
        .with_endpoint(format!("{}{TRACES_PATH}", endpoint.trim_end_matches('/')))
        .build()?;
    let mut resource = Resource::builder();
    if std::env::var_os("OTEL_SERVICE_NAME").is_none() {
        resource = resource.with_service_name("contexture");
    }
    Ok(SdkTracerProvider::builder()
        .with_batch_exporter(exporter)
        .with_resource(resource.build())
        .build())
}

/// A layer that passes the spans of traces, and no others, to `provider`.
pub(super) fn layer<S>(provider: &SdkTracerProvider) -> impl Layer<S> + use<S>
where
    S: Subscriber + for<'span> LookupSpan<'span>,
{
    tracing_opentelemetry::layer()
        .with_tracer(provider.tracer("contexture"))
        .with_location(false)
        .with_threads(false)
        .with_tracked_inactivity(false)
        .with_filter(Targets::new().with_target(TRACE_TARGET, Level::INFO))
}

/// Makes `span` a part of the trace that the headers name, if they do.
pub(super) fn join_trace<'h>(span: &Span, header: impl Fn(&str) -> Option<&'h str>) {
    let named = ["traceparent", "tracestate"];
    let headers = Headers(named.iter().filter_map(|name| Some((*name, header(name)?))).collect());
    if !headers.0.is_empty() {
        let parent = TraceContextPropagator::new().extract(&headers);
        // Fails only if no traces are sent.
        let _ = span.set_parent(parent);
    }
}

/// The value of `traceparent` for `span`.
pub(super) fn traceparent(span: &Span) -> Option<String> {
    let mut headers = HashMap::new();
    TraceContextPropagator::new().inject_context(&span.context(), &mut headers);
    headers.remove("traceparent")
}

struct Headers<'h>(HashMap<&'static str, &'h str>);

impl Extractor for Headers<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).copied()
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().copied().collect()
    }
}

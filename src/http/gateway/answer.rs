//! A response on its way to the client, from which the usage is read.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Bytes, HttpBody};
use axum::http::{HeaderMap, HeaderValue, header};
use hyper::body::{Frame, SizeHint};

use super::GatewayTotals;
use super::exchange::OpenExchange;
use crate::gateway::{ContentCoding, UsageReader};
use crate::service::gateway as service;
use crate::telemetry::{GatewayUsage, Metrics};

/// A body whose usage is counted when it ends, or when the client leaves.
pub(super) struct ObservedAnswer<B> {
    body: B,
    /// None once it was counted.
    count: Option<AnswerCount>,
}

/// What counts a response.
pub(super) struct AnswerCount {
    pub(super) reader: UsageReader,
    pub(super) metrics: Metrics,
    pub(super) totals: GatewayTotals,
    pub(super) status: u16,
    pub(super) open: OpenExchange,
}

impl AnswerCount {
    fn finish(self) {
        let Self { reader, metrics, totals, status, open } = self;
        let reported = reader.usage();
        let wire = open.exchange.wire;
        let found = service::finish(&open.services, &open.exchange, reported.as_deref());
        if let Some(usage) = found {
            totals.count_usage(&usage);
            let (tokens, cost) = (usage.tokens, usage.cost);
            let usage = GatewayUsage {
                uncached: tokens.uncached,
                read: tokens.read,
                written: tokens.written.saturating_add(tokens.written_long),
                output: tokens.output.unwrap_or_default(),
                cost_micros: cost.map_or(0, |cost| cost.payload_micros),
                saved_micros: cost.map_or(0, |cost| cost.saved_micros.unsigned_abs()),
            };
            metrics.record_gateway_usage(wire.as_str(), &usage);
        }
        open.end(status, None, found);
    }
}

impl<B> ObservedAnswer<B> {
    pub(super) fn new(body: B, count: AnswerCount) -> Self {
        Self { body, count: Some(count) }
    }

    fn finish(&mut self) {
        if let Some(count) = self.count.take() {
            count.finish();
        }
    }
}

impl<B> Drop for ObservedAnswer<B> {
    fn drop(&mut self) {
        self.finish();
    }
}

impl<B> HttpBody for ObservedAnswer<B>
where
    B: HttpBody<Data = Bytes> + Unpin,
{
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        match &polled {
            Poll::Ready(Some(Ok(frame))) => {
                if let (Some(data), Some(count)) = (frame.data_ref(), &mut self.count) {
                    count.reader.read(data);
                }
            }
            Poll::Ready(None) => self.finish(),
            Poll::Ready(Some(Err(_))) | Poll::Pending => {}
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Returns a reader for a response with these headers.
pub(super) fn usage_reader(headers: &HeaderMap) -> UsageReader {
    let text = |name| {
        headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok()).unwrap_or_default()
    };
    UsageReader::new(text(header::CONTENT_ENCODING), text(header::CONTENT_TYPE))
}

/// Leaves of the codings that a client accepts those that can be read here.
pub(super) fn keep_readable_codings(headers: &mut HeaderMap) {
    let values = headers.get_all(header::ACCEPT_ENCODING).iter();
    let values: Vec<&str> = values.filter_map(|value| value.to_str().ok()).collect();
    if values.is_empty() {
        return;
    }
    let is_readable = |one: &&str| {
        let name = one.split(';').next().unwrap_or_default().trim();
        !name.is_empty() && ContentCoding::parse(name).is_some()
    };
    let all = values.iter().flat_map(|value| value.split(',')).map(str::trim);
    let (readable, other): (Vec<&str>, Vec<&str>) = all.partition(is_readable);
    if other.is_empty() {
        return;
    }
    let readable = if readable.is_empty() { "identity".to_owned() } else { readable.join(", ") };
    if let Ok(value) = HeaderValue::from_str(&readable) {
        headers.insert(header::ACCEPT_ENCODING, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_codings_that_can_be_read_are_asked_for() {
        let kept = |values: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(header::ACCEPT_ENCODING, HeaderValue::from_static(value));
            }
            keep_readable_codings(&mut headers);
            let values = headers.get_all(header::ACCEPT_ENCODING).iter();
            values.map(|value| value.to_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(kept(&["gzip, deflate, br;q=0.5, zstd"]), ["gzip, deflate, br;q=0.5, zstd"]);
        assert_eq!(kept(&["gzip;q=1,  dcb", "*"]), ["gzip;q=1"]);
        assert_eq!(kept(&["*"]), ["identity"]);
        assert_eq!(kept(&[]), Vec::<String>::new());
    }
}

